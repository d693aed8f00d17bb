//! Orientation: parallelism, perpendicularity and angularity.
//!
//! The zone is at the theoretically exact angle to the datum and free in position; rotations not constrained by the
//! datums are chosen so that it is smallest. The value is the size it must have to contain the feature.

use std::f64::consts::FRAC_PI_2;

use super::datums::DatumSystem;
use super::feature::{ActualFeature, TolerancedPoints};
use super::tolerance::Zone;
use super::{CheckContext, Measurement, Tolerance, extents};
use crate::features::element::{Situation, any_perpendicular};
use base::{Result, UserError};
use geometry::Vector;

/// Angles and lengths below this are rounding.
const ROUNDING: f64 = 1e-9;

/// Permitted exact directions of the feature, part frame.
enum ExactDirection {
    Fixed(Vector),
    /// All rotations of `from` about `about`.
    Rotated {
        about: Vector,
        from: Vector,
    },
}

/// Evaluates a feature at the nominal angle `angle_rad` to the first datum: 0 for parallel, π/2 for perpendicular;
/// between a plane and an axis it is 0 if they are parallel.
pub(super) fn measure(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
    angle_rad: f64,
    zone: &Zone,
) -> Result<Measurement> {
    let is_plane = match actual.element.situation() {
        Situation::Plane(_) => true,
        Situation::Line(_) => false,
        Situation::Point(_) => return Err(actual.unfit("orientation needs a plane, a line or an axis")),
    };
    let system = context.system(tolerance)?;
    let datum = context.first_datum(tolerance)?;
    let datum_is_plane = match datum.element.situation() {
        Situation::Plane(_) => true,
        Situation::Line(_) => false,
        Situation::Point(_) => return Err(datum.unfit("the first datum of an orientation must be a plane or an axis")),
    };
    // Parallel normals and axes belong to perpendicular elements.
    let exact_angle_rad = if is_plane == datum_is_plane { angle_rad } else { FRAC_PI_2 - angle_rad };
    let exact = exact_direction(context, tolerance, actual, &system, exact_angle_rad)?;
    let toleranced = actual.toleranced();
    if toleranced.points.len() < 2 {
        return Err(actual.unfit("its measured points must determine its extent; there are none"));
    }
    if is_plane {
        return Ok(measured(&exact, &toleranced, "width between two parallel planes", extents::along));
    }
    match zone {
        Zone::Diameter => Ok(measured(&exact, &toleranced, "diameter of the smallest cylinder", extents::across)),
        Zone::Width { along } => {
            let along = in_part_frame(along, &system)?;
            let across = |direction: &Vector| along - direction * direction.dot(&along);
            // The width direction must not be along the axis; a free rotation keeps their angle.
            let (ExactDirection::Fixed(direction) | ExactDirection::Rotated { from: direction, .. }) = &exact;
            if across(direction).norm() < 0.1 {
                return Err(UserError::usage(
                    "The width of the zone is measured along the axis itself; choose a direction perpendicular to it.",
                ));
            }
            let width = |points: &[_], direction: &Vector| extents::along(points, &across(direction).normalize());
            Ok(measured(&exact, &toleranced, "width between two parallel planes", width))
        }
    }
}

/// The direction of a width in the part frame, if the datums constrain it.
fn in_part_frame(along: &Vector, system: &DatumSystem) -> Result<Vector> {
    let along = super::unit(along)?;
    if system.free.turn[2] && along.cross(&Vector::z()).norm() > ROUNDING {
        return Err(UserError::usage(format!(
            "The datums {} do not constrain the direction of the zone's width; add a second datum that does, or use a \
             width along z or a diameter.",
            system.name
        )));
    }
    Ok(system.datum_from_part.rotation.inverse() * along)
}

fn exact_direction(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
    system: &DatumSystem,
    exact_angle_rad: f64,
) -> Result<ExactDirection> {
    let (Some(axis), Some(own)) = (system.direction(), actual.element.direction()) else {
        return Err(UserError::usage(format!("The datums {} define no direction.", system.name)));
    };
    if exact_angle_rad < ROUNDING {
        return Ok(ExactDirection::Fixed(axis));
    }
    let inclined = |across: Vector| axis * exact_angle_rad.cos() + across.normalize() * exact_angle_rad.sin();
    if system.free.turn[2] {
        // On the side of the feature; a feature along the datum axis may be inclined to any side.
        let own = if own.dot(&axis) < 0.0 { -own } else { own };
        let across = own - axis * axis.dot(&own);
        let across = if across.norm() > ROUNDING { across } else { any_perpendicular(&axis) };
        return Ok(ExactDirection::Rotated { about: axis, from: inclined(across) });
    }
    // The further datums constrain the direction of the inclination to that of the nominal.
    let nominal = context
        .nominal_in_datum_frame(tolerance, actual)?
        .direction()
        .ok_or_else(|| actual.unfit("its nominal has no direction, which the further datums require"))?;
    let nominal = if nominal.z < 0.0 { -nominal } else { nominal };
    let across = Vector::new(nominal.x, nominal.y, 0.0);
    if across.norm() < 0.01 {
        return Err(actual.unfit(
            "its nominal is parallel to the first datum's direction and does not define a direction of inclination",
        ));
    }
    Ok(ExactDirection::Fixed(inclined(system.datum_from_part.rotation.inverse() * across)))
}

fn measured(
    exact: &ExactDirection,
    toleranced: &TolerancedPoints,
    what: &str,
    size: impl Fn(&[geometry::Point], &Vector) -> extents::Extent,
) -> Measurement {
    let points = &toleranced.points;
    let (direction, rotated) = match exact {
        ExactDirection::Fixed(direction) => (*direction, ""),
        ExactDirection::Rotated { about, from } => {
            let best = extents::best_turn(about, from, |direction| size(points, direction).size_mm);
            (best, ", rotated about the datum to its minimum")
        }
    };
    let zone = size(points, &direction);
    let how = format!("{what} at the theoretically exact angle that contains {}{rotated}", toleranced.what);
    Measurement { of_element: toleranced.of_element, ..Measurement::new(zone.size_mm, Some(zone.worst), how) }
}
