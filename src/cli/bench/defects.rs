//! `bench defects`: parts with and without defects: whether a defect beyond what the headline states as detectable ever
//! gets an unqualified PASS, and how often sound parts do not.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::{Value, json};

use super::super::arguments::Bench;
use super::poses;
use base::Result;
use inspect::deviation::trials::views::{self, VIEWS};
use inspect::deviation::trials::{self, Kind, NOISE_SHARES, Outcome, POINTS, SIZES, Said, TrialPart, shapes};
use inspect::surface_points::trials::coverage;

/// Share of sound parts that may FAIL: the error rate of the verdict.
const MAX_FALSE_FAILS: f64 = 1e-3;
/// Share of sound parts that must get an unqualified PASS, in full scans and in those of the simulated sensor.
const MIN_PASSES: f64 = 0.95;
/// Numbers of points of the scans of the simulated sensor.
const VIEW_POINTS: [usize; 3] = [15_000, 40_000, 100_000];
/// Correlation lengths of the noise about surface points, mm, and the share of its variance that is correlated.
const CORRELATION_MM: [f64; 3] = [0.0, 3.0, 10.0];
const CORRELATED_SHARE: f64 = 0.8;
/// Draws for each scan with surface points, of which it has nine.
const DRAWS_PER_SCAN: usize = 25;
/// Draws for each scan of the simulated sensor.
const DRAWS_PER_VIEW: usize = 20;

/// Runs it.
pub fn run(arguments: &Bench) -> Result<Value> {
    let parts = parts_of(arguments)?;
    let mut rows = Vec::new();
    let mut holds = true;
    if arguments.only.as_deref().is_none_or(|only| only == "defects") {
        let outcomes = trials::run_all(&parts, 0..arguments.draws as u64)?;
        rows.extend(by_noise(&outcomes));
        rows.extend(by_kind(&outcomes));
        let (row, own) = overall(&parts, &outcomes);
        rows.push(row);
        holds &= own;
    }
    if arguments.only.as_deref().is_none_or(|only| only == "views") {
        let (row, own) = by_views(&parts, arguments.draws.div_ceil(DRAWS_PER_VIEW))?;
        rows.push(row);
        holds &= own;
    }
    if arguments.only.as_deref().is_none_or(|only| only == "points") {
        for length_mm in CORRELATION_MM {
            let (row, own) = of_points(length_mm, arguments.draws)?;
            rows.push(row);
            holds &= own;
        }
    }
    Ok(json!({
        "schema": "shadowgraph.bench/1",
        "suite": "defects",
        "parts": parts.iter().map(|part| part.name.as_str()).collect::<Vec<_>>(),
        "kinds": Kind::count(),
        "rows": rows,
        "holds": holds,
    }))
}

/// How often the uncertainty of surface points covers their errors.
fn of_points(length_mm: f64, draws: usize) -> Result<(Value, bool)> {
    let found = coverage(length_mm, CORRELATED_SHARE, draws.div_ceil(DRAWS_PER_SCAN) as u64)?;
    let share = found.covered as f64 / found.points.max(1) as f64;
    // Three standard deviations of so many draws are allowed for.
    let margin = 3.0 * (0.05 * 0.95 / found.points.max(1) as f64).sqrt();
    let row = json!({
        "case": format!("surface points, noise correlated over {length_mm} mm"),
        "points": found.points,
        "covered": share,
        "mean_uncertainty_mm": found.mean_mm,
        "wrong_verdicts_5_um_from_a_limit": found.wrong,
        "in_doubt": found.in_doubt,
    });
    Ok((row, (0.93 - margin..=0.97 + margin).contains(&share)))
}

/// Simple shapes, and the parts of `--parts`.
fn parts_of(arguments: &Bench) -> Result<Vec<TrialPart>> {
    let mut parts = shapes::all();
    if !arguments.parts.is_empty() {
        for part in poses::parts_of(arguments)? {
            parts.push(TrialPart::scaled(&part.name, part.surface.mesh().clone()));
        }
    }
    Ok(parts)
}

fn count(all: &[&Outcome], is: impl Fn(&Outcome) -> bool) -> usize {
    all.iter().filter(|own| is(own)).count()
}

/// Figures of some draws.
fn row(case: String, all: &[&Outcome]) -> Value {
    let is_detectable = |own: &Outcome| SIZES.get(own.draw.size).is_some_and(|size| *size >= 1.0);
    let said = |wanted: Said| move |own: &Outcome| is_detectable(own) && own.defective == Some(wanted);
    json!({
        "case": case,
        "draws": all.len(),
        "sound_passes": count(all, |own| own.sound == Said::Passes),
        "sound_passes_qualified": count(all, |own| own.sound == Said::PassesQualified),
        "sound_incomplete": count(all, |own| own.sound == Said::Incomplete),
        "sound_fails": count(all, |own| own.sound == Said::Fails),
        "detectable_defects": count(all, |own| is_detectable(own) && own.defective.is_some()),
        "detectable_fails": count(all, said(Said::Fails)),
        "detectable_incomplete": count(all, said(Said::Incomplete)),
        "detectable_passes_qualified": count(all, said(Said::PassesQualified)),
        "detectable_passes": count(all, Outcome::is_missed),
        "smaller_defects": count(all, |own| !is_detectable(own) && own.defective.is_some()),
        "smaller_passes": count(all, |own| !is_detectable(own) && own.defective == Some(Said::Passes)),
        "no_room": count(all, |own| own.defective.is_none()),
    })
}

