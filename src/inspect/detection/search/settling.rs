//! The last word on where the parts found lie. Of few poses, so that it may take longer than a candidate may.

use rayon::prelude::*;

use super::{Detection, Placed, SAME_POSE, Search, unlike};
use crate::detection::discrepancy::{self, Discrepancy};
use crate::detection::misfit::{self, Witnesses};
use crate::detection::model::PartModel;
use crate::detection::placement::Placement;
use crate::detection::{symmetry, twins};
use base::Result;
use geometry::Pose;

/// Motions whose eigenvalue is at most this share of the largest are tried; and by how much, in standard deviations.
const WEAK: f64 = 0.05;
const OFFSETS_SIGMAS: [f64; 6] = [-30.0, -10.0, -3.0, 3.0, 10.0, 30.0];
/// Turned poses that are fitted, of those that explain the points best.
const TURNED: usize = 4;
/// How much worse a turned part may fit where normals count: elsewhere other things that it comes to lie beside speak for it.
const MAX_LOSS: f64 = 0.5 * misfit::DECIDES;

impl Search<'_> {
    /// Moves the parts found to where they fit best along the motions that the points determine weakly: where a fit ends along
    /// these depends on where it began.
    pub(super) fn settle(&mut self) -> Result<()> {
        let found = std::mem::take(&mut self.found);
        let settled: Result<Vec<Detection>> = found.into_par_iter().map(|own| self.settled(own)).collect();
        self.found = settled?;
        Ok(())
    }

    /// Says of the parts found where they do not fit, and what else they could be.
    pub(super) fn reserve(&mut self) {
        let reservations = |own: &Detection| {
            let model = &self.models[own.part];
            let is_other = |point: u32| self.is_taken[point as usize] && own.points.binary_search(&point).is_err();
            let misfits = discrepancy::of(own, model, self.scene, is_other);
            let twins = twins::of(own, model, self.scene);
            let could_be: Vec<String> = twins.refused.into_iter().chain(twins.open).collect();
            (misfits.iter().map(Discrepancy::sentence).collect(), could_be)
        };
        let all: Vec<(Vec<String>, Vec<String>)> = self.found.par_iter().map(reservations).collect();
        for (own, reservations) in self.found.iter_mut().zip(all) {
            (own.misfits, own.could_be) = reservations;
        }
    }

    fn settled(&self, own: Detection) -> Result<Detection> {
        self.quiet.check()?;
        let (model, scene) = (&self.models[own.part], self.scene);
        let mut near = misfit::near(model, scene, &own.scene_from_part);
        near.retain(|point| !self.is_taken[*point as usize] || own.points.binary_search(point).is_ok());
        let witnesses = Witnesses::of_points(scene, near, &[(model, Placement::rigid(&own.scene_from_part))]);
        let Some(shifted) = shifted(model, &witnesses, &own) else { return Ok(own) };
        let turned = turned(model, &witnesses, &own, &shifted);
        let best = turned.as_ref().map_or(shifted.1, |turned| turned.best);
        if self.is_refused(own.part, &best) {
            return Ok(own);
        }
        // As found, where something speaks against it there.
        let settled = self.judged(&own, &best)?.filter(|settled| settled.doubt.is_none());
        let Some(settled) = settled else { return Ok(own) };
        let others = turned.map_or(own.others, |turned| turned.others);
        Ok(Detection { others, is_accepted: own.is_accepted, ..settled })
    }
}

/// A part where it fits best along the motions that its points determine weakly, with its misfit there.
fn shifted(model: &PartModel<'_>, witnesses: &Witnesses, own: &Detection) -> Option<(f64, Pose)> {
    let part_from_scene = own.scene_from_part.inverse();
    let (lever_mm, limit_mm) = (0.5 * model.diameter_mm, misfit::CLOSE_GATE * model.diameter_mm);
    let moved = own.fit.information.weak_motions(lever_mm, WEAK).into_iter().flat_map(|motion| {
        let sigma_mm = motion.sigma * own.fit.rms_mm;
        OFFSETS_SIGMAS.map(|offset| motion.by_mm((offset * sigma_mm).clamp(-limit_mm, limit_mm)))
    });
    let moved: Vec<Pose> = moved.map(|step| (step * part_from_scene).inverse()).collect();
    // Where it lies is fitted to all points whatever fewer of them tell.
    let as_found = witnesses.fitted(model, std::slice::from_ref(&own.scene_from_part), misfit::CLOSE_GATE);
    let fitted = as_found.into_iter().flatten().chain(witnesses.best_fitted(model, &moved, misfit::CLOSE_GATE));
    fitted.min_by(|a, b| a.0.total_cmp(&b.0))
}

/// A part, turned about an axis that its points leave open or by a motion that maps it nearly onto itself.
struct Turned {
    best: Pose,
    /// Other poses, of it or another part, that explain the same points about as well.
    others: Vec<Placed>,
}

/// A part, turned to where it fits clearly better than where it was shifted to; `None` if it does so
/// nowhere: where the points do not decide, it was chosen before.
fn turned(
    model: &PartModel<'_>,
    witnesses: &Witnesses,
    own: &Detection,
    (by_normals, shifted): &(f64, Pose),
) -> Option<Turned> {
    let fine = symmetry::fine_turns(model, &own.fit.information);
    if fine.is_empty() && model.turns.is_empty() {
        return None;
    }
    let at_edges = witnesses.whatever_normals();
    let roughly = |turns: &[Pose]| -> Vec<(f64, Pose)> {
        let poses = turns.par_iter().map(|turn| shifted * turn);
        poses.map(|pose| (at_edges.roughly(model, &pose), pose)).collect()
    };
    let around = roughly(&fine);
    let is_peak = |at: &usize| {
        at.checked_sub(1)
            .into_iter()
            .chain([at + 1])
            .filter_map(|beside| around.get(beside))
            .all(|beside| around[*at].0 <= beside.0)
    };
    let mut rough = roughly(&model.turns);
    rough.extend((0..around.len()).filter(is_peak).map(|at| around[at]));
    rough.sort_by(|a, b| a.0.total_cmp(&b.0));
    let starts: Vec<Pose> = rough.into_iter().map(|(_, pose)| pose).take(TURNED).collect();
    let fitted = at_edges.closely_fitted(model, &starts).into_iter().flatten();
    let mut fitted: Vec<(f64, Pose)> =
        fitted.filter(|(_, pose)| witnesses.of(model, pose) - by_normals < MAX_LOSS).collect();
    fitted.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (least, best) = fitted.first().copied()?;
    if at_edges.of(model, shifted) - least < misfit::DECIDES {
        return None;
    }
    fitted.retain(|(misfit, _)| misfit - least < misfit::DECIDES);
    let as_well = unlike(model, fitted, SAME_POSE, |(_, pose)| pose).into_iter().skip(1);
    let as_well = as_well.map(|(_, pose)| Placed { part: own.part, scene_from_part: pose });
    // What explained the points as well as it did does not as well as it does now.
    let still_does = |other: &&Placed| {
        other.part != own.part || at_edges.of(model, &other.scene_from_part) - least < 2.0 * misfit::DECIDES
    };
    let others = own.others.iter().filter(still_does).copied().chain(as_well).collect();
    Some(Turned { best, others })
}
