//! Commands on constructed elements and tolerances.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Edit;
use super::edit::Execution;
use base::{ErrorKind, Progress, Result, UserError};
use inspect::features::constructions::Construction;
use inspect::tolerances::Plan;
use io::atomic;
use session::Document;
use session::tolerancing::{ConstructionRecipe, Judgement, KeptTolerancing};

/// Largest file that is read, bytes: plans are written by hand.
const MOST_BYTES: u64 = 64 << 20;

/// What can be asked of constructed elements and tolerances.
#[derive(Clone, Debug)]
pub enum Tolerances {
    /// Makes an element from others.
    Construct {
        /// The way it is made.
        construction: Construction,
        /// Names of what it is made from, in order.
        sources: Vec<String>,
    },
    /// Removes a constructed element, by its number.
    RemoveConstruction(usize),
    /// Changes datum letters and tolerances.
    Set(Box<Plan>),
    /// Judges all tolerances.
    Judge,
    /// Reads datum letters and tolerances from a JSON file.
    Open(PathBuf),
    /// Writes datum letters and tolerances to a JSON file.
    Save(PathBuf),
}

impl Tolerances {
    pub(super) fn execution(self, before: Document) -> Result<Execution> {
        Ok(match self {
            Self::Construct { construction, sources } => Execution::Now(construct(construction, sources, &before)?),
            Self::RemoveConstruction(index) => Execution::Now(remove(index)),
            Self::Set(plan) => Execution::Now(set(*plan)),
            Self::Judge => Execution::work("Judging the tolerances", move |progress, _| judge(&before, progress)),
            Self::Open(path) => Execution::work("Opening the tolerances", move |_, _| open(&path)),
            Self::Save(path) => Execution::work("Saving the tolerances", move |_, _| save(&before, &path)),
        })
    }
}

/// A few parts make an element at once.
fn construct(construction: Construction, sources: Vec<String>, document: &Document) -> Result<Edit> {
    let made_so = document.tolerancing.constructed.iter();
    let before = made_so.filter(|element| element.recipe.construction.name() == construction.name()).count();
    let name = document.free_name(construction.name(), Some(before + 1));
    let element = ConstructionRecipe { name, construction, sources }.made(document, &Progress::silent())?;
    let note = format!("{}: {}", element.recipe.name, element.made.remark);
    let label = format!("Construct {}", element.recipe.name);
    Ok(Edit::new(label, move |document| document.tolerancing.constructed.push(element)).with_notes([note]))
}

fn remove(index: usize) -> Edit {
    Edit::new("Remove a constructed element", move |document| {
        if index < document.tolerancing.constructed.len() {
            document.tolerancing.constructed.remove(index);
        }
    })
}

fn set(plan: Plan) -> Edit {
    Edit::new("Change the tolerances", move |document| document.tolerancing.plan = Arc::new(plan))
}

fn judge(document: &Document, progress: &Progress) -> Result<Edit> {
    if document.tolerancing.plan.tolerances.is_empty() {
        return Err(UserError::usage("Add a tolerance first."));
    }
    let judgement = Arc::new(document.judged(progress)?);
    let note = summary(&judgement);
    let edit = Edit::new("Judge the tolerances", move |document| document.tolerancing.judgement = Some(judgement));
    Ok(edit.with_notes([note]))
}

/// “Tolerances: 2 × conforms, 1 × undecided.”
fn summary(judgement: &Judgement) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for result in &judgement.results {
        let words = result.as_ref().map_or("not judged", |judged| judged.words());
        match counts.iter_mut().find(|(own, _)| *own == words) {
            Some((_, count)) => *count += 1,
            None => counts.push((words, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(words, count)| format!("{count} × {words}")).collect();
    format!("Tolerances: {}.", counts.join(", "))
}

fn open(path: &Path) -> Result<Edit> {
    let file = std::fs::metadata(path).map_err(|e| UserError::file("open", path, &e))?;
    if file.len() > MOST_BYTES {
        return Err(UserError::input(format!("{}: this is too large for a list of tolerances.", path.display())));
    }
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    let plan = Plan::from_json(&text).map_err(|error| error.in_file(path))?;
    let note = format!("Opened {}: {} tolerances.", path.display(), plan.tolerances.len());
    Ok(Edit::new("Open tolerances", move |document| document.tolerancing.plan = Arc::new(plan)).with_notes([note]))
}

fn save(document: &Document, path: &Path) -> Result<Edit> {
    atomic::write_bytes(path, format!("{}\n", document.tolerancing.plan.to_json()?).as_bytes())?;
    Ok(Edit::nothing(format!("Saved {}.", path.display())))
}

/// Makes again what a project kept; what cannot be made is left out with a note.
pub(super) fn restored(
    kept: KeptTolerancing,
    document: &mut Document,
    notes: &mut Vec<String>,
    progress: &Progress,
) -> Result<()> {
    for recipe in kept.slots {
        let (name, points) = (recipe.name.clone(), document.points_at(&recipe.points));
        match recipe.made(&points, progress) {
            Ok(slot) => document.tolerancing.slots.push(slot),
            Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
            Err(error) => notes.push(format!("{name} could not be fitted again: {error}")),
        }
    }
    for recipe in kept.constructions {
        let name = recipe.name.clone();
        match recipe.made(document, progress) {
            Ok(element) => document.tolerancing.constructed.push(element),
            Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
            Err(error) => notes.push(format!("{name} could not be made again: {error}")),
        }
    }
    document.tolerancing.plan = Arc::new(kept.plan);
    if kept.judged {
        document.tolerancing.judgement = Some(Arc::new(document.judged(progress)?));
    }
    Ok(())
}
