//! The overall verdict on everything that was judged: comparisons, tolerances, measures, and the features they rest on.

use std::collections::HashSet;
use std::sync::Arc;

use serde::Serialize;

use super::Document;
use super::pipeline::State;
use super::plan::{Element, ElementId, Recipe};
use super::pmi::Restated;
use super::tolerancing::Judgement;
use inspect::calibration::recipe::CalibrationStatus;
use inspect::deviation::judgement::DECISION_RULE;
use inspect::deviation::{Check, Verdict};
use inspect::features::measured::MeasuredFeature;
use inspect::recipe::Product;
use inspect::section::Section;
use inspect::surface_points::SurfacePoints;
use inspect::thickness::ThicknessMap;
use inspect::tolerances;
use inspect::tolerances::coverage::SeenFace;
use inspect::tolerances::measure::Measure;
use texts::text;

/// Verdict on one component of the inspection.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Component {
    /// What was judged.
    pub name: String,
    /// Its verdict.
    pub verdict: Verdict,
    /// The reason for the verdict.
    pub reason: String,
}

/// The overall verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overall {
    /// Fails if any component failed; passes only if every component was judged and passed.
    pub verdict: Verdict,
    /// What it covers and what puts it in doubt; empty if nothing was compared.
    pub covers: String,
    /// Its components, in the order of the workflow.
    pub components: Vec<Component>,
    /// Remarks that qualify it; those on single faces with own tolerances are the last.
    pub remarks: Vec<String>,
    /// The decision rule.
    pub decision_rule: String,
}

/// The overall verdict of `document`; `None` if there is nothing to judge.
pub fn overall(document: &Document) -> Option<Overall> {
    let mut components = Vec::new();
    let (mut remarks, mut of_faces, mut said) = (Vec::new(), Vec::new(), HashSet::new());
    let mut covers: Vec<String> = Vec::new();
    let comparisons: Vec<&Element> = document.comparisons().collect();
    for element in &comparisons {
        // A single comparison needs no name of its own.
        let name = if comparisons.len() == 1 { text!("verdict-comparison") } else { element.name.clone() };
        let component = |verdict, reason: String| Component { name, verdict, reason };
        match document.state(element.id) {
            State::NotMade => {}
            State::Fresh => {
                let Some(check) = document.result::<Check>(Some(element.id)) else { continue };
                let judgement = &check.judgement;
                components.push(component(judgement.verdict, judgement.reason.clone()));
                let what = check.parameters.method.measured();
                let on_faces: HashSet<String> = check.own_tolerances.iter().map(|own| own.sentence(what)).collect();
                for remark in judgement.remarks.iter().filter(|own| said.insert(own.as_str())) {
                    let list = if on_faces.contains(remark) { &mut of_faces } else { &mut remarks };
                    list.push(remark.clone());
                }
                if !judgement.covers.is_empty() {
                    covers.push(if comparisons.len() == 1 {
                        judgement.covers.clone()
                    } else {
                        // Looked up here: the name would be in the way.
                        format!("{} {}", element.name, texts::word(&judgement.covers))
                    });
                }
            }
            State::Failed(sentence) => components.push(component(Verdict::Incomplete, sentence)),
            State::Stale | State::Waits(_) => {
                components.push(component(Verdict::Incomplete, text!("verdict-comparison-stale")))
            }
        }
    }
    components.extend(of_tolerances(document));
    components.extend(of_measures(document));
    match pmi(document) {
        Pmi::Partly(component) => components.push(component),
        Pmi::Untouched(remark) if !components.is_empty() => remarks.push(remark),
        _ => {}
    }
    components.extend(earlier_pmi(document));
    components.extend(of_sections_and_points(document));
    if !components.is_empty() {
        remarks.extend(thickness_without_limits(document));
    }
    components.extend(of_features(document));
    if !components.is_empty() {
        components.extend(of_datum_alignment(document));
    }
    if !components.is_empty() {
        components.extend(of_calibrations(document));
        remarks.extend(valid_calibrations(document).map(CalibrationStatus::sentence));
    }
    if let Some(alignment) = document.alignment().filter(|_| !components.is_empty()) {
        remarks.extend(alignment.remarks());
        if !covers.is_empty() {
            covers.extend(alignment.reservations());
        }
    }
    // There may be thousands, which must not hide the others.
    remarks.append(&mut of_faces);
    let verdict = components.iter().map(|component| component.verdict).reduce(Verdict::and)?;
    let own = |sentence: &mut String| *sentence = texts::word(sentence).into_owned();
    components.iter_mut().for_each(|component| own(&mut component.reason));
    covers.iter_mut().chain(&mut remarks).for_each(own);
    let decision_rule = texts::word(DECISION_RULE).into_owned();
    Some(Overall { verdict, covers: covers.join("; "), components, remarks, decision_rule })
}

