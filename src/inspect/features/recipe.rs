//! How features are measured on a scan, and made from others.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::constructions::{Construction, construct};
use super::fitting::{Fitting, points_of};
use super::measured::{MeasuredBy, MeasuredFeature};
use super::slot::fit_slot_in;
use super::{Element, Kind, Objective, Shape};
use crate::parts::Actual;
use crate::recipe::{Class, ElementId, Inputs, Make, Tools};
use crate::selection::Selection;
use base::{Progress, Result, UserError};
use geometry::Subset;

/// A plane that a feature lies in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InPlane {
    /// That of another element.
    Of(ElementId),
    /// This one, scan frame: it holds for one scan alone.
    Fixed(Shape),
}

/// A feature, fitted to some points of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FeatureRecipe {
    /// The scan.
    pub scan: ElementId,
    /// Its points.
    pub selection: Selection,
    /// How it is fitted.
    #[serde(flatten)]
    pub fitting: Fitting,
    /// The plane that a line or circle is fitted in; `None` fits it in space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<InPlane>,
    /// Points of the planes that are parallel to it, for planes fitted together; empty where it stands alone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parallel_to: Vec<Selection>,
    /// What it should be, in the frame of the nominal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal: Option<Element>,
}

/// A slot, fitted to points of its rim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlotRecipe {
    /// The scan.
    pub scan: ElementId,
    /// Points of its rim.
    pub selection: Selection,
    /// The plane that it lies in; `None` takes the one through its points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plane: Option<InPlane>,
    /// Robust standard deviations beyond which points are dropped.
    pub clip_sigmas: Option<f64>,
    /// What its mid-plane should be, in the frame of the nominal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal: Option<Element>,
}

/// A feature made from others.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConstructionRecipe {
    /// The way it is made.
    #[serde(flatten)]
    pub construction: Construction,
    /// What it is made from, in the order that the construction says.
    pub sources: Vec<ElementId>,
    /// What it should be, in the frame of the nominal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub nominal: Option<Element>,
}

/// What features are called where a sentence asks for one.
pub const A_FEATURE: &str = "a feature";

impl InPlane {
    fn input(&self) -> Option<ElementId> {
        if let Self::Of(id) = self { Some(*id) } else { None }
    }

    /// The plane, for points of `selection`.
    fn shape(&self, selection: &Selection, inputs: &dyn Inputs) -> Result<Shape> {
        match self {
            Self::Fixed(_) if selection.is_repeatable() => Err(UserError::input(
                "The plane that it lies in is one of another scan; make that plane an element of the plan.",
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
        std::iter::once(self.scan).chain(selected).chain(self.plane.as_ref().and_then(InPlane::input)).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&MeasuredFeature>,
        progress: &Progress,
    ) -> Result<MeasuredFeature> {
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let numbers = self.selection.points(&actual, inputs, tools, &progress.part(0.0, 0.3))?;
        let (rest, backend) = (&progress.part(0.3, 1.0), tools.backend);
        let mut beside = Vec::new();
        let fit = if self.parallel_to.is_empty() {
            let plane = self.plane.as_ref().map(|plane| plane.shape(&self.selection, inputs)).transpose()?;
            self.fitting.fit(&numbers, plane.as_ref(), &actual, backend, rest)?
        } else {
            for selection in &self.parallel_to {
                beside.push(selection.points(&actual, inputs, tools, &progress.quiet())?);
            }
            // In an order of their own, so that every one of the set comes to the same normal, to the last digit.
            let mut planes: Vec<&Subset> = std::iter::once(&numbers).chain(&beside).collect();
            planes.sort_by(|one, other| one.iter().cmp(other.iter()));
            let own = planes.iter().position(|own| **own == numbers).unwrap_or_default();
            let planes: Vec<Subset> = planes.into_iter().cloned().collect();
            let set = self.fitting.fit_parallel(&planes, &actual, backend, rest)?;
            let empty = || UserError::internal("A set of planes came back empty.");
            set.planes.into_iter().nth(own).ok_or_else(empty)?
        };
        let points = points_of(&numbers, &actual)?;
        let (element, nominal) = (fit.shape.into(), self.nominal);
        Ok(MeasuredFeature { element, by: MeasuredBy::Fit(Arc::new(fit)), numbers, beside, points, nominal })
    }
}

impl Make for SlotRecipe {
    type Made = MeasuredFeature;

    const NAME: &'static str = "Slot";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        let plane = self.plane.as_ref().and_then(InPlane::input);
        std::iter::once(self.scan).chain(self.selection.inputs()).chain(plane).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&MeasuredFeature>,
        progress: &Progress,
    ) -> Result<MeasuredFeature> {
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let numbers = self.selection.points(&actual, inputs, tools, &progress.part(0.0, 0.3))?;
        let points = points_of(&numbers, &actual)?;
        let plane = self.plane.as_ref().map(|plane| plane.shape(&self.selection, inputs)).transpose()?;
        let fit = fit_slot_in(plane.as_ref(), &points, self.clip_sigmas, &progress.part(0.3, 1.0))?;
        let (element, nominal) = (fit.slot.mid_plane().into(), self.nominal);
        Ok(MeasuredFeature {
            element,
            by: MeasuredBy::Slot(Arc::new(fit)),
            numbers,
            beside: Vec::new(),
            points,
            nominal,
        })
    }
}

impl Make for ConstructionRecipe {
    type Made = MeasuredFeature;

    const NAME: &'static str = "Construction";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        self.sources.clone()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        _: &Tools<'_>,
        _: Option<&MeasuredFeature>,
        progress: &Progress,
    ) -> Result<MeasuredFeature> {
        let part = |id: &ElementId| inputs.get::<MeasuredFeature>(*id, A_FEATURE);
        let parts = self.sources.iter().map(part).collect::<Result<Vec<_>>>()?;
        let elements: Vec<Element> = parts.iter().map(|part| part.element).collect();
        let made = construct(self.construction, &elements, progress)?;
        let parts: Vec<&MeasuredFeature> = parts.iter().map(|part| &**part).collect();
        Ok(MeasuredFeature::constructed(self.construction, made, &parts, self.nominal))
    }
}

impl Fitting {
    /// A Gaussian fit of all points alike.
    pub fn of(kind: Kind) -> Self {
        Self { kind, objective: Objective::Gaussian, robust: false, clip_sigmas: None, weights: Default::default() }
    }
}
