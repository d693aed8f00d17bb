//! The hypothesis that all faces of a scan lie off the nominal alike.

use rayon::prelude::*;

use super::super::ExplainedFraction;
use super::super::uniform_offset::{self, OffsetFit};
use super::verification::{Candidate, MAX_COARSE_CANDIDATES, SAME_AFTER, SAME_BEFORE, Sample, Verifier};
use base::{Progress, Result};
use geometry::Pose;

/// Poses, best first, that are fitted with an offset.
const MAX_POSES: usize = 12;
/// The same where the best pose explains the scan but for details.
const MAX_POSES_WHERE_EXPLAINED: usize = 3;
/// Greatest distance of a point at first, in spacings of the model.
const FIRST_GATE: f64 = 3.0;
/// Iterations on the coarse, the fine and the dense sample.
const ITERATIONS: [usize; 3] = [20, 20, 60];
/// An offset is believed if it lowers the cost of the best pose by this factor.
const MIN_COST_RATIO: f64 = 2.0;
/// Share of the nominal's vertices that may lie on an open rim: of separate faces no side is outside.
const MAX_RIM: f64 = 0.5;

impl Verifier<'_> {
    /// Candidates with a uniform offset from the poses, best first; `None` unless it lets the scan fit far better than without one in
    /// the pose `best`. `hypotheses`: where the poses came from; where an offset is large, fits without one led away from it.
    pub(super) fn with_uniform_offset(
        &self,
        poses: &[Pose],
        hypotheses: &[Pose],
        best: Option<&Candidate>,
    ) -> Result<Option<Vec<Candidate>>> {
        let Some(best) = best else { return Ok(None) };
        let rim = self.surface.boundary_vertices();
        if rim.iter().filter(|is_rim| **is_rim).count() as f64 > MAX_RIM * rim.len() as f64 {
            return Ok(None);
        }
        let is_explained = self.explained(&self.fine, &best.pose, None)?.fraction >= ExplainedFraction::MIN_FRACTION;
        let count = if is_explained { MAX_POSES_WHERE_EXPLAINED } else { MAX_POSES };
        let mut starts: Vec<(Pose, f64)> = poses.iter().take(count).map(|pose| (*pose, 0.0)).collect();
        if !is_explained {
            let mut unrefined = self.measured(&self.coarse, hypotheses, 2.0 * self.spacing_mm)?;
            self.keep_best(&mut unrefined, SAME_BEFORE, MAX_COARSE_CANDIDATES);
            starts.extend(unrefined.iter().map(|own| (own.pose, 0.0)));
        }
        let first = self.fits(&self.coarse, &starts, FIRST_GATE * self.spacing_mm, ITERATIONS[0]);
        let Some(coarse) = self.best_of(&self.coarse, first)? else { return Ok(None) };
        if !self.is_far_better(&self.coarse, &coarse, best)? {
            return Ok(None);
        }
        // With an offset, any other pose may fit as well: of a symmetric part, many do.
        let offset_mm = coarse.first().and_then(start).map_or(0.0, |(_, offset_mm)| offset_mm);
        let others = poses.iter().take(MAX_POSES).map(|pose| (*pose, offset_mm));
        let starts: Vec<(Pose, f64)> = coarse.iter().filter_map(start).chain(others).collect();
        let fine = self.fits(&self.fine, &starts, self.spacing_mm, ITERATIONS[1]);
        let Some(fine) = self.best_of(&self.fine, fine)? else { return Ok(None) };
        let starts: Vec<(Pose, f64)> = fine.iter().filter_map(start).take(2).collect();
        let gate_mm = fine.first().map_or(self.spacing_mm, |own| own.gate_mm);
        let mut dense = self.fits(&self.dense, &starts, gate_mm, ITERATIONS[2]);
        dense.extend(fine.into_iter().skip(2).filter_map(|own| own.offset));
        let Some(dense) = self.best_of(&self.dense, dense)? else { return Ok(None) };
        let is_uniform = dense
            .first()
            .and_then(|own| own.offset)
            .is_some_and(|own| own.is_uniform(self.surface, self.dense.directed()));
        Ok((is_uniform && self.is_far_better(&self.dense, &dense, best)?).then_some(dense))
    }

    fn fits(&self, sample: &Sample, starts: &[(Pose, f64)], gate_mm: f64, iterations: usize) -> Vec<OffsetFit> {
        let points = sample.directed();
        let fit = |(pose, offset_mm): &(Pose, f64)| {
            let silent = Progress::silent();
            uniform_offset::fit(self.surface, points, (pose, *offset_mm), gate_mm, iterations, &silent)
        };
        starts.par_iter().filter_map(fit).collect()
    }

    /// Fits by increasing cost with a common gate; `None` if there are none.
    fn best_of(&self, sample: &Sample, fits: Vec<OffsetFit>) -> Result<Option<Vec<Candidate>>> {
        let Some(least_mm) = fits.iter().map(|own| own.scale_mm).min_by(f64::total_cmp) else { return Ok(None) };
        let gate_mm = self.common_gate_mm(least_mm);
        let measured = fits.par_iter().map(|own| self.measure(sample, own.pose, Some(*own), gate_mm));
        let mut measured = measured.collect::<Result<Vec<_>>>()?;
        let count = measured.len();
        self.keep_best(&mut measured, SAME_AFTER, count);
        Ok(Some(measured))
    }

    /// Whether the first of `with_offset` fits far better than `plain`.
    fn is_far_better(&self, sample: &Sample, with_offset: &[Candidate], plain: &Candidate) -> Result<bool> {
        let Some(own) = with_offset.first() else { return Ok(false) };
        Ok(self.cost_ratio(sample, own, plain)? >= MIN_COST_RATIO)
    }

    /// The cost of `plain` by that of a candidate with an offset.
    pub(super) fn cost_ratio(&self, sample: &Sample, own: &Candidate, plain: &Candidate) -> Result<f64> {
        let without = self.measure(sample, plain.pose, None, own.gate_mm)?;
        Ok(without.cost / own.cost.max(f64::MIN_POSITIVE))
    }
}

fn start(candidate: &Candidate) -> Option<(Pose, f64)> {
    candidate.offset.map(|own| (own.pose, own.offset_mm))
}
