//! Common datums such as A-B: one datum associated with several features at once.
//!
//! After ISO 5459:2011, whose text was not available to check against: while they are fitted together, the features keep
//! their nominal orientation and location to each other, and each has a size of its own. Coaxial cylinders and cones have
//! a common axis; parallel planes have a common plane, each at its nominal distance from the others. That is the plane of
//! the first feature, or, of planes that face to opposite sides, the plane in the middle between them.
//!
//! Features are used by least squares over all their points, as single datums are used as fitted.

mod axis;
mod plane;

use crate::features::element::{Situation, acute_angle, degrees_text};
use crate::features::{Element, Kind, Shape};
use base::{Result, UserError};
use geometry::Point;

/// What stands between the letters of a common datum.
const HYPHEN: char = '-';
/// Maximum deviation of two measured features from parallel; beyond it, one of them is probably another feature.
const MAX_ANGLE_ERROR_RAD: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// The datums of a compartment as stated: itself, or each of a common datum such as “A-B”. What `is_known` as it stands
/// is not split, and neither is what has a part that is not known.
pub fn members(stated: &str, is_known: impl Fn(&str) -> bool) -> Vec<&str> {
    let parts = split(stated);
    let is_common = parts.len() > 1 && !is_known(stated) && parts.iter().all(|part| is_known(part));
    if is_common { parts } else { vec![stated] }
}

/// The parts of a datum between its hyphens.
pub fn split(stated: &str) -> Vec<&str> {
    stated.split(HYPHEN).map(str::trim).collect()
}

/// The name of a common datum by those of its members, such as “A-B”.
pub fn joined<T: AsRef<str>>(letters: &[T]) -> String {
    let letters: Vec<&str> = letters.iter().map(AsRef::as_ref).collect();
    letters.join("-")
}

/// Datums in their order for messages, such as A|B; a common datum stands in quotes, so that nobody takes it for two.
pub fn listed<'a>(stated: impl Iterator<Item = &'a str>, between: &str) -> String {
    let quoted = |own: &str| if own.contains(HYPHEN) { format!("“{own}”") } else { own.to_owned() };
    stated.map(quoted).collect::<Vec<_>>().join(between)
}

/// A feature of a common datum.
#[derive(Clone, Copy, Debug)]
pub struct Member<'a> {
    /// Datum letter, or the name of the feature.
    pub letter: &'a str,
    /// The measured element, part frame, oriented like its nominal.
    pub element: Element,
    /// The nominal element, nominal frame.
    pub nominal: Option<Element>,
    /// Its measured points, part frame, mm.
    pub points: &'a [Point],
    /// Whether it is the mid-plane of two sides, on which its points lie.
    pub has_sides: bool,
}

impl<'a> Member<'a> {
    /// A feature that was not measured yet.
    pub fn nominally(letter: &'a str, nominal: Element) -> Self {
        Self { letter, element: nominal, nominal: Some(nominal), points: &[], has_sides: false }
    }

    /// Whether it has an axis that a common datum may have.
    fn is_round(&self) -> bool {
        matches!(self.element, Element::Shape(shape) if matches!(shape.kind(), Kind::Cylinder | Kind::Cone))
    }
}

/// A common datum.
#[derive(Clone, Debug)]
pub struct CommonDatum {
    /// The axis (a line) or the plane, part frame, with the sense of the first feature.
    pub element: Element,
    /// That of the nominals, nominal frame; `None` if one is missing.
    pub nominal: Option<Element>,
    /// Nominal height of each feature's plane above the datum plane along its normal, mm; 0 of axes.
    pub heights_mm: Vec<f64>,
    /// How it was associated, for reports.
    pub how: &'static str,
}

/// How the features lie to each other.
#[derive(Clone, Debug)]
pub struct Arrangement {
    /// The common axis or plane in the frame of what it was found from.
    pub element: Element,
    /// As [`CommonDatum::heights_mm`].
    pub heights_mm: Vec<f64>,
    /// Whether it was found from the nominals; else from what was measured.
    pub is_nominal: bool,
}

