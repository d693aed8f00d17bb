//! Datums associated with measured surfaces as ISO 5459:2011 prescribes (whose text was not available to check
//! against): planes are outer tangent planes, which the surface does not lie beyond; round features are maximum inscribed or
//! minimum circumscribed, by the side of their material. Each keeps its nominal angles to those before it. The surface is
//! that of the points with their noise averaged out ([`ContactPoints`]), or of the points as they are.

use std::borrow::Cow;

use nalgebra::{Rotation3, Unit};

use super::contact_points::ContactPoints;
use crate::features::fits::in_plane::fit_in_plane;
use crate::features::{Element, Kind, Objective, Options, Shape, fit};
use crate::tolerances::common::{self, Member};
use crate::tolerances::coverage::SeenFace;
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// Directions at an angle with a smaller sine are parallel.
const MIN_SINE: f64 = 1e-6;
/// Half the range of angles that a datum plane is sought in, rad: the limit of [`crate::tolerances::DatumSystem`].
const MAX_TURN_RAD: f64 = 10.0 * std::f64::consts::PI / 180.0;
/// Number of steps of the golden-section search: it ends at 1e-16 of the range.
const SEARCH_STEPS: usize = 80;
/// Number of times that the normal of planes at different heights is found again, and the turn that ends that, rad.
const MAX_ROUNDS: usize = 20;
const LAST_TURN_RAD: f64 = 1e-13;

/// A measured datum feature, or the common datum of several ([`combined`]).
#[derive(Clone, Debug)]
pub struct DatumFeature {
    /// Datum letter, or the name of the feature.
    pub letter: String,
    /// The fitted element, scan frame, oriented like its nominal.
    pub element: Element,
    /// The nominal element, nominal frame.
    pub nominal: Option<Element>,
    /// The measured points, scan frame; empty for constructed elements.
    pub points: Vec<Point>,
    /// The points that a contact is sought on; `None` takes the measured ones as they are.
    pub contacts: Option<ContactPoints>,
    /// The faces of its features, as far as their coverage is known.
    pub faces: Vec<SeenFace>,
    /// Whether the direction of a plane points out of the material, and whether the material of a round feature lies
    /// within it.
    pub is_outward: bool,
    /// Nominal height of each point's plane above the datum plane along its normal, mm, of the common datum of planes;
    /// empty if all are 0.
    pub heights_mm: Vec<f64>,
    /// Whether the planes of a common datum face away from each other.
    pub is_two_sided: bool,
}

/// The datum of features: a single one itself, several as their common datum.
///
/// Returns an error if they form none.
pub fn combined(mut features: Vec<DatumFeature>) -> Result<DatumFeature> {
    if features.len() == 1 {
        return Ok(features.remove(0));
    }
    let letters: Vec<&str> = features.iter().map(|own| own.letter.as_str()).collect();
    let letter = common::joined(&letters);
    let mut members: Vec<Member<'_>> = Vec::with_capacity(features.len());
    for own in &features {
        let (element, nominal) = (own.element, own.nominal);
        members.push(Member { letter: &own.letter, element, nominal, points: &own.points, has_sides: false });
    }
    let found = common::associate(&members).map_err(|error| error.about(&format!("Common datum “{letter}”")))?;
    // Whether a feature faces along the common direction.
    let faces_up = |own: &DatumFeature| {
        let directions = own.element.direction().zip(found.element.direction());
        let is_along = directions.is_none_or(|(own, common)| own.dot(&common) >= 0.0);
        is_along == own.is_outward
    };
    let is_outward = features.first().is_none_or(faces_up);
    let is_plane = matches!(found.element, Element::Shape(Shape::Plane { .. }));
    let is_two_sided = is_plane && features.iter().any(|own| faces_up(own) != is_outward);
    let heights = features.iter().zip(&found.heights_mm);
    let heights_mm: Vec<f64> = heights.flat_map(|(own, mm)| std::iter::repeat_n(*mm, own.points.len())).collect();
    let is_level = heights_mm.iter().all(|mm| *mm == 0.0);
    Ok(DatumFeature {
        letter,
        element: found.element,
        nominal: found.nominal,
        points: features.iter().flat_map(|own| own.points.iter().copied()).collect(),
        contacts: together(&features, &found.heights_mm),
        faces: features.iter().flat_map(|own| own.faces.iter().cloned()).collect(),
        is_outward,
        heights_mm: if is_level { Vec::new() } else { heights_mm },
        is_two_sided,
    })
}

