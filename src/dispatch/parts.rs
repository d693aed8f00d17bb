//! Commands that open nominals and scans, and change them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit};
use base::{LengthUnit, Progress, Result, UserError};
use inspect::cleaning;
use inspect::parts::{Actual, Nominal, NominalStep};
use io::xyz::Columns;
use session::selection::{Marked, Selectable};
use session::{Document, Settings};

/// What can be asked of nominals and scans.
#[derive(Clone, Debug)]
pub enum Parts {
    /// Loads a nominal.
    OpenNominal {
        /// Its file.
        path: PathBuf,
        /// Its unit; `None` takes what the format says, else mm.
        unit: Option<LengthUnit>,
    },
    /// Loads one or more snapshots of one part in one frame.
    OpenScans {
        /// Their files.
        paths: Vec<PathBuf>,
        /// Their unit.
        unit: Option<LengthUnit>,
        /// Columns of files of numbers.
        columns: Option<Columns>,
    },
    /// Removes outliers of the scan, thins it, or finds its normals.
    CleanScan(cleaning::Step),
    /// Turns the nominal's facets so that they agree and face outward.
    UnifyWinding,
    /// Takes the selected facets out of the nominal.
    RemoveFacets,
}

impl Parts {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::OpenNominal { path, unit } => Execution::work("Opening the nominal", move |progress, _| {
                nominal(&path, unit, &before.settings, &context, progress)
            }),
            Self::OpenScans { paths, unit, columns } => {
                Execution::work("Opening the scan", move |progress, _| scans(&paths, unit, columns, &context, progress))
            }
            Self::CleanScan(step) => {
                Execution::work("Cleaning the scan", move |progress, _| clean(&step, &before, &context, progress))
            }
            Self::UnifyWinding => Execution::work("Unifying the winding", move |_, _| unify_winding(&before)),
            Self::RemoveFacets => Execution::work("Removing facets", move |_, _| remove_facets(&before)),
        }
    }
}

fn nominal(
    path: &Path,
    unit: Option<LengthUnit>,
    settings: &Settings,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let nominal = Arc::new(Nominal::read(path, unit, settings.fineness_of(&context.cad), progress)?);
    let notes = nominal.sentences();
    Ok(Edit::new("Open the nominal", move |document| {
        document.nominal = Some(nominal);
        document.facets = Marked::default();
        document.selections.retain(|named| named.of != Selectable::Facets);
        document.alignment = None;
        document.check = None;
        document.searches = None;
        document.pairs.clear();
    })
    .with_notes(notes))
}

pub(super) fn scans(
    paths: &[PathBuf],
    unit: Option<LengthUnit>,
    columns: Option<Columns>,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let actual = Arc::new(Actual::read(paths, unit, columns, &context.cad, progress)?);
    let notes = actual.sentences();
    Ok(Edit::new("Open the scan", move |document| {
        document.actual = Some(actual);
        document.points = Marked::default();
        document.selections.retain(|named| named.of != Selectable::Points);
        document.features.clear();
        document.tolerancing.slots.clear();
        document.alignment = None;
        document.check = None;
        document.searches = None;
        document.pairs.clear();
    })
    .with_notes(notes))
}

fn clean(step: &cleaning::Step, document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let Some(actual) = &document.actual else {
        return Err(UserError::usage("Load a scan first."));
    };
    let (after, kept) = actual.after(step, context.backend.as_ref(), progress)?;
    let news = after.notes[actual.notes.len()..].to_vec();
    let actual = Arc::new(after);
    Ok(Edit::new(step.name(), move |document| {
        document.actual = Some(actual);
        document.check = None;
        document.searches = None;
        if let Some(kept) = kept {
            super::selecting::renumber(Selectable::Points, document, &kept);
        }
    })
    .with_notes(news))
}

fn unify_winding(document: &Document) -> Result<Edit> {
    let Some(nominal) = &document.nominal else {
        return Err(UserError::usage("Load a nominal first."));
    };
    let (nominal, note) = nominal.stepped(NominalStep::UnifyWinding);
    let nominal = Arc::new(nominal);
    Ok(Edit::new("Unify the winding", move |document| {
        document.nominal = Some(nominal);
        document.check = None;
    })
    .with_notes([note]))
}

/// Takes the selected facets out of the nominal.
fn remove_facets(document: &Document) -> Result<Edit> {
    let (Some(nominal), removed) = (&document.nominal, document.facets.selected.clone()) else {
        return Err(UserError::usage("Load a nominal first."));
    };
    let kept = removed.inverted(nominal.surface.mesh().facets.len());
    if removed.is_empty() {
        return Err(UserError::usage("Brush some facets first."));
    }
    if kept.is_empty() {
        return Err(UserError::usage("These are all facets of the nominal: nothing would be left to compare with."));
    }
    let (nominal, note) = nominal.stepped(NominalStep::RemoveFacets(removed));
    let nominal = Arc::new(nominal);
    Ok(Edit::new("Remove facets", move |document| {
        document.nominal = Some(nominal);
        document.check = None;
        document.searches = None;
        super::selecting::renumber(Selectable::Facets, document, &kept);
    })
    .with_notes([note]))
}
