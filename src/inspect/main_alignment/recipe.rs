//! The recipe of a main alignment.

use serde::{Deserialize, Serialize};

use super::Main;
use super::association::{DatumFeature, combined};
use super::datum_system::{self, DatumAssociation};
use super::reference_points::{self, Centre, Centres, ReferencePoints};
use super::within_tolerance::{self, ToleranceFit};
use crate::alignment::recipe::problem;
use crate::alignment::{Alignment, best_fit};
use crate::features::measured::MeasuredFeature;
use crate::features::recipe::A_FEATURE;
use crate::features::{Element, Shape};
use crate::parts::{Actual, Nominal, PreparedScan};
use crate::recipe::{Class, ElementId, Inputs, Make, Tools};
use crate::selection::{FacetSelection, Selection};
use crate::tolerances::Feature;
use crate::tolerances::coverage::SeenFace;
use crate::tolerances::recipe::{Datum, DatumElements};
use base::{Progress, Result, UserError};
use geometry::{Cloud, Pose, Surface, draw};

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
        /// The elements, several of a common datum.
        datums: Vec<DatumElements<ElementId>>,
        /// How they are associated.
        association: DatumAssociation,
    },
    /// A best fit of the points on some facets of the nominal.
    OnFaces {
        /// The facets.
        faces: FacetSelection,
        /// Parameters of the fit.
        parameters: best_fit::Parameters,
    },
    /// A fit that brings the deviations within their limits.
    WithinTolerance(ToleranceFit),
}

impl Make for MainAlignmentRecipe {
    type Made = Alignment;

    const NAME: &'static str = "Main alignment";
    const CLASS: Class = Class::Actual;

    fn inputs(&self) -> Vec<ElementId> {
        let mut inputs = vec![self.nominal, self.scan, self.before];
        match &self.to {
            MainMethod::ReferencePoints(own) => inputs.extend(own.points.iter().filter_map(|point| point.centre_of)),
            MainMethod::WithinTolerance(_) => {}
            MainMethod::DatumSystem { datums, .. } => inputs.extend(datums.iter().flat_map(DatumElements::all)),
            MainMethod::OnFaces { faces, .. } => inputs.extend([faces.nominal, faces.alignment]),
        }
        inputs
    }

    fn make(
        &self,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        _: Option<&Alignment>,
        progress: &Progress,
    ) -> Result<Alignment> {
        let nominal = inputs.get::<Nominal>(self.nominal, "a nominal")?;
        let before = inputs.get::<Alignment>(self.before, "an alignment")?;
        let start = &before.nominal_from_scan;
        let actual = inputs.get::<Actual>(self.scan, "a scan")?;
        let mut made = match &self.to {
            MainMethod::ReferencePoints(references) => {
                let centres = centres(references, inputs)?;
                let points = &actual.cloud.points;
                reference_points::align(&nominal.surface, points, references, &centres, start, progress)?
            }
            MainMethod::DatumSystem { datums, association } => {
                let feature =
                    |id: &ElementId| datum_feature(*id, *association, inputs, &nominal.surface, start, progress);
                let datum = |own: &DatumElements<ElementId>| {
                    combined(own.all().iter().map(feature).collect::<Result<Vec<_>>>()?)
                };
                let datums = datums.iter().map(datum).collect::<Result<Vec<_>>>()?;
                datum_system::align(&datums, *association, start, progress)?
            }
            MainMethod::OnFaces { faces, parameters } => {
                let numbers = Selection::Facets(faces.clone()).points(&actual, inputs, tools, progress)?;
                on_faces(&nominal, &actual.cloud.select(&numbers), faces, parameters, start, tools, progress)?
            }
            MainMethod::WithinTolerance(wanted) => {
                within_tolerance::align(tools.backend, &nominal, &actual, wanted, start, progress)?
            }
        };
        // A best fit moves the directions that it determines badly, too.
        let is_determined = before.information.open.is_empty() && !matches!(self.to, MainMethod::OnFaces { .. });
        let as_before = if is_determined { std::mem::take(&mut made.information.open) } else { Vec::new() };
        // Which of several poses the part is in was decided by the pre-alignment.
        Ok(Alignment {
            as_before,
            alternatives: before.alternatives.clone(),
            rivals: before.rivals,
            explained: before.explained,
            among_others: before.among_others.clone(),
            ..made
        })
    }
}

