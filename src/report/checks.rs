//! Checks beside the shown comparison and the tolerances, as parts of the report.

use super::content::Section;
use inspect::deviation::Check;
use inspect::tolerances::measure::Measure;
use session::Document;
use session::pipeline::State;
use session::plan::Recipe;

/// What the other comparisons came to, where there are any.
pub(super) fn other_comparisons(document: &Document) -> Option<Section> {
    let others = document.comparisons().filter(|own| document.active.comparison != Some(own.id));
    let rows: Vec<(String, String)> = others
        .map(|own| {
            let check = document.result::<Check>(Some(own.id)).filter(|_| document.state(own.id) == State::Fresh);
            let said = check.map_or_else(
                || "not up to date: it decides nothing".to_owned(),
                |check| format!("{}. {}", check.judgement.headline(), check.judgement.reason),
            );
            (own.name.clone(), said)
        })
        .collect();
    (!rows.is_empty()).then(|| Section { title: "Other comparisons".to_owned(), rows })
}

/// Distances and angles, where there are any.
pub(super) fn measures(document: &Document) -> Option<Section> {
    let mut rows = Vec::new();
    for element in document.plan.elements() {
        let Recipe::Measure(own) = &element.recipe else { continue };
        let made = document.result::<Measure>(Some(element.id)).filter(|_| document.state(element.id) == State::Fresh);
        let Some(measure) = made else {
            rows.push((element.name.clone(), "not measured on this part".to_owned()));
            continue;
        };
        let figure = &measure.figure;
        let unit = if figure.unit == "°" { "°".to_owned() } else { format!(" {}", figure.unit) };
        let doubt = figure.uncertainty.map(|own| format!(" ± {own:.4}")).unwrap_or_default();
        let limits = match (figure.lower, figure.upper) {
            (Some(lower), Some(upper)) => format!(", allowed {lower:.4} to {upper:.4}{unit}"),
            (Some(lower), None) => format!(", at least {lower:.4}{unit}"),
            (None, Some(upper)) => format!(", at most {upper:.4}{unit}"),
            (None, None) => String::new(),
        };
        let words = measure.words().map(|words| format!("{words}: ")).unwrap_or_default();
        rows.push((element.name.clone(), format!("{words}{:.4}{doubt}{unit}{limits}", figure.value)));
        let [from, to] = [own.from, own.to].map(|id| document.plan.name(id));
        rows.push((String::new(), format!("from {from} to {to}: {}", measure.how)));
    }
    (!rows.is_empty()).then(|| Section { title: "Distances and angles".to_owned(), rows })
}
