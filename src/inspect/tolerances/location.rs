//! Location: position, coaxiality (concentricity) and symmetry.
//!
//! The zone is centred on the true place, so its size is twice the greatest distance of the feature from there.

use super::datums::DatumSystem;
use super::feature::Actual;
use super::tolerance::Zone;
use super::{Measured, Scene, Tolerance, extents};
use crate::features::element::{Flat, Situation, Straight, any_square_to};
use crate::features::{Element, Shape};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// A free motion that shifts the true place by less than this, per mm or rad of it, does not matter.
const STILL: f64 = 1e-3;

/// What the deviation is measured from.
enum Middle {
    Axis(Straight),
    Centre(Point),
    Plane(Flat),
}

impl Middle {
    fn deviation(&self, place: &Point) -> f64 {
        match self {
            Self::Axis(axis) => axis.distance(place),
            Self::Centre(centre) => (place - centre).norm(),
            Self::Plane(plane) => plane.height(place).abs(),
        }
    }

    fn zone(&self) -> &'static str {
        match self {
            Self::Axis(_) => "the true axis (cylinder zone)",
            Self::Centre(_) => "the true centre (sphere zone)",
            Self::Plane(_) => "the true plane (zone between two planes)",
        }
    }
}

/// A true place in the datum frame, and what of free motions would change deviations from it.
struct True {
    middle: Middle,
    /// Places of the true element, mm.
    probes: Vec<Point>,
    /// Unit vectors along which deviations are measured there.
    sensitive: Vec<Vector>,
}

/// Twice the greatest distance of the feature from its true place in the datum frame.
pub(super) fn position(
    scene: &Scene<'_>,
    tolerance: &Tolerance,
    actual: &Actual<'_>,
    zone: &Zone,
    true_place: Option<&Element>,
) -> Result<Measured> {
    let system = scene.system(tolerance)?;
    let exact = match true_place {
        Some(place) => place.checked()?,
        None => scene.nominal_in_datum_frame(tolerance, actual)?,
    };
    let exact = true_of(actual, &exact, zone)?;
    require_fixed(&exact, &system, actual)?;
    let in_frame = |point: &Point| exact.middle.deviation(&(system.datum_from_part * point));
    Ok(doubled(actual, in_frame, &format!("{} in {}", exact.middle.zone(), system.name)))
}

/// Twice the greatest distance of an axis from the datum axis, or of a centre from the datum centre or axis.
pub(super) fn coaxiality(scene: &Scene<'_>, tolerance: &Tolerance, actual: &Actual<'_>) -> Result<Measured> {
    if matches!(actual.element.situation(), Situation::Plane(_)) {
        return Err(actual.unfit("coaxiality needs an axis or a centre; symmetry is for planes"));
    }
    let datum = scene.first_datum(tolerance)?;
    let middle = match (datum.element.situation(), tolerance.datums.len()) {
        // Concentric circles are judged in the plane of the datum circle.
        (Situation::Point(point), 1) => match (datum.element, datum.element.direction()) {
            (Element::Shape(Shape::Circle { .. }), Some(direction)) => Middle::Axis(Straight { point, direction }),
            _ => Middle::Centre(point),
        },
        _ => Middle::Axis(scene.system(tolerance)?.axis()?),
    };
    if let (Middle::Centre(_), Situation::Line(_)) = (&middle, actual.element.situation()) {
        return Err(datum.unfit("coaxiality of an axis needs a datum axis"));
    }
    Ok(doubled(actual, |point| middle.deviation(point), "the datum axis or centre"))
}

/// Twice the greatest distance of a mid-plane, an axis or a centre from the datum plane.
pub(super) fn symmetry(scene: &Scene<'_>, tolerance: &Tolerance, actual: &Actual<'_>) -> Result<Measured> {
    let datum = scene.first_datum(tolerance)?;
    let (Situation::Plane(plane), 1) = (datum.element.situation(), tolerance.datums.len()) else {
        return Err(datum.unfit("symmetry needs one datum, a mid-plane; use position for other datums"));
    };
    Ok(doubled(actual, |point| plane.height(point).abs(), "the datum plane"))
}

