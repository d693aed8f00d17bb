//! Keeps track of which state of which inspection is saved in which project file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use session::Document;

/// The last save of one inspection.
#[derive(Clone, Debug, Default)]
struct Saved {
    /// The project file, if there is one.
    path: Option<PathBuf>,
    /// Revision of the saved state.
    revision: u64,
}

/// The last saves of all inspections of the session. Undo may lead back to an inspection that was open before, so each
/// keeps its own file.
#[derive(Debug, Default)]
pub struct Saves {
    by_inspection: BTreeMap<u64, Saved>,
}

impl Saves {
    /// Whether `document` is unchanged since it was saved, or since an inspection was started empty.
    pub fn holds(&self, document: &Document) -> bool {
        self.by_inspection.get(&document.inspection).map_or(0, |saved| saved.revision) == document.revision
    }

    /// The project file of the inspection in `document`.
    pub fn path(&self, document: &Document) -> Option<&Path> {
        self.by_inspection.get(&document.inspection)?.path.as_deref()
    }

    /// Records the saved state after a finished command.
    pub(super) fn record(&mut self, saved_state: SavedState, document: &Document) {
        let saved = match saved_state {
            SavedState::In(path) => Saved { path: Some(path), revision: document.revision },
            SavedState::Unsaved(path) => Saved { path, revision: u64::MAX },
            SavedState::Empty => Saved { path: None, revision: document.revision },
        };
        self.by_inspection.insert(document.inspection, saved);
    }
}

/// Where the state left by a command is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SavedState {
    /// In this project file.
    In(PathBuf),
    /// In no file yet; it belongs in this one, if known.
    Unsaved(Option<PathBuf>),
    /// There is nothing to save.
    Empty,
}
