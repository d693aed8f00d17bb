//! Control charts for individuals and moving ranges (Shewhart; ISO 7870-2).

use serde::{Deserialize, Serialize};

/// Mean range of two normal values, in standard deviations (d2 for n = 2).
const D2: f64 = 1.128;
/// Upper control limit of the range of two values, in mean ranges (D4 for n = 2).
const D4: f64 = 3.267;

/// Rule for a pattern that is unlikely to be chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A value more than three standard deviations from the mean (Western Electric 1).
    BeyondThreeSigma,
    /// Two of three consecutive values more than two standard deviations from the mean on one side (Western Electric
    /// 2).
    TwoOfThreeBeyondTwoSigma,
    /// Four of five consecutive values more than one standard deviation from the mean on one side (Western Electric 3).
    FourOfFiveBeyondOneSigma,
    /// Eight consecutive values on one side of the mean (Western Electric 4).
    EightOnOneSide,
    /// Six consecutive values that steadily rise or fall (Nelson 1984, test 3).
    SixRisingOrFalling,
    /// A step from one value to the next above the control limit of the moving range.
    RangeBeyondLimit,
}

impl Rule {
    /// Predicate of a sentence whose subject is the last calibration of the pattern.
    pub fn says(self) -> &'static str {
        match self {
            Self::BeyondThreeSigma => "lies beyond three standard deviations from the mean",
            Self::TwoOfThreeBeyondTwoSigma => {
                "and one of the two before lie beyond two standard deviations on one side"
            }
            Self::FourOfFiveBeyondOneSigma => {
                "and three of the four before lie beyond one standard deviation on one side"
            }
            Self::EightOnOneSide => "is the eighth in a row on one side of the mean",
            Self::SixRisingOrFalling => "is the sixth in a row that steadily rises or falls",
            Self::RangeBeyondLimit => "differs from the one before by more than the limit of the moving range",
        }
    }
}

/// A pattern found in a chart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Number of the last calibration of the pattern, from 1 in order of time.
    pub run: usize,
}

/// Control chart of one quantity, in its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// The values in order of time.
    pub values: Vec<f64>,
    /// Mean of the values: the centre line.
    pub mean: f64,
    /// Experimental standard deviation of the values (n - 1): the repeatability, including any drift.
    pub standard_deviation: f64,
    /// Short-term standard deviation: mean moving range / 1.128.
    pub sigma: f64,
    /// Lower and upper control limit: mean ± 3 `sigma`.
    pub limits: [f64; 2],
    /// Moving ranges: absolute differences of consecutive values.
    pub ranges: Vec<f64>,
    /// Mean moving range: the centre line of the ranges.
    pub mean_range: f64,
    /// Upper control limit of the ranges; the lower one is 0.
    pub range_limit: f64,
    /// Patterns found, in order of time.
    pub findings: Vec<Finding>,
}

