//! Lines and arcs fitted to the measured points of a section, with their uncertainty.
//!
//! The standard uncertainty follows from the scatter of the points about the fit and from their number (JCGM 100:2008,
//! 4.2 and 5.1). The noise of surface sensors is correlated between neighbouring points: where means of neighbours
//! scatter by more than independent points would let them, that scatter counts. Not included are the alignment, which
//! brings the points into the plane, and systematic errors of the sensor, which move all points of a line alike.

use nalgebra::{Matrix3, SymmetricEigen, Vector3};

use super::outline::{Outline, arc_gradient, away, circle, line};
use super::plane::PlanePoint;
use crate::robust_scale::{self, SIGMA_OF_MEDIAN};

/// Residuals beyond this many standard deviations are rejected, robustly estimated.
pub const REJECTED_SIGMAS: f64 = 3.0;
/// Share of the variance of a normal distribution within [`REJECTED_SIGMAS`].
const REMAINING_VARIANCE: f64 = 0.9733;
/// Fewest points whose correlation is estimated, and the number of groups of neighbours that it is estimated from.
const MIN_CORRELATED: usize = 160;
const GROUPS: usize = 32;

/// A line or an arc fitted to points.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedOutline {
    /// The line or the arc.
    pub outline: Outline,
    /// It moved by one standard uncertainty, to both sides, along each of its independent motions.
    pub moved: Vec<[Outline; 2]>,
}

/// The line or circle of least squares through measured points, in their order along the contour, without those that
/// stand off; `None` where there is none.
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
    match *outline {
        Outline::Line { middle, along } => {
            let position = |own: &PlanePoint| (own[0] - middle[0]) * along[0] + (own[1] - middle[1]) * along[1];
            let count = points.len() as f64;
            let mean_mm = points.iter().map(position).sum::<f64>() / count;
            let spread: f64 = points.iter().map(|own| (position(own) - mean_mm).powi(2)).sum();
            let variance = variance(&residuals, 2);
            let (shift_mm, turn_rad) = ((variance / count).sqrt(), (variance / spread).sqrt());
            let shifted = |sign: f64| {
                let by_mm = sign * shift_mm;
                Outline::Line { middle: [middle[0] - by_mm * along[1], middle[1] + by_mm * along[0]], along }
            };
            // About the mean of the points, where shift and turn are independent.
            let turned = |sign: f64| {
                let (sin, cos) = (sign * turn_rad).sin_cos();
                let turned = [cos * along[0] - sin * along[1], sin * along[0] + cos * along[1]];
                let middle = [0, 1].map(|axis| middle[axis] + mean_mm * (along[axis] - turned[axis]));
                Outline::Line { middle, along: turned }
            };
            Some(vec![[1.0, -1.0].map(shifted), [1.0, -1.0].map(turned)])
        }
        Outline::Arc { centre, radius_mm } => {
            let mut information = Matrix3::<f64>::zeros();
            for [x, y] in points {
                let gradient = arc_gradient([x - centre[0], y - centre[1]]);
                information += gradient * gradient.transpose();
            }
            let modes = SymmetricEigen::new(information.try_inverse()? * variance(&residuals, 3));
            let modes = modes.eigenvalues.iter().zip(modes.eigenvectors.column_iter()).map(|(value, direction)| {
                let step: Vector3<f64> = direction * value.max(0.0).sqrt();
                [1.0, -1.0].map(|sign| Outline::Arc {
                    centre: [centre[0] + sign * step.x, centre[1] + sign * step.y],
                    radius_mm: radius_mm + sign * step.z,
                })
            });
            Some(modes.collect())
        }
    }
}

/// Variance of a residual as if all were independent, after a fit of so many parameters: that of single points or, where
/// it is more, that which the means of neighbours show.
pub fn variance(residuals: &[f64], parameters: usize) -> f64 {
    let squares: f64 = residuals.iter().map(|own| own * own).sum();
    let single = squares / residuals.len().saturating_sub(parameters).max(1) as f64;
    if residuals.len() < MIN_CORRELATED {
        return single / REMAINING_VARIANCE;
    }
    let groups = residuals.chunks(residuals.len().div_ceil(GROUPS));
    let freedom = groups.len() - parameters;
    let of_group = |group: &[f64]| group.iter().sum::<f64>().powi(2) / group.len() as f64;
    single.max(groups.map(of_group).sum::<f64>() / freedom as f64) / REMAINING_VARIANCE
}