impl Overall {
    /// Why: the reasons of the components that decide it, with their names if there are several components.
    pub fn reason(&self) -> String {
        if let [only] = self.components.as_slice() {
            return only.reason.clone();
        }
        let deciding = self.components.iter().filter(|own| own.verdict == self.verdict);
        deciding.map(|own| format!("{}: {}", own.name, own.reason)).collect::<Vec<_>>().join(" ")
    }

    /// The verdict with what it covers, in one line.
    pub fn headline(&self) -> String {
        let verdict = texts::word(self.verdict.name());
        if self.covers.is_empty() { verdict.into_owned() } else { format!("{verdict} {}", self.covers) }
    }
}

/// How much of what the CAD file states of tolerances and dimensions was judged.
enum Pmi {
    /// All, or it states nothing.
    Judged,
    /// Nothing: the verdict covers none of it.
    Untouched(String),
    /// Some.
    Partly(Component),
}

fn pmi(document: &Document) -> Pmi {
    match document.pmi_in_plan() {
        (judged, stated) if judged == stated => Pmi::Judged,
        (0, stated) => Pmi::Untouched(text!("verdict-cad-untouched", count = stated)),
        (judged, stated) => Pmi::Partly(Component {
            name: text!("verdict-cad"),
            verdict: Verdict::Incomplete,
            reason: text!("verdict-cad-partly", judged = judged, stated = stated),
        }),
    }
}

