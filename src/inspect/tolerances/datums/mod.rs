//! Datum systems: the frame of one to three datums, and the degrees of freedom it leaves.
//!
//! After ISO 5459:2011 (and ASME Y14.5-2018, clause 7), whose texts were not available to check against: the primary
//! datum is used as measured, every later one keeps its nominal angles to those before it and constrains only the
//! degrees of freedom that they leave. The angles are those of the datums' nominals; for datums without nominals,
//! angles measured close to 0° and 90° count as exact, and others are used as measured. Datum features are used as
//! fitted; the default association of the standard, an outer tangent feature, may be passed in by the caller.

mod building;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::common::listed;
use crate::features::Element;
use crate::features::element::{Line, degrees_text};
use base::{Result, UserError};
use building::{FrameBuilder, SnapTolerances};
use geometry::{Point, Pose, Vector};

/// Maximum deviation of a datum from its nominal angle to those before it; beyond it, it is probably another feature.
const MAX_ANGLE_ERROR_RAD: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// A datum feature, or a common datum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datum<'a> {
    /// Datum letter.
    pub letter: &'a str,
    /// The measured element, part frame.
    pub element: Element,
    /// The nominal element, nominal frame; defines the angles to the other datums.
    pub nominal: Option<Element>,
}

/// Degrees of freedom not constrained by the datums, along and about the axes of the datum frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FreeMotions {
    /// Translations along x, y, z.
    pub shift: [bool; 3],
    /// Rotations about x, y, z.
    pub turn: [bool; 3],
}

/// A datum reference frame.
///
/// z is the direction of the first datum that has one: a plane's normal, or an axis. x is the next direction that
/// differs from it, projected along z; or the direction from the datum axis to a centre or parallel axis beside it.
/// Both have the sign of their feature. y makes the frame right-handed. The origin is where the datums constrain it;
/// along free translations it is as close as possible to the reference point of the first datum.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DatumSystem {
    /// Transforms the part frame into the datum frame, mm.
    pub datum_from_part: Pose,
    /// Degrees of freedom that are not constrained.
    pub free: FreeMotions,
    /// The datum letters in their order, such as A|B|C; a common datum in quotes, as in “A-B”|C.
    pub name: String,
}

impl DatumSystem {
    /// The datum system of measured datums in order of priority. Returns an error if there is none, if one constrains
    /// no degree of freedom left by those before it, or if one deviates too much from its nominal angle.
    pub fn of(datums: &[Datum<'_>]) -> Result<Self> {
        let (first, name) = first_of(datums)?;
        let has_nominals = datums.iter().all(|datum| datum.nominal.is_some());
        let mut nominal = has_nominals.then(|| FrameBuilder::new(Point::origin(), SnapTolerances::NOMINAL));
        let mut builder = FrameBuilder::new(first.element.checked()?.position(), SnapTolerances::MEASURED);
        for (index, datum) in datums.iter().enumerate() {
            let situation = datum.element.checked()?.situation();
            let is_constraining = match (&mut nominal, datum.nominal) {
                (Some(guide), Some(nominal)) => {
                    let exact = nominal.checked()?.situation();
                    if std::mem::discriminant(&exact) != std::mem::discriminant(&situation) {
                        return Err(UserError::input(format!(
                            "Datum {} is a {}, but its nominal is a {}; check that the right feature is assigned.",
                            datum.letter,
                            datum.element.name(),
                            nominal.name()
                        )));
                    }
                    let is_constraining = guide.add(index, exact, None);
                    builder.add(index, situation, Some((guide, exact)));
                    is_constraining
                }
                _ => builder.add(index, situation, None),
            };
            if !is_constraining {
                return Err(constrains_nothing(datums, index));
            }
            if builder.angle_error_rad > MAX_ANGLE_ERROR_RAD {
                return Err(UserError::input(format!(
                    "Datum {} is {} off its nominal angle to the preceding datums; the maximum is {}. Check that the \
                     right feature is assigned.",
                    datum.letter,
                    degrees_text(builder.angle_error_rad),
                    degrees_text(MAX_ANGLE_ERROR_RAD)
                )));
            }
        }
        Ok(builder.finish(name))
    }

    /// The datum system of the datums' nominals: the frame of true positions. Returns an error if one is missing, and
    /// as [`DatumSystem::of`].
    pub fn of_nominals(datums: &[Datum<'_>]) -> Result<Self> {
        let (_, name) = first_of(datums)?;
        let mut builder: Option<FrameBuilder> = None;
        for (index, datum) in datums.iter().enumerate() {
            let nominal = datum.nominal.ok_or_else(|| {
                UserError::usage(format!("Datum {} has no nominal; assign one to its feature.", datum.letter))
            })?;
            let nominal = nominal.checked()?;
            let builder = builder.get_or_insert_with(|| FrameBuilder::new(nominal.position(), SnapTolerances::NOMINAL));
            if !builder.add(index, nominal.situation(), None) {
                return Err(constrains_nothing(datums, index));
            }
        }
        builder.map(|builder| builder.finish(name)).ok_or_else(|| UserError::usage("A datum is missing."))
    }

    /// The z axis of the frame in the part frame; `None` if the datums do not constrain it.
    pub fn direction(&self) -> Option<Vector> {
        let is_constrained = !(self.free.turn[0] || self.free.turn[1]);
        is_constrained.then(|| self.datum_from_part.rotation.inverse() * Vector::z())
    }

    /// The datum axis in the part frame: the z axis through the origin. Returns an error if the datums do not constrain
    /// it.
    pub fn axis(&self) -> Result<Line> {
        let axis = self.direction().filter(|_| !(self.free.shift[0] || self.free.shift[1]));
        let point = Point::from(self.datum_from_part.inverse().translation.vector);
        axis.map(|direction| Line { point, direction }).ok_or_else(|| {
            UserError::usage(format!(
                "The datums {} define no axis; use an axis, or a plane and a centre, as datum.",
                self.name
            ))
        })
    }
}

impl FreeMotions {
    /// Names for messages, such as “the translation along x, the rotation about z”.
    pub fn names(&self) -> String {
        let translations = ["the translation along x", "the translation along y", "the translation along z"];
        let rotations = ["the rotation about x", "the rotation about y", "the rotation about z"];
        let of = |free: [bool; 3], names: [&'static str; 3]| names.into_iter().zip(free).filter(|(_, free)| *free);
        let names: Vec<&str> =
            of(self.shift, translations).chain(of(self.turn, rotations)).map(|(name, _)| name).collect();
        names.join(", ")
    }
}

fn first_of<'a, 'b>(datums: &'a [Datum<'b>]) -> Result<(&'a Datum<'b>, String)> {
    let first = datums.first().ok_or_else(|| UserError::usage("A datum system needs at least one datum."))?;
    Ok((first, listed(datums.iter().map(|datum| datum.letter), "|")))
}

fn constrains_nothing(datums: &[Datum<'_>], index: usize) -> UserError {
    let before = listed(datums[..index].iter().map(|datum| datum.letter), "|");
    UserError::usage(format!(
        "Datum {} (a {}) constrains no degree of freedom left by {}: it is parallel to it, or lies on its axis. Remove \
         it or choose another feature.",
        datums[index].letter,
        datums[index].element.name(),
        before
    ))
}
