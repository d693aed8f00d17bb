//! Poses by matches of single local features: of a scene's descriptors those like some of the part, each with a frame.

use super::super::model::PartModel;
use super::{Evidence, Hypothesis, clusters};
use base::random::Random;
use base::{Progress, Result};
use compute::nearest_descriptors::{Match, Request};
use compute::{Backend, Compute};
use geometry::local_features::{Descriptor, LocalFeature};
use geometry::oriented_matches::{self, OrientedMatch};
use geometry::{Point, Pose};
use nalgebra::UnitQuaternion;

/// Most features of a scene that are matched, and features of the part of which one is drawn for each.
const MAX_QUERIES: usize = 4_000;
const NEIGHBOURS: usize = 30;
/// Least ratio of the curvatures at a point that gives it a frame: where none stands out, a match says nothing of how the part
/// is turned about the normal.
const MIN_RATIO: f64 = 1.5;
/// Standard deviation of a match along each axis, in spacings of the points with features.
const SIGMA: f64 = 6.0;
/// Greatest number of clusters.
const MAX_CLUSTERS: usize = 400;
/// The draws are the same in every search.
const SEED: u64 = 0xFEA7;

/// Poses by matches, clustered.
pub fn find(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    evidence: &Evidence<'_>,
    progress: &Progress,
) -> Result<Vec<Hypothesis>> {
    let features = model.features();
    let found = features.of_scene(evidence.close);
    let has_frame = |own: &LocalFeature| own.curvature.ratio() >= MIN_RATIO;
    let all = evidence.close.iter().zip(found).filter_map(|(own, feature)| Some((own.point, feature?)));
    let mut queries: Vec<(Point, LocalFeature)> = all.filter(|(_, own)| has_frame(own)).collect();
    let mut random = Random::new(SEED, 0);
    random.shuffle(&mut queries);
    queries.truncate(MAX_QUERIES);
    let descriptors: Vec<Descriptor> = queries.iter().map(|(_, own)| own.descriptor).collect();
    let request = Request { references: &features.descriptors, queries: &descriptors, count: NEIGHBOURS };
    let matches = backend.compute(&request, progress)?;
    let mut drawn = Vec::new();
    for ((point, own), near) in queries.iter().zip(&matches) {
        if let Some(reference) = draw(near, features.variance, &mut random) {
            drawn.push(features.matched(reference.reference as usize, point, own));
        }
    }
    let poses = drawn.iter().flat_map(poses_of).map(|pose| (pose, 1.0));
    let sigma_mm = SIGMA * features.spacing_mm;
    let aligned = clusters(model, poses, MAX_CLUSTERS).into_iter().filter_map(|cluster| {
        // Two poses of each match.
        let matches: Vec<OrientedMatch> = cluster.members.iter().map(|index| drawn[index / 2]).collect();
        let scene_from_part = oriented_matches::align(&matches, sigma_mm)?.scene_from_part;
        Some(Hypothesis { scene_from_part, votes: cluster.votes })
    });
    Ok(aligned.collect())
}

/// One of some matches, nearest first: each with the likelihood of a normal distribution of its distance; `None` if even the
/// nearest is farther than a standard deviation.
fn draw<'a>(near: &'a [Match], variance: f32, random: &mut Random) -> Option<&'a Match> {
    let nearest = near.first().filter(|own| own.squared <= variance)?;
    let likelihood = |own: &Match| f64::from((nearest.squared - own.squared) / (2.0 * variance)).exp();
    let mut left = random.uniform() * near.iter().map(likelihood).sum::<f64>();
    for own in near {
        left -= likelihood(own);
        if left < 0.0 {
            return Some(own);
        }
    }
    near.last()
}

/// The two poses of the part that a match alone proposes.
fn poses_of(own: &OrientedMatch) -> [Pose; 2] {
    let modes = own.frames.map_or([UnitQuaternion::identity(); 2], |frames| frames.modes());
    modes.map(|rotation| Pose::from_parts((own.scene.coords - rotation * own.part.coords).into(), rotation))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_drawn_by_the_normal_law_and_none_beyond_a_standard_deviation() {
        let near: Vec<Match> = (0..30).map(|index| Match { squared: 3.0 + index as f32, reference: index }).collect();
        let (draws, variance) = (100_000, 9.0);
        let mut random = Random::new(1, 2);
        let mut counts = [0.0; 30];
        for _ in 0..draws {
            counts[draw(&near, variance, &mut random).unwrap().reference as usize] += 1.0;
        }
        let likelihood = |own: &Match| (-f64::from(own.squared) / (2.0 * f64::from(variance))).exp();
        let sum: f64 = near.iter().map(likelihood).sum();
        let expected = near.iter().map(|own| likelihood(own) / sum * f64::from(draws));
        let chi: f64 = counts.iter().zip(expected).map(|(own, expected)| (own - expected).powi(2) / expected).sum();
        // 29 degrees of freedom: 49.6 at 1 %.
        assert!(chi < 49.6, "{chi}");
        assert!(draw(&near, 2.9, &mut random).is_none() && draw(&[], 9.0, &mut random).is_none());
    }
}
