//! Global registration of several overlapping views of one part whose poses are roughly known.
//!
//! Every two views that overlap are compared in both directions, point to plane at the closest point of the other view
//! (Chen and Medioni 1991). The steps of all views are solved together (after Bergevin et al. 1996 and Pulli 1999), so
//! that errors do not accumulate from view to view. Degrees of freedom that the surfaces do not determine, such as
//! sliding along a plane, keep their given values: the given poses enter as observations with their stated standard
//! deviations. If these are stated too large, views whose poses were correct end as far apart as sensor errors differ
//! from view to view, about a hundredth of a millimetre.

mod equations;

use equations::{NormalEquations, determined_part};
use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use compute::registration::{Metric, Problem, Registration, Robust, Step, Target};
use compute::{Backend, Compute, neighbourhoods};
use geometry::{Aabb, Cloud, OrderedPoints, Point, Pose, SearchablePoints, Vector, normals, thinning, transform};

/// Standard uncertainty of the given poses of the views.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// Standard deviation of each coordinate of a view's centre, mm.
    pub shift_sigma_mm: f64,
    /// Standard deviation of a view's rotation about each axis, degrees.
    pub turn_sigma_deg: f64,
}

/// Typical of poses from a good sensor calibration.
impl Default for Parameters {
    fn default() -> Self {
        Self { shift_sigma_mm: 0.05, turn_sigma_deg: 0.01 }
    }
}

impl Parameters {
    /// Returns an error if a standard deviation is out of range.
    pub fn check(&self) -> Result<()> {
        let is_valid = |sigma: f64, max: f64| sigma > 0.0 && sigma <= max;
        if is_valid(self.shift_sigma_mm, 100.0) && is_valid(self.turn_sigma_deg, 10.0) {
            return Ok(());
        }
        Err(UserError::usage(
            "The standard deviations of the given poses must be above 0, and at most 100 mm and 10 degrees.",
        ))
    }
}

/// Result of a global registration.
#[derive(Clone, Debug)]
pub struct MultiViewResult {
    /// Correction of each view, common frame.
    pub moves: Vec<Pose>,
    /// Displacement of the centre of each view, mm.
    pub shifts_mm: Vec<f64>,
    /// Number of pairs of views that overlap.
    pub pairs: usize,
    /// Number of iterations.
    pub iterations: usize,
    /// Whether the iteration converged.
    pub converged: bool,
}

/// Maximum number of points per view: enough to represent its surface, few enough for many views.
const MAX_VIEW_POINTS: usize = 100_000;
/// Maximum number of points per view that are paired: sparse, since the noise of neighbouring points of a sensor is
/// correlated.
const SAMPLE_POINTS: usize = 4000;
/// Neighbours that a normal is fitted to.
const NORMAL_NEIGHBOURS: usize = 32;
/// Minimum number of point pairs for two views to count as overlapping.
const MIN_PAIRS: usize = 50;
/// Maximum distance of paired points in point spacings, not counting the error of the given poses.
const GATE_SPACINGS: f64 = 2.0;
/// Error of the given poses allowed for in the gate, in standard deviations.
const GATE_SIGMAS: f64 = 3.0;
/// Maximum angle between the normals of paired points, rad: keeps the two sides of a thin sheet apart.
const MAX_ANGLE_RAD: f64 = std::f64::consts::FRAC_PI_4;
const MAX_ITERATIONS: usize = 40;
/// The iteration ends when no corner of a view's box moves farther than this, mm.
const STEP_LIMIT_MM: f64 = 1e-4;

/// A view prepared for registration.
struct View {
    /// Points along a space-filling curve, with indices in that order.
    ordered: OrderedPoints,
    normals: Vec<Vector>,
    bounds: Aabb,
    spacing_mm: f64,
    /// Mean radius of the neighbourhoods that normals are fitted to, mm.
    reach_mm: f64,
    is_oriented: bool,
}

impl View {
    fn new(backend: &dyn Backend, cloud: &Cloud, progress: &Progress) -> Result<Self> {
        let all = OrderedPoints::new(&cloud.points);
        let kept: Vec<u32> =
            all.numbers.iter().copied().step_by(cloud.points.len().div_ceil(MAX_VIEW_POINTS).max(1)).collect();
        let sample = cloud.select(&kept);
        let searchable = SearchablePoints::new(&sample.points);
        let request = neighbourhoods::Request { points: &searchable, neighbours: NORMAL_NEIGHBOURS };
        let answers = backend.compute(&request, progress)?;
        let reach_mm = answers.iter().map(|answer| answer.reach_mm).sum::<f64>() / answers.len().max(1) as f64;
        let own_normals = normals::oriented_to_sensor(&sample, answers.iter().map(|answer| answer.normal).collect());
        Ok(Self {
            normals: own_normals,
            bounds: Aabb::of_points_parallel(&sample.points),
            spacing_mm: thinning::spacing_mm(searchable.tree(), &sample.points),
            reach_mm,
            is_oriented: normals::are_oriented(&sample),
            ordered: OrderedPoints { numbers: (0..sample.points.len() as u32).collect(), points: sample.points },
        })
    }

    fn lever_mm(&self) -> f64 {
        0.5 * self.bounds.diagonal()
    }

    /// Maximum distance of points of `source` from their closest points on this view, mm: allows for the point spacing
    /// and for the errors of both poses.
    fn gate_mm(&self, source: &Self, parameters: &Parameters) -> f64 {
        let rotation_mm = parameters.turn_sigma_deg.to_radians() * self.lever_mm().max(source.lever_mm());
        let pose_error_mm = std::f64::consts::SQRT_2 * parameters.shift_sigma_mm.hypot(rotation_mm);
        GATE_SPACINGS * self.spacing_mm + GATE_SIGMAS * pose_error_mm
    }

