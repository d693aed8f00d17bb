//! One verdict over all that was judged: the comparison, the tolerances and the features they rest on.

use serde::Serialize;

use super::Document;
use inspect::deviation::Verdict;
use inspect::deviation::judgement::DECISION_RULE;
use inspect::tolerances;

/// What one part of the inspection came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Component {
    /// What was judged.
    pub name: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// Why.
    pub reason: String,
}

/// The overall verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overall {
    /// Fails where anything failed, and passes only where all was judged and passed.
    pub verdict: Verdict,
    /// What it covers and what puts it in doubt; empty where nothing was compared.
    pub covers: String,
    /// What it is made of, in the order of the work.
    pub components: Vec<Component>,
    /// What qualifies it.
    pub remarks: Vec<String>,
    /// How it is decided.
    pub decision_rule: String,
}

/// The overall verdict of `document`; `None` where there is nothing to judge.
pub fn overall(document: &Document) -> Option<Overall> {
    let mut components = Vec::new();
    let mut remarks = Vec::new();
    let mut covers = String::new();
    if let Some(check) = document.current_check() {
        let judgement = &check.judgement;
        let reason = judgement.reason.clone();
        components.push(Component { name: "Comparison".into(), verdict: judgement.verdict, reason });
        remarks.extend(judgement.remarks.iter().cloned());
        covers.clone_from(&judgement.covers);
    } else if document.check.is_some() {
        let reason = "Something has changed since the last comparison.".to_owned();
        components.push(Component { name: "Comparison".into(), verdict: Verdict::Incomplete, reason });
    }
    components.extend(of_tolerances(document));
    components.extend(of_features(document));
    if let Some(alignment) = document.alignment.as_ref().filter(|_| !components.is_empty()) {
        remarks.extend(alignment.remarks());
        if let Some(doubt) = alignment.doubt().filter(|_| !covers.is_empty()) {
            covers = format!("{covers}; {doubt}");
        }
    }
    let verdict = components.iter().map(|component| component.verdict).reduce(Verdict::and)?;
    Some(Overall { verdict, covers, components, remarks, decision_rule: DECISION_RULE.to_owned() })
}

impl Overall {
    /// The verdict with what it covers, in one line.
    pub fn headline(&self) -> String {
        self.verdict.headline(&self.covers)
    }
}

fn of_tolerances(document: &Document) -> Option<Component> {
    let count = document.tolerancing.plan.tolerances.len();
    if count == 0 {
        return None;
    }
    let component = |verdict, reason| Some(Component { name: "Tolerances".into(), verdict, reason });
    let Some(judgement) = &document.tolerancing.judgement else {
        return component(Verdict::Incomplete, format!("{count} tolerances were not judged."));
    };
    let verdicts: Vec<Verdict> = judgement.results.iter().map(of_tolerance).collect();
    let of = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    let reason = format!(
        "{} of {count} are met, {} are not, {} are undecided or could not be judged.",
        of(Verdict::Pass),
        of(Verdict::Fail),
        of(Verdict::Incomplete)
    );
    component(verdicts.into_iter().reduce(Verdict::and).unwrap_or(Verdict::Incomplete), reason)
}

/// What could not be judged is not met.
fn of_tolerance(result: &Result<tolerances::Judged, String>) -> Verdict {
    let decided = |judged: &tolerances::Judged| tolerances::decided(judged.conformity, judged.verdict);
    result.as_ref().map_or(Verdict::Incomplete, decided)
}

fn of_features(document: &Document) -> Option<Component> {
    let open: Vec<&str> = document
        .features
        .iter()
        .filter(|feature| !feature.fit.converged)
        .map(|feature| feature.recipe.name.as_str())
        .collect();
    (!open.is_empty()).then(|| Component {
        name: "Features".into(),
        verdict: Verdict::Incomplete,
        reason: format!("The fit of {} did not converge.", open.join(", ")),
    })
}
