//! Commands on features.

use std::sync::Arc;

use super::edit::{Execution, needs_both};
use super::selecting::selected;
use super::{Context, Edit, parallel_planes};
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::subset::Subset;
use inspect::features::weights::Weights;
use inspect::features::{Element, Kind, Objective, Shape, nominal};
use inspect::parts::Actual;
use session::Document;
use session::selection::{Feature, Recipe, Selectable};
use session::slots::SlotRecipe;

/// What can be asked of features.
#[derive(Clone, Debug)]
pub enum Features {
    /// Fits a feature to the selected points.
    Fit {
        /// The kind.
        kind: Kind,
        /// What makes one feature the best.
        objective: Objective,
        /// Whether the fit is robust (least median of squares).
        robust: bool,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits parallel planes to the points of named selections and features: one feature each, of one normal.
    FitParallelPlanes {
        /// Names of selections of points, or of features.
        planes: Vec<String>,
        /// How points are weighed.
        weights: Weights,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits a line or a circle in a plane to the selected points.
    FitInPlane {
        /// The kind.
        kind: Kind,
        /// The name of the plane.
        plane: String,
        /// Whether the fit is robust (least median of squares).
        robust: bool,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Fits a slot to the selected points of its rim.
    FitSlot {
        /// The name of the plane that it lies in; `None` takes the one through its points.
        plane: Option<String>,
        /// Robust standard deviations beyond which points are dropped.
        clip_sigmas: Option<f64>,
    },
    /// Removes a feature, by its number.
    Remove(usize),
    /// Removes a slot, by its number.
    RemoveSlot(usize),
    /// Takes what the selected facets are of as what the feature of that name should be.
    NominalFromFacets(String),
    /// Forgets what the feature of that name should be.
    ForgetNominal(String),
}

impl Features {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::Fit { kind, objective, robust, clip_sigmas } => Execution::work("Fitting", move |progress, _| {
                fit((kind, objective), None, robust, clip_sigmas, &before, &context, progress)
            }),
            Self::FitInPlane { kind, plane, robust, clip_sigmas } => Execution::work("Fitting", move |progress, _| {
                fit((kind, Objective::Gaussian), Some(&plane), robust, clip_sigmas, &before, &context, progress)
            }),
            Self::FitParallelPlanes { planes, weights, clip_sigmas } => {
                Execution::work("Fitting parallel planes", move |progress, _| {
                    parallel_planes::fit(&planes, weights, clip_sigmas, &before, &context, progress)
                })
            }
            Self::FitSlot { plane, clip_sigmas } => Execution::work("Fitting", move |progress, _| {
                fit_slot(plane.as_deref(), clip_sigmas, &before, progress)
            }),
            Self::Remove(index) => Execution::Now(Edit::new("Remove a feature", move |document| {
                if index < document.features.len() {
                    document.features.remove(index);
                }
            })),
            Self::RemoveSlot(index) => Execution::Now(Edit::new("Remove a slot", move |document| {
                if index < document.tolerancing.slots.len() {
                    document.tolerancing.slots.remove(index);
                }
            })),
            Self::NominalFromFacets(name) => Execution::work("Fitting to the facets", move |progress, _| {
                nominal_from_facets(&name, &before, progress)
            }),
            Self::ForgetNominal(name) => Execution::Now(forget_nominal(name)),
        }
    }
}

pub(super) fn scan(document: &Document) -> Result<&Arc<Actual>> {
    document.actual.as_ref().ok_or_else(|| UserError::usage("Load a scan first."))
}

fn fit(
    (kind, objective): (Kind, Objective),
    plane: Option<&str>,
    robust: bool,
    clip_sigmas: Option<f64>,
    document: &Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let points = selected(Selectable::Points, document)?;
    let same_kind = document.features.iter().filter(|feature| feature.recipe.kind == kind).count();
    let named = document.selections.iter().find(|named| named.of == Selectable::Points && named.numbers == points);
    // Tolerances and constructions name features: no two have one name.
    let name = match named {
        Some(named) => document.free_name(&named.name, None),
        None => document.free_name(kind.name(), Some(same_kind + 1)),
    };
    let plane = plane.map(|name| plane_of(name, document)).transpose()?;
    let (weights, parallel_to) = (Weights::default(), Vec::new());
    let recipe = Recipe { name, kind, objective, robust, clip_sigmas, plane, weights, parallel_to, points };
    let feature = made(recipe, scan(document)?, context.backend.as_ref(), progress)?;
    let note = format!(
        "{}: {} points used, {} dropped, RMS {:.4} mm.",
        feature.recipe.name,
        feature.fit.used,
        feature.fit.dropped.len(),
        feature.fit.rms_mm
    );
    let label = format!("Fit a {}", kind.name().to_lowercase());
    Ok(Edit::new(label, move |document| document.features.push(feature)).with_notes([note]))
}

/// Takes what the selected facets are of as what the feature of that name should be.
fn nominal_from_facets(name: &str, document: &Document, progress: &Progress) -> Result<Edit> {
    let facets = selected(Selectable::Facets, document)?;
    let Some(feature) = document.feature(name) else {
        return Err(UserError::usage(format!("There is no feature “{name}”.")));
    };
    let Some(nominal) = &document.nominal else { return Err(needs_both()) };
    if document.alignment.is_none() {
        return Err(UserError::usage("Align first: the feature and the facets must lie in one frame."));
    }
    let measured = feature.fit.shape.moved(&document.nominal_from_scan());
    let shape = nominal::by_facets(&measured, nominal.surface.mesh(), &facets, progress)?;
    let note = format!("{name} should be the {} of {} facets.", shape.kind().name().to_lowercase(), facets.len());
    let name = name.to_owned();
    let apply = move |document: &mut Document| {
        Arc::make_mut(&mut document.tolerancing.plan).nominals.insert(name, shape.into());
    };
    Ok(Edit::new("Take a nominal from facets", apply).with_notes([note]))
}

fn forget_nominal(name: String) -> Edit {
    Edit::new("Forget a nominal", move |document| {
        Arc::make_mut(&mut document.tolerancing.plan).nominals.remove(&name);
    })
}

/// The plane of that name, scan frame.
fn plane_of(name: &str, document: &Document) -> Result<Shape> {
    match document.element(name) {
        Some(Element::Shape(plane @ Shape::Plane { .. })) => Ok(plane),
        Some(other) => Err(UserError::usage(format!("“{name}” is a {}; choose a plane.", other.name()))),
        None => Err(UserError::usage(format!("There is no plane “{name}”."))),
    }
}

fn fit_slot(plane: Option<&str>, clip_sigmas: Option<f64>, document: &Document, progress: &Progress) -> Result<Edit> {
    let points = selected(Selectable::Points, document)?;
    let named = document.selections.iter().find(|named| named.of == Selectable::Points && named.numbers == points);
    let name = match named {
        Some(named) => document.free_name(&named.name, None),
        None => document.free_name("Slot", Some(document.tolerancing.slots.len() + 1)),
    };
    let plane = plane.map(|name| plane_of(name, document)).transpose()?;
    let places = document.points_at(&points);
    let slot = SlotRecipe { name, plane, clip_sigmas, points }.made(&places, progress)?;
    let (own, fit) = (&slot.fit.slot, &slot.fit);
    let note = format!(
        "{}: {:.4} mm long, {:.4} mm wide, RMS {:.4} mm.",
        slot.recipe.name, own.length_mm, own.width_mm, fit.rms_mm
    );
    Ok(Edit::new("Fit a slot", move |document| document.tolerancing.slots.push(slot)).with_notes([note]))
}

/// The feature of that recipe on that scan.
pub(super) fn made(recipe: Recipe, actual: &Actual, backend: &dyn Backend, progress: &Progress) -> Result<Feature> {
    let fitting = recipe.fitting();
    let fit = if recipe.parallel_to.is_empty() {
        let plane = recipe.plane.as_ref();
        fitting.fit(&recipe.points, plane, actual, backend, progress)?
    } else {
        let planes: Vec<Subset> = std::iter::once(&recipe.points).chain(&recipe.parallel_to).cloned().collect();
        let set = fitting.fit_parallel(&planes, actual, backend, progress)?;
        set.planes.into_iter().next().ok_or_else(|| UserError::internal("A set of planes came back empty."))?
    };
    Ok(Feature { recipe, fit: Arc::new(fit) })
}

/// What is left of features when only the points `kept` are. A feature that lost points goes: its fit
/// would no longer be one of the scan.
pub(super) fn renumber(document: &mut Document, kept: &[u32]) {
    let is_whole = |points: &mut Subset| {
        let before = points.len();
        *points = points.renumbered(kept);
        points.len() == before
    };
    document.features.retain_mut(|feature| {
        let recipe = &mut feature.recipe;
        is_whole(&mut recipe.points) && recipe.parallel_to.iter_mut().all(is_whole)
    });
    document.tolerancing.slots.retain_mut(|slot| is_whole(&mut slot.recipe.points));
}
