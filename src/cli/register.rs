//! `shadowgraph register`: registers a scan to a nominal or to another point cloud.

mod answer;
mod comparison;
mod files;
mod options;
mod search;

use serde_json::json;

use super::console::Console;
use crate::output::out;
use answer::{Convergence, pose_json, stop_key, stop_words, text};
use base::Result;
use dispatch::Context;
use files::Files;
use geometry::{Pose, transform};
pub use options::Register;
use report::summary;

/// Runs it; returns the exit code.
pub fn run(arguments: &Register, json: bool, context: &Context) -> Result<i32> {
    arguments.check()?;
    let by_search = arguments.search.map(|search| arguments.by_search(search)).transpose()?;
    let console = Console::new();
    let progress = console.progress();
    let started = std::time::Instant::now();
    let mut files = Files::open(arguments, context, &console, &progress.part(0.0, 0.3))?;
    let progress = progress.part(0.3, 1.0);
    if let Some(parameters) = by_search {
        return search::run(&parameters, &mut files, arguments, json, context, (&console, &progress));
    }
    if arguments.compare_searches {
        let comparison = files.compare(arguments, context, &progress);
        console.done();
        files.say(&console);
        return comparison::print(&comparison?, json, &console);
    }
    let aligned = files.align(arguments, context, &progress);
    console.done();
    files.say(&console);
    let (alignment, history_mm2) = aligned?;
    write_pose(arguments, &alignment.nominal_from_scan)?;
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.registration/1",
            "backend": context.backend.device(),
            "alignment": summary::alignment_json(&alignment),
            "pose": pose_json(&alignment.nominal_from_scan),
            "stop": stop_key(alignment.stop),
            "iterations": alignment.iterations,
            "mse_history_mm2": history_mm2,
            "total_ms": started.elapsed().as_secs_f64() * 1e3,
        }))?;
        return Ok(0);
    }
    let stop = stop_words(alignment.stop);
    let convergence = Convergence { iterations: alignment.iterations, stop, history_mm2: &history_mm2 };
    out!("{}", text(&alignment.nominal_from_scan, &convergence));
    console.say(&format!(
        "RMS {:.6} mm, {} iterations, {:.1} % of the points; {}.",
        alignment.rms_mm,
        alignment.iterations,
        100.0 * alignment.overlap,
        alignment.information.weakest
    ));
    alignment.remarks().iter().for_each(|remark| console.say(remark));
    Ok(0)
}

/// Writes the pose to the output file, if one is named.
fn write_pose(arguments: &Register, nominal_from_scan: &Pose) -> Result<()> {
    let Some(path) = &arguments.out else { return Ok(()) };
    io::atomic::write_bytes(path, transform::pose_text(nominal_from_scan).as_bytes())
}
