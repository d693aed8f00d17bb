//! The artefact with angled slots: a flat plate with a long slot along Y and a short slot along X, both cut with a
//! double-angle cutter, so that each has two flanks. Six regions are brushed and probed: the plate left and right, both
//! flanks of the long slot, both of the short one.
//!
//! The plate defines Z and the height of the origin. The two flanks of a slot intersect in a line, which is projected
//! onto the plate: the line of the long slot defines Y, and the intersection of both lines is the origin.

mod automatic;
pub mod drawing;

use super::five_planes::FivePlanes;
use super::{RegionName, region_name};

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
    // Cutter angle 120 degrees.
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
    /// All regions, in the order of [`ANGLED_SLOTS`].
    pub const ALL: [Self; 6] = [Self::LP, Self::RP, Self::LL, Self::LR, Self::SU, Self::SL];

    /// Short and long name.
    pub fn name(self) -> RegionName {
        REGIONS[self as usize]
    }
}

const REGIONS: [RegionName; 6] = [
    region_name("LP", "left plane"),
    region_name("RP", "right plane"),
    region_name("LL", "long slot, left"),
    region_name("LR", "long slot, right"),
    region_name("SU", "short slot, upper"),
    region_name("SL", "short slot, lower"),
];

#[cfg(test)]
mod tests;
