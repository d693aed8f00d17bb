//! Facet-facet matching (FFM): each nominal facet looks along its normal for the scan's surface.
//!
//! The deviation is the signed distance from the facet's centre to where its normal line pierces a scan facet. The
//! published form takes the first match found, which depends on the order of facets; here the nearest one counts, and
//! the lowest-numbered on ties.

use super::cuda::Cuda;
use super::point_facet_matching::FacetDeviation;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{Mesh, Pose, Surface};

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The nominal, refined to the wished resolution.
    pub nominal: &'a Mesh,
    /// The scan as a surface, scan frame.
    pub scan: &'a Surface,
    /// Moves the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// Largest distance along the normal, mm.
    pub max_distance_mm: f64,
    /// Largest angle between the two facets' normals, rad.
    pub max_angle_rad: f64,
}

impl Capability for Request<'_> {
    type Answer = Vec<FacetDeviation>;

    const STAGE: &'static str = "Matching facets to facets";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::facet_facet_matching::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_facet_facet_matching(self)?;
        job.launch(self.nominal_from_scan)?;
        job.read()
    }
}
