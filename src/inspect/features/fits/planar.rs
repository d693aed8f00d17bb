//! Fits in a plane: points in plane coordinates, and least squares by damped Gauss-Newton iterations.

use nalgebra::{DMatrix, DVector, Matrix6, SMatrix, SVector};

use super::model::any_perpendicular;
use super::shape::Shape;
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Maximum number of iterations.
const MAX_ITERATIONS: usize = 300;
/// Eigenvalues of the scaled problem below this share of the largest count as undetermined.
const MIN_RELATIVE_EIGENVALUE: f64 = 1e-12;

/// A point in plane coordinates, in units of the points' size about their centroid.
pub type PlanePoint = [f64; 2];

/// A plane with coordinate axes and its origin at the projected centroid of the points used.
pub struct Frame {
    origin: Point,
    axes: [Vector; 2],
    /// The plane's unit normal.
    pub normal: Vector,
    /// Unit of plane coordinates, mm: a power of two, so that scaling is exact.
    pub size_mm: f64,
}

impl Frame {
    /// The frame in `plane` about the `points` of positive weight; returns an error if `plane` is not a plane.
    pub fn of(plane: &Shape, points: &[Point], weights: &[f64]) -> Result<Self> {
        let Shape::Plane { point, normal } = *plane else {
            return Err(UserError::usage(format!(
                "A fit in a plane needs a plane, not a {}.",
                plane.kind().name().to_lowercase()
            )));
        };
        crate::features::Element::from(*plane).checked()?;
        let normal = normal.normalize();
        let x = any_perpendicular(&normal);
        let normalisation = super::Normalisation::of(points, weights);
        let centroid = Point::from(normalisation.centroid);
        let origin = centroid - normal * (centroid - point).dot(&normal);
        Ok(Self { origin, axes: [x, normal.cross(&x)], normal, size_mm: normalisation.size_mm })
    }

    /// The projection of a point in plane coordinates.
    pub fn inward(&self, point: &Point) -> PlanePoint {
        let offset = (point - self.origin) / self.size_mm;
        self.axes.map(|axis| offset.dot(&axis))
    }

    /// The point in space, mm, of plane coordinates.
    pub fn outward(&self, point: PlanePoint) -> Point {
        self.origin + (self.axes[0] * point[0] + self.axes[1] * point[1]) * self.size_mm
    }

    /// The unit vector at an angle from the first axis, rad.
    pub fn direction(&self, angle: f64) -> Vector {
        self.axes[0] * angle.cos() + self.axes[1] * angle.sin()
    }

    /// The angle of a direction from the first axis, rad.
    pub fn angle(&self, direction: &Vector) -> f64 {
        direction.dot(&self.axes[1]).atan2(direction.dot(&self.axes[0]))
    }

    /// Covariance of motions in space, mm and rad, from that of translations along both axes (in units of the frame)
    /// and of the rotation about the normal.
    pub fn motion(&self, covariance: &nalgebra::Matrix3<f64>) -> Matrix6<f64> {
        let mut spatial = nalgebra::Matrix6x3::zeros();
        spatial.fixed_view_mut::<3, 1>(0, 0).copy_from(&(self.axes[0] * self.size_mm));
        spatial.fixed_view_mut::<3, 1>(0, 1).copy_from(&(self.axes[1] * self.size_mm));
        spatial.fixed_view_mut::<3, 1>(3, 2).copy_from(&self.normal);
        spatial * covariance * spatial.transpose()
    }
}

/// Result of a minimisation.
pub struct Solution<const N: usize> {
    /// The parameters.
    pub parameters: [f64; N],
    /// Sum of w f².
    pub cost: f64,
    /// Sum of w f' f'ᵀ.
    information: DMatrix<f64>,
    /// Number of iterations.
    pub steps: usize,
    /// Whether the steps became as small as rounding allows.
    pub converged: bool,
}

struct Sums {
    cost: f64,
    gradient: DVector<f64>,
    information: DMatrix<f64>,
}

/// Minimises the sum of w f² from `start` to a local minimum. `residual` returns f of a point and its derivatives by
/// the parameters. Gauss-Newton steps with Levenberg-Marquardt damping while the sum does not decrease.
pub fn solve<const N: usize>(
    start: [f64; N],
    points: &[PlanePoint],
    weights: &[f64],
    residual: impl Fn(&[f64; N], &PlanePoint) -> (f64, [f64; N]),
) -> Solution<N> {
    let sums = |parameters: &[f64; N]| {
        let (mut cost, mut gradient, mut information) =
            (0.0, SVector::<f64, N>::zeros(), SMatrix::<f64, N, N>::zeros());
        for (point, &weight) in points.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            let (f, gradient_of_f) = residual(parameters, point);
            let by = SVector::from(gradient_of_f);
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
    for steps in 1..=MAX_ITERATIONS {
        let ended = |parameters, here: Sums, converged| Solution {
            parameters,
            cost: here.cost,
            information: here.information,
            steps,
            converged,
        };
        let Some(step) = step(&here, damping).or_else(|| step(&here, damping.max(1e-9))) else {
            return ended(parameters, here, false);
        };
        // The predicted decrease is below the rounding of the sum: continue by the gradient alone.
        let predicted = here.gradient.dot(&step).abs();
        let polishing = predicted <= 1e-10 * here.cost + 64.0 * rounding * (here.cost.sqrt() + rounding);
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
    Solution { parameters, cost: here.cost, information: here.information, steps: MAX_ITERATIONS, converged: false }
}

fn step(sums: &Sums, damping: f64) -> Option<DVector<f64>> {
    let damped = sums.information.diagonal().map(|entry| entry.max(1e-300) * damping);
    let step = -(&sums.information + DMatrix::from_diagonal(&damped)).cholesky()?.solve(&sums.gradient);
    step.iter().all(|component| component.is_finite()).then_some(step)
}

impl<const N: usize> Solution<N> {
    /// Inverse of the sum of w f' f'ᵀ, and the condition number of the scaled problem; `None` if a parameter is
    /// undetermined.
    pub fn cofactors(&self) -> Option<(DMatrix<f64>, f64)> {
        let scales = self.information.diagonal().map(f64::sqrt);
        if !(scales.min() > 0.0) {
            return None;
        }
        let scaled = DMatrix::from_fn(N, N, |i, j| self.information[(i, j)] / (scales[i] * scales[j]));
        let values = scaled.symmetric_eigenvalues();
        let (min, max) = (values.min(), values.max());
        if !(min > MIN_RELATIVE_EIGENVALUE * max) {
            return None;
        }
        let inverse = scaled.cholesky()?.inverse();
        let cofactors = DMatrix::from_fn(N, N, |i, j| inverse[(i, j)] / (scales[i] * scales[j]));
        Some((cofactors, (max / min).sqrt()))
    }
}
