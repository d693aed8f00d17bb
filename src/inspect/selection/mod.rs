//! Which points of a scan an element takes: by the faces of the nominal that they lie on, by a prism in the nominal's
//! frame, or by their own numbers. The first two are found again on the next part; the last holds for one scan alone.

mod anchors;
mod prism;
mod under_points;

use serde::{Deserialize, Serialize};

use crate::alignment::Alignment;
use crate::parts::{Actual, Nominal};
use crate::recipe::{ElementId, Inputs, Tools};
pub use anchors::{Anchors, SMOOTH_RAD};
use base::{Progress, Result, UserError};
use compute::point_deviation::{MatchState, PointDeviation};
use compute::{Backend, Compute, point_deviation};
use geometry::{OrderedPoints, Point, Pose, Subset, Vector};
pub use prism::Prism;

/// Which points of a scan an element takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Selection {
    /// Those that lie by some facets of the nominal.
    Facets(FacetSelection),
    /// Those inside a prism that stands in the nominal's frame.
    Prism {
        /// Brings the scan into that frame.
        alignment: ElementId,
        /// The prism.
        prism: Prism,
    },
    /// These of one scan: on another part they mean nothing.
    Points(ScanPoints),
}

/// Points whose closest place on the nominal lies on one of some facets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FacetSelection {
    /// The nominal.
    pub nominal: ElementId,
    /// Brings the scan onto it.
    pub alignment: ElementId,
    /// The facets, by their numbers in the nominal of `anchors`.
    pub facets: Subset,
    /// Where they are, to find them again on another revision of the nominal.
    pub anchors: Anchors,
    /// Farther points are not taken, mm.
    pub max_distance_mm: f64,
    /// Nor those whose normals lean from the facet's by more, degrees.
    pub max_angle_deg: f64,
}

/// Points of one scan by their numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanPoints {
    /// The numbers.
    pub numbers: Subset,
    /// BLAKE3 of the files that they are of, hexadecimal.
    pub of: Vec<String>,
    /// How many points there are, after cleaning; `None` where that was not written down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among: Option<usize>,
}

impl ScanPoints {
    /// Points of `actual`.
    pub fn of(numbers: Subset, actual: &Actual) -> Self {
        let of = actual.sources.iter().map(|source| source.hash.clone()).collect();
        Self { numbers, of, among: Some(actual.cloud.points.len()) }
    }
}

impl Selection {
    /// The elements that it looks at, beside the scan.
    pub fn inputs(&self) -> Vec<ElementId> {
        match self {
            Self::Facets(own) => vec![own.nominal, own.alignment],
            Self::Prism { alignment, .. } => vec![*alignment],
            Self::Points(_) => Vec::new(),
        }
    }

    /// Whether it is found again on another part.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Points(_))
    }

    /// For people.
    pub fn words(&self) -> String {
        match self {
            Self::Facets(own) => format!("points on {} facets of the nominal", own.facets.len()),
            Self::Prism { .. } => "points inside a prism".to_owned(),
            Self::Points(own) => format!("{} points of one scan alone", own.numbers.len()),
        }
    }

    /// The numbers of the points on `actual`; a sentence where there are none.
    pub fn points(
        &self,
        actual: &Actual,
        inputs: &dyn Inputs,
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<Subset> {
        let found = match self {
            Self::Facets(own) => {
                let nominal = inputs.get::<Nominal>(own.nominal, "a nominal")?;
                let pose = inputs.get::<Alignment>(own.alignment, "an alignment")?.nominal_from_scan;
                own.points(&nominal, actual, &pose, tools.backend, progress)?
            }
            Self::Prism { alignment, prism } => {
                let pose = inputs.get::<Alignment>(*alignment, "an alignment")?.nominal_from_scan;
                numbers_where(&actual.cloud.points, |point| prism.holds(&(pose * point)))
            }
            Self::Points(own) => {
                let hashes = actual.sources.iter().map(|source| &source.hash);
                let count = actual.cloud.points.len();
                let is_whole = own.among.is_none_or(|among| among == count) && own.numbers.is_within(count);
                if !own.of.iter().eq(hashes) || !is_whole {
                    return Err(UserError::input(
                        "Its points were chosen on another scan and mean nothing on this one: select facets of the \
                         nominal for it, and it is measured on every part.",
                    ));
                }
                own.numbers.clone()
            }
        };
        if found.is_empty() {
            return Err(UserError::input(format!(
                "This scan has none of its {}: the face was not measured, or the alignment is off.",
                self.words()
            )));
        }
        Ok(found)
    }
}

impl FacetSelection {
    /// The numbers of the points of `actual` that lie by the facets.
    fn points(
        &self,
        nominal: &Nominal,
        actual: &Actual,
        nominal_from_scan: &Pose,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<Subset> {
        let facets = self.anchors.facets(&self.facets, nominal)?;
        let mesh = nominal.surface.mesh();
        let corners: Vec<Point> = facets.iter().flat_map(|facet| mesh.corners(*facet as usize)).collect();
        let reach = geometry::Aabb::of_many(&corners).grown(self.max_distance_mm);
        // Only what comes near can lie by them: the closest place is then asked of the whole nominal.
        let near = numbers_where(&actual.cloud.points, |point| reach.contains(&(nominal_from_scan * point)));
        let cloud = actual.cloud.select(&near);
        let normals: Vec<Vector> = cloud.normals.iter().map(|normal| geometry::cloud::vector(*normal)).collect();
        let request = point_deviation::Request {
            surface: &nominal.surface,
            points: &OrderedPoints::new(&cloud.points),
            normals: &normals,
            oriented: actual.prepared.oriented,
            nominal_from_scan,
            max_distance_mm: self.max_distance_mm,
            max_angle_rad: self.max_angle_deg.to_radians(),
        };
        let closest: Vec<PointDeviation> = backend.compute(&request, progress)?;
        let is_on = |own: &PointDeviation| own.state == MatchState::Matched && facets.contains(own.facet);
        Ok(Subset::new(near.iter().zip(&closest).filter(|(_, own)| is_on(own)).map(|(number, _)| *number).collect()))
    }
}

fn numbers_where(points: &[Point], is_taken: impl Fn(&Point) -> bool + Sync) -> Subset {
    use rayon::prelude::*;
    let numbers = points.par_iter().enumerate().filter(|(_, point)| is_taken(point)).map(|(i, _)| i as u32);
    Subset::new(numbers.collect())
}
