//! The tests of the last calibration, one by one: of its time, of its control charts, against its certificate.

use serde::{Deserialize, Serialize};

use super::Quantity;
use super::chart::Rule;
use super::drift::SIGNIFICANT;
use super::run::{MIN_CHARTED, Quantified, Repeatability};
use super::standing::{HOUR_S, MINUTE_S, Machine};

/// What is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestKind {
    /// It was made, and not later than now: hours since then.
    Clock,
    /// It was made after the last restart of the CMM: hours between both.
    Restart,
    /// Its hours are not over.
    Age,
    /// The sensor was warm: minutes from switching it on.
    WarmUp,
    /// It lies within three standard deviations of the mean of all.
    Individuals,
    /// How many of the rules on several calibrations in a row it ends.
    Runs,
    /// Its step from the one before.
    MovingRange,
    /// Probability that chance alone makes the drift.
    Drift,
    /// The normalised error En.
    Certificate,
}

impl TestKind {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Clock => "time of the calibration",
            Self::Restart => "restart of the CMM",
            Self::Age => "age",
            Self::WarmUp => "warm-up before the calibration",
            Self::Individuals => "control chart of individuals",
            Self::Runs => "run rules",
            Self::MovingRange => "control chart of moving ranges",
            Self::Drift => "drift",
            Self::Certificate => "agreement with the certificate",
        }
    }

    /// Whether the value must be at least the limit; else at most.
    pub fn is_at_least(self) -> bool {
        matches!(self, Self::Clock | Self::Restart | Self::WarmUp | Self::Drift)
    }

    fn shown(self, quantity: Option<Quantity>, value: f64) -> String {
        match (self, quantity) {
            (Self::Clock | Self::Restart | Self::Age, _) => format!("{value:.1} h"),
            (Self::WarmUp, _) => format!("{value:.1} min"),
            (Self::Individuals, _) => format!("{value:.2} standard deviations"),
            (Self::Runs, _) => format!("{value:.0}"),
            (Self::MovingRange, Some(quantity)) => quantity.shown_small(value),
            (Self::Drift, _) => format!("chance {value:.4}"),
            (Self::Certificate, _) => format!("En = {value:.2}"),
            (Self::MovingRange, None) => format!("{value}"),
        }
    }
}

/// What a test came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// Within its limit.
    Passed,
    /// Beyond it.
    Failed,
    /// It could not be made.
    NotJudged,
}

/// A test of the last calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationTest {
    /// What is tested.
    pub test: TestKind,
    /// Of which quantity; none where it is of the calibration as a whole.
    pub quantity: Option<Quantity>,
    /// Both in words.
    pub name: String,
    /// What was found, in the unit that the test says; moving ranges in mm or rad. None where it could not be made.
    pub value: Option<f64>,
    /// What it may be at most; of some tests at least ([`TestKind::is_at_least`]).
    pub limit: Option<f64>,
    /// What it came to.
    pub outcome: TestOutcome,
    /// Whether a calibration can only hold once it was made.
    pub is_needed: bool,
    /// Why it could not be made, in a sentence; empty where it was.
    pub reason: String,
}

impl CalibrationTest {
    fn made(test: TestKind, quantity: Option<Quantity>, [value, limit]: [f64; 2], is_passed: bool) -> Self {
        let outcome = if is_passed { TestOutcome::Passed } else { TestOutcome::Failed };
        let (value, limit) = (Some(value), Some(limit));
        Self { value, limit, outcome, ..Self::missing(test, quantity, true, "") }
    }

    fn missing(test: TestKind, quantity: Option<Quantity>, is_needed: bool, reason: &str) -> Self {
        let of = quantity.map_or_else(String::new, |quantity| format!(", {quantity}"));
        Self {
            test,
            quantity,
            name: format!("{}{of}", test.name()),
            value: None,
            limit: None,
            outcome: TestOutcome::NotJudged,
            is_needed,
            reason: reason.to_owned(),
        }
    }

    /// For people: “drift, shift along X: chance 0.0001, at least 0.0083”.
    pub fn text(&self) -> String {
        let shown = |value: f64| self.test.shown(self.quantity, value);
        match (self.value, self.limit) {
            (Some(value), Some(limit)) => {
                let must = if self.test.is_at_least() { "at least" } else { "at most" };
                format!("{}: {}, {must} {}", self.name, shown(value), shown(limit))
            }
            _ => format!("{}: {}", self.name, self.reason),
        }
    }
}

