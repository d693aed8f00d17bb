//! Individual tests of the last calibration: of its age, of its control charts, and against its certificate.

use serde::{Deserialize, Serialize};

use super::Quantity;
use super::age::{HOUR_S, MINUTE_S, Machine};
use super::chart::Rule;
use super::drift::SIGNIFICANCE_LEVEL;
use super::run::{MIN_CHARTED, Quantified, Repeatability};

/// Kind of test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestKind {
    /// The calibration exists and is not in the future; value: hours since then.
    Clock,
    /// It was made after the last restart of the CMM; value: hours between the two.
    Restart,
    /// It is within its validity period; value: age in hours.
    Age,
    /// The sensor was warm; value: minutes since it was switched on.
    WarmUp,
    /// It lies within three standard deviations of the mean; value: deviation in standard deviations.
    Individuals,
    /// No run rule applies; value: number of run rules whose pattern it ends.
    Runs,
    /// Its difference from the previous calibration; value: moving range, mm or rad.
    MovingRange,
    /// There is no significant drift; value: p-value.
    Drift,
    /// The stated uncertainties explain the scatter of the calibrations; value: scatter in stated standard uncertainties.
    Scatter,
    /// The scatter of the calibrations is within the operator's limit; value: standard deviation, mm or rad.
    ScatterLimit,
    /// It agrees with the certificate; value: normalised error En.
    Certificate,
}

impl TestKind {
    /// Name shown to the operator.
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
            Self::Scatter => "scatter against the stated uncertainty",
            Self::ScatterLimit => "scatter against the limit",
            Self::Certificate => "agreement with the certificate",
        }
    }

    /// Whether the limit is a minimum; otherwise it is a maximum.
    pub fn is_at_least(self) -> bool {
        matches!(self, Self::Clock | Self::Restart | Self::WarmUp | Self::Drift)
    }

    fn shown(self, quantity: Option<Quantity>, value: f64) -> String {
        match (self, quantity) {
            (Self::Clock | Self::Restart | Self::Age, _) => format!("{value:.1} h"),
            (Self::WarmUp, _) => format!("{value:.1} min"),
            (Self::Individuals, _) => format!("{value:.2} standard deviations"),
            (Self::Runs, _) => format!("{value:.0}"),
            (Self::MovingRange | Self::ScatterLimit, Some(quantity)) => quantity.shown_small(value),
            (Self::Scatter, _) => format!("{value:.2} times"),
            (Self::Drift, _) => format!("p = {value:.4}"),
            (Self::Certificate, _) => format!("En = {value:.2}"),
            (Self::MovingRange | Self::ScatterLimit, None) => format!("{value}"),
        }
    }
}

/// Outcome of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// Within the limit.
    Passed,
    /// Beyond the limit.
    Failed,
    /// The test could not be made.
    NotJudged,
}

/// Result of one test of the last calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationTest {
    /// Kind of test.
    pub test: TestKind,
    /// Quantity tested; `None` for tests of the calibration as a whole.
    pub quantity: Option<Quantity>,
    /// Test and quantity in words.
    pub name: String,
    /// Value, in the unit given by the test; moving ranges in mm or rad. `None` if the test could not be made.
    pub value: Option<f64>,
    /// Maximum or minimum of the value, see [`TestKind::is_at_least`].
    pub limit: Option<f64>,
    /// Outcome.
    pub outcome: TestOutcome,
    /// Whether the calibration can hold only if this test was made.
    pub is_needed: bool,
    /// Why it could not be made, in a sentence; empty if it was.
    pub reason: String,
}

