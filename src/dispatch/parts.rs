//! Commands that open and modify nominals and scans.

use std::path::PathBuf;
use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit};
use base::{LengthUnit, Progress, Result, UserError};
use inspect::cleaning;
use inspect::parts::{NominalRecipe, NominalStep, ScanRecipe};
use io::SourceFile;
use io::xyz::Columns;
use session::Document;
use session::plan::{ElementId, Recipe};
use session::selection::Selectable;

/// Commands on nominals and scans.
#[derive(Clone, Debug)]
pub enum Parts {
    /// Loads a nominal.
    OpenNominal {
        /// Its file.
        path: PathBuf,
        /// Its unit; `None` uses that of the file format, else mm.
        unit: Option<LengthUnit>,
    },
    /// Loads a further nominal, such as a tool or the stock, and shows it.
    AddNominal {
        /// Its file.
        path: PathBuf,
        /// Its unit; `None` uses that of the file format, else mm.
        unit: Option<LengthUnit>,
    },
    /// Loads one or more snapshots of one part in one frame.
    OpenScans {
        /// Their files.
        paths: Vec<PathBuf>,
        /// Their unit.
        unit: Option<LengthUnit>,
        /// Column layout of text files.
        columns: Option<Columns>,
    },
    /// Removes outliers of the scan, thins it, or estimates its normals.
    CleanScan(cleaning::Step),
    /// Orients the nominal's facets consistently, facing outward.
    UnifyWinding,
    /// Removes the selected facets from the nominal.
    RemoveFacets,
}

impl Parts {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::OpenNominal { path, unit } => Execution::work("Opening the nominal", move |progress, _| {
                let add = |document: &mut Document| document.set_nominal(SourceFile::read(&path, unit, None)?);
                nominal("Open the nominal", add, before, &context, progress)
            }),
            Self::AddNominal { path, unit } => Execution::work("Adding the nominal", move |progress, _| {
                let add = |document: &mut Document| document.add_nominal(SourceFile::read(&path, unit, None)?);
                nominal("Add a nominal", add, before, &context, progress)
            }),
            Self::OpenScans { paths, unit, columns } => Execution::work("Opening the scan", move |progress, _| {
                scans(&paths, unit, columns, before, &context, progress)
            }),
            Self::CleanScan(step) => {
                Execution::work("Cleaning the scan", move |progress, _| clean(step, before, &context, progress))
            }
            Self::UnifyWinding => Execution::work("Unifying the winding", move |_, _| {
                let (after, note) = step_nominal(NominalStep::UnifyWinding, before)?;
                Ok(Edit::replacing("Unify the winding", after).with_notes([note]))
            }),
            Self::RemoveFacets => Execution::work("Removing facets", move |_, _| remove_facets(before)),
        }
    }
}

/// Loads the nominal that `add` adds to the document.
fn nominal(
    label: &str,
    add: impl FnOnce(&mut Document) -> Result<ElementId>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let id = add(&mut document)?;
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes: Vec<String> = document.sentences(id).into_iter().chain(document.outdated_pmi_note()).collect();
    Ok(Edit::replacing(label, document).with_notes(notes))
}

pub(super) fn scans(
    paths: &[PathBuf],
    unit: Option<LengthUnit>,
    columns: Option<Columns>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (id, removed) = document.set_scan(paths, unit, columns)?;
    Ok(Edit::making("Open the scan", id, document, context, progress)?.with_notes(removed))
}

fn clean(step: cleaning::Step, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(id), Some(actual)) = (document.active.scan, document.actual()) else {
        return Err(UserError::usage("Load a scan first."));
    };
    let (after, kept) = actual.with_step(&step, context.backend.as_ref(), &progress.part(0.0, 0.8))?;
    let new_notes = after.notes[actual.notes.len()..].to_vec();
    let label = step.name();
    document.change_recipe(id, |recipe| {
        if let Recipe::Scan(own) = recipe {
            own.cleaning.push(step);
        }
    })?;
    document.store_result::<ScanRecipe>(id, Arc::new(after));
    document.searches = None;
    if let Some(kept) = kept {
        super::selecting::renumber(Selectable::Points, &mut document, &kept)?;
    }
    document.recompute_stale(&context.quiet_tools(), &progress.part(0.8, 1.0))?;
    Ok(Edit::replacing(label, document).with_notes(new_notes))
}

/// The document with one more modification of its nominal, and a note on it.
fn step_nominal(step: NominalStep, mut document: Document) -> Result<(Document, String)> {
    let (Some(id), Some(nominal)) = (document.active.nominal, document.nominal()) else {
        return Err(UserError::usage("Load a nominal first."));
    };
    let (stepped, note) = nominal.with_step(step.clone());
    document.change_recipe(id, |recipe| {
        if let Recipe::Nominal(own) = recipe {
            own.steps.push(step);
        }
    })?;
    document.store_result::<NominalRecipe>(id, Arc::new(stepped));
    Ok((document, note))
}

/// Removes the selected facets from the nominal.
fn remove_facets(document: Document) -> Result<Edit> {
    let (Some(nominal), removed) = (document.nominal(), document.facets.selected.clone()) else {
        return Err(UserError::usage("Load a nominal first."));
    };
    let kept = removed.inverted(nominal.surface.mesh().facets.len());
    if removed.is_empty() {
        return Err(UserError::usage("Brush some facets first."));
    }
    if kept.is_empty() {
        return Err(UserError::usage("All facets of the nominal are selected: nothing would be left to compare with."));
    }
    let (mut document, note) = step_nominal(NominalStep::RemoveFacets(removed), document)?;
    document.searches = None;
    super::selecting::renumber(Selectable::Facets, &mut document, &kept)?;
    Ok(Edit::replacing("Remove facets", document).with_notes([note]))
}
