//! Queries for closest points: places, what may answer them, and the limits of a match.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::flat;
use super::surface::SurfaceParameter;
use crate::point_deviation::RIM_TILT_RAD;
use base::Result;
use geometry::{OrderedPoints, Pose, Vector};

/// `Queries` of surface.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct QueriesParameter {
    points: u64,
    count: u32,
    stride: u32,
    pose: [f64; 7],
    max_distance_mm: f64,
}

impl QueriesParameter {
    /// Every `stride`-th of the points, moved by `pose`.
    pub fn new(points: &Buffer<f64>, stride: usize, pose: &Pose, max_distance_mm: f64) -> Self {
        let (stride, pose) = (stride.max(1), pose_parameter(pose));
        let count = (points.count() / 3).div_ceil(stride);
        Self { points: points.place(), count: count as u32, stride: stride as u32, pose, max_distance_mm }
    }

    /// Number of queries.
    pub fn count(&self) -> usize {
        self.count as usize
    }
}

/// Facets that a query remembers; CANDIDATES of surface.cuh.
const CANDIDATES: usize = 8;

/// `Candidates` of surface.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct CandidatesParameter {
    places: u64,
    counts: u64,
    queries: u32,
    pad: u32,
}

/// Room for the facets that may be the closest to each query.
pub struct Candidates {
    places: Buffer<u32>,
    counts: Buffer<u32>,
}

impl Candidates {
    /// Bytes of a query's room.
    pub const BYTES: usize = 4 * (CANDIDATES + 1);

    /// For up to `queries`.
    pub fn new(driver: &Arc<dyn Driver>, queries: usize) -> Result<Self> {
        Ok(Self { places: Buffer::new(driver, CANDIDATES * queries)?, counts: Buffer::new(driver, queries)? })
    }

    /// Starts the search; what it returns names its answers to the kernels behind it.
    pub fn search(
        &self,
        driver: &dyn Driver,
        surface: &SurfaceParameter,
        queries: &QueriesParameter,
    ) -> Result<CandidatesParameter> {
        let (places, counts) = (self.places.place(), self.counts.place());
        let parameter = CandidatesParameter { places, counts, queries: queries.count, pad: 0 };
        let arguments: [&[u8]; 3] = [bytes_of(surface), bytes_of(queries), bytes_of(&parameter)];
        launch_each(driver, "closest_candidates", queries.count(), &arguments)?;
        launch_each(driver, "settle_ties", queries.count(), &arguments)?;
        Ok(parameter)
    }
}

/// `Gate` of surface.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct GateParameter {
    normals: u64,
    oriented: u32,
    pad: u32,
    least_cosine: f64,
    rim_tangent: f64,
}

impl GateParameter {
    /// Gates by angle where there are normals and the angle is one that any can exceed.
    pub fn new(normals: Option<&Buffer<f64>>, oriented: bool, max_angle_rad: f64) -> Self {
        let normals = normals.filter(|_| max_angle_rad < std::f64::consts::PI);
        Self {
            normals: normals.map_or(0, Buffer::place),
            oriented: u32::from(oriented),
            pad: 0,
            least_cosine: max_angle_rad.cos(),
            rim_tangent: RIM_TILT_RAD.tan(),
        }
    }
}

/// Uploads normals in the order of the points; `None` where there are none.
pub fn resident_normals(
    driver: &Arc<dyn Driver>,
    points: &OrderedPoints,
    normals: &[Vector],
) -> Result<Option<Buffer<f64>>> {
    if normals.is_empty() {
        return Ok(None);
    }
    let ordered: Vec<Vector> = points.numbers.iter().map(|&number| normals[number as usize]).collect();
    Ok(Some(Buffer::of(driver, flat::of_vectors(&ordered))?))
}

/// Quaternion (i, j, k, w) and translation.
pub fn pose_parameter(pose: &Pose) -> [f64; 7] {
    let (q, t) = (pose.rotation.quaternion(), pose.translation.vector);
    [q.i, q.j, q.k, q.w, t.x, t.y, t.z]
}
