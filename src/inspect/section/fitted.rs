//! Lines and arcs fitted to the measured points of a section, with their uncertainty.
//!
//! The standard uncertainty follows from the scatter of the points about the fit (JCGM 100:2008, 4.2 and 5.1). The noise of
//! surface sensors is correlated over an unknown distance, which may be a good part of a line: it is estimated from the
//! residuals as for features, by their likelihood, with what they leave open allowed for. Not included are the alignment,
//! which brings the points into the plane, and systematic errors of the sensor, which move all points of a line alike.

use nalgebra::{DMatrix, DVector};

use super::outline::{Outline, arc_gradient, away, circle, line};
use super::plane::PlanePoint;
use crate::features::fits::{CorrelatedNoise, LinearFit};
use crate::robust_scale::{self, SIGMA_OF_MEDIAN};
use geometry::Vector;

/// Residuals beyond this many standard deviations are rejected, robustly estimated.
pub const REJECTED_SIGMAS: f64 = 3.0;
/// Share of the variance of a normal distribution within [`REJECTED_SIGMAS`].
pub const REMAINING_VARIANCE: f64 = 0.9733;

/// A line or an arc fitted to points.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedOutline {
    /// The line or the arc.
    pub outline: Outline,
    /// It moved by one standard uncertainty, to both sides, along each of its independent motions.
    pub moved: Vec<[Outline; 2]>,
}

/// The line or circle of least squares through measured points, without those that stand off; `None` where there is none.
/// `noise`: the correlated noise that is known from elsewhere.
pub fn fitted(like: &Outline, points: &[PlanePoint], noise: Option<&CorrelatedNoise>) -> Option<FittedOutline> {
    let (found, used) = robust(like, points)?;
    let outline = match (found, like) {
        // As the line of the nominal runs.
        (Outline::Line { middle, along }, Outline::Line { along: nominal, .. })
            if along[0] * nominal[0] + along[1] * nominal[1] < 0.0 =>
        {
            Outline::Line { middle, along: along.map(std::ops::Neg::neg) }
        }
        _ => found,
    };
    Some(FittedOutline { outline, moved: moved(&outline, &used, noise)? })
}

/// The line or circle through points, and those that do not stand off.
fn robust(like: &Outline, points: &[PlanePoint]) -> Option<(Outline, Vec<PlanePoint>)> {
    let fit = |points: &[PlanePoint]| match like {
        Outline::Line { .. } => line(points),
        Outline::Arc { .. } => circle(points),
    };
    let first = fit(points)?;
    let mut residuals: Vec<f64> = points.iter().map(|point| away(&first, point).abs()).collect();
    let limit = REJECTED_SIGMAS * SIGMA_OF_MEDIAN * robust_scale::median(&mut residuals)?;
    let kept: Vec<PlanePoint> = points.iter().copied().filter(|own| away(&first, own).abs() <= limit).collect();
    Some(fit(&kept).map_or_else(|| (first, points.to_vec()), |own| (own, kept)))
}

/// An outline fitted to `points`, moved by one standard uncertainty along each of its independent motions: the columns of a
/// factor of the covariance of its parameters.
fn moved(outline: &Outline, points: &[PlanePoint], noise: Option<&CorrelatedNoise>) -> Option<Vec<[Outline; 2]>> {
    let linear = linear(outline, points);
    let found = noise.map_or_else(|| linear.covariance(), |noise| linear.covariance_with(noise))?;
    let covariance = found / REMAINING_VARIANCE;
    // Exact points have no scatter.
    let deviations = covariance.diagonal().map(|variance| variance.max(0.0).sqrt());
    let factor = covariance.cholesky().map_or_else(|| DMatrix::from_diagonal(&deviations), |factor| factor.l());
    let step = |column: usize| factor.column(column).into_owned();
    let by = |step: DVector<f64>| [1.0, -1.0].map(|sign| stepped(outline, points, &(&step * sign)));
    Some((0..factor.ncols()).map(step).map(by).collect())
}

