//! Fits in a plane: places seen in it, and sums of squared distances made least by Gauss and Newton's method.

use nalgebra::{DMatrix, DVector, Matrix6, SMatrix, SVector};

use super::model::any_square_to;
use super::shape::Shape;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Steps that no sound set of points needs.
const STEPS: usize = 300;
/// Eigenvalues of the scaled problem below this share of the largest are not determined.
const OPEN: f64 = 1e-12;

/// A place in the plane, in units of the points' size about their centroid.
pub type Place = [f64; 2];

/// A plane with axes, about the centroid of the points used.
pub struct Frame {
    origin: Point,
    axes: [Vector; 2],
    /// The plane's unit normal.
    pub normal: Vector,
    /// The unit of places: a power of two, so that scaling rounds nothing.
    pub size_mm: f64,
}

impl Frame {
    /// In `plane`, about the `points` of weight above zero.
    pub fn of(plane: &Shape, points: &[Point], weights: &[f64]) -> Result<Self> {
        let Shape::Plane { point, normal } = *plane else {
            return Err(UserError::usage(format!(
                "A fit in a plane needs a plane, not a {}.",
                plane.kind().name().to_lowercase()
            )));
        };
        super::Element::from(*plane).checked()?;
        let normal = normal.normalize();
        let x = any_square_to(&normal);
        let about = super::Normal::of(points, weights);
        let centroid = Point::from(about.centroid);
        let origin = centroid - normal * (centroid - point).dot(&normal);
        Ok(Self { origin, axes: [x, normal.cross(&x)], normal, size_mm: about.size_mm })
    }

    /// A point seen in the plane.
    pub fn inward(&self, point: &Point) -> Place {
        let away = (point - self.origin) / self.size_mm;
        self.axes.map(|axis| away.dot(&axis))
    }

    /// The point at a place of the plane.
    pub fn outward(&self, place: Place) -> Point {
        self.origin + (self.axes[0] * place[0] + self.axes[1] * place[1]) * self.size_mm
    }

    /// The unit vector at an angle from the first axis, rad.
    pub fn direction(&self, angle: f64) -> Vector {
        self.axes[0] * angle.cos() + self.axes[1] * angle.sin()
    }

    /// The angle of a direction from the first axis, rad.
    pub fn angle(&self, direction: &Vector) -> f64 {
        direction.dot(&self.axes[1]).atan2(direction.dot(&self.axes[0]))
    }

    /// Covariance of motions in space, mm and rad, from those of shifts along both axes (in units of the frame) and of
    /// the turn about the normal.
    pub fn motion(&self, covariance: &nalgebra::Matrix3<f64>) -> Matrix6<f64> {
        let mut spatial = nalgebra::Matrix6x3::zeros();
        spatial.fixed_view_mut::<3, 1>(0, 0).copy_from(&(self.axes[0] * self.size_mm));
        spatial.fixed_view_mut::<3, 1>(0, 1).copy_from(&(self.axes[1] * self.size_mm));
        spatial.fixed_view_mut::<3, 1>(3, 2).copy_from(&self.normal);
        spatial * covariance * spatial.transpose()
    }
}

/// Where the search ended.
pub struct Solved<const N: usize> {
    /// The parameters.
    pub parameters: [f64; N],
    /// Sum of w f².
    pub cost: f64,
    /// Sum of w f' f'ᵀ.
    information: DMatrix<f64>,
    /// Steps taken.
    pub steps: usize,
    /// Whether steps became as small as rounding allows.
    pub converged: bool,
}

struct Sums {
    cost: f64,
    gradient: DVector<f64>,
    information: DMatrix<f64>,
}

/// Goes down from `start` to the nearest least sum of w f², f and its derivatives by the parameters being `residual`
/// of each place. Gauss and Newton's steps, damped after Levenberg and Marquardt while the sum does not fall.
pub fn solve<const N: usize>(
    start: [f64; N],
    places: &[Place],
    weights: &[f64],
    residual: impl Fn(&[f64; N], &Place) -> (f64, [f64; N]),
) -> Solved<N> {
    let sums = |parameters: &[f64; N]| {
        let (mut cost, mut gradient, mut information) =
            (0.0, SVector::<f64, N>::zeros(), SMatrix::<f64, N, N>::zeros());
        for (place, &weight) in places.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            let (f, by) = residual(parameters, place);
            let by = SVector::from(by);
            cost += weight * f * f;
            gradient += by * (weight * f);
            information += by * by.transpose() * weight;
        }
        Sums {
            cost,
            gradient: DVector::from_column_slice(gradient.as_slice()),
            information: DMatrix::from_column_slice(N, N, information.as_slice()),
        }
    };
    let mut parameters = start;
    let mut here = sums(&parameters);
    let (mut damping, mut last) = (0.0_f64, f64::INFINITY);
    let rounding = f64::EPSILON * weights.iter().sum::<f64>().sqrt();
    for steps in 1..=STEPS {
        let ended = |parameters, here: Sums, converged| Solved {
            parameters,
            cost: here.cost,
            information: here.information,
            steps,
            converged,
        };
        let Some(step) = step(&here, damping).or_else(|| step(&here, damping.max(1e-9))) else {
            return ended(parameters, here, false);
        };
        // What is promised is below the digits of the sum: go on by the gradient alone.
        let promise = here.gradient.dot(&step).abs();
        let polishing = promise <= 1e-10 * here.cost + 64.0 * rounding * (here.cost.sqrt() + rounding);
        let size = step.amax();
        if polishing && (size >= 0.5 * last || size == 0.0) {
            return ended(parameters, here, true);
        }
        let next: [f64; N] = std::array::from_fn(|k| parameters[k] + step[k]);
        let there = sums(&next);
        if there.cost.is_finite() && (there.cost < here.cost || polishing) {
            last = if polishing { size } else { f64::INFINITY };
            (parameters, here) = (next, there);
            damping = if damping < 1e-9 { 0.0 } else { damping * 0.1 };
        } else if size <= 1e-15 || damping > 1e12 {
            return ended(parameters, here, size <= 1e-9);
        } else {
            damping = (damping * 10.0).max(1e-6);
        }
    }
    Solved { parameters, cost: here.cost, information: here.information, steps: STEPS, converged: false }
}

fn step(sums: &Sums, damping: f64) -> Option<DVector<f64>> {
    let held = sums.information.diagonal().map(|own| own.max(1e-300) * damping);
    let step = -(&sums.information + DMatrix::from_diagonal(&held)).cholesky()?.solve(&sums.gradient);
    step.iter().all(|by| by.is_finite()).then_some(step)
}

impl<const N: usize> Solved<N> {
    /// Inverse of the sum of w f' f'ᵀ, and the condition of the scaled problem; `None` where a parameter is open.
    pub fn cofactors(&self) -> Option<(DMatrix<f64>, f64)> {
        let scales = self.information.diagonal().map(f64::sqrt);
        if !(scales.min() > 0.0) {
            return None;
        }
        let scaled = DMatrix::from_fn(N, N, |i, j| self.information[(i, j)] / (scales[i] * scales[j]));
        let values = scaled.symmetric_eigenvalues();
        let (least, most) = (values.min(), values.max());
        if !(least > OPEN * most) {
            return None;
        }
        let inverse = scaled.cholesky()?.inverse();
        let cofactors = DMatrix::from_fn(N, N, |i, j| inverse[(i, j)] / (scales[i] * scales[j]));
        Some((cofactors, (most / least).sqrt()))
    }
}
