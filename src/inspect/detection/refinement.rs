//! Poses brought onto the scene: a best fit of the points around each, coarse first.

use super::model::PartModel;
use super::scene::Scene;
use crate::alignment::Alignment;
use crate::alignment::best_fit::{self, Parameters, Problem};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::registration::Target;
use geometry::Pose;

/// Points of the scene that a pose is fitted to, at first and at last.
const COARSE_POINTS: usize = 400;
const FINE_POINTS: usize = 2_500;
/// Greatest distance of these points from the part at first, as a share of its diameter.
const COARSE_GATE: f64 = 0.06;
const FINE_GATE: f64 = 0.02;

/// Fits a pose of many: few points, few iterations.
pub fn coarse(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose) -> Option<Pose> {
    let gate_mm = COARSE_GATE * model.diameter_mm;
    let fitted = fit(model, scene, scene_from_part, gate_mm, COARSE_POINTS, 15).ok()?;
    Some(fitted.nominal_from_scan.inverse())
}

/// Fits the pose of a candidate. Returns an error if there are too few points about it.
pub fn fine(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose) -> Result<Alignment> {
    let gate_mm = (FINE_GATE * model.diameter_mm).max(3.0 * scene.spacing_mm);
    fit(model, scene, scene_from_part, gate_mm, FINE_POINTS, 40)
}

fn fit(
    model: &PartModel<'_>,
    scene: &Scene,
    scene_from_part: &Pose,
    gate_mm: f64,
    count: usize,
    max_iterations: usize,
) -> Result<Alignment> {
    let near = scene.near(&(scene_from_part * model.centre()), 0.5 * model.diameter_mm + gate_mm);
    // Of what lies around, only what may belong to the part.
    let part_from_scene = scene_from_part.inverse();
    let is_near = |index: &&u32| {
        let point = part_from_scene * scene.points[**index as usize].point;
        model.surface.closest_point(&point, 1.5 * gate_mm).is_some()
    };
    let step = (near.len() / (4 * count)).max(1);
    let close: Vec<u32> = near.iter().step_by(step).filter(is_near).copied().collect();
    let step = close.len().div_ceil(count).max(1);
    let few: Vec<u32> = close.into_iter().step_by(step).collect();
    let (points, normals) = scene.ordered(&few);
    let problem = Problem {
        target: Target::Surface(model.surface),
        bounds: *model.surface.bounds(),
        points: &points,
        normals: &normals,
        oriented: scene.oriented,
    };
    let parameters = Parameters {
        max_distance_mm: Some(gate_mm),
        max_iterations,
        coarse_to_fine: false,
        step_limit_mm: 1e-4 * model.diameter_mm,
        change_limit: 1e-4,
        ..Parameters::default()
    };
    best_fit::run(&Cpu, &problem, &part_from_scene, &parameters, &Progress::silent(), &mut |_, _| ())
}