/// Tolerances and dimensions of an earlier CAD file: a verdict by their values says nothing about the part as it is
/// drawn now.
fn earlier_pmi(document: &Document) -> Option<Component> {
    let (gone, changed): (Vec<_>, Vec<_>) =
        document.outdated_pmi().into_iter().partition(|(_, own)| *own == Restated::Gone);
    let names = |all: &[(ElementId, Restated)]| {
        let names: Vec<String> = all.iter().map(|(id, _)| document.plan.name(*id)).collect();
        quoted(&names.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let mut reasons = Vec::new();
    if !changed.is_empty() {
        reasons.push(text!("verdict-cad-changed", names = names(&changed)));
    }
    if !gone.is_empty() {
        reasons.push(text!("verdict-cad-gone", names = names(&gone)));
    }
    (!reasons.is_empty()).then(|| Component {
        name: text!("verdict-cad-earlier"),
        verdict: Verdict::Incomplete,
        reason: reasons.join(" "),
    })
}

fn of_tolerances(document: &Document) -> Option<Component> {
    let count = document.tolerances().count();
    if count == 0 {
        return None;
    }
    let component = |verdict, reason| Some(Component { name: text!("verdict-tolerances"), verdict, reason });
    let Some(judgement) = document.judgement() else {
        return component(Verdict::Incomplete, text!("verdict-tolerances-not-judged", count = count));
    };
    let verdicts: Vec<Verdict> = judgement.iter().map(of_tolerance).collect();
    let unseen = judgement.iter().filter_map(|own| own.as_ref().ok()).flat_map(|own| &own.faces);
    let reason = with_unseen(summary(&verdicts), unseen.filter_map(SeenFace::shortage));
    component(verdicts.iter().copied().reduce(Verdict::and).unwrap_or(Verdict::Incomplete), reason)
}

/// A reason, and each sentence on a face that was not seen far enough once.
fn with_unseen(reason: String, unseen: impl Iterator<Item = String>) -> String {
    let mut said = HashSet::new();
    let once = unseen.filter(|own| said.insert(own.clone())).map(|own| texts::word(&own).into_owned());
    std::iter::once(reason).chain(once).collect::<Vec<_>>().join(" ")
}

/// E.g. “3 of 5 are met, 1 are not, 1 are undecided or could not be judged.”
fn summary(verdicts: &[Verdict]) -> String {
    let of = |wanted: Verdict| verdicts.iter().filter(|verdict| **verdict == wanted).count();
    text!(
        "verdict-summary",
        met = of(Verdict::Pass),
        all = verdicts.len(),
        failed = of(Verdict::Fail),
        open = of(Verdict::Incomplete)
    )
}

/// A tolerance that could not be judged is incomplete.
fn of_tolerance(result: &Judgement) -> Verdict {
    let decided = |judged: &tolerances::Judged| tolerances::decided(judged.conformity, judged.verdict);
    result.as_ref().map_or(Verdict::Incomplete, decided)
}

/// Verdict on the distances and angles that have limits.
fn of_measures(document: &Document) -> Option<Component> {
    let has_limits = |element: &&Arc<Element>| match &element.recipe {
        Recipe::Measure(own) => own.lower.is_some() || own.upper.is_some(),
        _ => false,
    };
    let verdict = |element: &Arc<Element>| {
        let made = document.result::<Measure>(Some(element.id)).filter(|_| document.state(element.id) == State::Fresh);
        made.and_then(Product::verdict).unwrap_or(Verdict::Incomplete)
    };
    let verdicts: Vec<Verdict> = document.plan.elements().iter().filter(has_limits).map(verdict).collect();
    let verdict = verdicts.iter().copied().reduce(Verdict::and)?;
    let unseen = document.plan.elements().iter().filter(has_limits).filter_map(|element| {
        let made = document.result::<Measure>(Some(element.id))?;
        (!made.incomplete.is_empty()).then(|| made.incomplete.clone())
    });
    Some(Component { name: text!("verdict-measures"), verdict, reason: with_unseen(summary(&verdicts), unseen) })
}

/// A remark for each thickness map that is shown and has no limit to be judged by.
fn thickness_without_limits(document: &Document) -> impl Iterator<Item = String> {
    let has_none = |map: &ThicknessMap| map.verdict().is_none();
    document.plan.elements().iter().filter_map(move |element| {
        let Recipe::Thickness(_) = &element.recipe else { return None };
        let map =
            document.result::<ThicknessMap>(Some(element.id)).filter(|_| document.state(element.id) == State::Fresh);
        map.is_some_and(has_none).then(|| text!("verdict-thickness-no-limits", name = element.name.as_str()))
    })
}

/// A component for each section, each set of surface points and each thickness map that was judged, or should have been.
fn of_sections_and_points(document: &Document) -> Vec<Component> {
    let component = |element: &Arc<Element>| match &element.recipe {
        Recipe::Section(recipe) if recipe.scan.is_some() => {
            of_product::<Section>(document, element, || text!("verdict-section-stale"))
        }
        Recipe::Thickness(recipe) if recipe.parameters.has_limits() => {
            of_product::<ThicknessMap>(document, element, || text!("verdict-thickness-stale"))
        }
        Recipe::SurfacePoints(_) => {
            of_product::<SurfacePoints>(document, element, || text!("verdict-surface-points-stale"))
        }
        _ => None,
    };
    document.plan.elements().iter().filter_map(component).collect()
}

/// The component of an element whose result is a `P`; `stale` says that it is out of date.
fn of_product<P: Product>(document: &Document, element: &Element, stale: impl Fn() -> String) -> Option<Component> {
    let (verdict, reason) = match document.state(element.id) {
        State::NotMade => return None,
        State::Failed(sentence) => (Verdict::Incomplete, sentence),
        State::Stale | State::Waits(_) => (Verdict::Incomplete, stale()),
        State::Fresh => {
            let made = document.result::<P>(Some(element.id))?;
            let covers = made.covers().map(|covers| text!("verdict-judged", covers = covers) + " ").unwrap_or_default();
            let sentences: Vec<String> =
                made.sentences().iter().map(|sentence| texts::word(sentence).into_owned()).collect();
            (made.verdict()?, covers + &sentences.join(" "))
        }
    };
    Some(Component { name: element.name.clone(), verdict, reason })
}

/// A component for each calibration that what was measured does not rest on.
fn of_calibrations(document: &Document) -> Vec<Component> {
    let component = |element: &Arc<Element>| {
        let reason = match document.state(element.id) {
            State::Fresh => {
                let flaw = document.result::<CalibrationStatus>(Some(element.id))?.flaw()?;
                format!("{}.", texts::word(&flaw))
            }
            State::Failed(sentence) => sentence,
            State::NotMade | State::Stale | State::Waits(_) => text!("verdict-calibration-not-read"),
        };
        Some(Component { name: element.name.clone(), verdict: Verdict::Incomplete, reason })
    };
    calibrations(document).filter_map(component).collect()
}

fn valid_calibrations(document: &Document) -> impl Iterator<Item = &CalibrationStatus> {
    let is_fresh = |element: &&Arc<Element>| document.state(element.id) == State::Fresh;
    let status = |element: &Arc<Element>| document.result::<CalibrationStatus>(Some(element.id));
    calibrations(document).filter(is_fresh).filter_map(status).filter(|own| own.flaw().is_none())
}

fn calibrations(document: &Document) -> impl Iterator<Item = &Arc<Element>> {
    document.plan.elements().iter().filter(|element| matches!(element.recipe, Recipe::Calibration(_)))
}

/// A component where the part is aligned to a datum that was not seen far enough: all that was measured may lie elsewhere.
fn of_datum_alignment(document: &Document) -> Option<Component> {
    let reason = document.alignment()?.main.as_ref()?.unseen();
    let name = text!("verdict-datum-alignment");
    (!reason.is_empty()).then_some(Component { name, verdict: Verdict::Incomplete, reason })
}

fn of_features(document: &Document) -> Option<Component> {
    let open: Vec<&str> = document
        .features()
        .into_iter()
        .filter(|feature| feature.made.and_then(MeasuredFeature::converged) == Some(false))
        .map(|feature| feature.name)
        .collect();
    let missing: Vec<&str> = document
        .plan
        .elements()
        .iter()
        .filter(|own| own.recipe.is_feature() && matches!(document.state(own.id), State::Failed(_)))
        .map(|own| own.name.as_str())
        .collect();
    let mut reasons = Vec::new();
    if !open.is_empty() {
        reasons.push(text!("verdict-not-converged", names = open.join(", ")));
    }
    if !missing.is_empty() {
        reasons.push(text!("verdict-not-measured", names = quoted(&missing)));
    }
    (!reasons.is_empty()).then(|| Component {
        name: text!("verdict-features"),
        verdict: Verdict::Incomplete,
        reason: reasons.join(" "),
    })
}

/// Names in quotes, in the language of the texts: “a”, “b” and “c”.
fn quoted(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| text!("verdict-quoted", name = *name)).collect();
    match quoted.as_slice() {
        [rest @ .., last] if !rest.is_empty() => {
            text!("verdict-and", rest = rest.join(", "), last = last.as_str())
        }
        all => all.concat(),
    }
}
