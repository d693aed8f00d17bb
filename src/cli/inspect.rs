//! `shadowgraph inspect`: the complete inspection, by the same commands as the window.

use std::path::Path;

use super::arguments::Inspect;
use super::colours::ColourChoice;
use super::console::Console;
use crate::output::outln;
use base::{Result, StandardView, UserError};
use dispatch::{Align, Calibrate, Command, Context, Dispatcher, Outputs, Parts, Present, Projects, report_input};
use geometry::{Point, transform};
use inspect::alignment::Method;
use inspect::alignment::point_pairs::PointPair;
use inspect::deviation::{self, Colours, DeviationMap, OwnScale};
use io::staged_folder::StagedFolder;
use report::summary;
use session::presentation::Contents;
use session::{ReportInfo, Settings};

/// Name of the project file written next to the report, to open the inspection in the window.
pub const PROJECT: &str = "inspection.shadowgraph";

/// Runs it; returns the exit code.
pub fn run(arguments: &Inspect, json: bool, context: &Context) -> Result<i32> {
    if let Some(plan) = &arguments.plan {
        return super::inspect_parts::run(plan, arguments, json, context);
    }
    let console = Console::new();
    let mut dispatcher = Dispatcher::new(context.clone());
    let outcome = job(arguments, &mut dispatcher, &console);
    console.done();
    dispatcher.messages.iter().for_each(|message| console.say(&message.text));
    outcome?;
    let overall = session::verdict::overall(&dispatcher.document);
    let timings = dispatcher.timings_ms.clone();
    if json {
        super::print_json(&summary::of(&report_input(&dispatcher.document, &timings)?))?;
    } else if let (Some(check), Some(overall)) = (dispatcher.document.check(), &overall) {
        let stats = &check.statistics;
        let of_what = match check.measurement.map() {
            DeviationMap::Points(_) => format!("{} points", stats.count),
            DeviationMap::Facets { .. } => format!("the area of {} facets", stats.count),
        };
        outln!(
            "{}. {}\nRMS {:.4} mm, {:.2} % of {of_what} in tolerance; report in {}",
            overall.headline(),
            overall.reason(),
            stats.rms_mm,
            100.0 * stats.in_tolerance_fraction,
            arguments.out.display()
        );
    }
    Ok(super::exit_code(overall.map(|overall| overall.verdict), arguments.fail_on_out_of_tolerance))
}

fn job(arguments: &Inspect, dispatcher: &mut Dispatcher, console: &Console) -> Result<()> {
    StagedFolder::check(&arguments.out)?;
    if arguments.direction.or(arguments.in_plane).is_some() && arguments.method != deviation::Method::Closest {
        return Err(UserError::usage(
            "A direction or plane is for the method “closest”; facets are measured along their normals.",
        ));
    }
    let progress = console.progress();
    let settings = Box::new(settings_of(arguments));
    let mut send = |command: Command| dispatcher.run_now(command, &progress);
    send(dispatch::Inspect::SetSettings(settings).into())?;
    if let ColourChoice::Own(path) = &arguments.colours {
        send(Present::SetColours(Colours::default(), Some(OwnScale::read(path)?)).into())?;
    }
    let nominal = arguments.nominal.clone().ok_or_else(|| UserError::usage("Name the nominal with --nominal."))?;
    send(Parts::OpenNominal { path: nominal, unit: arguments.nominal_units }.into())?;
    send(
        Parts::OpenScans { paths: arguments.scan.clone(), unit: arguments.scan_units, columns: arguments.columns }
            .into(),
    )?;
    if !arguments.serial.is_empty() {
        send(dispatch::Inspect::IdentifyPart { serial: arguments.serial.clone() }.into())?;
    }
    if let Some(path) = &arguments.face_tolerances {
        send(dispatch::Inspect::OpenOwnTolerances(path.clone()).into())?;
    }
    for step in arguments.cleaning.steps() {
        send(Parts::CleanScan(step).into())?;
    }
    align(arguments.align, arguments.pose.as_deref(), arguments.pairs.as_deref(), &mut send)?;
    arguments.references.align(&mut send)?;
    send(dispatch::Inspect::Compare.into())?;
    arguments.surface_points.measure(arguments.tolerance_mm, &mut send)?;
    if arguments.pmi {
        send(dispatch::Tolerances::TakeFromCad { filter_mm: arguments.filter_mm }.into())?;
    }
    let mut contents = Contents::default();
    choose_contents(arguments, &mut contents);
    if contents != Contents::default() {
        send(Present::SetContents(contents).into())?;
    }
    if arguments.template.is_some() {
        send(Present::SetTemplate(arguments.template.clone()).into())?;
    }
    if let Some(file) = &arguments.calibration {
        send(Calibrate::Require(file.clone()).into())?;
    }
    let outputs = Outputs {
        timings_ms: dispatcher.timings_ms.clone(),
        pictures: !arguments.no_pictures,
        flags: true,
        project: Some(PROJECT),
        language: dispatcher.document.settings.report.language.unwrap_or_default(),
    };
    let backend = dispatcher.context.backend.as_ref();
    let edit = dispatch::write_report(&dispatcher.document, &arguments.out, &outputs, backend, &progress)?;
    edit.notes.iter().for_each(|note| console.say(note));
    if let Some(path) = &arguments.save_plan {
        dispatcher.run_now(Projects::SavePlan(path.clone()), &progress)?;
    }
    Ok(())
}

