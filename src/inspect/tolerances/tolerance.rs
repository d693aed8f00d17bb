//! Tolerances as a drawing states them, and as a project file or an inspection plan keeps them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::feature::Features;
use super::judged::Judged;
use crate::features::Element;
use base::{Result, UserError};
use geometry::Vector;

/// Which feature each datum letter stands for.
pub type Letters = BTreeMap<String, String>;

/// What is toleranced: the characteristics of ISO 1101:2017, clause 17, and the size of ISO 14405-1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "characteristic", rename_all = "snake_case", deny_unknown_fields)]
pub enum Characteristic {
    /// Diameter or width; the tolerance's limit is the upper one (`upper_mm`).
    Size {
        /// The lower limit, mm; `None` where there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lower_mm: Option<f64>,
    },
    /// Of a line in space, or of the axis of a cylinder: a cylinder zone.
    Straightness {
        /// Thickness of the sections whose centres make the axis, mm; `None` takes a twentieth of the length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_mm: Option<f64>,
    },
    /// Of a plane.
    Flatness {},
    /// Roundness of a circle, or of every section of a cylinder.
    Circularity {
        /// Thickness of the sections, mm; `None` takes a twentieth of the length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_mm: Option<f64>,
    },
    /// Of a cylinder.
    Cylindricity {},
    /// Of a plane or an axis to the first datum, at 0°.
    Parallelism {
        /// The zone of an axis; planes always take a width.
        #[serde(default)]
        zone: Zone,
    },
    /// Of a plane or an axis to the first datum, at 90°.
    Perpendicularity {
        /// The zone of an axis; planes always take a width.
        #[serde(default)]
        zone: Zone,
    },
    /// Of a plane or an axis to the first datum.
    Angularity {
        /// The angle between the two, degrees, 0 to 90: between a plane and an axis it is 0 where they are parallel.
        angle_deg: f64,
        /// The zone of an axis; planes always take a width.
        #[serde(default)]
        zone: Zone,
    },
    /// Of an axis, a centre or a mid-plane at its true place in the datum system.
    Position {
        /// The zone; planes always take a width along their normal.
        #[serde(default)]
        zone: Zone,
        /// The theoretically exact place in the datum frame ([`super::DatumSystem`]), mm; `None` takes the feature's
        /// nominal in the frame of the datums' nominals.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        true_place: Option<Element>,
    },
    /// Of an axis to the datum axis, or of a centre to the datum centre (concentricity).
    Coaxiality {},
    /// Of a mid-plane, an axis or a centre to the datum plane.
    Symmetry {},
    /// Of a surface, from signed deviations.
    Profile {
        /// How much of the zone's width is outside the nominal surface, mm; `None` takes half (bilateral), 0 is all
        /// inside, the whole width all outside (unilateral).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outside_mm: Option<f64>,
    },
    /// Of every section of a cylinder, of a circle, or of every ring of a plane square to the datum axis.
    CircularRunOut {
        /// Thickness of the sections or rings, mm; `None` takes a twentieth of the reach.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_mm: Option<f64>,
    },
    /// Of a whole cylinder, or of a whole plane square to the datum axis.
    TotalRunOut {},
}

/// The form of a tolerance zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Zone {
    /// A cylinder (⌀) for axes and for centres of circles, a sphere (S⌀) for other centres.
    #[default]
    Diameter,
    /// Two parallel planes.
    Width {
        /// Square to them, in the datum frame ([`super::DatumSystem`]).
        along: Vector,
    },
}

/// Whether a feature of size surrounds material or is surrounded by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// A hole or slot: its least size has the most material.
    Internal,
    /// A shaft or tab: its greatest size has the most material.
    External,
}

/// The maximum material requirement (Ⓜ), as a bonus to the limit.
///
/// This is the axis interpretation of ASME Y14.5-2018: the limit grows by how far the unrelated actual mating envelope
/// has left the maximum material size. ISO 2692 instead asks that the surface stay within its virtual condition, which
/// is the same where the form is ideal. Neither text was available to check against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaximumMaterial {
    /// Hole or shaft.
    pub side: Side,
    /// The size with the most material, mm: a hole's lower limit of size, a shaft's upper.
    pub size_mm: f64,
}

