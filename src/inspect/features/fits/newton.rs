//! Minimisation of weighted sums of squared distances by Newton's method with exact second derivatives.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;

use super::model::{Form, MOTIONS, Model, PAIRS, Residual};
use geometry::{Point, Vector};

/// Points per task; the sums of the tasks are added in a fixed order.
pub const CHUNK: usize = 2048;
/// Maximum number of parameters of a model.
pub const MAX_PARAMETERS: usize = 7;
/// Maximum number of iterations.
const MAX_ITERATIONS: usize = 300;
/// Iterations after which a circle or a cone is parametrised by curvatures instead.
const MAX_DIRECT_ITERATIONS: usize = 60;
/// Factor on the cost of a minimisation that did not converge when results are compared: it may creep without reaching
/// any minimum.
const UNCONVERGED_PENALTY: f64 = 4.0;

/// Points about their centroid, of about unit size, and their weights (empty: all one).
#[derive(Clone, Copy)]
pub struct WeightedPoints<'a> {
    /// Points.
    pub points: &'a [Point],
    /// A weight of at least 0 for each point.
    pub weights: &'a [f64],
}

/// Result of a minimisation.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The model at the minimum.
    pub model: Model,
    /// Sum of w f².
    pub cost: f64,
    /// Number of iterations.
    pub steps: usize,
    /// Whether steps became as small as rounding allows.
    pub converged: bool,
}

impl Solution {
    /// The value by which results of several minimisations are compared; the smallest is the best.
    pub fn rank(&self) -> f64 {
        if self.converged { self.cost } else { UNCONVERGED_PENALTY * self.cost }
    }
}

/// Cost, gradient, and two matrices stored by rows: the Gauss-Newton approximation, and the exact second derivatives.
#[derive(Clone)]
pub struct Sums {
    /// Sum of w f².
    pub cost: f64,
    gradient: [f64; MAX_PARAMETERS],
    gauss: [f64; MAX_PARAMETERS * MAX_PARAMETERS],
    newton: [f64; MAX_PARAMETERS * MAX_PARAMETERS],
}

impl Sums {
    const ZERO: Self = Self {
        cost: 0.0,
        gradient: [0.0; MAX_PARAMETERS],
        gauss: [0.0; MAX_PARAMETERS * MAX_PARAMETERS],
        newton: [0.0; MAX_PARAMETERS * MAX_PARAMETERS],
    };

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

    fn matrix(entries: &[f64; MAX_PARAMETERS * MAX_PARAMETERS], count: usize) -> DMatrix<f64> {
        DMatrix::from_fn(count, count, |row, column| entries[row.min(column) * MAX_PARAMETERS + row.max(column)])
    }

    /// Sum of w f' f'ᵀ over the `count` parameters.
    pub fn information(&self, count: usize) -> DMatrix<f64> {
        Self::matrix(&self.gauss, count)
    }
}

/// First derivative of q by a motion ([`Form::motions`]).
fn motion_derivative(q: &Vector, index: usize) -> Vector {
    if index < 3 { -Vector::ith(index, 1.0) } else { q.cross(&Vector::ith(index - 3, 1.0)) }
}

