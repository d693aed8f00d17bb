//! Commands on constructed elements and tolerances.

use std::path::{Path, PathBuf};

use super::edit::Execution;
use super::features::{named_sentences, no_such_feature};
use super::{Context, Edit};
use base::{Progress, Result, UserError, counted, full_path};
use inspect::features::constructions::Construction;
use inspect::features::recipe::ConstructionRecipe;
use inspect::tolerances::Plan;
use io::atomic;
use session::Document;
use session::features::Measured;
use session::plan::ElementId;
use session::tolerancing::Judgement;

/// Largest file that is read, bytes (64 MiB).
const MAX_BYTES: u64 = 64 << 20;

/// Commands on constructed elements and tolerances.
#[derive(Clone, Debug)]
pub enum Tolerances {
    /// Constructs an element from others.
    Construct {
        /// The construction.
        construction: Construction,
        /// Names of its source elements, in order.
        sources: Vec<String>,
    },
    /// Changes datum letters and tolerances.
    Set(Box<Plan>),
    /// Judges all tolerances.
    Judge,
    /// Takes the tolerances and dimensions that the nominal's CAD file states into the plan, and judges them.
    TakeFromCad {
        /// Nesting index of the Gaussian filter of tolerances of surfaces, mm; `None` evaluates points as measured.
        filter_mm: Option<f64>,
    },
    /// Gives what was taken from an earlier CAD file the values of the shown one, removes what that states no longer, and
    /// judges the rest.
    FollowCad,
    /// Reads datum letters and tolerances from a JSON file.
    Open(PathBuf),
    /// Writes datum letters and tolerances to a JSON file.
    Save(PathBuf),
}

impl Tolerances {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Construct { construction, sources } => Execution::work("Constructing", move |progress, _| {
                construct(construction, &sources, before, &context, progress)
            }),
            Self::Set(plan) => Execution::Now(set(*plan, before)?),
            Self::Judge => {
                Execution::work("Judging the tolerances", move |progress, _| judge(before, &context, progress))
            }
            Self::TakeFromCad { filter_mm } => {
                Execution::work("Measuring the tolerances of the CAD", move |progress, _| {
                    take_from_cad(filter_mm, before, &context, progress)
                })
            }
            Self::FollowCad => Execution::work("Measuring the tolerances of the CAD", move |progress, _| {
                follow_cad(before, &context, progress)
            }),
            Self::Open(path) => Execution::work("Opening the tolerances", move |_, _| open(&path, before)),
            Self::Save(path) => Execution::work("Saving the tolerances", move |_, _| save(&before, &path)),
        })
    }
}

fn construct(
    construction: Construction,
    sources: &[String],
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let is_same_kind = |own: &Measured<'_, ConstructionRecipe>| own.recipe.construction.name() == construction.name();
    let before = document.constructions().into_iter().filter(is_same_kind).count();
    let name = document.free_name(&texts::name(construction.name()), Some(before + 1));
    let source = |name: &String| document.feature_id(name).ok_or_else(|| no_such_feature(name));
    let sources = sources.iter().map(source).collect::<Result<Vec<ElementId>>>()?;
    let recipe = ConstructionRecipe { construction, sources, nominal: None, nominal_from: None };
    let id = document.plan.add(&name, recipe.into())?;
    let made = document.make_one(id, &context.quiet_tools(), progress);
    made.map_err(|error| error.about(construction.name()))?;
    let notes = named_sentences(&document, id);
    Ok(Edit::replacing(format!("Construct “{name}”"), document).with_notes(notes))
}

fn set(plan: Plan, mut document: Document) -> Result<Edit> {
    document.ask(plan)?;
    Ok(Edit::replacing("Change the tolerances", document))
}

fn judge(mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let all: Vec<ElementId> = document.tolerances().map(|(id, _)| id).collect();
    if all.is_empty() {
        return Err(UserError::usage("Add a tolerance first."));
    }
    document.make(&all, &context.quiet_tools(), progress)?;
    let note = summary(&document.judgement().unwrap_or_default());
    Ok(Edit::replacing("Judge the tolerances", document).with_notes([note]))
}

fn take_from_cad(
    filter_mm: Option<f64>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let taken = document.take_pmi(filter_mm)?;
    document.make(&taken.checks, &context.quiet_tools(), progress)?;
    let refusals = document.pmi_plan().map(|stated| stated.refusals()).unwrap_or_default();
    let known = taken.checks.len() - taken.added;
    let known = if known > 0 { format!("; {known} were in the plan already") } else { String::new() };
    let words = counted(taken.added, "tolerance or dimension", "tolerances and dimensions");
    let note = format!("Took {words} from the CAD file{known}.");
    let judged = document.judgement().map(|judgement| summary(&judgement));
    let notes = std::iter::once(note).chain(judged).chain(refusals);
    Ok(Edit::replacing("Take the tolerances of the CAD", document).with_notes(notes))
}

fn follow_cad(mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (updated, removed) = document.follow_pmi()?;
    if updated.is_empty() && removed.is_empty() {
        return Err(UserError::usage("All that was taken from the CAD is as its file states it."));
    }
    // Before the scan is aligned there is nothing to judge.
    if document.alignment().is_some() {
        document.make(&updated, &context.quiet_tools(), progress)?;
    }
    let note = format!("By the CAD file: {} updated, {} removed.", updated.len(), removed.len());
    Ok(Edit::replacing("Update the tolerances of the CAD", document).with_notes([note]))
}

/// E.g. “Tolerances: 2 × conforms, 1 × undecided.”
fn summary(judgement: &[Judgement]) -> String {
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for result in judgement {
        let words = result.as_ref().map_or("not judged", |judged| judged.words());
        match counts.iter_mut().find(|(own, _)| *own == words) {
            Some((_, count)) => *count += 1,
            None => counts.push((words, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(words, count)| format!("{count} × {words}")).collect();
    format!("Tolerances: {}.", counts.join(", "))
}

/// Reads datum letters and tolerances from a JSON file.
fn read(path: &Path) -> Result<Plan> {
    let file = std::fs::metadata(path).map_err(|e| UserError::file("open", path, &e))?;
    if file.len() > MAX_BYTES {
        return Err(UserError::input(format!("{}: this is too large for a list of tolerances.", path.display())));
    }
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    Plan::from_json(&text).map_err(|error| error.in_file(path))
}

fn open(path: &Path, mut document: Document) -> Result<Edit> {
    let plan = read(path)?;
    let note = format!("Opened {}: {} tolerances.", path.display(), plan.tolerances.len());
    document.ask(plan)?;
    Ok(Edit::replacing("Open tolerances", document).with_notes([note]))
}

fn save(document: &Document, path: &Path) -> Result<Edit> {
    atomic::write_bytes(path, format!("{}\n", document.asked().to_json()?).as_bytes())?;
    Ok(Edit::nothing(format!("Saved {}.", full_path(path))))
}
