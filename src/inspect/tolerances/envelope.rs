//! The unrelated actual mating envelope of a feature of size, which the bonus at maximum material is taken from.
//!
//! It is the counterpart of ideal form that just fits the measured points from the side without material: the largest
//! one within a hole or slot, the smallest one around a shaft or tab. It is unrelated: no datum holds its position or
//! direction. The least-squares size in its stead would count form errors as room that no mating part has. After
//! ISO 2692:2021 and ASME Y14.5-2018, whose texts were not available to check against.

use super::feature::{Actual, mean};
use super::tolerance::{MaximumMaterial, Side};
use super::{extents, sections};
use crate::features::element::{Flat, Situation, Straight, any_square_to};
use crate::features::{Certificate, Element, Kind, Objective, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// How far the sides of a slot or tab are stretched along themselves before planes are fitted, in their distances from
/// each other: the narrowest zone of all then is the one that they face.
const STRETCHED: f64 = 10.0;
/// Planes that lean more than this from the mid-plane, rad, are held by noise.
const MAX_LEAN_RAD: f64 = 0.1;
/// Points that hold a side: of a line in a sheet, of a plane in space.
const MIN_POINTS: [usize; 2] = [2, 3];

/// By how much a limit grows.
pub(super) struct Bonus {
    pub bonus_mm: f64,
    /// Expanded uncertainty (k = 2), mm, where that of the fitted size is known.
    pub uncertainty_mm: Option<f64>,
    /// For people.
    pub how: String,
}

struct Envelope {
    size_mm: f64,
    /// For people.
    what: String,
    /// Whether it was shown to be the best near the fitted feature. If not, it is on the safe side: a true one leaves
    /// more room.
    is_shown: bool,
    uncertainty_mm: Option<f64>,
}

/// How far the envelope of a feature has left the size at maximum material.
///
/// A sentence where the feature has no size, or its points do not determine the envelope. The uncertainty is that of
/// the least-squares size: points that hold an envelope are too few to tell their own.
pub(super) fn bonus(actual: &Actual<'_>, maximum: &MaximumMaterial) -> Result<Bonus> {
    let Envelope { size_mm, what, is_shown, uncertainty_mm } = of(actual, maximum.side)?;
    let left_mm = maximum.left_by_mm(size_mm);
    let bonus_mm = left_mm.max(0.0);
    let shown = if is_shown { "" } else { " (the best that was found; a better one allows more)" };
    let how = if left_mm > 0.0 {
        format!(
            "the limit grows by {bonus_mm:.4} mm, by which the {what}, {size_mm:.4} mm{shown}, has left the maximum \
             material size"
        )
    } else {
        format!("the limit does not grow: the {what}, {size_mm:.4} mm{shown}, has not left the maximum material size")
    };
    // What surely has not left it is surely without a bonus.
    Ok(Bonus { bonus_mm, uncertainty_mm: uncertainty_mm.filter(|own| left_mm + own > 0.0), how })
}

fn of(actual: &Actual<'_>, side: Side) -> Result<Envelope> {
    let is_sided = actual.feature.size_mm.is_some_and(f64::is_finite);
    match (actual.element, actual.element.situation()) {
        (Element::Shape(shape), _) if Objective::MaximumInscribed.suits(shape.kind()) => round(actual, &shape, side),
        (_, Situation::Plane(middle)) if is_sided => between(actual, &middle, side),
        _ => Err(actual.unfit("the maximum material requirement needs a feature with a measured size")),
    }
}

/// Expanded uncertainty (k = 2) of the fitted radius or width, mm.
fn stated_mm(actual: &Actual<'_>) -> Option<f64> {
    actual.feature.uncertainty.as_ref().and_then(|own| own.numbers.first().copied())
}

/// Of circles, in their plane; spheres; cylinders.
fn round(actual: &Actual<'_>, shape: &Shape, side: Side) -> Result<Envelope> {
    let kind = shape.kind();
    let mut points = actual.points(kind.least_points())?.to_vec();
    if let Some(direction) = actual.element.direction() {
        let axis = Straight { point: shape.place(), direction };
        let gap_rad = sections::widest_gap_rad(&points, &axis);
        if gap_rad > std::f64::consts::PI {
            return Err(UserError::input(format!(
                "“{}” was measured over {:.0}° only; its actual mating envelope needs at least 180°.",
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
    // Around a cap the smallest sphere is no larger than its rim, and its centre far from that of the ball.
    let form_mm = extents::range(points.iter().map(|point| shape.distance(point)));
    if kind == Kind::Sphere && (found.shape.place() - shape.place()).norm() > 2.0 * form_mm + 1e-6 * radius {
        return Err(UserError::input(format!(
            "“{}” was measured on one side only, so its points do not hold its actual mating envelope; measure it all \
             around.",
            actual.name
        )));
    }
    Ok(Envelope {
        size_mm: 2.0 * radius,
        what: format!("diameter of the {} {}", objective.name().to_lowercase(), kind.name().to_lowercase()),
        is_shown: found.zone.is_some_and(|zone| zone.certified != Certificate::Open),
        uncertainty_mm: stated_mm(actual).map(|own| 2.0 * own),
    })
}

/// Two parallel planes: those farthest apart between the sides, or those nearest together around them.
///
/// The sides are stretched along themselves, which keeps planes planes and their distances along the normal what they
/// are. Around the sides the planes then are the minimum zone of all points. Between them, they are it as well once one
/// side is brought to beyond the other.
fn between(actual: &Actual<'_>, middle: &Flat, side: Side) -> Result<Envelope> {
    let sides = actual.feature.straight_sides.as_ref();
    let points = sides.map_or(actual.feature.points.as_slice(), |own| own.points.as_slice());
    // In a sheet the planes stand square to it.
    let along = match sides.map(|own| own.sheet_normal.cross(&middle.normal)) {
        Some(along) => super::unit(&along)?,
        None => any_square_to(&middle.normal),
    };
    let up = middle.normal.cross(&along);
    let origin = mean(points);
    let mut seen: Vec<Vector> = points
        .iter()
        .map(|point| Vector::new((point - origin).dot(&along), (point - origin).dot(&up), middle.height(point)))
        .collect();
    let far = seen.iter().filter(|own| own.z > 0.0).count();
    let (fewer, least) = (far.min(seen.len() - far), MIN_POINTS[usize::from(sides.is_none())]);
    if fewer < least {
        return Err(UserError::input(format!(
            "“{}” has {fewer} measured points on one of its sides; its actual mating envelope needs at least {least}.",
            actual.name
        )));
    }
    let unheld = || {
        UserError::input(format!(
            "The points on the sides of “{}” do not hold two parallel planes, so its actual mating envelope cannot be \
             found; measure more of both sides.",
            actual.name
        ))
    };
    let thick_mm = extents::range(seen.iter().map(|own| own.z));
    let brought_mm = if side == Side::Internal { 2.0 * thick_mm } else { 0.0 };
    seen.iter_mut().filter(|own| own.z > 0.0).for_each(|own| own.z -= brought_mm);
    let stretched_mm = STRETCHED * (thick_mm + brought_mm);
    let reach_mm = |k: usize| seen.iter().map(|own| own[k].abs()).fold(0.0, f64::max);
    let is_flat = reach_mm(0) == 0.0 || (sides.is_none() && reach_mm(1) == 0.0);
    if is_flat {
        return Err(unheld());
    }
    let factors = [stretched_mm / reach_mm(0), if sides.is_some() { 0.0 } else { stretched_mm / reach_mm(1) }];
    // A sheet counts as thick: then there is no tilt to find along its normal.
    let lifts: &[f64] = if sides.is_some() { &[-1.0, 1.0] } else { &[0.0] };
    let stretched: Vec<Point> = lifts
        .iter()
        .flat_map(|lift| seen.iter().map(move |own| (lift, own)))
        .map(|(lift, own)| Point::new(own.x * factors[0], own.y * factors[1] + lift * stretched_mm, own.z))
        .collect();
    let start = Shape::Plane { point: Point::origin(), normal: Vector::z() };
    let options = Options { objective: Objective::MinimumZone, start: Some(start), ..Options::default() };
    let found = fit(Kind::Plane, &stretched, &[], &options, &Progress::silent())
        .map_err(|error| error.about(&format!("Actual mating envelope of “{}”", actual.name)))?;
    let normal = found.shape.direction().unwrap_or_else(Vector::z);
    let lean = (normal.x / normal.z * factors[0]).hypot(normal.y / normal.z * factors[1]);
    let zone_mm = found.form_error_mm / normal.z.abs();
    let (size_mm, what) = match side {
        Side::Internal => (brought_mm - zone_mm, "distance of the widest pair of parallel planes between the sides"),
        Side::External => (zone_mm, "distance of the narrowest pair of parallel planes around the sides"),
    };
    if !(lean < MAX_LEAN_RAD && size_mm > 0.0) {
        return Err(unheld());
    }
    Ok(Envelope {
        size_mm: size_mm / lean.hypot(1.0),
        what: what.to_owned(),
        is_shown: found.zone.is_some_and(|zone| zone.certified != Certificate::Open),
        uncertainty_mm: stated_mm(actual),
    })
}
