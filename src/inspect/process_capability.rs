//! What a figure does over many parts: its spread, and how well that fits its limits.
//!
//! The capability indices are those of ISO 22514-2 for a normal distribution, with the standard deviation of all parts
//! (n − 1). Where short-term spread is told from the overall one, indices of the overall one are called Pp and Ppk. The
//! text of the standard was not available to check against.

use serde::Serialize;

/// A figure over many parts.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProcessCapability {
    /// Parts that have the figure.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation over n − 1; `None` of fewer than two parts.
    pub sigma: Option<f64>,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
    /// Width of the limits over six standard deviations; `None` unless both limits and a spread are known.
    pub cp: Option<f64>,
    /// Distance of the mean from the nearer limit over three standard deviations.
    pub cpk: Option<f64>,
    /// The true Cpk is larger than this with 95 % confidence (Bissell 1990, normal approximation).
    pub cpk_lower_95: Option<f64>,
}

/// One-sided 95 % point of the normal distribution.
const ONE_SIDED_95: f64 = 1.644_853_626_951_472_7;

/// Values of computations that differ by less than this share are alike.
const ROUNDING: f64 = 1e-9;

impl ProcessCapability {
    /// Of `values`, which are finite; `None` where there are none.
    pub fn of(values: &[f64], lower: Option<f64>, upper: Option<f64>) -> Option<Self> {
        let count = values.len();
        let first = *values.first()?;
        // About the first value, so that small spreads of large values keep their digits.
        let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count as f64;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let sigma = (count > 1).then(|| (squares / (count - 1) as f64).sqrt());
        // A spread that rounding alone makes is none.
        let rounding = values.iter().fold(0.0_f64, |most, value| most.max(value.abs())) * ROUNDING;
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
    fn indices_are_those_of_their_definitions() {
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
    fn what_cannot_be_known_is_not_said() {
        assert_eq!(ProcessCapability::of(&[], None, None), None);
        let one = ProcessCapability::of(&[3.0], Some(2.0), Some(4.0)).unwrap();
        assert_eq!((one.sigma, one.cp, one.cpk), (None, None, None));
        let alike = ProcessCapability::of(&[3.0, 3.0, 3.0 + 1e-14], Some(2.0), Some(4.0)).unwrap();
        assert_eq!((alike.sigma.is_some(), alike.cp, alike.cpk), (true, None, None));
        let one_sided = ProcessCapability::of(&[1.0, 3.0], None, Some(8.0)).unwrap();
        assert_eq!(one_sided.cp, None);
        assert!((one_sided.cpk.unwrap() - 6.0 / (3.0 * 2.0_f64.sqrt())).abs() < 1e-12);
    }
}
