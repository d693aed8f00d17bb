//! Verdict on the last calibration, derived from all of its tests.

use serde::{Deserialize, Serialize};

use super::age::Machine;
use super::single_tests::{CalibrationTest, Evidence, TestOutcome, of_log, of_time};

/// Verdict of all tests together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationVerdict {
    /// All tests that were made passed, and all required tests were made.
    Holds,
    /// A test failed.
    DoesNotHold,
    /// No test failed, but a required one could not be made.
    NotJudged,
}

impl CalibrationVerdict {
    /// Name shown to the operator.
    pub fn name(self) -> &'static str {
        match self {
            Self::Holds => "Holds",
            Self::DoesNotHold => "Does not hold",
            Self::NotJudged => "Not judged",
        }
    }
}

/// Status of the last calibration, test by test.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationStatus {
    /// Verdict that follows from the tests.
    pub verdict: CalibrationVerdict,
    /// All tests, including those that could not be made.
    pub tests: Vec<CalibrationTest>,
}

impl CalibrationStatus {
    /// Status of the calibration made at `calibrated_unix_s`, at the time `now_unix_s`.
    ///
    /// Required are the tests of the time of the calibration, of its control charts, drifts and scatter, and the comparison
    /// with a certificate if one is named. Tests that need unknown facts about the machine are skipped, with a note.
    pub fn of(now_unix_s: i64, calibrated_unix_s: Option<i64>, machine: &Machine, evidence: Evidence<'_>) -> Self {
        let mut tests = of_time(now_unix_s, calibrated_unix_s, machine);
        tests.extend(of_log(evidence, machine));
        let is_missing = |test: &CalibrationTest| test.outcome == TestOutcome::NotJudged && test.is_needed;
        let verdict = if tests.iter().any(|test| test.outcome == TestOutcome::Failed) {
            CalibrationVerdict::DoesNotHold
        } else if tests.iter().any(is_missing) {
            CalibrationVerdict::NotJudged
        } else {
            CalibrationVerdict::Holds
        };
        Self { verdict, tests }
    }

    /// Whether the verdict is [`CalibrationVerdict::Holds`].
    pub fn holds(&self) -> bool {
        self.verdict == CalibrationVerdict::Holds
    }

    fn with(&self, outcome: TestOutcome) -> Vec<&CalibrationTest> {
        self.tests.iter().filter(|test| test.outcome == outcome).collect()
    }

    /// The verdict, each failed test, and the tests that could not be made with the reason.
    pub fn sentences(&self) -> Vec<String> {
        let (failed, missing) = (self.with(TestOutcome::Failed), self.with(TestOutcome::NotJudged));
        let made = self.tests.len() - missing.len();
        let needed = missing.iter().filter(|test| test.is_needed).count();
        let mut sentences = vec![match self.verdict {
            CalibrationVerdict::Holds => {
                format!("The last calibration holds: it passed all {made} tests that were made.")
            }
            CalibrationVerdict::DoesNotHold => {
                format!("The last calibration does not hold: it failed {} of {made} tests.", failed.len())
            }
            CalibrationVerdict::NotJudged => {
                format!("Whether the last calibration holds is not judged: {needed} required tests could not be made.")
            }
        }];
        sentences.extend(failed.iter().map(|test| format!("Failed: {}.", test.text())));
        // Tests missing for the same reason are listed together, without their quantities.
        let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
        for test in missing {
            match reasons.iter_mut().find(|(reason, _)| *reason == test.reason) {
                Some((_, names)) if names.contains(&test.test.name()) => {}
                Some((_, names)) => names.push(test.test.name()),
                None => reasons.push((test.reason.as_str(), vec![test.test.name()])),
            }
        }
        let missing = reasons.iter().map(|(reason, names)| format!("Not judged: {}. {reason}", names.join(", ")));
        sentences.extend(missing);
        sentences
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Certificate, Quantity, Record, Repeatability, TestKind};
    use super::*;

    const MADE: i64 = 1_700_000_000;
    const SIGMA: f64 = 0.003;

