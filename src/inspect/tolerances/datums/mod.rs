//! Datum systems: the frame that one to three datums make, and what they leave free.
//!
//! After ISO 5459:2011 (and ASME Y14.5-2018, clause 7), whose texts were not available to check against: the primary
//! datum is taken as it is, every later one keeps the angles that it nominally has to those before it and fixes only
//! what they leave open. The angles are those of the datums' nominals; where a datum has none, 0° and 90° are known by
//! being nearly measured, and other angles are taken as measured. Datum features are taken as they were fitted; the
//! standard's default association is the outer tangent one, which the caller may pass in as well.

mod building;
#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::features::Element;
use crate::features::element::{Straight, shown};
use base::{Result, UserError};
use building::{Building, Meant};
use geometry::{Point, Pose, Vector};

/// A datum that leans more than this from its nominal angle to those before it is another feature.
const ASTRAY_RAD: f64 = 10.0 * std::f64::consts::PI / 180.0;

/// A datum feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Datum<'a> {
    /// Its letter.
    pub letter: &'a str,
    /// As measured, in the part's frame.
    pub element: Element,
    /// As it should be, in the frame of the nominal part; tells its angles to the other datums.
    pub nominal: Option<Element>,
}

/// Motions that the datums do not fix, along and about the axes of the datum frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct FreeMotions {
    /// Shifts along x, y, z.
    pub shift: [bool; 3],
    /// Turns about x, y, z.
    pub turn: [bool; 3],
}

/// A datum reference frame.
///
/// z is the direction of the first datum that has one: a plane's normal, an axis. x is the next direction that differs
/// from it, as seen along z; or the way from the datum axis to a centre or parallel axis beside it. Both have the sign
/// of their feature. y makes the frame right-handed. The origin is where the datums fix it; along free shifts it is as
/// near to the first datum's place as it can be.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DatumSystem {
    /// Takes the part's frame into the datum frame, mm.
    pub datum_from_part: Pose,
    /// What is still free.
    pub free: FreeMotions,
    /// The datums in their order, “A|B|C”.
    pub name: String,
}

impl DatumSystem {
    /// Of measured datums in their order of priority. A sentence where there is none, where one fixes nothing that
    /// those before it leave open, or where one stands otherwise than its nominal.
    pub fn of(datums: &[Datum<'_>]) -> Result<Self> {
        let (first, name) = first_of(datums)?;
        let has_nominals = datums.iter().all(|datum| datum.nominal.is_some());
        let mut nominal = has_nominals.then(|| Building::new(Point::origin(), Meant::NOMINAL));
        let mut building = Building::new(first.element.checked()?.place(), Meant::MEASURED);
        for (number, datum) in datums.iter().enumerate() {
            let situation = datum.element.checked()?.situation();
            let added = match (&mut nominal, datum.nominal) {
                (Some(guide), Some(nominal)) => {
                    let exact = nominal.checked()?.situation();
                    if std::mem::discriminant(&exact) != std::mem::discriminant(&situation) {
                        return Err(UserError::input(format!(
                            "Datum {} is a {}, but nominally a {}; check which feature it is.",
                            datum.letter,
                            datum.element.name(),
                            nominal.name()
                        )));
                    }
                    let fixes = guide.add(number, exact, None);
                    building.add(number, situation, Some((guide, exact)));
                    fixes
                }
                _ => building.add(number, situation, None),
            };
            if !added {
                return Err(fixes_nothing(datums, number));
            }
            if building.astray_rad > ASTRAY_RAD {
                return Err(UserError::input(format!(
                    "Datum {} stands {} off its nominal angle to the datums before it, and {} is the most; check which \
                     feature it is.",
                    datum.letter,
                    shown(building.astray_rad),
                    shown(ASTRAY_RAD)
                )));
            }
        }
        Ok(building.finish(name))
    }

    /// Of the datums' nominals: the frame in which true places are told. A sentence where one is missing, and as
    /// [`DatumSystem::of`].
    pub fn of_nominals(datums: &[Datum<'_>]) -> Result<Self> {
        let (_, name) = first_of(datums)?;
        let mut building: Option<Building> = None;
        for (number, datum) in datums.iter().enumerate() {
            let nominal = datum.nominal.ok_or_else(|| {
                UserError::usage(format!("The nominal of datum {} is not known; give its feature one.", datum.letter))
            })?;
            let nominal = nominal.checked()?;
            let building = building.get_or_insert_with(|| Building::new(nominal.place(), Meant::NOMINAL));
            if !building.add(number, nominal.situation(), None) {
                return Err(fixes_nothing(datums, number));
            }
        }
        building.map(|own| own.finish(name)).ok_or_else(|| UserError::usage("A datum is missing."))
    }

    /// The z axis of the frame in the part's frame, where the datums fix its direction.
    pub fn direction(&self) -> Option<Vector> {
        let fixed = !(self.free.turn[0] || self.free.turn[1]);
        fixed.then(|| self.datum_from_part.rotation.inverse() * Vector::z())
    }

    /// The datum axis in the part's frame: z through the origin. A sentence where the datums do not fix it.
    pub fn axis(&self) -> Result<Straight> {
        let axis = self.direction().filter(|_| !(self.free.shift[0] || self.free.shift[1]));
        let point = Point::from(self.datum_from_part.inverse().translation.vector);
        axis.map(|direction| Straight { point, direction }).ok_or_else(|| {
            UserError::usage(format!(
                "The datums {} give no axis; name an axis, or a plane and a centre, as datum.",
                self.name
            ))
        })
    }
}

impl FreeMotions {
    /// For sentences: “the shift along x, the turn about z”.
    pub fn names(&self) -> String {
        let shifts = ["the shift along x", "the shift along y", "the shift along z"];
        let turns = ["the turn about x", "the turn about y", "the turn about z"];
        let of = |free: [bool; 3], names: [&'static str; 3]| names.into_iter().zip(free).filter(|(_, free)| *free);
        let names: Vec<&str> = of(self.shift, shifts).chain(of(self.turn, turns)).map(|(name, _)| name).collect();
        names.join(", ")
    }
}

fn first_of<'a, 'b>(datums: &'a [Datum<'b>]) -> Result<(&'a Datum<'b>, String)> {
    let letters: Vec<&str> = datums.iter().map(|datum| datum.letter).collect();
    let first = datums.first().ok_or_else(|| UserError::usage("A datum system needs at least one datum."))?;
    Ok((first, letters.join("|")))
}

fn fixes_nothing(datums: &[Datum<'_>], number: usize) -> UserError {
    let before: Vec<&str> = datums[..number].iter().map(|datum| datum.letter).collect();
    UserError::usage(format!(
        "Datum {} (a {}) fixes nothing that {} leaves open: it is parallel to it, or lies on its axis. Leave it out or \
         choose another feature.",
        datums[number].letter,
        datums[number].element.name(),
        before.join("|")
    ))
}
