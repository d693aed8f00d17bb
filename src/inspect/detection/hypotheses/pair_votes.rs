//! Poses that point pairs of a scene vote for.

use super::super::model::{Pairs, PartModel};
use super::{Evidence, Hypothesis, clusters};
use base::{Progress, Result};
use compute::pose_votes::Request;
use compute::{Backend, Compute};
use geometry::point_pairs::OrientedPoint;

/// Greatest number of points whose pairs vote.
const MAX_REFERENCES: usize = 1_200;
/// Peaks that are clustered.
const MAX_PEAKS: usize = 4_000;
/// Greatest number of clusters of surface pairs, and of pairs of rims.
const MAX_CLUSTERS: usize = 120;
const MAX_RIM_CLUSTERS: usize = 60;

/// The poses with the most votes: of pairs of points of the surface, and of pairs of points on the rims of its faces. Of one
/// plane, surface pairs tell nothing; its outline does.
pub fn find(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    evidence: &Evidence<'_>,
    progress: &Progress,
) -> Result<Vec<Hypothesis>> {
    let Evidence { points, rims, oriented, .. } = *evidence;
    let mut found = voted(backend, model, &model.pairs, points, oriented, MAX_CLUSTERS, progress)?;
    found.extend(voted(backend, model, &model.rim_pairs, rims, true, MAX_RIM_CLUSTERS, progress)?);
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
    let votes = peaks.iter().map(|own| (own.model_from_scene.inverse(), own.votes));
    Ok(clusters(model, votes, max_clusters).iter().map(|own| own.mean(model)).collect())
}
