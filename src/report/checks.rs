//! Report blocks of the checks other than the current comparison and the tolerances.

use std::sync::Arc;

use super::content::ReportBlock;
use base::decimals;
use inspect::calibration::recipe::CalibrationStatus;
use inspect::deviation::Check;
use inspect::features::measured::MeasuredFeature;
use inspect::recipe::{Figure, Product};
use inspect::tolerances::measure::Measure;
use session::Document;
use session::pipeline::State;
use session::plan::{Element, Recipe};
use session::presentation::ReportSection;

/// Results of the comparisons other than the current one; `None` if there are none.
pub(super) fn other_comparisons(document: &Document) -> Option<ReportBlock> {
    let others = document.comparisons().filter(|element| document.active.comparison != Some(element.id));
    let rows: Vec<(String, String)> = others
        .map(|element| {
            let is_fresh = document.state(element.id) == State::Fresh;
            let check = document.result::<Check>(Some(element.id)).filter(|_| is_fresh);
            let outcome = check.map_or_else(
                || "no up-to-date result".to_owned(),
                |check| format!("{}. {}", check.judgement.headline(), check.judgement.reason),
            );
            (element.name.clone(), outcome)
        })
        .collect();
    (!rows.is_empty()).then(|| ReportBlock {
        section: ReportSection::Comparisons,
        title: "Other comparisons".to_owned(),
        rows,
    })
}

/// The calibrations of the sensor that the plan requires; `None` if it requires none.
pub(super) fn calibrations(document: &Document) -> Option<ReportBlock> {
    let calibrations = document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Calibration(_)));
    let row = |element: &Arc<Element>| {
        let status = document.result::<CalibrationStatus>(Some(element.id));
        let said = match (document.state(element.id), status) {
            (State::Fresh, Some(status)) => Product::sentences(status).join(" "),
            (State::Failed(sentence), _) => sentence,
            _ => "no up-to-date result".to_owned(),
        };
        (element.name.clone(), said)
    };
    let rows: Vec<(String, String)> = calibrations.map(row).collect();
    (!rows.is_empty()).then(|| ReportBlock { section: ReportSection::Calibration, title: "Sensor".to_owned(), rows })
}

/// Measured features with their figures and expanded uncertainties (k = 2); `None` if there are none.
pub(super) fn features(document: &Document) -> Option<ReportBlock> {
    let features = document.plan.elements().iter().filter(|own| own.recipe.is_feature());
    let pose = document.nominal_from_scan();
    let rows = |element: &Arc<Element>| {
        let made = document.stage().results.made(element.id);
        let is_fresh = document.state(element.id) == State::Fresh;
        let feature = document.result::<MeasuredFeature>(Some(element.id)).filter(|_| is_fresh);
        let said = match (document.state(element.id), made) {
            (State::Fresh, Some(made)) if made.figures.is_empty() => made.sentences.join(" "),
            (State::Fresh, Some(made)) => made.figures.iter().map(words).collect::<Vec<_>>().join(", "),
            (State::Failed(sentence), _) => sentence,
            _ => "no up-to-date result".to_owned(),
        };
        let notes = feature.into_iter().flat_map(|own| own.notes(&pose)).map(|note| (String::new(), note));
        std::iter::once((element.name.clone(), said)).chain(notes).collect::<Vec<_>>()
    };
    let rows: Vec<(String, String)> = features.flat_map(rows).collect();
    let block =
        |rows| ReportBlock { section: ReportSection::Measures, title: "Features, ± U (k = 2)".to_owned(), rows };
    (!rows.is_empty()).then(|| block(rows))
}

/// E.g. “radius 4.0021 ± 0.0008 mm”.
fn words(figure: &Figure) -> String {
    // Without a unit it is a count.
    let measured = digits_of(figure);
    let digits = if figure.unit.is_empty() { 0 } else { measured };
    let uncertainty = figure.uncertainty.map(|expanded| format!(" ± {expanded:.measured$}")).unwrap_or_default();
    format!("{} {:.digits$}{uncertainty}{}", figure.name, figure.value, figure.unit_after())
}

/// Decimals of a measured figure.
fn digits_of(figure: &Figure) -> usize {
    if figure.unit == "mm" { decimals(4) } else { 4 }
}

/// Measured distances and angles, with expanded uncertainties (k = 2) and limits; `None` if there are none.
pub(super) fn measures(document: &Document) -> Option<ReportBlock> {
    let mut rows = Vec::new();
    for element in document.plan.elements() {
        let Recipe::Measure(recipe) = &element.recipe else { continue };
        let fresh = document.result::<Measure>(Some(element.id)).filter(|_| document.state(element.id) == State::Fresh);
        let Some(measure) = fresh else {
            rows.push((element.name.clone(), "no up-to-date result".to_owned()));
            continue;
        };
        let figure = &measure.figure;
        let unit = figure.unit_after();
        let digits = digits_of(figure);
        let uncertainty = figure.uncertainty.map(|expanded| format!(" ± {expanded:.digits$}")).unwrap_or_default();
        let limits = match (figure.lower, figure.upper) {
            (Some(lower), Some(upper)) => format!(", limits {lower:.digits$} to {upper:.digits$}{unit}"),
            (Some(lower), None) => format!(", lower limit {lower:.digits$}{unit}"),
            (None, Some(upper)) => format!(", upper limit {upper:.digits$}{unit}"),
            (None, None) => String::new(),
        };
        let verdict = measure.words().map(|words| format!("{words}: ")).unwrap_or_default();
        rows.push((element.name.clone(), format!("{verdict}{:.digits$}{uncertainty}{unit}{limits}", figure.value)));
        let [from, to] = [recipe.from, recipe.to].map(|id| document.plan.name(id));
        rows.push((String::new(), format!("from {from} to {to}: {}", measure.how)));
        if !measure.incomplete.is_empty() {
            rows.push((String::new(), measure.incomplete.clone()));
        }
    }
    (!rows.is_empty()).then(|| ReportBlock {
        section: ReportSection::Measures,
        title: "Distances and angles, ± U (k = 2)".to_owned(),
        rows,
    })
}
