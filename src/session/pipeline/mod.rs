//! Runs a plan on a part: stale elements are recomputed in order of dependence, in parallel where possible.

mod results;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rayon::prelude::*;

use super::Stage;
use super::jobs::catch_panic;
use super::plan::{Element, ElementId, Fingerprint, Plan, Recipe};
use base::{ErrorKind, Progress, Result, UserError};
use inspect::recipe::{Inputs, Output, Tools};
use io::SourceFile;
pub use results::{Failure, Outcome, Results, ResultsIdentity, State};

/// Computes the results of `plan` on `stage`: of all elements, or of `wanted` and their inputs. Results that are up to
/// date are taken over. An element that fails keeps its error and blocks only what depends on it. Returns an error only
/// on cancellation, and then `stage` is unchanged.
pub fn run(
    plan: &Plan,
    stage: &Stage,
    wanted: Option<&[ElementId]>,
    tools: &Tools<'_>,
    progress: &Progress,
) -> Result<Results> {
    let fingerprints = plan.fingerprints(&stage.sources);
    let elements: BTreeMap<ElementId, &Arc<Element>> = plan.elements().iter().map(|own| (own.id, own)).collect();
    let mut results = stage.results.of_plan(plan);
    let wanted = wanted.map(|ids| with_inputs(ids, &elements));
    // A cyclic element, which only a damaged file can hold, has no fingerprint and is not run.
    let due = |element: &'_ Arc<Element>| {
        let (id, fingerprint) = (element.id, *fingerprints.get(&element.id)?);
        let is_current = results.outcome(id).is_some_and(|own| own.fingerprint == fingerprint && own.result.is_ok());
        (!is_current && wanted.as_ref().is_none_or(|wanted| wanted.contains(&id))).then_some(fingerprint)
    };
    let mut open: Vec<(&Arc<Element>, Fingerprint)> =
        plan.elements().iter().filter_map(|element| Some((element, due(element)?))).collect();
    let total: f32 = open.iter().map(|(element, _)| weight(&element.recipe)).sum();
    let mut done = 0.0;
    while !open.is_empty() {
        let due: BTreeSet<ElementId> = open.iter().map(|(element, _)| element.id).collect();
        let is_ready = |(element, _): &(&Arc<Element>, Fingerprint)| {
            element.recipe.inputs().iter().all(|input| !due.contains(input))
        };
        let (wave, later): (Vec<_>, Vec<_>) = open.into_iter().partition(is_ready);
        let wave_weight: f32 = wave.iter().map(|(element, _)| weight(&element.recipe)).sum();
        let (from, to) = (done / total, (done + wave_weight) / total);
        // Elements that run in parallel cannot each report the overall progress.
        let part = if wave.len() == 1 { progress.part(from, to) } else { progress.part(from, from) };
        let state = RunState { plan, elements: &elements, results: &results, sources: &stage.sources };
        let one = |(element, fingerprint): &(&Arc<Element>, Fingerprint)| -> Result<(ElementId, Outcome)> {
            part.check()?;
            let outcome = state.outcome(element, *fingerprint, &stage.results, tools, &part)?;
            Ok((element.id, outcome))
        };
        let made = wave.par_iter().map(one).collect::<Result<Vec<_>>>()?;
        made.into_iter().for_each(|(id, outcome)| results.set(id, outcome));
        progress.report(to.min(1.0), "Running the plan")?;
        (done, open) = (done + wave_weight, later);
    }
    Ok(results)
}

/// Relative run time of an element, for the progress bar.
fn weight(recipe: &Recipe) -> f32 {
    match recipe {
        Recipe::Nominal(_) | Recipe::Scan(_) => 5.0,
        Recipe::Alignment(_) | Recipe::MainAlignment(_) | Recipe::Comparison(_) => 8.0,
        _ => 1.0,
    }
}

/// The `wanted` elements and all their inputs, direct and indirect.
fn with_inputs(wanted: &[ElementId], elements: &BTreeMap<ElementId, &Arc<Element>>) -> BTreeSet<ElementId> {
    let (mut found, mut open) = (BTreeSet::new(), wanted.to_vec());
    while let Some(id) = open.pop() {
        if found.insert(id)
            && let Some(element) = elements.get(&id)
        {
            open.extend(element.recipe.inputs());
        }
    }
    found
}

/// The plan and the results so far, as a recipe sees them.
struct RunState<'a> {
    plan: &'a Plan,
    elements: &'a BTreeMap<ElementId, &'a Arc<Element>>,
    results: &'a Results,
    sources: &'a [SourceFile],
}

impl RunState<'_> {
    /// Computes an element. Returns an error only on cancellation.
    fn outcome(
        &self,
        element: &Element,
        fingerprint: Fingerprint,
        before: &Results,
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<Outcome> {
        let is_missing = |input: &ElementId| self.results.made(*input).is_none();
        let waits: Vec<ElementId> = element.recipe.inputs().into_iter().filter(is_missing).collect();
        if !waits.is_empty() {
            return Ok(Outcome { fingerprint, result: Err(Failure::Waits(waits)) });
        }
        let before = before.made(element.id).map(|made| &made.output);
        match catch_panic(|| element.recipe.make(self, tools, before, progress)) {
            Ok(made) => Ok(Outcome { fingerprint, result: Ok(Arc::new(made)) }),
            Err(error) if error.kind == ErrorKind::Cancelled => Err(error),
            Err(error) => Ok(Outcome { fingerprint, result: Err(Failure::Failed(error)) }),
        }
    }
}

impl Inputs for RunState<'_> {
    fn output(&self, id: ElementId) -> Result<Output> {
        let missing = || UserError::usage(format!("“{}” has no result.", self.name(id)));
        self.results.made(id).map(|made| Arc::clone(&made.output)).ok_or_else(missing)
    }

    fn name(&self, id: ElementId) -> String {
        self.elements.get(&id).map_or_else(|| self.plan.name(id), |element| element.name.clone())
    }

    fn sources(&self) -> &[SourceFile] {
        self.sources
    }
}
