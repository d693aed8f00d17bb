//! A mesh on the device, and its facets along a space-filling curve.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver};
use super::flat;
use super::tree::{self, CurveParameter};
use base::Result;
use geometry::{Aabb, Mesh};

/// `Mesh` of facet_tree.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct MeshParameter {
    vertices: u64,
    facets: u64,
    count: u32,
    pad: u32,
    curve: CurveParameter,
}

/// Vertices and facets resident on a device.
pub struct DeviceMesh {
    pub(super) vertices: Buffer<f64>,
    pub(super) facets: Buffer<u32>,
    pub(super) count: usize,
    pub(super) curve: CurveParameter,
    /// Largest coordinate relative to the centre, mm.
    pub(super) half_extent_mm: f64,
}

impl DeviceMesh {
    /// Device memory for `mesh` and its sorted keys, bytes.
    pub fn bytes(mesh: &Mesh) -> usize {
        24 * mesh.vertices.len() + (12 + 16) * mesh.facets.len()
    }

    /// Uploads `mesh`, whose vertices lie in `bounds`.
    pub fn new(driver: &Arc<dyn Driver>, mesh: &Mesh, bounds: &Aabb) -> Result<Self> {
        Ok(Self {
            vertices: Buffer::from_slice(driver, flat::of_points(&mesh.vertices))?,
            facets: Buffer::from_slice(driver, mesh.facets.as_flattened())?,
            count: mesh.facets.len(),
            curve: CurveParameter::new(bounds),
            half_extent_mm: 0.5 * bounds.size().max(),
        })
    }

    /// The kernel parameter.
    pub fn parameter(&self) -> MeshParameter {
        MeshParameter {
            vertices: self.vertices.address(),
            facets: self.facets.address(),
            count: self.count as u32,
            pad: 0,
            curve: self.curve,
        }
    }

    /// Morton keys and indices of the facets in curve order.
    pub fn along_curve(&self, driver: &Arc<dyn Driver>) -> Result<(Buffer<u32>, Buffer<u32>)> {
        tree::sorted_keys(driver, "facet_keys", bytes_of(&self.parameter()), self.count)
    }
}
