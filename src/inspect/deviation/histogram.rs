//! Histogram of deviations over the range of the colour scale.

use serde::{Deserialize, Serialize};

/// Counts of deviations in bins of equal width. Values outside the range are counted in `below` and `above`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Lower end of the range, mm.
    pub low_mm: f64,
    /// Upper end of the range, mm.
    pub high_mm: f64,
    /// Count per bin.
    pub counts: Vec<u64>,
    /// Values below the range.
    pub below: u64,
    /// Values above the range.
    pub above: u64,
}

impl Histogram {
    /// Width of a bin, mm.
    pub fn bin_width_mm(&self) -> f64 {
        (self.high_mm - self.low_mm) / self.counts.len().max(1) as f64
    }

    /// Centre of bin `bin`, mm.
    pub fn bin_centre_mm(&self, bin: usize) -> f64 {
        self.low_mm + (bin as f64 + 0.5) * self.bin_width_mm()
    }
}
