//! Figures of a deviation map.

use serde::{Deserialize, Serialize};

use super::Tolerance;

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

/// Figures over the places with data. All zero when there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Places with data.
    pub count: usize,
    /// Places without.
    pub excluded: usize,
    /// Mean, mm.
    pub mean_mm: f64,
    /// Standard deviation over n, mm.
    pub sigma_mm: f64,
    /// Root mean square, mm.
    pub rms_mm: f64,
    /// Least, mm.
    pub min_mm: f64,
    /// Greatest, mm.
    pub max_mm: f64,
    /// Percentiles, mm.
    pub percentiles_mm: Percentiles,
    /// Share of the places with data that is in tolerance.
    pub in_tolerance_fraction: f64,
}

impl Statistics {
    /// Figures of `values`; `None` stands for a place without data.
    pub fn new(values: impl Iterator<Item = Option<f64>>, tolerance: &Tolerance) -> Self {
        let mut excluded = 0;
        let mut known: Vec<f64> = Vec::with_capacity(values.size_hint().0);
        for value in values {
            match value {
                Some(value) => known.push(value),
                None => excluded += 1,
            }
        }
        if known.is_empty() {
            return Self { excluded, ..Self::default() };
        }
        let count = known.len() as f64;
        let mean_mm = known.iter().sum::<f64>() / count;
        let variance = known.iter().map(|value| (value - mean_mm).powi(2)).sum::<f64>() / count;
        let mean_square = known.iter().map(|value| value * value).sum::<f64>() / count;
        let allowed = known.iter().filter(|&&value| tolerance.allows(value)).count();
        let mut at = |share: f64| percentile(&mut known, share);
        let percentiles_mm = Percentiles { p01: at(0.01), p05: at(0.05), p50: at(0.5), p95: at(0.95), p99: at(0.99) };
        Self {
            count: known.len(),
            excluded,
            mean_mm,
            sigma_mm: variance.sqrt(),
            rms_mm: mean_square.sqrt(),
            min_mm: known.iter().copied().fold(f64::INFINITY, f64::min),
            max_mm: known.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            percentiles_mm,
            in_tolerance_fraction: allowed as f64 / count,
        }
    }
}

/// Percentile by linear interpolation between ranks (type 7 of Hyndman and Fan 1996, the usual default).
fn percentile(values: &mut [f64], share: f64) -> f64 {
    let place = share * (values.len() - 1) as f64;
    let rank = place.floor() as usize;
    let (_, low, above) = values.select_nth_unstable_by(rank, f64::total_cmp);
    let low = *low;
    let high = above.iter().copied().fold(f64::INFINITY, f64::min);
    if high.is_finite() { low + (high - low) * (place - rank as f64) } else { low }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_of_a_known_list() {
        let values = [Some(-0.2), Some(0.0), Some(0.1), None, Some(0.3), Some(0.05)];
        let s = Statistics::new(values.into_iter(), &Tolerance::default());
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
        let s = Statistics::new([None, None].into_iter(), &Tolerance::default());
        assert_eq!(s, Statistics { excluded: 2, ..Statistics::default() });
    }
}
