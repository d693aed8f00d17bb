//! `shadowgraph repeatability`: evaluates the calibration log.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::output::{out, outln};
use base::date;
use base::{Result, UserError};
use dispatch::monitoring;
use inspect::calibration::repeatability::{CalibrationAge, CalibrationVerdict, Machine};
use session::calibration::monitoring::status;

/// `repeatability`
#[derive(Args, Debug)]
#[command(
    after_help = "The scatter of the calibrations is compared with the uncertainty that they state, by a chi-squared test \
    of each of six quantities; together these raise a false alarm in at most 1 of 100 sound logs. A sensor that was \
    mounted anew needs a log of its own. Lines that evaluate the same measurement count once.\n\nExit code 4: the last \
    calibration does not hold; the failed tests are printed.\n\nExample:\n  shadowgraph repeatability --log calibrations.jsonl --certificate first/calibration.json \
    --valid-hours 24"
)]
pub struct Repeatability {
    /// The log that `calibrate --log` appends to.
    #[arg(long)]
    pub log: PathBuf,
    /// Compare the last calibration with this one: the JSON file of `calibrate --out`.
    #[arg(long)]
    pub certificate: Option<PathBuf>,
    /// Time of the last start of the CMM, seconds since 1970 (UTC).
    #[arg(long, allow_hyphen_values = true)]
    pub restarted_unix_s: Option<i64>,
    /// Time the sensor was last switched on, seconds since 1970 (UTC).
    #[arg(long, allow_hyphen_values = true)]
    pub switched_on_unix_s: Option<i64>,
    /// Warm-up time of the sensor, minutes.
    #[arg(long, default_value_t = 0.0)]
    pub warm_up_minutes: f64,
    /// Validity of a calibration, hours; unlimited if not given.
    #[arg(long)]
    pub valid_hours: Option<f64>,
    /// Largest standard deviation of the logged calibrations along each axis, mm; besides what the stated uncertainties
    /// explain.
    #[arg(long)]
    pub max_scatter_mm: Option<f64>,
    /// Largest standard deviation of each angle of the logged calibrations, degrees.
    #[arg(long)]
    pub max_scatter_deg: Option<f64>,
}

/// Exit code of a calibration that does not hold.
const DOES_NOT_HOLD: i32 = 4;

/// Runs it; returns the exit code.
pub fn run(arguments: &Repeatability, json: bool) -> Result<i32> {
    let machine = Machine {
        restarted_unix_s: arguments.restarted_unix_s,
        switched_on_unix_s: arguments.switched_on_unix_s,
        warm_up_minutes: arguments.warm_up_minutes,
        valid_hours: arguments.valid_hours,
        max_scatter_mm: arguments.max_scatter_mm,
        max_scatter_rad: arguments.max_scatter_deg.map(f64::to_radians),
    };
    machine.check()?;
    let reading = monitoring::read(&arguments.log, arguments.certificate.as_deref())?;
    for damaged in &reading.log.damaged {
        eprintln!("{}, line {}: {}", arguments.log.display(), damaged.line, damaged.reason);
    }
    if let Some(sentence) = reading.log.repeated_sentence() {
        eprintln!("{}: {sentence}", arguments.log.display());
    }
    let (now, last) = (date::unix_now(), reading.last_unix_s());
    let age = CalibrationAge::of(now, last, &machine);
    let status = status(now, last, &machine, Some(&reading));
    let found = reading.repeatability.map_err(|error| error.in_file(&arguments.log))?;
    if let Some(sentence) = reading.uncompared {
        return Err(UserError::input(sentence));
    }
    let code = if status.verdict == CalibrationVerdict::DoesNotHold { DOES_NOT_HOLD } else { 0 };
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.repeatability/1",
            "software": report::software(),
            "calibrations": found.unix_s.len(),
            "damaged": reading.log.damaged,
            "repeated": reading.log.repeated,
            "in_control": found.in_control(),
            "repeatability": found,
            "standing": age,
            "verdict": status.verdict,
            "tests": status.tests,
            "may_measure": status.holds() && age.is_current(),
        }))?;
        return Ok(code);
    }
    out!("{}", found.text());
    age.sentences.iter().for_each(|sentence| outln!("{sentence}"));
    status.sentences().iter().for_each(|sentence| outln!("{sentence}"));
    Ok(code)
}
