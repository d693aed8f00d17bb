//! Statistics of a deviation map.

use serde::{Deserialize, Serialize};

use super::Tolerance;
use super::histogram::Histogram;
use base::{Progress, Result};
use compute::statistics::Request;
use compute::{Backend, Compute};

/// Percentiles of the deviations, mm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// 1 %.
    pub p01: f64,
    /// 5 %.
    pub p05: f64,
    /// The median.
    pub p50: f64,
    /// 95 %.
    pub p95: f64,
    /// 99 %.
    pub p99: f64,
}

/// Statistics over the points or facets with data. All zero if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Number of points or facets with data.
    pub count: usize,
    /// Number of points or facets without data.
    pub excluded: usize,
    /// Mean, mm.
    pub mean_mm: f64,
    /// Standard deviation (divisor n), mm.
    pub sigma_mm: f64,
    /// Root mean square, mm.
    pub rms_mm: f64,
    /// Minimum, mm.
    pub min_mm: f64,
    /// Maximum, mm.
    pub max_mm: f64,
    /// Percentiles, mm.
    pub percentiles_mm: Percentiles,
    /// Share of `count` in tolerance, 0 to 1.
    pub in_tolerance_fraction: f64,
}

/// Number of bins of the histogram.
const BINS: usize = 60;

/// Statistics of `values` (mm; NaN for no data) and a histogram from `-scale_mm` to `scale_mm`.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn of(
    backend: &dyn Backend,
    values: &[f64],
    tolerance: &Tolerance,
    scale_mm: f64,
    progress: &Progress,
) -> Result<(Statistics, Histogram)> {
    let (allowed, range) = ([tolerance.low_mm, tolerance.high_mm], [-scale_mm, scale_mm]);
    let summary = backend.compute(&Request { values, allowed, range, bins: BINS }, progress)?;
    let [p01, p05, p50, p95, p99] = summary.percentiles;
    let statistics = Statistics {
        count: summary.count,
        excluded: values.len() - summary.count,
        mean_mm: summary.mean,
        sigma_mm: summary.variance.sqrt(),
        rms_mm: summary.mean_square.sqrt(),
        min_mm: summary.min,
        max_mm: summary.max,
        percentiles_mm: Percentiles { p01, p05, p50, p95, p99 },
        in_tolerance_fraction: summary.allowed as f64 / summary.count.max(1) as f64,
    };
    let histogram = Histogram {
        low_mm: -scale_mm,
        high_mm: scale_mm,
        counts: summary.bins,
        below: summary.below,
        above: summary.above,
    };
    Ok((statistics, histogram))
}

#[cfg(test)]
mod tests {
    use super::*;
    use compute::cpu::Cpu;

    fn figures(values: &[f64]) -> (Statistics, Histogram) {
        of(&Cpu, values, &Tolerance::default(), 0.5, &Progress::silent()).unwrap()
    }

    #[test]
    fn every_value_is_counted_once() {
        let (_, histogram) = figures(&[-1.0, -0.5, f64::NAN, 0.0, 0.5, 0.51, 0.499]);
        assert_eq!((histogram.below, histogram.above), (1, 1));
        assert_eq!(histogram.counts.iter().sum::<u64>(), 4);
        assert_eq!((histogram.counts[0], histogram.counts[59]), (1, 2));
        assert_eq!(histogram.bin_centre_mm(0), -0.5 + 0.5 / 60.0);
    }

    #[test]
    fn figures_of_a_known_list() {
        let s = figures(&[-0.2, 0.0, 0.1, f64::NAN, 0.3, 0.05]).0;
        assert_eq!((s.count, s.excluded), (5, 1));
        assert!((s.mean_mm - 0.05).abs() < 1e-15);
        assert!((s.sigma_mm - 0.16124515496597).abs() < 1e-12);
        assert!((s.rms_mm * s.rms_mm - (s.mean_mm.powi(2) + s.sigma_mm.powi(2))).abs() < 1e-15);
        assert_eq!((s.min_mm, s.max_mm, s.percentiles_mm.p50), (-0.2, 0.3, 0.05));
        // The limit 0.1 itself is in tolerance.
        assert!((s.in_tolerance_fraction - 0.6).abs() < 1e-15);
        assert!((s.percentiles_mm.p95 - 0.26).abs() < 1e-12);
    }

    #[test]
    fn no_data_gives_zeros_and_never_nan() {
        let s = figures(&[f64::NAN, f64::NAN]).0;
        assert_eq!(s, Statistics { excluded: 2, ..Statistics::default() });
    }
}
