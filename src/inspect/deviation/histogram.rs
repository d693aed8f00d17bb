//! How often each deviation occurs, over the range of the colour scale.

use serde::{Deserialize, Serialize};

/// Counts of deviations in bins of equal width. Values outside the range are counted at its ends.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// Lower end, mm.
    pub low_mm: f64,
    /// Upper end, mm.
    pub high_mm: f64,
    /// Count per bin.
    pub counts: Vec<u64>,
    /// Values below the range.
    pub below: u64,
    /// Values above the range.
    pub above: u64,
}

impl Histogram {
    /// Counts the known ones of `values` in `bins` bins from `low_mm` to `high_mm`.
    pub fn new(values: impl Iterator<Item = Option<f64>>, low_mm: f64, high_mm: f64, bins: usize) -> Self {
        let mut histogram = Self { low_mm, high_mm, counts: vec![0; bins.max(1)], below: 0, above: 0 };
        let scale = histogram.counts.len() as f64 / (high_mm - low_mm);
        for value in values.flatten() {
            if value < low_mm {
                histogram.below += 1;
            } else if value > high_mm {
                histogram.above += 1;
            } else {
                let bin = ((value - low_mm) * scale) as usize;
                let last = histogram.counts.len() - 1;
                histogram.counts[bin.min(last)] += 1;
            }
        }
        histogram
    }

    /// Width of a bin, mm.
    pub fn bin_width_mm(&self) -> f64 {
        (self.high_mm - self.low_mm) / self.counts.len().max(1) as f64
    }

    /// Middle of bin `bin`, mm.
    pub fn bin_centre_mm(&self, bin: usize) -> f64 {
        self.low_mm + (bin as f64 + 0.5) * self.bin_width_mm()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_counted_once() {
        let values = [Some(-1.0), Some(-0.5), None, Some(0.0), Some(0.5), Some(0.51), Some(0.499)];
        let histogram = Histogram::new(values.into_iter(), -0.5, 0.5, 10);
        assert_eq!((histogram.below, histogram.above), (1, 1));
        assert_eq!(histogram.counts.iter().sum::<u64>(), 4);
        assert_eq!((histogram.counts[0], histogram.counts[9]), (1, 2));
    }
}
