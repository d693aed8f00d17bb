//! The last word on where the parts found lie. Of few poses, so that it may take longer than a candidate may.

use rayon::prelude::*;

use super::{Detection, Search};
use crate::detection::misfit::{self, Witnesses};
use base::Result;
use geometry::Pose;

/// Motions whose eigenvalue is at most this share of the largest are tried; and by how much, in standard deviations.
const WEAK: f64 = 0.05;
const OFFSETS_SIGMAS: [f64; 6] = [-30.0, -10.0, -3.0, 3.0, 10.0, 30.0];

impl Search<'_> {
    /// Moves the parts found to where they fit best along the motions that the points determine weakly: where a fit ends along
    /// these depends on where it began.
    pub(super) fn settle(&mut self) -> Result<()> {
        let found = std::mem::take(&mut self.found);
        let settled: Result<Vec<Detection>> = found.into_par_iter().map(|own| self.settled(own)).collect();
        self.found = settled?;
        Ok(())
    }

    fn settled(&self, own: Detection) -> Result<Detection> {
        self.quiet.check()?;
        let (model, scene) = (&self.models[own.part], self.scene);
        let mut near = misfit::near(model, scene, &own.scene_from_part);
        near.retain(|point| !self.is_taken[*point as usize] || own.points.binary_search(point).is_ok());
        let witnesses = Witnesses::of_points(scene, near, &[(model, own.scene_from_part)]);
        let part_from_scene = own.scene_from_part.inverse();
        let (lever_mm, limit_mm) = (0.5 * model.diameter_mm, misfit::CLOSE_GATE * model.diameter_mm);
        let moved = own.fit.information.weak_motions(lever_mm, WEAK).into_iter().flat_map(|motion| {
            let sigma_mm = motion.sigma * own.fit.rms_mm;
            OFFSETS_SIGMAS.map(|offset| motion.by_mm((offset * sigma_mm).clamp(-limit_mm, limit_mm)))
        });
        let starts: Vec<Pose> =
            std::iter::once(Pose::identity()).chain(moved).map(|step| (step * part_from_scene).inverse()).collect();
        let fitted = witnesses.best_fitted(model, &starts, misfit::CLOSE_GATE);
        let best = fitted.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, pose)| pose);
        let Some(best) = best.filter(|best| !self.is_refused(own.part, best)) else { return Ok(own) };
        // As found, where something speaks against it there.
        let settled = self.judged(&own, &best)?.filter(|settled| settled.doubt.is_none());
        Ok(match settled {
            Some(settled) => Detection { others: own.others, is_accepted: own.is_accepted, ..settled },
            None => own,
        })
    }
}
