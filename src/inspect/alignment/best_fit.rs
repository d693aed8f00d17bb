//! Best fit: ICP onto the nominal itself (facets or points), coarse to fine, with robust weights and locked degrees of
//! freedom.

mod minima;

use nalgebra::{Matrix6, SymmetricEigen, U6, Vector6};
use serde::{Deserialize, Serialize};

use super::{Alignment, Information, Method, Rivals, StopReason};
use base::{Progress, Result, UserError};
use compute::registration::{self, Answer, Metric, Registration, Robust, Step, Target};
use compute::{Backend, Compute};
use geometry::{Aabb, OrderedPoints, Pose, Vector, thinning, transform};

/// Parameters of a best fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameters {
    /// Distance to minimise.
    pub metric: Metric,
    /// Robust weighting by distance.
    pub robust: Robust,
    /// Share of the points to discard, farthest first, 0 to below 1.
    pub trim: f64,
    /// Maximum distance of a point from the nominal, mm; `None`: a tenth of the part's diagonal at first, then ten
    /// times the robust scale of the distances.
    pub max_distance_mm: Option<f64>,
    /// Maximum angle between the normals of a point and of the nominal, rad; without effect if there are no normals.
    pub max_angle_rad: f64,
    /// Locked degrees of freedom: rotation about x, y, z through the centre of the nominal's bounds, translation along
    /// x, y, z; nominal frame.
    pub locked: [bool; 6],
    /// Maximum number of iterations per resolution level.
    pub max_iterations: usize,
    /// Stop when a step moves no point of the part by more than this, mm.
    pub step_limit_mm: f64,
    /// Stop when the mean squared distance changes by less than this share twice in succession.
    pub change_limit: f64,
    /// Stop when the RMS falls below this, mm; 0 disables the limit.
    pub error_limit_mm: f64,
    /// Whether to start on subsampled points.
    pub coarse_to_fine: bool,
    /// Whether to look for better minima beside the one found, along directions that the points determine weakly.
    #[serde(default = "yes")]
    pub leaves_minima: bool,
}

fn yes() -> bool {
    true
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            metric: Metric::PointToTriangle,
            robust: Robust::Tukey,
            trim: 0.0,
            max_distance_mm: None,
            max_angle_rad: 60.0_f64.to_radians(),
            locked: [false; 6],
            max_iterations: 100,
            step_limit_mm: 1e-5,
            change_limit: 1e-9,
            error_limit_mm: 0.0,
            coarse_to_fine: true,
            leaves_minima: true,
        }
    }
}

/// A scan and the nominal to fit it to.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    /// The nominal.
    pub target: Target<'a>,
    /// Bounding box of the nominal, mm.
    pub bounds: Aabb,
    /// Scan points in the order of a space-filling curve, scan frame, mm.
    pub points: &'a OrderedPoints,
    /// Unit normals by point index, scan frame; empty if unknown.
    pub normals: &'a [Vector],
    /// Whether the normals are consistently oriented.
    pub oriented: bool,
}

/// Approximate number of points on the coarse levels; the last level uses all points.
const LEVEL_POINTS: [usize; 3] = [2_000, 20_000, 200_000];
/// Fewest points near the nominal on a coarse level: with fewer, such as where the part is a small piece of a scene, the level
/// is left out.
const MIN_COARSE_POINTS: usize = 200;
/// Times that a fit goes on from a better minimum.
const MAX_MINIMA: usize = 2;
/// The points say nothing of directions whose eigenvalue is below this share of the largest.
const UNDETERMINED: f64 = 1e-10;

