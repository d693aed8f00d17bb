//! Surface points: their block of the report.

use super::content::ReportBlock;
use base::decimals;
use inspect::recipe::Product as _;
use inspect::surface_points::SurfacePoints;
use session::Document;
use session::pipeline::State;
use session::plan::Recipe;
use session::presentation::ReportSection;

/// What the surface points show; `None` if there are none.
pub(super) fn block(document: &Document) -> Option<ReportBlock> {
    let mut rows = Vec::new();
    for element in document.plan.elements() {
        let Recipe::SurfacePoints(_) = &element.recipe else { continue };
        let is_fresh = document.state(element.id) == State::Fresh;
        let Some(made) = document.result::<SurfacePoints>(Some(element.id)).filter(|_| is_fresh) else {
            rows.push((element.name.clone(), "no up-to-date result".to_owned()));
            continue;
        };
        let verdict = made.verdict().map(|own| own.headline(&made.covers().unwrap_or_default()) + ". ");
        let tolerance = made.parameters.tolerance;
        let digits = decimals(3);
        let [low, high] = [tolerance.low_mm, tolerance.high_mm].map(|mm| format!("{mm:+.digits$} mm"));
        let limits = format!(" Limits {low} to {high}.");
        rows.push((element.name.clone(), verdict.unwrap_or_default() + &made.sentences()[0] + &limits));
        rows.extend(made.points.iter().map(|own| (own.name.clone(), made.describe(own))));
    }
    (!rows.is_empty()).then(|| ReportBlock { section: ReportSection::Points, title: "Surface points".to_owned(), rows })
}

/// Those that are up to date, with the names of their elements.
pub(super) fn up_to_date(document: &Document) -> impl Iterator<Item = (&str, &SurfacePoints)> {
    let elements = document.plan.elements().iter().filter(|own| document.state(own.id) == State::Fresh);
    elements.filter_map(|own| Some((own.name.as_str(), document.result(Some(own.id))?)))
}

/// All of them as one table, see [`SurfacePoints::csv`]; `None` if there are none that are up to date.
pub fn csv(document: &Document) -> Option<String> {
    let mut tables = up_to_date(document).map(|(_, made)| made.csv());
    let first = tables.next()?;
    let rows = tables.map(|table| table.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>());
    Some(rows.fold(first, |all, own| all + &own))
}
