//! `shadowgraph tolerances`: evaluates the tolerances of a drawing on measured features, by the same commands as the
//! window.

use serde_json::{Value, json};

use super::arguments::Tolerances;
use super::console::Console;
use crate::output::{out, outln};
use base::{LengthUnit, Progress, Result, UserError, capitalised, text_table};
use dispatch::{Align, Command, Context, Dispatcher, Parts, Select};
use geometry::subset::{Combine, Subset};
use geometry::{Point, Pose};
use inspect::features::{Element, Kind, Objective};
use inspect::recipe::Product as _;
use inspect::tolerances::common::split;
use inspect::tolerances::coverage::SeenFace;
use inspect::tolerances::{Judged, Tolerance};
use io::region_table;
use io::xyz::Columns;
use session::Document;
use session::selection::Selectable;

/// Runs it; returns the exit code.
pub fn run(arguments: &Tolerances, json: bool, context: &Context) -> Result<i32> {
    if arguments.clip_sigmas.is_some_and(|sigmas| !(sigmas > 0.0)) {
        return Err(UserError::usage("The outlier limit must be above 0 standard deviations."));
    }
    let console = Console::new();
    let mut dispatcher = Dispatcher::new(context.clone());
    let done = job(arguments, &mut dispatcher, &console);
    console.done();
    dispatcher.messages.iter().for_each(|message| console.say(&message.text));
    done?;
    let document = &dispatcher.document;
    let Some(judgement) = document.judgement() else {
        return Err(UserError::internal("The tolerances were not judged."));
    };
    let rows: Vec<(&Tolerance, std::result::Result<&Judged, &String>)> =
        document.tolerances().map(|(_, own)| &own.asked).zip(judgement.iter().map(|own| own.as_ref())).collect();
    if json {
        super::print_json(&answer(arguments, document, &rows))?;
    } else {
        let cells = rows.iter().map(|(tolerance, result)| match result {
            Ok(judged) => {
                let fit = tolerance.fit.as_ref().map(|fit| format!(" ({fit})")).unwrap_or_default();
                let limits = judged.limits_text() + &fit;
                vec![tolerance.title(), judged.measured_text(), limits, judged.words().to_owned()]
            }
            Err(_) => vec![tolerance.title(), "–".to_owned(), "–".to_owned(), "not judged".to_owned()],
        });
        let titles = ["tolerance", "measured", "limit", "verdict"];
        out!("{}", text_table::aligned(&titles, &cells.collect::<Vec<_>>()));
        for (tolerance, judged) in rows.iter().filter_map(|(tolerance, result)| Some((tolerance, result.ok()?))) {
            outln!("{}: {}", tolerance.title(), judged.reading);
            for said in [&judged.preparation, &judged.rejected].into_iter().filter(|own| !own.is_empty()) {
                outln!("{}: {}.", tolerance.title(), capitalised(said));
            }
            let faces: Vec<String> = judged.faces.iter().map(SeenFace::words).collect();
            if !faces.is_empty() {
                outln!("{}: {}.", tolerance.title(), faces.join("; "));
            }
            if !judged.incomplete.is_empty() {
                outln!("{}: {}", tolerance.title(), judged.incomplete);
            }
        }
    }
    let unjudged: Vec<&str> = rows.iter().filter_map(|(_, result)| result.err().map(String::as_str)).collect();
    unjudged.iter().for_each(|sentence| eprintln!("{sentence}"));
    let verdicts = rows.iter().filter_map(|(_, result)| result.ok()?.verdict());
    let verdict = verdicts.reduce(inspect::verdict::Verdict::and);
    // An undecided value that is out of its limits is no proven fail.
    Ok(match (super::exit_code(verdict, arguments.fail_on_out_of_tolerance), unjudged.is_empty()) {
        (4, _) => 4,
        (_, false) => 3,
        (code, true) => code,
    })
}

fn job(arguments: &Tolerances, dispatcher: &mut Dispatcher, console: &Console) -> Result<()> {
    let progress = console.progress();
    dispatcher.run_now(dispatch::Tolerances::Open(arguments.plan.clone()), &progress)?;
    state_options(arguments, dispatcher, &progress)?;
    let rows = region_table::read(&arguments.features)?;
    let columns = Columns { xyz: [1, 2, 3], ..Columns::default() };
    let (paths, unit) = (vec![arguments.features.clone()], Some(LengthUnit::Mm));
    dispatcher.run_now(Parts::OpenScans { paths, unit, columns: Some(columns) }, &progress)?;
    let read = dispatcher.document.actual().map_or(0, |actual| actual.cloud.points.len());
    if read != rows.len() {
        return Err(UserError::input(format!(
            "{}: {} rows name a feature, but {read} points were read; remove comments from the rows.",
            arguments.features.display(),
            rows.len()
        )));
    }
    let mut features: Vec<(String, Vec<u32>)> = Vec::new();
    for (index, name) in (0_u32..).zip(rows.into_iter().map(|row| row.region)) {
        match features.iter_mut().find(|(own, _)| *own == name) {
            Some((_, indices)) => indices.push(index),
            None => features.push((name, vec![index])),
        }
    }
    if let Some((name, _)) = arguments.fit.iter().find(|(name, _)| features.iter().all(|(own, _)| own != name)) {
        let names: Vec<&str> = features.iter().map(|(name, _)| name.as_str()).collect();
        return Err(UserError::usage(format!(
            "--fit names “{name}”, but {} holds: {}.",
            arguments.features.display(),
            names.join(", ")
        )));
    }
    for (name, indices) in features {
        let Some(kind) = kind_of(&name, arguments, &dispatcher.document) else {
            if is_named(&name, &dispatcher.document) {
                return Err(UserError::usage(format!(
                    "The kind of feature “{name}” is not known: state it, for example --fit \"{name}=plane\", or give \
                     its nominal in the plan."
                )));
            }
            console.say(&format!("“{name}” is left out: the plan does not name it."));
            continue;
        };
        dispatcher.run_now(Select::Numbers(Selectable::Points, Subset::new(indices), Combine::Replace), &progress)?;
        dispatcher.run_now(Select::Name(Selectable::Points, name.clone()), &progress)?;
        let fit = Command::Features(dispatch::Features::Fit {
            kind,
            objective: Objective::Gaussian,
            robust: false,
            clip_sigmas: arguments.clip_sigmas,
        });
        dispatcher.run_now(fit, &progress).map_err(|error| error.about(&format!("“{name}”")))?;
    }
    faces(arguments, dispatcher, &progress)?;
    dispatcher.run_now(dispatch::Tolerances::Judge, &progress)
}

