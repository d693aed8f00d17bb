//! Tolerance limits of deviations.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};

/// Tolerance limits: a deviation is in tolerance from `low_mm` to `high_mm`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Lower limit, mm (negative: missing material).
    pub low_mm: f64,
    /// Upper limit, mm.
    pub high_mm: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { low_mm: -0.1, high_mm: 0.1 }
    }
}

impl Tolerance {
    /// Whether `deviation_mm` is in tolerance.
    #[inline]
    pub fn allows(&self, deviation_mm: f64) -> bool {
        (self.low_mm..=self.high_mm).contains(&deviation_mm)
    }

    /// 1 for a deviation above the upper limit, -1 for one below the lower limit, 0 for one in tolerance and for NaN.
    #[inline]
    pub fn side(&self, deviation_mm: f64) -> i8 {
        match deviation_mm {
            d if d > self.high_mm => 1,
            d if d < self.low_mm => -1,
            _ => 0,
        }
    }

    /// How far a deviation lies beyond the limits, mm; negative within them.
    pub fn excess_mm(&self, deviation_mm: f64) -> f64 {
        (deviation_mm - self.high_mm).max(self.low_mm - deviation_mm)
    }

    /// The larger of the absolute values of the two limits, mm.
    pub fn largest_mm(&self) -> f64 {
        self.low_mm.abs().max(self.high_mm.abs())
    }

    /// Returns an error unless both limits are finite and `low_mm` is below `high_mm`.
    pub fn check(&self) -> Result<()> {
        if self.low_mm.is_finite() && self.high_mm.is_finite() && self.low_mm < self.high_mm {
            Ok(())
        } else {
            Err(UserError::usage(format!(
                "The lower tolerance limit must be below the upper one, in mm, such as -0.1,0.1; given: {},{}.",
                self.low_mm, self.high_mm
            )))
        }
    }
}
