//! The search for one part: three rounds of ever fewer poses (SCOPE; Popovic 2013, algorithm 1).

use rayon::prelude::*;

use super::super::hypotheses::{self, Evidence, Generator};
use super::super::refinement::{self, Closeness};
use super::terms::{Judge, OF_LAST, OF_ROUND, Terms};
use base::random::Random;
use base::{Progress, Result};
use compute::Backend;
use geometry::Pose;
use geometry::point_pairs::OrientedPoint;

/// Greatest share of a pose's points in free space.
const MAX_FREE: f64 = 0.2;
/// Every which point is judged in the second round, and how much less certain distances are there than at last.
const ROUND_STEP: usize = 2;
const ROUND_SLACK: f64 = 4.0;
/// Alignments of each pose of the second round: how much less certain positions are at each than at last.
const ALIGNMENTS: [f64; 5] = [5.0, 5.0, 4.0, 3.0, 2.0];
/// Poses that are fitted, and those that may be chosen.
const FITTED: usize = 50;
const KEPT: usize = 20;
/// One pose: greatest distance of the middles as a share of the diameter, and rotation.
const SAME_POSITION: f64 = 0.1;
const SAME_ROTATION_RAD: f64 = 0.393;
/// Weights by which the poses of one part are ranked: proposals for machined parts, not trained.
const RANKING: Terms = [1.0, 1.0, 0.5, 0.5, 0.25, 0.5, 0.0, 0.0, 0.0, 0.0];

/// A pose of a part that may be chosen.
#[derive(Clone, Debug)]
pub struct Sample {
    /// Index of the part.
    pub part: usize,
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// What speaks for it.
    pub terms: Terms,
    /// Segments of the scene that it explains, ascending.
    pub segments: Vec<u32>,
}

/// What of the scene is searched.
pub struct Left<'a> {
    /// Points as close as those of the part that have features.
    pub points: &'a [OrientedPoint],
    /// By segment: whether it is explained.
    pub is_masked: &'a [bool],
}

fn ranked(terms: &Terms, count: usize) -> f64 {
    terms.iter().zip(RANKING).take(count).map(|(own, weight)| own * weight).sum()
}

/// The poses of a part that the scene speaks for most, best first.
///
/// Returns an error if the backend fails, or if the work is cancelled.
pub fn find(
    backend: &dyn Backend,
    part: usize,
    judge: &Judge<'_>,
    left: &Left<'_>,
    progress: &Progress,
) -> Result<Vec<Sample>> {
    let (model, scene) = (judge.model, judge.observation.scene);
    let evidence = Evidence { points: &[], rims: &[], close: left.points, oriented: scene.oriented };
    let proposed = hypotheses::find(backend, model, &evidence, Generator::FeatureMatches, progress)?;
    let proposed: Vec<Pose> = proposed.iter().map(|own| own.scene_from_part).collect();
    let possible = proposed.par_iter().enumerate().filter(|(_, pose)| judge.in_free_space(pose) <= MAX_FREE);
    let mut improved: Vec<(f64, Pose)> =
        possible.map(|(number, pose)| improved(judge, pose, left.is_masked, number as u64)).collect();
    improved.sort_by(|a, b| b.0.total_cmp(&a.0));
    progress.check()?;
    let apart: Vec<Pose> = apart(judge, improved.into_iter().map(|own| own.1));
    let fitted = fitted(backend, judge, left.points, &apart, progress)?;
    let sample = |pose: Pose| {
        let segments = judge.assigned(&pose, left.is_masked);
        let terms = judge.terms(&pose, 1, 1.0, Some(&segments));
        Sample { part, scene_from_part: pose, terms, segments }
    };
    let mut samples: Vec<Sample> = fitted.into_par_iter().map(sample).filter(|own| !own.segments.is_empty()).collect();
    samples.sort_by(|a, b| ranked(&b.terms, OF_LAST).total_cmp(&ranked(&a.terms, OF_LAST)));
    samples.truncate(KEPT);
    Ok(samples)
}

/// How much speaks for a pose in the second round.
pub fn value(judge: &Judge<'_>, pose: &Pose) -> f64 {
    ranked(&judge.terms(pose, ROUND_STEP, ROUND_SLACK, None), OF_ROUND)
}

/// A pose aligned again and again with what it may explain, where that makes it better, and how much speaks for it.
pub fn improved(judge: &Judge<'_>, pose: &Pose, is_masked: &[bool], number: u64) -> (f64, Pose) {
    let mut best = (value(judge, pose), *pose);
    for (alignment, slack) in (0..).zip(ALIGNMENTS) {
        let mut random = Random::new(number, alignment);
        let aligned = judge.aligned(&best.1, is_masked, slack, &mut random).map(|pose| (value(judge, &pose), pose));
        best = aligned.filter(|own| own.0 > best.0).unwrap_or(best);
    }
    best
}

/// The first of some poses of which no two are near each other.
fn apart(judge: &Judge<'_>, poses: impl Iterator<Item = Pose>) -> Vec<Pose> {
    let centre = judge.model.centre();
    let limit_mm = SAME_POSITION * judge.model.diameter_mm;
    let mut kept: Vec<Pose> = Vec::new();
    for pose in poses {
        let is_near = |other: &Pose| {
            (pose * centre - other * centre).norm() < limit_mm
                && pose.rotation.angle_to(&other.rotation) < SAME_ROTATION_RAD
        };
        if !kept.iter().any(is_near) {
            kept.push(pose);
        }
        if kept.len() == FITTED {
            break;
        }
    }
    kept
}

/// Poses fitted to the points about them where that makes them better: in place of the published climb by gradients, which
/// may end lower than it began.
fn fitted(
    backend: &dyn Backend,
    judge: &Judge<'_>,
    points: &[OrientedPoint],
    poses: &[Pose],
    progress: &Progress,
) -> Result<Vec<Pose>> {
    let (model, scene) = (judge.model, judge.observation.scene);
    let mut fitted = poses.to_vec();
    for closeness in [Closeness::Coarse, Closeness::Fine] {
        let moved = refinement::of_many(backend, model, scene, points, &fitted, closeness, progress)?;
        fitted.iter_mut().zip(moved).for_each(|(own, moved)| *own = moved.map_or(*own, |moved| moved.0));
    }
    let value = |pose: &Pose| ranked(&judge.terms(pose, 1, 1.0, None), OF_ROUND);
    let better = |(own, moved): (&Pose, &Pose)| if value(moved) >= value(own) { *moved } else { *own };
    Ok(poses.par_iter().zip(&fitted).map(better).collect())
}
