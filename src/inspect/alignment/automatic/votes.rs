//! Votes of the scan's point pairs for poses, and their clusters.

use rayon::prelude::*;

use super::OrientedPoint;
use super::pair_table::{PairTable, angle_about_normal, onto_x, pair_feature};
use base::{Progress, Result};
use geometry::{Aabb, Pose, Vector};

/// Approximate number of scan points whose pairs vote.
const REFERENCES: usize = 360;
/// Bins of the angle about the normal.
const ANGLE_BINS: usize = 30;
/// Maximum number of peaks per reference point.
const MAX_PEAKS: usize = 4;
/// Maximum number of clusters returned.
const MAX_CLUSTERS: usize = 80;

/// Maximum number of poses returned per cluster: poses that differ by one tooth or pitch of a part are no farther apart
/// than a cluster is wide.
const MAX_CLUSTER_POSES: usize = 4;

/// A pose and its number of votes.
#[derive(Clone, Copy, Debug)]
struct Peak {
    pose: Pose,
    votes: f64,
}

/// Input of the vote.
pub(super) struct Ballot<'a> {
    /// Point pairs of the nominal.
    pub table: &'a PairTable,
    /// Points of the nominal.
    pub model: &'a [OrientedPoint],
    /// Points of the scan.
    pub scene: &'a [OrientedPoint],
    /// Whether the scan's normals are consistently oriented.
    pub oriented: bool,
    /// Spacing of the nominal's points, mm.
    pub spacing_mm: f64,
}

impl Ballot<'_> {
    /// Poses of the scan on the nominal with the most votes, best first.
    pub fn hypotheses(&self, bounds: &Aabb, progress: &Progress) -> Result<Vec<Pose>> {
        let step = (self.scene.len() / REFERENCES).max(1);
        let references: Vec<usize> = (0..self.scene.len()).step_by(step).collect();
        let counter = progress.counter(references.len(), "Searching for the part's pose");
        let mut peaks: Vec<Peak> = references
            .par_iter()
            .map_init(
                || vec![0_u32; self.model.len() * ANGLE_BINS],
                |accumulator, &reference| {
                    if !counter.step() {
                        return Vec::new();
                    }
                    let signs: &[f64] = if self.oriented { &[1.0] } else { &[1.0, -1.0] };
                    let mut peaks = Vec::new();
                    for sign in signs {
                        let first =
                            OrientedPoint { normal: self.scene[reference].normal * *sign, ..self.scene[reference] };
                        accumulator.fill(0);
                        vote(self.table, &first, self.scene, self.oriented, accumulator);
                        collect_peaks(accumulator, self.model, &first, &mut peaks);
                    }
                    peaks
                },
            )
            .flatten_iter()
            .collect();
        progress.check()?;
        // Deterministic regardless of threads: the sort is stable and the peaks are collected by reference point.
        peaks.sort_by(|a, b| b.votes.total_cmp(&a.votes));
        Ok(cluster(&peaks, bounds, self.spacing_mm))
    }
}

fn vote(table: &PairTable, first: &OrientedPoint, scene: &[OrientedPoint], oriented: bool, accumulator: &mut [u32]) {
    let scale = ANGLE_BINS as f64 / std::f64::consts::TAU;
    let reach = table.reach_mm();
    for other in scene {
        let signs: &[f64] = if oriented { &[1.0] } else { &[1.0, -1.0] };
        for sign in signs {
            let second = OrientedPoint { normal: other.normal * *sign, ..*other };
            let Some((distance, angles)) = pair_feature(first, &second).filter(|(distance, _)| *distance < reach)
            else {
                continue;
            };
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
        peaks.push(Peak { pose: pose_of(nominal, first, angle), votes: f64::from(votes) });
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

fn cluster(peaks: &[Peak], bounds: &Aabb, spacing_mm: f64) -> Vec<Pose> {
    let centre = bounds.centre();
    // Positions are compared at the nominal's centre in the scan frame, so that the scan's origin does not matter.
    let centre_in_scan = |peak: &Peak| peak.pose.inverse_transform_point(&centre);
    let are_near = |a: &Peak, b: &Peak, mm: f64, degrees: f64| {
        (centre_in_scan(a) - centre_in_scan(b)).norm() < mm
            && a.pose.rotation.angle_to(&b.pose.rotation) < degrees.to_radians()
    };
    let mut clusters: Vec<(f64, Vec<Peak>)> = Vec::new();
    for peak in peaks {
        let close =
            clusters.iter().position(|(_, members)| are_near(&members[0], peak, 0.08 * bounds.diagonal(), 15.0));
        match close {
            Some(cluster) => {
                let (votes, members) = &mut clusters[cluster];
                *votes += peak.votes;
                if members.len() < MAX_CLUSTER_POSES
                    && !members.iter().any(|other| are_near(other, peak, 2.0 * spacing_mm, 5.0))
                {
                    members.push(*peak);
                }
            }
            None if clusters.len() < 600 => clusters.push((peak.votes, vec![*peak])),
            None => {}
        }
    }
    clusters.sort_by(|a, b| b.0.total_cmp(&a.0));
    clusters.truncate(MAX_CLUSTERS);
    clusters.iter().flat_map(|(_, members)| members.iter().map(|member| member.pose)).collect()
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
