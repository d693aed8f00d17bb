//! The artefact with angled slots: a flat plate, a long slot along its Y and a short slot along its X, both cut with a
//! double-edged cutter, so that each has two flanks. Brushed or touched are six regions: the plate left and right, both
//! flanks of the long slot, both of the short one.
//!
//! The plate gives Z, and the height of the origin. The flanks of a slot meet in a line, which is dropped onto the
//! plate; the long slot's gives Y, and where both lines cross is the origin.

mod automatic;
pub mod drawing;

use super::five_planes::FivePlanes;
use super::{RegionName, named};

/// The artefact.
pub static ANGLED_SLOTS: FivePlanes = FivePlanes {
    name: "Angled slots",
    regions: &REGIONS,
    parts: [("plate", &[0, 1]), ("LL", &[2]), ("LR", &[3]), ("SU", &[4]), ("SL", &[5])],
    pairs: ["long slot", "short slot"],
    order: &[
        (2, 3, 0, "The left and the right flank of the long slot"),
        (0, 1, 0, "The left and the right part of the plate"),
        (5, 4, 1, "The lower and the upper flank of the short slot"),
    ],
    // A cutter of 120 degrees.
    flank_deg: Some(30.0),
    find: |cloud, progress| automatic::find(&drawing::Drawing::default(), &cloud.points, progress),
};

/// A region of the artefact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Region {
    /// The plate, left.
    LP,
    /// The plate, right.
    RP,
    /// The long slot's left flank.
    LL,
    /// The long slot's right flank.
    LR,
    /// The short slot's upper flank.
    SU,
    /// The short slot's lower flank.
    SL,
}

impl Region {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::LP, Self::RP, Self::LL, Self::LR, Self::SU, Self::SL];

    /// Its names.
    pub fn name(self) -> RegionName {
        REGIONS[self as usize]
    }
}

const REGIONS: [RegionName; 6] = [
    named("LP", "left plane"),
    named("RP", "right plane"),
    named("LL", "long slot, left"),
    named("LR", "long slot, right"),
    named("SU", "short slot, upper"),
    named("SL", "short slot, lower"),
];

#[cfg(test)]
mod tests;
