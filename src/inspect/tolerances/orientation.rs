//! Orientation: parallelism, perpendicularity and angularity.
//!
//! The zone stands at the exact angle to the datum and may shift as it likes; what the datums leave it of turns it
//! takes so that it is least. The value is the size that it then must have to hold the feature.

use std::f64::consts::FRAC_PI_2;

use super::datums::DatumSystem;
use super::feature::{Actual, Toleranced};
use super::tolerance::Zone;
use super::{Measured, Scene, Tolerance, extents};
use crate::features::element::{Situation, any_square_to};
use base::{Result, UserError};
use geometry::Vector;

/// Angles and lengths below this are rounding.
const NOTHING: f64 = 1e-9;

/// The directions, in the part's frame, that the toleranced direction may exactly have.
enum Exact {
    One(Vector),
    /// The vector as it turns about the other.
    Turned {
        about: Vector,
        from: Vector,
    },
}

/// Measures a feature that should stand at `angle_rad` to the first datum: 0 for parallel, a right angle for square;
/// between a plane and an axis it is 0 where they are parallel.
pub(super) fn measure(
    scene: &Scene<'_>,
    tolerance: &Tolerance,
    actual: &Actual<'_>,
    angle_rad: f64,
    zone: &Zone,
) -> Result<Measured> {
    let is_plane = match actual.element.situation() {
        Situation::Plane(_) => true,
        Situation::Line(_) => false,
        Situation::Point(_) => return Err(actual.unfit("orientation needs a plane, a line or an axis")),
    };
    let system = scene.system(tolerance)?;
    let datum = scene.first_datum(tolerance)?;
    let datum_is_plane = match datum.element.situation() {
        Situation::Plane(_) => true,
        Situation::Line(_) => false,
        Situation::Point(_) => return Err(datum.unfit("the first datum of an orientation must be a plane or an axis")),
    };
    // Normals and axes that are parallel belong to elements that are square.
    let between = if is_plane == datum_is_plane { angle_rad } else { FRAC_PI_2 - angle_rad };
    let exact = exact(scene, tolerance, actual, &system, between)?;
    let toleranced = actual.toleranced();
    if toleranced.points.len() < 2 {
        return Err(actual.unfit("its measured points must tell how far it reaches; there are none"));
    }
    if is_plane {
        return Ok(measured(&exact, &toleranced, "width between two planes", extents::along));
    }
    match zone {
        Zone::Diameter => Ok(measured(&exact, &toleranced, "diameter of the least cylinder", extents::across)),
        Zone::Width { along } => {
            let along = upright(along, &system)?;
            let square = |direction: &Vector| along - direction * direction.dot(&along);
            // A direction that still turns does so about this one, and keeps its angle to it.
            let (Exact::One(direction) | Exact::Turned { from: direction, .. }) = &exact;
            if square(direction).norm() < 0.1 {
                return Err(UserError::usage(
                    "The width of the zone is measured along the axis itself; choose a direction across it.",
                ));
            }
            let width = |points: &[_], direction: &Vector| extents::along(points, &square(direction).normalize());
            Ok(measured(&exact, &toleranced, "width between two planes", width))
        }
    }
}

/// The direction of a width in the part's frame, where the datums fix it.
fn upright(along: &Vector, system: &DatumSystem) -> Result<Vector> {
    let along = super::unit(along)?;
    if system.free.turn[2] && along.cross(&Vector::z()).norm() > NOTHING {
        return Err(UserError::usage(format!(
            "The datums {} do not fix the direction of the zone's width; name a second datum that does, or take a \
             width along z or a diameter.",
            system.name
        )));
    }
    Ok(system.datum_from_part.rotation.inverse() * along)
}

fn exact(
    scene: &Scene<'_>,
    tolerance: &Tolerance,
    actual: &Actual<'_>,
    system: &DatumSystem,
    between: f64,
) -> Result<Exact> {
    let (Some(axis), Some(own)) = (system.direction(), actual.element.direction()) else {
        return Err(UserError::usage(format!("The datums {} fix no direction.", system.name)));
    };
    if between < NOTHING {
        return Ok(Exact::One(axis));
    }
    let leaning = |flat: Vector| axis * between.cos() + flat.normalize() * between.sin();
    if system.free.turn[2] {
        // On the side where the feature is; one that is upright may lean to any side.
        let own = if own.dot(&axis) < 0.0 { -own } else { own };
        let flat = own - axis * axis.dot(&own);
        let flat = if flat.norm() > NOTHING { flat } else { any_square_to(&axis) };
        return Ok(Exact::Turned { about: axis, from: leaning(flat) });
    }
    // The further datums fix which way it leans: as the nominal does.
    let nominal = scene.nominal_in_datum_frame(tolerance, actual)?.direction().ok_or_else(|| {
        actual.unfit("its nominal has no direction, but the further datums fix which way it should lean")
    })?;
    let nominal = if nominal.z < 0.0 { -nominal } else { nominal };
    let flat = Vector::new(nominal.x, nominal.y, 0.0);
    if flat.norm() < 0.01 {
        return Err(
            actual.unfit("its nominal runs along the first datum's direction and does not tell which way to lean")
        );
    }
    Ok(Exact::One(leaning(system.datum_from_part.rotation.inverse() * flat)))
}

fn measured(
    exact: &Exact,
    toleranced: &Toleranced,
    what: &str,
    size: impl Fn(&[geometry::Point], &Vector) -> extents::Extent,
) -> Measured {
    let points = &toleranced.points;
    let (direction, turned) = match exact {
        Exact::One(direction) => (*direction, ""),
        Exact::Turned { about, from } => {
            let best = extents::best_turn(about, from, |direction| size(points, direction).size_mm);
            (best, ", turned about the datum to be least")
        }
    };
    let zone = size(points, &direction);
    let how = format!("{what} at the exact angle that hold {}{turned}", toleranced.what);
    Measured { of_element: toleranced.of_element, ..Measured::new(zone.size_mm, Some(zone.worst), how) }
}
