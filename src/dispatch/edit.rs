//! Results of commands, and how commands are run.

use std::sync::Arc;

use super::Context;
use super::features::named_sentences;
use super::saves::SavedState;
use base::{Progress, Result};
use compute::Backend;
use geometry::Pose;
use session::Document;
use session::plan::{ElementId, Recipe};
use texts::Language;

/// The result of a finished command: a change of the document, and notes.
pub struct Edit {
    /// Label in the undo menu; `None` if it is not an undo step.
    pub label: Option<String>,
    /// Applies the change.
    pub apply: Box<dyn FnOnce(&mut Document) + Send>,
    /// Notes for the log.
    pub notes: Vec<String>,
    /// The new compute device, if it changes.
    pub backend: Option<Arc<dyn Backend>>,
    /// Where the changed document is saved, if the command saved or opened it.
    pub saved_state: Option<SavedState>,
}

impl Edit {
    pub(super) fn new(label: impl Into<String>, apply: impl FnOnce(&mut Document) + Send + 'static) -> Self {
        Self { label: Some(label.into()), apply: Box::new(apply), notes: Vec::new(), backend: None, saved_state: None }
    }

    /// An edit that replaces the document.
    pub(super) fn replacing(label: impl Into<String>, after: Document) -> Self {
        Self::new(label, move |document| *document = after)
    }

    /// An edit that replaces the document once one of its elements is made; what came of that is noted.
    pub(super) fn making(
        label: impl Into<String>,
        id: ElementId,
        mut document: Document,
        context: &Context,
        progress: &Progress,
    ) -> Result<Self> {
        document.make_one(id, &context.quiet_tools(), progress)?;
        let notes = document.sentences(id);
        Ok(Self::replacing(label, document).with_notes(notes))
    }

    /// An edit that adds an element, made, and replaces the document; what came of it is noted under its name.
    pub(super) fn adding(
        label: impl Into<String>,
        name: &str,
        recipe: Recipe,
        mut document: Document,
        context: &Context,
        progress: &Progress,
    ) -> Result<Self> {
        let id = document.plan.add(name, recipe)?;
        document.make_one(id, &context.quiet_tools(), progress)?;
        let notes = named_sentences(&document, id);
        Ok(Self::replacing(label, document).with_notes(notes))
    }

    /// An edit that replaces the document once an element of it is made by another recipe. An element named as its
    /// former recipe says is named as the new one says, in the same language: `names` are both, in English.
    pub(super) fn changing(
        id: ElementId,
        recipe: Recipe,
        names: [String; 2],
        mut document: Document,
        context: &Context,
        progress: &Progress,
    ) -> Result<Self> {
        document.plan.set_recipe(id, recipe)?;
        let name = document.plan.name(id);
        let in_words = |language| texts::within(language, || names.each_ref().map(|own| texts::word(own).into_owned()));
        let found = Language::ALL.into_iter().map(in_words).find(|[before, _]| *before == name);
        if let Some([_, after]) = found.filter(|[before, after]| before != after) {
            let name = document.free_name(&after, None);
            document.plan.rename(id, &name)?;
        }
        document.make_one(id, &context.quiet_tools(), progress)?;
        let notes = named_sentences(&document, id);
        Ok(Self::replacing(format!("Change “{}”", document.plan.name(id)), document).with_notes(notes))
    }

    /// An edit that changes nothing and logs a note.
    pub(super) fn nothing(note: impl Into<String>) -> Self {
        Self { label: None, apply: Box::new(|_| ()), notes: vec![note.into()], backend: None, saved_state: None }
    }

    /// An edit that starts another inspection, saved as `saved_state` says.
    pub(super) fn inspection(label: &str, document: Document, saved_state: SavedState) -> Self {
        Self { saved_state: Some(saved_state), ..Self::new(label, move |target| *target = document) }
    }

    pub(super) fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

/// Callback of a running best fit: the current pose `nominal_from_scan` and its RMS, mm.
pub type Watch = Arc<dyn Fn(&Pose, f64) + Send + Sync>;

pub(super) type Work = Box<dyn FnOnce(&Progress, &Watch) -> Result<Edit> + Send>;

/// How a command is run.
pub(super) enum Execution {
    /// Immediately.
    Now(Edit),
    /// As a job on another thread.
    Work(String, Work),
    /// Immediately, followed by a job on another thread; both are one undo step.
    NowThen(Edit, String, Work),
}

impl Execution {
    pub(super) fn work(label: &str, work: impl FnOnce(&Progress, &Watch) -> Result<Edit> + Send + 'static) -> Self {
        Self::Work(label.to_owned(), Box::new(work))
    }
}
