//! Commands on sections.

use std::path::{Path, PathBuf};

use super::edit::Execution;
use super::{Context, Edit};
use base::{Progress, Result, UserError, counted, full_path};
use inspect::section::dimension::Dimension;
use inspect::section::{Parameters, Placement, Section, SectionRecipe};
use session::Document;
use session::pipeline::State;
use session::plan::{ElementId, Recipe};

/// Commands on sections.
#[derive(Clone, Debug)]
pub enum Sections {
    /// Cuts the nominal, and the scan if there is one, as the active alignment places it.
    Add(Parameters),
    /// Changes how a section is cut and judged.
    Change(ElementId, Parameters),
    /// Adds a dimension to a section, and with a gap how flush its sides are.
    AddDimension(ElementId, Dimension),
    /// Writes drawings, contours and deviations of a section into a folder, deviations enlarged by this factor (`None`
    /// for one that shows them well).
    Save(ElementId, PathBuf, Option<f64>),
}

impl Sections {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::Add(parameters) => {
                Execution::work("Cutting a section", move |progress, _| add(parameters, before, &context, progress))
            }
            Self::Change(id, parameters) => Execution::work("Cutting a section", move |progress, _| {
                change(id, parameters, before, &context, progress)
            }),
            Self::AddDimension(id, dimension) => Execution::work("Adding a dimension", move |progress, _| {
                let mut parameters = recipe(id, &before)?.parameters;
                parameters.dimensions.extend(dimension.with_companion());
                change(id, parameters, before, &context, progress)
            }),
            Self::Save(id, folder, factor) => {
                Execution::work("Saving the section", move |_, _| save(id, &folder, factor, &before))
            }
        }
    }
}

/// E.g. “Section Z = 12 mm”.
fn name(parameters: &Parameters) -> String {
    let position = parameters.placement.describe();
    match (&parameters.placement, parameters.count) {
        (Placement::Curve { .. } | Placement::Edge { .. }, _) => format!("Sections {position}"),
        (_, 1) => format!("Section {position}"),
        (_, count) => format!("{count} sections from {position}"),
    }
}

/// The active scan and alignment; `None` of both before the scan is aligned, since one that lies anywhere has no
/// deviations.
fn placed_scan(document: &Document) -> (Option<ElementId>, Option<ElementId>) {
    let alignment = document.active.alignment.filter(|_| document.alignment().is_some());
    (document.active.scan.filter(|_| alignment.is_some()), alignment)
}

fn add(parameters: Parameters, document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    parameters.check()?;
    let nominal = document.active.nominal.ok_or_else(|| UserError::usage("Load a nominal first."))?;
    let (scan, alignment) = placed_scan(&document);
    let name = document.free_name(&texts::name(&name(&parameters)), None);
    let recipe = SectionRecipe { nominal, scan, alignment, parameters };
    Edit::adding("Add a section", &name, recipe.into(), document, context, progress)
}

fn recipe(id: ElementId, document: &Document) -> Result<SectionRecipe> {
    let element = document.plan.get(id).ok_or_else(|| UserError::usage("There is no such section."))?;
    match &element.recipe {
        Recipe::Section(recipe) => Ok(SectionRecipe::clone(recipe)),
        _ => Err(UserError::usage(format!("“{}” is not a section.", element.name))),
    }
}

fn change(
    id: ElementId,
    parameters: Parameters,
    document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    parameters.check()?;
    let before = recipe(id, &document)?;
    let mut recipe = SectionRecipe { parameters: parameters.clone(), ..before.clone() };
    if recipe.scan.is_none() {
        (recipe.scan, recipe.alignment) = placed_scan(&document);
    }
    let names = [name(&before.parameters), name(&parameters)];
    Edit::changing(id, recipe.into(), names, document, context, progress)
}

fn save(id: ElementId, folder: &Path, factor: Option<f64>, document: &Document) -> Result<Edit> {
    let name = document.plan.name(id);
    let is_fresh = document.state(id) == State::Fresh;
    let section = document.result::<Section>(Some(id)).filter(|_| is_fresh);
    let section = section.ok_or_else(|| UserError::usage(format!("“{name}” has no up-to-date result.")))?;
    let scale = report::colour_scale(section.parameters.tolerance, document);
    let files = report::sections::save(folder, section, &scale, factor)?;
    let count = counted(files.len(), "file", "files");
    Ok(Edit::nothing(format!("Saved {count} of “{name}” in {}.", full_path(folder))))
}
