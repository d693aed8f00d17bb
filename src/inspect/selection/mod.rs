//! Selection of the scan points that an element is evaluated from: by faces of the nominal, by a prism in the nominal
//! frame, or by point indices. The first two apply to every part; the last applies to one scan only.

mod prism;
mod under_points;

use serde::{Deserialize, Serialize};

use crate::alignment::Alignment;
use crate::parts::{Actual, Nominal};
pub use crate::parts::{Anchors, MIN_EDGE_ANGLE_RAD};
use crate::recipe::{ElementId, Inputs, Tools};
use base::{Progress, Result, UserError};
use compute::point_deviation::{MatchState, PointDeviation};
use compute::{Backend, Compute, point_deviation};
use geometry::{OrderedPoints, Point, Pose, Subset, Vector};
pub use prism::Prism;

/// Selection of points of a scan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "snake_case")]
pub enum Selection {
    /// Points near some facets of the nominal.
    Facets(FacetSelection),
    /// Points inside a prism in the nominal frame.
    Prism {
        /// The alignment of the scan to the nominal.
        alignment: ElementId,
        /// The prism.
        prism: Prism,
    },
    /// Points of one scan, by index; not applicable to other scans.
    Points(ScanPoints),
}

/// Points whose closest point on the nominal lies on one of the given facets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FacetSelection {
    /// The nominal.
    pub nominal: ElementId,
    /// The alignment of the scan to the nominal.
    pub alignment: ElementId,
    /// The facets, by index in the nominal that `anchors` refer to.
    pub facets: Subset,
    /// Their positions, to find them on another revision of the nominal.
    pub anchors: Anchors,
    /// Maximum distance of a point from the nominal, mm.
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of a point and its facet, degrees.
    pub max_angle_deg: f64,
}

/// Points of one scan, by index.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScanPoints {
    /// Indices of the points.
    pub numbers: Subset,
    /// BLAKE3 of the scan files, hexadecimal.
    pub of: Vec<String>,
    /// Total number of scan points after cleaning; `None` if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub among: Option<usize>,
}

impl ScanPoints {
    /// Selects the points `numbers` of `actual`.
    pub fn of(numbers: Subset, actual: &Actual) -> Self {
        let of = actual.sources.iter().map(|source| source.hash.clone()).collect();
        Self { numbers, of, among: Some(actual.cloud.points.len()) }
    }
}

impl Selection {
    /// The elements that it refers to, except the scan.
    pub fn inputs(&self) -> Vec<ElementId> {
        match self {
            Self::Facets(own) => vec![own.nominal, own.alignment],
            Self::Prism { alignment, .. } => vec![*alignment],
            Self::Points(_) => Vec::new(),
        }
    }

    /// Whether it applies to other parts.
    pub fn is_repeatable(&self) -> bool {
        !matches!(self, Self::Points(_))
    }

    /// Description for the user.
    pub fn words(&self) -> String {
        match self {
            Self::Facets(own) => format!("points on {} facets of the nominal", own.facets.len()),
            Self::Prism { .. } => "points inside a prism".to_owned(),
            Self::Points(own) => format!("{} points of one scan", own.numbers.len()),
        }
    }

    /// Indices of the selected points of `actual`.
    ///
    /// Returns an error if there are none, if the facets or points do not apply to the nominal or scan, and if an input
    /// or the backend fails.
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
                indices_where(&actual.cloud.points, |point| prism.contains(&(pose * point)))
            }
            Self::Points(own) => {
                let hashes = actual.sources.iter().map(|source| &source.hash);
                let count = actual.cloud.points.len();
                let is_same_count = own.among.is_none_or(|among| among == count) && own.numbers.is_within(count);
                if !own.of.iter().eq(hashes) || !is_same_count {
                    return Err(UserError::input(
                        "Its points were selected on another scan and do not apply to this one; select facets of the \
                         nominal instead to measure it on every part.",
                    ));
                }
                own.numbers.clone()
            }
        };
        if found.is_empty() {
            return Err(UserError::input(format!(
                "Its selection ({}) is empty on this scan: the face was not measured, or the alignment is wrong.",
                self.words()
            )));
        }
        Ok(found)
    }
}

impl FacetSelection {
    /// Indices of the points of `actual` that belong to the facets.
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
        let vicinity = geometry::Aabb::of_points_parallel(&corners).grown(self.max_distance_mm);
        // Only points in the vicinity can belong to them; their closest points are then found on the whole nominal.
        let near = indices_where(&actual.cloud.points, |point| vicinity.contains(&(nominal_from_scan * point)));
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
        Ok(Subset::new(near.iter().zip(&closest).filter(|(_, own)| is_on(own)).map(|(index, _)| *index).collect()))
    }
}

fn indices_where(points: &[Point], is_selected: impl Fn(&Point) -> bool + Sync) -> Subset {
    use rayon::prelude::*;
    let indices = points.par_iter().enumerate().filter(|(_, point)| is_selected(point)).map(|(i, _)| i as u32);
    Subset::new(indices.collect())
}
