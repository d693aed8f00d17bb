//! User settings: everything that affects a result, saved in the project and listed in the report.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use base::{Decimals, LengthUnit, PageSize, Result};
use inspect::alignment::{Method, best_fit};
use inspect::deviation;
use texts::Language;

/// Title block and pages of the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportInfo {
    /// Title line.
    pub title: String,
    /// Part number.
    pub part_number: String,
    /// Name of the operator.
    pub operator: String,
    /// File of the logo, PNG.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logo: Option<PathBuf>,
    /// Size of its pages.
    pub page_size: PageSize,
    /// Its language; `None` for that of the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Language>,
    /// Decimals of lengths, in the report as in the window.
    #[serde(skip_serializing_if = "Decimals::is_usual")]
    pub decimals: Decimals,
}

/// All settings of an inspection.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How the scan is aligned.
    pub align: Method,
    /// Parameters of the best fit.
    pub best_fit: best_fit::Parameters,
    /// Parameters of the comparison.
    pub deviation: deviation::Parameters,
    /// Limit of the colour scale on both sides of zero, mm.
    pub scale_mm: f64,
    /// Colours of the scale.
    pub colours: deviation::Colours,
    /// Unit of length shown by the window and the report.
    pub shown_unit: LengthUnit,
    /// Maximum distance between facets and CAD surface, mm.
    pub chord_mm: f64,
    /// Maximum angle between neighbouring facets of a CAD surface, degrees.
    pub angle_deg: f64,
    /// The title block of the report.
    pub report: ReportInfo,
}

impl Default for Settings {
    fn default() -> Self {
        let deviation = deviation::Parameters::default();
        Self {
            align: Method::Auto,
            best_fit: best_fit::Parameters::default(),
            scale_mm: 3.0 * deviation.tolerance.high_mm,
            colours: deviation::Colours::default(),
            deviation,
            shown_unit: LengthUnit::Mm,
            chord_mm: 0.005,
            angle_deg: 5.0,
            report: ReportInfo::default(),
        }
    }
}

impl Settings {
    /// Returns an error if a value is out of range.
    pub fn check(&self) -> Result<()> {
        self.deviation.check()?;
        if !(self.scale_mm > 0.0 && self.scale_mm.is_finite()) {
            return Err(base::UserError::usage("The limit of the colour scale must be a positive length in mm."));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_stored_where_they_are_not_the_usual_ones() {
        let mut info = ReportInfo::default();
        assert!(!serde_json::to_string(&info).unwrap().contains("decimals"));
        info.decimals = "5".parse().unwrap();
        let text = serde_json::to_string(&info).unwrap();
        assert!(text.contains("\"decimals\":5"), "{text}");
        assert_eq!(serde_json::from_str::<ReportInfo>(&text).unwrap(), info);
        assert!(serde_json::from_str::<ReportInfo>(r#"{"decimals": 7}"#).is_err());
        assert_eq!(serde_json::from_str::<ReportInfo>("{}").unwrap(), ReportInfo::default());
    }
}
