//! `shadowgraph inspect --plan`: measures many parts by one plan.

use std::path::Path;
use std::time::Instant;

use serde_json::json;

use super::arguments::Inspect;
use super::console::Console;
use crate::output::outln;
use base::Result;
use dispatch::Context;
use dispatch::series::{SeriesRequest, SeriesResult, count_of, measure, summary};
use inspect::deviation::Verdict;
use report::series::trends;
use session::plan::Plan;
use session::series::{Part, PartRecord};

/// Runs it; returns the exit code.
pub fn run(plan: &Path, arguments: &Inspect, json: bool, context: &Context) -> Result<i32> {
    let (console, started) = (Console::new(), Instant::now());
    let (mut plan, notes) = Plan::load(plan)?;
    super::inspect::choose_contents(arguments, &mut plan.presentation.report);
    if arguments.template.is_some() {
        plan.presentation.template.clone_from(&arguments.template);
    }
    notes.iter().for_each(|note| console.say(note));
    let parts = match (&arguments.list, arguments.parts.as_slice()) {
        (Some(list), _) => Part::listed(list)?,
        (None, [folder]) if folder.is_dir() => Part::of_path(folder)?,
        (None, files) => Part::of_files(files),
    };
    let request = SeriesRequest {
        plan: &plan,
        parts: &parts,
        folder: &arguments.out,
        reports: arguments.reports.into(),
        info: &super::inspect::report_info(arguments),
        pictures: !arguments.no_pictures,
        resumes: arguments.resume,
        at_once: arguments.jobs.map(usize::from),
    };
    let measured = measure(&request, context, &console.progress());
    console.done();
    let SeriesResult { records, taken_over, notes } = measured?;
    notes.iter().for_each(|note| console.say(note));
    let seconds = started.elapsed().as_secs_f64();
    let unread: Vec<&PartRecord> = records.iter().filter(|own| own.error.is_some()).collect();
    for record in &unread {
        eprintln!("{}: {}", record.part, record.error.as_deref().unwrap_or_default());
    }
    let per_minute = (records.len() > taken_over).then(|| 60.0 * (records.len() - taken_over) as f64 / seconds);
    let [pass, fail, incomplete] =
        [Verdict::Pass, Verdict::Fail, Verdict::Incomplete].map(|verdict| count_of(&records, verdict));
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.series/1",
            "software": report::software(),
            "parts": records,
            "statistics": trends(&records),
            "pass": pass,
            "fail": fail,
            "incomplete": incomplete,
            "not_measured": unread.len(),
            "taken_over": taken_over,
            "seconds": seconds,
            "parts_per_minute": per_minute,
        }))?;
    } else {
        let rate = per_minute.map(|own| format!(", {own:.1} parts per minute")).unwrap_or_default();
        outln!("{}\n{seconds:.1} s{rate}", summary(&records, taken_over, &arguments.out));
    }
    Ok(match (unread.is_empty(), fail, incomplete) {
        (false, ..) => 3,
        (_, 1.., _) if arguments.fail_on_out_of_tolerance => 4,
        (_, 0, 1..) if arguments.fail_on_out_of_tolerance => 6,
        _ => 0,
    })
}
