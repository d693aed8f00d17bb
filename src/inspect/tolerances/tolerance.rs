//! Tolerances as stated on a drawing and stored in project files and plans.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::common::listed;
use super::feature::Features;
use super::judged::Judged;
use crate::features::Element;
use base::{Result, UserError};
use geometry::Vector;

/// Minimum cutoff of a filter, undulations per revolution: a longer wave would be form itself.
const MIN_UPR: f64 = 3.0;

/// Feature name of each datum letter.
pub type DatumLetters = BTreeMap<String, String>;

/// The toleranced characteristic: those of ISO 1101:2017, clause 17, and the size of ISO 14405-1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "characteristic", rename_all = "snake_case", deny_unknown_fields)]
pub enum Characteristic {
    /// Diameter or width; the tolerance's limit is the upper one (`upper_mm`).
    Size {
        /// Lower limit, mm; `None` if there is none.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        lower_mm: Option<f64>,
    },
    /// Of a line in space, or of the axis of a cylinder; cylindrical zone.
    Straightness {
        /// Thickness of the sections whose centres form the axis, mm; by default a twentieth of the length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_mm: Option<f64>,
    },
    /// Of a plane.
    Flatness {},
    /// Roundness of a circle, or of every section of a cylinder.
    Circularity {
        /// Thickness of the sections, mm; by default a twentieth of the length.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_mm: Option<f64>,
    },
    /// Of a cylinder.
    Cylindricity {},
    /// Of a plane or an axis at 0° to the primary datum.
    Parallelism {
        /// Zone of an axis; planes always have a width.
        #[serde(default)]
        zone: Zone,
    },
    /// Of a plane or an axis at 90° to the primary datum.
    Perpendicularity {
        /// Zone of an axis; planes always have a width.
        #[serde(default)]
        zone: Zone,
    },
    /// Of a plane or an axis at an angle to the primary datum.
    Angularity {
        /// Angle between the two, degrees, 0 to 90; 0 if a plane and an axis are parallel.
        angle_deg: f64,
        /// Zone of an axis; planes always have a width.
        #[serde(default)]
        zone: Zone,
    },
    /// Of an axis, a centre or a mid-plane relative to its true position in the datum system.
    Position {
        /// The zone; planes always have a width along their normal.
        #[serde(default)]
        zone: Zone,
        /// The theoretically exact position in the datum frame ([`super::DatumSystem`]), mm; by default the feature's
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
        /// Part of the zone width outside the nominal surface, mm; by default half (bilateral), 0 is all inside, the
        /// whole width all outside (unilateral).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outside_mm: Option<f64>,
    },
    /// Of every section of a cylinder, of a circle, or of every ring of a plane perpendicular to the datum axis.
    CircularRunOut {
        /// Thickness of the sections or rings, mm; by default a twentieth of the extent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        section_mm: Option<f64>,
    },
    /// Of a whole cylinder, or of a whole plane perpendicular to the datum axis.
    TotalRunOut {},
}

/// Shape of a tolerance zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Zone {
    /// A cylinder (⌀) for axes and for centres of circles, a sphere (S⌀) for other centres.
    #[default]
    Diameter,
    /// Between two parallel planes.
    Width {
        /// Direction perpendicular to the planes, datum frame ([`super::DatumSystem`]).
        along: Vector,
    },
}

/// Internal or external feature of size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    /// A hole or slot: maximum material is the minimum size.
    Internal,
    /// A shaft or tab: maximum material is the maximum size.
    External,
}

/// The maximum material requirement (Ⓜ), as a bonus to the limit.
///
/// This is the axis interpretation of ASME Y14.5-2018: the limit increases by the departure of the unrelated actual
/// mating envelope from the maximum material size. ISO 2692 instead requires the surface to stay within its virtual
/// condition, which is equivalent for ideal form. Neither text was available to check against.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MaximumMaterial {
    /// Internal or external feature.
    pub side: Side,
    /// Maximum material size, mm: a hole's lower limit of size, a shaft's upper limit.
    pub size_mm: f64,
}

