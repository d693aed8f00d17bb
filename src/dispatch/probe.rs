//! Commands of the hybrid measurement.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Edit, Execution};
use base::{Result, file_name, full_path};
use session::Document;
use session::probing::{Probing, Setup};

/// Commands of the hybrid measurement.
#[derive(Clone, Debug)]
pub enum Probe {
    /// Reads the list of holes.
    OpenHoles(PathBuf),
    /// Finds the holes in the scan and plans the first probing cycle.
    Begin(Box<Setup>),
    /// Evaluates the points probed by the CMM.
    Take(PathBuf),
    /// Writes the next targets to a folder, or the table of results if nothing is left to probe.
    Write(PathBuf),
}

impl Probe {
    pub(super) fn execution(self, before: Document) -> Execution {
        match self {
            Self::OpenHoles(path) => {
                Execution::work("Opening the list of holes", move |_, _| open(&path, &before.probing))
            }
            Self::Begin(setup) => Execution::work("Finding the holes", move |progress, _| {
                let (probing, notes) = before.probing.begin(*setup, before.actual(), progress)?;
                Ok(change("Find holes and plan", probing).with_notes(notes))
            }),
            Self::Take(path) => Execution::work("Evaluating the probed points", move |progress, _| {
                let (probing, notes) = before.probing.take(&path, progress)?;
                Ok(change("Evaluate probed points", probing).with_notes(notes))
            }),
            Self::Write(folder) => Execution::work("Writing the targets", move |_, _| {
                let written = before.probing.write(&folder)?;
                Ok(Edit::nothing(format!("Wrote {} to {}.", names(&written), full_path(&folder))))
            }),
        }
    }
}

fn change(label: &str, probing: Probing) -> Edit {
    let probing = Arc::new(probing);
    Edit::new(label, move |document| document.probing = probing)
}

/// Opens a list of holes and starts a new measurement with it.
fn open(path: &Path, before: &Probing) -> Result<Edit> {
    let probing = before.open_holes(path)?;
    let note = format!("{} holes in {}.", probing.holes.len(), path.display());
    Ok(change("Open a list of holes", probing).with_notes([note]))
}

/// The names of files, for messages.
pub fn names(files: &[PathBuf]) -> String {
    files.iter().map(|path| file_name(path)).collect::<Vec<_>>().join(" and ")
}
