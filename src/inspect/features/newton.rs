//! Weighted sums of squared distances, made least by Newton's method with exact second derivatives.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::model::{Form, MOTIONS, Model, PAIRS, Residual};
use geometry::{Point, Vector};

/// Points of one task; sums of tasks are added in order.
const CHUNK: usize = 2048;
/// Parameters of a model, at most.
pub const MOST: usize = 7;
/// Steps that no sound set of points needs.
const STEPS: usize = 300;
/// Steps after which a circle or a cone is described by curvatures instead.
const ROUND_STEPS: usize = 60;
/// An end that did not converge counts as a sum this many times its own: it may creep off to no least at all.
const UNSETTLED: f64 = 4.0;

/// Points about their centroid, of size about one, and their weights (empty: all one).
#[derive(Clone, Copy)]
pub struct Weighted<'a> {
    /// Places.
    pub points: &'a [Point],
    /// A weight of at least 0 for each.
    pub weights: &'a [f64],
}

/// Where the search ended.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The model.
    pub model: Model,
    /// Sum of w f².
    pub cost: f64,
    /// Steps taken.
    pub steps: usize,
    /// Whether steps became as small as rounding allows.
    pub converged: bool,
}

impl Solved {
    /// What the ends of several searches are compared by; the least is the best.
    pub fn rank(&self) -> f64 {
        if self.converged { self.cost } else { UNSETTLED * self.cost }
    }
}

/// Cost, gradient, and two matrices by rows: first derivatives squared (Gauss and Newton), and the exact second ones.
#[derive(Clone)]
pub struct Sums {
    /// Sum of w f².
    pub cost: f64,
    gradient: [f64; MOST],
    gauss: [f64; MOST * MOST],
    newton: [f64; MOST * MOST],
}

impl Sums {
    const ZERO: Self = Self { cost: 0.0, gradient: [0.0; MOST], gauss: [0.0; MOST * MOST], newton: [0.0; MOST * MOST] };

    fn add(mut self, other: &Self) -> Self {
        self.cost += other.cost;
        self.gradient.iter_mut().zip(other.gradient).for_each(|(sum, own)| *sum += own);
        self.gauss.iter_mut().zip(other.gauss).for_each(|(sum, own)| *sum += own);
        self.newton.iter_mut().zip(other.newton).for_each(|(sum, own)| *sum += own);
        self
    }

    fn gradient(&self, count: usize) -> DVector<f64> {
        DVector::from_fn(count, |row, _| self.gradient[row])
    }

    fn matrix(entries: &[f64; MOST * MOST], count: usize) -> DMatrix<f64> {
        DMatrix::from_fn(count, count, |row, column| entries[row.min(column) * MOST + row.max(column)])
    }

    /// Sum of w f' f'ᵀ over the `count` parameters.
    pub fn information(&self, count: usize) -> DMatrix<f64> {
        Self::matrix(&self.gauss, count)
    }
}

/// First and second derivatives of q by the motions, as the model docs define them.
fn motion(q: &Vector, which: usize) -> Vector {
    if which < 3 { -Vector::ith(which, 1.0) } else { q.cross(&Vector::ith(which - 3, 1.0)) }
}

fn motion_twice(q: &Vector, one: usize, other: usize) -> Vector {
    let axis = |which: usize| Vector::ith(which % 3, 1.0);
    match (one < 3, other < 3) {
        (true, true) => Vector::zeros(),
        (true, false) => axis(other).cross(&axis(one)),
        (false, true) => axis(one).cross(&axis(other)),
        (false, false) => {
            let (a, b) = (axis(one), axis(other));
            (a.cross(&b.cross(q)) + b.cross(&a.cross(q))) * 0.5
        }
    }
}

/// The sums over all points.
pub fn sums(model: &Model, points: Weighted<'_>) -> Sums {
    let tasks: Vec<Sums> = points
        .points
        .par_chunks(CHUNK)
        .enumerate()
        .map(|(task, chunk)| {
            let weights = points.weights.get(task * CHUNK..).unwrap_or_default();
            if model.form == Form::Plane {
                return of_plane(model, chunk, weights);
            }
            let mut total = Sums::ZERO;
            for (i, point) in chunk.iter().enumerate() {
                add_point(model, point, weights.get(i).copied().unwrap_or(1.0), &mut total);
            }
            total
        })
        .collect();
    added(&tasks)
}