/// A tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// What reports call it; may be empty.
    #[serde(default)]
    pub name: String,
    /// The name of the toleranced feature.
    pub feature: String,
    /// What is toleranced.
    #[serde(flatten)]
    pub characteristic: Characteristic,
    /// The greatest value allowed, mm: width or diameter of the zone; of a size its upper limit (`upper_mm`).
    #[serde(alias = "upper_mm")]
    pub limit_mm: f64,
    /// Datum letters in their order (or names of features); none for form and size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datums: Vec<String>,
    /// The maximum material requirement, where the drawing shows Ⓜ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum_material: Option<MaximumMaterial>,
    /// Expanded uncertainty (k = 2) of the measured value, mm, where it was found otherwise; it takes the place of the
    /// one that follows from the fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded_uncertainty_mm: Option<f64>,
}

/// Datum letters and tolerances: what a drawing states of a part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Which feature each datum letter stands for.
    #[serde(default)]
    pub datums: Letters,
    /// What features should be, by their names, in the frame of the nominal part: whoever measures gives them to the
    /// features. True places are told by them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nominals: BTreeMap<String, Element>,
    /// The tolerances.
    pub tolerances: Vec<Tolerance>,
}

impl Plan {
    /// Reads a plan from JSON; a sentence with line and column where it is none.
    pub fn from_json(text: &str) -> Result<Self> {
        serde_json::from_str(text).map_err(|error| {
            UserError::input(format!("The tolerances cannot be read: {error}; correct the file there."))
        })
    }

    /// The plan as [`Plan::from_json`] reads it.
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| UserError::internal(format!("The tolerances cannot be written: {error}.")))
    }

    /// Judges every tolerance, in order; one that cannot be judged is a sentence and does not stop the others.
    pub fn judge(&self, features: &Features) -> Vec<Result<Judged>> {
        self.tolerances.iter().map(|tolerance| super::judge(tolerance, features, &self.datums)).collect()
    }
}

/// What a characteristic asks of its datums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Datums {
    None,
    Some,
    Any,
}

impl Characteristic {
    /// One of each, in the standard's order, with the usual values of what else it says.
    pub fn usual() -> [Self; 14] {
        [
            Self::Size { lower_mm: None },
            Self::Straightness { section_mm: None },
            Self::Flatness {},
            Self::Circularity { section_mm: None },
            Self::Cylindricity {},
            Self::Profile { outside_mm: None },
            Self::Parallelism { zone: Zone::Diameter },
            Self::Perpendicularity { zone: Zone::Diameter },
            Self::Angularity { angle_deg: 45.0, zone: Zone::Diameter },
            Self::Position { zone: Zone::Diameter, true_place: None },
            Self::Coaxiality {},
            Self::Symmetry {},
            Self::CircularRunOut { section_mm: None },
            Self::TotalRunOut {},
        ]
    }

    /// Whether it may refer to datums.
    pub fn takes_datums(&self) -> bool {
        self.datums() != Datums::None
    }

    /// Whether it makes no sense without a datum.
    pub fn needs_datum(&self) -> bool {
        self.datums() == Datums::Some
    }

