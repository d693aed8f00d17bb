//! Monitoring of successive calibrations of one sensor: repeatability, drift, agreement with a certificate, and
//! validity of the last one.
//!
//! A calibration consists of six quantities: the sensor's translation along the CMM's axes and its angles of `Rx Ry
//! Rz`. Each has its own control chart, and its scatter is held against the uncertainty that the calibrations state. Sources: Shewhart control charts for individuals and moving ranges (ISO
//! 7870-2), run rules after the Western Electric "Statistical Quality Control Handbook" (1956), the normalised error of
//! ISO/IEC 17043 and ISO 13528. The texts of the standards were not available to check clause numbers against.

mod age;
mod chart;
mod drift;
mod log;
mod run;
mod scatter;
mod single_tests;
mod status;

use std::fmt;

use serde::{Deserialize, Serialize};

pub use age::{CalibrationAge, Machine, State};
pub use chart::{Chart, Finding, Rule};
pub use drift::Drift;
pub use log::{Log, RepeatedLine, append, read};
pub use run::{Agreement, Certificate, Quantified, Repeatability};
pub use scatter::Scatter;
pub use single_tests::{CalibrationTest, Evidence, TestKind, TestOutcome};
pub use status::{CalibrationStatus, CalibrationVerdict};

use base::{Result, UserError};

/// One calibration in the log.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Time of the calibration, seconds since 1970, UTC.
    pub unix_s: i64,
    /// Position of the sensor's reference point along the CMM's axes, mm.
    pub shift_mm: [f64; 3],
    /// Angles of `Rx Ry Rz`, rad.
    pub angles_rad: [f64; 3],
    /// Stated standard uncertainties of the position, mm.
    pub shift_sigma_mm: [f64; 3],
    /// Stated standard uncertainties of the angles, rad.
    pub angles_sigma_rad: [f64; 3],
}

impl Record {
    /// Returns an error if a value or the time is out of range, or an uncertainty is negative.
    pub fn check(&self) -> Result<()> {
        let values = self.shift_mm.iter().chain(&self.angles_rad);
        let sigmas = self.shift_sigma_mm.iter().chain(&self.angles_sigma_rad);
        if !values.copied().all(|value| value.abs() < 1e9) || !sigmas.copied().all(|sigma| (0.0..1e9).contains(&sigma))
        {
            return Err(UserError::input(
                "A calibration needs six finite quantities and six uncertainties of at least 0; repeat the \
                 calibration.",
            ));
        }
        if self.unix_s.unsigned_abs() > MAX_UNIX_S {
            return Err(UserError::input("A calibration needs a time between the years 0 and 5000; set the clock."));
        }
        Ok(())
    }
}

/// Maximum distance of a time from 1970, s.
const MAX_UNIX_S: u64 = 95_000_000_000;

/// One of the six quantities of a calibration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Translation along X, mm.
    ShiftX,
    /// Translation along Y, mm.
    ShiftY,
    /// Translation along Z, mm.
    ShiftZ,
    /// First angle of `Rx Ry Rz`, rad.
    AngleX,
    /// Second angle, rad.
    AngleY,
    /// Third angle, rad.
    AngleZ,
}

impl Quantity {
    /// All six, shifts first.
    pub const ALL: [Self; 6] = [Self::ShiftX, Self::ShiftY, Self::ShiftZ, Self::AngleX, Self::AngleY, Self::AngleZ];

    /// Name shown to the operator.
    pub fn name(self) -> &'static str {
        match self {
            Self::ShiftX => "shift along X",
            Self::ShiftY => "shift along Y",
            Self::ShiftZ => "shift along Z",
            Self::AngleX => "angle about X",
            Self::AngleY => "angle about Y",
            Self::AngleZ => "angle about Z",
        }
    }

    /// Unit: mm or rad.
    pub fn unit(self) -> &'static str {
        if self.is_angle() { "rad" } else { "mm" }
    }

    fn is_angle(self) -> bool {
        matches!(self, Self::AngleX | Self::AngleY | Self::AngleZ)
    }

    fn axis(self) -> usize {
        match self {
            Self::ShiftX | Self::AngleX => 0,
            Self::ShiftY | Self::AngleY => 1,
            Self::ShiftZ | Self::AngleZ => 2,
        }
    }

    /// Value in a calibration, mm or rad.
    pub fn value(self, record: &Record) -> f64 {
        if self.is_angle() { record.angles_rad[self.axis()] } else { record.shift_mm[self.axis()] }
    }

    /// Stated standard uncertainty in a calibration, mm or rad.
    pub fn sigma(self, record: &Record) -> f64 {
        if self.is_angle() { record.angles_sigma_rad[self.axis()] } else { record.shift_sigma_mm[self.axis()] }
    }

    /// `one` minus `other`; for angles, wrapped to ±180°.
    fn difference(self, one: f64, other: f64) -> f64 {
        let difference = one - other;
        let full_turn = std::f64::consts::TAU;
        if self.is_angle() { difference - full_turn * (difference / full_turn).round() } else { difference }
    }

    /// Formats a small value with its unit, µm or µrad.
    fn shown_small(self, value: f64) -> String {
        if self.is_angle() { format!("{:.3} µrad", 1e6 * value) } else { format!("{:.3} µm", 1e3 * value) }
    }

    /// Formats a value with its unit: lengths in mm with four decimals, angles in degrees with five.
    fn shown(self, value: f64) -> String {
        if self.is_angle() { format!("{:.5}°", value.to_degrees()) } else { format!("{value:.4} mm") }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}
