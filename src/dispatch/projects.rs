//! Commands that save and open inspections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::saves::SavedState;
use super::{Context, Edit};
use base::{Progress, Result, counted, full_path};
use session::Document;
use session::plan::{Element, ElementId, Plan, Recipe};
use session::project::{Opened, Project};

/// Commands on inspections and their files.
#[derive(Clone, Debug)]
pub enum Projects {
    /// Saves the project.
    Save(PathBuf),
    /// Saves the inspection as a plan for other parts.
    SavePlan(PathBuf),
    /// Opens a project.
    Open(PathBuf),
    /// Starts an inspection by a plan.
    OpenPlan(PathBuf),
    /// Restores the autosave of a session that ended abnormally.
    Restore(PathBuf),
    /// Starts a new inspection.
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
            Self::Restore(path) => {
                Execution::work("Restoring the inspection", move |progress, _| project(path, true, &context, progress))
            }
            Self::New => Execution::Now(Edit::inspection("Start a new inspection", blank(before), SavedState::Empty)),
        }
    }
}

fn save(document: &Document, path: PathBuf) -> Result<Edit> {
    Project::of(document).save(&path)?;
    let note = format!("Saved {}.", full_path(&path));
    Ok(Edit { saved_state: Some(SavedState::In(path)), ..Edit::nothing(note) })
}

/// Saves the plan, generalised to other parts; the notes name what can be measured on this scan alone.
fn save_plan(document: &Document, path: &Path, context: &Context, progress: &Progress) -> Result<Edit> {
    let (own, notes) = document.for_other_parts(context.backend.as_ref(), progress)?;
    own.plan.save(path)?;
    let count = counted(own.plan.elements().len(), "element", "elements");
    Ok(Edit::nothing(format!("Saved the plan {}: {count}.", full_path(path))).with_notes(notes))
}

/// Starts an inspection by a plan and computes its nominals.
fn open_plan(path: &Path, before: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (plan, mut notes) = Plan::load(path)?;
    let mut document = blank(before);
    document.adopt_plan(plan);
    let nominals = |own: &&Arc<Element>| matches!(own.recipe, Recipe::Nominal(_));
    let ids: Vec<ElementId> = document.plan.elements().iter().filter(nominals).map(|own| own.id).collect();
    document.make(&ids, &context.quiet_tools(), progress)?;
    notes.extend(ids.iter().filter_map(|id| Some(document.failure(*id)?.sentence)));
    let count = counted(document.plan.elements().len(), "element", "elements");
    notes.push(format!("Opened the plan {}: {count}. Open a scan to measure it.", path.display()));
    Ok(Edit::inspection("Open a plan", document, SavedState::Unsaved(None)).with_notes(notes))
}

/// An empty inspection with the same settings and colours.
pub(super) fn blank(before: Document) -> Document {
    let mut blank = Document::default();
    (blank.settings, blank.monitoring) = (before.settings, before.monitoring);
    // The faces of another nominal.
    blank.settings.deviation.own_tolerances.clear();
    blank.plan.presentation.colours = before.plan.presentation.colours;
    blank
}

/// Opens a project as far as possible; the notes say what is missing or has changed. An autosave is tied to the file
/// the inspection was last saved to, not to its own.
fn project(path: PathBuf, is_autosave: bool, context: &Context, progress: &Progress) -> Result<Edit> {
    let (project, mut notes) = Project::load(&path)?;
    let Opened { mut document, notes: found } = project.open(&context.quiet_tools(), &progress.part(0.0, 0.9))?;
    notes.extend(found);
    super::selecting::drop_invalid(&mut document);
    document.calibration = project.calibration.restore(&mut notes, &progress.part(0.9, 1.0))?;
    if !notes.is_empty() {
        notes.push("The project was opened as far as its files allow.".to_owned());
    }
    let saved_state = if is_autosave {
        notes.push("Restored unsaved changes.".to_owned());
        SavedState::Unsaved(project.belongs_in)
    } else {
        notes.push(format!("Opened {}.", path.display()));
        SavedState::In(path)
    };
    Ok(Edit::inspection("Open a project", document, saved_state).with_notes(notes))
}
