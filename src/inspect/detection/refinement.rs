//! Poses brought onto the scene: many at once about where they are, then the best of them exactly.

use super::model::PartModel;
use super::scene::Scene;
use crate::alignment::Alignment;
use crate::alignment::best_fit::{self, Parameters, Problem};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::pose_refinement::Request;
use compute::registration::Target;
use compute::{Backend, Compute};
use geometry::Pose;
use geometry::point_pairs::OrientedPoint;

/// Points of the scene that a pose is fitted to, at first and at last.
const COARSE_POINTS: usize = 400;
const FINE_POINTS: usize = 1_000;
/// Greatest distance of these points from the part, as a share of its diameter: where many poses begin and end, and where
/// the best are fitted.
const COARSE_GATES: [f64; 2] = [0.06, 0.02];
const FINE_GATE: f64 = 0.02;
const LAST_GATE: f64 = 0.008;
/// Most steps of a fit of many poses.
const STEPS: usize = 15;
/// Least cosine between the normals of a point and of the part.
const MIN_COSINE: f64 = 0.5;

/// How closely many poses are fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closeness {
    /// Poses as they were voted for.
    Coarse,
    /// Poses that were fitted before.
    Fine,
}

/// Fits many poses at once to some points of the scene; `None` where too few lie about one.
pub fn of_many(
    backend: &dyn Backend,
    model: &PartModel<'_>,
    scene: &Scene,
    points: &[OrientedPoint],
    scene_from_part: &[Pose],
    closeness: Closeness,
    progress: &Progress,
) -> Result<Vec<Option<(Pose, f64)>>> {
    let diameter_mm = model.diameter_mm;
    let (gates_mm, max_points) = match closeness {
        Closeness::Coarse => (COARSE_GATES.map(|share| share * diameter_mm), COARSE_POINTS),
        Closeness::Fine => {
            let first = fine_gate_mm(model, scene);
            ([first, (LAST_GATE * diameter_mm).max(2.0 * scene.spacing_mm).min(first)], FINE_POINTS)
        }
    };
    let starts: Vec<Pose> = scene_from_part.iter().map(Pose::inverse).collect();
    let request = Request {
        lattice: &model.lattice,
        centre: model.centre(),
        radius_mm: 0.5 * diameter_mm,
        scene: points,
        oriented: scene.oriented,
        part_from_scene: &starts,
        gates_mm,
        min_cosine: MIN_COSINE,
        max_points,
        max_steps: STEPS,
        step_limit_mm: 1e-4 * diameter_mm,
    };
    let fitted = backend.compute(&request, progress)?;
    Ok(fitted.into_iter().map(|own| own.map(|own| (own.part_from_scene.inverse(), own.rms_mm))).collect())
}

/// Fits the pose of a candidate to the facets themselves. Returns an error if there are too few points about it.
pub fn fine(model: &PartModel<'_>, scene: &Scene, scene_from_part: &Pose, progress: &Progress) -> Result<Alignment> {
    let (gate_mm, count, max_iterations) = (fine_gate_mm(model, scene), FINE_POINTS, 20);
    let near = scene.near(&(scene_from_part * model.centre()), 0.5 * model.diameter_mm + gate_mm);
    // Of what lies around, only what may belong to the part.
    let part_from_scene = scene_from_part.inverse();
    let is_near = |index: &&u32| {
        let point = part_from_scene * scene.points[**index as usize].point;
        model.is_near(&point, 1.5 * gate_mm)
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
    best_fit::run(&Cpu, &problem, &part_from_scene, &parameters, progress, &mut |_, _| ())
}

fn fine_gate_mm(model: &PartModel<'_>, scene: &Scene) -> f64 {
    (FINE_GATE * model.diameter_mm).max(3.0 * scene.spacing_mm)
}
