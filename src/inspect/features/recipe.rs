//! Recipes of fitted and constructed features.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::constructions::{Construction, construct};
use super::fitting::{Fitting, points_of};
use super::measured::{MeasuredBy, MeasuredFeature};
use super::rejection::Rejection;
use super::sheet_metal::slot::fit_slot_in;
use super::{Element, FaceCoverage, Kind, Objective, Shape};
use crate::alignment::Alignment;
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Inputs, Make, Tools};
use crate::selection::Selection;
use base::{Progress, Result, UserError};
use geometry::{Point, Subset};

/// The plane a line, circle or slot is fitted in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InPlane {
    /// The plane of another element.
    Of(ElementId),
    /// A fixed plane in the scan frame; valid for one scan only.
    Fixed(Shape),
}

/// The CAD that a nominal element was taken from, and that it holds for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TakenFrom {
    /// The nominal.
    pub nominal: ElementId,
    /// BLAKE3 of its file as it was then, hexadecimal.
    pub blake3: String,
}

impl TakenFrom {
    /// The nominal `id` as it is now.
    pub fn now(id: ElementId, nominal: &Nominal) -> Self {
        Self { nominal: id, blake3: nominal.source.hash.clone() }
    }

    /// An error if the CAD has changed since.
    fn check(from: Option<&Self>, inputs: &dyn Inputs) -> Result<()> {
        let Some(own) = from else { return Ok(()) };
        if inputs.get::<Nominal>(own.nominal, "a nominal")?.source.hash == own.blake3 {
            return Ok(());
        }
        Err(UserError::input(
            "Its nominal was taken from facets of another CAD than the present one: take it from facets again, or remove \
             it.",
        ))
    }
}

/// A feature fitted to selected points of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureRecipe {
    /// The scan.
    pub scan: ElementId,
    /// The points it is fitted to.
    pub selection: Selection,
    /// Fit parameters.
    #[serde(flatten)]
    pub fitting: Fitting,
    /// The plane a line or circle is fitted in; `None` fits it in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<InPlane>,
    /// The points of the parallel planes it is fitted together with; empty for a single feature.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parallel_to: Vec<Selection>,
    /// The nominal element, nominal frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal: Option<Element>,
    /// What the nominal element was taken from; `None` if it was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_from: Option<TakenFrom>,
}

/// A slot fitted to points of its edge.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRecipe {
    /// The scan.
    pub scan: ElementId,
    /// Points of its edge.
    pub selection: Selection,
    /// The plane it lies in; `None` fits a plane to its points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<InPlane>,
    /// Outlier limit in robust standard deviations; `None` keeps all points.
    pub clip_sigmas: Option<f64>,
    /// The nominal of its mid-plane, nominal frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal: Option<Element>,
    /// What that nominal was taken from; `None` if it was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_from: Option<TakenFrom>,
}

/// A feature constructed from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstructionRecipe {
    /// The construction.
    #[serde(flatten)]
    pub construction: Construction,
    /// The source features, in the order required by the construction.
    pub sources: Vec<ElementId>,
    /// The nominal element, nominal frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal: Option<Element>,
    /// What the nominal element was taken from; `None` if it was stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal_from: Option<TakenFrom>,
}

fn nominal_input(from: &Option<TakenFrom>) -> Option<ElementId> {
    from.as_ref().map(|own| own.nominal)
}

/// Name of the expected type in error messages.
pub const A_FEATURE: &str = "a feature";

impl InPlane {
    fn input(&self) -> Option<ElementId> {
        if let Self::Of(id) = self { Some(*id) } else { None }
    }

    /// The plane for a fit to the points of `selection`.
    fn shape(&self, selection: &Selection, inputs: &dyn Inputs) -> Result<Shape> {
        match self {
            Self::Fixed(_) if selection.is_repeatable() => Err(UserError::input(
                "The plane it lies in belongs to another scan; make that plane an element of the plan.",
            )),
            Self::Of(id) => inputs.get::<MeasuredFeature>(*id, A_FEATURE)?.plane(&inputs.name(*id)),
            Self::Fixed(shape) => Ok(*shape),
        }
    }
}

impl Make for FeatureRecipe {
    type Made = MeasuredFeature;