fn by_noise(outcomes: &[Outcome]) -> Vec<Value> {
    let mut groups = BTreeMap::<_, Vec<&Outcome>>::new();
    for own in outcomes {
        groups.entry((own.draw.points, own.draw.noise, own.draw.form.name())).or_default().push(own);
    }
    let row = |((points, noise, form), all): ((usize, usize, &str), Vec<&Outcome>)| {
        let points = POINTS.get(points).copied().unwrap_or_default();
        let percent = 100.0 * NOISE_SHARES.get(noise).copied().unwrap_or_default();
        row(format!("{points} points, noise of {percent:.0} % of the limit, {form}"), &all)
    };
    groups.into_iter().map(row).collect()
}

fn by_kind(outcomes: &[Outcome]) -> Vec<Value> {
    let mut groups = BTreeMap::<_, Vec<&Outcome>>::new();
    for own in outcomes {
        groups.entry(own.draw.kind.name()).or_default().push(own);
    }
    groups.into_iter().map(|(name, all)| row(name, &all)).collect()
}

/// All draws, what was wrong among them, and whether the promises hold.
fn overall(parts: &[TrialPart], outcomes: &[Outcome]) -> (Value, bool) {
    let all: Vec<&Outcome> = outcomes.iter().collect();
    let mut total = row("all".to_owned(), &all);
    let name = |own: &Outcome| parts.get(own.draw.part).map_or("", |part| part.name.as_str()).to_owned();
    let missed: Vec<String> = all
        .iter()
        .filter(|own| own.is_missed())
        .map(|own| format!("draw {}: {} on {}, {:?}", own.draw.number, own.draw.kind.name(), name(own), own.draw))
        .collect();
    let doubted: Vec<String> = all
        .iter()
        .filter(|own| own.sound != Said::Passes)
        .map(|own| format!("draw {} on {}, {}: {}", own.draw.number, name(own), own.draw.form.name(), own.sound_why))
        .collect();
    let fails = count(&all, |own| own.sound == Said::Fails);
    let passes = count(&all, |own| own.sound == Said::Passes);
    // A single one among few draws is within the error rate.
    let may_fail = (MAX_FALSE_FAILS * all.len() as f64).ceil() as usize;
    let holds = missed.is_empty() && fails <= may_fail && passes as f64 >= MIN_PASSES * all.len() as f64;
    if let Some(own) = total.as_object_mut() {
        own.insert("missed".to_owned(), json!(missed));
        own.insert("doubted".to_owned(), json!(doubted));
    }
    (total, holds)
}

/// Sound parts, and the same with a dark hole, in scans of the simulated sensor.
fn by_views(parts: &[TrialPart], draws: usize) -> Result<(Value, bool)> {
    let one = |index: usize| {
        let part = parts.get(index % parts.len().max(1));
        let points = VIEW_POINTS.get(index / parts.len().max(1) % VIEW_POINTS.len()).copied().unwrap_or_default();
        part.map(|part| Ok((part, points, views::run(part, points, index as u64 + 1)?)))
    };
    let all: Vec<_> = (0..draws).into_par_iter().filter_map(one).collect::<Result<_>>()?;
    let number = |wanted: Said| all.iter().filter(|(_, _, outcome)| outcome.sound == wanted).count();
    let holed = |wanted: Said| all.iter().filter(|(_, _, outcome)| outcome.with_hole == Some(wanted)).count();
    let doubted: Vec<String> = all
        .iter()
        .filter(|(_, _, outcome)| outcome.sound != Said::Passes)
        .map(|(part, points, outcome)| format!("{}, {points} points: {}", part.name, outcome.why))
        .collect();
    let passes = number(Said::Passes);
    let row = json!({
        "case": format!("parts scanned from {VIEWS} directions, sound and with a dark hole"),
        "draws": all.len(),
        "sound_passes": passes,
        "sound_passes_qualified": number(Said::PassesQualified),
        "sound_incomplete": number(Said::Incomplete),
        "sound_fails": number(Said::Fails),
        "holes": all.iter().filter(|(_, _, outcome)| outcome.with_hole.is_some()).count(),
        "holes_pass": holed(Said::Passes),
        "doubted": doubted,
    });
    Ok((row, passes as f64 >= MIN_PASSES * all.len() as f64 && holed(Said::Passes) == 0))
}
