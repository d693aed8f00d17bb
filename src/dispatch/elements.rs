//! Commands on plan elements of any kind.

use super::edit::Execution;
use super::{Context, Edit};
use base::{Progress, Result, UserError};
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};

/// Commands on plan elements of any kind.
#[derive(Clone, Debug)]
pub enum Elements {
    /// Removes an element and everything computed from it.
    Remove(ElementId),
    /// Renames an element.
    Rename(ElementId, String),
    /// Moves an element to another position in the operator's order.
    MoveTo(ElementId, usize),
    /// Replaces the recipe of an element, and recomputes it and what depends on it.
    SetRecipe(ElementId, Box<Recipe>),
    /// Adds an element and computes it.
    Add(String, Box<Recipe>),
    /// Recomputes one element, or all (`None`), if they are not up to date.
    Update(Option<ElementId>),
}

impl Elements {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Remove(id) => Execution::Now(remove(id, before)),
            Self::Rename(id, name) => {
                Execution::work("Renaming", move |progress, _| rename(id, &name, before, &context, progress))
            }
            Self::MoveTo(id, position) => Execution::Now(move_to(id, position, before)?),
            Self::SetRecipe(id, recipe) => Execution::work("Changing the element", move |progress, _| {
                set_recipe(id, *recipe, before, &context, progress)
            }),
            Self::Add(name, recipe) => Execution::work("Adding the element", move |progress, _| {
                add(&name, *recipe, before, &context, progress)
            }),
            Self::Update(id) => Execution::work("Updating", move |progress, _| update(id, before, &context, progress)),
        })
    }
}

fn remove(id: ElementId, mut document: Document) -> Edit {
    let label = format!("Remove “{}”", document.plan.name(id));
    let notes = document.remove(&[id]);
    Edit::replacing(label, document).with_notes(notes)
}

/// Results that quote the name become stale by renaming; those that were up to date are recomputed.
fn rename(id: ElementId, name: &str, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let label = format!("Rename “{}”", document.plan.name(id));
    let all: Vec<ElementId> = document.plan.elements().iter().map(|own| own.id).collect();
    let fresh: Vec<ElementId> = all.into_iter().filter(|own| document.state(*own) == State::Fresh).collect();
    document.plan.rename(id, name)?;
    document.make(&fresh, &context.quiet_tools(), progress)?;
    Ok(Edit::replacing(label, document))
}

fn move_to(id: ElementId, position: usize, mut document: Document) -> Result<Edit> {
    let label = format!("Move “{}”", document.plan.name(id));
    document.plan.move_to(id, position)?;
    Ok(Edit::replacing(label, document))
}

fn set_recipe(
    id: ElementId,
    recipe: Recipe,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let was_run = document.stage().results.outcome(id).is_some();
    document.plan.set_recipe(id, recipe)?;
    let tools = context.quiet_tools();
    if was_run {
        document.make_one(id, &tools, &progress.part(0.0, 0.7))?;
    }
    document.recompute_stale(&tools, &progress.part(0.7, 1.0))?;
    let notes = super::features::named_sentences(&document, id);
    Ok(Edit::replacing(format!("Change “{}”", document.plan.name(id)), document).with_notes(notes))
}

fn add(name: &str, recipe: Recipe, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let id = document.plan.add(name, recipe)?;
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = super::features::named_sentences(&document, id);
    Ok(Edit::replacing(format!("Add “{}”", document.plan.name(id)), document).with_notes(notes))
}

fn update(id: Option<ElementId>, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let tools = context.quiet_tools();
    match id {
        Some(id) => {
            document.make_one(id, &tools, progress)?;
            let notes = super::features::named_sentences(&document, id);
            Ok(Edit::replacing(format!("Update “{}”", document.plan.name(id)), document).with_notes(notes))
        }
        None if document.plan.elements().is_empty() => {
            Err(UserError::usage("There is nothing to update: open a nominal and a scan first."))
        }
        None => {
            let notes = document.make_all(&tools, progress)?;
            Ok(Edit::replacing("Update all", document).with_notes(notes))
        }
    }
}