/// The points that the contact of several features is sought on, at their heights; `None` if they are the measured ones.
fn together(features: &[DatumFeature], heights_mm: &[f64]) -> Option<ContactPoints> {
    features.iter().any(|own| own.contacts.is_some()).then(|| {
        let of =
            |own: &DatumFeature| own.contacts.clone().unwrap_or_else(|| ContactPoints::as_measured(own.points.clone()));
        ContactPoints::together(features.iter().map(of).collect(), heights_mm)
    })
}

impl DatumFeature {
    /// Averages the noise out of the points that its contact is sought on. Those of a single feature.
    pub fn average_noise(&mut self) {
        if let Element::Shape(shape @ (Shape::Plane { .. } | Shape::Cylinder { .. } | Shape::Sphere { .. })) =
            &self.element
            && !self.points.is_empty()
        {
            self.contacts = Some(ContactPoints::averaged(shape, &self.points));
        }
    }

    /// The points that its contact is sought on.
    fn contact_points(&self) -> Cow<'_, ContactPoints> {
        match &self.contacts {
            Some(own) => Cow::Borrowed(own),
            None => {
                let mut contacts = ContactPoints::as_measured(self.points.clone());
                contacts.heights_mm.clone_from(&self.heights_mm);
                Cow::Owned(contacts)
            }
        }
    }
}

/// An associated datum.
#[derive(Clone, Copy, Debug)]
pub(super) struct Associated {
    pub element: Element,
    /// Standard uncertainty of the contact by the noise of the points, mm; `None` if it is not known.
    pub uncertainty_mm: Option<f64>,
}

impl From<Element> for Associated {
    fn from(element: Element) -> Self {
        Self { element, uncertainty_mm: None }
    }
}

/// The directions of the datums associated so far, measured and nominal.
#[derive(Clone, Debug, Default)]
pub(super) struct Directions(Vec<(Vector, Vector)>);

/// What the datums before leave of a direction.
enum Direction {
    Free,
    /// Turns about the axis, from a start.
    About(Vector, Vector),
    Fixed(Vector),
}

impl Directions {
    /// Associates a datum and adds its direction. Elements that the rules do not apply to (constructed elements, lines,
    /// cones, circles, common axes, and axes that the datums before leave free to turn about a direction) are used as
    /// fitted.
    ///
    /// Returns an error if the feature has no nominal, or was not measured all around.
    pub(super) fn associate(&mut self, datum: &DatumFeature, progress: &Progress) -> Result<Associated> {
        let nominal = datum.nominal.ok_or_else(|| {
            UserError::usage(format!("Datum {} has no nominal; assign one to its feature.", datum.letter))
        })?;
        let direction = match (datum.element.direction(), nominal.direction()) {
            (Some(measured), Some(nominal)) => Some((self.left_of(&measured, &nominal), nominal)),
            _ => None,
        };
        let associated = match (datum.element, &direction) {
            (own, _) if datum.points.is_empty() => own.into(),
            _ if datum.is_two_sided => {
                let why = UserError::usage(
                    "Its planes face away from each other, so that none touches them all from outside; use the datums \
                     as fitted.",
                );
                return Err(why.about(&format!("Common datum “{}”", datum.letter)));
            }
            (Element::Shape(Shape::Plane { .. }), Some((direction, _))) => {
                plane(datum, direction, progress).map_err(|error| about(datum, &error))?
            }
            (Element::Shape(shape @ Shape::Cylinder { .. }), Some((direction, _))) => {
                cylinder(datum, &shape, direction, progress)?.into()
            }
            (Element::Shape(shape @ Shape::Sphere { .. }), _) => {
                Element::from(round(datum, &shape, &datum.contact_points().points, progress)?).into()
            }
            (own, _) => own.into(),
        };
        if let (Some(measured), Some((_, nominal))) = (associated.element.direction(), direction) {
            self.0.push((measured, nominal));
        }
        Ok(associated)
    }

