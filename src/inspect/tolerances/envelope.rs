//! The unrelated actual mating envelope of a feature of size, which determines the bonus at maximum material.
//!
//! It is the feature of perfect form that just fits the measured points from the side without material: the largest one
//! within a hole or slot, the smallest one around a shaft or tab. It is unrelated: not constrained in position or
//! direction by any datum. The least-squares size would instead count form errors as clearance that is not available to
//! a mating part. After ISO 2692:2021 and ASME Y14.5-2018, whose texts were not available to check against.

use super::feature::{ActualFeature, mean};
use super::tolerance::{MaximumMaterial, Side};
use super::{extents, sections};
use crate::features::element::{Line, Plane, Situation, any_perpendicular};
use crate::features::{Certificate, Element, Kind, Objective, Options, Shape, Uncertainty, fit};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// Factor by which the sides of a slot or tab are stretched parallel to themselves, relative to their distance, before
/// planes are fitted: the global minimum zone is then across the sides.
const STRETCH: f64 = 10.0;
/// Maximum inclination of the planes to the mid-plane, rad; beyond it they are determined by noise.
const MAX_INCLINATION_RAD: f64 = 0.1;
/// Minimum number of points on a side: of a line in a sheet, of a plane in space.
const MIN_POINTS: [usize; 2] = [2, 3];

/// Increase of a limit.
pub(super) struct Bonus {
    pub bonus_mm: f64,
    /// Expanded uncertainty (k = 2), mm, if that of the fitted size is known.
    pub uncertainty_mm: Option<f64>,
    /// Description for reports.
    pub how: String,
}

struct Envelope {
    size_mm: f64,
    /// Description for reports.
    what: String,
    /// Whether it is proven to be a local optimum. If not, it is conservative: the true one gives a larger bonus.
    is_proven: bool,
    uncertainty_mm: Option<f64>,
}

/// The departure of a feature's mating envelope from the maximum material size.
///
/// Returns an error if the feature has no size, or if its points do not determine the envelope. The uncertainty is that
/// of the least-squares size, since an envelope is determined by too few points for one of its own.
pub(super) fn bonus(actual: &ActualFeature<'_>, maximum: &MaximumMaterial) -> Result<Bonus> {
    let Envelope { size_mm, what, is_proven, uncertainty_mm } = of(actual, maximum.side)?;
    let departure_mm = maximum.departure_mm(size_mm);
    let bonus_mm = departure_mm.max(0.0);
    let note = if is_proven { "" } else { " (best found; a better one would give a larger bonus)" };
    let how = if departure_mm > 0.0 {
        format!(
            "the limit is increased by {bonus_mm:.4} mm, the departure of the {what}, {size_mm:.4} mm{note}, from the \
             maximum material size"
        )
    } else {
        format!(
            "the limit is not increased: the {what}, {size_mm:.4} mm{note}, has not departed from the maximum material \
             size"
        )
    };
    // A feature that is certain not to have departed has no bonus and no uncertainty of it.
    Ok(Bonus { bonus_mm, uncertainty_mm: uncertainty_mm.filter(|own| departure_mm + own > 0.0), how })
}

fn of(actual: &ActualFeature<'_>, side: Side) -> Result<Envelope> {
    let has_width = actual.feature.size_mm.is_some_and(f64::is_finite);
    match (actual.element, actual.element.situation()) {
        (Element::Shape(shape), _) if Objective::MaximumInscribed.suits(shape.kind()) => round(actual, &shape, side),
        (_, Situation::Plane(mid_plane)) if has_width => between(actual, &mid_plane, side),
        _ => Err(actual.unfit("the maximum material requirement needs a feature with a measured size")),
    }
}

/// Expanded uncertainty (k = 2) of the fitted radius or width, mm.
fn size_uncertainty_mm(actual: &ActualFeature<'_>) -> Option<f64> {
    actual.feature.uncertainty.as_ref().and_then(Uncertainty::of_size)
}

/// For circles (in their plane), spheres and cylinders.
fn round(actual: &ActualFeature<'_>, shape: &Shape, side: Side) -> Result<Envelope> {
    let kind = shape.kind();
    let mut points = actual.points(kind.min_points())?.to_vec();
    if let Some(direction) = actual.element.direction() {
        let axis = Line { point: shape.position(), direction };
        let gap_rad = sections::widest_gap_rad(&points, &axis);
        if gap_rad > std::f64::consts::PI {
            return Err(UserError::input(format!(
                "“{}” was measured over only {:.0}°; its actual mating envelope needs at least 180°.",
                actual.name,
                (std::f64::consts::TAU - gap_rad).to_degrees()
            )));
        }
        if kind == Kind::Circle {
            points.iter_mut().for_each(|point| {
                let height = (*point - axis.point).dot(&direction);
                *point -= direction * height;
            });
        }
    }
    let objective = match side {
        Side::Internal => Objective::MaximumInscribed,
        Side::External => Objective::MinimumCircumscribed,
    };
    let options = Options { objective, start: Some(*shape), ..Options::default() };
    let found = fit(kind, &points, &[], &options, &Progress::silent())
        .map_err(|error| error.about(&format!("Actual mating envelope of “{}”", actual.name)))?;
    let (Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. }) = found.shape
    else {
        return Err(actual.unfit("the maximum material requirement needs a feature with a measured size"));
    };
    // The smallest sphere enclosing a cap is determined by its rim, with a centre far from that of the sphere.
    let form_mm = extents::range(points.iter().map(|point| shape.distance(point)));
    if kind == Kind::Sphere && (found.shape.position() - shape.position()).norm() > 2.0 * form_mm + 1e-6 * radius {
        return Err(UserError::input(format!(
            "“{}” was measured on one side only, so its points do not determine its actual mating envelope; measure it \
             all around.",
            actual.name
        )));
    }
    Ok(Envelope {
        size_mm: 2.0 * radius,
        what: format!("diameter of the {} {}", objective.name().to_lowercase(), kind.name().to_lowercase()),
        is_proven: found.zone.is_some_and(|zone| zone.certified != Certificate::Open),
        uncertainty_mm: size_uncertainty_mm(actual).map(|own| 2.0 * own),
    })
}

