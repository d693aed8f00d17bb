//! Several views of one part that nearly lie in place already, brought to agree where they overlap, all at once.
//!
//! Every two views that overlap are compared both ways, each point with the plane at the closest point of the other
//! (Chen and Medioni 1991); the steps of all views are solved together (after Bergevin et al. 1996 and Pulli 1999), so
//! that no error is handed on from view to view. What the surfaces leave open, such as a slide along a plane, stays as
//! it was given: how surely the views were placed takes part as observations of its own. Where that is said too
//! pessimistically, views that lay right end as far apart as sensors err from view to view, about a hundredth of a
//! millimetre.

mod equations;

use equations::{Normal, told_by};
use serde::{Deserialize, Serialize};

use base::{Progress, Result, UserError};
use compute::registration::{Metric, Problem, Registration, Robust, Step, Target};
use compute::{Backend, Compute, neighbourhoods};
use geometry::{Aabb, Cloud, OrderedPoints, Point, Pose, SearchablePoints, Vector, normals, thinning, transform};

/// How surely the views were placed before.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Parameters {
    /// Standard deviation of each coordinate of a view's middle, mm.
    pub shift_sigma_mm: f64,
    /// Standard deviation of a view's turn about each axis, degrees.
    pub turn_sigma_deg: f64,
}

/// As well as a good calibration tells where a sensor is.
impl Default for Parameters {
    fn default() -> Self {
        Self { shift_sigma_mm: 0.05, turn_sigma_deg: 0.01 }
    }
}

impl Parameters {
    /// A sentence where they make no sense.
    pub fn check(&self) -> Result<()> {
        let makes_sense = |sigma: f64, most: f64| sigma > 0.0 && sigma <= most;
        if makes_sense(self.shift_sigma_mm, 100.0) && makes_sense(self.turn_sigma_deg, 10.0) {
            return Ok(());
        }
        Err(UserError::usage(
            "Views can be off by more than nothing, and by up to 100 mm and 10 degrees: give standard deviations in \
             these ranges.",
        ))
    }
}

/// What became of the views.
#[derive(Clone, Debug)]
pub struct Refined {
    /// How each view moves, common frame.
    pub moves: Vec<Pose>,
    /// How far the middle of each moves, mm.
    pub shifts_mm: Vec<f64>,
    /// Pairs of views that overlap.
    pub pairs: usize,
    /// Iterations.
    pub iterations: usize,
    /// Whether they came to rest.
    pub converged: bool,
}

/// Points of a view that take part: enough to stand for its surface, few enough for many views.
const POINTS: usize = 100_000;
/// Those of them that are paired: so far apart that the noise of a sensor's neighbouring points is not counted as if
/// each were new.
const JUDGES: usize = 4000;
/// Neighbours that a normal is made from.
const NEIGHBOURS: usize = 32;
/// Pairs of points that tell something of two views.
const LEAST: usize = 50;
/// Usual distances of neighbours that paired points may lie apart, before how far views are off is added.
const GAP: f64 = 2.0;
/// Standard deviations that a view may be off by.
const REACH_SIGMAS: f64 = 3.0;
/// Normals of paired points differ by less, rad: the two sides of a thin sheet are not one.
const MOST_ANGLE_RAD: f64 = std::f64::consts::FRAC_PI_4;
const MOST_ITERATIONS: usize = 40;
/// A step by which no view's box moves farther ends it, mm.
const STEP_MM: f64 = 1e-4;

/// A view made ready.
struct View {
    /// Along a space-filling curve, numbered so.
    ordered: OrderedPoints,
    normals: Vec<Vector>,
    bounds: Aabb,
    spacing_mm: f64,
    /// How far the neighbours reach that a normal is made from.
    reach_mm: f64,
    has_sides: bool,
}

impl View {
    fn new(backend: &dyn Backend, cloud: &Cloud, progress: &Progress) -> Result<Self> {
        let all = OrderedPoints::new(&cloud.points);
        let kept: Vec<u32> = all.numbers.iter().copied().step_by(cloud.points.len().div_ceil(POINTS).max(1)).collect();
        let part = cloud.select(&kept);
        let searchable = SearchablePoints::new(&part.points);
        let request = neighbourhoods::Request { points: &searchable, neighbours: NEIGHBOURS };
        let answers = backend.compute(&request, progress)?;
        let reach_mm = answers.iter().map(|answer| answer.reach_mm).sum::<f64>() / answers.len().max(1) as f64;
        let own_normals = normals::turned_to_sensor(&part, answers.iter().map(|answer| answer.normal).collect());
        Ok(Self {
            normals: own_normals,
            bounds: Aabb::of_many(&part.points),
            spacing_mm: thinning::spacing_mm(searchable.tree(), &part.points),
            reach_mm,
            has_sides: normals::are_oriented(&part),
            ordered: OrderedPoints { numbers: (0..part.points.len() as u32).collect(), points: part.points },
        })
    }

    fn lever_mm(&self) -> f64 {
        0.5 * self.bounds.diagonal()
    }