    const NAME: &'static str = "Feature";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        let selections = std::iter::once(&self.selection).chain(&self.parallel_to);
        let selected = selections.flat_map(Selection::inputs);
        let others = self.plane.as_ref().and_then(InPlane::input).into_iter().chain(nominal_input(&self.nominal_from));
        std::iter::once(self.scan).chain(selected).chain(others).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&MeasuredFeature>,
        progress: &Progress,
    ) -> Result<MeasuredFeature> {
        TakenFrom::check(self.nominal_from.as_ref(), inputs)?;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let numbers = self.selection.points(&actual, inputs, tools, &progress.part(0.0, 0.3))?;
        let (fit_progress, backend) = (&progress.part(0.3, 1.0), tools.backend);
        let mut parallel_sets = Vec::new();
        let fit = if self.parallel_to.is_empty() {
            let plane = self.plane.as_ref().map(|plane| plane.shape(&self.selection, inputs)).transpose()?;
            self.fitting.fit(&numbers, plane.as_ref(), &actual, backend, fit_progress)?
        } else {
            for selection in &self.parallel_to {
                parallel_sets.push(selection.points(&actual, inputs, tools, &progress.quiet())?);
            }
            // In a canonical order, so that every plane of the set gets the same normal to the last digit.
            let mut planes: Vec<&Subset> = std::iter::once(&numbers).chain(&parallel_sets).collect();
            planes.sort_by(|one, other| one.iter().cmp(other.iter()));
            let index = planes.iter().position(|plane| **plane == numbers).unwrap_or_default();
            let planes: Vec<Subset> = planes.into_iter().cloned().collect();
            let set = self.fitting.fit_parallel(&planes, &actual, backend, fit_progress)?;
            let empty = || UserError::internal("The fit of parallel planes returned no plane.");
            set.planes.into_iter().nth(index).ok_or_else(empty)?
        };
        let points = points_of(&numbers, &actual)?;
        let (element, nominal) = (fit.shape.into(), self.nominal);
        let rejection = Rejection::of_shape(&fit.shape, &points, &fit.dropped, self.fitting.spike_sigmas);
        let coverage = coverage(&self.selection, &fit.shape, &rejection.kept(&points), inputs)?;
        let by = MeasuredBy::Fit(Arc::new(fit));
        Ok(MeasuredFeature { element, by, numbers, parallel_sets, points, rejection, coverage, nominal })
    }
}

/// How much of the face that a selection states was seen by the points of a shape, scan frame; that of their own extent if
/// it states none.
fn coverage(
    selection: &Selection,
    shape: &Shape,
    points: &[Point],
    inputs: &dyn Inputs,
) -> Result<Option<FaceCoverage>> {
    let of_facets = match selection {
        Selection::Facets(own) => {
            let nominal = inputs.get::<Nominal>(own.nominal, "a nominal")?;
            let pose = inputs.get::<Alignment>(own.alignment, "an alignment")?.nominal_from_scan;
            let facets = own.anchors.facets(&own.facets, &nominal)?;
            FaceCoverage::of_facets(shape, points, &pose, nominal.surface.mesh(), &facets)
        }
        Selection::Prism { .. } | Selection::Points(_) => None,
    };
    Ok(of_facets.or_else(|| FaceCoverage::of_points(shape, points)))
}

impl Make for SlotRecipe {
    type Made = MeasuredFeature;

    const NAME: &'static str = "Slot";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        let plane = self.plane.as_ref().and_then(InPlane::input);
        let others = plane.into_iter().chain(nominal_input(&self.nominal_from));
        std::iter::once(self.scan).chain(self.selection.inputs()).chain(others).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&MeasuredFeature>,
        progress: &Progress,
    ) -> Result<MeasuredFeature> {
        TakenFrom::check(self.nominal_from.as_ref(), inputs)?;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let numbers = self.selection.points(&actual, inputs, tools, &progress.part(0.0, 0.3))?;
        let points = points_of(&numbers, &actual)?;
        let plane = self.plane.as_ref().map(|plane| plane.shape(&self.selection, inputs)).transpose()?;
        let fit = fit_slot_in(plane.as_ref(), &points, self.clip_sigmas, &progress.part(0.3, 1.0))?;
        let (element, nominal) = (fit.slot.mid_plane().into(), self.nominal);
        let rejection = Rejection::of_distances(std::slice::from_ref(&fit.residuals_mm), &points, &fit.dropped, None);
        Ok(MeasuredFeature {
            element,
            by: MeasuredBy::Slot(Arc::new(fit)),
            numbers,
            parallel_sets: Vec::new(),
            points,
            rejection,
            coverage: None,
            nominal,
        })
    }
}

impl Make for ConstructionRecipe {
    type Made = MeasuredFeature;

    const NAME: &'static str = "Construction";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        self.sources.iter().copied().chain(nominal_input(&self.nominal_from)).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        _: &Tools<'_>,
        _: Option<&MeasuredFeature>,
        progress: &Progress,
    ) -> Result<MeasuredFeature> {
        TakenFrom::check(self.nominal_from.as_ref(), inputs)?;
        let part = |id: &ElementId| inputs.get::<MeasuredFeature>(*id, A_FEATURE);
        let parts = self.sources.iter().map(part).collect::<Result<Vec<_>>>()?;
        let elements: Vec<Element> = parts.iter().map(|part| part.element).collect();
        let made = construct(self.construction, &elements, progress)?;
        let parts: Vec<&MeasuredFeature> = parts.iter().map(|part| &**part).collect();
        Ok(MeasuredFeature::constructed(self.construction, made, &parts, self.nominal))
    }
}

impl Fitting {
    /// An unweighted Gaussian fit to all points.
    pub fn of(kind: Kind) -> Self {
        Self {
            kind,
            objective: Objective::Gaussian,
            robust: false,
            clip_sigmas: None,
            weights: Default::default(),
            spike_sigmas: None,
        }
    }
}