/// Two parallel planes: the pair farthest apart between the sides, or the pair closest together around them.
///
/// The sides are stretched parallel to themselves, which preserves planes and their distances along the normal. The
/// planes around the sides are then the minimum zone of all points; the planes between them are so, too, after one side
/// is shifted beyond the other.
fn between(actual: &ActualFeature<'_>, mid_plane: &Plane, side: Side) -> Result<Envelope> {
    let sides = actual.feature.straight_sides.as_ref();
    let points = sides.map_or(actual.feature.points.as_slice(), |own| own.points.as_slice());
    // In a sheet the planes are perpendicular to it.
    let along = match sides.map(|own| own.sheet_normal.cross(&mid_plane.normal)) {
        Some(along) => super::unit(&along)?,
        None => any_perpendicular(&mid_plane.normal),
    };
    let up = mid_plane.normal.cross(&along);
    let origin = mean(points);
    let mut local: Vec<Vector> = points
        .iter()
        .map(|point| Vector::new((point - origin).dot(&along), (point - origin).dot(&up), mid_plane.height(point)))
        .collect();
    let positive = local.iter().filter(|own| own.z > 0.0).count();
    let (fewer, min) = (positive.min(local.len() - positive), MIN_POINTS[usize::from(sides.is_none())]);
    if fewer < min {
        return Err(UserError::input(format!(
            "“{}” has {fewer} measured points on one of its sides; its actual mating envelope needs at least {min}.",
            actual.name
        )));
    }
    let undetermined = || {
        UserError::input(format!(
            "The points on the sides of “{}” do not determine two parallel planes, so its actual mating envelope \
             cannot be found; measure more of both sides.",
            actual.name
        ))
    };
    let thickness_mm = extents::range(local.iter().map(|own| own.z));
    let shift_mm = if side == Side::Internal { 2.0 * thickness_mm } else { 0.0 };
    local.iter_mut().filter(|own| own.z > 0.0).for_each(|own| own.z -= shift_mm);
    let stretched_mm = STRETCH * (thickness_mm + shift_mm);
    let extent_mm = |k: usize| local.iter().map(|own| own[k].abs()).fold(0.0, f64::max);
    let is_degenerate = extent_mm(0) == 0.0 || (sides.is_none() && extent_mm(1) == 0.0);
    if is_degenerate {
        return Err(undetermined());
    }
    let factors = [stretched_mm / extent_mm(0), if sides.is_some() { 0.0 } else { stretched_mm / extent_mm(1) }];
    // A sheet is extruded along its normal, so that no inclination in that direction is possible.
    let levels: &[f64] = if sides.is_some() { &[-1.0, 1.0] } else { &[0.0] };
    let stretched: Vec<Point> = levels
        .iter()
        .flat_map(|level| local.iter().map(move |own| (level, own)))
        .map(|(level, own)| Point::new(own.x * factors[0], own.y * factors[1] + level * stretched_mm, own.z))
        .collect();
    let start = Shape::Plane { point: Point::origin(), normal: Vector::z() };
    let options = Options { objective: Objective::MinimumZone, start: Some(start), ..Options::default() };
    let found = fit(Kind::Plane, &stretched, &[], &options, &Progress::silent())
        .map_err(|error| error.about(&format!("Actual mating envelope of “{}”", actual.name)))?;
    let normal = found.shape.direction().unwrap_or_else(Vector::z);
    let inclination = (normal.x / normal.z * factors[0]).hypot(normal.y / normal.z * factors[1]);
    let zone_mm = found.form_error_mm / normal.z.abs();
    let (size_mm, what) = match side {
        Side::Internal => (shift_mm - zone_mm, "distance between the farthest parallel planes between the sides"),
        Side::External => (zone_mm, "distance between the closest parallel planes around the sides"),
    };
    if !(inclination < MAX_INCLINATION_RAD && size_mm > 0.0) {
        return Err(undetermined());
    }
    Ok(Envelope {
        size_mm: size_mm / inclination.hypot(1.0),
        what: what.to_owned(),
        is_proven: found.zone.is_some_and(|zone| zone.certified != Certificate::Open),
        uncertainty_mm: size_uncertainty_mm(actual),
    })
}
