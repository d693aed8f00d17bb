//! Results of a plan's elements on one part.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

pub use crate::plan::ElementResult;
use crate::plan::{ElementId, Fingerprint, Fingerprints, Plan};
use base::UserError;
use inspect::recipe::Make;
use inspect::verdict::Verdict;

/// The outcome of computing an element.
#[derive(Clone)]
pub struct Outcome {
    /// Fingerprint of the recipe and inputs it was computed from.
    pub fingerprint: Fingerprint,
    /// The result, or why there is none.
    pub result: std::result::Result<Arc<ElementResult>, Failure>,
}

/// Why an element has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It failed.
    Failed(UserError),
    /// These inputs have no result.
    Waits(Vec<ElementId>),
}

/// State of an element's result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Up to date.
    Fresh,
    /// Its recipe or an input has changed since it was computed.
    Stale,
    /// Not computed yet.
    NotMade,
    /// It failed; the error message.
    Failed(String),
    /// Inputs without a result, by name.
    Waits(Vec<String>),
}

/// The outcomes of the elements. Copies share the data.
#[derive(Clone, Default)]
pub struct Results(Arc<BTreeMap<ElementId, Outcome>>);

/// Tells whether results are those of another moment, without keeping them in memory.
#[derive(Clone, Debug)]
pub struct ResultsIdentity(Weak<BTreeMap<ElementId, Outcome>>);

impl PartialEq for ResultsIdentity {
    fn eq(&self, other: &Self) -> bool {
        self.0.ptr_eq(&other.0)
    }
}

impl Results {
    /// What stays the same until an outcome changes.
    pub fn identity(&self) -> ResultsIdentity {
        ResultsIdentity(Arc::downgrade(&self.0))
    }

    /// The outcome of an element, up to date or not; `None` if it was never computed.
    pub fn outcome(&self, id: ElementId) -> Option<&Outcome> {
        self.0.get(&id)
    }

    /// The result of an element, up to date or not; `None` if there is none.
    pub fn made(&self, id: ElementId) -> Option<&Arc<ElementResult>> {
        self.0.get(&id)?.result.as_ref().ok()
    }

    /// Shared handle to an element's output; `None` without one of type `T`.
    pub fn get<T: Any + Send + Sync>(&self, id: ElementId) -> Option<Arc<T>> {
        Arc::clone(&self.made(id)?.output).downcast().ok()
    }

    /// Reference to an element's output; `None` without one of type `T`.
    pub fn get_ref<T: Any + Send + Sync>(&self, id: ElementId) -> Option<&T> {
        self.made(id)?.output.downcast_ref()
    }

    /// Removes the outcomes of `ids`.
    pub fn remove(&mut self, ids: impl IntoIterator<Item = ElementId>) {
        let own = Arc::make_mut(&mut self.0);
        ids.into_iter().for_each(|id| drop(own.remove(&id)));
    }

    /// Large memory blocks the results hold: an address that identifies each, and its bytes.
    pub(crate) fn blocks(&self) -> BTreeMap<usize, u64> {
        let made = self.0.values().filter_map(|own| own.result.as_ref().ok());
        made.flat_map(|made| made.blocks.iter().copied()).collect()
    }

    /// State of an element, given the current fingerprints.
    pub fn state(&self, id: ElementId, plan: &Plan, fingerprints: &Fingerprints) -> State {
        match self.0.get(&id) {
            None => State::NotMade,
            Some(own) if Some(&own.fingerprint) != fingerprints.get(&id) => State::Stale,
            Some(own) => match &own.result {
                Ok(_) => State::Fresh,
                Err(Failure::Failed(error)) => State::Failed(error.sentence.clone()),
                Err(Failure::Waits(on)) => State::Waits(on.iter().map(|input| plan.name(*input)).collect()),
            },
        }
    }

    /// The combined verdict of all elements that have one; `None` if none has. An element without a result counts as
    /// incomplete.
    pub fn verdict(&self, plan: &Plan) -> Option<Verdict> {
        let verdicts =
            plan.elements().iter().filter_map(|element| match self.0.get(&element.id).map(|own| &own.result) {
                Some(Ok(made)) => made.verdict,
                Some(Err(_)) | None => Some(Verdict::Incomplete),
            });
        verdicts.reduce(Verdict::and)
    }

    /// The verdict with what it covers and what puts it in doubt, in one line; `None` without a verdict.
    pub fn headline(&self, plan: &Plan) -> Option<String> {
        let mut covers: Vec<&str> = Vec::new();
        for element in plan.elements() {
            let own = self.made(element.id).and_then(|made| made.covers.as_deref());
            if let Some(own) = own.filter(|own| !own.is_empty() && !covers.contains(own)) {
                covers.push(own);
            }
        }
        self.verdict(plan).map(|verdict| verdict.headline(&covers.join("; ")))
    }

    /// Stores a result computed elsewhere.
    pub fn store_result<R: Make>(&mut self, id: ElementId, fingerprint: Fingerprint, made: Arc<R::Made>) {
        self.set(id, Outcome { fingerprint, result: Ok(Arc::new(ElementResult::of::<R>(made))) });
    }

    pub(super) fn set(&mut self, id: ElementId, outcome: Outcome) {
        Arc::make_mut(&mut self.0).insert(id, outcome);
    }

    /// The outcomes of the elements of `plan` alone.
    pub(super) fn of_plan(&self, plan: &Plan) -> Self {
        let outcome = |id: ElementId| Some((id, self.0.get(&id)?.clone()));
        Self(Arc::new(plan.elements().iter().filter_map(|element| outcome(element.id)).collect()))
    }
}
