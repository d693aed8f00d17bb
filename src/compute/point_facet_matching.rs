//! Point-facet matching (PFM): each nominal facet takes the mean deviation of the scan points over it.
//!
//! A point counts for a facet when it lies laterally within the facet's radius and, along the facet's normal, within
//! the largest distance. Spec: the published GPU colormap for structured-light scans on a CMM, with our reading of its
//! acceptance table (the radius gates the lateral distance only, so that deviations larger than a facet survive).

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::{Mesh, Pose, SearchablePoints, Vector};

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The nominal, refined to the wished resolution.
    pub nominal: &'a Mesh,
    /// The scan's points, scan frame, mm.
    pub points: &'a SearchablePoints<'a>,
    /// Unit directions by point number, scan frame, either the points' normals or the directions to the sensor; empty
    /// where unknown. Needed by the angle gate.
    pub directions: &'a [Vector],
    /// Moves the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// Lateral radius, mm; `None` takes each facet's own (its centre to its farthest corner).
    pub radius_mm: Option<f64>,
    /// Largest distance along the facet's normal, mm.
    pub max_distance_mm: f64,
    /// Largest angle between facet normal and point direction, rad.
    pub max_angle_rad: f64,
}

/// The answer for one facet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FacetDeviation {
    /// Signed deviation, mm: + outside. Meaningless without matches.
    pub deviation_mm: f64,
    /// Points (PFM) or facets (FFM) that matched; 0 means no data.
    pub matches: u32,
}

impl FacetDeviation {
    /// The deviation, where there is one.
    #[inline]
    pub fn value(&self) -> Option<f64> {
        (self.matches > 0).then_some(self.deviation_mm)
    }
}

impl Capability for Request<'_> {
    type Answer = Vec<FacetDeviation>;

    const STAGE: &'static str = "Matching points to facets";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::point_facet_matching::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_point_facet_matching(self)?;
        job.launch(self.nominal_from_scan)?;
        job.read()
    }
}
