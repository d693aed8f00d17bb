//! Judged tolerances as a part of the report.

use super::content::Section;
use session::Document;

/// What every tolerance came to and how it was found, where they were judged.
pub(super) fn section(document: &Document) -> Option<Section> {
    let judgement = document.judgement()?;
    let judged = document.tolerances().map(|(_, own)| &own.asked).zip(&judgement);
    let rows = judged.flat_map(|(tolerance, result)| {
        let datums =
            if tolerance.datums.is_empty() { String::new() } else { format!(" | {}", tolerance.datums.join(" | ")) };
        let name = format!("{}{datums}", tolerance.title());
        match result {
            Ok(judged) => {
                let text = format!("{}: {} of {}", judged.words(), judged.measured_text(), judged.limits_text());
                vec![(name, text), (String::new(), judged.how.clone()), (String::new(), judged.reading.clone())]
            }
            Err(sentence) => vec![(name, format!("not judged: {sentence}"))],
        }
    });
    Some(Section { title: "Tolerances".to_owned(), rows: rows.collect() })
}