    /// Calibrations two hours apart that alternate, the last one `off_mm` along Z.
    fn records(count: i64, off_mm: f64) -> Vec<Record> {
        let record = |i: i64| {
            let side = if i % 2 == 0 { 0.5 } else { -0.5 };
            let off_mm = if i + 1 == count { off_mm } else { 0.0 };
            Record {
                unix_s: MADE - 7200 * (count - 1 - i),
                shift_mm: [0.0, 0.0, off_mm].map(|own| own + SIGMA * side),
                angles_rad: [1e-5 * side; 3],
                shift_sigma_mm: [SIGMA; 3],
                angles_sigma_rad: [1e-5; 3],
            }
        };
        (0..count).map(record).collect()
    }

    fn certificate(shift_mm: f64) -> Certificate {
        Certificate {
            shift_mm: [shift_mm, 0.0, 0.0],
            angles_rad: [0.0; 3],
            shift_uncertainty_mm: [0.006; 3],
            angles_uncertainty_rad: [6e-5; 3],
        }
    }

    fn status(says: &Repeatability, uncompared: Option<&str>, machine: &Machine) -> CalibrationStatus {
        CalibrationStatus::of(MADE + 3600, Some(MADE), machine, Evidence::Log { says, uncompared })
    }

    fn failed(status: &CalibrationStatus) -> Vec<(TestKind, Option<Quantity>)> {
        status.with(TestOutcome::Failed).iter().map(|test| (test.test, test.quantity)).collect()
    }