    /// What is left of a direction that must keep its nominal angles.
    fn left_of(&self, measured: &Vector, nominal: &Vector) -> Direction {
        let Some((first, first_nominal)) = self.0.first() else { return Direction::Free };
        let cosine = nominal.dot(first_nominal);
        if nominal.cross(first_nominal).norm() < MIN_SINE {
            return Direction::Fixed(first * cosine.signum());
        }
        let other = self.0.iter().find(|(_, own)| own.cross(first_nominal).norm() >= MIN_SINE);
        let Some((second, second_nominal)) = other else {
            let beside = (measured - first * measured.dot(first)).normalize();
            return Direction::About(*first, first * cosine + beside * (1.0 - cosine * cosine).max(0.0).sqrt());
        };
        let basis = |a: &Vector, b: &Vector| {
            let across = a.cross(b).normalize();
            Rotation3::from_basis_unchecked(&[*a, across.cross(a), across])
        };
        let measured_from_nominal = basis(first, second) * basis(first_nominal, second_nominal).inverse();
        Direction::Fixed(measured_from_nominal * nominal)
    }
}

fn about(datum: &DatumFeature, error: &UserError) -> UserError {
    error.clone().about(&format!("Datum {}", datum.letter))
}

/// The outer tangent plane. Of the common datum of planes at different heights, the points are lowered by these along
/// its normal, which is found again until it stays.
fn plane(datum: &DatumFeature, direction: &Direction, progress: &Progress) -> Result<Associated> {
    let points = datum.contact_points();
    if points.heights_mm.is_empty() {
        return touching(datum, &points, direction, progress);
    }
    let missing = || UserError::internal("A datum plane has no normal.");
    let mut normal = datum.element.direction().ok_or_else(missing)?;
    let mut found = Associated::from(datum.element);
    for _ in 0..MAX_ROUNDS {
        found = touching(datum, &points.lowered(&normal), direction, progress)?;
        let next = found.element.direction().ok_or_else(missing)?;
        let turn_rad = next.cross(&normal).norm();
        normal = next;
        if turn_rad < LAST_TURN_RAD {
            break;
        }
    }
    Ok(found)
}

/// Of the planes that keep the direction, the one with the smallest maximum distance from the points, moved to their
/// contact.
fn touching(
    datum: &DatumFeature,
    contacts: &ContactPoints,
    direction: &Direction,
    progress: &Progress,
) -> Result<Associated> {
    let points = &contacts.points[..];
    let normal = match direction {
        Direction::Fixed(normal) => *normal,
        Direction::About(axis, start) => {
            let turned = |angle: f64| Rotation3::from_axis_angle(&Unit::new_normalize(*axis), angle) * start;
            let width = |angle: f64| {
                let (low, high) = range(points, &turned(angle));
                high - low
            };
            turned(minimum(width, progress)?)
        }
        Direction::Free => {
            let options = Options { objective: Objective::MinimumZone, ..Options::default() };
            let found = fit(Kind::Plane, points, &[], &options, progress)?;
            let normal = Element::from(found.shape).direction();
            normal.ok_or_else(|| UserError::internal("The fit of a plane gave another shape."))?
        }
    };
    let normal = if datum.element.direction().is_some_and(|own| own.dot(&normal) < 0.0) { -normal } else { normal };
    let position = datum.element.position();
    let outward = if datum.is_outward { normal } else { -normal };
    let found = contacts.contact(&outward).ok_or_else(|| UserError::internal("A datum plane has no points."))?;
    let at = found.height_mm - position.coords.dot(&outward);
    let element = Shape::Plane { point: position + outward * at, normal }.into();
    let uncertainty_mm = (contacts.noise_mm > 0.0).then_some(found.uncertainty_mm);
    Ok(Associated { element, uncertainty_mm })
}

