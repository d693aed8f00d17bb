//! Process performance of a figure over many parts: Pp and Ppk of a normal distribution (ISO 22514-2), from the overall standard
//! deviation (n − 1). Cp and Cpk, of the variation within subgroups, are not known from a series without any. The text of the
//! standard was not available for verification.

use serde::Serialize;

/// Fewest parts that indices are stated of: the methods of ISO 22514-3:2020 are not considered suitable below 30 (its scope).
pub const MIN_PARTS: usize = 30;

/// Statistics and performance indices of a figure over many parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessPerformance {
    /// Number of parts that have the figure.
    pub count: usize,
    /// Mean, in the unit of the figure.
    pub mean: f64,
    /// Standard deviation (n − 1); `None` for fewer than two parts.
    pub sigma: Option<f64>,
    /// Minimum.
    pub least: f64,
    /// Maximum.
    pub greatest: f64,
    /// Pp: tolerance width divided by six standard deviations; `None` without both limits, without spread, or of fewer than
    /// [`MIN_PARTS`].
    pub pp: Option<f64>,
    /// Ppk: distance of the mean from the nearer limit divided by three standard deviations; `None` without a limit, without
    /// spread, or of fewer than [`MIN_PARTS`].
    pub ppk: Option<f64>,
    /// Lower one-sided 95 % confidence limit of Ppk (Bissell 1990, normal approximation).
    pub ppk_lower_95: Option<f64>,
}

/// 95 % quantile of the standard normal distribution.
const ONE_SIDED_95: f64 = 1.644_853_626_951_472_7;

/// Standard deviations below this share of the largest absolute value count as rounding errors.
const RELATIVE_ROUNDING: f64 = 1e-9;

impl ProcessPerformance {
    /// Evaluates `values`, which must be finite, against the limits; `None` if there are no values.
    pub fn of(values: &[f64], lower: Option<f64>, upper: Option<f64>) -> Option<Self> {
        let count = values.len();
        let first = *values.first()?;
        // Relative to the first value, to avoid cancellation for small spreads of large values.
        let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sigma = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        // A spread due to rounding alone does not count.
        let rounding = values.iter().fold(0.0_f64, |max, value| max.max(value.abs())) * RELATIVE_ROUNDING;
        let spread = sigma.filter(|sigma| *sigma > rounding && count >= MIN_PARTS);
        let to_limit = match (lower.map(|lower| mean - lower), upper.map(|upper| upper - mean)) {
            (Some(below), Some(above)) => Some(below.min(above)),
            (below, above) => below.or(above),
        };
        let ppk = spread.zip(to_limit).map(|(sigma, distance)| distance / (3.0 * sigma));
        let n = count as f64;
        let lower_95 = |ppk: f64| ppk - ONE_SIDED_95 * (1.0 / (9.0 * n) + ppk * ppk / (2.0 * (n - 1.0))).sqrt();
        Some(Self {
            count,
            mean,
            sigma,
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            pp: spread.zip(lower.zip(upper)).map(|(sigma, (lower, upper))| (upper - lower) / (6.0 * sigma)),
            ppk,
            ppk_lower_95: ppk.map(lower_95),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of so many parts, thirty times over.
    fn of(values: &[f64], lower: Option<f64>, upper: Option<f64>) -> ProcessPerformance {
        ProcessPerformance::of(&values.repeat(MIN_PARTS), lower, upper).unwrap()
    }

    #[test]
    fn indices_follow_their_definitions() {
        let own = of(&[10.0, 10.04, 10.02, 10.0, 10.04], Some(9.9), Some(10.1));
        // Mean 10.02; squared deviations of 0.0016 for each of thirty times five values.
        let sigma = (30.0 * 0.0016 / 149.0_f64).sqrt();
        assert!((own.mean - 10.02).abs() < 1e-12 && (own.sigma.unwrap() - sigma).abs() < 1e-12);
        assert!((own.pp.unwrap() - 0.2 / (6.0 * sigma)).abs() < 1e-9);
        assert!((own.ppk.unwrap() - 0.08 / (3.0 * sigma)).abs() < 1e-9);
        assert!(own.ppk_lower_95.unwrap() < own.ppk.unwrap());
        assert_eq!((own.count, own.least, own.greatest), (150, 10.0, 10.04));
    }

    #[test]
    fn undefined_figures_are_none() {
        assert_eq!(ProcessPerformance::of(&[], None, None), None);
        let few = ProcessPerformance::of(&[1.0, 3.0].repeat(14), Some(0.0), Some(4.0)).unwrap();
        assert_eq!((few.sigma.is_some(), few.pp, few.ppk, few.ppk_lower_95), (true, None, None, None));
        let constant = of(&[3.0, 3.0, 3.0 + 1e-14], Some(2.0), Some(4.0));
        assert_eq!((constant.sigma.is_some(), constant.pp, constant.ppk), (true, None, None));
        let one_sided = of(&[1.0, 3.0], None, Some(8.0));
        assert_eq!(one_sided.pp, None);
        assert!((one_sided.ppk.unwrap() - 6.0 / (3.0 * (60.0 / 59.0_f64).sqrt())).abs() < 1e-12);
    }
}
