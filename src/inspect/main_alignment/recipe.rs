//! The recipe of a main alignment.

use serde::{Deserialize, Serialize};

use super::association::DatumFeature;
use super::datum_system::{self, DatumAssociation};
use super::reference_points::{self, ReferencePoints};
use crate::alignment::Alignment;
use crate::features::measured::MeasuredFeature;
use crate::features::{Element, Shape};
use crate::parts::{Actual, Nominal};
use crate::recipe::{Class, ElementId, Inputs, Make, Tools};
use crate::tolerances::Feature;
use crate::tolerances::recipe::Datum;
use base::{Progress, Result};
use geometry::{Pose, Surface};

/// Number of points of a feature that show on which side its material lies.
const SIDE_POINTS: usize = 500;
/// Maximum distance of these points from the nominal, as a share of its diagonal.
const SIDE_DISTANCE_SHARE: f64 = 0.05;

/// A main alignment of a scan to a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MainAlignmentRecipe {
    /// The nominal.
    pub nominal: ElementId,
    /// The scan.
    pub scan: ElementId,
    /// The pre-alignment.
    pub before: ElementId,
    /// What is aligned to.
    pub to: MainMethod,
}

/// What a main alignment aligns to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MainMethod {
    /// Reference points.
    ReferencePoints(ReferencePoints),
    /// Datums, or features in their place, in order of priority.
    DatumSystem {
        /// The elements.
        datums: Vec<ElementId>,
        /// How they are associated.
        association: DatumAssociation,
    },
}

impl Make for MainAlignmentRecipe {
    type Made = Alignment;

    const NAME: &'static str = "Main alignment";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        let datums = match &self.to {
            MainMethod::ReferencePoints(_) => &[],
            MainMethod::DatumSystem { datums, .. } => datums.as_slice(),
        };
        [self.nominal, self.scan, self.before].into_iter().chain(datums.iter().copied()).collect()
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        _: &Tools<'_>,
        _: Option<&Alignment>,
        progress: &Progress,
    ) -> Result<Alignment> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let before = inputs.get::<Alignment>(self.before, "an alignment")?;
        let start = &before.nominal_from_scan;
        let mut made = match &self.to {
            MainMethod::ReferencePoints(references) => {
                let actual = inputs.get::<Actual>(self.scan, "a scan")?;
                reference_points::align(&nominal.surface, &actual.cloud.points, references, start, progress)?
            }
            MainMethod::DatumSystem { datums, association } => {
                let datum = |id: &ElementId| datum_feature(*id, inputs, &nominal.surface, start);
                let datums = datums.iter().map(datum).collect::<Result<Vec<_>>>()?;
                datum_system::align(&datums, *association, start, progress)?
            }
        };
        let is_determined = before.information.open.is_empty();
        let as_before = if is_determined { std::mem::take(&mut made.information.open) } else { Vec::new() };
        // Which of several poses the part is in was decided by the pre-alignment.
        Ok(Alignment {
            as_before,
            alternatives: before.alternatives.clone(),
            rivals: before.rivals,
            explained: before.explained,
            ..made
        })
    }
}

/// A datum, or a feature in its place, with the side of its material.
fn datum_feature(id: ElementId, inputs: &dyn Inputs, nominal: &Surface, pose: &Pose) -> Result<DatumFeature> {
    let (letter, measured) = match inputs.output(id)?.downcast::<Datum>() {
        Ok(datum) => (datum.letter().to_owned(), datum.feature().clone()),
        Err(_) => (inputs.name(id), MeasuredFeature::clone(&*inputs.get(id, "a datum or a feature")?)),
    };
    let Feature { element, nominal: nominal_element, points, size_mm, .. } = Feature::of_measured(&measured, pose);
    // The sides of a slot do not touch its mid-plane.
    let points = if size_mm.is_some() { Vec::new() } else { points };
    let element_in_nominal = element.moved(pose);
    let is_outward = is_outward(&element_in_nominal, &points, nominal, pose);
    Ok(DatumFeature { letter, element, nominal: nominal_element, points, is_outward })
}

/// Whether the direction of a plane points out of the material, or the material of a round feature lies within it, by
/// the normals of the nominal at the measured points.
fn is_outward(element: &Element, points: &[geometry::Point], nominal: &Surface, pose: &Pose) -> bool {
    let Element::Shape(shape) = element else { return true };
    let max_mm = SIDE_DISTANCE_SHARE * nominal.bounds().diagonal();
    let step = points.len().div_ceil(SIDE_POINTS).max(1);
    let sides = points.iter().step_by(step).filter_map(|point| {
        let point = pose * point;
        let hit = nominal.closest_point(&point, max_mm)?;
        let normal = nominal.mesh().normal(hit.facet as usize);
        let outward = match shape {
            Shape::Plane { normal, .. } => *normal,
            _ => {
                let beside = point - shape.position();
                shape.direction().map_or(beside, |axis| beside - axis * beside.dot(&axis))
            }
        };
        Some(normal.dot(&outward).signum())
    });
    sides.sum::<f64>() >= 0.0
}