/// Fits from `start`. `watch` receives the pose and the RMS, mm, after every iteration (for the live view).
///
/// Returns an error for fewer than three points, invalid parameters and missing overlap, and if the backend fails or
/// the work is cancelled.
pub fn run(
    backend: &dyn Backend,
    problem: &Problem<'_>,
    start: &Pose,
    parameters: &Parameters,
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Alignment> {
    let gate_mm = parameters.max_distance_mm.unwrap_or(0.1 * problem.bounds.diagonal());
    run_from_gate(backend, problem, start, parameters, gate_mm, progress, watch)
}

/// As [`run`], but with an initial maximum distance of `gate_mm`; unless `parameters` fix the distance, it then follows
/// the fit. For starts known to be good.
pub fn run_from_gate(
    backend: &dyn Backend,
    problem: &Problem<'_>,
    start: &Pose,
    parameters: &Parameters,
    gate_mm: f64,
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Alignment> {
    let start = Start { pose: *start, gate_mm, scale_floor_mm: gate_mm / 5.0 };
    run_from(backend, problem, &start, parameters, progress, watch)
}

/// Where a fit starts.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// Maps the scan onto the nominal.
    pub pose: Pose,
    /// Maximum distance of a point at first, mm; unless the parameters fix it, it then follows the fit.
    pub gate_mm: f64,
    /// Lower bound of the robust scale at first, mm.
    pub scale_floor_mm: f64,
}

/// As [`run_from_gate`], for starts that only noise keeps off.
pub fn run_from(
    backend: &dyn Backend,
    problem: &Problem<'_>,
    start: &Start,
    parameters: &Parameters,
    progress: &Progress,
    watch: &mut dyn FnMut(&Pose, f64),
) -> Result<Alignment> {
    check(problem, parameters)?;
    let levels: Vec<usize> = LEVEL_POINTS
        .iter()
        .copied()
        .filter(|&count| parameters.coarse_to_fine && count * 2 < problem.points.points.len())
        .chain([problem.points.points.len()])
        .collect();
    let registration = backend.registration(registration::Problem {
        target: problem.target,
        points: problem.points,
        normals: problem.normals,
        oriented: problem.oriented,
    });
    let mut fit = Fit {
        registration,
        problem,
        parameters,
        pose: start.pose,
        gate_mm: start.gate_mm,
        scale_floor_mm: start.scale_floor_mm,
        gate_floor_mm: gate_floor_mm(problem),
        iterations: 0,
    };
    let mut last = None;
    for (level, &count) in levels.iter().enumerate() {
        let fraction = |level: usize| level as f32 / levels.len() as f32;
        let level_progress = progress.part(fraction(level), fraction(level + 1));
        last = fit.level(count, level + 1 == levels.len(), &level_progress, watch)?.or(last);
    }
    let total = problem.points.points.len();
    for _ in 0..MAX_MINIMA {
        let Some((answer, _)) = &last else { break };
        if !fit.leave_for_better_minimum(&answer.hessian, &progress.quiet())? {
            break;
        }
        last = fit.level(total, true, &progress.quiet(), watch)?.or(last);
    }
    let (answer, stop) = last.ok_or_else(|| UserError::internal("The best fit had no level to run."))?;
    Ok(Alignment {
        method: Method::BestFit,
        nominal_from_scan: fit.pose,
        by_hand: false,
        rms_mm: answer.rms_mm(),
        iterations: fit.iterations,
        overlap: answer.used as f64 / total.max(1) as f64,
        converged: stop != StopReason::MaxIterations,
        stop,
        information: Information::new(&answer.hessian, problem.bounds.centre(), 0.5 * problem.bounds.diagonal()),
        alternatives: Vec::new(),
        rivals: Rivals::NotSearched,
        explained: None,
        among_others: None,
        uniform_offset: None,
        main: None,
        as_before: Vec::new(),
    })
}

/// Lower bound of the gate, mm. For a cloud it respects the point spacing: closest points are about that far away,
/// however small the residuals to the tangent planes are.
fn gate_floor_mm(problem: &Problem<'_>) -> f64 {
    let of_part_mm = 1e-4 * problem.bounds.diagonal();
    match problem.target {
        Target::Surface(_) => of_part_mm,
        Target::Cloud { points, tree, .. } => of_part_mm.max(4.0 * thinning::spacing_mm(tree, points)),
    }
}

fn check(problem: &Problem<'_>, parameters: &Parameters) -> Result<()> {
    if problem.points.points.len() < 3 {
        return Err(UserError::input(format!(
            "A best fit needs at least 3 scan points; this scan has {}.",
            problem.points.points.len()
        )));
    }
    if !(0.0..1.0).contains(&parameters.trim) {
        return Err(UserError::usage("The trimmed fraction must be at least 0 and below 1."));
    }
    if parameters.max_distance_mm.is_some_and(|distance| !(distance > 0.0)) {
        return Err(UserError::usage("The maximum distance must be a positive number of mm."));
    }
    if parameters.locked.iter().all(|&locked| locked) {
        return Err(UserError::usage("All six degrees of freedom are locked; unlock at least one."));
    }
    Ok(())
}

struct Fit<'a> {
    registration: Box<dyn Registration + 'a>,
    problem: &'a Problem<'a>,
    parameters: &'a Parameters,
    pose: Pose,
    gate_mm: f64,
    /// Lower bound of the robust scale, mm. It is lowered stepwise from a fifth of the gate (graduated non-convexity,
    /// Blake and Zisserman 1987): on a part that is mostly a plate, the few walls would otherwise count as outliers
    /// from the first step on.
    scale_floor_mm: f64,
    /// Lower bound of `gate_mm`.
    gate_floor_mm: f64,
    iterations: usize,
}

