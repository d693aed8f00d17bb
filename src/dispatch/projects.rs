//! Commands that save and open inspections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::saves::Kept;
use super::{Context, Edit};
use base::{Progress, Result, counted};
use session::Document;
use session::plan::{Element, ElementId, Plan, Recipe};
use session::project::{Opened, Project};

/// What can be asked of inspections and their files.
#[derive(Clone, Debug)]
pub enum Projects {
    /// Saves the project.
    Save(PathBuf),
    /// Saves what was done as a plan for other parts.
    SavePlan(PathBuf),
    /// Opens a project.
    Open(PathBuf),
    /// Begins an inspection by a plan.
    OpenPlan(PathBuf),
    /// Opens what a run that did not end well had saved by itself.
    Restore(PathBuf),
    /// Begins anew.
    New,
}

impl Projects {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::Save(path) => Execution::work("Saving the project", move |_, _| save(&before, path)),
            Self::SavePlan(path) => {
                Execution::work("Saving the plan", move |progress, _| save_plan(&before, &path, &context, progress))
            }
            Self::Open(path) => {
                Execution::work("Opening the project", move |progress, _| project(path, false, &context, progress))
            }
            Self::OpenPlan(path) => {
                Execution::work("Opening the plan", move |progress, _| open_plan(&path, before, &context, progress))
            }
            Self::Restore(path) => Execution::work("Bringing the inspection back", move |progress, _| {
                project(path, true, &context, progress)
            }),
            Self::New => Execution::Now(Edit::inspection("Begin a new inspection", blank(before), Kept::Empty)),
        }
    }
}

fn save(document: &Document, path: PathBuf) -> Result<Edit> {
    Project::of(document).save(&path)?;
    let note = format!("Saved {}.", path.display());
    Ok(Edit { kept: Some(Kept::In(path)), ..Edit::nothing(note) })
}

/// The sentences say what of it holds for this scan alone.
fn save_plan(document: &Document, path: &Path, context: &Context, progress: &Progress) -> Result<Edit> {
    let (own, notes) = document.for_other_parts(context.backend.as_ref(), progress)?;
    own.plan.save(path)?;
    let count = counted(own.plan.elements().len(), "element", "elements");
    Ok(Edit::nothing(format!("Saved the plan {}: {count}.", path.display())).with_notes(notes))
}

/// Begins an inspection by a plan: what needs no scan is made.
fn open_plan(path: &Path, before: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (plan, mut notes) = Plan::load(path)?;
    let mut document = blank(before);
    document.take_plan(plan);
    let nominals = |own: &&Arc<Element>| matches!(own.recipe, Recipe::Nominal(_));
    let ids: Vec<ElementId> = document.plan.elements().iter().filter(nominals).map(|own| own.id).collect();
    document.make(&ids, &context.quiet_tools(), progress)?;
    notes.extend(ids.iter().filter_map(|id| Some(document.failure(*id)?.sentence)));
    let count = counted(document.plan.elements().len(), "element", "elements");
    notes.push(format!("Opened the plan {}: {count}. Open a scan to measure it.", path.display()));
    Ok(Edit::inspection("Open a plan", document, Kept::Nowhere(None)).with_notes(notes))
}

/// An empty inspection with the same settings.
fn blank(before: Document) -> Document {
    let mut blank = Document::default();
    (blank.settings, blank.upkeep) = (before.settings, before.upkeep);
    blank
}

/// Opens a project as far as it can be opened; the notes say what is missing or has changed. An autosave belongs into the
/// file that the inspection was last saved in, not into its own.
fn project(path: PathBuf, is_autosave: bool, context: &Context, progress: &Progress) -> Result<Edit> {
    let (project, mut notes) = Project::load(&path)?;
    let Opened { mut document, notes: found } = project.open(&context.quiet_tools(), &progress.part(0.0, 0.9))?;
    notes.extend(found);
    super::selecting::drop_strangers(&mut document);
    document.calibration = super::calibrate::restored(project.calibration, &mut notes, &progress.part(0.9, 1.0))?;
    if !notes.is_empty() {
        notes.push("The project was opened as far as its files allow.".to_owned());
    }
    let kept = if is_autosave {
        notes.push("Brought back what was not saved.".to_owned());
        Kept::Nowhere(project.belongs_in)
    } else {
        notes.push(format!("Opened {}.", path.display()));
        Kept::In(path)
    };
    Ok(Edit::inspection("Open a project", document, kept).with_notes(notes))
}
