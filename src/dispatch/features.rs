//! Feature commands.

use super::edit::Execution;
use super::selecting::selected;
use super::{Context, Edit, parallel_planes};
use base::{Progress, Result, UserError};
use inspect::features::fits::weights::Weights;
use inspect::features::fitting::Fitting;
use inspect::features::recipe::{FeatureRecipe, InPlane, SlotRecipe, TakenFrom};
use inspect::features::{Kind, Objective, nominal};
use inspect::parts::Actual;
use inspect::selection::{ScanPoints, Selection};
use session::Document;
use session::plan::{ElementId, Recipe};
use session::rooms::nominal_and_scan_required;
use session::selection::{NamedSelection, Selectable};

/// Feature commands.
#[derive(Clone, Debug)]
pub enum Features {
    /// Fits a feature to the selected points.
    Fit {
        /// Kind of feature.
        kind: Kind,
        /// The objective of the fit.
        objective: Objective,
        /// Whether the fit is robust (least median of squares).
        robust: bool,
        /// Points beyond this number of robust standard deviations are dropped; `None` keeps all.
        clip_sigmas: Option<f64>,
    },
    /// Fits parallel planes to the points of named selections and features: one feature each, with a common normal.
    FitParallelPlanes {
        /// Names of selections of points, or of features.
        planes: Vec<String>,
        /// Weighting of the points.
        weights: Weights,
        /// Points beyond this number of robust standard deviations are dropped; `None` keeps all.
        clip_sigmas: Option<f64>,
    },
    /// Fits a line or a circle in a plane to the selected points.
    FitInPlane {
        /// Kind of feature.
        kind: Kind,
        /// Name of the plane.
        plane: String,
        /// Whether the fit is robust (least median of squares).
        robust: bool,
        /// Points beyond this number of robust standard deviations are dropped; `None` keeps all.
        clip_sigmas: Option<f64>,
    },
    /// Fits a slot to the selected points of its rim.
    FitSlot {
        /// Name of the plane it lies in; `None` fits a plane to its points.
        plane: Option<String>,
        /// Points beyond this number of robust standard deviations are dropped; `None` keeps all.
        clip_sigmas: Option<f64>,
    },
    /// Measures a feature on the faces of the nominal that its points lie on, instead of on brushed points.
    OnFaces(ElementId),
    /// Sets the nominal geometry of the named feature by a fit to the selected facets.
    NominalFromFacets(String),
    /// Removes the nominal geometry of the named feature.
    ForgetNominal(String),
}

impl Features {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::Fit { kind, objective, robust, clip_sigmas } => Execution::work("Fitting", move |progress, _| {
                let request = Fit { kind, objective, plane: None, robust, clip_sigmas };
                fit(request, before, &context, progress)
            }),
            Self::FitInPlane { kind, plane, robust, clip_sigmas } => Execution::work("Fitting", move |progress, _| {
                let objective = Objective::Gaussian;
                fit(Fit { kind, objective, plane: Some(plane), robust, clip_sigmas }, before, &context, progress)
            }),
            Self::FitParallelPlanes { planes, weights, clip_sigmas } => {
                Execution::work("Fitting parallel planes", move |progress, _| {
                    parallel_planes::fit(&planes, weights, clip_sigmas, before, &context, progress)
                })
            }
            Self::FitSlot { plane, clip_sigmas } => {
                Execution::work("Fitting", move |progress, _| fit_slot(plane, clip_sigmas, before, &context, progress))
            }
            Self::OnFaces(id) => {
                Execution::work("Finding the faces", move |progress, _| on_faces(id, before, &context, progress))
            }
            Self::NominalFromFacets(name) => Execution::work("Fitting to the facets", move |progress, _| {
                nominal_from_facets(&name, before, &context, progress)
            }),
            Self::ForgetNominal(name) => Execution::work("Removing the nominal", move |progress, _| {
                forget_nominal(&name, before, &context, progress)
            }),
        }
    }
}

/// Parameters of a fit to the selection.
struct Fit {
    kind: Kind,
    objective: Objective,
    plane: Option<String>,
    robust: bool,
    clip_sigmas: Option<f64>,
}

fn fit(request: Fit, document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let Fit { kind, objective, plane, robust, clip_sigmas } = request;
    let (scan, selection, named) = selection(&document)?;
    // Tolerances and constructions refer to features by name, so names are unique.
    let same_kind = document.features().iter().filter(|feature| feature.recipe.fitting.kind == kind).count();
    let name = match named {
        Some(named) => document.free_name(&named, None),
        None => document.free_name(&texts::name(kind.name()), Some(same_kind + 1)),
    };
    let plane = plane.map(|name| plane_of(&name, &document)).transpose()?;
    let fitting = Fitting { objective, robust, clip_sigmas, ..Fitting::of(kind) };
    let recipe =
        FeatureRecipe { scan, selection, fitting, plane, parallel_to: Vec::new(), nominal: None, nominal_from: None };
    let label = format!("Fit a {}", kind.name().to_lowercase());
    Edit::adding(label, &name, recipe.into(), document, context, progress)
}