/// Limits within which features count as coaxial, parallel and coplanar.
struct Limits {
    angle_rad: f64,
    offset_mm: f64,
}

/// Of nominals, with the rounding of files; and of measured features without nominals.
const NOMINAL: Limits = Limits { angle_rad: 1e-4, offset_mm: 1e-3 };
const MEASURED: Limits = Limits { angle_rad: 1.0 * std::f64::consts::PI / 180.0, offset_mm: 1.0 };

/// How the features of a common datum lie to each other: by their nominals, or where one is missing, as measured.
///
/// Returns an error that names the pair that forms no common datum.
pub fn arrangement(members: &[Member<'_>]) -> Result<Arrangement> {
    if members.len() < 2 {
        return Err(UserError::usage("A common datum needs at least two datums."));
    }
    for (index, own) in members.iter().enumerate() {
        if members[..index].iter().any(|before| before.letter == own.letter) {
            return Err(UserError::usage(format!("“{}” stands twice in it.", own.letter)));
        }
        if own.has_sides {
            return Err(UserError::usage(format!(
                "“{}” is a mid-plane, of which no common datum is formed.",
                own.letter
            )));
        }
        let is_other_kind = |nominal: Element| {
            std::mem::discriminant(&nominal.situation()) != std::mem::discriminant(&own.element.situation())
        };
        if own.nominal.is_some_and(is_other_kind) {
            return Err(UserError::input(format!(
                "“{}” is not of the kind of its nominal: check that the right feature is assigned.",
                own.letter
            )));
        }
    }
    let nominals: Option<Vec<Element>> = members.iter().map(|own| own.nominal).collect();
    let is_nominal = nominals.is_some();
    let elements = nominals.unwrap_or_else(|| members.iter().map(|own| own.element).collect());
    let situations = elements.iter().map(|own| Ok(own.checked()?.situation())).collect::<Result<Vec<_>>>()?;
    let (Some(first), Some(start), [_, others @ ..]) = (members.first(), situations.first(), members) else {
        return Err(UserError::usage("A common datum needs at least two datums."));
    };
    let limits = if is_nominal { NOMINAL } else { MEASURED };
    let pairs = others.iter().zip(&situations[1..]);
    let no_pair = |other: &Member<'_>| {
        UserError::usage(format!(
            "“{}” and “{}” form no common datum: it takes coaxial cylinders and cones, or parallel planes.",
            first.letter, other.letter
        ))
    };
    let not_parallel = |other: &Member<'_>, angle_rad: f64| {
        UserError::usage(format!(
            "“{}” and “{}” are at {} to each other: a common datum takes coaxial cylinders and cones, or parallel planes.",
            first.letter,
            other.letter,
            degrees_text(angle_rad)
        ))
    };
    match *start {
        Situation::Line(axis) => {
            for (other, situation) in pairs {
                let (Situation::Line(line), true, true) = (situation, first.is_round(), other.is_round()) else {
                    return Err(no_pair(other));
                };
                let angle_rad = acute_angle(&axis.direction, &line.direction);
                if angle_rad > limits.angle_rad {
                    return Err(not_parallel(other, angle_rad));
                }
                let along_mm = (line.point - axis.point).dot(&axis.direction).abs();
                let apart_mm = axis.distance(&line.point);
                if apart_mm > limits.offset_mm + limits.angle_rad * along_mm {
                    return Err(UserError::usage(format!(
                        "The axes of “{}” and “{}” are {apart_mm:.3} mm apart: a common datum takes coaxial ones.",
                        first.letter, other.letter
                    )));
                }
            }
            let element = Shape::Line { point: axis.point, direction: axis.direction }.into();
            Ok(Arrangement { element, heights_mm: vec![0.0; members.len()], is_nominal })
        }
        Situation::Plane(plane) => {
            let (mut heights_mm, mut is_opposed) = (vec![0.0], false);
            for (other, situation) in pairs {
                let Situation::Plane(own) = situation else { return Err(no_pair(other)) };
                let angle_rad = acute_angle(&plane.normal, &own.normal);
                if angle_rad > limits.angle_rad {
                    return Err(not_parallel(other, angle_rad));
                }
                let height_mm = plane.height(&own.point);
                if !is_nominal && height_mm.abs() > limits.offset_mm {
                    return Err(UserError::usage(format!(
                        "“{}” and “{}” are {:.3} mm apart: assign nominals, whose distance a common datum keeps.",
                        first.letter,
                        other.letter,
                        height_mm.abs()
                    )));
                }
                // Without nominals they count as coplanar, and their sense is arbitrary.
                is_opposed |= is_nominal && plane.normal.dot(&own.normal) < 0.0;
                heights_mm.push(if is_nominal { height_mm } else { 0.0 });
            }
            let (low, high) =
                heights_mm.iter().fold((0.0_f64, 0.0_f64), |(low, high), own| (low.min(*own), high.max(*own)));
            let middle_mm = if is_opposed { 0.5 * (low + high) } else { 0.0 };
            heights_mm.iter_mut().for_each(|own| *own -= middle_mm);
            let point = plane.point + plane.normal * middle_mm;
            let element = Shape::Plane { point, normal: plane.normal }.into();
            Ok(Arrangement { element, heights_mm, is_nominal })
        }
        Situation::Point(_) => Err(others.first().map_or_else(undetermined, no_pair)),
    }
}