/// Position along a line of the mean of points, and their mean distance from it, mm.
fn mean_and_arm_mm(middle: &PlanePoint, along: &PlanePoint, points: &[PlanePoint]) -> [f64; 2] {
    let count = points.len().max(1) as f64;
    let mean_mm = points.iter().map(|own| position_mm(middle, along, own)).sum::<f64>() / count;
    let squares: f64 = points.iter().map(|own| (position_mm(middle, along, own) - mean_mm).powi(2)).sum();
    [mean_mm, (squares / count).sqrt().max(f64::MIN_POSITIVE)]
}

fn position_mm(middle: &PlanePoint, along: &PlanePoint, point: &PlanePoint) -> f64 {
    (point[0] - middle[0]) * along[0] + (point[1] - middle[1]) * along[1]
}

/// The point of an outline nearest to another.
fn on(outline: &Outline, point: &PlanePoint) -> PlanePoint {
    match outline {
        Outline::Line { middle, along } => {
            let way = position_mm(middle, along, point);
            [0, 1].map(|axis| middle[axis] + way * along[axis])
        }
        Outline::Arc { centre, radius_mm } => {
            let [x, y] = [0, 1].map(|axis| point[axis] - centre[axis]);
            let share = radius_mm / x.hypot(y).max(f64::MIN_POSITIVE);
            [centre[0] + share * x, centre[1] + share * y]
        }
    }
}

/// The fit of an outline to points, linearised. Parameters of a line are a shift, and a turn about the mean of the points by how
/// far it moves at their mean distance from it, mm; of an arc its centre and its radius, mm.
fn linear(outline: &Outline, points: &[PlanePoint]) -> LinearFit {
    let rows = match outline {
        Outline::Line { middle, along } => {
            let [mean_mm, arm_mm] = mean_and_arm_mm(middle, along, points);
            DMatrix::from_fn(points.len(), 2, |index, column| match column {
                0 => 1.0,
                _ => (position_mm(middle, along, &points[index]) - mean_mm) / arm_mm,
            })
        }
        Outline::Arc { centre, .. } => DMatrix::from_fn(points.len(), 3, |index, column| {
            let [x, y] = points[index];
            arc_gradient([x - centre[0], y - centre[1]])[column]
        }),
    };
    LinearFit {
        // On the outline: what lies apart by its noise alone would be explained by where it lies.
        positions: points.iter().map(|own| on(outline, own)).map(|[x, y]| Vector::new(x, y, 0.0)).collect(),
        residuals: points.iter().map(|own| away(outline, own)).collect(),
        rows,
    }
}

/// An outline after a step of the parameters of [`linear`].
fn stepped(outline: &Outline, points: &[PlanePoint], step: &DVector<f64>) -> Outline {
    match outline {
        Outline::Line { middle, along } => {
            let [mean_mm, arm_mm] = mean_and_arm_mm(middle, along, points);
            let (sin, cos) = (step[1] / arm_mm).sin_cos();
            let turned = [cos * along[0] - sin * along[1], sin * along[0] + cos * along[1]];
            let normal = [-along[1], along[0]];
            let at = |axis: usize| middle[axis] + mean_mm * (along[axis] - turned[axis]) + step[0] * normal[axis];
            Outline::Line { middle: [at(0), at(1)], along: turned }
        }
        Outline::Arc { centre, radius_mm } => {
            Outline::Arc { centre: [centre[0] + step[0], centre[1] + step[1]], radius_mm: radius_mm + step[2] }
        }
    }
}

/// The correlated noise that points of a line or an arc show, those that stand off left out; `None` if they are too few.
pub fn noise(like: &Outline, points: &[PlanePoint]) -> Option<CorrelatedNoise> {
    let (outline, kept) = robust(like, points)?;
    linear(&outline, &kept).noise()
}
