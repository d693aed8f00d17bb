//! Poses of a part that the point pairs of a scene vote for, and their clusters: pairs of points of its surface, and pairs of
//! points on the rims of its faces. Of one plane, surface pairs tell nothing; its outline does.

use super::model::{Pairs, PartModel};
use base::{Progress, Result};
use compute::pose_votes::{Peak, Request};
use compute::{Backend, Compute};
use geometry::Pose;
use geometry::point_pairs::OrientedPoint;

/// Greatest number of points whose pairs vote.
const MAX_REFERENCES: usize = 1_200;
/// Peaks that are clustered.
const MAX_PEAKS: usize = 4_000;
/// Greatest number of clusters of surface pairs, and of pairs of rims.
const MAX_CLUSTERS: usize = 120;
const MAX_RIM_CLUSTERS: usize = 60;
/// Poses of one cluster: share of the diameter, and rotation.
const SAME_POSITION: f64 = 0.1;
const SAME_ROTATION_RAD: f64 = 0.26;

/// A pose with votes.
#[derive(Clone, Copy, Debug)]
pub struct Hypothesis {
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// Votes of its cluster.
    pub votes: f64,
}

/// The poses with the most votes of some points of the scene and of some rims in it, of either best first.
pub fn find(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    points: &[OrientedPoint],
    oriented: bool,
    rims: &[OrientedPoint],
    progress: &Progress,
) -> Result<Vec<Hypothesis>> {
    let (of_surface, of_rims) = (&model.pairs, &model.rim_pairs);
    let mut found = voted(backend, model, of_surface, points, oriented, MAX_CLUSTERS, progress)?;
    found.extend(voted(backend, model, of_rims, rims, true, MAX_RIM_CLUSTERS, progress)?);
    Ok(found)
}

fn voted(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    pairs: &Pairs,
    points: &[OrientedPoint],
    oriented: bool,
    max_clusters: usize,
    progress: &Progress,
) -> Result<Vec<Hypothesis>> {
    if pairs.points.len() < 2 || points.len() < 2 {
        return Ok(Vec::new());
    }
    let step = points.len().div_ceil(MAX_REFERENCES).max(1);
    let references: Vec<u32> = (0..points.len() as u32).step_by(step).collect();
    let request =
        Request { table: &pairs.table, model: &pairs.points, scene: points, references: &references, oriented };
    let mut peaks = backend.compute(&request, progress)?;
    // Stable, and the peaks come in the order of the reference points: the same for any number of threads.
    peaks.sort_by(|a, b| b.votes.total_cmp(&a.votes));
    peaks.truncate(MAX_PEAKS);
    Ok(cluster(model, &peaks, max_clusters))
}

/// Peaks near each other, each cluster at the mean of its poses.
fn cluster(model: &PartModel<'_>, peaks: &[Peak], max_clusters: usize) -> Vec<Hypothesis> {
    let centre = model.centre();
    struct Cluster {
        first: Pose,
        first_centre: geometry::Point,
        position: geometry::Vector,
        rotation: nalgebra::Vector4<f64>,
        votes: f64,
    }
    let limit_mm2 = (SAME_POSITION * model.diameter_mm).powi(2);
    // Of two unit quaternions: cosine of half the angle between the rotations.
    let least_cosine = (0.5 * SAME_ROTATION_RAD).cos();
    let mut clusters: Vec<Cluster> = Vec::new();
    for peak in peaks {
        let pose = peak.model_from_scene.inverse();
        let at = pose * centre;
        let quaternion = pose.rotation.coords;
        let near = clusters.iter_mut().find(|own| {
            (at - own.first_centre).norm_squared() < limit_mm2
                && own.first.rotation.coords.dot(&quaternion).abs() > least_cosine
        });
        match near {
            Some(own) => {
                let sign = own.first.rotation.coords.dot(&quaternion).signum();
                own.position += at.coords * peak.votes;
                own.rotation += quaternion * (sign * peak.votes);
                own.votes += peak.votes;
            }
            None => clusters.push(Cluster {
                first: pose,
                first_centre: at,
                position: at.coords * peak.votes,
                rotation: quaternion * peak.votes,
                votes: peak.votes,
            }),
        }
    }
    clusters.sort_by(|a, b| b.votes.total_cmp(&a.votes));
    clusters.truncate(max_clusters);
    clusters
        .iter()
        .map(|own| {
            let rotation = nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::from(own.rotation));
            let position = own.position / own.votes;
            let scene_from_part = Pose::from_parts((position - rotation * centre.coords).into(), rotation);
            Hypothesis { scene_from_part, votes: own.votes }
        })
        .collect()
}