/// A tolerance as stated on a drawing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Name in reports; may be empty.
    #[serde(default)]
    pub name: String,
    /// Name of the toleranced feature.
    pub feature: String,
    /// The toleranced characteristic.
    #[serde(flatten)]
    pub characteristic: Characteristic,
    /// Upper limit, mm: width or diameter of the zone; for a size its upper limit (`upper_mm`). Lists may leave it out
    /// where a fit determines it ([`Plan::from_json`]).
    #[serde(alias = "upper_mm", default = "unstated_mm")]
    pub limit_mm: f64,
    /// Tolerance class of a size with its nominal size, such as “25 H7” (ISO 286), which determines the limits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fit: Option<String>,
    /// Datum letters (or feature names) in order of priority, joined by a hyphen for a common datum such as “A-B”; none
    /// for form and size.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub datums: Vec<String>,
    /// The maximum material requirement, if the drawing shows Ⓜ.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum_material: Option<MaximumMaterial>,
    /// Expanded uncertainty (k = 2) of the measured value, mm, if known otherwise; replaces that propagated from the
    /// fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expanded_uncertainty_mm: Option<f64>,
    /// Nesting index or cutoff wavelength of the Gaussian filter (of surfaces ISO 16610-61, of circles and lines ISO
    /// 16610-21) that the points pass before the zone that contains them is evaluated, mm; `None` evaluates them as
    /// measured. Without effect on sizes and axes, which is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_mm: Option<f64>,
    /// Cutoff of such a filter in undulations per revolution, in place of a wavelength; for circularity and circular run-out
    /// of circles and cylinders (of every section along its circumference), cylindricity, and total run-out of cylinders.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filter_upr: Option<f64>,
    /// Limit for outliers, single points that stand off their neighbours (by at least 0.005 mm), in standard deviations of
    /// the noise: they are removed before the filter. `None` keeps them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outlier_sigmas: Option<f64>,
    /// Share of the faces of the feature and of its datums that must be seen, 0 to 1; `None` is 0.8 of the facets of the
    /// nominal, and 0.5 of the extent of points whose face is not known ([`crate::features::FaceExtent::min_share`]).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_coverage: Option<f64>,
}

/// A limit that is not stated; it is refused.
fn unstated_mm() -> f64 {
    f64::NAN
}

/// Datum letters, nominals and tolerances as stated on a drawing.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// Feature name of each datum letter.
    #[serde(default)]
    pub datums: DatumLetters,
    /// Nominals of features by name, nominal frame; the caller assigns them to the measured features. They define true
    /// positions.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub nominals: BTreeMap<String, Element>,
    /// The tolerances.
    pub tolerances: Vec<Tolerance>,
}

impl Plan {
    /// Reads a plan from JSON; the error states line and column. Sizes that state a fit alone get its limits; a class
    /// without nominal size is that of the feature's nominal.
    pub fn from_json(text: &str) -> Result<Self> {
        let mut plan: Self = serde_json::from_str(text).map_err(|error| {
            UserError::input(format!("The tolerances cannot be read: {error}; correct the file at that position."))
        })?;
        for tolerance in &mut plan.tolerances {
            let nominal_mm = plan.nominals.get(&tolerance.feature).and_then(Element::diameter_mm);
            tolerance.complete(nominal_mm).map_err(|error| error.about(&tolerance.title()))?;
        }
        Ok(plan)
    }

    /// Writes a plan as JSON for [`Plan::from_json`].
    pub fn to_json(&self) -> Result<String> {
        serde_json::to_string_pretty(self)
            .map_err(|error| UserError::internal(format!("The tolerances cannot be written: {error}.")))
    }

    /// Evaluates every tolerance, in order; an error in one does not affect the others.
    pub fn judge(&self, features: &Features) -> Vec<Result<Judged>> {
        self.tolerances.iter().map(|tolerance| super::judge(tolerance, features, &self.datums)).collect()
    }
}

/// Whether a characteristic needs datums.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DatumUse {
    None,
    Required,
    Optional,
}