/// The same for a plane, whose sums are second moments: most fits are of planes, and they hold most points.
fn of_plane(model: &Model, points: &[Point], weights: &[f64]) -> Sums {
    // Of 1, x, y, z, xx, xy, yy, xz, yz, zz in the model's frame.
    let mut m = [0.0; 10];
    let (turn, shift) =
        (model.points_from_model.rotation.to_rotation_matrix(), model.points_from_model.translation.vector);
    let to_model = turn.transpose();
    for (i, point) in points.iter().enumerate() {
        let w = weights.get(i).copied().unwrap_or(1.0);
        if w > 0.0 {
            let [x, y, z]: [f64; 3] = (to_model * (point.coords - shift)).into();
            let terms = [1.0, x, y, z, x * x, x * y, y * y, x * z, y * z, z * z];
            m.iter_mut().zip(terms).for_each(|(sum, term)| *sum += w * term);
        }
    }
    let mut total = Sums { cost: m[9], ..Sums::ZERO };
    // A shift along z takes 1 from the distance z, turns about x and y take y and add x.
    total.gradient[..3].copy_from_slice(&[-m[3], -m[8], m[7]]);
    let rows = [[m[0], m[2], -m[1]], [0.0, m[6], -m[5]], [0.0, 0.0, m[4]]];
    for (k, row) in rows.iter().enumerate() {
        total.gauss[k * MOST..k * MOST + 3].copy_from_slice(row);
        total.newton[k * MOST..k * MOST + 3].copy_from_slice(row);
    }
    // Turned twice, a distance z falls by z.
    total.newton[MOST + 1] -= m[9];
    total.newton[2 * MOST + 2] -= m[9];
    total
}

/// By halves, so that rounding grows with the logarithm of their number.
fn added(tasks: &[Sums]) -> Sums {
    match tasks {
        [] => Sums::ZERO,
        [one] => one.clone(),
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            added(left).add(&added(right))
        }
    }
}

fn add_point(model: &Model, point: &Point, weight: f64, total: &mut Sums) {
    if weight <= 0.0 {
        return;
    }
    let place = Place::of(model, point);
    let count = model.form.parameters();
    let residuals = model.residuals(&place.q);
    for residual in &residuals[..model.form.residuals()] {
        let f = residual.f;
        let by = place.first(residual, count);
        total.cost += weight * f * f;
        for k in 0..count {
            total.gradient[k] += weight * f * by[k];
            let bend = place.bend(residual, k);
            for l in k..count {
                total.gauss[k * MOST + l] += weight * by[k] * by[l];
                total.newton[k * MOST + l] += weight * (by[k] * by[l] + f * place.second(residual, &bend, k, l));
            }
        }
    }
}

/// A place in the model's frame, and its derivatives by the motions.
struct Place {
    q: Vector,
    motions: &'static [usize],
    moved: [Vector; MOTIONS],
}

impl Place {
    #[inline]
    fn of(model: &Model, point: &Point) -> Self {
        let q = model.points_from_model.inverse_transform_point(point).coords;
        let motions = model.form.motions();
        let mut moved = [Vector::zeros(); MOTIONS];
        motions.iter().zip(&mut moved).for_each(|(&which, moved)| *moved = motion(&q, which));
        Self { q, motions, moved }
    }

    /// Derivatives of a residual by the parameters.
    #[inline]
    fn first(&self, residual: &Residual, count: usize) -> [f64; MOST] {
        let mut by = [0.0; MOST];
        for (k, by) in by[..count].iter_mut().enumerate() {
            *by = match self.motions.len() {
                motions if k < motions => residual.q.dot(&self.moved[k]),
                motions => residual.s[k - motions],
            };
        }
        by
    }

    /// How the derivative by q varies with parameter `k`.
    #[inline]
    fn bend(&self, residual: &Residual, k: usize) -> Vector {
        match self.motions.len() {
            motions if k < motions => residual.qq * self.moved[k],
            motions => residual.qs[k - motions],
        }
    }

    /// Second derivative by parameters `k` and `l`, k at most l; `bend` is that of `k`.
    #[inline]
    fn second(&self, residual: &Residual, bend: &Vector, k: usize, l: usize) -> f64 {
        let motions = self.motions.len();
        match (k < motions, l < motions) {
            (true, true) => {
                let twice = motion_twice(&self.q, self.motions[k], self.motions[l]);
                bend.dot(&self.moved[l]) + residual.q.dot(&twice)
            }
            (true, false) => residual.qs[l - motions].dot(&self.moved[k]),
            _ => residual.ss[PAIRS[k - motions][l - motions]],
        }
    }
}

/// Each residual of a point and its derivatives by the parameters.
pub fn rows(model: &Model, point: &Point) -> [(f64, [f64; MOST]); 2] {
    let place = Place::of(model, point);
    model.residuals(&place.q).map(|residual| (residual.f, place.first(&residual, model.form.parameters())))
}

/// Second derivatives of the first residual of a point by the parameters.
pub fn curvature(model: &Model, point: &Point) -> DMatrix<f64> {
    let (place, count) = (Place::of(model, point), model.form.parameters());
    let [residual, _] = model.residuals(&place.q);
    DMatrix::from_fn(count, count, |row, column| {
        let (k, l) = (row.min(column), row.max(column));
        place.second(&residual, &place.bend(&residual, k), k, l)
    })
}