/// States filters and the removal of outliers in the form tolerances that do not state their own, and the minimum coverage
/// in all that do not.
fn state_options(arguments: &Tolerances, dispatcher: &mut Dispatcher, progress: &Progress) -> Result<()> {
    let Tolerances { filter_upr, filter_mm, outlier_sigmas, min_coverage, .. } = *arguments;
    if filter_upr.is_none() && filter_mm.is_none() && outlier_sigmas.is_none() && min_coverage.is_none() {
        return Ok(());
    }
    let mut plan = dispatcher.document.asked();
    for own in &mut plan.tolerances {
        own.min_coverage = own.min_coverage.or(min_coverage);
    }
    for own in plan.tolerances.iter_mut().filter(|own| own.is_form()) {
        own.outlier_sigmas = own.outlier_sigmas.or(outlier_sigmas);
        if own.filter_upr.is_none() && own.filter_mm.is_none() {
            own.filter_upr = filter_upr.filter(|_| own.characteristic.takes_undulations());
            own.filter_mm = filter_mm.filter(|_| own.filter_upr.is_none());
        }
    }
    dispatcher.run_now(dispatch::Tolerances::Set(Box::new(plan)), progress)
}

/// Sets the nominals of features by faces of the CAD.
fn faces(arguments: &Tolerances, dispatcher: &mut Dispatcher, progress: &Progress) -> Result<()> {
    let Some(path) = &arguments.nominal else { return Ok(()) };
    dispatcher.run_now(Parts::OpenNominal { path: path.clone(), unit: None }, progress)?;
    dispatcher.run_now(Align::SetPose(Pose::identity()), progress)?;
    for (name, point) in &arguments.face {
        let nominal = dispatcher.document.nominal();
        let closest = nominal.and_then(|nominal| nominal.surface.closest_point(&Point::from(*point), f64::INFINITY));
        let facet = closest.ok_or_else(|| UserError::input("The nominal has no facets."))?.facet;
        let facet = Subset::new(vec![facet]);
        dispatcher.run_now(Select::Numbers(Selectable::Facets, facet, Combine::Replace), progress)?;
        dispatcher.run_now(Select::WholeFaces, progress)?;
        let outcome = dispatcher.run_now(dispatch::Features::NominalFromFacets(name.clone()), progress);
        outcome.map_err(|error| error.about(&format!("“{name}”")))?;
    }
    Ok(())
}

/// The kind of a feature: from the options, else that of its nominal.
fn kind_of(name: &str, arguments: &Tolerances, document: &Document) -> Option<Kind> {
    let requested = arguments.fit.iter().find(|(own, _)| own == name).map(|(_, kind)| *kind);
    let nominal = || match document.asked().nominals.get(name)? {
        Element::Shape(shape) => Some(shape.kind()),
        Element::Point(_) => None,
    };
    requested.or_else(nominal)
}

/// Whether the plan refers to a feature.
fn is_named(name: &str, document: &Document) -> bool {
    let plan = document.asked();
    let is_datum = |datum: &String| datum == name || split(datum).contains(&name);
    let refers = |tolerance: &Tolerance| tolerance.feature == name || tolerance.datums.iter().any(is_datum);
    plan.datums.values().any(|feature| feature == name) || plan.tolerances.iter().any(refers)
}

fn answer(
    arguments: &Tolerances,
    document: &Document,
    rows: &[(&Tolerance, std::result::Result<&Judged, &String>)],
) -> Value {
    let features: Vec<Value> = document
        .features()
        .into_iter()
        .filter_map(|feature| Some((feature.name, feature.made?.fit()?)))
        .map(|(name, fit)| json!({ "name": name, "fit": **fit, "dropped": fit.dropped.len() }))
        .collect();
    let tolerances: Vec<Value> = rows
        .iter()
        .map(|(tolerance, result)| match result {
            Ok(judged) => json!({ "tolerance": tolerance, "words": judged.words(), "judged": judged }),
            Err(sentence) => json!({ "tolerance": tolerance, "words": "not judged", "error": sentence }),
        })
        .collect();
    json!({
        "schema": "shadowgraph.tolerances/1",
        "software": report::software(),
        "points": arguments.features.to_string_lossy(),
        "plan": arguments.plan.to_string_lossy(),
        "features": features,
        "tolerances": tolerances,
    })
}
