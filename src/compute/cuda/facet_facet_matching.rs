//! Facet-facet matching on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Driver, require};
use super::facet_answers::{FacetAnswers, FacetsParameter};
use super::surface::DeviceSurface;
use crate::facet_facet_matching::Request;
use crate::point_facet_matching::FacetDeviation;
use base::Result;
use geometry::Pose;

/// `Request` of facet_facet_matching.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    facets: FacetsParameter,
    max_distance_mm: f64,
    min_cosine: f64,
}

/// Scan and nominal resident on a device; can be matched repeatedly.
pub struct FacetFacetJob {
    driver: Arc<dyn Driver>,
    scan: Arc<DeviceSurface>,
    facets: FacetAnswers,
    max_distance_mm: f64,
    min_cosine: f64,
}

impl FacetFacetJob {
    /// Uploads the nominal. `scan` is the resident copy of the scan in the request.
    pub(super) fn new(driver: &Arc<dyn Driver>, scan: Arc<DeviceSurface>, request: &Request<'_>) -> Result<Self> {
        require(driver.as_ref(), FacetAnswers::bytes(request.nominal), "Matching facets to facets")?;
        Ok(Self {
            driver: Arc::clone(driver),
            scan,
            facets: FacetAnswers::new(driver, request.nominal)?,
            max_distance_mm: request.max_distance_mm,
            min_cosine: request.max_angle_rad.cos(),
        })
    }

    /// Launches the matching, without waiting for it.
    pub fn launch(&self, nominal_from_scan: &Pose) -> Result<()> {
        let parameter = RequestParameter {
            facets: self.facets.parameter(nominal_from_scan),
            max_distance_mm: self.max_distance_mm,
            min_cosine: self.min_cosine,
        };
        let scan = self.scan.parameter();
        self.facets.launch(self.driver.as_ref(), "facet_facet_matching", bytes_of(&scan), bytes_of(&parameter))
    }

    /// Waits for everything launched.
    pub fn wait(&self) -> Result<()> {
        self.driver.synchronize()
    }

    /// Waits for the answers and downloads them, by facet index.
    pub fn read(&self) -> Result<Vec<FacetDeviation>> {
        self.facets.read()
    }
}