/// The centres of the features that reference points refer to.
fn centres(references: &ReferencePoints, inputs: &dyn Inputs) -> Result<Centres> {
    let centre = |id: ElementId| {
        let measured = inputs.get::<MeasuredFeature>(id, A_FEATURE)?;
        let centre = measured.centre().ok_or_else(|| {
            UserError::usage(format!(
                "“{}” has no centre: choose a circle, a sphere, a cylinder, a cone or a slot.",
                inputs.name(id)
            ))
        })?;
        let nominal_axis = measured.nominal.and_then(|own| own.direction());
        Ok((id, Centre { situation: centre, nominal_axis, points: measured.numbers.len() }))
    };
    references.points.iter().filter_map(|own| own.centre_of).map(centre).collect()
}

/// Best fit of the points on some facets.
fn on_faces(
    nominal: &Nominal,
    cloud: &Cloud,
    faces: &FacetSelection,
    parameters: &best_fit::Parameters,
    start: &Pose,
    tools: &Tools<'_>,
    progress: &Progress,
) -> Result<Alignment> {
    let prepared = PreparedScan::new(cloud);
    let problem = problem(&nominal.surface, &prepared);
    let mut watch = |pose: &Pose, rms_mm| (tools.watch)(pose, rms_mm);
    let gate_mm = faces.max_distance_mm;
    let found = best_fit::run_from_gate(tools.backend, &problem, start, parameters, gate_mm, progress, &mut watch)?;
    let main = Main::OnFaces { facets: faces.facets.len(), points: cloud.points.len() };
    Ok(Alignment { main: Some(main), ..found })
}

/// A datum, or a feature in its place, with the side of its material.
fn datum_feature(
    id: ElementId,
    association: DatumAssociation,
    inputs: &dyn Inputs,
    nominal: &Surface,
    pose: &Pose,
    progress: &Progress,
) -> Result<DatumFeature> {
    let (letter, name, measured) = match inputs.output(id)?.downcast::<Datum>() {
        Ok(datum) => (datum.letter().to_owned(), datum.name().to_owned(), datum.feature().clone()),
        Err(_) => {
            let feature = MeasuredFeature::clone(&*inputs.get(id, "a datum or a feature")?);
            (inputs.name(id), inputs.name(id), feature)
        }
    };
    let seen =
        measured.coverage.map(|own| SeenFace { datum: Some(letter.clone()), ..SeenFace::required(&name, own, None) });
    let Feature { element, nominal: nominal_element, points, size_mm, .. } =
        Feature::of_datum(&measured, pose, progress)?;
    // The sides of a slot do not touch its mid-plane.
    let points = if size_mm.is_some() { Vec::new() } else { points };
    let element_in_nominal = element.moved(pose);
    let is_outward = is_outward(&element_in_nominal, &points, nominal, pose);
    let mut datum = DatumFeature {
        letter,
        element,
        nominal: nominal_element,
        points,
        contacts: None,
        faces: seen.into_iter().collect(),
        is_outward,
        heights_mm: Vec::new(),
        is_two_sided: false,
    };
    if association == DatumAssociation::Contacting {
        datum.average_noise();
    }
    Ok(datum)
}

/// Whether the direction of a plane points out of the material, or the material of a round feature lies within it, by
/// the normals of the nominal at the measured points.
fn is_outward(element: &Element, points: &[geometry::Point], nominal: &Surface, pose: &Pose) -> bool {
    let Element::Shape(shape) = element else { return true };
    let max_mm = SIDE_DISTANCE_SHARE * nominal.bounds().diagonal();
    let sides = draw::sample(points, SIDE_POINTS).into_iter().filter_map(|index| {
        let point = pose * points[index as usize];
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
