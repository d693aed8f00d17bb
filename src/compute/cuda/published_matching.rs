//! Both matchings as first published for GPUs, in all published optimisation steps: for benchmarks and tests only.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver};
use super::facet_answers::{FacetAnswers, FacetsParameter};
use crate::point_facet_matching::FacetDeviation;
use crate::{facet_facet_matching, point_facet_matching};
use base::Result;
use geometry::{Point, Pose, Vector, triangle};

/// Optimisation steps of the published implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One branch per condition.
    Naive,
    /// All conditions combined in one.
    Bundled,
    /// As `Bundled`, in a loop over all candidates.
    Complete,
    /// As `Bundled`, with loads through the read-only cache.
    ReadOnly,
}

impl Step {
    /// All steps, in the published order.
    pub const ALL: [Self; 4] = [Self::Naive, Self::Bundled, Self::Complete, Self::ReadOnly];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Naive => "naive",
            Self::Bundled => "bundled conditions",
            Self::Complete => "complete looping",
            Self::ReadOnly => "read-only cache",
        }
    }
}

/// `Published` of published_matching.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct RequestParameter {
    facets: FacetsParameter,
    candidates: u64,
    count: u32,
    radius_mm: f32,
    max_distance_mm: f32,
    reach_mm: f32,
    min_cosine: f32,
    pad: u32,
}

/// Candidates in order of distance from the origin, and the nominal, resident on a device.
pub struct PublishedJob {
    driver: Arc<dyn Driver>,
    facets: FacetAnswers,
    candidates: Buffer<[f32; 4]>,
    request: RequestParameter,
    of_facets: bool,
}

impl PublishedJob {
    /// Point-facet matching, without the angle gate.
    pub(super) fn of_points(driver: &Arc<dyn Driver>, request: &point_facet_matching::Request<'_>) -> Result<Self> {
        let candidates = request.points.points().iter().map(|point| [packed(&point.coords, point.coords.norm())]);
        let parameter = RequestParameter {
            radius_mm: request.radius_mm.unwrap_or(0.0) as f32,
            max_distance_mm: request.max_distance_mm as f32,
            ..RequestParameter::zeroed()
        };
        Self::new(driver, FacetAnswers::new(driver, request.nominal)?, sorted_by_distance(candidates), parameter, false)
    }

    /// Facet-facet matching.
    pub(super) fn of_facets(driver: &Arc<dyn Driver>, request: &facet_facet_matching::Request<'_>) -> Result<Self> {
        let scan = request.scan.mesh();
        let mut reach_mm = 0.0_f64;
        let candidates = (0..scan.facets.len()).map(|facet| {
            let corners = scan.corners(facet);
            let (centroid, normal) = (triangle::centroid(&corners), triangle::normal(&corners));
            reach_mm = corners.iter().map(|corner: &Point| (corner - centroid).norm()).fold(reach_mm, f64::max);
            let [a, b, c] = corners.map(|corner| packed(&corner.coords, 0.0));
            [packed(&centroid.coords, centroid.coords.norm()), a, b, c, packed(&normal, 0.0)]
        });
        let candidates = sorted_by_distance(candidates);
        let parameter = RequestParameter {
            max_distance_mm: request.max_distance_mm as f32,
            reach_mm: reach_mm as f32,
            min_cosine: request.max_angle_rad.cos() as f32,
            ..RequestParameter::zeroed()
        };
        Self::new(driver, FacetAnswers::new(driver, request.nominal)?, candidates, parameter, true)
    }

    fn new<const N: usize>(
        driver: &Arc<dyn Driver>,
        facets: FacetAnswers,
        candidates: Vec<[[f32; 4]; N]>,
        parameter: RequestParameter,
        of_facets: bool,
    ) -> Result<Self> {
        let resident = Buffer::from_slice(driver, candidates.as_flattened())?;
        let request = RequestParameter { candidates: resident.address(), count: candidates.len() as u32, ..parameter };
        Ok(Self { driver: Arc::clone(driver), facets, candidates: resident, request, of_facets })
    }

    /// Launches the matching, without waiting for it.
    pub fn launch(&self, step: Step, nominal_from_scan: &Pose) -> Result<()> {
        let request = RequestParameter {
            facets: self.facets.parameter(nominal_from_scan),
            candidates: self.candidates.address(),
            ..self.request
        };
        let kernel = match (step, self.of_facets) {
            (Step::Naive, false) => "published_points_naive",
            (Step::Bundled, false) => "published_points_bundled",
            (Step::Complete, false) => "published_points_complete",
            (Step::ReadOnly, false) => "published_points_read_only",
            (Step::Naive, true) => "published_facets_naive",
            (Step::Bundled, true) => "published_facets_bundled",
            (Step::Complete, true) => "published_facets_complete",
            (Step::ReadOnly, true) => "published_facets_read_only",
        };
        self.facets.launch_without_tree(self.driver.as_ref(), kernel, bytes_of(&request))
    }

    /// Waits for the answers and downloads them, by facet index.
    pub fn read(&self) -> Result<Vec<FacetDeviation>> {
        self.facets.read()
    }
}

fn packed(v: &Vector, w: f64) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, w as f32]
}

fn sorted_by_distance<const N: usize>(candidates: impl Iterator<Item = [[f32; 4]; N]>) -> Vec<[[f32; 4]; N]> {
    let mut candidates: Vec<_> = candidates.collect();
    candidates.sort_by(|a, b| a[0][3].total_cmp(&b[0][3]));
    candidates
}
