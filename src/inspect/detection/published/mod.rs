//! The published search for parts (Popovic, "Parallelized two-stage object detection in cluttered RGB-D scenes", 2013), as it
//! was published, to be measured beside ours. Its climb by gradients is replaced by our fits of many poses, its exact point
//! clouds by the probes of a part; what was not measured counts neither for nor against a pose.

mod alignment;
mod assignment;
mod further_terms;
mod noise;
mod observation;
mod outlines;
mod single;
mod terms;
#[cfg(test)]
mod tests;
mod weights;

use rayon::prelude::*;

use super::Placed;
use super::model::PartModel;
use super::scene::Scene;
pub use assignment::{Assignment, Pool};
use base::{Progress, Result};
use compute::Backend;
use further_terms::SceneFeatures;
use observation::Observation;
pub use outlines::Outlines;
use single::Left;
pub use single::Sample;
use terms::Judge;
pub use weights::{Aim, Example, Lesson, WEIGHTS, Weights, learned, quality};

/// Fewest points for a second stage.
const MIN_LEFT: usize = 200;

/// A part with its outlines.
pub struct Known<'a> {
    /// The part.
    pub model: &'a PartModel<'a>,
    /// Its outlines.
    pub outlines: Outlines,
}

impl<'a> Known<'a> {
    /// Draws its outlines.
    pub fn new(model: &'a PartModel<'a>) -> Self {
        Self { model, outlines: Outlines::new(model) }
    }
}

/// Searches of one scene.
pub struct Search<'a> {
    backend: &'a dyn Backend,
    parts: &'a [Known<'a>],
    observation: Observation<'a>,
    progress: &'a Progress,
}

impl<'a> Search<'a> {
    /// `None` if it is not known from where the scene was seen.
    pub fn new(
        backend: &'a dyn Backend,
        parts: &'a [Known<'a>],
        scene: &'a Scene,
        progress: &'a Progress,
    ) -> Option<Self> {
        Some(Self { backend, parts, observation: Observation::new(scene)?, progress })
    }

    /// Poses to choose from in what of the scene no given segment explains.
    ///
    /// Returns an error if the backend fails, or if the work is cancelled.
    pub fn pool(&self, explained: &[u32]) -> Result<Pool> {
        let is_masked = self.is_masked(explained);
        let edges = self.observation.edges(|pixel| self.is_left(pixel, &is_masked));
        let of_part = |part: usize| {
            let own = &self.parts[part];
            let points = self.points(own, &is_masked);
            let features = SceneFeatures::new(own.model, &points);
            let judge = self.judge(own, &edges, Some(&features));
            single::find(self.backend, part, &judge, &Left { points: &points, is_masked: &is_masked }, self.progress)
        };
        let samples: Vec<Vec<Sample>> = (0..self.parts.len()).into_par_iter().map(of_part).collect::<Result<_>>()?;
        Ok(Pool { samples: samples.into_iter().flatten().collect(), shares: self.shares() })
    }

    fn shares(&self) -> Vec<f64> {
        let segments = &self.observation.segments;
        let all: usize = segments.iter().map(|own| own.count).sum();
        segments.iter().map(|own| own.count as f64 / all as f64).collect()
    }

    fn is_masked(&self, explained: &[u32]) -> Vec<bool> {
        let mut is_masked = vec![false; self.observation.segments.len()];
        explained.iter().for_each(|&own| is_masked[own as usize] = true);
        is_masked
    }

    fn is_left(&self, pixel: usize, is_masked: &[bool]) -> bool {
        let segment = self.observation.segment_of[pixel];
        let is_explained = segment != observation::NONE && is_masked[segment as usize];
        self.observation.is_foreground(pixel) && !is_explained
    }

    /// Points of what is left, as close as those of a part that have features.
    fn points(&self, own: &Known<'_>, is_masked: &[bool]) -> Vec<geometry::point_pairs::OrientedPoint> {
        let scene = self.observation.scene;
        let is_wanted = |index: u32| {
            let pixel = self.observation.image.pixel_of(&scene.points[index as usize].point);
            !scene.is_background[index as usize] && pixel.is_some_and(|pixel| self.is_left(pixel, is_masked))
        };
        scene.sample(own.model.features().spacing_mm, is_wanted)
    }

    fn judge<'b>(&'b self, own: &'b Known<'_>, edges: &'b [f64], features: Option<&'b SceneFeatures>) -> Judge<'b> {
        Judge { model: own.model, outlines: &own.outlines, observation: &self.observation, edges, features }
    }

    /// The second stage: what was chosen, with what a search of the rest adds, where the two together explain the scene
    /// better than the first alone.
    ///
    /// Returns an error if the backend fails, or if the work is cancelled.
    pub fn second_stage(&self, first: &Pool, chosen: &[usize], weights: &Weights) -> Result<Pool> {
        let stage_one: Vec<Sample> = chosen.iter().map(|&own| first.samples[own].clone()).collect();
        let alone = |samples: Vec<Sample>| Pool { samples, shares: self.shares() };
        let explained: Vec<u32> = stage_one.iter().flat_map(|own| own.segments.iter().copied()).collect();
        let is_masked = self.is_masked(&explained);
        let left = (0..self.observation.segment_of.len()).filter(|&pixel| self.is_left(pixel, &is_masked)).count();
        if left < MIN_LEFT {
            return Ok(alone(stage_one));
        }
        let rest = self.pool(&explained)?;
        let Some(best) = rest.anneal(weights).into_iter().next() else { return Ok(alone(stage_one)) };
        // A second part on what a badly placed first one left claims the same segments when all are looked at.
        let all = self.observation.edges(|pixel| self.observation.is_foreground(pixel));
        let unmasked = self.is_masked(&[]);
        let again = |own: &Sample| {
            let judge = self.judge(&self.parts[own.part], &all, None);
            let segments = judge.assigned(&own.scene_from_part, &unmasked);
            Sample { segments, ..own.clone() }
        };
        let added: Vec<Sample> = best.chosen.iter().map(|&own| again(&rest.samples[own])).collect();
        let count = stage_one.len();
        let both = alone(stage_one.into_iter().chain(added).collect());
        let score = |count: usize| both.score_of(&(0..count).collect::<Vec<usize>>(), weights);
        match score(both.samples.len()) > score(count) {
            true => Ok(both),
            false => Ok(alone(both.samples.into_iter().take(count).collect())),
        }
    }
}

impl Sample {
    /// The part in its pose.
    pub fn placed(&self) -> Placed {
        Placed { part: self.part, scene_from_part: self.scene_from_part }
    }
}
