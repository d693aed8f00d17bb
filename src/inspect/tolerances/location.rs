//! Location: position, coaxiality (concentricity) and symmetry.
//!
//! The zone is centred on the true position, so its size is twice the maximum distance of the feature from there.

use super::datums::DatumSystem;
use super::feature::ActualFeature;
use super::tolerance::Zone;
use super::{CheckContext, Measurement, Tolerance, extents};
use crate::features::element::{Line, Plane, Situation, any_perpendicular};
use crate::features::{Element, Shape};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Sensitivity of the true position to a free motion, per mm or rad, below which the motion is irrelevant.
const MIN_SENSITIVITY: f64 = 1e-3;

/// The centre of the zone.
enum ZoneCentre {
    Axis(Line),
    Centre(Point),
    Plane(Plane),
}

impl ZoneCentre {
    fn deviation(&self, point: &Point) -> f64 {
        match self {
            Self::Axis(axis) => axis.distance(point),
            Self::Centre(centre) => (point - centre).norm(),
            Self::Plane(plane) => plane.height(point).abs(),
        }
    }

    fn zone(&self) -> &'static str {
        match self {
            Self::Axis(_) => "the true axis (cylindrical zone)",
            Self::Centre(_) => "the true centre (spherical zone)",
            Self::Plane(_) => "the true plane (zone between two parallel planes)",
        }
    }
}

/// A true position in the datum frame, with its sensitivity to free motions.
struct TruePosition {
    zone_centre: ZoneCentre,
    /// Points of the true element, mm.
    probes: Vec<Point>,
    /// Unit vectors along which deviations are measured there.
    sensitive: Vec<Vector>,
}

/// Twice the maximum distance of the feature from its true position in the datum frame.
pub(super) fn position(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
    zone: &Zone,
    true_place: Option<&Element>,
) -> Result<Measurement> {
    let system = context.system(tolerance)?;
    let true_position = match true_place {
        Some(stated) => stated.checked()?,
        None => context.nominal_in_datum_frame(tolerance, actual)?,
    };
    let true_position = true_position_of(actual, &true_position, zone)?;
    require_constrained(&true_position, &system, actual)?;
    let in_frame = |point: &Point| true_position.zone_centre.deviation(&(system.datum_from_part * point));
    Ok(doubled_distance(actual, in_frame, &format!("{} in {}", true_position.zone_centre.zone(), system.name)))
}

/// Twice the maximum distance of an axis from the datum axis, or of a centre from the datum centre or axis.
pub(super) fn coaxiality(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
) -> Result<Measurement> {
    if matches!(actual.element.situation(), Situation::Plane(_)) {
        return Err(actual.unfit("coaxiality needs an axis or a centre; symmetry is for planes"));
    }
    let datum = context.first_datum(tolerance)?;
    let zone_centre = match (datum.element.situation(), tolerance.datums.len()) {
        // Concentric circles are evaluated in the plane of the datum circle.
        (Situation::Point(point), 1) => match (datum.element, datum.element.direction()) {
            (Element::Shape(Shape::Circle { .. }), Some(direction)) => ZoneCentre::Axis(Line { point, direction }),
            _ => ZoneCentre::Centre(point),
        },
        _ => ZoneCentre::Axis(context.system(tolerance)?.axis()?),
    };
    if let (ZoneCentre::Centre(_), Situation::Line(_)) = (&zone_centre, actual.element.situation()) {
        return Err(datum.unfit("coaxiality of an axis needs a datum axis"));
    }
    Ok(doubled_distance(actual, |point| zone_centre.deviation(point), "the datum axis or centre"))
}

/// Twice the maximum distance of a mid-plane, an axis or a centre from the datum plane.
pub(super) fn symmetry(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
) -> Result<Measurement> {
    let datum = context.first_datum(tolerance)?;
    let (Situation::Plane(plane), 1) = (datum.element.situation(), tolerance.datums.len()) else {
        return Err(datum.unfit("symmetry needs one datum, a mid-plane; use position for other datums"));
    };
    Ok(doubled_distance(actual, |point| plane.height(point).abs(), "the datum plane"))
}

