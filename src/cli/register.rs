//! `shadowgraph register`: the pose alone, onto a nominal or onto another cloud.

use serde_json::json;

use super::arguments::Register;
use super::console::Console;
use crate::base::{Progress, Result, UserError};
use crate::compute::registration::Target;
use crate::dispatch::{Command, Context, Dispatcher};
use crate::geometry::{Pose, SearchablePoints, transform};
use crate::inspect::alignment::automatic::PreparedScan;
use crate::inspect::alignment::{Alignment, Method, best_fit};
use crate::inspect::cleaning::normals_of;
use crate::io::{LoadOptions, load_scan};
use crate::report::summary;

/// Runs it; returns the exit code.
pub fn run(arguments: &Register, json: bool, context: &Context) -> Result<i32> {
    let console = Console::new();
    let progress = console.progress();
    let started = std::time::Instant::now();
    if arguments.compare_searches {
        return compare_searches(arguments, json, context, &console, &progress);
    }
    let alignment = if is_cloud(arguments, context) {
        onto_cloud(arguments, context, &console, &progress)
    } else {
        onto_surface(arguments, context, &console, &progress)
    };
    console.done();
    let alignment = alignment?;
    if let Some(path) = &arguments.out {
        let text = transform::pose_text(&alignment.nominal_from_scan);
        crate::io::atomic::write_bytes(path, text.as_bytes())?;
    }
    if json {
        super::print_json(&json!({
            "schema": "shadowgraph.registration/1",
            "backend": context.backend.device(),
            "alignment": summary::alignment_json(&alignment),
            "total_ms": started.elapsed().as_secs_f64() * 1e3,
        }))?;
    } else {
        print!("{}", transform::pose_text(&alignment.nominal_from_scan));
        console.say(&format!(
            "RMS {:.6} mm, {} iterations, {:.1} % of the points; {}.",
            alignment.rms_mm,
            alignment.iterations,
            100.0 * alignment.overlap,
            alignment.information.weakest
        ));
    }
    Ok(0)
}

/// Whether the nominal is a point cloud: what the nominal reader refuses but the scan reader takes without facets.
fn is_cloud(arguments: &Register, context: &Context) -> bool {
    let options = options(arguments, context);
    let named = crate::io::format::Format::of_name(&arguments.nominal);
    matches!(named, Ok(format) if !matches!(format, crate::io::format::Format::Step | crate::io::format::Format::Iges))
        && load_scan(&arguments.nominal, &options, &Progress::silent()).is_ok_and(|scan| scan.mesh.is_none())
}

fn options(arguments: &Register, context: &Context) -> LoadOptions {
    LoadOptions { unit: arguments.units, columns: None, cad: context.cad.clone() }
}

fn start(arguments: &Register) -> Result<Option<Pose>> {
    arguments.pose.as_deref().map(super::inspect::read_pose).transpose()
}

fn parameters(arguments: &Register) -> best_fit::Parameters {
    best_fit::Parameters {
        trim: arguments.trim,
        max_distance_mm: arguments.max_distance_mm,
        ..best_fit::Parameters::default()
    }
}

fn onto_surface(arguments: &Register, context: &Context, console: &Console, progress: &Progress) -> Result<Alignment> {
    let dispatcher = aligned(arguments, context, console, progress)?;
    let alignment = dispatcher.document.alignment.as_deref().cloned();
    alignment.ok_or_else(|| UserError::internal("The alignment left no result."))
}

/// Shows what each search costs on this scan, from where it is aligned.
fn compare_searches(
    arguments: &Register,
    json: bool,
    context: &Context,
    console: &Console,
    progress: &Progress,
) -> Result<i32> {
    let mut dispatcher = aligned(arguments, context, console, progress)?;
    let compared = dispatcher.run_now(Command::CompareSearches, progress);
    console.done();
    compared?;
    let comparison = dispatcher.document.searches;
    let comparison = comparison.ok_or_else(|| UserError::internal("The comparison left no result."))?;
    if json {
        super::print_json(&json!({ "schema": "shadowgraph.searches/1", "searches": *comparison }))?;
        return Ok(0);
    }
    console.say(&format!(
        "{} points of the scan on {} of the nominal; tree {:.1} ms, Delaunay graph {:.0} ms.",
        comparison.sensed, comparison.truth, comparison.tree_ms, comparison.graph_ms
    ));
    println!(
        "{:32} {:5} {:>11} {:>11} {:>10} {:>11} {:>9}",
        "search", "on", "ms", "iterations", "rms mm", "apart mm", "stood on"
    );
    for row in &comparison.rows {
        let visited = row.mean_visited.map_or_else(String::new, |visited| format!("{visited:.2}"));
        println!(
            "{:32} {:5} {:>11.2} {:>11} {:>10.4} {:>11.1e} {:>9}",
            row.search,
            row.device.kind.name(),
            row.total_ms,
            row.iterations,
            row.rms_mm,
            row.apart_mm,
            visited
        );
    }
    Ok(0)
}

/// Both files open, and aligned as asked.
fn aligned(arguments: &Register, context: &Context, console: &Console, progress: &Progress) -> Result<Dispatcher> {
    let mut dispatcher = Dispatcher::new(context.clone());
    dispatcher.document.settings.best_fit = parameters(arguments);
    dispatcher.run_now(Command::OpenNominal { path: arguments.nominal.clone(), unit: arguments.units }, progress)?;
    let paths = vec![arguments.scan.clone()];
    dispatcher.run_now(Command::OpenScans { paths, unit: arguments.units, columns: None }, progress)?;
    let mut method = arguments.align;
    if let Some(pose) = start(arguments)? {
        dispatcher.run_now(Command::SetPose(pose), progress)?;
        method = if method == Method::Auto { Method::BestFit } else { method };
    }
    dispatcher.run_now(Command::Align(method), progress)?;
    dispatcher.messages.iter().for_each(|message| console.say(&message.text));
    Ok(dispatcher)
}

fn onto_cloud(arguments: &Register, context: &Context, console: &Console, progress: &Progress) -> Result<Alignment> {
    let options = options(arguments, context);
    let nominal = load_scan(&arguments.nominal, &options, progress)?;
    let scan = load_scan(&arguments.scan, &options, progress)?;
    nominal.notes.iter().chain(&scan.notes).for_each(|note| console.say(note));
    let start = start(arguments)?.unwrap_or_else(Pose::identity);
    match arguments.align {
        Method::None => return Ok(Alignment::given(start)),
        Method::Auto => console.say("Two clouds have no automatic start: best fit from the given pose."),
        Method::BestFit => {}
    }
    let searchable = SearchablePoints::new(&nominal.cloud.points);
    let nominal_normals = normals_of(context.backend.as_ref(), &nominal.cloud, &searchable, progress)?;
    let prepared = PreparedScan::new(&scan.cloud);
    let problem = best_fit::Problem {
        target: Target::Cloud { points: &nominal.cloud.points, tree: searchable.tree(), normals: &nominal_normals },
        bounds: nominal.cloud.bounds(),
        points: &prepared.ordered,
        normals: &[],
        oriented: false,
    };
    // A small object in a large scene must not be matched across the scene.
    let reach = 0.1 * nominal.cloud.bounds().diagonal().min(scan.cloud.bounds().diagonal());
    let gate_mm = arguments.max_distance_mm.unwrap_or(reach);
    best_fit::run_from_gate(
        context.backend.as_ref(),
        &problem,
        &start,
        &parameters(arguments),
        gate_mm,
        progress,
        &mut |_, _| (),
    )
}