/// Least and largest coordinate of the points along `direction`.
fn range(points: &[Point], direction: &Vector) -> (f64, f64) {
    let along = points.iter().map(|own| own.coords.dot(direction));
    along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(own), high.max(own)))
}

/// The angle about 0 at which a function is smallest, by golden-section search. The width of points seen along a
/// turning direction is the difference of a maximum and a minimum of functions that are nearly linear in a small angle,
/// and so has one minimum.
fn minimum(value: impl Fn(f64) -> f64, progress: &Progress) -> Result<f64> {
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let (mut low, mut high) = (-MAX_TURN_RAD, MAX_TURN_RAD);
    let inner = |low: f64, high: f64| [high - golden * (high - low), low + golden * (high - low)];
    let [mut a, mut b] = inner(low, high);
    let (mut at_a, mut at_b) = (value(a), value(b));
    for _ in 0..SEARCH_STEPS {
        progress.check()?;
        if at_a <= at_b {
            (high, b, at_b) = (b, a, at_a);
            a = inner(low, high)[0];
            at_a = value(a);
        } else {
            (low, a, at_a) = (a, b, at_b);
            b = inner(low, high)[1];
            at_b = value(b);
        }
    }
    Ok(0.5 * (low + high))
}

/// The axis of the maximum inscribed or minimum circumscribed cylinder, parallel to the direction if that is fixed.
fn cylinder(datum: &DatumFeature, shape: &Shape, direction: &Direction, progress: &Progress) -> Result<Element> {
    let contacts = datum.contact_points();
    match direction {
        Direction::Free => Ok(round(datum, shape, &contacts.points, progress)?.into()),
        Direction::About(..) => Ok(datum.element),
        Direction::Fixed(axis) => {
            let origin = shape.position();
            let flat: Vec<Point> = contacts.points.iter().map(|own| own - axis * (own - origin).dot(axis)).collect();
            let across = Shape::Plane { point: origin, normal: *axis };
            let seen = fit_in_plane(Kind::Circle, &flat, &[], &across, &Options::default(), progress);
            let start = seen.map_err(|error| about(datum, &error))?.shape;
            let found = round(datum, &start, &flat, progress)?;
            let radius = if let Shape::Circle { radius, .. } = found { radius } else { 0.0 };
            Ok(Shape::Cylinder { point: found.position(), axis: *axis, radius }.into())
        }
    }
}

/// The maximum inscribed or minimum circumscribed feature of size.
fn round(datum: &DatumFeature, start: &Shape, points: &[Point], progress: &Progress) -> Result<Shape> {
    let objective = if datum.is_outward { Objective::MinimumCircumscribed } else { Objective::MaximumInscribed };
    let options = Options { objective, start: Some(*start), ..Options::default() };
    let found = fit(start.kind(), points, &[], &options, progress).map_err(|error| about(datum, &error))?.shape;
    // The smallest feature about a part of the surface, and the largest in it, lie far off.
    let sizes = points.iter().map(|own| start.distance(own));
    let (low, high) = sizes.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), own| (low.min(own), high.max(own)));
    let mut moved = found.position() - start.position();
    if let Some(direction) = start.direction() {
        moved -= direction * moved.dot(&direction);
    }
    if moved.norm() > 2.0 * (high - low) + 1e-6 {
        return Err(UserError::input(format!(
            "Datum {} was measured on one side only, so that its contacting {} is undetermined; measure it all around, \
             or use the datums as fitted.",
            datum.letter,
            start.kind().name().to_lowercase()
        )));
    }
    Ok(found)
}
