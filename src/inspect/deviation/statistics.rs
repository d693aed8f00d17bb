//! Statistics of a deviation map.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::Tolerance;
use super::histogram::Histogram;
use base::{Progress, Result};
use compute::statistics::{PERCENTILE_LEVELS, Request};
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

/// Statistics over the points, or over the area of the facets, with data. All zero if there are none.
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
    /// Share in tolerance of the points, or of the area of the facets, with data, 0 to 1.
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

/// As [`of`], where each value counts by its weight. The histogram counts as many facets of equal area as there are values.
pub fn weighted(
    values: &[f64],
    weights: &[f64],
    tolerance: &Tolerance,
    scale_mm: f64,
    progress: &Progress,
) -> Result<(Statistics, Histogram)> {
    progress.report(0.0, "Computing statistics")?;
    let mut sorted: Vec<(f64, f64)> =
        values.iter().copied().zip(weights.iter().copied()).filter(|(value, _)| !value.is_nan()).collect();
    let mut histogram =
        Histogram { low_mm: -scale_mm, high_mm: scale_mm, counts: vec![0; BINS], ..Histogram::default() };
    let total: f64 = sorted.iter().map(|(_, weight)| weight).sum();
    let (Some(_), true) = (sorted.first(), total > 0.0) else {
        return Ok((Statistics { excluded: values.len(), ..Statistics::default() }, histogram));
    };
    sorted.par_sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mean_of =
        |term: &dyn Fn(f64) -> f64| sorted.iter().map(|(value, weight)| weight * term(*value)).sum::<f64>() / total;
    let mean_mm = mean_of(&|value| value);
    let is_allowed = |value: f64| f64::from(u8::from(tolerance.allows(value)));
    // A value stands in the middle of its weight; between two, by linear interpolation.
    let mut below = 0.0;
    let middles: Vec<f64> = sorted
        .iter()
        .map(|(_, weight)| {
            below += weight;
            (below - 0.5 * weight) / total
        })
        .collect();
    let percentile = |level: f64| {
        let after = middles.partition_point(|middle| *middle < level);
        let value = |index: usize| sorted[index.min(sorted.len() - 1)].0;
        match after {
            0 => value(0),
            _ if after == sorted.len() => value(after),
            _ => {
                let [low, high] = [middles[after - 1], middles[after]];
                value(after - 1) + (value(after) - value(after - 1)) * (level - low) / (high - low)
            }
        }
    };
    let [p01, p05, p50, p95, p99] = PERCENTILE_LEVELS.map(percentile);
    let statistics = Statistics {
        count: sorted.len(),
        excluded: values.len() - sorted.len(),
        mean_mm,
        sigma_mm: mean_of(&|value| (value - mean_mm).powi(2)).sqrt(),
        rms_mm: mean_of(&|value| value * value).sqrt(),
        min_mm: sorted[0].0,
        max_mm: sorted[sorted.len() - 1].0,
        percentiles_mm: Percentiles { p01, p05, p50, p95, p99 },
        in_tolerance_fraction: mean_of(&is_allowed).min(1.0),
    };
    // Areas by bin: below, the bins, above.
    let mut areas = vec![0.0; BINS + 2];
    for (value, weight) in &sorted {
        let bin = ((value + scale_mm) / histogram.bin_width_mm()) as usize;
        let slot = match *value {
            value if value < -scale_mm => 0,
            value if value > scale_mm => BINS + 1,
            _ => bin.min(BINS - 1) + 1,
        };
        areas[slot] += weight;
    }
    let mut counts = areas.into_iter().map(|area| (area / total * sorted.len() as f64).round() as u64);
    histogram.below = counts.next().unwrap_or_default();
    histogram.counts.iter_mut().zip(counts.by_ref()).for_each(|(slot, count)| *slot = count);
    histogram.above = counts.next().unwrap_or_default();
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
    fn a_weight_counts_as_so_many_values() {
        let mut random = base::random::Random::new(59, 4);
        let values: Vec<f64> = (0..400).map(|_| 0.3 * random.normal()).collect();
        let numbers: Vec<usize> = (0..400).map(|_| 1 + (4.0 * random.uniform()) as usize).collect();
        let repeated: Vec<f64> =
            values.iter().zip(&numbers).flat_map(|(value, number)| std::iter::repeat_n(*value, *number)).collect();
        let weights: Vec<f64> = numbers.iter().map(|number| *number as f64).collect();
        let (found, histogram) = weighted(&values, &weights, &Tolerance::default(), 0.5, &Progress::silent()).unwrap();
        let (expected, bins) = figures(&repeated);
        for (a, b) in [
            (found.mean_mm, expected.mean_mm),
            (found.sigma_mm, expected.sigma_mm),
            (found.rms_mm, expected.rms_mm),
            (found.min_mm, expected.min_mm),
            (found.max_mm, expected.max_mm),
            (found.in_tolerance_fraction, expected.in_tolerance_fraction),
        ] {
            assert!((a - b).abs() < 1e-12, "{found:?}, {expected:?}");
        }
        for (a, b) in [
            (found.percentiles_mm.p05, expected.percentiles_mm.p05),
            (found.percentiles_mm.p50, expected.percentiles_mm.p50),
            (found.percentiles_mm.p95, expected.percentiles_mm.p95),
        ] {
            assert!((a - b).abs() < 0.02, "{found:?}, {expected:?}");
        }
        // The same shares of the bins.
        let share = 400.0 / repeated.len() as f64;
        for (a, b) in histogram.counts.iter().zip(&bins.counts) {
            assert!((*a as f64 - share * *b as f64).abs() <= 0.5 + 1e-9);
        }
    }

    #[test]
    fn no_data_gives_zeros_and_never_nan() {
        let s = figures(&[f64::NAN, f64::NAN]).0;
        assert_eq!(s, Statistics { excluded: 2, ..Statistics::default() });
        let of_none = weighted(&[f64::NAN; 2], &[1.0; 2], &Tolerance::default(), 0.5, &Progress::silent()).unwrap().0;
        assert_eq!(of_none, s);
    }
}
