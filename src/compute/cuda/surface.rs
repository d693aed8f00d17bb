//! A surface on the device: its tree, which is built there, and the data that determine the sign of a distance.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::mesh::DeviceMesh;
use super::{flat, tree};
use base::Result;
use geometry::Surface;

/// Maximum number of facets per leaf; SURFACE_LEAF of surface.cuh.
const LEAF_SIZE: u32 = 4;
/// Bytes of a facet, exact and in the pre-filter: `Facet64` and `Facet32` of surface.cuh.
const FACET_BYTES: usize = 80;
const PRE_FILTER_BYTES: usize = 48;

/// `Surface` of surface.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct SurfaceParameter {
    nodes: u64,
    root: u32,
    facets: u32,
    corners: u64,
    pre_filter: u64,
    vertices: u64,
    indices: u64,
    neighbours: u64,
    vertex_normals: u64,
    boundary_vertices: u64,
    centre: [f64; 3],
    half_extent_mm: f64,
}

/// A surface resident on a device.
pub struct DeviceSurface {
    mesh: DeviceMesh,
    nodes: Buffer<u8>,
    corners: Buffer<u8>,
    pre_filter: Buffer<u8>,
    neighbours: Buffer<u32>,
    vertex_normals: Buffer<f64>,
    boundary_vertices: Buffer<u8>,
}

impl DeviceSurface {
    /// Maximum device memory for `surface` and building its tree, bytes.
    pub fn bytes(surface: &Surface) -> usize {
        let mesh = surface.mesh();
        let facet_bytes = mesh.facets.len() * (FACET_BYTES + PRE_FILTER_BYTES + 12);
        DeviceMesh::bytes(mesh) + facet_bytes + tree::bytes(mesh.facets.len()) + 25 * mesh.vertices.len()
    }

    /// Uploads `surface` and builds its tree.
    pub fn new(driver: &Arc<dyn Driver>, surface: &Surface) -> Result<Self> {
        let mesh = DeviceMesh::new(driver, surface.mesh(), surface.bounds())?;
        let (corners, pre_filter, nodes) = build(driver, &mesh)?;
        let open: Vec<u8> = surface.boundary_vertices().iter().map(|&open| u8::from(open)).collect();
        Ok(Self {
            mesh,
            nodes,
            corners,
            pre_filter,
            neighbours: Buffer::from_slice(driver, surface.topology().neighbours.as_flattened())?,
            vertex_normals: Buffer::from_slice(driver, flat::of_vectors(surface.vertex_normals()))?,
            boundary_vertices: Buffer::from_slice(driver, &open)?,
        })
    }

    pub(super) fn mesh(&self) -> &DeviceMesh {
        &self.mesh
    }

    pub(super) fn parameter(&self) -> SurfaceParameter {
        SurfaceParameter {
            nodes: self.nodes.address(),
            root: tree::root(self.mesh.count, LEAF_SIZE),
            facets: self.mesh.count as u32,
            corners: self.corners.address(),
            pre_filter: self.pre_filter.address(),
            vertices: self.mesh.vertices.address(),
            indices: self.mesh.facets.address(),
            neighbours: self.neighbours.address(),
            vertex_normals: self.vertex_normals.address(),
            boundary_vertices: self.boundary_vertices.address(),
            centre: self.mesh.curve.centre,
            half_extent_mm: self.mesh.half_extent_mm,
        }
    }

    /// Builds the tree again, for benchmarks.
    pub fn rebuild(&mut self, driver: &Arc<dyn Driver>) -> Result<()> {
        (self.corners, self.pre_filter, self.nodes) = build(driver, &self.mesh)?;
        Ok(())
    }
}

/// Exact and pre-filter facets in tree order, and the nodes over them.
fn build(driver: &Arc<dyn Driver>, mesh: &DeviceMesh) -> Result<(Buffer<u8>, Buffer<u8>, Buffer<u8>)> {
    let count = mesh.count;
    let (keys, indices) = mesh.along_curve(driver)?;
    let corners = Buffer::<u8>::new(driver, FACET_BYTES * count)?;
    let pre_filter = Buffer::<u8>::new(driver, PRE_FILTER_BYTES * count)?;
    let (of_indices, of_corners, of_pre_filter) = (indices.address(), corners.address(), pre_filter.address());
    let parameter = mesh.parameter();
    let arguments: [&[u8]; 4] =
        [bytes_of(&parameter), bytes_of(&of_indices), bytes_of(&of_corners), bytes_of(&of_pre_filter)];
    launch_each(driver.as_ref(), "facet_corners", count, &arguments)?;
    let nodes = tree::nodes(driver, &keys, count, LEAF_SIZE, "facet_boxes", &mesh.curve.centre, of_corners)?;
    Ok((corners, pre_filter, nodes))
}
