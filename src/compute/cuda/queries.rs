//! Kernel parameters of closest-point queries: query points, candidate facets and the limits of a match.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::flat;
use super::surface::SurfaceParameter;
use crate::point_deviation::MAX_RIM_TILT_RAD;
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
    /// Every `stride`-th of the points, transformed by `pose`.
    pub fn new(points: &Buffer<f64>, stride: usize, pose: &Pose, max_distance_mm: f64) -> Self {
        let (stride, pose) = (stride.max(1), pose_parameter(pose));
        let count = (points.count() / 3).div_ceil(stride);
        Self { points: points.address(), count: count as u32, stride: stride as u32, pose, max_distance_mm }
    }

    /// Number of queries.
    pub fn count(&self) -> usize {
        self.count as usize
    }
}

/// Maximum number of candidate facets per query; MAX_CANDIDATES of surface.cuh.
const MAX_CANDIDATES: usize = 8;

/// `Candidates` of surface.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct CandidatesParameter {
    facets: u64,
    counts: u64,
    queries: u32,
    pad: u32,
}

/// Device memory for the facets that may be the closest to each query.
pub struct Candidates {
    /// Positions of the facets in tree order.
    facets: Buffer<u32>,
    counts: Buffer<u32>,
}

impl Candidates {
    /// Device memory per query, bytes.
    pub const BYTES: usize = 4 * (MAX_CANDIDATES + 1);

    /// For up to `queries` queries.
    pub fn new(driver: &Arc<dyn Driver>, queries: usize) -> Result<Self> {
        Ok(Self { facets: Buffer::new(driver, MAX_CANDIDATES * queries)?, counts: Buffer::new(driver, queries)? })
    }

    /// The kernel parameter for `queries` queries.
    pub fn parameter(&self, queries: usize) -> CandidatesParameter {
        let (facets, counts) = (self.facets.address(), self.counts.address());
        CandidatesParameter { facets, counts, queries: queries as u32, pad: 0 }
    }

    /// Launches the search. Returns the parameter that passes the candidates to subsequent kernels.
    pub fn search(
        &self,
        driver: &dyn Driver,
        surface: &SurfaceParameter,
        queries: &QueriesParameter,
    ) -> Result<CandidatesParameter> {
        let parameter = self.parameter(queries.count());
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
    min_cosine: f64,
    rim_tangent: f64,
}

impl GateParameter {
    /// The angle gate is active if there are normals and the maximum angle is below π.
    pub fn new(normals: Option<&Buffer<f64>>, oriented: bool, max_angle_rad: f64) -> Self {
        let normals = normals.filter(|_| max_angle_rad < std::f64::consts::PI);
        Self {
            normals: normals.map_or(0, Buffer::address),
            oriented: u32::from(oriented),
            pad: 0,
            min_cosine: max_angle_rad.cos(),
            rim_tangent: MAX_RIM_TILT_RAD.tan(),
        }
    }
}

/// Uploads normals in the order of the points; `None` if there are none.
pub fn resident_normals(
    driver: &Arc<dyn Driver>,
    points: &OrderedPoints,
    normals: &[Vector],
) -> Result<Option<Buffer<f64>>> {
    if normals.is_empty() {
        return Ok(None);
    }
    let ordered: Vec<Vector> = points.numbers.iter().map(|&index| normals[index as usize]).collect();
    Ok(Some(Buffer::from_slice(driver, flat::of_vectors(&ordered))?))
}

/// `Pose` of vec.cuh: unit quaternion (i, j, k, w) and translation.
pub fn pose_parameter(pose: &Pose) -> [f64; 7] {
    let (q, t) = (pose.rotation.quaternion(), pose.translation.vector);
    [q.i, q.j, q.k, q.w, t.x, t.y, t.z]
}