impl Fit<'_> {
    /// Iterates on about `count` points until a stopping criterion is met; `None` for a coarse level with too few points.
    fn level(
        &mut self,
        count: usize,
        finest: bool,
        progress: &Progress,
        watch: &mut dyn FnMut(&Pose, f64),
    ) -> Result<Option<(Answer, StopReason)>> {
        let stride = (self.problem.points.points.len() / count.max(1)).max(1);
        let mut previous_square = f64::INFINITY;
        let mut stalled = 0;
        for iteration in 0..self.parameters.max_iterations.max(1) {
            progress.report(iteration as f32 / self.parameters.max_iterations.max(1) as f32, "Best fit")?;
            let answer = self.step(stride, progress)?;
            if !finest && iteration == 0 && answer.used < MIN_COARSE_POINTS {
                return Ok(None);
            }
            if answer.used < 3 {
                return Err(UserError::input(format!(
                    "The scan and the nominal do not overlap: fewer than 3 points lie within {:.3} mm. Align \
                     automatically or pick point pairs first.",
                    self.gate_mm
                )));
            }
            let square = answer.rms_mm().powi(2);
            let step = self.apply(&answer);
            self.iterations += 1;
            watch(&self.pose, answer.rms_mm());
            let annealing = self.lower_scale_floor(&answer, step.moved_mm);
            let stop = if annealing {
                None
            } else if step.moved_mm < self.step_limit_mm(&answer, finest) {
                Some(StopReason::SmallStep)
            } else if answer.rms_mm() < self.parameters.error_limit_mm {
                Some(StopReason::SmallError)
            } else if (previous_square - square).abs() <= self.parameters.change_limit * square {
                // Along a flat valley the pose may move on while the error stagnates: two such steps in a row end it.
                stalled += 1;
                (stalled >= 2).then_some(StopReason::SmallChange)
            } else {
                stalled = 0;
                None
            };
            if self.parameters.max_distance_mm.is_none() {
                self.tighten(&answer);
            }
            previous_square = square;
            if let Some(stop) = stop {
                return Ok(Some((step.answer, stop)));
            }
        }
        Ok(Some((self.step(stride, progress)?, StopReason::MaxIterations)))
    }

    /// Step that ends a level, mm. A coarse level need not go below the precision of its sample: the standard error of
    /// a position from that many points.
    fn step_limit_mm(&self, answer: &Answer, finest: bool) -> f64 {
        let limit_mm = self.parameters.step_limit_mm;
        if finest { limit_mm } else { limit_mm.max(answer.scale_mm / (answer.used as f64).sqrt()) }
    }

    /// Halves the floor of the robust scale once a step is shorter than it; returns whether the floor still determined
    /// the scale.
    fn lower_scale_floor(&mut self, answer: &Answer, moved_mm: f64) -> bool {
        let was_active = self.parameters.robust != Robust::None && answer.scale_mm <= self.scale_floor_mm;
        // Only once the pose has caught up: walls that are still approaching must not become outliers.
        if moved_mm < self.scale_floor_mm {
            self.scale_floor_mm = (0.5 * self.scale_floor_mm).max(self.min_scale_mm());
        }
        was_active && answer.scale_mm > self.min_scale_mm()
    }

    fn min_scale_mm(&self) -> f64 {
        1e-7 * self.problem.bounds.diagonal()
    }

    /// Tightens the gate to ten times the robust scale, never below its floor; it never grows.
    fn tighten(&mut self, answer: &Answer) {
        self.gate_mm = self.gate_mm.min((10.0 * answer.scale_mm).max(self.gate_floor_mm));
    }

    fn step(&mut self, stride: usize, progress: &Progress) -> Result<Answer> {
        let step = Step {
            stride,
            nominal_from_scan: self.pose,
            pivot: self.problem.bounds.centre(),
            max_distance_mm: self.gate_mm,
            max_angle_rad: self.parameters.max_angle_rad,
            trim: self.parameters.trim,
            robust: self.parameters.robust,
            floor_mm: self.scale_floor_mm,
            metric: self.parameters.metric,
        };
        self.registration.step(&step, progress)
    }

    /// Solves for the step and applies it to the pose.
    fn apply(&mut self, answer: &Answer) -> AppliedStep {
        let step_factor = self.step_factor(answer);
        let step = self.solve(answer) * step_factor;
        let weighted_squares =
            answer.weighted_squares + 2.0 * answer.gradient.dot(&step) + step.dot(&(answer.hessian * step));
        AppliedStep {
            moved_mm: self.move_by(&step),
            answer: Answer { weighted_squares: weighted_squares.max(0.0), ..*answer },
        }
    }

    /// Moves the pose by a rotation x, y, z (rad) and a translation x, y, z (mm); at most how far that moves a point of the part,
    /// mm.
    fn move_by(&mut self, step: &Vector6<f64>) -> f64 {
        let rotation = Vector::new(step[0], step[1], step[2]);
        let translation = Vector::new(step[3], step[4], step[5]);
        self.pose = transform::step_about(&self.problem.bounds.centre(), rotation, translation) * self.pose;
        self.pose.rotation.renormalize();
        translation.norm() + rotation.norm() * self.lever_mm()
    }

    /// Gauss-Newton step: rotation x, y, z (rad), translation x, y, z (mm). Zero for locked unknowns and along directions that the
    /// data does not determine: to less than the gate, since points within it tell nothing of what lies beyond, and noise alone
    /// would lead a long way. In the others no farther than the gate, either.
    fn solve(&self, answer: &Answer) -> Vector6<f64> {
        let (eigen, scale) = self.principal_directions(&answer.hessian);
        let rhs = answer.gradient.component_mul(&scale);
        let largest = eigen.eigenvalues.amax();
        let mut step = Vector6::zeros();
        for (direction, value) in eigen.eigenvectors.column_iter().zip(&eigen.eigenvalues) {
            let is_determined = *value > UNDETERMINED * largest && answer.rms_mm() < self.gate_mm * value.sqrt();
            if is_determined {
                let along_mm = direction.dot(&rhs) / value;
                step -= direction * along_mm.clamp(-self.gate_mm, self.gate_mm);
            }
        }
        step.component_mul(&scale)
    }

    /// The principal directions of a normal matrix, in mm at the lever, and the unknowns per mm there: 0 for locked ones.
    fn principal_directions(&self, hessian: &Matrix6<f64>) -> (SymmetricEigen<f64, U6>, Vector6<f64>) {
        let lever = self.lever_mm().max(f64::MIN_POSITIVE);
        let scale = Vector6::from_fn(|i, _| match (self.parameters.locked[i], i < 3) {
            (true, _) => 0.0,
            (false, true) => 1.0 / lever,
            (false, false) => 1.0,
        });
        let scaled = Matrix6::from_fn(|row, column| hessian[(row, column)] * scale[row] * scale[column]);
        (SymmetricEigen::new(scaled), scale)
    }

    /// Factor on the step. Iteratively reweighted steps are too short because the weights fall off with distance (by
    /// about a sixth for Tukey weights on normal residuals); scaling by the mean curvature gives the Newton step. 1
    /// while the scale is still being lowered, as those weights are not final.
    fn step_factor(&self, answer: &Answer) -> f64 {
        let settled = answer.scale_mm > self.scale_floor_mm;
        if settled { (answer.weight / answer.curvature.max(0.5 * answer.weight)).max(1.0) } else { 1.0 }
    }

    /// Half the diagonal of the nominal's bounds, mm: relates rotations to displacements.
    fn lever_mm(&self) -> f64 {
        0.5 * self.problem.bounds.diagonal()
    }
}

