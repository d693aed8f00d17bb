//! Votes of point pairs for poses on the CPU.

use rayon::prelude::*;

use crate::pose_votes::{Peak, Request};
use base::{Progress, Result};
use geometry::point_pairs::{OrientedPoint, PairTable, angle_about_normal, onto_x, pair_feature};
use geometry::{Pose, Vector};

/// Bins of the angle about the normal.
const ANGLE_BINS: usize = 30;
/// Maximum number of peaks per reference point and sign of its normal.
const MAX_PEAKS: usize = 4;

pub(crate) fn run(request: &Request<'_>, progress: &Progress) -> Result<Vec<Peak>> {
    let Request { table, model, scene, references, oriented } = *request;
    let counter = progress.counter(references.len(), "Searching for the part's pose");
    let signs: &[f64] = if oriented { &[1.0] } else { &[1.0, -1.0] };
    let of_reference = |accumulator: &mut Vec<u32>, &reference: &u32| {
        let mut peaks = Vec::new();
        if !counter.step() {
            return peaks;
        }
        let own = scene[reference as usize];
        for sign in signs {
            let first = OrientedPoint { normal: own.normal * *sign, ..own };
            accumulator.fill(0);
            vote(table, &first, scene, oriented, accumulator);
            collect_peaks(accumulator, model, &first, &mut peaks);
        }
        peaks
    };
    let peaks =
        references.par_iter().map_init(|| vec![0_u32; model.len() * ANGLE_BINS], of_reference).flatten_iter().collect();
    progress.check()?;
    Ok(peaks)
}

fn vote(table: &PairTable, first: &OrientedPoint, scene: &[OrientedPoint], oriented: bool, accumulator: &mut [u32]) {
    let scale = ANGLE_BINS as f64 / std::f64::consts::TAU;
    let reach = table.reach_mm();
    for other in scene {
        if (other.point - first.point).norm_squared() >= reach * reach {
            continue;
        }
        let signs: &[f64] = if oriented { &[1.0] } else { &[1.0, -1.0] };
        for sign in signs {
            let second = OrientedPoint { normal: other.normal * *sign, ..*other };
            let Some((distance, angles)) = pair_feature(first, &second) else { continue };
            let similar = table.similar(distance, angles);
            if similar.is_empty() {
                continue;
            }
            let scene_angle = angle_about_normal(first, &second);
            for entry in similar {
                let between = (f64::from(entry.angle) - scene_angle).rem_euclid(std::f64::consts::TAU);
                let bin = ((between * scale) as usize).min(ANGLE_BINS - 1);
                accumulator[entry.first as usize * ANGLE_BINS + bin] += 1;
            }
        }
    }
}

fn collect_peaks(accumulator: &[u32], model: &[OrientedPoint], first: &OrientedPoint, peaks: &mut Vec<Peak>) {
    // A pose near a bin border splits its votes, so each bin gets half the votes of its neighbours (all counts
    // doubled).
    let smooth = |slot: usize| {
        let (point, bin) = (slot / ANGLE_BINS, slot % ANGLE_BINS);
        let at = |bin: usize| accumulator[point * ANGLE_BINS + bin % ANGLE_BINS];
        2 * at(bin) + at(bin + 1) + at(bin + ANGLE_BINS - 1)
    };
    let mut best: Vec<(u32, usize)> = Vec::with_capacity(MAX_PEAKS + 1);
    for (slot, &count) in accumulator.iter().enumerate() {
        // Empty bins are no peaks, whatever their neighbours hold.
        if count == 0 {
            continue;
        }
        let votes = smooth(slot);
        if best.len() < MAX_PEAKS || best.last().is_some_and(|last| votes > last.0) {
            let rank = best.partition_point(|other| other.0 >= votes);
            best.insert(rank, (votes, slot));
            best.truncate(MAX_PEAKS);
        }
    }
    for (votes, slot) in best {
        let nominal = &model[slot / ANGLE_BINS];
        let angle = ((slot % ANGLE_BINS) as f64 + 0.5) * std::f64::consts::TAU / ANGLE_BINS as f64;
        peaks.push(Peak { model_from_scene: pose_of(nominal, first, angle), votes: f64::from(votes) });
    }
}

/// The pose that maps point and normal of `scene` onto those of `nominal`, with rotation `angle` (rad) about the
/// normal.
fn pose_of(nominal: &OrientedPoint, scene: &OrientedPoint, angle: f64) -> Pose {
    // `angle_about_normal` is atan2(-z, y): left-handed about x.
    let about_x = nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), -angle);
    let rotation = onto_x(&nominal.normal).inverse() * about_x * onto_x(&scene.normal);
    Pose::from_parts((nominal.point.coords - rotation * scene.point.coords).into(), rotation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Point;

    #[test]
    fn a_matching_pair_votes_for_the_true_pose() {
        let mut random = Random::new(1, 1);
        for _ in 0..100 {
            let truth = Pose::from_parts(Vector::new(4.0, -7.0, 9.0).into(), random.rotation());
            let mut draw = || OrientedPoint {
                point: Point::new(random.normal(), random.normal(), random.normal()) * 10.0,
                normal: random.rotation() * Vector::z(),
            };
            let (nominal_first, nominal_second) = (draw(), draw());
            let back = |p: &OrientedPoint| OrientedPoint {
                point: truth.inverse() * p.point,
                normal: truth.rotation.inverse() * p.normal,
            };
            let (scene_first, scene_second) = (back(&nominal_first), back(&nominal_second));
            let angle =
                angle_about_normal(&nominal_first, &nominal_second) - angle_about_normal(&scene_first, &scene_second);
            let pose = pose_of(&nominal_first, &scene_first, angle);
            assert!((pose.inverse() * truth).translation.vector.norm() < 1e-9);
            assert!(pose.rotation.angle_to(&truth.rotation) < 1e-9);
        }
    }
}