    #[test]
    fn a_calibration_that_passes_all_its_tests_holds() {
        let machine = Machine {
            restarted_unix_s: Some(MADE - 7000),
            switched_on_unix_s: Some(MADE - 7000),
            warm_up_minutes: 30.0,
            valid_hours: Some(8.0),
            ..Machine::default()
        };
        let says = Repeatability::of(&records(24, 0.0), Some(&certificate(0.0))).unwrap();
        let found = status(&says, None, &machine);
        assert!(found.holds(), "{:?}", found.sentences());
        // Four of its age, and six of each quantity.
        assert_eq!(found.tests.len(), 4 + 6 * 6);
        assert!(found.tests.iter().all(|test| test.outcome == TestOutcome::Passed && test.value.is_some()));
        assert_eq!(found.sentences(), ["The last calibration holds: it passed all 40 tests that were made."]);
        let json = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<CalibrationStatus>(&json).unwrap(), found);
    }

    /// Such a calibration was once reported to hold: En far above 1, and out of control.
    #[test]
    fn one_test_that_fails_ends_it_and_is_named() {
        let far = Repeatability::of(&records(24, 0.0), Some(&certificate(9.0))).unwrap();
        let found = status(&far, None, &Machine::default());
        assert_eq!(found.verdict, CalibrationVerdict::DoesNotHold);
        assert_eq!(failed(&found), [(TestKind::Certificate, Some(Quantity::ShiftX))]);
        let says = found.sentences();
        assert!(says[0].starts_with("The last calibration does not hold: it failed 1 of "), "{says:?}");
        assert!(says[1].starts_with("Failed: agreement with the certificate, shift along X: En = "), "{says:?}");
        assert!(says[1].ends_with(", at most En = 1.00."), "{says:?}");
        let off = Repeatability::of(&records(24, 0.08), None).unwrap();
        let found = status(&off, None, &Machine::default());
        let z = Some(Quantity::ShiftZ);
        assert!(failed(&found).contains(&(TestKind::Individuals, z)), "{:?}", found.sentences());
        assert!(failed(&found).contains(&(TestKind::MovingRange, z)), "{:?}", found.sentences());
        assert!(found.sentences().iter().any(|own| own.contains("control chart of moving ranges, shift along Z")));
        // Its age alone.
        let quiet = Repeatability::of(&records(24, 0.0), None).unwrap();
        for (machine, kind) in [
            (Machine { valid_hours: Some(0.5), ..Machine::default() }, TestKind::Age),
            (Machine { restarted_unix_s: Some(MADE + 60), ..Machine::default() }, TestKind::Restart),
            (
                Machine { switched_on_unix_s: Some(MADE - 60), warm_up_minutes: 5.0, ..Machine::default() },
                TestKind::WarmUp,
            ),
        ] {
            assert_eq!(failed(&status(&quiet, None, &machine)), [(kind, None)]);
        }
        let evidence = Evidence::Log { says: &quiet, uncompared: None };
        let early = CalibrationStatus::of(MADE - 60, Some(MADE), &Machine::default(), evidence);
        assert_eq!(failed(&early), [(TestKind::Clock, None)]);
    }

    /// Calibrations that scatter more than they state do not hold, however quiet their charts are; nor do those that scatter
    /// more than the operator allows.
    #[test]
    fn a_scatter_beyond_what_is_stated_or_allowed_does_not_hold() {
        let mut loose = records(24, 0.0);
        for (i, record) in loose.iter_mut().enumerate() {
            record.shift_mm[0] += if i % 2 == 0 { 0.25 } else { -0.25 };
        }
        let says = Repeatability::of(&loose, None).unwrap();
        let found = status(&says, None, &Machine::default());
        assert_eq!(found.verdict, CalibrationVerdict::DoesNotHold);
        assert_eq!(failed(&found), [(TestKind::Scatter, Some(Quantity::ShiftX))]);
        let sentences = found.sentences();
        let expected =
            "Failed: scatter against the stated uncertainty, shift along X: 85.64 times, at most 1.44 times.";
        assert_eq!(sentences[1], expected);
        // The standard deviation of ± 1.5 µm is 1.53 µm, that of ± 5 µrad 5.1 µrad.
        let quiet = Repeatability::of(&records(24, 0.0), None).unwrap();
        let with = |mm, rad| Machine { max_scatter_mm: Some(mm), max_scatter_rad: Some(rad), ..Machine::default() };
        let found = status(&quiet, None, &with(0.002, 6e-6));
        assert!(found.holds() && found.tests.iter().filter(|own| own.test == TestKind::ScatterLimit).count() == 6);
        let found = status(&quiet, None, &with(0.0015, 6e-6));
        assert_eq!(failed(&found).len(), 3, "{:?}", found.sentences());
        assert!(
            found.sentences()[1].ends_with("shift along X: 1.532 µm, at most 1.500 µm."),
            "{:?}",
            found.sentences()
        );
        assert_eq!(failed(&status(&quiet, None, &with(0.002, 5e-6))).len(), 3);
        assert!(with(0.0, 1.0).check().is_err() && with(1.0, f64::NAN).check().is_err());
    }

    #[test]
    fn what_could_not_be_tested_is_not_judged_and_listed() {
        // Nothing is known about the machine, and no certificate is named: neither is required, both are noted.
        let quiet = Repeatability::of(&records(24, 0.0), None).unwrap();
        let found = status(&quiet, None, &Machine::default());
        assert!(found.holds());
        let says = found.sentences();
        assert!(says.iter().any(|own| own.starts_with("Not judged: restart of the CMM. It is not known")), "{says:?}");
        assert!(says.iter().any(|own| own.contains("agreement with the certificate. No certificate")), "{says:?}");
        // A certificate that is named but cannot be read is required.
        let found = status(&quiet, Some("certificate.json cannot be read."), &Machine::default());
        assert_eq!(found.verdict, CalibrationVerdict::NotJudged);
        assert!(found.sentences().iter().any(|own| own.ends_with("certificate.json cannot be read.")));
        // Too few calibrations for control charts.
        let few = Repeatability::of(&records(4, 0.0), None).unwrap();
        let found = status(&few, None, &Machine::default());
        assert_eq!(found.verdict, CalibrationVerdict::NotJudged);
        let says = found.sentences();
        let charts = "Not judged: control chart of individuals, run rules, control chart of moving ranges. Control \
                      charts need at least 5 calibrations; there are 4.";
        assert!(says[0].contains("18 required tests") && says.contains(&charts.to_owned()), "{says:?}");
        // No calibration, no log, invalid machine settings.
        let none = Evidence::Nothing("No log was read.");
        let wrong = Machine { warm_up_minutes: -1.0, ..Machine::default() };
        for (made, machine) in [(None, Machine::default()), (Some(MADE), Machine::default()), (Some(MADE), wrong)] {
            let found = CalibrationStatus::of(MADE + 60, made, &machine, none);
            assert_eq!(found.verdict, CalibrationVerdict::NotJudged, "{:?}", found.sentences());
            assert!(found.sentences().iter().any(|own| own.ends_with("No log was read.")));
        }
    }
}
