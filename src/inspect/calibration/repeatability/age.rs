//! Age of the last calibration: its validity period, restarts of the CMM, and the sensor's warm-up.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};

/// Known events and rules of the CMM and the sensor. Times in seconds since 1970, UTC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    /// Last start of the CMM: its zero point changes then, so that the calibration has to be repeated.
    pub restarted_unix_s: Option<i64>,
    /// When the sensor was last switched on.
    pub switched_on_unix_s: Option<i64>,
    /// Warm-up time of the sensor, minutes.
    pub warm_up_minutes: f64,
    /// Validity period of a calibration, hours; `None` if unlimited.
    pub valid_hours: Option<f64>,
    /// Largest standard deviation of the logged calibrations along each axis that the operator allows, mm; `None` if only
    /// the stated uncertainties limit it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_scatter_mm: Option<f64>,
    /// The same of each angle, rad.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_scatter_rad: Option<f64>,
}

impl Machine {
    /// Returns an error if the warm-up time, the validity period or a limit of the scatter is out of range.
    pub fn check(&self) -> Result<()> {
        if !(self.warm_up_minutes >= 0.0 && self.warm_up_minutes.is_finite()) {
            return Err(UserError::usage("The warm-up time must be at least 0 minutes."));
        }
        if !self.valid_hours.is_none_or(|hours| hours > 0.0 && hours.is_finite()) {
            return Err(UserError::usage(
                "The validity period of a calibration must be more than 0 hours, or unlimited.",
            ));
        }
        let limits = [self.max_scatter_mm, self.max_scatter_rad];
        if !limits.into_iter().flatten().all(|limit| limit > 0.0 && limit.is_finite()) {
            return Err(UserError::usage("The limits of the scatter of calibrations must be more than 0."));
        }
        Ok(())
    }
}

/// Validity of a calibration in time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum State {
    /// There is no calibration.
    Missing,
    /// It is within its validity period.
    Valid {
        /// Remaining hours; `None` if it does not expire.
        hours_left: Option<f64>,
    },
    /// Its validity period is over.
    Expired {
        /// Hours since the end of the validity period.
        hours_ago: f64,
    },
    /// The CMM was restarted after the calibration.
    Restarted {
        /// Hours since the restart.
        hours_ago: f64,
    },
    /// Its time is in the future: a clock is wrong.
    InFuture {
        /// Hours from now to the calibration.
        hours: f64,
    },
}

/// Age of a calibration at a given time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationAge {
    /// Validity in time.
    pub state: State,
    /// Minutes until the sensor is warm; `None` if it is, or if it is not known when it was switched on.
    pub warm_in_minutes: Option<f64>,
    /// Whether the calibration was made before the sensor was warm.
    pub made_cold: bool,
    /// What to do, in sentences; empty if there is nothing to do.
    pub sentences: Vec<String>,
}

pub(super) const HOUR_S: f64 = 3600.0;
pub(super) const MINUTE_S: f64 = 60.0;

impl CalibrationAge {
    /// Age of the calibration made at `calibrated_unix_s`, at the time `now_unix_s`.
    ///
    /// If `machine` fails [`Machine::check`], validity period and warm-up are ignored. If the calibration has expired
    /// and the CMM was restarted too, the restart is reported: it would have ended the validity anyway. The end of the
    /// validity period is still valid; a calibration in the same second as a restart counts as before it.
    pub fn of(now_unix_s: i64, calibrated_unix_s: Option<i64>, machine: &Machine) -> Self {
        let hours_since = |unix_s: i64| (now_unix_s as f64 - unix_s as f64) / HOUR_S;
        let is_sound = machine.check().is_ok();
        let valid_hours = machine.valid_hours.filter(|_| is_sound);
        let state = match calibrated_unix_s {
            None => State::Missing,
            Some(made) if made > now_unix_s => State::InFuture { hours: -hours_since(made) },
            Some(made) => match (machine.restarted_unix_s, valid_hours) {
                (Some(restarted), _) if restarted >= made && restarted <= now_unix_s => {
                    State::Restarted { hours_ago: hours_since(restarted) }
                }
                (_, Some(hours)) if hours_since(made) > hours => {
                    State::Expired { hours_ago: hours_since(made) - hours }
                }
                (_, hours) => State::Valid { hours_left: hours.map(|hours| hours - hours_since(made)) },
            },
        };
        let warm_at =
            machine.switched_on_unix_s.filter(|_| is_sound).map(|on| on as f64 + MINUTE_S * machine.warm_up_minutes);
        let warm_in_minutes = warm_at.map(|at| (at - now_unix_s as f64) / MINUTE_S).filter(|minutes| *minutes > 0.0);
        let made_cold = calibrated_unix_s.zip(machine.switched_on_unix_s).zip(warm_at);
        let made_cold = made_cold.is_some_and(|((made, on), warm)| made >= on && (made as f64) < warm);
        let mut age = Self { state, warm_in_minutes, made_cold, sentences: Vec::new() };
        age.sentences = age.advice();
        age
    }

    /// Whether the calibration is within its validity period and the sensor was and is warm. Whether the calibration
    /// holds is decided by all of its tests ([`super::CalibrationStatus`]).
    pub fn is_current(&self) -> bool {
        matches!(self.state, State::Valid { .. }) && self.warm_in_minutes.is_none() && !self.made_cold
    }

