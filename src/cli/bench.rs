//! `shadowgraph bench`: benchmarks on this machine; times are medians after a warm-up.

use super::arguments::{Bench, Suite};
use crate::output::outln;
use base::{Result, UserError};

mod calibration;
mod charts;
mod defects;
mod detect;
mod detect_data;
mod detect_fit;
mod detect_tally;
mod detect_twins;
mod deviation;
mod field;
mod fits;
mod gpu;
mod offset;
mod part;
mod planes;
mod poses;
mod published_detection;
mod published_training;
mod read;
mod register;
mod searches;
mod sections;
mod sphere_bias;
mod starts;
mod tables;
mod twins;
mod uniform_offsets;
mod view;
mod wrong_parts;

/// Runs a suite; returns the exit code.
pub fn run(arguments: &Bench, json: bool) -> Result<i32> {
    if arguments.runs == 0 || !(arguments.scale > 0.0 && arguments.scale <= 1.0) {
        return Err(UserError::usage("The number of runs must be at least 1, and the scale above 0 and at most 1."));
    }
    let value = match arguments.suite {
        Suite::Deviation => deviation::run(arguments)?,
        Suite::Register => register::run(arguments)?,
        Suite::Read => read::run(arguments)?,
        Suite::Searches => searches::run(arguments)?,
        Suite::View => view::run(arguments)?,
        Suite::Gpu => gpu::run(arguments)?,
        Suite::Offset => offset::run(arguments)?,
        Suite::Field => field::run(arguments)?,
        Suite::Rings => offset::rings::run(arguments)?,
        Suite::Planes => planes::run(arguments)?,
        Suite::Poses => poses::run(arguments)?,
        Suite::Detect => detect::run(arguments)?,
        Suite::PublishedDetection => published_detection::run(arguments)?,
        Suite::Starts => starts::run(arguments)?,
        Suite::UniformOffsets => uniform_offsets::run(arguments)?,
        Suite::WrongParts => wrong_parts::run(arguments)?,
        Suite::Tables => tables::run(arguments)?,
        Suite::Calibration => calibration::run(arguments)?,
        Suite::Fits => fits::run(arguments)?,
        Suite::Sections => sections::run(arguments)?,
        Suite::Defects => defects::run(arguments)?,
    };
    if json {
        super::print_json(&value)?;
    } else {
        for row in value.get("rows").and_then(|rows| rows.as_array()).into_iter().flatten() {
            print_row(row);
        }
    }
    // A suite that checks results against stated figures reports whether they hold.
    let holds = value.get("holds").and_then(serde_json::Value::as_bool);
    Ok(if holds == Some(false) { 4 } else { 0 })
}

/// Prints a timing, or other figures with their names, on one line.
fn print_row(row: &serde_json::Value) {
    let case = row.get("case").and_then(|v| v.as_str()).unwrap_or_default();
    let number = |key: &str| row.get(key).and_then(serde_json::Value::as_f64);
    match (number("median_ms"), number("min_ms"), number("max_ms")) {
        (Some(median), Some(best), Some(worst)) => {
            outln!("{case:64} {median:>12.3} ms   (best {best:.3}, worst {worst:.3})");
        }
        _ => {
            let figures = row.as_object().into_iter().flatten().filter(|(key, _)| *key != "case");
            let figures: Vec<String> = figures.map(|(key, value)| format!("{key} {value}")).collect();
            outln!("{case:64} {}", figures.join(", "));
        }
    }
}

/// Runs `work` once as a warm-up and `runs` times timed. Returns the last result, and median, minimum and maximum in
/// ms.
fn time<T>(case: &str, runs: usize, mut work: impl FnMut() -> Result<T>) -> Result<(T, serde_json::Value)> {
    let mut last = work()?;
    let mut times_ms = Vec::with_capacity(runs);
    for _ in 0..runs {
        let started = std::time::Instant::now();
        last = work()?;
        times_ms.push(started.elapsed().as_secs_f64() * 1e3);
    }
    times_ms.sort_by(f64::total_cmp);
    let at = |index: usize| times_ms.get(index).copied().unwrap_or(f64::NAN);
    // What is done so far, should the rest take too long.
    eprintln!("{case:76} {:12.3} ms", at(runs / 2));
    let row = serde_json::json!({
        "case": case,
        "median_ms": at(runs / 2),
        "min_ms": at(0),
        "max_ms": at(runs - 1),
        "runs": runs,
    });
    Ok((last, row))
}

/// A pool of one thread and a pool of all threads, with their names.
fn pools() -> Result<[(String, rayon::ThreadPool); 2]> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let pool = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| UserError::internal(format!("A thread pool could not be created: {e}.")))
    };
    Ok([("1 thread".to_owned(), pool(1)?), (format!("{all} threads"), pool(all)?)])
}
