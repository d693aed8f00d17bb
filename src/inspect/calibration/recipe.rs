//! The calibration of the sensor as an element of the plan: what is measured rests on it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::record::CalibrationRecord;
use crate::recipe::{Class, ElementId, Figure, Inputs, Make, Product, Tools};
use crate::verdict::Verdict;
use base::date::{Stamp, unix_now};
use base::{Progress, Result, file_name};

/// Requires that the sensor is calibrated when a part is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationRecipe {
    /// The calibration record, a JSON file; a new calibration replaces it.
    pub file: PathBuf,
}

/// The state of the calibration when the part was measured.
#[derive(Clone, Debug)]
pub struct CalibrationStatus {
    /// Name of the file.
    pub name: String,
    /// The record.
    pub record: CalibrationRecord,
    /// When it was read, Unix time, s.
    pub read_unix_s: i64,
}

impl CalibrationStatus {
    /// Why what was measured does not rest on a valid calibration; `None` if it does.
    pub fn flaw(&self) -> Option<String> {
        if self.record.unix_s > self.read_unix_s {
            return Some(format!("The calibration is dated in the future, {}", Stamp::of_unix(self.record.unix_s)));
        }
        self.record.flaw(self.read_unix_s)
    }

    /// Largest expanded uncertainty (k = 2) of a position at the reference point along an axis, mm.
    pub fn uncertainty_mm(&self) -> Option<f64> {
        self.record.place_k2_mm.map(|own| own.into_iter().fold(0.0, f64::max))
    }

    /// E.g. “Sensor calibrated on … (calibration.json), certified, valid until …; positions ± 0.012 mm (k = 2)”.
    pub fn sentence(&self) -> String {
        let (made, until) = (Stamp::of_unix(self.record.unix_s), Stamp::of_unix(self.record.expires_unix_s));
        let certified = if self.record.certified { "certified" } else { "not certified" };
        let uncertainty = self.uncertainty_mm().map(|mm| format!("; positions ± {mm:.4} mm (k = 2)"));
        let uncertainty = uncertainty.unwrap_or_default();
        format!("Sensor calibrated on {made} ({}), {certified}, valid until {until}{uncertainty}.", self.name)
    }
}

impl Product for CalibrationStatus {
    fn figures(&self) -> Vec<Figure> {
        let left_h = (self.record.expires_unix_s - self.read_unix_s) as f64 / 3600.0;
        let uncertainty = self.uncertainty_mm().map(|mm| Figure::new("Position uncertainty U", "mm", mm));
        let left = Figure { lower: Some(0.0), ..Figure::new("Validity left", "h", left_h) };
        uncertainty.into_iter().chain([left]).collect()
    }

    /// A valid calibration decides nothing about the part; without one, nothing about the part is decided.
    fn verdict(&self) -> Option<Verdict> {
        self.flaw().map(|_| Verdict::Incomplete)
    }

    fn covers(&self) -> Option<String> {
        self.flaw().map(|flaw| flaw.replacen("The calibration", "the calibration of the sensor", 1))
    }

    fn sentences(&self) -> Vec<String> {
        let flaw = self.flaw().map(|flaw| format!("{flaw}: what was measured with the sensor is not proven."));
        std::iter::once(self.sentence()).chain(flaw).collect()
    }
}

impl Make for CalibrationRecipe {
    type Made = CalibrationStatus;

    const NAME: &'static str = "Sensor calibration";

    const CLASS: Class = Class::Check;

    fn inputs(&self) -> Vec<ElementId> {
        Vec::new()
    }

    fn make(
        &self,
        _: &dyn Inputs,
        _: &Tools<'_>,
        _: Option<&CalibrationStatus>,
        _: &Progress,
    ) -> Result<CalibrationStatus> {
        let record = CalibrationRecord::read_unverified(&self.file)?;
        Ok(CalibrationStatus { name: file_name(&self.file), record, read_unix_s: unix_now() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::{Handedness, Mounting};

    #[test]
    fn what_is_measured_rests_on_a_certified_calibration_that_is_still_valid() {
        let mounting = Mounting {
            cmm_from_sensor: geometry::Pose::identity(),
            handedness: Handedness::Right,
            position_mm: geometry::Vector::zeros(),
            cmm_errors: crate::calibration::joint::CmmErrors::default(),
        };
        let record = CalibrationRecord {
            mounting,
            unix_s: 1_000,
            expires_unix_s: 1_000 + 8 * 3600,
            certified: true,
            place_k2_mm: Some([0.004, 0.012, 0.007]),
            edited: false,
        };
        let status = |record: CalibrationRecord, read_unix_s: i64| CalibrationStatus {
            name: "calibration.json".into(),
            record,
            read_unix_s,
        };
        let valid = status(record.clone(), 1_000 + 2 * 3600);
        assert_eq!((Product::verdict(&valid), valid.covers()), (None, None));
        let figures: Vec<f64> = valid.figures().iter().map(|own| own.value).collect();
        assert_eq!(figures, [0.012, 6.0]);
        assert!(valid.sentence().contains("certified, valid until"), "{}", valid.sentence());
        for (flawed, said) in [
            (status(record.clone(), 1_000 + 9 * 3600), "expired on"),
            (status(record.clone(), 0), "dated in the future"),
            (status(CalibrationRecord { certified: false, ..record.clone() }, 2_000), "not certified"),
            (status(CalibrationRecord { edited: true, ..record }, 2_000), "edited"),
        ] {
            assert_eq!(Product::verdict(&flawed), Some(Verdict::Incomplete), "{said}");
            assert!(flawed.covers().is_some_and(|own| own.contains(said)), "{said}: {:?}", flawed.covers());
            assert!(flawed.sentences()[1].contains(said), "{said}: {:?}", flawed.sentences());
        }
    }
}
