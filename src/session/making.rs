//! Computes elements of a document on the shown part and tracks which are up to date.

use std::sync::Arc;

use super::Document;
use super::pipeline::{self, Failure, State};
use super::plan::{ElementId, Recipe};
use base::{Progress, Result, UserError};
use inspect::recipe::{Make, Tools};

impl Document {
    /// Updates references by name and fingerprints; call it after every change of the plan.
    pub fn refresh(&mut self) {
        self.active = self.active.within(&self.plan);
        if self.active.nominal.is_none() {
            self.clear_facet_selections();
        }
        if self.active.scan.is_none() {
            self.clear_point_selections();
        }
        self.resolve_names();
        self.fingerprints = Arc::new(self.plan.fingerprints(&self.stage().sources));
    }

    /// Computes the `wanted` elements on the shown part, with their inputs, where they are not up to date. Elements
    /// that fail keep their error as their result. Returns an error only on cancellation.
    pub fn make(&mut self, wanted: &[ElementId], tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.run(Some(wanted), tools, progress)
    }

    /// [`Self::make`] for `wanted`, or for all elements if it is `None`.
    pub(super) fn run(&mut self, wanted: Option<&[ElementId]>, tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.refresh();
        let is_wanted = |id: &ElementId| wanted.is_none_or(|wanted| wanted.contains(id));
        let volatile = self.plan.elements().iter().filter(|own| own.recipe.is_volatile()).map(|own| own.id);
        let again: Vec<ElementId> = volatile.filter(is_wanted).collect();
        self.stages.shown_mut().results.remove(again);
        let results = pipeline::run(&self.plan, self.stage(), wanted, tools, progress)?;
        self.stages.shown_mut().results = results;
        Ok(())
    }

    /// Computes one element; returns its error if it fails.
    pub fn make_one(&mut self, id: ElementId, tools: &Tools<'_>, progress: &Progress) -> Result<()> {
        self.make(&[id], tools, progress)?;
        self.failure(id).map_or(Ok(()), Err)
    }

    /// Recomputes stale features, slots, constructions and measures whose other inputs are up to date. Elements of
    /// other kinds may take long and are left stale.
    pub fn recompute_stale(&mut self, tools: &Tools<'_>, progress: &Progress) -> Result<()> {
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

    /// Why an element could not be computed on the shown part; for one that waits, the error of the first input it
    /// waits for.
    pub fn failure(&self, id: ElementId) -> Option<UserError> {
        match self.stage().results.outcome(id)?.result.as_ref().err()? {
            Failure::Failed(error) => Some(error.clone()),
            Failure::Waits(on) => {
                let first = *on.first()?;
                let why = self.failure(first).unwrap_or_else(|| UserError::usage("It was not computed."));
                Some(why.about(&format!("“{}”", self.plan.name(first))))
            }
        }
    }

    /// The result of an element in sentences, for display; empty without a result.
    pub fn sentences(&self, id: ElementId) -> Vec<String> {
        self.stage().results.made(id).map(|made| made.sentences.clone()).unwrap_or_default()
    }

    /// Stores a result computed elsewhere as the up-to-date result of element `id`.
    pub fn store_result<R: Make>(&mut self, id: ElementId, made: Arc<R::Made>) {
        self.refresh();
        if let Some(print) = self.fingerprints.get(&id).copied() {
            self.stages.shown_mut().results.store_result::<R>(id, print, made);
        }
    }
}
