//! Votes of the scan's pairs for poses, and their clusters.

use rayon::prelude::*;

use super::OrientedPoint;
use super::pair_table::{PairTable, onto_x, shape, turn};
use base::{Progress, Result};
use geometry::{Aabb, Pose, Vector};

/// Scan points whose pairs vote.
const REFERENCES: usize = 360;
/// Steps of the turn about the normal.
const TURN_STEPS: usize = 30;
/// Peaks kept of each reference point.
const PEAKS: usize = 4;
/// Clusters handed on.
const KEPT: usize = 80;

/// Poses of one cluster handed on: neighbours by a tooth or a pitch are no further apart than the cluster is wide.
const MEMBERS: usize = 4;

/// A pose and how many votes it has.
#[derive(Clone, Copy, Debug)]
struct Peak {
    pose: Pose,
    votes: f64,
}

/// What is voted on.
pub(super) struct Ballot<'a> {
    /// Pairs of the nominal.
    pub table: &'a PairTable,
    /// Points of the nominal.
    pub model: &'a [OrientedPoint],
    /// Points of the scan.
    pub scene: &'a [OrientedPoint],
    /// Whether the scan's normals know their sign.
    pub oriented: bool,
    /// Distance between the nominal's points, mm.
    pub spacing_mm: f64,
}

impl Ballot<'_> {
    /// The most voted poses of the scan on the nominal, best first.
    pub fn hypotheses(&self, bounds: &Aabb, progress: &Progress) -> Result<Vec<Pose>> {
        let step = (self.scene.len() / REFERENCES).max(1);
        let references: Vec<usize> = (0..self.scene.len()).step_by(step).collect();
        let counter = progress.counter(references.len(), "Looking for the part's pose");
        let mut peaks: Vec<Peak> = references
            .par_iter()
            .map_init(
                || vec![0_u32; self.model.len() * TURN_STEPS],
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
        // A stable order whatever the threads did: votes first, the rest as collected (by reference).
        peaks.sort_by(|a, b| b.votes.total_cmp(&a.votes));
        Ok(cluster(&peaks, bounds, self.spacing_mm))
    }
}

fn vote(table: &PairTable, first: &OrientedPoint, scene: &[OrientedPoint], oriented: bool, accumulator: &mut [u32]) {
    let scale = TURN_STEPS as f64 / std::f64::consts::TAU;
    let reach = table.reach_mm();
    for other in scene {
        let signs: &[f64] = if oriented { &[1.0] } else { &[1.0, -1.0] };
        for sign in signs {
            let second = OrientedPoint { normal: other.normal * *sign, ..*other };
            let Some((distance, angles)) = shape(first, &second).filter(|(distance, _)| *distance < reach) else {
                continue;
            };
            let similar = table.similar(distance, angles);
            if similar.is_empty() {
                continue;
            }
            let scene_turn = turn(first, &second);
            for entry in similar {
                let between = (f64::from(entry.angle) - scene_turn).rem_euclid(std::f64::consts::TAU);
                let bin = ((between * scale) as usize).min(TURN_STEPS - 1);
                accumulator[entry.first as usize * TURN_STEPS + bin] += 1;
            }
        }
    }
}

fn collect_peaks(accumulator: &[u32], model: &[OrientedPoint], first: &OrientedPoint, peaks: &mut Vec<Peak>) {
    // A pose near a border between two turns splits its votes: each bin counts half of its neighbours.
    let smooth = |slot: usize| {
        let (point, bin) = (slot / TURN_STEPS, slot % TURN_STEPS);
        let at = |bin: usize| accumulator[point * TURN_STEPS + bin % TURN_STEPS];
        2 * at(bin) + at(bin + 1) + at(bin + TURN_STEPS - 1)
    };
    let mut best: Vec<(u32, usize)> = Vec::with_capacity(PEAKS + 1);
    for (slot, &count) in accumulator.iter().enumerate() {
        // The smoothed count is at most four times the largest neighbour; skip what cannot enter.
        if count == 0 {
            continue;
        }
        let votes = smooth(slot);
        if best.len() < PEAKS || best.last().is_some_and(|last| votes > last.0) {
            let place = best.partition_point(|other| other.0 >= votes);
            best.insert(place, (votes, slot));
            best.truncate(PEAKS);
        }
    }
    for (votes, slot) in best {
        let nominal = &model[slot / TURN_STEPS];
        let angle = ((slot % TURN_STEPS) as f64 + 0.5) * std::f64::consts::TAU / TURN_STEPS as f64;
        peaks.push(Peak { pose: pose_of(nominal, first, angle), votes: f64::from(votes) });
    }
}

/// The pose that brings `scene` onto `nominal`, normals along x, turned by `angle` about it.
fn pose_of(nominal: &OrientedPoint, scene: &OrientedPoint, angle: f64) -> Pose {
    // `turn` measures atan2(-z, y), which runs against the right hand about x.
    let about_x = nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), -angle);
    let rotation = onto_x(&nominal.normal).inverse() * about_x * onto_x(&scene.normal);
    Pose::from_parts((nominal.point.coords - rotation * scene.point.coords).into(), rotation)
}

fn cluster(peaks: &[Peak], bounds: &Aabb, spacing_mm: f64) -> Vec<Pose> {
    let centre = bounds.centre();
    // Where each pose puts the nominal's centre in the scan compares poses at the part, wherever the scan's origin is.
    let place = |peak: &Peak| peak.pose.inverse_transform_point(&centre);
    let are_near = |a: &Peak, b: &Peak, mm: f64, degrees: f64| {
        (place(a) - place(b)).norm() < mm && a.pose.rotation.angle_to(&b.pose.rotation) < degrees.to_radians()
    };
    let mut clusters: Vec<(f64, Vec<Peak>)> = Vec::new();
    for peak in peaks {
        let close =
            clusters.iter().position(|(_, members)| are_near(&members[0], peak, 0.08 * bounds.diagonal(), 15.0));
        match close {
            Some(cluster) => {
                let (votes, members) = &mut clusters[cluster];
                *votes += peak.votes;
                if members.len() < MEMBERS && !members.iter().any(|other| are_near(other, peak, 2.0 * spacing_mm, 5.0))
                {
                    members.push(*peak);
                }
            }
            None if clusters.len() < 600 => clusters.push((peak.votes, vec![*peak])),
            None => {}
        }
    }
    clusters.sort_by(|a, b| b.0.total_cmp(&a.0));
    clusters.truncate(KEPT);
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
            let angle = turn(&nominal_first, &nominal_second) - turn(&scene_first, &scene_second);
            let pose = pose_of(&nominal_first, &scene_first, angle);
            assert!((pose.inverse() * truth).translation.vector.norm() < 1e-9);
            assert!(pose.rotation.angle_to(&truth.rotation) < 1e-9);
        }
    }
}