fn fit_slot(
    plane: Option<String>,
    clip_sigmas: Option<f64>,
    document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (scan, selection, named) = selection(&document)?;
    let name = match named {
        Some(named) => document.free_name(&named, None),
        None => document.free_name(&texts::name("Slot"), Some(document.slots().len() + 1)),
    };
    let plane = plane.map(|name| plane_of(&name, &document)).transpose()?;
    let recipe = SlotRecipe { scan, selection, plane, clip_sigmas, nominal: None, nominal_from: None };
    Edit::adding("Fit a slot", &name, recipe.into(), document, context, progress)
}

/// The scan, the selected points, and the name of the selection if it has one.
fn selection(document: &Document) -> Result<(ElementId, Selection, Option<String>)> {
    let points = selected(Selectable::Points, document)?;
    let (id, actual) = scan(document)?;
    // If the selection has several names, the latest.
    let is_same = |named: &&NamedSelection| named.of == Selectable::Points && named.numbers == points;
    let named = document.selections.iter().rev().find(is_same);
    Ok((id, Selection::Points(ScanPoints::of(points, actual)), named.map(|named| named.name.clone())))
}

pub(super) fn scan(document: &Document) -> Result<(ElementId, &Actual)> {
    let both = document.active.scan.and_then(|id| Some((id, document.actual()?)));
    both.ok_or_else(|| UserError::usage("Load a scan first."))
}

/// The result of an element in sentences, each preceded by its name.
pub(super) fn named_sentences(document: &Document, id: ElementId) -> Vec<String> {
    let name = document.plan.name(id);
    document.sentences(id).into_iter().map(|sentence| format!("{name}: {sentence}")).collect()
}

pub(super) fn no_such_feature(name: &str) -> UserError {
    UserError::usage(format!("There is no feature “{name}”."))
}

/// Sets the nominal geometry of the named feature by a fit to the selected facets.
fn nominal_from_facets(name: &str, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let facets = selected(Selectable::Facets, &document)?;
    let feature = document.feature(name).and_then(|own| Some((document.feature_id(name)?, own.fit()?.shape)));
    let Some((id, shape)) = feature else { return Err(no_such_feature(name)) };
    let Some(nominal) = document.nominal() else { return Err(nominal_and_scan_required()) };
    if document.alignment().is_none() {
        return Err(UserError::usage("Align first: the feature and the facets must lie in one frame."));
    }
    let measured = shape.moved(&document.nominal_from_scan());
    let part = progress.part(0.0, 0.5);
    let shape = nominal::by_facets(&measured, nominal.surface.mesh(), &facets, &part)?;
    let note =
        format!("The nominal of “{name}” is the {} of {} facets.", shape.kind().name().to_lowercase(), facets.len());
    let from = document.active.nominal.map(|of| TakenFrom::now(of, nominal));
    document.change_recipe(id, |recipe| recipe.set_nominal(Some(shape.into()), from))?;
    document.make_one(id, &context.quiet_tools(), &progress.part(0.5, 1.0))?;
    document.recompute_stale(&context.quiet_tools(), progress)?;
    Ok(Edit::replacing("Set a nominal from facets", document).with_notes([note]))
}

fn forget_nominal(name: &str, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let Some(id) = document.feature_id(name) else { return Err(no_such_feature(name)) };
    document.change_recipe(id, |recipe| recipe.set_nominal(None, None))?;
    document.recompute_stale(&context.quiet_tools(), progress)?;
    Ok(Edit::replacing("Remove a nominal", document))
}

/// Measures a feature on the faces of the nominal that its points lie on, so that it is measured on every part.
fn on_faces(id: ElementId, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let recipe = document.feature_on_faces(id, context.backend.as_ref(), &progress.part(0.0, 0.5))?;
    document.plan.set_recipe(id, recipe)?;
    document.make_one(id, &context.quiet_tools(), &progress.part(0.5, 1.0))?;
    document.recompute_stale(&context.quiet_tools(), progress)?;
    let notes = named_sentences(&document, id);
    Ok(Edit::replacing("Measure on faces", document).with_notes(notes))
}

/// A reference to the plane of the feature called `name`.
fn plane_of(name: &str, document: &Document) -> Result<InPlane> {
    let (Some(id), Some(feature)) = (document.feature_id(name), document.feature(name)) else {
        return Err(UserError::usage(format!("There is no plane “{name}”.")));
    };
    feature.plane(name).map(|_| InPlane::Of(id))
}

/// Renumbers the points that features select after all points but those at the indices `kept` were removed.
pub(super) fn renumber(document: &mut Document, kept: &[u32]) -> Result<()> {
    let point_count = document.count(Selectable::Points);
    let renumber = |selection: &mut Selection| {
        if let Selection::Points(own) = selection {
            own.numbers = own.numbers.renumbered(kept);
            own.among = point_count;
        }
    };
    let features = document.plan.elements().iter().filter(|own| own.recipe.is_feature());
    let ids: Vec<ElementId> = features.map(|own| own.id).collect();
    for id in ids {
        document.change_recipe(id, |recipe| match recipe {
            Recipe::Feature(own) => std::iter::once(&mut own.selection).chain(&mut own.parallel_to).for_each(renumber),
            Recipe::Slot(own) => renumber(&mut own.selection),
            _ => {}
        })?;
    }
    Ok(())
}