    /// Stride over the points that are paired.
    fn stride(&self) -> usize {
        self.ordered.points.len().div_ceil(SAMPLE_POINTS).max(1)
    }
}

/// Two overlapping views, by index: the points of `source` are paired with the closest points of `target`.
struct Pair<'a> {
    target: usize,
    source: usize,
    /// Maximum distance of paired points, mm.
    gate_mm: f64,
    registration: Box<dyn Registration + 'a>,
}

/// Corrects the poses of `views`, which are given in one frame, so that overlapping surfaces coincide. Corrections are
/// limited by the standard deviations of `parameters`.
///
/// Returns an error if a parameter is out of range, the equations are ill-conditioned, the backend fails or the work is
/// cancelled.
pub fn register(
    backend: &dyn Backend,
    views: &[&Cloud],
    parameters: &Parameters,
    progress: &Progress,
) -> Result<MultiViewResult> {
    parameters.check()?;
    let views = views.iter().enumerate().map(|(index, cloud)| {
        let fraction = |index: usize| 0.5 * index as f32 / views.len() as f32;
        progress.report(fraction(index), "Analysing the surfaces of the snapshots")?;
        View::new(backend, cloud, &progress.part(fraction(index), fraction(index + 1)))
    });
    let views: Vec<View> = views.collect::<Result<_>>()?;
    let trees: Vec<SearchablePoints<'_>> =
        views.iter().map(|view| SearchablePoints::new(&view.ordered.points)).collect();
    let mut pairs = Vec::new();
    for (target_index, target) in views.iter().enumerate() {
        for (source_index, source) in views.iter().enumerate() {
            let gate_mm = target.gate_mm(source, parameters);
            if target_index != source_index && target.bounds.grown(gate_mm).overlaps(&source.bounds) {
                let problem = Problem {
                    target: Target::Cloud {
                        points: &target.ordered.points,
                        tree: trees[target_index].tree(),
                        normals: &target.normals,
                    },
                    points: &source.ordered,
                    normals: &source.normals,
                    oriented: target.is_oriented && source.is_oriented,
                };
                let registration = backend.registration(problem);
                pairs.push(Pair { target: target_index, source: source_index, gate_mm, registration });
            }
        }
    }
    solve(&views, &mut pairs, parameters, progress)
}

fn solve(
    views: &[View],
    pairs: &mut [Pair<'_>],
    parameters: &Parameters,
    progress: &Progress,
) -> Result<MultiViewResult> {
    let bounds = views.iter().map(|view| view.bounds).reduce(|all, own| all.union(&own));
    let pivot = bounds.map_or_else(Point::origin, |bounds| bounds.centre());
    let mut result = MultiViewResult {
        moves: vec![Pose::identity(); views.len()],
        shifts_mm: vec![0.0; views.len()],
        pairs: 0,
        iterations: 0,
        converged: false,
    };
    while result.iterations < MAX_ITERATIONS {
        let fraction = 0.5 + 0.5 * result.iterations as f32 / MAX_ITERATIONS as f32;
        progress.report(fraction, "Global registration of snapshots")?;
        let mut equations = NormalEquations::new(views.len(), pivot);
        let mut overlapping = 0;
        for pair in pairs.iter_mut() {
            let target_move = &result.moves[pair.target];
            let step = Step {
                stride: views[pair.source].stride(),
                nominal_from_scan: target_move.inverse() * result.moves[pair.source],
                pivot: views[pair.target].bounds.centre(),
                max_distance_mm: pair.gate_mm,
                max_angle_rad: MAX_ANGLE_RAD,
                trim: 0.0,
                robust: Robust::Tukey,
                floor_mm: 1e-6,
                metric: Metric::PointToPlane,
            };
            let answer = pair.registration.step(&step, progress)?;
            if answer.used >= MIN_PAIRS {
                let determined = determined_part(&answer, &views[pair.target]);
                equations.add_pair(pair, &determined, target_move, &step.pivot);
                overlapping += 1;
            }
        }
        for (index, view) in views.iter().enumerate() {
            equations.add_given_pose(index, &result.moves[index], &view.bounds.centre(), parameters);
        }
        let Some(steps) = equations.solve() else {
            return Err(UserError::usage(
                "The global registration is ill-conditioned: the standard deviations of the given poses are too large \
                 compared with the precision of the surfaces. State smaller standard deviations.",
            ));
        };
        result.iterations += 1;
        result.pairs = overlapping / 2;
        let mut max_step_mm = 0.0_f64;
        for (index, view) in views.iter().enumerate() {
            let [rotation, translation] = [0, 3].map(|k| Vector::from(steps.fixed_rows::<3>(6 * index + k)));
            let own = &mut result.moves[index];
            let before = *own;
            *own = transform::step_about(&pivot, rotation, translation) * *own;
            own.rotation.renormalize();
            let corner_steps = view.bounds.corners().map(|corner| (*own * corner - before * corner).norm());
            max_step_mm = corner_steps.into_iter().fold(max_step_mm, f64::max);
        }
        if max_step_mm < STEP_LIMIT_MM {
            result.converged = true;
            break;
        }
    }
    let shift = |(view, own): (&View, &Pose)| (own * view.bounds.centre() - view.bounds.centre()).norm();
    result.shifts_mm = views.iter().zip(&result.moves).map(shift).collect();
    Ok(result)
}

#[cfg(test)]
mod tests;