/// A step applied to the pose.
struct AppliedStep {
    /// Upper bound of the displacement of any point of the part, mm.
    moved_mm: f64,
    /// The answer after the step as predicted by the quadratic model: exact to rounding for the last, tiny steps.
    answer: Answer,
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use compute::cpu::Cpu;
    use geometry::{Point, Surface, mesh::shapes, sampling, transform};

    pub(super) fn fit_of(samples: &[Point], surface: &Surface, start: &Pose, parameters: &Parameters) -> Alignment {
        let points = OrderedPoints::new(samples);
        let problem = Problem {
            target: Target::Surface(surface),
            bounds: *surface.bounds(),
            points: &points,
            normals: &[],
            oriented: false,
        };
        run(&Cpu, &problem, start, parameters, &Progress::silent(), &mut |_, _| ()).unwrap()
    }

    fn box_and_samples(pose: &Pose) -> (Surface, Vec<Point>) {
        let surface = Surface::new(shapes::cuboid(Point::new(2.0, 3.0, 4.0), Point::new(52.0, 33.0, 19.0)));
        let samples = sampling::by_area(surface.mesh(), 9000, 1).iter().map(|s| pose.inverse() * s.point).collect();
        (surface, samples)
    }

    #[test]
    fn a_part_that_is_a_small_piece_of_a_scene_is_fitted_on_its_own_points() {
        let truth = Pose::new(Vector::new(3.0, 5.0, 1.0), Vector::new(0.2, 0.5, -0.3));
        let (surface, samples) = box_and_samples(&truth);
        let mut scene: Vec<Point> = samples.iter().step_by(30).copied().collect();
        let mut random = Random::new(7, 0);
        scene.extend((0..60_000).map(|_| Point::new(random.range(500.0, 900.0), random.range(0.0, 400.0), 0.0)));
        let nudge = Pose::new(Vector::new(0.4, -0.3, 0.2), Vector::new(0.01, -0.01, 0.01));
        let parameters = Parameters { max_distance_mm: Some(2.0), ..Parameters::default() };
        let fit = fit_of(&scene, &surface, &(nudge * truth), &parameters);
        let (shift, angle) = transform::difference(&fit.nominal_from_scan, &truth, &samples[0]);
        assert!(shift < 1e-4 && angle < 1e-5, "{shift} {angle}");
    }

