//! Process capability of a figure over many parts.
//!
//! The capability indices follow ISO 22514-2 for a normal distribution, with the overall standard deviation (n − 1). In
//! the usage that distinguishes short-term from overall variation, these indices are called Pp and Ppk. The text of the
//! standard was not available for verification.

use serde::Serialize;

/// Statistics and capability indices of a figure over many parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessCapability {
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
    /// Cp: tolerance width divided by six standard deviations; `None` without both limits or without spread.
    pub cp: Option<f64>,
    /// Cpk: distance of the mean from the nearer limit divided by three standard deviations; `None` without a limit or
    /// without spread.
    pub cpk: Option<f64>,
    /// Lower one-sided 95 % confidence limit of Cpk (Bissell 1990, normal approximation).
    pub cpk_lower_95: Option<f64>,
}

/// 95 % quantile of the standard normal distribution.
const ONE_SIDED_95: f64 = 1.644_853_626_951_472_7;

/// Standard deviations below this share of the largest absolute value count as rounding errors.
const RELATIVE_ROUNDING: f64 = 1e-9;

impl ProcessCapability {
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
        let spread = sigma.filter(|sigma| *sigma > rounding);
        let to_limit = match (lower.map(|lower| mean - lower), upper.map(|upper| upper - mean)) {
            (Some(below), Some(above)) => Some(below.min(above)),
            (below, above) => below.or(above),
        };
        let cpk = spread.zip(to_limit).map(|(sigma, distance)| distance / (3.0 * sigma));
        let n = count as f64;
        let lower_95 = |cpk: f64| cpk - ONE_SIDED_95 * (1.0 / (9.0 * n) + cpk * cpk / (2.0 * (n - 1.0))).sqrt();
        Some(Self {
            count,
            mean,
            sigma,
            least: values.iter().copied().fold(f64::INFINITY, f64::min),
            greatest: values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            cp: spread.zip(lower.zip(upper)).map(|(sigma, (lower, upper))| (upper - lower) / (6.0 * sigma)),
            cpk,
            cpk_lower_95: cpk.map(lower_95),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_follow_their_definitions() {
        // Mean 10.02, sample standard deviation 0.02.
        let own = ProcessCapability::of(&[10.0, 10.04, 10.02, 10.0, 10.04], Some(9.9), Some(10.1)).unwrap();
        let sigma = 0.02;
        assert!((own.mean - 10.02).abs() < 1e-12 && (own.sigma.unwrap() - sigma).abs() < 1e-12);
        assert!((own.cp.unwrap() - 0.2 / (6.0 * sigma)).abs() < 1e-9);
        assert!((own.cpk.unwrap() - 0.08 / (3.0 * sigma)).abs() < 1e-9);
        assert!(own.cpk_lower_95.unwrap() < own.cpk.unwrap());
        assert_eq!((own.count, own.least, own.greatest), (5, 10.0, 10.04));
    }

    #[test]
    fn undefined_figures_are_none() {
        assert_eq!(ProcessCapability::of(&[], None, None), None);
        let one = ProcessCapability::of(&[3.0], Some(2.0), Some(4.0)).unwrap();
        assert_eq!((one.sigma, one.cp, one.cpk), (None, None, None));
        let constant = ProcessCapability::of(&[3.0, 3.0, 3.0 + 1e-14], Some(2.0), Some(4.0)).unwrap();
        assert_eq!((constant.sigma.is_some(), constant.cp, constant.cpk), (true, None, None));
        let one_sided = ProcessCapability::of(&[1.0, 3.0], None, Some(8.0)).unwrap();
        assert_eq!(one_sided.cp, None);
        assert!((one_sided.cpk.unwrap() - 6.0 / (3.0 * 2.0_f64.sqrt())).abs() < 1e-12);
    }
}
