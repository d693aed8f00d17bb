//! What a finished command changes, and how commands are carried out.

use std::sync::Arc;

use super::saves::Kept;
use base::{Progress, Result};
use compute::Backend;
use geometry::Pose;
use session::Document;

/// A change to the document, made by a finished command.
pub struct Edit {
    /// What it is called in the undo menu; `None` for what is no step of its own there.
    pub label: Option<String>,
    /// Makes the change.
    pub apply: Box<dyn FnOnce(&mut Document) + Send>,
    /// Sentences for the log.
    pub notes: Vec<String>,
    /// The device that computes from now on, where it changes.
    pub backend: Option<Arc<dyn Backend>>,
    /// Where the changed document lies, where the command says so.
    pub kept: Option<Kept>,
}

impl Edit {
    pub(super) fn new(label: impl Into<String>, apply: impl FnOnce(&mut Document) + Send + 'static) -> Self {
        Self { label: Some(label.into()), apply: Box::new(apply), notes: Vec::new(), backend: None, kept: None }
    }

    /// The document that a command has made of the one before.
    pub(super) fn replacing(label: impl Into<String>, after: Document) -> Self {
        Self::new(label, move |document| *document = after)
    }

    pub(super) fn nothing(note: impl Into<String>) -> Self {
        Self { label: None, apply: Box::new(|_| ()), notes: vec![note.into()], backend: None, kept: None }
    }

    /// Another inspection than before, which lies where `kept` says.
    pub(super) fn inspection(label: &str, document: Document, kept: Kept) -> Self {
        Self { kept: Some(kept), ..Self::new(label, move |target| *target = document) }
    }

    pub(super) fn with_notes(mut self, notes: impl IntoIterator<Item = String>) -> Self {
        self.notes.extend(notes);
        self
    }
}

/// What the window shows while a best fit runs: the pose and its RMS, mm.
pub type Watch = Arc<dyn Fn(&Pose, f64) + Send + Sync>;

pub(super) type Work = Box<dyn FnOnce(&Progress, &Watch) -> Result<Edit> + Send>;

/// How a command is carried out.
pub(super) enum Execution {
    /// At once.
    Now(Edit),
    /// On another thread.
    Work(String, Work),
    /// At once, and what follows from it on another thread; both are one step.
    NowThen(Edit, String, Work),
}

impl Execution {
    pub(super) fn work(label: &str, work: impl FnOnce(&Progress, &Watch) -> Result<Edit> + Send + 'static) -> Self {
        Self::Work(label.to_owned(), Box::new(work))
    }
}
