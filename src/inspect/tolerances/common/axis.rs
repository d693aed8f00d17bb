//! The common axis of cylinders and cones: their least-squares fit with one axis and a size each.

use nalgebra::{DMatrix, DVector, SymmetricEigen};

use super::{Member, centroid, undetermined};
use crate::features::element::Line;
use crate::features::{Element, Shape};
use base::Result;
use geometry::transform::perpendicular_axes;
use geometry::{Point, Vector};

/// Unknowns of the axis: two shifts across it, and two turns.
const AXIS_UNKNOWNS: usize = 4;
const MAX_STEPS: usize = 200;
/// Step that ends the fit, and the largest with which it counts as converged, as shares of the features' size.
const LAST_STEP: f64 = 1e-12;
const MAX_LAST_STEP: f64 = 1e-8;
/// Least eigenvalue of the normal equations per point: below it, the points do not determine an unknown.
const MIN_EIGENVALUE: f64 = 1e-9;
/// Least half length along the axis as a share of the largest radius: below it, a single ring was measured.
const MIN_RELATIVE_LEVER: f64 = 1e-6;

/// Radius as a function of the position along the axis.
struct Profile {
    /// At the origin of the axis, mm.
    radius_mm: f64,
    /// Half the angle of a cone, rad, positive if it widens along the axis; 0 of a cylinder.
    angle_rad: f64,
    /// Index of the radius among the unknowns; of a cone, its angle follows.
    index: usize,
    is_cone: bool,
}

/// The axis, by least squares of the orthogonal distances of all points from their cylinders and cones (Gauss-Newton). Its
/// point is the one closest to the centroid of the points, its direction that of the first feature.
pub(super) fn fit(members: &[Member<'_>]) -> Result<Line> {
    let centre = centroid(members);
    let mut axis = start(members, &centre)?;
    let along = |point: &Point| (point - axis.point).dot(&axis.direction).abs();
    let lever_mm = members.iter().flat_map(|own| own.points).map(along).fold(0.0, f64::max);
    let mut unknowns = AXIS_UNKNOWNS;
    let mut profiles = Vec::with_capacity(members.len());
    for own in members {
        let profile = Profile::of(own, &axis, unknowns)?;
        unknowns += if profile.is_cone { 2 } else { 1 };
        profiles.push(profile);
    }
    let radius_mm = profiles.iter().map(|own| own.radius_mm.abs()).fold(0.0, f64::max);
    let size_mm = lever_mm + radius_mm;
    if !(lever_mm > MIN_RELATIVE_LEVER * radius_mm && size_mm.is_finite()) {
        return Err(undetermined());
    }
    let mut last_mm = f64::INFINITY;
    for _ in 0..MAX_STEPS {
        let step = newton_step(members, &profiles, &axis, lever_mm, unknowns).ok_or_else(undetermined)?;
        let [u, v] = perpendicular_axes(&axis.direction);
        axis.point += u * step[0] + v * step[1];
        axis.direction = (axis.direction + (u * step[2] + v * step[3]) / lever_mm).normalize();
        for own in &mut profiles {
            own.radius_mm += step[own.index];
            if own.is_cone {
                own.angle_rad += step[own.index + 1] / lever_mm;
            }
        }
        let before_mm = std::mem::replace(&mut last_mm, step.amax());
        // Below the largest last step, rounding alone keeps steps from shrinking.
        let is_rounding = last_mm <= MAX_LAST_STEP * size_mm && last_mm >= 0.5 * before_mm;
        if last_mm <= LAST_STEP * size_mm || is_rounding {
            break;
        }
    }
    if !(last_mm <= MAX_LAST_STEP * size_mm) {
        return Err(undetermined());
    }
    Ok(Line { point: axis.foot(&centre), ..axis })
}

/// An axis to start from: through the features that lie farthest apart, if they lie farther apart than they are long, else
/// that of the first.
fn start(members: &[Member<'_>], centre: &Point) -> Result<Line> {
    let first = members.first().ok_or_else(undetermined)?;
    let mut direction = first.element.direction().ok_or_else(undetermined)?;
    let position = first.element.position();
    let length = |own: &Member<'_>| {
        let along = own.points.iter().map(|point| (point - position).dot(&direction));
        let (low, high) =
            along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(own), high.max(own)));
        high - low
    };
    let longest_mm = members.iter().map(length).fold(0.0, f64::max);
    let mut farthest = Vector::zeros();
    for (index, one) in members.iter().enumerate() {
        for other in &members[index + 1..] {
            let between = other.element.position() - one.element.position();
            if between.dot(&direction).abs() > farthest.dot(&direction).abs() {
                farthest = between;
            }
        }
    }
    if farthest.dot(&direction).abs() > longest_mm {
        direction = farthest.normalize() * farthest.dot(&direction).signum();
    }
    let axis = Line { point: position, direction };
    Ok(Line { point: axis.foot(centre), ..axis })
}

