//! A nominal on the device: its tree, built there, and what the sign of a distance needs.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use super::mesh::DeviceMesh;
use super::{flat, tree};
use base::Result;
use geometry::Surface;

/// Facets in a leaf, at most; SURFACE_LEAF of surface.cuh.
const LEAF_SIZE: u32 = 4;
/// Bytes of a facet, exactly and in the sieve, of surface.cuh.
const FACET_BYTES: usize = 80;
const SIEVE_BYTES: usize = 48;

/// `Surface` of surface.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct SurfaceParameter {
    nodes: u64,
    root: u32,
    facets: u32,
    corners: u64,
    sieve: u64,
    vertices: u64,
    indices: u64,
    neighbours: u64,
    vertex_normals: u64,
    open_vertices: u64,
    centre: [f64; 3],
    reach_mm: f64,
}

/// A nominal resident on a device.
pub struct DeviceSurface {
    mesh: DeviceMesh,
    nodes: Buffer<u8>,
    corners: Buffer<u8>,
    sieve: Buffer<u8>,
    neighbours: Buffer<u32>,
    vertex_normals: Buffer<f64>,
    open_vertices: Buffer<u8>,
}

impl DeviceSurface {
    /// Bytes that `surface` takes at most.
    pub fn bytes(surface: &Surface) -> usize {
        let mesh = surface.mesh();
        let of_facets = mesh.facets.len() * (FACET_BYTES + SIEVE_BYTES + 12);
        DeviceMesh::bytes(mesh) + of_facets + tree::bytes(mesh.facets.len()) + 25 * mesh.vertices.len()
    }

    /// Uploads `surface` and builds its tree.
    pub fn new(driver: &Arc<dyn Driver>, surface: &Surface) -> Result<Self> {
        let mesh = DeviceMesh::new(driver, surface.mesh(), surface.bounds())?;
        let (corners, sieve, nodes) = build(driver, &mesh)?;
        let open: Vec<u8> = surface.open_vertices().iter().map(|&open| u8::from(open)).collect();
        Ok(Self {
            mesh,
            nodes,
            corners,
            sieve,
            neighbours: Buffer::of(driver, surface.topology().neighbours.as_flattened())?,
            vertex_normals: Buffer::of(driver, flat::of_vectors(surface.vertex_normals()))?,
            open_vertices: Buffer::of(driver, &open)?,
        })
    }

    pub(super) fn parameter(&self) -> SurfaceParameter {
        SurfaceParameter {
            nodes: self.nodes.place(),
            root: tree::root(self.mesh.count, LEAF_SIZE),
            facets: self.mesh.count as u32,
            corners: self.corners.place(),
            sieve: self.sieve.place(),
            vertices: self.mesh.vertices.place(),
            indices: self.mesh.facets.place(),
            neighbours: self.neighbours.place(),
            vertex_normals: self.vertex_normals.place(),
            open_vertices: self.open_vertices.place(),
            centre: self.mesh.curve.centre,
            reach_mm: self.mesh.reach_mm,
        }
    }

    /// Builds the tree once more, for those who time it.
    pub fn rebuild(&mut self, driver: &Arc<dyn Driver>) -> Result<()> {
        (self.corners, self.sieve, self.nodes) = build(driver, &self.mesh)?;
        Ok(())
    }
}

/// Corners and the sieve's in tree order, and the nodes over them.
fn build(driver: &Arc<dyn Driver>, mesh: &DeviceMesh) -> Result<(Buffer<u8>, Buffer<u8>, Buffer<u8>)> {
    let count = mesh.count;
    let (keys, numbers) = mesh.along_curve(driver)?;
    let (corners, sieve) =
        (Buffer::<u8>::new(driver, FACET_BYTES * count)?, Buffer::<u8>::new(driver, SIEVE_BYTES * count)?);
    let (number_place, corner_place, sieve_place) = (numbers.place(), corners.place(), sieve.place());
    let parameter = mesh.parameter();
    let order: [&[u8]; 4] =
        [bytes_of(&parameter), bytes_of(&number_place), bytes_of(&corner_place), bytes_of(&sieve_place)];
    launch_each(driver.as_ref(), "facet_corners", count, &order)?;
    let nodes = tree::nodes(driver, &keys, count, LEAF_SIZE, "facet_boxes", &mesh.curve.centre, corner_place)?;
    Ok((corners, sieve, nodes))
}
