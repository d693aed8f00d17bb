//! Scatter of successive calibrations compared with the uncertainty that each of them states: a chi-squared test (the
//! observed-chi-squared or Birge test of interlaboratory comparisons; GUM H.5 and ISO 13528 judge consistency alike).
//!
//! If the calibrations differ by no more than their stated uncertainties, the sum of the squared deviations from the
//! weighted mean, each divided by its variance, follows the chi-squared distribution with one degree of freedom less than
//! there are calibrations. A stated uncertainty also includes errors that all calibrations of a sensor share and that do
//! not scatter, so the test raises fewer false alarms than stated, never more.

use serde::{Deserialize, Serialize};

/// Significance level for the scatter of one of six quantities: together they raise a false alarm in at most one of a
/// hundred logs (Bonferroni).
pub(super) const SCATTER_SIGNIFICANCE: f64 = 0.01 / 6.0;

/// Scatter of one quantity, as a multiple of its stated standard uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scatter {
    /// Sum of the squared deviations from the weighted mean, each in stated standard uncertainties.
    pub chi_squared: f64,
    /// Degrees of freedom.
    pub freedom: usize,
    /// Probability of a scatter at least this large if the stated uncertainties are right.
    pub p_value: f64,
    /// Scatter in stated standard uncertainties (Birge ratio): the square root of chi-squared per degree of freedom.
    pub ratio: f64,
    /// Largest ratio that chance explains at the significance level of the test.
    pub limit: f64,
}

impl Scatter {
    /// Scatter of values with their stated standard uncertainties; `None` for fewer than two values, or if an
    /// uncertainty is missing (0).
    pub fn of(values: &[f64], sigmas: &[f64]) -> Option<Self> {
        let is_stated = sigmas.iter().all(|sigma| *sigma > 0.0 && sigma.is_finite());
        if values.len() < 2 || values.len() != sigmas.len() || !is_stated {
            return None;
        }
        // Relative to the first value, so that equal values have no scatter by rounding.
        let first = values[0];
        let weights: f64 = sigmas.iter().map(|sigma| sigma.powi(-2)).sum();
        let mean =
            values.iter().zip(sigmas).map(|(value, sigma)| (value - first) * sigma.powi(-2)).sum::<f64>() / weights;
        let chi_squared: f64 =
            values.iter().zip(sigmas).map(|(value, sigma)| ((value - first - mean) / sigma).powi(2)).sum();
        let freedom = values.len() - 1;
        let per_freedom = |chi_squared: f64| (chi_squared / freedom as f64).sqrt();
        Some(Self {
            chi_squared,
            freedom,
            p_value: upper_tail(chi_squared, freedom),
            ratio: per_freedom(chi_squared),
            limit: per_freedom(quantile(SCATTER_SIGNIFICANCE, freedom)),
        })
    }

    /// Whether the stated uncertainties explain the scatter.
    pub fn is_explained(&self) -> bool {
        self.ratio <= self.limit
    }
}

/// Probability that chi-squared with these degrees of freedom exceeds a value: finite sums (Abramowitz and Stegun 26.4.4
/// and 26.4.5), exact except for rounding.
fn upper_tail(chi_squared: f64, freedom: usize) -> f64 {
    if !(chi_squared > 0.0) {
        return 1.0;
    }
    let half = 0.5 * chi_squared;
    // Terms chi^(k) / (k!!) by their logarithms, which do not overflow.
    let (mut sum, mut logarithm, mut k, mut tail) = if freedom.is_multiple_of(2) {
        (0.0, -half, 2, 0.0)
    } else {
        let density = -half - 0.5 * (0.5 * std::f64::consts::PI).ln();
        (0.0, density + 0.5 * chi_squared.ln(), 3, super::super::consistency::two_sided_tail(chi_squared.sqrt()))
    };
    if freedom >= 2 {
        while k <= freedom {
            sum += logarithm.exp();
            logarithm += (chi_squared / k as f64).ln();
            k += 2;
        }
    }
    tail += sum;
    tail.clamp(0.0, 1.0)
}

