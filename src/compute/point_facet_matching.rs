//! Point-facet matching (PFM): mean deviation of the scan points over each nominal facet.
//!
//! A point is matched to a facet if its lateral distance from the facet's normal line is within the radius and its
//! distance along the normal within the maximum. Specification: the published GPU colour map for structured-light scans
//! on a CMM, with our interpretation of its acceptance table (the radius limits the lateral distance only, so that
//! deviations larger than a facet are retained).

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{Mesh, Pose, SearchablePoints, Vector};

/// A request for point-facet matching.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Mesh of the nominal, already refined to the required resolution.
    pub nominal: &'a Mesh,
    /// Points of the scan, scan frame, mm.
    pub points: &'a SearchablePoints<'a>,
    /// Unit directions by point index, scan frame, either the points' normals or the directions to the sensor; empty if
    /// unknown. Required by the angle gate.
    pub directions: &'a [Vector],
    /// Transforms the scan into the nominal frame.
    pub nominal_from_scan: &'a Pose,
    /// Lateral radius, mm; `None` uses the distance from each facet's centroid to its farthest corner.
    pub radius_mm: Option<f64>,
    /// Maximum distance along the facet's normal, mm.
    pub max_distance_mm: f64,
    /// Maximum angle between facet normal and point direction, rad; π disables the gate.
    pub max_angle_rad: f64,
}

/// Deviation of one facet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FacetDeviation {
    /// Signed deviation, mm, positive outside. Undefined without matches.
    pub deviation_mm: f64,
    /// Number of points (PFM) or facets (FFM) matched; 0 means no data.
    pub matches: u32,
}

impl FacetDeviation {
    /// The deviation, or `None` without matches.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        (self.matches > 0).then_some(self.deviation_mm)
    }
}

impl Capability for Request<'_> {
    type Answer = Vec<FacetDeviation>;

    const LABEL: &'static str = "Matching points to facets";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::point_facet_matching::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_point_facet_matching(self)?;
        job.launch(self.nominal_from_scan)?;
        job.read()
    }
}