impl CalibrationTest {
    fn evaluated(test: TestKind, quantity: Option<Quantity>, [value, limit]: [f64; 2], is_passed: bool) -> Self {
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

    /// Text for the operator: “drift, shift along X: p = 0.0001, at least p = 0.0083”.
    pub fn text(&self) -> String {
        let shown = |value: f64| self.test.shown(self.quantity, value);
        match (self.value, self.limit) {
            (Some(value), Some(limit)) => {
                let relation = if self.test.is_at_least() { "at least" } else { "at most" };
                format!("{}: {}, {relation} {}", self.name, shown(value), shown(limit))
            }
            _ => format!("{}: {}", self.name, self.reason),
        }
    }
}

/// Tests of the age of the last calibration; times are interpreted as by [`super::CalibrationAge::of`].
pub(super) fn of_time(now_unix_s: i64, calibrated_unix_s: Option<i64>, machine: &Machine) -> Vec<CalibrationTest> {
    use TestKind::{Age, Clock, Restart, WarmUp};
    let Some(made) = calibrated_unix_s else {
        return vec![CalibrationTest::missing(Clock, None, true, "There is no calibration yet.")];
    };
    let hours = |from: i64, to: i64| (to as f64 - from as f64) / HOUR_S;
    let age_h = hours(made, now_unix_s);
    let mut tests = vec![CalibrationTest::evaluated(Clock, None, [age_h, 0.0], age_h >= 0.0)];
    if let Err(error) = machine.check() {
        tests.push(CalibrationTest::missing(Age, None, true, &error.sentence));
        return tests;
    }
    let unknown = |test, reason| CalibrationTest::missing(test, None, false, reason);
    tests.push(match machine.restarted_unix_s {
        Some(restarted) if restarted <= now_unix_s => {
            CalibrationTest::evaluated(Restart, None, [hours(restarted, made), 0.0], made > restarted)
        }
        Some(_) => unknown(Restart, "The stated time of the restart is in the future."),
        None => unknown(Restart, "It is not known when the CMM was last started."),
    });
    tests.push(match machine.valid_hours {
        Some(valid_h) => CalibrationTest::evaluated(Age, None, [age_h, valid_h], age_h <= valid_h),
        None => unknown(Age, "No validity period is stated."),
    });
    tests.push(match machine.switched_on_unix_s {
        Some(on) if on <= made => {
            let warm_minutes = (made as f64 - on as f64) / MINUTE_S;
            let min_minutes = machine.warm_up_minutes;
            CalibrationTest::evaluated(WarmUp, None, [warm_minutes, min_minutes], warm_minutes >= min_minutes)
        }
        Some(_) => unknown(WarmUp, "The sensor was switched on again after the calibration."),
        None => unknown(WarmUp, "It is not known when the sensor was switched on before the calibration."),
    });
    tests
}

/// Evidence on the last calibration other than its age.
#[derive(Clone, Copy, Debug)]
pub enum Evidence<'a> {
    /// The log that ends with it.
    Log {
        /// Evaluation of the log.
        says: &'a Repeatability,
        /// Why a named certificate could not be compared; `None` if it was, or if none is named.
        uncompared: Option<&'a str>,
    },
    /// Why there are neither charts nor a comparison, in a sentence.
    Nothing(&'a str),
}

/// Tests of the last calibration by its log: control charts, drift, scatter and comparison with the certificate.
pub(super) fn of_log(evidence: Evidence<'_>, machine: &Machine) -> Vec<CalibrationTest> {
    use TestKind::{Certificate, Drift, Individuals, MovingRange, Runs, Scatter};
    let (says, uncompared) = match evidence {
        Evidence::Log { says, uncompared } => (says, uncompared),
        Evidence::Nothing(reason) => {
            let kinds = [Individuals, Runs, MovingRange, Drift, Scatter];
            return kinds.map(|test| CalibrationTest::missing(test, None, true, reason)).into();
        }
    };
    let mut tests: Vec<CalibrationTest> = says.quantities.iter().flat_map(|own| of_charts(own, says)).collect();
    tests.extend(says.quantities.iter().flat_map(|own| of_scatter(own, machine)));
    let is_compared = says.quantities.iter().any(|own| own.agreement.is_some());
    for own in &says.quantities {
        tests.extend(own.agreement.map(|agreement| {
            let values = [agreement.normalised_error, 1.0];
            CalibrationTest::evaluated(Certificate, Some(own.quantity), values, agreement.holds())
        }));
    }
    if !is_compared {
        let reason = uncompared.unwrap_or("No certificate is named to compare it with.");
        tests.push(CalibrationTest::missing(Certificate, None, uncompared.is_some(), reason));
    }
    tests
}

/// Tests of the scatter of a quantity: by the stated uncertainties, and by the operator's limit if there is one.
fn of_scatter(own: &Quantified, machine: &Machine) -> Vec<CalibrationTest> {
    use TestKind::{Scatter, ScatterLimit};
    let quantity = Some(own.quantity);
    let stated = match own.scatter {
        Some(scatter) => {
            CalibrationTest::evaluated(Scatter, quantity, [scatter.ratio, scatter.limit], scatter.is_explained())
        }
        None => CalibrationTest::missing(Scatter, quantity, true, "A calibration of the log states no uncertainty."),
    };
    let limit = if own.quantity.is_angle() { machine.max_scatter_rad } else { machine.max_scatter_mm };
    let limited = limit.map(|limit| {
        let value = own.chart.standard_deviation;
        CalibrationTest::evaluated(ScatterLimit, quantity, [value, limit], value <= limit)
    });
    std::iter::once(stated).chain(limited).collect()
}

/// Tests of the charts and the drift of a quantity.
fn of_charts(own: &Quantified, says: &Repeatability) -> Vec<CalibrationTest> {
    use TestKind::{Drift, Individuals, MovingRange, Runs};
    let (quantity, chart, count) = (Some(own.quantity), &own.chart, says.unix_s.len());
    let drift = match own.drift {
        Some(own) => {
            CalibrationTest::evaluated(Drift, quantity, [own.p_value, SIGNIFICANCE_LEVEL], !own.is_significant())
        }
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
        CalibrationTest::evaluated(Individuals, quantity, [sigmas, 3.0], !is_far),
        CalibrationTest::evaluated(Runs, quantity, [runs as f64, 0.0], runs == 0),
        CalibrationTest::evaluated(MovingRange, quantity, [step, chart.range_limit], !is_step),
        drift,
    ]
}