/// Tests of the time at which the last calibration was made; the same times as [`super::Standing::of`] takes.
pub(super) fn of_time(now_unix_s: i64, calibrated_unix_s: Option<i64>, machine: &Machine) -> Vec<CalibrationTest> {
    use TestKind::{Age, Clock, Restart, WarmUp};
    let Some(made) = calibrated_unix_s else {
        return vec![CalibrationTest::missing(Clock, None, true, "There is no calibration yet.")];
    };
    let hours = |from: i64, to: i64| (to as f64 - from as f64) / HOUR_S;
    let age_h = hours(made, now_unix_s);
    let mut tests = vec![CalibrationTest::made(Clock, None, [age_h, 0.0], age_h >= 0.0)];
    if let Err(error) = machine.check() {
        tests.push(CalibrationTest::missing(Age, None, true, &error.sentence));
        return tests;
    }
    let unknown = |test, reason| CalibrationTest::missing(test, None, false, reason);
    tests.push(match machine.restarted_unix_s {
        Some(restarted) if restarted <= now_unix_s => {
            CalibrationTest::made(Restart, None, [hours(restarted, made), 0.0], made > restarted)
        }
        Some(_) => unknown(Restart, "The restart that was stated is later than now."),
        None => unknown(Restart, "It is not known when the CMM was last started."),
    });
    tests.push(match machine.valid_hours {
        Some(valid_h) => CalibrationTest::made(Age, None, [age_h, valid_h], age_h <= valid_h),
        None => unknown(Age, "No hours are stated after which a calibration expires."),
    });
    tests.push(match machine.switched_on_unix_s {
        Some(on) if on <= made => {
            let warm_min = (made as f64 - on as f64) / MINUTE_S;
            let least_min = machine.warm_up_minutes;
            CalibrationTest::made(WarmUp, None, [warm_min, least_min], warm_min >= least_min)
        }
        Some(_) => unknown(WarmUp, "The sensor was switched on again after the calibration."),
        None => unknown(WarmUp, "It is not known when the sensor was switched on before the calibration."),
    });
    tests
}

/// What speaks for or against the last calibration beside its time.
#[derive(Clone, Copy, Debug)]
pub enum Evidence<'a> {
    /// The log whose last calibration it is.
    Log {
        /// What the log says.
        says: &'a Repeatability,
        /// Why a certificate that is named could not be compared with; none where it was, or none is named.
        uncompared: Option<&'a str>,
    },
    /// Why there are neither charts nor a comparison, in a sentence.
    Nothing(&'a str),
}

/// Tests of the last calibration of a log.
pub(super) fn of_log(evidence: Evidence<'_>) -> Vec<CalibrationTest> {
    use TestKind::{Certificate, Drift, Individuals, MovingRange, Runs};
    let (says, uncompared) = match evidence {
        Evidence::Log { says, uncompared } => (says, uncompared),
        Evidence::Nothing(reason) => {
            let kinds = [Individuals, Runs, MovingRange, Drift];
            return kinds.map(|test| CalibrationTest::missing(test, None, true, reason)).into();
        }
    };
    let mut tests: Vec<CalibrationTest> = says.quantities.iter().flat_map(|own| of_charts(own, says)).collect();
    let is_compared = says.quantities.iter().any(|own| own.agreement.is_some());
    for own in &says.quantities {
        tests.extend(own.agreement.map(|agreement| {
            let values = [agreement.normalised_error, 1.0];
            CalibrationTest::made(Certificate, Some(own.quantity), values, agreement.holds())
        }));
    }
    if !is_compared {
        let reason = uncompared.unwrap_or("No certificate is named to hold it against.");
        tests.push(CalibrationTest::missing(Certificate, None, uncompared.is_some(), reason));
    }
    tests
}

/// The charts and the drift of a quantity.
fn of_charts(own: &Quantified, says: &Repeatability) -> Vec<CalibrationTest> {
    use TestKind::{Drift, Individuals, MovingRange, Runs};
    let (quantity, chart, count) = (Some(own.quantity), &own.chart, says.unix_s.len());
    let drift = match own.drift {
        Some(own) => CalibrationTest::made(Drift, quantity, [own.chance, SIGNIFICANT], !own.is_significant()),
        None => {
            let reason = "A drift needs at least three calibrations at different times.";
            CalibrationTest::missing(Drift, quantity, true, reason)
        }
    };
    let at_last = chart.findings.iter().filter(|finding| finding.run == count).map(|finding| finding.rule);
    let at_last: Vec<Rule> = at_last.collect();
    if count < MIN_CHARTED && at_last.is_empty() {
        let reason = format!("Control charts need at least {MIN_CHARTED} calibrations; there are {count}.");
        let missing = |test| CalibrationTest::missing(test, quantity, true, &reason);
        return vec![missing(Individuals), missing(Runs), missing(MovingRange), drift];
    }
    let of_one = [Rule::BeyondThreeSigma, Rule::RangeBeyondLimit];
    let [is_far, is_step] = of_one.map(|rule| at_last.contains(&rule));
    let runs = at_last.iter().filter(|rule| !of_one.contains(rule)).count();
    let off = chart.values.last().map_or(0.0, |last| (last - chart.mean).abs());
    let sigmas = if chart.sigma > 0.0 { off / chart.sigma } else { 0.0 };
    let step = chart.ranges.last().copied().unwrap_or_default();
    vec![
        CalibrationTest::made(Individuals, quantity, [sigmas, 3.0], !is_far),
        CalibrationTest::made(Runs, quantity, [runs as f64, 0.0], runs == 0),
        CalibrationTest::made(MovingRange, quantity, [step, chart.range_limit], !is_step),
        drift,
    ]
}
