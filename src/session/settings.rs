//! What the user sets: everything that decides a result, kept in the project and repeated by the report.

use serde::{Deserialize, Serialize};

use base::{LengthUnit, Result};
use inspect::alignment::{Method, best_fit};
use inspect::deviation;
use io::cad::CadReader;

/// How the part is called on the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportInfo {
    /// Title line.
    pub title: String,
    /// Part number.
    pub part_number: String,
    /// Serial number of this part.
    pub serial: String,
    /// Who inspected it.
    pub operator: String,
}

/// All settings of an inspection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How the scan is aligned.
    pub align: Method,
    /// The best fit.
    pub best_fit: best_fit::Parameters,
    /// The comparison.
    pub deviation: deviation::Parameters,
    /// End of the colour scale on both sides, mm.
    pub scale_mm: f64,
    /// The unit that the window and the report show.
    pub shown_unit: LengthUnit,
    /// Largest distance between facets and CAD surface, mm.
    pub chord_mm: f64,
    /// Largest angle between neighbouring facets of a CAD surface, degrees.
    pub angle_deg: f64,
    /// The words on the report.
    pub report: ReportInfo,
}

impl Default for Settings {
    fn default() -> Self {
        let deviation = deviation::Parameters::default();
        Self {
            align: Method::Auto,
            best_fit: best_fit::Parameters::default(),
            scale_mm: 3.0 * deviation.tolerance.high_mm,
            deviation,
            shown_unit: LengthUnit::Mm,
            chord_mm: 0.005,
            angle_deg: 5.0,
            report: ReportInfo::default(),
        }
    }
}

impl Settings {
    /// `cad`, to mesh as finely as these settings ask.
    pub fn fineness_of(&self, cad: &CadReader) -> CadReader {
        CadReader { chord_mm: self.chord_mm, angle_deg: self.angle_deg, ..cad.clone() }
    }

    /// A sentence when a value makes no sense.
    pub fn check(&self) -> Result<()> {
        self.deviation.check()?;
        if !(self.scale_mm > 0.0 && self.scale_mm.is_finite()) {
            return Err(base::UserError::usage("The end of the colour scale must be a positive number of mm."));
        }
        Ok(())
    }
}