    /// Two planes that meet at so small an angle that noise says more about where the ridge is than they do.
    #[test]
    fn noise_leads_no_farther_than_the_gate_along_what_is_hardly_determined() {
        let surface = Surface::new(shapes::roof(50.0, 30.0, 5e-5));
        for seed in 1..6 {
            let mut random = Random::new(seed, 0);
            let samples = sampling::by_area(surface.mesh(), 3_000, seed);
            let noisy: Vec<Point> =
                samples.iter().map(|own| own.point + Vector::z() * (0.05 * random.normal())).collect();
            let parameters = Parameters { max_distance_mm: Some(0.4), ..Parameters::default() };
            let fit = fit_of(&noisy, &surface, &Pose::identity(), &parameters);
            let shift_mm = fit.nominal_from_scan.translation.vector.norm();
            assert!(shift_mm < 0.4 && fit.overlap > 0.97, "{seed}: {shift_mm} mm, {}", fit.overlap);
        }
    }

    #[test]
    fn every_metric_recovers_the_pose_of_exact_samples_even_far_from_the_origin() {
        let mut random = Random::new(12, 0);
        for metric in [Metric::PointToTriangle, Metric::PointToPlane, Metric::PointToPoint] {
            for offset in [0.0, 1e4] {
                let truth = Pose::from_parts(Vector::new(offset, 5.0, 1.0).into(), random.rotation());
                let (surface, samples) = box_and_samples(&truth);
                let nudge = Pose::new(Vector::new(1.0, -0.5, 0.7), Vector::new(0.03, -0.05, 0.02));
                let parameters = Parameters { metric, max_iterations: 300, ..Parameters::default() };
                let fit = fit_of(&samples, &surface, &(nudge * truth), &parameters);
                let (shift, angle) = transform::difference(&fit.nominal_from_scan, &truth, &samples[0]);
                // Point-to-point converges slowly along the faces and stops earlier.
                let limit = if metric == Metric::PointToPoint { 0.1 } else { 1e-6 };
                assert!(shift < limit && angle < limit, "{metric:?} {offset} {shift} {angle}");
            }
        }
    }