/// Value that chi-squared with these degrees of freedom exceeds with a probability, by bisection.
fn quantile(probability: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 10.0 * (freedom as f64 + 20.0));
    for _ in 0..100 {
        let midpoint = 0.5 * (low + high);
        if upper_tail(midpoint, freedom) > probability { low = midpoint } else { high = midpoint }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// Published quantiles of chi-squared.
    #[test]
    fn quantiles_match_published_tables() {
        let tables = [
            (1, 3.841, 0.05),
            (2, 5.991, 0.05),
            (3, 7.815, 0.05),
            (5, 11.070, 0.05),
            (10, 18.307, 0.05),
            (5, 20.515, 0.001),
            (19, 43.820, 0.001),
            (40, 73.402, 0.001),
            (100, 149.449, 0.001),
        ];
        for (freedom, value, probability) in tables {
            let found = upper_tail(value, freedom);
            assert!((found / probability - 1.0).abs() < 2e-3, "{freedom} {found}");
            assert!((quantile(probability, freedom) / value - 1.0).abs() < 1e-3, "{freedom}");
        }
        assert_eq!(upper_tail(0.0, 7), 1.0);
        assert!(upper_tail(1e7, 5) < 1e-300 && upper_tail(2000.0, 2000) > 0.4 && upper_tail(2000.0, 2000) < 0.6);
    }

    /// Sound logs of any length raise as many false alarms as stated, and uncertainties stated too small by half are found.
    #[test]
    fn false_alarms_are_as_rare_as_stated() {
        let mut random = Random::new(3, 14);
        for count in [2, 6, 25] {
            let (mut alarms, mut found) = (0, 0);
            for _ in 0..6000 {
                let sigmas: Vec<f64> = (0..count).map(|_| 0.001 * random.range(1.0, 3.0)).collect();
                let values: Vec<f64> = sigmas.iter().map(|sigma| 250.0 + sigma * random.normal()).collect();
                alarms += usize::from(!Scatter::of(&values, &sigmas).unwrap().is_explained());
                let small: Vec<f64> = sigmas.iter().map(|sigma| 0.5 * sigma).collect();
                found += usize::from(!Scatter::of(&values, &small).unwrap().is_explained());
            }
            println!("{count} calibrations: {alarms} of 6000 false alarms, 10 expected; half stated: {found} found");
            assert!((1..=25).contains(&alarms), "{count}: {alarms}");
            assert!(count < 25 || found > 5700, "{found}");
        }
    }

    #[test]
    fn a_value_by_hand_and_values_that_cannot_be_judged() {
        // Weighted mean 1.8 of 1 ± 1 and 2 ± 0.5: 0.64 + 0.16.
        let found = Scatter::of(&[1.0, 2.0], &[1.0, 0.5]).unwrap();
        assert!((found.chi_squared - 0.8).abs() < 1e-12 && found.freedom == 1, "{found:?}");
        assert!((found.ratio - 0.8_f64.sqrt()).abs() < 1e-12 && (found.p_value - 0.371_093).abs() < 1e-5, "{found:?}");
        assert!(found.is_explained());
        let order = [[3.0, 1.0, 2.0], [2.0, 3.0, 1.0]].map(|own| Scatter::of(&own, &[0.1; 3]).unwrap().ratio);
        assert!((order[0] - order[1]).abs() < 1e-12 && (order[0] - 10.0).abs() < 1e-9);
        assert!(Scatter::of(&[1.0], &[1.0]).is_none() && Scatter::of(&[1.0, 2.0], &[1.0, 0.0]).is_none());
        let same = Scatter::of(&[0.1 + 0.2; 9], &[1e-3; 9]).unwrap();
        assert_eq!((same.chi_squared, same.p_value, same.is_explained()), (0.0, 1.0, true));
    }
}