/// Goes down from `start` to the nearest least sum.
///
/// Newton's steps where the second derivatives are positive, else Gauss and Newton's; damped after Levenberg and
/// Marquardt while the sum does not fall. At the end, where the sum itself can fall no more in its digits, steps go on
/// by the gradient alone until they are as small as rounding.
pub fn solve(start: Model, points: Weighted<'_>) -> Solved {
    let most = if matches!(start.form, Form::Circle | Form::Cone) { ROUND_STEPS } else { STEPS };
    let first = steps(start, points, most);
    if first.converged {
        return first;
    }
    // It creeps along a valley, which is none where curvatures describe the shape.
    let other = first.model.shape().map(|shape| Model::on_surface(&shape));
    let second = match other.filter(|other| other.form != first.model.form) {
        Some(other) => steps(other, points, STEPS),
        None => steps(first.model, points, STEPS - most),
    };
    Solved { steps: first.steps + second.steps, ..second }
}

/// At most `most` steps of [`solve`].
fn steps(start: Model, points: Weighted<'_>, most: usize) -> Solved {
    let count = start.form.parameters();
    let mut model = start;
    let mut here = sums(&model, points);
    let (mut damping, mut last) = (0.0_f64, f64::INFINITY);
    // Of all residuals together.
    let total = if points.weights.is_empty() { points.points.len() as f64 } else { points.weights.iter().sum() };
    let rounding = f64::EPSILON * total.sqrt();
    for steps in 1..=most {
        let ended = |model: Model, cost: f64, converged: bool| Solved { model, cost, steps, converged };
        let gradient = here.gradient(count);
        let (newton, gauss) = (Sums::matrix(&here.newton, count), here.information(count));
        // What the whole step promises; below the digits of the sum it cannot be seen in it.
        let whole = damped(&newton, &gauss, &gradient, 0.0);
        let unseen = 1e-10 * here.cost + 64.0 * rounding * here.cost.sqrt() + 64.0 * rounding * rounding;
        let polishes = |step: &DVector<f64>| gradient.dot(step).abs() <= unseen;
        let polishing = whole.as_ref().is_some_and(polishes);
        let step = if polishing { whole } else { step(&newton, &gauss, &gradient, damping) };
        let Some(step) = step else {
            return ended(model, here.cost, here.cost == 0.0);
        };
        let size = step.amax();
        if polishing && (size >= 0.5 * last || size == 0.0) {
            return ended(model, here.cost, true);
        }
        let next = model.stepped(step.as_slice());
        let there = sums(&next, points);
        let falls = there.cost < here.cost || (polishing && there.cost <= here.cost + 100.0 * unseen);
        if there.cost.is_finite() && falls {
            last = if polishing { size } else { f64::INFINITY };
            (model, here) = (next, there);
            damping = if damping < 1e-9 { 0.0 } else { damping * 0.1 };
        } else if polishing || size <= 1e-15 || damping > 1e12 {
            return ended(model, here.cost, polishing || size <= 1e-9);
        } else {
            damping = (damping * 10.0).max(1e-6);
        }
    }
    Solved { model, cost: here.cost, steps: most, converged: false }
}

fn damped(matrix: &DMatrix<f64>, gauss: &DMatrix<f64>, gradient: &DVector<f64>, damping: f64) -> Option<DVector<f64>> {
    let diagonal = DMatrix::from_diagonal(&gauss.diagonal().map(|d| d.max(1e-300)));
    let step = -(matrix + &diagonal * damping).cholesky()?.solve(gradient);
    step.iter().all(|by| by.is_finite()).then_some(step)
}

fn step(newton: &DMatrix<f64>, gauss: &DMatrix<f64>, gradient: &DVector<f64>, damping: f64) -> Option<DVector<f64>> {
    // What the points leave open is held by a damping that does not disturb the rest.
    damped(newton, gauss, gradient, damping)
        .or_else(|| damped(gauss, gauss, gradient, damping))
        .or_else(|| damped(gauss, gauss, gradient, damping.max(1e-12)))
}

#[cfg(test)]
mod tests {
    use super::super::shape::Shape;
    use super::*;
    use base::random::Random;

    #[test]
    fn the_sums_of_a_plane_are_those_of_any_shape() {
        let mut random = Random::new(3, 3);
        let mut vector = || Vector::from_fn(|_, _| random.range(-1.0, 1.0));
        let points: Vec<Point> = (0..50).map(|_| Point::from(vector())).collect();
        let weights: Vec<f64> = points.iter().map(|point| point.x.max(0.0)).collect();
        let model = Model::of(&Shape::Plane { point: Point::from(vector()), normal: vector().normalize() });
        let fast = of_plane(&model, &points, &weights);
        let mut slow = Sums::ZERO;
        points.iter().zip(&weights).for_each(|(point, weight)| add_point(&model, point, *weight, &mut slow));
        let near = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(near(&fast.gradient, &slow.gradient), "{:?} {:?}", fast.gradient, slow.gradient);
        assert!(
            near(&fast.gauss, &slow.gauss) && near(&fast.newton, &slow.newton),
            "{:?}\n{:?}",
            fast.newton,
            slow.newton
        );
        assert!((fast.cost - slow.cost).abs() < 1e-12);
    }
}
