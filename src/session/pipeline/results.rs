//! What the elements of a plan came to on one part.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

pub use crate::plan::Made;
use crate::plan::{ElementId, Fingerprint, Fingerprints, Plan};
use base::UserError;
use inspect::recipe::Make;
use inspect::verdict::Verdict;

/// What an element came to, and from what.
#[derive(Clone)]
pub struct Outcome {
    /// What it was made from.
    pub fingerprint: Fingerprint,
    /// What came of it, or why nothing did.
    pub result: std::result::Result<Arc<Made>, Failure>,
}

/// Why an element came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It could not be made.
    Failed(UserError),
    /// These elements, which it is made from, came to nothing.
    Waits(Vec<ElementId>),
}

/// How an element stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Up to date.
    Fresh,
    /// Made from what has changed since.
    Stale,
    /// Not made yet.
    NotMade,
    /// It could not be made, and why.
    Failed(String),
    /// What it is made from could not be made, by name.
    Waits(Vec<String>),
}

/// What the elements came to. Copies share it.
#[derive(Clone, Default)]
pub struct Results(Arc<BTreeMap<ElementId, Outcome>>);

impl Results {
    /// The outcome of an element, up to date or not.
    pub fn outcome(&self, id: ElementId) -> Option<&Outcome> {
        self.0.get(&id)
    }

    /// What an element came to, up to date or not.
    pub fn made(&self, id: ElementId) -> Option<&Arc<Made>> {
        self.0.get(&id)?.result.as_ref().ok()
    }

    /// The same, as a value of its capability.
    pub fn get<T: Any + Send + Sync>(&self, id: ElementId) -> Option<Arc<T>> {
        Arc::clone(&self.made(id)?.output).downcast().ok()
    }

    /// The same, to be looked at.
    pub fn look_at<T: Any + Send + Sync>(&self, id: ElementId) -> Option<&T> {
        self.made(id)?.output.downcast_ref()
    }

    /// Forgets what those elements came to.
    pub fn forget(&mut self, ids: impl IntoIterator<Item = ElementId>) {
        let own = Arc::make_mut(&mut self.0);
        ids.into_iter().for_each(|id| drop(own.remove(&id)));
    }

    /// Large blocks of memory that they hold: what tells them apart, and their bytes.
    pub(crate) fn blocks(&self) -> BTreeMap<usize, u64> {
        let made = self.0.values().filter_map(|own| own.result.as_ref().ok());
        made.flat_map(|made| made.blocks.iter().copied()).collect()
    }

    /// How an element stands, where `prints` says what it would be made from now.
    pub fn state(&self, id: ElementId, plan: &Plan, prints: &Fingerprints) -> State {
        match self.0.get(&id) {
            None => State::NotMade,
            Some(own) if Some(&own.fingerprint) != prints.get(&id) => State::Stale,
            Some(own) => match &own.result {
                Ok(_) => State::Fresh,
                Err(Failure::Failed(error)) => State::Failed(error.sentence.clone()),
                Err(Failure::Waits(on)) => State::Waits(on.iter().map(|input| plan.name(*input)).collect()),
            },
        }
    }

    /// The verdict over all that decides anything; `None` where nothing does. What could not be made decides nothing
    /// well: it leaves the whole incomplete.
    pub fn verdict(&self, plan: &Plan) -> Option<Verdict> {
        let verdicts =
            plan.elements().iter().filter_map(|element| match self.0.get(&element.id).map(|own| &own.result) {
                Some(Ok(made)) => made.verdict,
                Some(Err(_)) | None => Some(Verdict::Incomplete),
            });
        verdicts.reduce(Verdict::and)
    }

    /// The verdict with what it covers and what puts it in doubt, in one line; `None` where nothing decides.
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

    /// Takes over what an element came to elsewhere.
    pub fn give<R: Make>(&mut self, id: ElementId, fingerprint: Fingerprint, made: Arc<R::Made>) {
        self.set(id, Outcome { fingerprint, result: Ok(Arc::new(Made::of::<R>(made))) });
    }

    pub(super) fn set(&mut self, id: ElementId, outcome: Outcome) {
        Arc::make_mut(&mut self.0).insert(id, outcome);
    }

    /// Only those whose elements are in `plan`.
    pub(super) fn of_plan(&self, plan: &Plan) -> Self {
        let outcome = |id: ElementId| Some((id, self.0.get(&id)?.clone()));
        Self(Arc::new(plan.elements().iter().filter_map(|element| outcome(element.id)).collect()))
    }
}
