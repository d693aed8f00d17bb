//! Commands on main alignments.

use super::features::named_sentences;
use super::{Context, Edit};
use base::{Progress, Result, UserError};
use inspect::main_alignment::{MainAlignmentRecipe, MainMethod};
use inspect::tolerances::common::joined;
use inspect::tolerances::recipe::DatumElements;
use session::Document;
use session::plan::{ElementId, Recipe};

/// E.g. “Datum system A-B C”; `in_words` gives the words of a language.
fn name(to: &MainMethod, document: &Document, in_words: impl Fn(&str) -> String) -> String {
    match to {
        MainMethod::ReferencePoints(_) => in_words("Reference points"),
        MainMethod::DatumSystem { datums, .. } => {
            let letter = |id: &ElementId| match document.plan.get(*id).map(|own| &own.recipe) {
                Some(Recipe::Datum(own)) => own.letter.clone(),
                _ => document.plan.name(*id),
            };
            let common = |own: &DatumElements<ElementId>| joined(&own.all().iter().map(letter).collect::<Vec<_>>());
            let letters: Vec<String> = datums.iter().map(common).collect();
            format!("{} {}", in_words("Datum system"), letters.join(" "))
        }
        MainMethod::OnFaces { .. } => in_words("Best fit on faces"),
        MainMethod::WithinTolerance(_) => in_words("Within tolerance"),
    }
}

/// Adds a main alignment and measures the shown comparison in it.
pub(super) fn add(to: MainMethod, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let is_compared = document.check().is_some();
    let name = name(&to, &document, texts::name);
    let id = document.add_main_alignment(&name, to)?;
    made("Add a main alignment", id, is_compared, document, context, progress)
}

/// Changes what a main alignment aligns to; what is measured in it is measured again.
pub(super) fn change(
    id: ElementId,
    to: MainMethod,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let Some(Recipe::MainAlignment(own)) = document.plan.get(id).map(|own| own.recipe.clone()) else {
        return Err(UserError::usage(format!("“{}” is not a main alignment.", document.plan.name(id))));
    };
    let is_compared = document.check().is_some();
    let both = [own.to.clone(), to.clone()];
    document.plan.set_recipe(id, MainAlignmentRecipe { to, ..*own }.into())?;
    let named = document.clone();
    document.retitle(id, || both.each_ref().map(|to| name(to, &named, |own| texts::word(own).into_owned())));
    made("Change a main alignment", id, is_compared, document, context, progress)
}

/// Shows an alignment and measures the shown comparison in it.
pub(super) fn measure_in(
    id: ElementId,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let is_compared = document.check().is_some();
    document.measure_in(id)?;
    made("Measure in another alignment", id, is_compared, document, context, progress)
}

/// The edit once the alignment, and the active comparison if there was one, are made.
fn made(
    label: &str,
    id: ElementId,
    is_compared: bool,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let tools = context.quiet_tools();
    document.make_one(id, &tools, &progress.part(0.0, 0.4))?;
    if let Some(comparison) = document.active.comparison.filter(|_| is_compared) {
        document.make(&[comparison], &tools, &progress.part(0.4, 0.9))?;
    }
    document.recompute_stale(&tools, &progress.part(0.9, 1.0))?;
    let notes = named_sentences(&document, id);
    Ok(Edit::replacing(label, document).with_notes(notes))
}
