//! Report block of the faces with own tolerances.

use super::content::{LengthFormatter, ReportBlock, limits, row};
use inspect::deviation::{Check, FaceResult, Verdict};
use session::presentation::ReportSection;

/// Limits, deviations and verdict of each own tolerance; `None` if there are none.
pub(super) fn block(check: &Check, unit: LengthFormatter) -> Option<ReportBlock> {
    let what = check.parameters.method.measured();
    let rows = check.own_tolerances.iter().map(|own| row(&own.name, words(own, what, unit)));
    (!check.own_tolerances.is_empty()).then(|| ReportBlock {
        section: ReportSection::Tolerances,
        title: "Faces with own tolerances".to_owned(),
        rows: rows.collect(),
    })
}

fn words(own: &FaceResult, what: &str, unit: LengthFormatter) -> String {
    let limits = limits(&own.tolerance, unit);
    let verdict = if own.verdict == Verdict::Incomplete { "not judged" } else { own.verdict.name() };
    match (own.in_tolerance_fraction(), own.range_mm) {
        (Some(share), Some([min_mm, max_mm])) => format!(
            "{limits}; {} {what}; {:.2} % in tolerance; min {}, max {}; {verdict}",
            own.points,
            100.0 * share,
            unit.signed(min_mm, 3),
            unit.signed(max_mm, 3)
        ),
        _ => format!("{limits}; {} {what}; in tolerance n/a; min n/a, max n/a; {verdict}", own.points),
    }
}