fn second_motion_derivative(q: &Vector, one: usize, other: usize) -> Vector {
    let axis = |index: usize| Vector::ith(index % 3, 1.0);
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

/// Sums over all points.
pub fn sums(model: &Model, points: WeightedPoints<'_>) -> Sums {
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
    pairwise_sum(&tasks)
}

/// The same for a plane from second moments, since planes are fitted most often and to the most points.
fn of_plane(model: &Model, points: &[Point], weights: &[f64]) -> Sums {
    // Moments of 1, x, y, z, xx, xy, yy, xz, yz, zz in the model's frame.
    let mut m = [0.0; 10];
    let (rotation, translation) =
        (model.points_from_model.rotation.to_rotation_matrix(), model.points_from_model.translation.vector);
    let to_model = rotation.transpose();
    for (i, point) in points.iter().enumerate() {
        let w = weights.get(i).copied().unwrap_or(1.0);
        if w > 0.0 {
            let [x, y, z]: [f64; 3] = (to_model * (point.coords - translation)).into();
            let terms = [1.0, x, y, z, x * x, x * y, y * y, x * z, y * z, z * z];
            m.iter_mut().zip(terms).for_each(|(sum, term)| *sum += w * term);
        }
    }
    let mut total = Sums { cost: m[9], ..Sums::ZERO };
    // The distance z changes by -1 per translation along z, by -y per rotation about x and by +x per rotation about y.
    total.gradient[..3].copy_from_slice(&[-m[3], -m[8], m[7]]);
    let rows = [[m[0], m[2], -m[1]], [0.0, m[6], -m[5]], [0.0, 0.0, m[4]]];
    for (k, row) in rows.iter().enumerate() {
        total.gauss[k * MAX_PARAMETERS..k * MAX_PARAMETERS + 3].copy_from_slice(row);
        total.newton[k * MAX_PARAMETERS..k * MAX_PARAMETERS + 3].copy_from_slice(row);
    }
    // The second derivative of z by a rotation about x or y is -z.
    total.newton[MAX_PARAMETERS + 1] -= m[9];
    total.newton[2 * MAX_PARAMETERS + 2] -= m[9];
    total
}

/// Pairwise summation, so that rounding grows with the logarithm of their number.
fn pairwise_sum(tasks: &[Sums]) -> Sums {
    match tasks {
        [] => Sums::ZERO,
        [one] => one.clone(),
        many => {
            let (left, right) = many.split_at(many.len() / 2);
            pairwise_sum(left).add(&pairwise_sum(right))
        }
    }
}

fn add_point(model: &Model, point: &Point, weight: f64, total: &mut Sums) {
    if weight <= 0.0 {
        return;
    }
    let local = LocalPoint::of(model, point);
    let count = model.form.parameters();
    let residuals = model.residuals(&local.q);
    for residual in &residuals[..model.form.residuals()] {
        let f = residual.f;
        let by = local.first(residual, count);
        total.cost += weight * f * f;
        for k in 0..count {
            total.gradient[k] += weight * f * by[k];
            let gradient_change = local.gradient_change(residual, k);
            for l in k..count {
                total.gauss[k * MAX_PARAMETERS + l] += weight * by[k] * by[l];
                total.newton[k * MAX_PARAMETERS + l] +=
                    weight * (by[k] * by[l] + f * local.second(residual, &gradient_change, k, l));
            }
        }
    }
}

/// A point in the model's frame with its derivatives by the motions.
struct LocalPoint {
    q: Vector,
    motions: &'static [usize],
    moved: [Vector; MOTIONS],
}

impl LocalPoint {
    #[inline]
    fn of(model: &Model, point: &Point) -> Self {
        let q = model.points_from_model.inverse_transform_point(point).coords;
        let motions = model.form.motions();
        let mut moved = [Vector::zeros(); MOTIONS];
        motions.iter().zip(&mut moved).for_each(|(&index, moved)| *moved = motion_derivative(&q, index));
        Self { q, motions, moved }
    }

    /// Derivatives of a residual by the parameters.
    #[inline]
    fn first(&self, residual: &Residual, count: usize) -> [f64; MAX_PARAMETERS] {
        let mut by = [0.0; MAX_PARAMETERS];
        for (k, by) in by[..count].iter_mut().enumerate() {
            *by = match self.motions.len() {
                motions if k < motions => residual.q.dot(&self.moved[k]),
                motions => residual.s[k - motions],
            };
        }
        by
    }

    /// Derivative of the residual's gradient (by q) by parameter `k`.
    #[inline]
    fn gradient_change(&self, residual: &Residual, k: usize) -> Vector {
        match self.motions.len() {
            motions if k < motions => residual.qq * self.moved[k],
            motions => residual.qs[k - motions],
        }
    }

    /// Second derivative by parameters `k` and `l`, k ≤ l; `gradient_change` is that of `k`.
    #[inline]
    fn second(&self, residual: &Residual, gradient_change: &Vector, k: usize, l: usize) -> f64 {
        let motions = self.motions.len();
        match (k < motions, l < motions) {
            (true, true) => {
                let twice = second_motion_derivative(&self.q, self.motions[k], self.motions[l]);
                gradient_change.dot(&self.moved[l]) + residual.q.dot(&twice)
            }
            (true, false) => residual.qs[l - motions].dot(&self.moved[k]),
            _ => residual.ss[PAIRS[k - motions][l - motions]],
        }
    }
}

/// Each residual of a point with its derivatives by the parameters.
pub fn rows(model: &Model, point: &Point) -> [(f64, [f64; MAX_PARAMETERS]); 2] {
    let local = LocalPoint::of(model, point);
    model.residuals(&local.q).map(|residual| (residual.f, local.first(&residual, model.form.parameters())))
}

/// Second derivatives of the first residual of a point by the parameters.
pub fn curvature(model: &Model, point: &Point) -> DMatrix<f64> {
    let (local, count) = (LocalPoint::of(model, point), model.form.parameters());
    let [residual, _] = model.residuals(&local.q);
    DMatrix::from_fn(count, count, |row, column| {
        let (k, l) = (row.min(column), row.max(column));
        local.second(&residual, &local.gradient_change(&residual, k), k, l)
    })
}

/// Minimises the cost from `start` to a local minimum.
///
/// Newton steps if the matrix of second derivatives is positive definite, else Gauss-Newton steps, with
/// Levenberg-Marquardt damping while the cost does not decrease. Once the decrease is below the rounding of the cost,
/// steps continue by the gradient alone until they are as small as rounding allows.
pub fn solve(start: Model, points: WeightedPoints<'_>) -> Solution {
    let max_iterations =
        if matches!(start.form, Form::Circle | Form::Cone) { MAX_DIRECT_ITERATIONS } else { MAX_ITERATIONS };
    let first = steps(start, points, max_iterations);
    if first.converged {
        return first;
    }
    // The iteration creeps along a curved valley, which parametrisation by curvatures avoids.
    let other = first.model.shape().map(|shape| Model::on_surface(&shape));
    let second = match other.filter(|other| other.form != first.model.form) {
        Some(other) => steps(other, points, MAX_ITERATIONS),
        None => steps(first.model, points, MAX_ITERATIONS - max_iterations),
    };
    Solution { steps: first.steps + second.steps, ..second }
}

/// At most `max_iterations` of [`solve`].
fn steps(start: Model, points: WeightedPoints<'_>, max_iterations: usize) -> Solution {
    let count = start.form.parameters();
    let mut model = start;
    let mut here = sums(&model, points);
    let (mut damping, mut last) = (0.0_f64, f64::INFINITY);
    // Sum of weights.
    let total = if points.weights.is_empty() { points.points.len() as f64 } else { points.weights.iter().sum() };
    let rounding = f64::EPSILON * total.sqrt();
    for steps in 1..=max_iterations {
        let ended = |model: Model, cost: f64, converged: bool| Solution { model, cost, steps, converged };
        let gradient = here.gradient(count);
        let (newton, gauss) = (Sums::matrix(&here.newton, count), here.information(count));
        // Predicted decrease of the undamped step; below the rounding of the cost it is not observable.
        let whole = damped(&newton, &gauss, &gradient, 0.0);
        let unobservable = 1e-10 * here.cost + 64.0 * rounding * here.cost.sqrt() + 64.0 * rounding * rounding;
        let is_unobservable = |step: &DVector<f64>| gradient.dot(step).abs() <= unobservable;
        let polishing = whole.as_ref().is_some_and(is_unobservable);
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
        let falls = there.cost < here.cost || (polishing && there.cost <= here.cost + 100.0 * unobservable);
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
    Solution { model, cost: here.cost, steps: max_iterations, converged: false }
}

fn damped(matrix: &DMatrix<f64>, gauss: &DMatrix<f64>, gradient: &DVector<f64>, damping: f64) -> Option<DVector<f64>> {
    let diagonal = DMatrix::from_diagonal(&gauss.diagonal().map(|d| d.max(1e-300)));
    let step = -(matrix + &diagonal * damping).cholesky()?.solve(gradient);
    step.iter().all(|by| by.is_finite()).then_some(step)
}

fn step(newton: &DMatrix<f64>, gauss: &DMatrix<f64>, gradient: &DVector<f64>, damping: f64) -> Option<DVector<f64>> {
    // Undetermined parameters are fixed by a damping too small to affect the others.
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
