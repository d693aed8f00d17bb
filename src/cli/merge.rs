//! `shadowgraph merge`: snapshots of many positions of the CMM into one scan, by a calibration.

use serde_json::json;

use super::arguments::Merge;
use super::console::Console;
use crate::base::Result;
use crate::dispatch::merge::{merge_files, seams_in_words};
use crate::report::certificate::Issued;

/// Runs it; returns the exit code.
pub fn run(arguments: &Merge, json: bool) -> Result<i32> {
    let console = Console::new();
    let issued = Issued::read(&arguments.calibration)?;
    let reason = arguments.use_expired_because.as_deref();
    let outcome = merge_files(&issued, &arguments.positions, &arguments.out, reason, &console.progress());
    console.done();
    let merged = outcome?;
    if json {
        super::print_json(&json!({ "points": merged.counts, "seams": merged.seams }))?;
    } else {
        println!("{} points of {} snapshots", merged.cloud.points.len(), merged.counts.len());
        println!("{}", seams_in_words(&merged));
    }
    Ok(0)
}
