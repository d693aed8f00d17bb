//! Votes of the scan's point pairs for poses, and their clusters.

use base::{Progress, Result};
use compute::Compute;
use compute::cpu::Cpu;
use compute::pose_votes::{Peak, Request};
use geometry::Aabb;
use geometry::Pose;
use geometry::point_pairs::{OrientedPoint, PairTable};

/// Approximate number of scan points whose pairs vote.
const REFERENCES: usize = 360;
/// Maximum number of clusters returned.
const MAX_CLUSTERS: usize = 80;

/// Maximum number of poses returned per cluster: poses that differ by one tooth or pitch of a part are no farther apart
/// than a cluster is wide.
const MAX_CLUSTER_POSES: usize = 4;

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
        let references: Vec<u32> = (0..self.scene.len() as u32).step_by(step).collect();
        let Self { table, model, scene, oriented, .. } = *self;
        let request = Request { table, model, scene, references: &references, oriented };
        let mut peaks = Cpu.compute(&request, progress)?;
        // Deterministic regardless of threads: the sort is stable and the peaks are collected by reference point.
        peaks.sort_by(|a, b| b.votes.total_cmp(&a.votes));
        Ok(cluster(&peaks, bounds, self.spacing_mm))
    }
}

fn cluster(peaks: &[Peak], bounds: &Aabb, spacing_mm: f64) -> Vec<Pose> {
    let centre = bounds.centre();
    // Positions are compared at the nominal's centre in the scan frame, so that the scan's origin does not matter.
    let centre_in_scan = |peak: &Peak| peak.model_from_scene.inverse_transform_point(&centre);
    let are_near = |a: &Peak, b: &Peak, mm: f64, degrees: f64| {
        (centre_in_scan(a) - centre_in_scan(b)).norm() < mm
            && a.model_from_scene.rotation.angle_to(&b.model_from_scene.rotation) < degrees.to_radians()
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
    clusters.iter().flat_map(|(_, members)| members.iter().map(|member| member.model_from_scene)).collect()
}