    fn advice(&self) -> Vec<String> {
        let state = match self.state {
            State::Missing => Some("The sensor is not calibrated; calibrate it first.".to_owned()),
            State::Valid { .. } => None,
            State::Expired { hours_ago } => {
                Some(format!("The calibration expired {hours_ago:.1} hours ago; calibrate again."))
            }
            State::Restarted { hours_ago } => {
                Some(format!("The CMM was restarted {hours_ago:.1} hours ago, after the calibration; calibrate again."))
            }
            State::InFuture { hours } => Some(format!(
                "The time of the calibration is {hours:.1} hours in the future; check the clocks of both computers."
            )),
        };
        let warm = self.warm_in_minutes.map(|minutes| {
            format!("The sensor is still warming up; wait {:.0} minutes before measuring.", minutes.ceil())
        });
        let cold = self
            .made_cold
            .then(|| "The calibration was made before the sensor was warm; repeat it once it is.".to_owned());
        [state, warm, cold].into_iter().flatten().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MADE: i64 = 1_700_000_000;

    fn after(hours: f64) -> i64 {
        MADE + (hours * HOUR_S) as i64
    }

    #[test]
    fn the_validity_period_ends() {
        let machine = Machine { valid_hours: Some(8.0), ..Machine::default() };
        let at = |hours| CalibrationAge::of(after(hours), Some(MADE), &machine);
        assert_eq!(at(0.0).state, State::Valid { hours_left: Some(8.0) });
        assert_eq!(at(8.0).state, State::Valid { hours_left: Some(0.0) });
        assert_eq!(at(9.5).state, State::Expired { hours_ago: 1.5 });
        assert_eq!(at(9.5).sentences, ["The calibration expired 1.5 hours ago; calibrate again."]);
        assert!(at(7.0).is_current() && !at(9.0).is_current() && at(7.0).sentences.is_empty());
        assert_eq!(at(-2.0).state, State::InFuture { hours: 2.0 });
        assert!(!at(-2.0).is_current() && at(-2.0).sentences[0].contains("clocks"));
        let for_ever = CalibrationAge::of(after(9999.0), Some(MADE), &Machine::default());
        assert_eq!(for_ever.state, State::Valid { hours_left: None });
        assert_eq!(CalibrationAge::of(MADE, None, &machine).state, State::Missing);
    }

    #[test]
    fn a_restart_ends_it_at_once() {
        let restarted =
            |hours| Machine { restarted_unix_s: Some(after(hours)), valid_hours: Some(8.0), ..Machine::default() };
        let state = |now, hours| CalibrationAge::of(after(now), Some(MADE), &restarted(hours)).state;
        assert_eq!(state(2.0, 1.0), State::Restarted { hours_ago: 1.0 });
        assert_eq!(state(2.0, 0.0), State::Restarted { hours_ago: 2.0 });
        assert_eq!(state(2.0, -1.0), State::Valid { hours_left: Some(6.0) });
        assert_eq!(state(20.0, 1.0), State::Restarted { hours_ago: 19.0 });
        // A restart that is still to come changes nothing yet.
        assert_eq!(state(2.0, 3.0), State::Valid { hours_left: Some(6.0) });
    }

    #[test]
    fn a_cold_sensor_is_reported_even_if_the_calibration_is_valid() {
        let machine =
            |on: f64| Machine { switched_on_unix_s: Some(after(on)), warm_up_minutes: 30.0, ..Machine::default() };
        // Switched on ten minutes before now, long after the calibration.
        let cold = CalibrationAge::of(after(2.0), Some(MADE), &machine(2.0 - 1.0 / 6.0));
        assert!((cold.warm_in_minutes.unwrap() - 20.0).abs() < 1e-9 && !cold.made_cold && !cold.is_current());
        assert!(cold.sentences[0].contains("wait 20 minutes"), "{:?}", cold.sentences);
        let made_cold = CalibrationAge::of(after(2.0), Some(MADE), &machine(-0.25));
        assert!(made_cold.made_cold && made_cold.warm_in_minutes.is_none() && !made_cold.is_current());
        let warm = CalibrationAge::of(after(2.0), Some(MADE), &machine(-0.5));
        assert!(warm.is_current() && warm.sentences.is_empty());
        let endless = Machine { valid_hours: Some(f64::NAN), ..machine(0.0) };
        for wrong in [endless, Machine { warm_up_minutes: -1.0, ..machine(0.0) }] {
            assert!(wrong.check().is_err());
            assert_eq!(CalibrationAge::of(after(2.0), Some(MADE), &wrong).state, State::Valid { hours_left: None });
        }
        assert!(Machine { valid_hours: Some(8.0), ..machine(0.0) }.check().is_ok());
        // Extremes have no overflow.
        let far = CalibrationAge::of(i64::MIN, Some(i64::MAX), &machine(0.0));
        assert!(matches!(far.state, State::InFuture { .. }));
        let json = serde_json::to_string(&cold).unwrap();
        assert_eq!(serde_json::from_str::<CalibrationAge>(&json).unwrap(), cold);
    }
}
