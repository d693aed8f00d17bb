//! Report block of the tolerances.

use super::content::ReportBlock;
use session::Document;
use session::presentation::ReportSection;

/// Result of each tolerance, how it was evaluated and by which reading of the standards; `None` before evaluation.
pub(super) fn block(document: &Document) -> Option<ReportBlock> {
    let judgement = document.judgement()?;
    let results = document.tolerances().map(|(_, recipe)| &recipe.asked).zip(&judgement);
    let rows = results.flat_map(|(tolerance, result)| {
        let datums =
            if tolerance.datums.is_empty() { String::new() } else { format!(" | {}", tolerance.datums.join(" | ")) };
        let name = format!("{}{datums}", tolerance.title());
        match result {
            Ok(judged) => {
                let text = format!("{}: {}, limit {}", judged.words(), judged.measured_text(), judged.limits_text());
                let incomplete = (!judged.incomplete.is_empty()).then(|| judged.incomplete.clone());
                let further = incomplete.into_iter().chain([judged.how.clone(), judged.reading.clone()]);
                std::iter::once((name, text)).chain(further.map(|own| (String::new(), own))).collect()
            }
            Err(sentence) => vec![(name, format!("not judged: {sentence}"))],
        }
    });
    Some(ReportBlock {
        section: ReportSection::Tolerances,
        title: "Tolerances, ± U (k = 2)".to_owned(),
        rows: rows.collect(),
    })
}
