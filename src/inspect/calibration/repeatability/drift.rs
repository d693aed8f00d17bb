//! Drift of a quantity with time: a straight line by least squares, and Student's t-test of its slope.

use serde::{Deserialize, Serialize};

/// Regression line of values over time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drift {
    /// Slope, unit of the quantity per hour.
    pub per_hour: f64,
    /// Standard uncertainty of the slope, from the scatter about the line.
    pub sigma_per_hour: f64,
    /// Two-sided p-value: probability of a slope at least this steep by chance alone.
    #[serde(rename = "chance")]
    pub p_value: f64,
    /// Degrees of freedom of the scatter.
    pub freedom: usize,
}

/// Significance level for the drift of one of six quantities: together they raise a false alarm once in twenty runs
/// (Bonferroni).
pub(super) const SIGNIFICANCE_LEVEL: f64 = 0.05 / 6.0;

impl Drift {
    /// Drift of values at times in hours; `None` for fewer than three values, or if all have the same time.
    pub fn of(hours: &[f64], values: &[f64]) -> Option<Self> {
        let count = hours.len() as f64;
        if hours.len() < 3 || hours.len() != values.len() {
            return None;
        }
        let (mean_hour, first) = (hours.iter().sum::<f64>() / count, values[0]);
        let mean = first + values.iter().map(|own| own - first).sum::<f64>() / count;
        let squares: f64 = hours.iter().map(|own| (own - mean_hour).powi(2)).sum();
        let products: f64 = hours.iter().zip(values).map(|(h, v)| (h - mean_hour) * (v - mean)).sum();
        if !(squares > 0.0) {
            return None;
        }
        let per_hour = products / squares;
        let squared_residual = |(h, v): (&f64, &f64)| (v - mean - per_hour * (h - mean_hour)).powi(2);
        let scatter: f64 = hours.iter().zip(values).map(squared_residual).sum();
        let freedom = hours.len() - 2;
        let sigma_per_hour = (scatter / freedom as f64 / squares).sqrt();
        // Values exactly on a line: p is 0 for any slope, 1 without one.
        let p_value = if sigma_per_hour > 0.0 {
            p_value(per_hour / sigma_per_hour, freedom)
        } else {
            f64::from(u8::from(per_hour == 0.0))
        };
        Some(Self { per_hour, sigma_per_hour, p_value, freedom })
    }

    /// Whether the drift is significant at a level of 5 % over all six quantities together.
    pub fn is_significant(&self) -> bool {
        self.p_value < SIGNIFICANCE_LEVEL
    }
}

/// Two-sided p-value of Student's t with the given degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4: finite
/// sums, exact except for rounding).
fn p_value(t: f64, freedom: usize) -> f64 {
    let angle = (t.abs() / (freedom as f64).sqrt()).atan();
    let (sin, cos) = angle.sin_cos();
    let is_odd = freedom % 2 == 1;
    let mut term = if is_odd { cos } else { 1.0 };
    let mut sum = if freedom > 1 { term } else { 0.0 };
    for k in (if is_odd { 3 } else { 2 }..freedom).step_by(2) {
        term *= (k - 1) as f64 / k as f64 * cos * cos;
        sum += term;
    }
    let within = if is_odd { (angle + sin * sum) * 2.0 / std::f64::consts::PI } else { sin * sum };
    (1.0 - within).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// Published two-sided quantiles of Student's t.
    #[test]
    fn p_values_match_published_tables() {
        let tables = [
            (1, 12.706_205, 0.05),
            (2, 4.302_653, 0.05),
            (3, 3.182_446, 0.05),
            (5, 4.032_143, 0.01),
            (10, 2.228_139, 0.05),
            (11, 3.105_807, 0.01),
            (30, 2.042_272, 0.05),
            (99, 2.626_405, 0.01),
            (1000, 1.962_339, 0.05),
        ];
        for (freedom, t, chance) in tables {
            assert!((p_value(t, freedom) - chance).abs() < 2e-6, "{freedom} {}", p_value(t, freedom));
            assert_eq!(p_value(0.0, freedom), 1.0);
        }
        assert!(p_value(1e6, 7) < 1e-12);
    }

    /// NIST StRD "Norris" has a certified slope and standard deviation of the slope.
    #[test]
    fn norris_of_nist_is_reproduced() {
        let x = [
            0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4, 0.6, 775.5, 666.9, 338.0,
            447.5, 11.6, 556.0, 228.1, 995.8, 887.6, 120.2, 0.3, 0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3,
            229.2, 669.1, 448.9, 0.5,
        ];
        let y = [
            0.1, 338.8, 118.1, 888.0, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3, 0.1, 778.1, 668.8, 339.3,
            448.9, 10.8, 557.7, 228.3, 998.0, 888.8, 119.6, 0.3, 0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6,
            228.9, 668.4, 449.2, 0.2,
        ];
        let drift = Drift::of(&x, &y).unwrap();
        assert!((drift.per_hour - 1.002_116_818_020_45).abs() < 1e-12, "{drift:?}");
        assert!((drift.sigma_per_hour - 0.429_796_848_199_937e-3).abs() < 1e-13, "{drift:?}");
        assert!(drift.is_significant() && drift.freedom == 34);
    }

    #[test]
    fn false_alarms_are_as_rare_as_stated() {
        let mut random = Random::new(4, 6);
        let hours: Vec<f64> = (0..12).map(|i| f64::from(i * i)).collect();
        let mut seen = 0;
        for _ in 0..6000 {
            let values: Vec<f64> = hours.iter().map(|_| 3.0 + random.normal()).collect();
            seen += usize::from(Drift::of(&hours, &values).unwrap().is_significant());
        }
        println!("{seen} of 6000 called drift; 50 expected");
        assert!((25..=80).contains(&seen), "{seen}");
    }

    #[test]
    fn values_without_a_regression_line_have_no_drift() {
        assert!(Drift::of(&[1.0, 2.0], &[1.0, 2.0]).is_none());
        assert!(Drift::of(&[5.0; 9], &[1.0; 9]).is_none());
        let flat = Drift::of(&[0.0, 1.0, 2.0, 4.0], &[0.3; 4]).unwrap();
        assert_eq!((flat.per_hour, flat.p_value), (0.0, 1.0));
        let line = Drift::of(&[0.0, 1.0, 2.0], &[0.0, 2.0, 4.0]).unwrap();
        assert_eq!((line.per_hour, line.p_value), (2.0, 0.0));
    }
}
