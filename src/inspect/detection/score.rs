//! How well poses of a part explain a scene: what of the part is seen, hidden, or missing where it should be seen.

use rayon::prelude::*;

use super::model::PartModel;
use super::placement::Placement;
use super::scene::Scene;
use super::segments;
use base::{Progress, Result};
pub use compute::pose_scores::MIN_AGREEMENT;
use compute::pose_scores::{MIN_FACING, Request, Terms};
use compute::{Backend, Compute};
use geometry::point_pairs::OrientedPoint;
use geometry::{Point, Pose, Vector};

/// Least cosine between the normal of a point and of the part that it lies on.
const MIN_COSINE: f64 = 0.3;
/// Points by which it is told about how much of the pieces under a part it covers.
const ROUGH_POINTS: usize = 2_000;

/// Judges poses by about `count` probes; a probe is explained within the tolerance of its pose, mm.
pub fn judge(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    scene: &Scene,
    scene_from_part: &[Pose],
    tolerances_mm: &[f64],
    count: usize,
    progress: &Progress,
) -> Result<Vec<Terms>> {
    let step = (model.probes.points.len() / count.max(1)).max(1);
    match &scene.image {
        Some(image) => {
            let request = Request {
                probes: &model.probes,
                step,
                image,
                scene: &scene.points,
                is_background: &scene.is_background,
                scene_from_part,
                tolerances_mm,
            };
            backend.compute(&request, progress)
        }
        None => {
            let probes: Vec<OrientedPoint> = model.probes.points.iter().step_by(step).copied().collect();
            let poses = scene_from_part.par_iter().zip(tolerances_mm);
            Ok(poses.map(|(pose, &tolerance_mm)| judge_around(scene, &probes, pose, tolerance_mm)).collect())
        }
    }
}

/// Judges a pose where the sensor's position is not known: by what lies around the probes.
fn judge_around(scene: &Scene, probes: &[OrientedPoint], scene_from_part: &Pose, tolerance_mm: f64) -> Terms {
    let mut terms = Terms::default();
    for probe in probes {
        let (point, normal) = (scene_from_part * probe.point, scene_from_part.rotation * probe.normal);
        let Some((index, _)) = scene.nearest(&point, tolerance_mm) else { continue };
        if !scene.is_background[index as usize] {
            let agrees = scene.cosine(index, &normal) >= MIN_AGREEMENT;
            *(if agrees { &mut terms.explained } else { &mut terms.tilted }) += 1;
        }
    }
    // One position sees about half of a part; what else is missing may be hidden.
    terms.facing = (probes.len() as u32 / 2).max(terms.explained + terms.tilted);
    terms.unknown = terms.facing - terms.explained - terms.tilted;
    terms
}

/// Whether the sensor would see a point of a part's shape if nothing else were there; true if its position is not known.
pub fn faces(model: &PartModel<'_>, scene: &Scene, placement: &Placement, own: &OrientedPoint) -> bool {
    let Some(image) = &scene.image else { return true };
    let sensor = placement.in_part(&image.viewpoint);
    own.normal.dot(&(sensor - own.point).normalize()) >= MIN_FACING
        && !model.surface.is_blocked(&sensor, &own.point, 1e-4 * model.diameter_mm)
}

/// Indices of the scene's points that lie on a part in a pose, ascending; and the share of the pieces under it that these cover, see
/// [`segments::coverage`].
pub fn explained(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose, tolerance_mm: f64) -> (Vec<u32>, f64) {
    explained_of(model, scene, scene_from_part, tolerance_mm, usize::MAX)
}

/// The share of the pieces under a part that it covers, by some of the points about it.
pub fn about_coverage(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose, tolerance_mm: f64) -> f64 {
    explained_of(model, scene, scene_from_part, tolerance_mm, ROUGH_POINTS).1
}

/// As [`explained`], of at most about so many of the points about it.
fn explained_of(
    model: &PartModel<'_>,
    scene: &Scene,
    scene_from_part: &Pose,
    tolerance_mm: f64,
    max_points: usize,
) -> (Vec<u32>, f64) {
    let centre: Point = scene_from_part * model.centre();
    let mut near = scene.near(&centre, 0.5 * model.diameter_mm + tolerance_mm);
    if near.len() > max_points {
        let step = near.len().div_ceil(max_points);
        near = near.into_iter().step_by(step).collect();
    }
    let part_from_scene = scene_from_part.inverse();
    let lies_on_it = |index: &u32| {
        let own = scene.points[*index as usize];
        let nearest = || model.lattice.nearest(&(part_from_scene * own.point), tolerance_mm);
        let agrees = |normal: Vector| nearest().is_some_and(|near| near.cosine(&normal, scene.oriented) > MIN_COSINE);
        !scene.is_background[*index as usize] && agrees(part_from_scene.rotation * own.normal)
    };
    let mut points: Vec<u32> = near.iter().copied().filter(lies_on_it).collect();
    points.sort_unstable();
    let coverage = segments::coverage(&scene.pieces, &near, &points);
    (points, coverage)
}
