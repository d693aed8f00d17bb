//! The allowed deviations.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};

/// A deviation is allowed from `low_mm` to `high_mm`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Tolerance {
    /// Lowest allowed deviation, mm (negative: missing material).
    pub low_mm: f64,
    /// Highest allowed deviation, mm.
    pub high_mm: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Self { low_mm: -0.1, high_mm: 0.1 }
    }
}

impl Tolerance {
    /// Whether `deviation_mm` is allowed.
    #[inline]
    pub fn allows(&self, deviation_mm: f64) -> bool {
        (self.low_mm..=self.high_mm).contains(&deviation_mm)
    }

    /// The larger of the two limits by its size, mm.
    pub fn largest_mm(&self) -> f64 {
        self.low_mm.abs().max(self.high_mm.abs())
    }

    /// A sentence when the limits make no sense.
    pub fn check(&self) -> Result<()> {
        if self.low_mm.is_finite() && self.high_mm.is_finite() && self.low_mm < self.high_mm {
            Ok(())
        } else {
            Err(UserError::usage(format!(
                "The tolerance must go from a lower to a higher number of mm, such as -0.1,0.1; it is {},{}.",
                self.low_mm, self.high_mm
            )))
        }
    }
}