fn doubled_distance(actual: &ActualFeature<'_>, deviation: impl Fn(&Point) -> f64, from: &str) -> Measurement {
    let toleranced = actual.toleranced();
    let (worst, max_mm) = extents::max_with_index(toleranced.points.iter().map(deviation));
    let how = format!("2 × {max_mm:.4} mm, the maximum distance of {} from {from}", toleranced.what);
    Measurement {
        of_element: toleranced.of_element,
        ..Measurement::new(2.0 * max_mm, toleranced.points.get(worst).copied(), how)
    }
}

fn true_position_of(actual: &ActualFeature<'_>, true_position: &Element, zone: &Zone) -> Result<TruePosition> {
    let along = |direction: &Vector| {
        let side = any_perpendicular(direction);
        vec![side, direction.cross(&side)]
    };
    let width = match zone {
        Zone::Diameter => None,
        Zone::Width { along } => Some(super::unit(along)?),
    };
    match (actual.element.situation(), true_position.situation(), width) {
        (Situation::Plane(_), Situation::Plane(plane), _) => {
            let probes = along(&plane.normal).iter().map(|side| plane.point + side).chain([plane.point]).collect();
            Ok(TruePosition { zone_centre: ZoneCentre::Plane(plane), probes, sensitive: vec![plane.normal] })
        }
        (Situation::Line(_), Situation::Line(line), None) => Ok(TruePosition {
            zone_centre: ZoneCentre::Axis(line),
            probes: vec![line.point, line.point + line.direction],
            sensitive: along(&line.direction),
        }),
        (Situation::Line(_), Situation::Line(line), Some(width)) => {
            let perpendicular = width - line.direction * width.dot(&line.direction);
            if perpendicular.norm() < 0.1 {
                return Err(actual.unfit(
                    "the width of its zone is measured along the true axis; choose a direction perpendicular to it",
                ));
            }
            let normal = perpendicular.normalize();
            Ok(TruePosition {
                zone_centre: ZoneCentre::Plane(Plane { point: line.point, normal }),
                probes: vec![line.point, line.point + line.direction],
                sensitive: vec![normal],
            })
        }
        (Situation::Point(_), Situation::Point(point), Some(normal)) => {
            let zone_centre = ZoneCentre::Plane(Plane { point, normal });
            Ok(TruePosition { zone_centre, probes: vec![point], sensitive: vec![normal] })
        }
        (Situation::Point(_), Situation::Point(point), None) => {
            let circle = matches!(true_position, Element::Shape(Shape::Circle { .. }));
            let (zone_centre, sensitive) = match true_position.direction().filter(|_| circle) {
                Some(direction) => (ZoneCentre::Axis(Line { point, direction }), along(&direction)),
                None => (ZoneCentre::Centre(point), vec![Vector::x(), Vector::y(), Vector::z()]),
            };
            Ok(TruePosition { zone_centre, probes: vec![point], sensitive })
        }
        _ => Err(actual.unfit(&format!("its true position cannot be a {}", true_position.name()))),
    }
}

/// Returns an error if the datums leave a motion free that changes the deviation.
fn require_constrained(true_position: &TruePosition, system: &DatumSystem, actual: &ActualFeature<'_>) -> Result<()> {
    let is_relevant = |velocity: &dyn Fn(&Point) -> Vector| {
        let is_moved = |probe: &Point| {
            true_position.sensitive.iter().any(|along| along.dot(&velocity(probe)).abs() > MIN_SENSITIVITY)
        };
        true_position.probes.iter().any(is_moved)
    };
    let mut relevant = system.free;
    for k in 0..3 {
        let axis = Vector::ith(k, 1.0);
        relevant.shift[k] &= is_relevant(&|_| axis);
        relevant.turn[k] &= is_relevant(&|probe| axis.cross(&probe.coords));
    }
    let names = relevant.names();
    if names.is_empty() {
        return Ok(());
    }
    Err(UserError::usage(format!(
        "The datums {} do not constrain {names} of their frame, on which the true position of “{}” depends. Add a \
         datum that does.",
        system.name, actual.name
    )))
}