    #[test]
    fn locked_degrees_of_freedom_do_not_move() {
        let (surface, samples) = box_and_samples(&Pose::identity());
        let nudge = Pose::new(Vector::new(0.5, 0.25, 0.0), Vector::zeros());
        let parameters = Parameters { locked: [true, true, true, true, false, false], ..Parameters::default() };
        let fit = fit_of(&samples, &surface, &nudge, &parameters);
        let shift = fit.nominal_from_scan.translation.vector;
        assert!((shift.x - 0.5).abs() < 1e-9 && shift.y.abs() < 0.01, "{shift}");
        assert!(fit.nominal_from_scan.rotation.angle() < 1e-12);
    }

    #[test]
    fn outliers_do_not_bias_the_fit() {
        let (surface, mut samples) = box_and_samples(&Pose::identity());
        let mut random = Random::new(2, 2);
        for sample in samples.iter_mut().step_by(10) {
            *sample += random.rotation() * Vector::z() * random.range(0.5, 3.0);
        }
        let nudge = Pose::new(Vector::new(0.3, 0.2, -0.2), Vector::new(0.01, 0.0, 0.01));
        let fit = fit_of(&samples, &surface, &nudge, &Parameters::default());
        let (shift, angle) = transform::difference(&fit.nominal_from_scan, &Pose::identity(), &Point::origin());
        assert!(shift < 1e-3 && angle < 1e-5, "{shift} {angle}");
    }

    #[test]
    fn too_few_points_and_no_overlap_are_errors() {
        let (surface, samples) = box_and_samples(&Pose::identity());
        let attempt = |samples: &[Point], start: &Pose| {
            let points = OrderedPoints::new(samples);
            let problem = Problem {
                target: Target::Surface(&surface),
                bounds: *surface.bounds(),
                points: &points,
                normals: &[],
                oriented: false,
            };
            run(&Cpu, &problem, start, &Parameters::default(), &Progress::silent(), &mut |_, _| ()).unwrap_err()
        };
        assert!(attempt(&samples[..2], &Pose::identity()).sentence.contains("at least 3"));
        assert!(attempt(&samples, &Pose::translation(1e4, 0.0, 0.0)).sentence.contains("do not overlap"));
    }
}
