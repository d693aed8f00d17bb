//! Commands that save and open inspections.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::saves::Kept;
use super::{Context, Edit};
use base::{Progress, Result, counted};
use inspect::parts::{Actual, Nominal};
use session::Document;
use session::plan::{DocumentPlan, Plan};
use session::project::Project;

/// What can be asked of inspections and their files.
#[derive(Clone, Debug)]
pub enum Projects {
    /// Saves the project.
    Save(PathBuf),
    /// Saves what was done as a plan for other parts.
    SavePlan(PathBuf),
    /// Opens a project.
    Open(PathBuf),
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
            Self::Restore(path) => Execution::work("Bringing the inspection back", move |progress, _| {
                project(path, true, &context, progress)
            }),
            Self::New => {
                let blank = Document { settings: before.settings, upkeep: before.upkeep, ..Document::default() };
                Execution::Now(Edit::inspection("Begin a new inspection", blank, Kept::Empty))
            }
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
    let DocumentPlan { plan, notes, .. } = Plan::of_document(document, context.backend.as_ref(), progress)?;
    plan.save(path)?;
    let count = counted(plan.elements().len(), "element", "elements");
    Ok(Edit::nothing(format!("Saved the plan {}: {count}.", path.display())).with_notes(notes))
}

/// Opens a project as far as it can be opened; the notes say what is missing or has changed. An autosave belongs into the
/// file that the inspection was last saved in, not into its own.
fn project(path: PathBuf, is_autosave: bool, context: &Context, progress: &Progress) -> Result<Edit> {
    let (project, mut notes) = Project::load(&path)?;
    let mut document = Document { settings: project.settings.clone(), pairs: project.pairs, ..Document::default() };
    let mut complete = true;
    if let Some(source) = &project.nominal {
        let read = Nominal::read(
            &source.path,
            source.unit,
            project.settings.fineness_of(&context.cad),
            &progress.part(0.0, 0.4),
        );
        let read = keep(read, &mut notes, &mut complete)?;
        document.nominal = read.map(|read| Arc::new(read.restepped(&project.nominal_steps, &mut notes)));
        if document.nominal.as_ref().is_some_and(|nominal| nominal.source.hash != source.hash) {
            notes.push(format!("{} has changed since the project was saved.", source.name()));
            complete = false;
        }
    }
    if let Some(first) = project.scans.first() {
        let paths: Vec<PathBuf> = project.scans.iter().map(|source| source.path.clone()).collect();
        let read = Actual::read(&paths, first.unit, first.columns, &context.cad, &progress.part(0.4, 0.7))
            .and_then(|actual| actual.cleaned(&project.cleaning, context.backend.as_ref(), &progress.part(0.7, 0.8)));
        document.actual = keep(read, &mut notes, &mut complete)?.map(Arc::new);
        let same = |actual: &Arc<Actual>| {
            actual.sources.iter().map(|source| &source.hash).eq(project.scans.iter().map(|source| &source.hash))
        };
        if document.actual.as_ref().is_some_and(|actual| !same(actual)) {
            notes.push("A scan has changed since the project was saved.".to_owned());
            complete = false;
        }
    }
    document.probing = Arc::new(project.probing);
    document.upkeep = project.upkeep;
    document.points.hidden = project.hidden;
    document.facets.hidden = project.hidden_facets;
    document.selections = project.selections;
    super::selecting::drop_strangers(&mut document);
    if let Some(actual) = &document.actual {
        for recipe in project.features {
            let (backend, name) = (context.backend.as_ref(), recipe.name.clone());
            let made = super::features::made(recipe, actual, backend, &progress.part(0.8, 0.82));
            document.features.extend(keep(made.map_err(|error| error.about(&name)), &mut notes, &mut complete)?);
        }
    }
    document.alignment = project.alignment.map(Arc::new);
    if project.checked && document.nominal.is_some() && document.actual.is_some() {
        let compared = super::inspection::compare(&document, context, &progress.part(0.8, 1.0));
        if let Some(edit) = keep(compared, &mut notes, &mut complete)? {
            (edit.apply)(&mut document);
        }
    }
    let found = notes.len();
    document.calibration = super::calibrate::restored(project.calibration, &mut notes, &progress.part(0.9, 1.0))?;
    super::tolerances::restored(project.tolerancing, &mut document, &mut notes, &progress.part(0.9, 1.0))?;
    complete &= notes.len() == found;
    if !complete {
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

/// The value, or its failure as a note; a cancel stays a cancel.
fn keep<T>(read: Result<T>, notes: &mut Vec<String>, complete: &mut bool) -> Result<Option<T>> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.kind == base::ErrorKind::Cancelled => Err(error),
        Err(error) => {
            notes.push(error.sentence);
            *complete = false;
            Ok(None)
        }
    }
}