    /// How far points of another view may lie from theirs on this one, mm: where neighbours lie, and as both are off.
    fn gate_mm(&self, of: &Self, parameters: &Parameters) -> f64 {
        let turned_mm = parameters.turn_sigma_deg.to_radians() * self.lever_mm().max(of.lever_mm());
        let off_mm = std::f64::consts::SQRT_2 * parameters.shift_sigma_mm.hypot(turned_mm);
        GAP * self.spacing_mm + REACH_SIGMAS * off_mm
    }

    /// Which of its points are paired.
    fn stride(&self) -> usize {
        self.ordered.points.len().div_ceil(JUDGES).max(1)
    }
}

/// One view looked for on another.
struct Pair<'a> {
    onto: usize,
    of: usize,
    /// How far apart paired points may lie, mm.
    gate_mm: f64,
    registration: Box<dyn Registration + 'a>,
}

/// Finds how the views, which lie in one frame, have to move so that they agree; none moves far beyond what
/// `parameters` says of its place.
///
/// Fails with a sentence where parameters make no sense, and where a device does.
pub fn refine(
    backend: &dyn Backend,
    views: &[&Cloud],
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Refined> {
    parameters.check()?;
    let views = views.iter().enumerate().map(|(number, cloud)| {
        let share = |at: usize| 0.5 * at as f32 / views.len() as f32;
        progress.report(share(number), "Looking at the surfaces of the snapshots")?;
        View::new(backend, cloud, &progress.part(share(number), share(number + 1)))
    });
    let views: Vec<View> = views.collect::<Result<_>>()?;
    let trees: Vec<SearchablePoints<'_>> =
        views.iter().map(|view| SearchablePoints::new(&view.ordered.points)).collect();
    let mut pairs = Vec::new();
    for (onto, target) in views.iter().enumerate() {
        for (of, view) in views.iter().enumerate() {
            let gate_mm = target.gate_mm(view, parameters);
            if onto != of && target.bounds.grown(gate_mm).overlaps(&view.bounds) {
                let problem = Problem {
                    target: Target::Cloud {
                        points: &target.ordered.points,
                        tree: trees[onto].tree(),
                        normals: &target.normals,
                    },
                    points: &view.ordered,
                    normals: &view.normals,
                    oriented: target.has_sides && view.has_sides,
                };
                pairs.push(Pair { onto, of, gate_mm, registration: backend.registration(problem) });
            }
        }
    }
    solve(&views, &mut pairs, parameters, progress)
}

fn solve(views: &[View], pairs: &mut [Pair<'_>], parameters: &Parameters, progress: &Progress) -> Result<Refined> {
    let all = views.iter().map(|view| view.bounds).reduce(|all, own| all.union(&own));
    let pivot = all.map_or_else(Point::origin, |all| all.centre());
    let mut refined = Refined {
        moves: vec![Pose::identity(); views.len()],
        shifts_mm: vec![0.0; views.len()],
        pairs: 0,
        iterations: 0,
        converged: false,
    };
    while refined.iterations < MOST_ITERATIONS {
        let share = 0.5 + 0.5 * refined.iterations as f32 / MOST_ITERATIONS as f32;
        progress.report(share, "Bringing the snapshots to agree")?;
        let mut normal = Normal::new(views.len(), pivot);
        let mut told = 0;
        for pair in pairs.iter_mut() {
            let onto = &refined.moves[pair.onto];
            let step = Step {
                stride: views[pair.of].stride(),
                nominal_from_scan: onto.inverse() * refined.moves[pair.of],
                pivot: views[pair.onto].bounds.centre(),
                max_distance_mm: pair.gate_mm,
                max_angle_rad: MOST_ANGLE_RAD,
                trim: 0.0,
                robust: Robust::Tukey,
                floor_mm: 1e-6,
                metric: Metric::PointToPlane,
            };
            let answer = pair.registration.step(&step, progress)?;
            if answer.used >= LEAST {
                normal.add_pair(pair, &told_by(&answer, &views[pair.onto]), onto, &step.pivot);
                told += 1;
            }
        }
        for (number, view) in views.iter().enumerate() {
            normal.add_given(number, &refined.moves[number], &view.bounds.centre(), parameters);
        }
        let Some(steps) = normal.solve() else {
            return Err(UserError::usage(
                "What the surfaces tell and how far the snapshots may be off differ too much to be solved together: \
                 state smaller standard deviations.",
            ));
        };
        refined.iterations += 1;
        refined.pairs = told / 2;
        let mut farthest_mm = 0.0_f64;
        for (number, view) in views.iter().enumerate() {
            let [turn, shift] = [0, 3].map(|k| Vector::from(steps.fixed_rows::<3>(6 * number + k)));
            let own = &mut refined.moves[number];
            let before = *own;
            *own = transform::step_about(&pivot, turn, shift) * *own;
            own.rotation.renormalize();
            let stepped = view.bounds.corners().map(|corner| (*own * corner - before * corner).norm());
            farthest_mm = stepped.into_iter().fold(farthest_mm, f64::max);
        }
        if farthest_mm < STEP_MM {
            refined.converged = true;
            break;
        }
    }
    let shift = |(view, own): (&View, &Pose)| (own * view.bounds.centre() - view.bounds.centre()).norm();
    refined.shifts_mm = views.iter().zip(&refined.moves).map(shift).collect();
    Ok(refined)
}

#[cfg(test)]
mod tests;
