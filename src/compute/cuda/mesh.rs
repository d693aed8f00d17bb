//! A mesh on the device, and its facets along a curve.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver};
use super::{flat, tree};
use crate::base::Result;
use crate::geometry::{Aabb, Mesh};

/// `Mesh` of facet_tree.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct MeshParameter {
    vertices: u64,
    facets: u64,
    count: u32,
    pad: u32,
    low: [f64; 3],
    cells_per_mm: f64,
    centre: [f64; 3],
}

/// Vertices and facets.
pub struct DeviceMesh {
    pub(super) vertices: Buffer<f64>,
    pub(super) facets: Buffer<u32>,
    pub(super) count: usize,
    low: [f64; 3],
    pub(super) centre: [f64; 3],
    longest_mm: f64,
}

impl DeviceMesh {
    /// Uploads `mesh`, whose vertices lie in `bounds`.
    pub fn new(driver: &Arc<dyn Driver>, mesh: &Mesh, bounds: &Aabb) -> Result<Self> {
        Ok(Self {
            vertices: Buffer::of(driver, flat::of_points(&mesh.vertices))?,
            facets: Buffer::of(driver, mesh.facets.as_flattened())?,
            count: mesh.facets.len(),
            low: bounds.min.into(),
            centre: bounds.centre().into(),
            longest_mm: bounds.size().max(),
        })
    }

    /// What kernels take.
    pub fn parameter(&self) -> MeshParameter {
        MeshParameter {
            vertices: self.vertices.place(),
            facets: self.facets.place(),
            count: self.count as u32,
            pad: 0,
            low: self.low,
            cells_per_mm: tree::cells_per_mm(self.longest_mm),
            centre: self.centre,
        }
    }

    /// Largest coordinate about the centre, mm.
    pub fn reach_mm(&self) -> f64 {
        0.5 * self.longest_mm
    }

    /// Morton keys and numbers of the facets, along the curve.
    pub fn along_curve(&self, driver: &Arc<dyn Driver>) -> Result<(Buffer<u32>, Buffer<u32>)> {
        tree::sorted_keys(driver, "facet_keys", bytes_of(&self.parameter()), self.count)
    }
}