/// The common datum of features.
///
/// Returns an error that names the pair that forms none, or the feature without points; and if the points do not determine
/// it.
pub fn associate(members: &[Member<'_>]) -> Result<CommonDatum> {
    let Arrangement { element, heights_mm, is_nominal } = arrangement(members)?;
    for (index, own) in members.iter().enumerate() {
        if own.points.is_empty() {
            return Err(UserError::usage(format!(
                "“{}” has no measured points, to which a common datum is fitted; use a fitted feature.",
                own.letter
            )));
        }
        let is_same = |other: &&Member<'_>| other.points == own.points;
        if let Some(other) = members[..index].iter().find(is_same) {
            return Err(UserError::usage(format!(
                "Datums {} and {} are the same feature, or of the same points: choose another for one of them.",
                other.letter, own.letter
            )));
        }
        let measured = own.element.checked()?.direction();
        let first = members.first().and_then(|first| first.element.direction());
        if let (Some(first), Some(measured)) = (first, measured)
            && index > 0
        {
            let angle_rad = acute_angle(&first, &measured);
            if angle_rad > MAX_ANGLE_ERROR_RAD {
                return Err(UserError::input(format!(
                    "“{}” was measured at {} to the others: check that the right feature is assigned.",
                    own.letter,
                    degrees_text(angle_rad)
                )));
            }
        }
    }
    let (found, how): (Shape, _) = match element.situation() {
        Situation::Plane(_) => {
            let found = plane::fit(members, &heights_mm)?;
            let how = if is_nominal {
                "fitted to the points of all its features together, at their nominal distances"
            } else {
                "fitted to the points of all its features together, which count as coplanar without nominals"
            };
            (Shape::Plane { point: found.point, normal: found.normal }, how)
        }
        _ => {
            let found = axis::fit(members)?;
            let how = "fitted to the points of all its features together, each with a size of its own";
            (Shape::Line { point: found.point, direction: found.direction }, how)
        }
    };
    Ok(CommonDatum { element: found.into(), nominal: is_nominal.then_some(element), heights_mm, how })
}

fn undetermined() -> UserError {
    UserError::input("The points of its features do not determine it; measure more of them.")
}

/// The centroid of the points of all features, mm.
fn centroid(members: &[Member<'_>]) -> Point {
    let first = members.iter().find_map(|own| own.points.first()).copied().unwrap_or_else(Point::origin);
    let all = || members.iter().flat_map(|own| own.points);
    let sum: geometry::Vector = all().map(|point| point - first).sum();
    first + sum / all().count().max(1) as f64
}
