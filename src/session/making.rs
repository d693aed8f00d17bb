//! Makes elements of a document on the shown part, and keeps track of what is up to date.

use std::sync::Arc;

use super::Document;
use super::pipeline::{self, Failure, State};
use super::plan::{ElementId, Recipe};
use base::{Progress, Result, UserError};
use inspect::recipe::{Make, Tools};

impl Document {
    /// Brings names and fingerprints in step with the plan: after every change of it.
    pub fn refresh(&mut self) {
        self.active = self.active.within(&self.plan);
        if self.active.nominal.is_none() {
            self.forget_facets();
        }
        if self.active.scan.is_none() {
            self.forget_scan();
        }
        self.link();
        self.prints = Arc::new(self.plan.fingerprints(&self.stage().sources));
    }

    /// Makes those elements on the shown part, and what they are made from, where they are not up to date. Those that
    /// cannot be made keep their sentences.
    pub fn make(&mut self, wanted: &[ElementId], tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.run(Some(wanted), tools, progress)
    }

    /// The same for those elements, or for all.
    pub(super) fn run(&mut self, wanted: Option<&[ElementId]>, tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.refresh();
        let results = pipeline::run(&self.plan, self.stage(), wanted, tools, progress)?;
        self.stages.shown_mut().results = results;
        Ok(())
    }

    /// The same for one element; its sentence where it cannot be made.
    pub fn make_one(&mut self, id: ElementId, tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.make(&[id], tools, progress)?;
        self.failure(id).map_or(Ok(()), Err)
    }

    /// Makes again what was made before and is not up to date any more, but for what takes long.
    pub fn follow(&mut self, tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.refresh();
        let is_light = |recipe: &Recipe| {
            matches!(recipe, Recipe::Feature(_) | Recipe::Slot(_) | Recipe::Construction(_) | Recipe::Measure(_))
        };
        let heavy_is_fresh = |id: ElementId| {
            let inputs = self.plan.get(id).map(|own| own.recipe.inputs()).unwrap_or_default();
            let mut heavy =
                inputs.into_iter().filter(|own| self.plan.get(*own).is_none_or(|own| !is_light(&own.recipe)));
            heavy.all(|own| self.state(own) == State::Fresh)
        };
        let due: Vec<ElementId> = self
            .plan
            .elements()
            .iter()
            .filter(|own| is_light(&own.recipe) && self.state(own.id) == State::Stale && heavy_is_fresh(own.id))
            .map(|own| own.id)
            .collect();
        if due.is_empty() { Ok(()) } else { self.make(&due, tools, progress) }
    }

    /// Why an element could not be made on the shown part, where it could not.
    pub fn failure(&self, id: ElementId) -> Option<UserError> {
        match self.stage().results.outcome(id)?.result.as_ref().err()? {
            Failure::Failed(error) => Some(error.clone()),
            Failure::Waits(on) => {
                let first = *on.first()?;
                let why = self.failure(first).unwrap_or_else(|| UserError::usage("It was not made."));
                Some(why.about(&format!("“{}”", self.plan.name(first))))
            }
        }
    }

    /// What came of an element, in sentences.
    pub fn sentences(&self, id: ElementId) -> Vec<String> {
        self.stage().results.made(id).map(|made| made.sentences.clone()).unwrap_or_default()
    }

    /// Takes over what an element came to without making it.
    pub fn give<R: Make>(&mut self, id: ElementId, made: Arc<R::Made>) {
        self.refresh();
        if let Some(print) = self.prints.get(&id).copied() {
            self.stages.shown_mut().results.give::<R>(id, print, made);
        }
    }
}
