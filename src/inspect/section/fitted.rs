//! Lines and arcs fitted to the measured points of a section, with their uncertainty.
//!
//! The standard uncertainty follows from the scatter of the points about the fit (JCGM 100:2008, 4.2 and 5.1). The noise of
//! surface sensors is correlated over an unknown distance, which may be a good part of a line: it is estimated from the
//! residuals as for features, by their likelihood, with what they leave open allowed for. Not included are the alignment,
//! which brings the points into the plane, and systematic errors of the sensor, which move all points of a line alike.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::outline::{Outline, arc_gradient, away, circle, line};
use super::plane::PlanePoint;
use crate::features::fits::residual_covariance;
use crate::robust_scale::{self, SIGMA_OF_MEDIAN};
use geometry::Vector;

/// Residuals beyond this many standard deviations are rejected, robustly estimated.
pub const REJECTED_SIGMAS: f64 = 3.0;
/// Share of the variance of a normal distribution within [`REJECTED_SIGMAS`].
const REMAINING_VARIANCE: f64 = 0.9733;

/// A line or an arc fitted to points.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedOutline {
    /// The line or the arc.
    pub outline: Outline,
    /// It moved by one standard uncertainty, to both sides, along each of its independent motions.
    pub moved: Vec<[Outline; 2]>,
}

/// The line or circle of least squares through measured points, without those that stand off; `None` where there is none.
pub fn fitted(like: &Outline, points: &[PlanePoint]) -> Option<FittedOutline> {
    let fit = |points: &[PlanePoint]| match like {
        Outline::Line { .. } => line(points),
        Outline::Arc { .. } => circle(points),
    };
    let first = fit(points)?;
    let mut residuals: Vec<f64> = points.iter().map(|point| away(&first, point).abs()).collect();
    let limit = REJECTED_SIGMAS * SIGMA_OF_MEDIAN * robust_scale::median(&mut residuals)?;
    let kept: Vec<PlanePoint> = points.iter().copied().filter(|own| away(&first, own).abs() <= limit).collect();
    let (found, used) = fit(&kept).map_or((first, points), |own| (own, kept.as_slice()));
    let outline = match (found, like) {
        // As the line of the nominal runs.
        (Outline::Line { middle, along }, Outline::Line { along: nominal, .. })
            if along[0] * nominal[0] + along[1] * nominal[1] < 0.0 =>
        {
            Outline::Line { middle, along: along.map(std::ops::Neg::neg) }
        }
        _ => found,
    };
    Some(FittedOutline { outline, moved: moved(&outline, used)? })
}

/// An outline fitted to `points`, moved by one standard uncertainty along each of its independent motions.
fn moved(outline: &Outline, points: &[PlanePoint]) -> Option<Vec<[Outline; 2]>> {
    let residuals: Vec<f64> = points.iter().map(|own| away(outline, own)).collect();
    let positions: Vec<Vector> = points.iter().map(|[x, y]| Vector::new(*x, *y, 0.0)).collect();
    match *outline {
        Outline::Line { middle, along } => {
            let position = |own: &PlanePoint| (own[0] - middle[0]) * along[0] + (own[1] - middle[1]) * along[1];
            let mean_mm = points.iter().map(position).sum::<f64>() / points.len() as f64;
            // A shift, and a turn about the mean of the points by what it moves at their mean distance from it.
            let spread = points.iter().map(|own| (position(own) - mean_mm).powi(2)).sum::<f64>() / points.len() as f64;
            let arm_mm = spread.sqrt().max(f64::MIN_POSITIVE);
            let rows = DMatrix::from_fn(points.len(), 2, |index, column| match column {
                0 => 1.0,
                _ => (position(&points[index]) - mean_mm) / arm_mm,
            });
            let by = |step: &DVector<f64>, sign: f64| {
                let (sin, cos) = (sign * step[1] / arm_mm).sin_cos();
                let turned = [cos * along[0] - sin * along[1], sin * along[0] + cos * along[1]];
                let normal = [-along[1], along[0]];
                let at =
                    |axis: usize| middle[axis] + mean_mm * (along[axis] - turned[axis]) + sign * step[0] * normal[axis];
                Outline::Line { middle: [at(0), at(1)], along: turned }
            };
            Some(
                modes(&positions, &residuals, &rows)?
                    .iter()
                    .map(|step| [1.0, -1.0].map(|sign| by(step, sign)))
                    .collect(),
            )
        }
        Outline::Arc { centre, radius_mm } => {
            let rows = DMatrix::from_fn(points.len(), 3, |index, column| {
                let [x, y] = points[index];
                arc_gradient([x - centre[0], y - centre[1]])[column]
            });
            let by = |step: &DVector<f64>, sign: f64| Outline::Arc {
                centre: [centre[0] + sign * step[0], centre[1] + sign * step[1]],
                radius_mm: radius_mm + sign * step[2],
            };
            Some(
                modes(&positions, &residuals, &rows)?
                    .iter()
                    .map(|step| [1.0, -1.0].map(|sign| by(step, sign)))
                    .collect(),
            )
        }
    }
}

/// The independent motions of a fit by one standard uncertainty each, in its parameters.
fn modes(positions: &[Vector], residuals: &[f64], rows: &DMatrix<f64>) -> Option<Vec<DVector<f64>>> {
    let modes = SymmetricEigen::new(covariance(positions, residuals, rows)?);
    let modes = modes.eigenvalues.iter().zip(modes.eigenvectors.column_iter());
    Some(modes.map(|(value, direction)| direction * value.max(0.0).sqrt()).collect())
}

/// Covariance of the parameters of a fit whose residuals beyond [`REJECTED_SIGMAS`] were left out; see
/// [`residual_covariance`].
pub fn covariance(positions: &[Vector], residuals: &[f64], rows: &DMatrix<f64>) -> Option<DMatrix<f64>> {
    residual_covariance(positions, residuals, rows).map(|own| own / REMAINING_VARIANCE)
}