/// Aligns the scan, from a pose and from point pairs where files of them are given.
pub fn align(
    method: Method,
    pose: Option<&Path>,
    pairs: Option<&Path>,
    send: &mut impl FnMut(Command) -> Result<()>,
) -> Result<()> {
    if let Some(path) = pose {
        send(Align::SetPose(read_pose(path)?).into())?;
    }
    if let Some(path) = pairs {
        for pair in read_pairs(path)? {
            send(Align::AddPair(pair).into())?;
        }
        send(Align::ByPairs.into())?;
    }
    match (method, pose.is_some() || pairs.is_some()) {
        // The scan stays in the frame of its file.
        (Method::None, false) => send(Align::SetPose(geometry::Pose::identity()).into()),
        (Method::None, true) => Ok(()),
        (Method::Auto, true) => send(Align::Run(Method::BestFit).into()),
        (method, _) => send(Align::Run(method).into()),
    }
}

fn settings_of(arguments: &Inspect) -> Settings {
    let mut settings = Settings { align: arguments.align, ..Settings::default() };
    let deviation = &mut settings.deviation;
    deviation.method = arguments.method;
    deviation.direction = arguments.direction.or(arguments.in_plane);
    deviation.in_plane = arguments.in_plane.is_some();
    deviation.tolerance = arguments.tolerance_mm;
    deviation.max_distance_mm = arguments.max_distance_mm;
    deviation.max_angle_deg = arguments.max_angle_deg;
    deviation.max_edge_mm = arguments.max_edge_mm;
    deviation.radius_mm = arguments.radius_mm;
    deviation.min_region_mm2 = arguments.min_region_mm2;
    deviation.min_coverage = arguments.min_coverage / 100.0;
    deviation.max_outliers = arguments.max_outliers;
    deviation.clutter_distance_mm = arguments.clutter_distance_mm;
    settings.scale_mm = 3.0 * arguments.tolerance_mm.low_mm.abs().max(arguments.tolerance_mm.high_mm.abs());
    if let ColourChoice::BuiltIn(colours) = arguments.colours {
        settings.colours = colours;
    }
    settings.report = report_info(arguments);
    settings
}

/// Title block of the reports.
pub fn report_info(arguments: &Inspect) -> ReportInfo {
    ReportInfo {
        title: arguments.title.clone(),
        part_number: arguments.part_number.clone(),
        operator: arguments.operator.clone(),
        logo: arguments.logo.as_deref().map(base::absolute),
        page_size: arguments.page_size,
        language: Some(arguments.language),
        decimals: arguments.decimals,
    }
}

/// Changes sections, views and pictures of the reports to those that the arguments name, if any.
pub fn choose_contents(arguments: &Inspect, contents: &mut Contents) {
    if !arguments.report_sections.is_empty() {
        contents.choose(&arguments.report_sections);
    }
    if arguments.no_flags {
        contents.set_flags(Some(false));
    }
    if arguments.on_nominal {
        contents.set_on_nominal(true);
    }
    if !arguments.views.is_empty() {
        StandardView::ALL.into_iter().for_each(|view| contents.set_view(view, arguments.views.contains(&view)));
    }
}

/// Reads a pose, a 4x4 matrix, from a text file.
pub fn read_pose(path: &Path) -> Result<geometry::Pose> {
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    transform::parse_pose(&text).map_err(|e| e.in_file(path))
}

fn read_pairs(path: &Path) -> Result<Vec<PointPair>> {
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    let mut pairs = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        match super::arguments::numbers(line).as_deref() {
            Ok(&[a, b, c, d, e, f]) if [a, b, c, d, e, f].iter().all(|v| v.is_finite()) => {
                pairs.push(PointPair { nominal: Point::new(a, b, c), scan: Point::new(d, e, f), enabled: true });
            }
            // A header line holds no numbers.
            _ if i == 0 && line.split(',').all(|word| word.trim().parse::<f64>().is_err()) => {}
            _ => {
                return Err(UserError::input(format!(
                    "{}, line {}: six numbers separated by commas were expected (nominal x, y, z, scan x, y, z).",
                    path.display(),
                    i + 1
                )));
            }
        }
    }
    Ok(pairs)
}