impl Chart {
    /// Chart of values in order of time; `None` for fewer than two.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        // Relative to the first value, so that equal values have no scatter by rounding.
        let first = values[0];
        let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let ranges: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let mean_range = ranges.iter().sum::<f64>() / (count - 1.0);
        let sigma = mean_range / D2;
        let mut chart = Self {
            mean,
            standard_deviation: (squares / (count - 1.0)).sqrt(),
            sigma,
            limits: [mean - 3.0 * sigma, mean + 3.0 * sigma],
            range_limit: D4 * mean_range,
            mean_range,
            values,
            ranges,
            findings: Vec::new(),
        };
        chart.findings = (1..=chart.values.len()).flat_map(|run| chart.findings_at(run)).collect();
        Some(chart)
    }

    /// Patterns that end at calibration `run`.
    fn findings_at(&self, run: usize) -> Vec<Finding> {
        let deviations: Vec<f64> = self.values[..run].iter().rev().map(|value| value - self.mean).collect();
        // Whether at least `min_count` of the last `window` values lie beyond `sigmas` on the side of the last one,
        // which must be one of them.
        let beyond = |sigmas: f64, window: usize, min_count: usize| {
            let side = deviations[0].signum();
            let is_beyond = |step: &f64| step * side > sigmas * self.sigma;
            deviations.len() >= window
                && is_beyond(&deviations[0])
                && deviations[..window].iter().filter(|s| is_beyond(s)).count() >= min_count
        };
        let is_monotonic = deviations.len() >= 6 && {
            let changes: Vec<f64> = deviations[..6].windows(2).map(|pair| pair[0] - pair[1]).collect();
            changes.iter().all(|step| *step > 0.0) || changes.iter().all(|step| *step < 0.0)
        };
        let rules = [
            (Rule::BeyondThreeSigma, beyond(3.0, 1, 1)),
            (Rule::TwoOfThreeBeyondTwoSigma, beyond(2.0, 3, 2)),
            (Rule::FourOfFiveBeyondOneSigma, beyond(1.0, 5, 4)),
            (Rule::EightOnOneSide, beyond(0.0, 8, 8)),
            (Rule::SixRisingOrFalling, is_monotonic),
            (Rule::RangeBeyondLimit, run > 1 && self.ranges[run - 2] > self.range_limit),
        ];
        rules.into_iter().filter(|(_, applies)| *applies).map(|(rule, _)| Finding { rule, run }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn rules(values: &[f64], run: usize) -> Vec<Rule> {
        let chart = Chart::of(values.to_vec()).unwrap();
        chart.findings.iter().filter(|own| own.run == run).map(|own| own.rule).collect()
    }

    /// An example calculated by hand: 10, 12, 11, 13, 9.
    #[test]
    fn values_match_a_calculation_by_hand() {
        let chart = Chart::of(vec![10.0, 12.0, 11.0, 13.0, 9.0]).unwrap();
        assert_eq!(chart.mean, 11.0);
        assert_eq!(chart.ranges, [2.0, 1.0, 2.0, 4.0]);
        assert_eq!(chart.mean_range, 2.25);
        assert!((chart.sigma - 2.25 / 1.128).abs() < 1e-15);
        assert!((chart.limits[1] - (11.0 + 2.66 * 2.25)).abs() < 0.01, "the handbook's factor is 2.66");
        assert!((chart.range_limit - 7.35075).abs() < 1e-12);
        assert!((chart.standard_deviation - 2.5_f64.sqrt()).abs() < 1e-15);
        assert!(chart.findings.is_empty());
        assert!(Chart::of(vec![1.0]).is_none());
    }

    #[test]
    fn each_rule_holds_where_it_should() {
        // Alternating values of ±1 keep sigma near 2 / 1.128 = 1.77.
        let quiet: Vec<f64> = (0..30).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
        let with = |tail: &[f64]| [quiet.as_slice(), tail].concat();
        assert!(Chart::of(quiet.clone()).unwrap().findings.is_empty());
        assert_eq!(rules(&with(&[9.0]), 31), [Rule::BeyondThreeSigma, Rule::RangeBeyondLimit]);
        assert!(rules(&with(&[5.0, 0.0, 5.0]), 33).contains(&Rule::TwoOfThreeBeyondTwoSigma));
        assert!(!rules(&with(&[5.0, 0.0, -5.0]), 33).contains(&Rule::TwoOfThreeBeyondTwoSigma));
        assert!(rules(&with(&[3.0, 2.8, 0.0, 2.9, 3.1]), 35).contains(&Rule::FourOfFiveBeyondOneSigma));
        assert_eq!(rules(&with(&[0.5, 0.6, 0.5, 0.6, 0.5, 0.6, 0.5, 0.6]), 38), [Rule::EightOnOneSide]);
        assert!(rules(&with(&[-1.2, -0.9, -0.6, 0.3, 0.4, 0.5]), 36).contains(&Rule::SixRisingOrFalling));
        assert!(rules(&with(&[1.2, 0.9, 0.6, -0.3, -0.4, -0.5]), 36).contains(&Rule::SixRisingOrFalling));
        assert!(!rules(&with(&[-1.2, -0.9, -0.6, -0.6, 0.4, 0.5]), 36).contains(&Rule::SixRisingOrFalling));
    }

    /// Chance alone seldom triggers the first rule, and a shift of three standard deviations is hardly ever missed.
    #[test]
    fn chance_seldom_triggers_a_rule() {
        let mut random = Random::new(7, 2);
        let (mut alarms, mut found) = (0, 0);
        for _ in 0..200 {
            let mut values: Vec<f64> = (0..40).map(|_| 5.0 + 0.1 * random.normal()).collect();
            let beyond = |chart: Chart| chart.findings.iter().filter(|own| own.rule == Rule::BeyondThreeSigma).count();
            alarms += beyond(Chart::of(values.clone()).unwrap());
            values.iter_mut().skip(30).for_each(|value| *value += 0.3);
            found += usize::from(Chart::of(values).unwrap().findings.iter().any(|own| own.run > 30));
        }
        println!("false alarms {alarms} of 8000, shifts found {found} of 200");
        assert!(alarms < 60 && found > 195);
    }

    #[test]
    fn values_that_all_agree_are_in_control() {
        let chart = Chart::of(vec![0.1 + 0.2; 20]).unwrap();
        assert_eq!((chart.sigma, chart.standard_deviation), (0.0, 0.0));
        assert!(chart.findings.is_empty());
    }
}
