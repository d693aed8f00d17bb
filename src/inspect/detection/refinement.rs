//! Poses brought onto the scene: many at once about where they are, then the best of them exactly.

use super::model::PartModel;
use super::scene::Scene;
use crate::alignment::Alignment;
use crate::alignment::best_fit::{self, Parameters, Problem, Start};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::pose_refinement::Request;
use compute::registration::Target;
use compute::{Backend, Compute};
use geometry::point_pairs::OrientedPoint;
use geometry::{OrderedPoints, Point, Pose, Vector};

/// Points of the scene that a pose is fitted to, at first and at last.
const COARSE_POINTS: usize = 400;
const FINE_POINTS: usize = 1_000;
/// Greatest distance of these points from the part, as a share of its diameter: where a coarse fit begins and ends, and where
/// a fine one does.
const COARSE_GATES: [f64; 2] = [0.06, 0.02];
const FINE_GATE: f64 = 0.02;
const LAST_GATE: f64 = 0.004;
/// Least of the last of these, in standard deviations of the points.
const LAST_GATE_SIGMAS: f64 = 6.0;
/// Steps of the last fit, which begins where a fine one ended, and least scatter that it takes the points for, as a share of the
/// diameter.
const LAST_STEPS: usize = 4;
const SCALE_FLOOR: f64 = 3e-4;
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
            ([first, last_gate_mm(model, scene).min(first)], FINE_POINTS)
        }
    };
    let starts: Vec<Pose> = scene_from_part.iter().map(Pose::inverse).collect();
    let request = Request {
        lattice: &model.lattice,
        centre: model.centre(),
        radius_mm: 0.5 * diameter_mm,
        scene: points,
        oriented: scene.oriented,
        is_rough: closeness == Closeness::Coarse,
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

/// Fits the pose of a candidate that was fitted among many once more, by weights that follow the scatter of its points: for what
/// that says of it. Returns an error if there are too few of the points about it.
pub fn last(
    model: &PartModel<'_>,
    scene: &Scene,
    points: &[OrientedPoint],
    scene_from_part: &Pose,
    progress: &Progress,
) -> Result<Alignment> {
    let gate_mm = fine_gate_mm(model, scene);
    // Of what lies around, only what may belong to the part.
    let part_from_scene = scene_from_part.inverse();
    let close: Vec<&OrientedPoint> =
        points.iter().filter(|own| model.is_near(&(part_from_scene * own.point), 1.5 * gate_mm)).collect();
    let step = close.len().div_ceil(FINE_POINTS).max(1);
    let few = close.into_iter().step_by(step);
    let (points, normals): (Vec<Point>, Vec<Vector>) = few.map(|own| (own.point, own.normal)).unzip();
    let points = OrderedPoints::new(&points);
    let problem = Problem {
        target: Target::Surface(model.surface),
        bounds: *model.surface.bounds(),
        points: &points,
        normals: &normals,
        oriented: scene.oriented,
    };
    let parameters = Parameters {
        max_distance_mm: Some(gate_mm),
        max_iterations: LAST_STEPS,
        coarse_to_fine: false,
        leaves_minima: false,
        step_limit_mm: 1e-4 * model.diameter_mm,
        change_limit: 1e-4,
        ..Parameters::default()
    };
    let start = Start { pose: part_from_scene, gate_mm, scale_floor_mm: SCALE_FLOOR * model.diameter_mm };
    best_fit::run_from(&Cpu, &problem, &start, &parameters, progress, &mut |_, _| ())
}

fn last_gate_mm(model: &PartModel<'_>, scene: &Scene) -> f64 {
    (LAST_GATE * model.diameter_mm).max(LAST_GATE_SIGMAS * scene.noise_mm)
}

fn fine_gate_mm(model: &PartModel<'_>, scene: &Scene) -> f64 {
    (FINE_GATE * model.diameter_mm).max(3.0 * scene.spacing_mm)
}
