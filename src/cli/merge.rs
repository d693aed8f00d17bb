//! `shadowgraph merge`: merges snapshots at many positions of the CMM into one scan, by a calibration.

use serde_json::json;

use super::arguments::Merge;
use super::console::Console;
use crate::output::outln;
use base::Result;
use dispatch::Context;
use dispatch::merge::{MergeOptions, merge_files};
use inspect::alignment::multi_view;
use inspect::calibration::record::CalibrationRecord;

/// Runs it; returns the exit code.
pub fn run(arguments: &Merge, json: bool, context: &Context) -> Result<i32> {
    let console = Console::new();
    // With a written reason, a calibration that was edited is used too; the record says so.
    let has_reason = arguments.use_expired_because.as_ref().is_some_and(|reason| !reason.trim().is_empty());
    let issued = if has_reason {
        CalibrationRecord::read_unverified(&arguments.calibration)?
    } else {
        CalibrationRecord::read(&arguments.calibration)?
    };
    let parameters =
        multi_view::Parameters { shift_sigma_mm: arguments.placed_to_mm, turn_sigma_deg: arguments.turned_to_deg };
    let options =
        MergeOptions { reason: arguments.use_expired_because.clone(), refine: arguments.refine.then_some(parameters) };
    let (table, out, backend) = (&arguments.positions, &arguments.out, context.backend.as_ref());
    let outcome = merge_files(&issued, table, out, &options, backend, &console.progress());
    console.done();
    let merged = outcome?;
    if json {
        let (points, seams, refinement) = (&merged.counts, &merged.seams, &merged.refinement);
        super::print_json(&json!({ "points": points, "seams": seams, "refinement": refinement }))?;
    } else {
        outln!("{} points of {} snapshots", merged.cloud.points.len(), merged.counts.len());
        merged.sentences().iter().for_each(|sentence| outln!("{sentence}"));
    }
    Ok(0)
}