    /// What people call it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Size { .. } => "Size",
            Self::Straightness { .. } => "Straightness",
            Self::Flatness {} => "Flatness",
            Self::Circularity { .. } => "Circularity",
            Self::Cylindricity {} => "Cylindricity",
            Self::Parallelism { .. } => "Parallelism",
            Self::Perpendicularity { .. } => "Perpendicularity",
            Self::Angularity { .. } => "Angularity",
            Self::Position { .. } => "Position",
            Self::Coaxiality {} => "Coaxiality",
            Self::Symmetry {} => "Symmetry",
            Self::Profile { .. } => "Profile of a surface",
            Self::CircularRunOut { .. } => "Circular run-out",
            Self::TotalRunOut {} => "Total run-out",
        }
    }

    /// Where the standard defines it.
    pub fn source(&self) -> &'static str {
        match self {
            Self::Size { .. } => "ISO 14405-1:2016, global size",
            Self::Straightness { .. } => "ISO 1101:2017, 17.2",
            Self::Flatness {} => "ISO 1101:2017, 17.3",
            Self::Circularity { .. } => "ISO 1101:2017, 17.4",
            Self::Cylindricity {} => "ISO 1101:2017, 17.5",
            Self::Profile { .. } => "ISO 1101:2017, 17.8 and 17.9",
            Self::Parallelism { .. } => "ISO 1101:2017, 17.10",
            Self::Perpendicularity { .. } => "ISO 1101:2017, 17.11",
            Self::Angularity { .. } => "ISO 1101:2017, 17.12",
            Self::Position { .. } => "ISO 1101:2017, 17.13",
            Self::Coaxiality {} => "ISO 1101:2017, 17.14",
            Self::Symmetry {} => "ISO 1101:2017, 17.15",
            Self::CircularRunOut { .. } => "ISO 1101:2017, 17.16",
            Self::TotalRunOut {} => "ISO 1101:2017, 17.17",
        }
    }

    /// How the standard is read here, in a sentence for people: the texts were not available to check against.
    pub fn reading(&self) -> &'static str {
        match self {
            Self::Size { .. } => "Size of the least-squares feature (our reading of ISO 14405-1, GG).",
            Self::Straightness { .. } => {
                "Diameter of the smallest cylinder around the line or median line (our reading of ISO 1101)."
            }
            Self::Flatness {} => "Distance of two parallel planes around the surface (our reading of ISO 1101).",
            Self::Circularity { .. } => "Difference of two concentric radii in a section (our reading of ISO 1101).",
            Self::Cylindricity {} => "Difference of two coaxial radii around the surface (our reading of ISO 1101).",
            Self::Parallelism { .. } | Self::Perpendicularity { .. } | Self::Angularity { .. } => {
                "Smallest zone at the exact angle to the datums (our reading of ISO 1101 and ISO 5459)."
            }
            Self::Position { .. } | Self::Coaxiality {} | Self::Symmetry {} => {
                "Twice the greatest distance from the true position (our reading of ISO 1101 and ISO 5459)."
            }
            Self::Profile { .. } => {
                "Twice the greatest distance from the middle of the zone (our reading of ISO 1660 and ASME Y14.5.1)."
            }
            Self::CircularRunOut { .. } | Self::TotalRunOut {} => {
                "Variation of the distance from or along the datum axis (our reading of ISO 1101)."
            }
        }
    }

    pub(super) fn datums(&self) -> Datums {
        match self {
            Self::Size { .. }
            | Self::Straightness { .. }
            | Self::Flatness {}
            | Self::Circularity { .. }
            | Self::Cylindricity {} => Datums::None,
            Self::Profile { .. } => Datums::Any,
            _ => Datums::Some,
        }
    }

    /// Whether the limit may grow with the size: what tolerances the place or direction of a feature of size.
    fn may_grow(&self) -> bool {
        matches!(
            self,
            Self::Straightness { .. }
                | Self::Parallelism { .. }
                | Self::Perpendicularity { .. }
                | Self::Angularity { .. }
                | Self::Position { .. }
                | Self::Coaxiality {}
                | Self::Symmetry {}
        )
    }
}

impl Tolerance {
    /// What sentences call it.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            format!("{} of “{}”", self.characteristic.name(), self.feature)
        } else {
            format!("Tolerance “{}”", self.name)
        }
    }

    /// Refuses what makes no sense before anything is measured.
    pub(super) fn check(&self) -> Result<()> {
        let name = self.characteristic.name();
        let refuse = |sentence: String| Err(UserError::usage(sentence));
        let lower = if let Characteristic::Size { lower_mm } = self.characteristic { lower_mm } else { None };
        if !(self.limit_mm >= lower.unwrap_or(0.0).max(0.0) && self.limit_mm.is_finite()) {
            return refuse(format!(
                "the limit of {} mm must be a number of at least 0, and of a size not below the lower limit.",
                self.limit_mm
            ));
        }
        if self.expanded_uncertainty_mm.is_some_and(|own| !(own >= 0.0 && own.is_finite())) {
            return refuse("the expanded uncertainty must be at least 0.".to_owned());
        }
        match (self.characteristic.datums(), self.datums.is_empty()) {
            (Datums::None, false) => {
                return refuse(format!("{name} takes no datum; leave {} out.", self.datums.join("|")));
            }
            (Datums::Some, true) => return refuse(format!("{name} needs a datum; name the letter of one.")),
            _ => {}
        }
        if let Some(maximum) = self.maximum_material {
            if !self.characteristic.may_grow() {
                return refuse(format!("{name} does not grow with the size; leave the maximum material out."));
            }
            if !(maximum.size_mm > 0.0 && maximum.size_mm.is_finite()) {
                return refuse("the maximum material size must be above 0.".to_owned());
            }
        }
        Ok(())
    }
}

impl MaximumMaterial {
    /// How far a size has left that of the most material, mm; negative where it has yet more material.
    pub(super) fn left_by_mm(&self, size_mm: f64) -> f64 {
        match self.side {
            Side::Internal => size_mm - self.size_mm,
            Side::External => self.size_mm - size_mm,
        }
    }
}
