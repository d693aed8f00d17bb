//! Which state of which inspection lies in which project file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use session::Document;

/// What was last saved of one inspection.
#[derive(Clone, Debug, Default)]
struct Saved {
    /// The project file, where there is one.
    path: Option<PathBuf>,
    /// The state that it holds.
    revision: u64,
}

/// See the module. Undo may lead back into an inspection that was open before: each keeps its own file.
#[derive(Debug, Default)]
pub struct Saves {
    by_inspection: BTreeMap<u64, Saved>,
}

impl Saves {
    /// Whether `document` is as its file holds it, or as empty as it began.
    pub fn holds(&self, document: &Document) -> bool {
        self.by_inspection.get(&document.inspection).map_or(0, |saved| saved.revision) == document.revision
    }

    /// The project file of the inspection in `document`.
    pub fn path(&self, document: &Document) -> Option<&Path> {
        self.by_inspection.get(&document.inspection)?.path.as_deref()
    }

    /// Takes note of what a finished command says of files.
    pub(super) fn note(&mut self, kept: Kept, document: &Document) {
        let saved = match kept {
            Kept::In(path) => Saved { path: Some(path), revision: document.revision },
            Kept::Nowhere(path) => Saved { path, revision: u64::MAX },
            Kept::Empty => Saved { path: None, revision: document.revision },
        };
        self.by_inspection.insert(document.inspection, saved);
    }
}

/// Where the state lies that a command leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// In this project file.
    In(PathBuf),
    /// In no file yet, and belongs into this one, where one is known.
    Nowhere(Option<PathBuf>),
    /// There is nothing to keep.
    Empty,
}
