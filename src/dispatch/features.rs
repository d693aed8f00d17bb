//! Commands on features.

use super::edit::Execution;
use super::selecting::selected;
use super::{Context, Edit, parallel_planes};
use base::{Progress, Result, UserError};
use inspect::features::fitting::Fitting;
use inspect::features::recipe::{FeatureRecipe, InPlane, SlotRecipe};
use inspect::features::weights::Weights;
use inspect::features::{Kind, Objective, nominal};
use inspect::parts::Actual;
use inspect::selection::{ScanPoints, Selection};
use session::Document;
use session::plan::{ElementId, Recipe};
use session::rooms::needs_both;
use session::selection::{NamedSelection, Selectable};

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
    /// Measures a feature on the faces of the nominal that its points lie on.
    OnFaces(ElementId),
    /// Takes what the selected facets are of as what the feature of that name should be.
    NominalFromFacets(String),
    /// Forgets what the feature of that name should be.
    ForgetNominal(String),
}

impl Features {
    pub(super) fn execution(self, before: Document, context: Context) -> Execution {
        match self {
            Self::Fit { kind, objective, robust, clip_sigmas } => Execution::work("Fitting", move |progress, _| {
                let asked = Fit { kind, objective, plane: None, robust, clip_sigmas };
                fit(asked, before, &context, progress)
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
            Self::ForgetNominal(name) => Execution::work("Forgetting the nominal", move |progress, _| {
                forget_nominal(&name, before, &context, progress)
            }),
        }
    }
}

/// How a selection is fitted.
struct Fit {
    kind: Kind,
    objective: Objective,
    plane: Option<String>,
    robust: bool,
    clip_sigmas: Option<f64>,
}

fn fit(asked: Fit, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let Fit { kind, objective, plane, robust, clip_sigmas } = asked;
    let (scan, selection, named) = selection(&document)?;
    // Tolerances and constructions name features: no two have one name.
    let same_kind = document.features().iter().filter(|feature| feature.recipe.fitting.kind == kind).count();
    let name = match named {
        Some(named) => document.free_name(&named, None),
        None => document.free_name(kind.name(), Some(same_kind + 1)),
    };
    let plane = plane.map(|name| plane_of(&name, &document)).transpose()?;
    let fitting = Fitting { kind, objective, robust, clip_sigmas, weights: Weights::default() };
    let recipe = FeatureRecipe { scan, selection, fitting, plane, parallel_to: Vec::new(), nominal: None };
    let id = document.plan.add(&name, recipe.into())?;
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = named_sentences(&document, id);
    Ok(Edit::replacing(format!("Fit a {}", kind.name().to_lowercase()), document).with_notes(notes))
}

fn fit_slot(
    plane: Option<String>,
    clip_sigmas: Option<f64>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (scan, selection, named) = selection(&document)?;
    let name = match named {
        Some(named) => document.free_name(&named, None),
        None => document.free_name("Slot", Some(document.slots().len() + 1)),
    };
    let plane = plane.map(|name| plane_of(&name, &document)).transpose()?;
    let id = document.plan.add(&name, SlotRecipe { scan, selection, plane, clip_sigmas, nominal: None }.into())?;
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = named_sentences(&document, id);
    Ok(Edit::replacing("Fit a slot", document).with_notes(notes))
}

/// The scan, the selected points, and the name that they are kept under.
fn selection(document: &Document) -> Result<(ElementId, Selection, Option<String>)> {
    let points = selected(Selectable::Points, document)?;
    let (id, actual) = scan(document)?;
    // Of several names, the last that was given.
    let is_it = |named: &&NamedSelection| named.of == Selectable::Points && named.numbers == points;
    let named = document.selections.iter().rev().find(is_it);
    Ok((id, Selection::Points(ScanPoints::of(points, actual)), named.map(|named| named.name.clone())))
}

pub(super) fn scan(document: &Document) -> Result<(ElementId, &Actual)> {
    let both = document.active.scan.and_then(|id| Some((id, document.actual()?)));
    both.ok_or_else(|| UserError::usage("Load a scan first."))
}

/// What came of an element, with its name before each sentence.
pub(super) fn named_sentences(document: &Document, id: ElementId) -> Vec<String> {
    let name = document.plan.name(id);
    document.sentences(id).into_iter().map(|sentence| format!("{name}: {sentence}")).collect()
}

pub(super) fn there_is_none(name: &str) -> UserError {
    UserError::usage(format!("There is no feature “{name}”."))
}

/// Takes what the selected facets are of as what the feature of that name should be.
fn nominal_from_facets(name: &str, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let facets = selected(Selectable::Facets, &document)?;
    let feature = document.feature(name).and_then(|own| Some((document.feature_id(name)?, own.fit()?.shape)));
    let Some((id, shape)) = feature else { return Err(there_is_none(name)) };
    let Some(nominal) = document.nominal() else { return Err(needs_both()) };
    if document.alignment().is_none() {
        return Err(UserError::usage("Align first: the feature and the facets must lie in one frame."));
    }
    let measured = shape.moved(&document.nominal_from_scan());
    let part = progress.part(0.0, 0.5);
    let shape = nominal::by_facets(&measured, nominal.surface.mesh(), &facets, &part)?;
    let note = format!("{name} should be the {} of {} facets.", shape.kind().name().to_lowercase(), facets.len());
    document.change_recipe(id, |recipe| recipe.set_nominal(Some(shape.into())))?;
    document.make_one(id, &context.quiet_tools(), &progress.part(0.5, 1.0))?;
    document.follow(&context.quiet_tools(), progress)?;
    Ok(Edit::replacing("Take a nominal from facets", document).with_notes([note]))
}

fn forget_nominal(name: &str, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let Some(id) = document.feature_id(name) else { return Err(there_is_none(name)) };
    document.change_recipe(id, |recipe| recipe.set_nominal(None))?;
    document.follow(&context.quiet_tools(), progress)?;
    Ok(Edit::replacing("Forget a nominal", document))
}

/// Measures a feature on the faces of the nominal that its points lie on, so that it is measured on every part.
fn on_faces(id: ElementId, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let recipe = document.feature_on_faces(id, context.backend.as_ref(), &progress.part(0.0, 0.5))?;
    document.plan.set_recipe(id, recipe)?;
    document.make_one(id, &context.quiet_tools(), &progress.part(0.5, 1.0))?;
    document.follow(&context.quiet_tools(), progress)?;
    let notes = named_sentences(&document, id);
    Ok(Edit::replacing("Measure on faces", document).with_notes(notes))
}

/// The plane of that name.
fn plane_of(name: &str, document: &Document) -> Result<InPlane> {
    let (Some(id), Some(feature)) = (document.feature_id(name), document.feature(name)) else {
        return Err(UserError::usage(format!("There is no plane “{name}”.")));
    };
    feature.plane(name).map(|_| InPlane::Of(id))
}

/// Features by their points' numbers when only the points `kept` are left: they are fitted to those.
pub(super) fn renumber(document: &mut Document, kept: &[u32]) -> Result<()> {
    let among = document.count(Selectable::Points);
    let left = |selection: &mut Selection| {
        if let Selection::Points(own) = selection {
            own.numbers = own.numbers.renumbered(kept);
            own.among = among;
        }
    };
    let features = document.plan.elements().iter().filter(|own| own.recipe.is_feature());
    let ids: Vec<ElementId> = features.map(|own| own.id).collect();
    for id in ids {
        document.change_recipe(id, |recipe| match recipe {
            Recipe::Feature(own) => std::iter::once(&mut own.selection).chain(&mut own.parallel_to).for_each(left),
            Recipe::Slot(own) => left(&mut own.selection),
            _ => {}
        })?;
    }
    Ok(())
}
