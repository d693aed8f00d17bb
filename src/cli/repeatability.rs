//! `shadowgraph repeatability`: what the log of calibrations says.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::base::Result;
use crate::dispatch::upkeep;
use crate::inspect::calibration::repeatability::{Machine, Standing};
use crate::report::date;

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
    /// Hold the last calibration against this one: the JSON file of `calibrate --out`.
    #[arg(long)]
    pub certificate: Option<PathBuf>,
    /// When the CMM was last started, seconds since 1970.
    #[arg(long, allow_hyphen_values = true)]
    pub restarted_unix_s: Option<i64>,
    /// When the sensor was last switched on, seconds since 1970.
    #[arg(long, allow_hyphen_values = true)]
    pub switched_on_unix_s: Option<i64>,
    /// How long the sensor takes to warm up, minutes.
    #[arg(long, default_value_t = 0.0)]
    pub warm_up_minutes: f64,
    /// How long a calibration holds, hours; without end when not given.
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
    let reading = upkeep::read(&arguments.log, arguments.certificate.as_deref())?;
    for damaged in &reading.log.damaged {
        eprintln!("{}, line {}: {}", arguments.log.display(), damaged.line, damaged.reason);
    }
    let standing = Standing::of(date::unix_now(), reading.last_unix_s(), &machine);
    let found = reading.repeatability.map_err(|error| error.in_file(&arguments.log))?;
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.repeatability/1",
            "software": crate::report::software(),
            "calibrations": found.unix_s.len(),
            "damaged": reading.log.damaged,
            "in_control": found.is_in_control(),
            "repeatability": found,
            "standing": standing,
            "may_measure": standing.may_measure(),
        }))?;
        return Ok(0);
    }
    print!("{}", found.text());
    standing.sentences.iter().for_each(|sentence| println!("{sentence}"));
    if standing.may_measure() {
        println!("The last calibration holds.");
    }
    Ok(0)
}
