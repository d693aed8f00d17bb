//! The published matching on the device, step by step: for the bench and its tests, not for inspections.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver};
use super::facet_answers::{FacetAnswers, FacetsParameter};
use crate::point_facet_matching::FacetDeviation;
use crate::{facet_facet_matching, point_facet_matching};
use base::Result;
use geometry::{Point, Pose, Vector, triangle};

/// The published steps of tuning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A branch for each condition.
    Naive,
    /// One condition.
    Bundled,
    /// One condition, and a loop over all candidates.
    Complete,
    /// One condition, read through the read-only cache.
    ReadOnly,
}

impl Step {
    /// All, in the published order.
    pub const ALL: [Self; 4] = [Self::Naive, Self::Bundled, Self::Complete, Self::ReadOnly];

    /// For tables.
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
    least_cosine: f32,
    pad: u32,
}

/// Candidates sorted by their distance from the origin, and the nominal, resident on a device.
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
        let candidates = request.points.places().iter().map(|point| [four(&point.coords, point.coords.norm())]);
        let parameter = RequestParameter {
            radius_mm: request.radius_mm.unwrap_or(0.0) as f32,
            max_distance_mm: request.max_distance_mm as f32,
            ..RequestParameter::zeroed()
        };
        Self::new(driver, FacetAnswers::new(driver, request.nominal)?, sorted(candidates), parameter, false)
    }

    /// Facet-facet matching.
    pub(super) fn of_facets(driver: &Arc<dyn Driver>, request: &facet_facet_matching::Request<'_>) -> Result<Self> {
        let scan = request.scan.mesh();
        let mut reach_mm = 0.0_f64;
        let candidates = (0..scan.facets.len()).map(|facet| {
            let corners = scan.corners(facet);
            let (centre, normal) = (triangle::centroid(&corners), triangle::normal(&corners));
            reach_mm = corners.iter().map(|corner: &Point| (corner - centre).norm()).fold(reach_mm, f64::max);
            let [a, b, c] = corners.map(|corner| four(&corner.coords, 0.0));
            [four(&centre.coords, centre.coords.norm()), a, b, c, four(&normal, 0.0)]
        });
        let candidates = sorted(candidates);
        let parameter = RequestParameter {
            max_distance_mm: request.max_distance_mm as f32,
            reach_mm: reach_mm as f32,
            least_cosine: request.max_angle_rad.cos() as f32,
            ..RequestParameter::zeroed()
        };
        Self::new(driver, FacetAnswers::new(driver, request.nominal)?, candidates, parameter, true)
    }

    fn new<const WORDS: usize>(
        driver: &Arc<dyn Driver>,
        facets: FacetAnswers,
        candidates: Vec<[[f32; 4]; WORDS]>,
        parameter: RequestParameter,
        of_facets: bool,
    ) -> Result<Self> {
        let resident = Buffer::of(driver, candidates.as_flattened())?;
        let request = RequestParameter { candidates: resident.place(), count: candidates.len() as u32, ..parameter };
        Ok(Self { driver: Arc::clone(driver), facets, candidates: resident, request, of_facets })
    }

    /// Starts the matching.
    pub fn launch(&self, step: Step, nominal_from_scan: &Pose) -> Result<()> {
        let request = RequestParameter {
            facets: self.facets.parameter(nominal_from_scan),
            candidates: self.candidates.place(),
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
        self.facets.launch_on(self.driver.as_ref(), kernel, bytes_of(&request))
    }

    /// The answers, by facet.
    pub fn read(&self) -> Result<Vec<FacetDeviation>> {
        self.facets.read()
    }
}

fn four(v: &Vector, w: f64) -> [f32; 4] {
    [v.x as f32, v.y as f32, v.z as f32, w as f32]
}

fn sorted<const WORDS: usize>(candidates: impl Iterator<Item = [[f32; 4]; WORDS]>) -> Vec<[[f32; 4]; WORDS]> {
    let mut candidates: Vec<_> = candidates.collect();
    candidates.sort_by(|a, b| a[0][3].total_cmp(&b[0][3]));
    candidates
}
