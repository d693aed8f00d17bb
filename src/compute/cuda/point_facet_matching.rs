//! Point-facet matching on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, require};
use super::facet_answers::{FacetAnswers, FacetsParameter};
use super::flat;
use super::points::DevicePoints;
use crate::point_facet_matching::{FacetDeviation, Request};
use base::Result;
use geometry::Pose;

/// `Request` of point_facet_matching.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    facets: FacetsParameter,
    directions: u64,
    radius_mm: f64,
    max_distance_mm: f64,
    min_cosine: f64,
}

/// Points and nominal resident on a device; can be matched repeatedly.
pub struct PointFacetJob {
    driver: Arc<dyn Driver>,
    points: DevicePoints,
    facets: FacetAnswers,
    directions: Option<Buffer<f64>>,
    radius_mm: f64,
    max_distance_mm: f64,
    min_cosine: f64,
}

impl PointFacetJob {
    /// Uploads points, directions and nominal.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let point_bytes = DevicePoints::bytes(request.points.points().len()) + 24 * request.directions.len();
        require(driver.as_ref(), point_bytes + FacetAnswers::bytes(request.nominal), "Matching points to facets")?;
        let is_gated = !request.directions.is_empty() && request.max_angle_rad < std::f64::consts::PI;
        let directions =
            is_gated.then(|| Buffer::from_slice(driver, flat::of_vectors(request.directions))).transpose()?;
        Ok(Self {
            driver: Arc::clone(driver),
            points: DevicePoints::new(driver, request.points.points())?,
            facets: FacetAnswers::new(driver, request.nominal)?,
            directions,
            radius_mm: request.radius_mm.unwrap_or(0.0),
            max_distance_mm: request.max_distance_mm,
            min_cosine: request.max_angle_rad.cos(),
        })
    }

    /// Launches the matching, without waiting for it.
    pub fn launch(&self, nominal_from_scan: &Pose) -> Result<()> {
        let parameter = RequestParameter {
            facets: self.facets.parameter(nominal_from_scan),
            directions: self.directions.as_ref().map_or(0, Buffer::address),
            radius_mm: self.radius_mm,
            max_distance_mm: self.max_distance_mm,
            min_cosine: self.min_cosine,
        };
        let points = self.points.parameter();
        self.facets.launch(self.driver.as_ref(), "point_facet_matching", bytes_of(&points), bytes_of(&parameter))
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
