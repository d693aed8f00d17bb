//! Facet-facet matching (FFM): deviation of each nominal facet along its normal from the mesh of the scan.
//!
//! The deviation is the signed distance from the facet's centroid to the intersection of its normal line with a scan
//! facet. The published method takes the first match found, which depends on the order of the facets; this one takes
//! the nearest, on ties that with the lowest facet index.

use super::cuda::Cuda;
use super::point_facet_matching::FacetDeviation;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{Mesh, Pose, Surface};

/// A request for facet-facet matching.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// Mesh of the nominal, already refined to the required resolution.
    pub nominal: &'a Mesh,
    /// Surface of the scan, scan frame.
    pub scan: &'a Surface,
    /// Transforms the scan into the nominal frame.
    pub nominal_from_scan: &'a Pose,
    /// Maximum distance along the normal, mm.
    pub max_distance_mm: f64,
    /// Maximum angle between the normals of nominal and scan facet, rad.
    pub max_angle_rad: f64,
}

impl Capability for Request<'_> {
    type Answer = Vec<FacetDeviation>;

    const LABEL: &'static str = "Matching facets to facets";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::facet_facet_matching::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_facet_facet_matching(self)?;
        job.launch(self.nominal_from_scan)?;
        job.read()
    }
}