impl Characteristic {
    /// One of each characteristic, in the order of the standard, with default values.
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
        self.datum_use() != DatumUse::None
    }

    /// Whether it requires a datum.
    pub fn needs_datum(&self) -> bool {
        self.datum_use() == DatumUse::Required
    }

    /// Display name.
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

    /// Clause of the standard that defines it.
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

    /// Our reading of the standard in a sentence for reports; the texts were not available to check against.
    pub fn reading(&self) -> &'static str {
        match self {
            Self::Size { .. } => "Size of the least-squares feature (our reading of ISO 14405-1, GG).",
            Self::Straightness { .. } => {
                "Diameter of the smallest cylinder that encloses the line or median line (our reading of ISO 1101)."
            }
            Self::Flatness {} => {
                "Distance between two parallel planes that enclose the surface (our reading of ISO 1101)."
            }
            Self::Circularity { .. } => "Difference of two concentric radii in a section (our reading of ISO 1101).",
            Self::Cylindricity {} => {
                "Difference of two coaxial radii that enclose the surface (our reading of ISO 1101)."
            }
            Self::Parallelism { .. } | Self::Perpendicularity { .. } | Self::Angularity { .. } => {
                "Smallest zone at the theoretically exact angle to the datums (our reading of ISO 1101 and ISO 5459)."
            }
            Self::Position { .. } | Self::Coaxiality {} | Self::Symmetry {} => {
                "Twice the maximum distance from the true position (our reading of ISO 1101 and ISO 5459)."
            }
            Self::Profile { .. } => {
                "Twice the maximum distance from the centre of the zone (our reading of ISO 1660 and ASME Y14.5.1)."
            }
            Self::CircularRunOut { .. } | Self::TotalRunOut {} => {
                "Variation of the distance from or along the datum axis (our reading of ISO 1101)."
            }
        }
    }

    /// Whether its filter may be stated in undulations per revolution, if the feature is round.
    pub fn takes_undulations(&self) -> bool {
        matches!(
            self,
            Self::Circularity { .. } | Self::Cylindricity {} | Self::CircularRunOut { .. } | Self::TotalRunOut {}
        )
    }

    pub(super) fn datum_use(&self) -> DatumUse {
        match self {
            Self::Size { .. }
            | Self::Straightness { .. }
            | Self::Flatness {}
            | Self::Circularity { .. }
            | Self::Cylindricity {} => DatumUse::None,
            Self::Profile { .. } => DatumUse::Optional,
            _ => DatumUse::Required,
        }
    }

    /// Whether the maximum material requirement applies: to location and orientation, and to the straightness of an
    /// axis.
    fn takes_maximum_material(&self) -> bool {
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
    /// Title in messages.
    pub fn title(&self) -> String {
        if self.name.is_empty() {
            format!("{} of “{}”", self.characteristic.name(), self.feature)
        } else {
            format!("Tolerance “{}”", self.name)
        }
    }

    /// Checks the values before anything is measured.
    pub(super) fn check(&self) -> Result<()> {
        let name = self.characteristic.name();
        let refuse = |message: String| Err(UserError::usage(message));
        let lower = if let Characteristic::Size { lower_mm } = self.characteristic { lower_mm } else { None };
        if !(self.limit_mm >= lower.unwrap_or(0.0).max(0.0) && self.limit_mm.is_finite()) {
            return refuse(format!(
                "the limit of {} mm must be finite and at least 0, and for a size not below the lower limit.",
                self.limit_mm
            ));
        }
        self.check_size_class()?;
        if self.expanded_uncertainty_mm.is_some_and(|own| !(own >= 0.0 && own.is_finite())) {
            return refuse("the expanded uncertainty must be at least 0.".to_owned());
        }
        if self.filter_mm.is_some_and(|own| !(own > 0.0 && own.is_finite())) {
            return refuse("the nesting index of the filter must be above 0.".to_owned());
        }
        if let Some(upr) = self.filter_upr {
            if self.filter_mm.is_some() {
                return refuse("state one filter, in undulations per revolution or in mm, not both.".to_owned());
            }
            if !self.characteristic.takes_undulations() {
                return refuse(
                    "only circularity, cylindricity and run-out take a filter in undulations per revolution: state a \
                     wavelength in mm."
                        .to_owned(),
                );
            }
            if !(upr >= MIN_UPR && upr.is_finite()) {
                return refuse(format!("the filter must be at least {MIN_UPR} undulations per revolution."));
            }
        }
        if self.outlier_sigmas.is_some_and(|own| !(own > 0.0 && own.is_finite())) {
            return refuse("The outlier limit must be above 0 standard deviations.".to_owned());
        }
        if self.min_coverage.is_some_and(|own| !(0.0..=1.0).contains(&own)) {
            return refuse("the share of a face that must be seen must be from 0 to 1.".to_owned());
        }
        match (self.characteristic.datum_use(), self.datums.is_empty()) {
            (DatumUse::None, false) => {
                let datums = listed(self.datums.iter().map(String::as_str), "|");
                return refuse(format!("{name} takes no datum; remove {datums}."));
            }
            (DatumUse::Required, true) => return refuse(format!("{name} needs a datum; state its letter.")),
            _ => {}
        }
        if let Some(maximum) = self.maximum_material {
            if !self.characteristic.takes_maximum_material() {
                return refuse(format!(
                    "The maximum material requirement does not apply to {}; remove it.",
                    name.to_lowercase()
                ));
            }
            if !(maximum.size_mm > 0.0 && maximum.size_mm.is_finite()) {
                return refuse("the maximum material size must be above 0.".to_owned());
            }
        }
        Ok(())
    }
}

impl MaximumMaterial {
    /// Departure of a size from the maximum material size, mm; negative if it has more material.
    pub(super) fn departure_mm(&self, size_mm: f64) -> f64 {
        match self.side {
            Side::Internal => size_mm - self.size_mm,
            Side::External => self.size_mm - size_mm,
        }
    }
}
