//! `shadowgraph repeatability`: evaluates the calibration log.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::output::{out, outln};
use base::date;
use base::{Result, UserError};
use dispatch::monitoring;
use inspect::calibration::repeatability::{CalibrationAge, Machine};
use session::calibration::monitoring::status;

/// `repeatability`
#[derive(Args, Debug)]
#[command(
    after_help = "Example:\n  shadowgraph repeatability --log calibrations.jsonl --certificate first/calibration.json \
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
}

/// Runs it; returns the exit code.
pub fn run(arguments: &Repeatability, json: bool) -> Result<i32> {
    let machine = Machine {
        restarted_unix_s: arguments.restarted_unix_s,
        switched_on_unix_s: arguments.switched_on_unix_s,
        warm_up_minutes: arguments.warm_up_minutes,
        valid_hours: arguments.valid_hours,
    };
    machine.check()?;
    let reading = monitoring::read(&arguments.log, arguments.certificate.as_deref())?;
    for damaged in &reading.log.damaged {
        eprintln!("{}, line {}: {}", arguments.log.display(), damaged.line, damaged.reason);
    }
    let (now, last) = (date::unix_now(), reading.last_unix_s());
    let age = CalibrationAge::of(now, last, &machine);
    let status = status(now, last, &machine, Some(&reading));
    let found = reading.repeatability.map_err(|error| error.in_file(&arguments.log))?;
    if let Some(sentence) = reading.uncompared {
        return Err(UserError::input(sentence));
    }
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.repeatability/1",
            "software": report::software(),
            "calibrations": found.unix_s.len(),
            "damaged": reading.log.damaged,
            "in_control": found.in_control(),
            "repeatability": found,
            "standing": age,
            "verdict": status.verdict,
            "tests": status.tests,
            "may_measure": status.holds() && age.is_current(),
        }))?;
        return Ok(0);
    }
    out!("{}", found.text());
    age.sentences.iter().for_each(|sentence| outln!("{sentence}"));
    status.sentences().iter().for_each(|sentence| outln!("{sentence}"));
    Ok(0)
}
