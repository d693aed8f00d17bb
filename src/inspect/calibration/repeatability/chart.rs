//! Control charts of individuals and moving ranges (Shewhart; ISO 7870-2).

use serde::{Deserialize, Serialize};

/// Mean range of two normal draws, in standard deviations (d2 for two).
const RANGE_OF_TWO: f64 = 1.128;
/// Upper limit of the range of two, in mean ranges (D4 for two).
const RANGE_LIMIT: f64 = 3.267;

/// What looks like more than chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A value beyond three standard deviations from the mean (Western Electric 1).
    BeyondThreeSigma,
    /// Two of three in a row beyond two standard deviations on one side (Western Electric 2).
    TwoOfThreeBeyondTwoSigma,
    /// Four of five in a row beyond one standard deviation on one side (Western Electric 3).
    FourOfFiveBeyondOneSigma,
    /// Eight in a row on one side of the mean (Western Electric 4).
    EightOnOneSide,
    /// Six in a row that rise, or fall, all the way (Nelson 1984, test 3).
    SixRisingOrFalling,
    /// A step from one value to the next beyond the limit of the moving range.
    RangeBeyondLimit,
}

impl Rule {
    /// As the rest of a sentence that begins with the number of the last calibration it takes in.
    pub fn says(self) -> &'static str {
        match self {
            Self::BeyondThreeSigma => "lies beyond three standard deviations from the mean",
            Self::TwoOfThreeBeyondTwoSigma => {
                "is with one of the two before beyond two standard deviations on one side"
            }
            Self::FourOfFiveBeyondOneSigma => {
                "is with three of the four before beyond one standard deviation on one side"
            }
            Self::EightOnOneSide => "is the eighth in a row on one side of the mean",
            Self::SixRisingOrFalling => "is the sixth in a row that goes one way",
            Self::RangeBeyondLimit => "differs from the one before by more than the limit of the moving range",
        }
    }
}

/// A rule and where it holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule.
    pub rule: Rule,
    /// Number of the calibration, from 1 in order of time, at which it holds: the last of those it takes in.
    pub run: usize,
}

/// A chart of one quantity, in its unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Chart {
    /// The values in order of time.
    pub values: Vec<f64>,
    /// Their mean: the centre line.
    pub mean: f64,
    /// Their standard deviation over n - 1: what repeats, with any drift in it.
    pub standard_deviation: f64,
    /// Standard deviation from one value to the next: mean moving range / 1.128.
    pub sigma: f64,
    /// Lower and upper control limit: mean less and plus three times `sigma`.
    pub limits: [f64; 2],
    /// Steps from each value to the next, without sign.
    pub ranges: Vec<f64>,
    /// Their mean: the centre line of the ranges.
    pub mean_range: f64,
    /// Upper control limit of the ranges; the lower one is 0.
    pub range_limit: f64,
    /// What looks like more than chance, in order of time.
    pub findings: Vec<Finding>,
}

impl Chart {
    /// Of values in order of time; `None` of fewer than two.
    pub fn of(values: Vec<f64>) -> Option<Self> {
        let count = values.len() as f64;
        if values.len() < 2 {
            return None;
        }
        // About the first value, so that values that all agree have no spread by rounding.
        let first = values[0];
        let mean = first + values.iter().map(|value| value - first).sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let ranges: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
        let mean_range = ranges.iter().sum::<f64>() / (count - 1.0);
        let sigma = mean_range / RANGE_OF_TWO;
        let mut chart = Self {
            mean,
            standard_deviation: (squares / (count - 1.0)).sqrt(),
            sigma,
            limits: [mean - 3.0 * sigma, mean + 3.0 * sigma],
            range_limit: RANGE_LIMIT * mean_range,
            mean_range,
            values,
            ranges,
            findings: Vec::new(),
        };
        chart.findings = (1..=chart.values.len()).flat_map(|run| chart.at(run)).collect();
        Some(chart)
    }

    /// The rules that hold at the calibration numbered `run`.
    fn at(&self, run: usize) -> Vec<Finding> {
        let steps: Vec<f64> = self.values[..run].iter().rev().map(|value| value - self.mean).collect();
        // Of the last few, how many are beyond so many standard deviations on the side of the last; which must be one.
        let beyond = |sigmas: f64, few: usize, least: usize| {
            let side = steps[0].signum();
            let is_beyond = |step: &f64| step * side > sigmas * self.sigma;
            steps.len() >= few && is_beyond(&steps[0]) && steps[..few].iter().filter(|s| is_beyond(s)).count() >= least
        };
        let goes_one_way = steps.len() >= 6 && {
            let moves: Vec<f64> = steps[..6].windows(2).map(|pair| pair[0] - pair[1]).collect();
            moves.iter().all(|step| *step > 0.0) || moves.iter().all(|step| *step < 0.0)
        };
        let holds = [
            (Rule::BeyondThreeSigma, beyond(3.0, 1, 1)),
            (Rule::TwoOfThreeBeyondTwoSigma, beyond(2.0, 3, 2)),
            (Rule::FourOfFiveBeyondOneSigma, beyond(1.0, 5, 4)),
            (Rule::EightOnOneSide, beyond(0.0, 8, 8)),
            (Rule::SixRisingOrFalling, goes_one_way),
            (Rule::RangeBeyondLimit, run > 1 && self.ranges[run - 2] > self.range_limit),
        ];
        holds.into_iter().filter(|(_, holds)| *holds).map(|(rule, _)| Finding { rule, run }).collect()
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

    /// A textbook example worked by hand: 10, 12, 11, 13, 9.
    #[test]
    fn figures_are_those_worked_by_hand() {
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
        // A quiet run of ±1 keeps sigma near 2 / 1.128 = 1.77.
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

    /// On chance alone the first rule seldom holds, and a shift of three standard deviations hardly ever stays hidden.
    #[test]
    fn chance_is_mostly_left_alone() {
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
