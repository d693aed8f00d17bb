//! Commands on surface points.

use std::path::PathBuf;

use super::edit::Execution;
use super::{Context, Edit};
use base::{Progress, Result, UserError};
use geometry::Point;
use inspect::main_alignment::csv;
use inspect::surface_points::{Parameters, SurfacePointsRecipe};
use session::Document;
use session::plan::{ElementId, Recipe};

/// Name of the elements in the plan.
const NAME: &str = "Surface points";

/// Commands on surface points.
#[derive(Clone, Debug)]
pub enum SurfacePoints {
    /// Measures a point of the nominal, in addition to those of an element, or of a new one for `None`.
    Pick(Option<ElementId>, Point),
    /// Measures the points of a table, in addition to those of an element, or of a new one for `None`.
    Open(Option<ElementId>, PathBuf),
    /// Measures these points.
    Add(Parameters),
    /// Changes which points are measured, and how they are judged.
    Change(ElementId, Parameters),
}

impl SurfacePoints {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        Execution::work("Measuring surface points", move |progress, _| match self {
            Self::Pick(to, point) => {
                let mut parameters = parameters_of(to, &before)?;
                parameters.at.add('P', &point);
                add_or_change(to, parameters, before, &context, progress)
            }
            Self::Open(to, path) => {
                let mut parameters = parameters_of(to, &before)?;
                parameters.at.points.extend(csv::read(&path)?);
                add_or_change(to, parameters, before, &context, progress)
            }
            Self::Add(parameters) => add(parameters, before, &context, progress),
            Self::Change(id, parameters) => change(id, parameters, before, &context, progress),
        })
    }
}

/// The parameters of an element; for `None` no points yet, judged by the limits of the comparison.
fn parameters_of(id: Option<ElementId>, document: &Document) -> Result<Parameters> {
    let tolerance = document.settings.deviation.tolerance;
    id.map_or_else(|| Ok(Parameters { tolerance, ..Parameters::default() }), |id| Ok(recipe(id, document)?.parameters))
}

fn add_or_change(
    id: Option<ElementId>,
    parameters: Parameters,
    document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    match id {
        Some(id) => change(id, parameters, document, context, progress),
        None => add(parameters, document, context, progress),
    }
}

fn recipe(id: ElementId, document: &Document) -> Result<SurfacePointsRecipe> {
    match document.plan.get(id).map(|element| &element.recipe) {
        Some(Recipe::SurfacePoints(own)) => Ok(SurfacePointsRecipe::clone(own)),
        _ => Err(UserError::usage("There are no such surface points.")),
    }
}

fn add(parameters: Parameters, document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    parameters.check()?;
    let nominal = document.active.nominal.ok_or_else(|| UserError::usage("Load a nominal first."))?;
    let scan = document.active.scan.ok_or_else(|| UserError::usage("Load a scan first."))?;
    let alignment = document.active.alignment.filter(|_| document.alignment().is_some());
    let alignment = Some(alignment.ok_or_else(|| UserError::usage("Align the scan first."))?);
    let name = document.free_name(&texts::name(NAME), None);
    let recipe = SurfacePointsRecipe { nominal, scan, alignment, parameters };
    Edit::adding("Add surface points", &name, recipe.into(), document, context, progress)
}

fn change(
    id: ElementId,
    parameters: Parameters,
    document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    parameters.check()?;
    let recipe = SurfacePointsRecipe { parameters, ..recipe(id, &document)? };
    let names = [NAME; 2].map(str::to_owned);
    Edit::changing(id, recipe.into(), names, document, context, progress)
}