impl Profile {
    fn of(own: &Member<'_>, axis: &Line, index: usize) -> Result<Self> {
        match own.element {
            Element::Shape(Shape::Cylinder { radius, .. }) => {
                Ok(Self { radius_mm: radius, angle_rad: 0.0, index, is_cone: false })
            }
            Element::Shape(Shape::Cone { point, axis: own_axis, radius, half_angle_rad }) => {
                let angle_rad = half_angle_rad * own_axis.dot(&axis.direction).signum();
                let along_mm = (point - axis.point).dot(&axis.direction);
                Ok(Self { radius_mm: radius - along_mm * angle_rad.tan(), angle_rad, index, is_cone: true })
            }
            _ => Err(undetermined()),
        }
    }
}

/// The Gauss-Newton step, in mm (turns times the lever); `None` if the points do not determine it.
fn newton_step(
    members: &[Member<'_>],
    profiles: &[Profile],
    axis: &Line,
    lever_mm: f64,
    unknowns: usize,
) -> Option<DVector<f64>> {
    let [u, v] = perpendicular_axes(&axis.direction);
    let (mut normal, mut gradient) = (DMatrix::<f64>::zeros(unknowns, unknowns), DVector::<f64>::zeros(unknowns));
    let mut count = 0_usize;
    for (own, profile) in members.iter().zip(profiles) {
        let (sin, cos) = profile.angle_rad.sin_cos();
        let all = [0, 1, 2, 3, profile.index, profile.index + 1];
        let at = if profile.is_cone { &all[..] } else { &all[..AXIS_UNKNOWNS + 1] };
        for point in own.points {
            let from_axis = point - axis.point;
            let (x, y, z) = (from_axis.dot(&u), from_axis.dot(&v), from_axis.dot(&axis.direction));
            let distance = x.hypot(y);
            // A point on the axis has no direction from it.
            if distance < 1e-12 * lever_mm {
                continue;
            }
            let outside = distance - profile.radius_mm;
            let residual = outside * cos - z * sin;
            let (x_share, y_share) = (cos * x / distance, cos * y / distance);
            let row = [
                -x_share,
                -y_share,
                -(x_share * z + sin * x) / lever_mm,
                -(y_share * z + sin * y) / lever_mm,
                -cos,
                -(outside * sin + z * cos) / lever_mm,
            ];
            count += 1;
            for (i, own) in at.iter().zip(&row) {
                gradient[*i] += own * residual;
                for (j, other) in at.iter().zip(&row) {
                    normal[(*i, *j)] += own * other;
                }
            }
        }
    }
    let least = SymmetricEigen::new(normal.clone()).eigenvalues.min();
    let is_determined = least > MIN_EIGENVALUE * count as f64;
    normal.cholesky().filter(|_| is_determined).map(|factor| factor.solve(&-gradient))
}