fn doubled(actual: &Actual<'_>, deviation: impl Fn(&Point) -> f64, from: &str) -> Measured {
    let toleranced = actual.toleranced();
    let (worst, most) = extents::greatest(toleranced.points.iter().map(deviation));
    let how = format!("2 × {most:.4} mm, the greatest distance of {} from {from}", toleranced.what);
    Measured {
        of_element: toleranced.of_element,
        ..Measured::new(2.0 * most, toleranced.points.get(worst).copied(), how)
    }
}

fn true_of(actual: &Actual<'_>, exact: &Element, zone: &Zone) -> Result<True> {
    let along = |direction: &Vector| {
        let side = any_square_to(direction);
        vec![side, direction.cross(&side)]
    };
    let width = match zone {
        Zone::Diameter => None,
        Zone::Width { along } => Some(super::unit(along)?),
    };
    match (actual.element.situation(), exact.situation(), width) {
        (Situation::Plane(_), Situation::Plane(plane), _) => {
            let probes = along(&plane.normal).iter().map(|side| plane.point + side).chain([plane.point]).collect();
            Ok(True { middle: Middle::Plane(plane), probes, sensitive: vec![plane.normal] })
        }
        (Situation::Line(_), Situation::Line(line), None) => Ok(True {
            middle: Middle::Axis(line),
            probes: vec![line.point, line.point + line.direction],
            sensitive: along(&line.direction),
        }),
        (Situation::Line(_), Situation::Line(line), Some(width)) => {
            let square = width - line.direction * width.dot(&line.direction);
            if square.norm() < 0.1 {
                return Err(
                    actual.unfit("the width of its zone runs along the true axis; choose a direction across it")
                );
            }
            let normal = square.normalize();
            Ok(True {
                middle: Middle::Plane(Flat { point: line.point, normal }),
                probes: vec![line.point, line.point + line.direction],
                sensitive: vec![normal],
            })
        }
        (Situation::Point(_), Situation::Point(point), Some(normal)) => {
            let middle = Middle::Plane(Flat { point, normal });
            Ok(True { middle, probes: vec![point], sensitive: vec![normal] })
        }
        (Situation::Point(_), Situation::Point(point), None) => {
            let circle = matches!(exact, Element::Shape(Shape::Circle { .. }));
            let (middle, sensitive) = match exact.direction().filter(|_| circle) {
                Some(direction) => (Middle::Axis(Straight { point, direction }), along(&direction)),
                None => (Middle::Centre(point), vec![Vector::x(), Vector::y(), Vector::z()]),
            };
            Ok(True { middle, probes: vec![point], sensitive })
        }
        _ => Err(actual.unfit(&format!("its true place cannot be a {}", exact.name()))),
    }
}

/// A sentence where the datums leave a motion free that would change the deviation.
fn require_fixed(exact: &True, system: &DatumSystem, actual: &Actual<'_>) -> Result<()> {
    let matters = |velocity: &dyn Fn(&Point) -> Vector| {
        let moves = |probe: &Point| exact.sensitive.iter().any(|along| along.dot(&velocity(probe)).abs() > STILL);
        exact.probes.iter().any(moves)
    };
    let mut open = system.free;
    for k in 0..3 {
        let axis = Vector::ith(k, 1.0);
        open.shift[k] &= matters(&|_| axis);
        open.turn[k] &= matters(&|probe| axis.cross(&probe.coords));
    }
    let names = open.names();
    if names.is_empty() {
        return Ok(());
    }
    Err(UserError::usage(format!(
        "The datums {} leave {names} of their frame open, and the true place of “{}” moves with it. Name a further \
         datum that fixes it.",
        system.name, actual.name
    )))
}
