//! A nominal on the device: its tree, built there, and what the sign of a distance needs.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, coordinates, launch_each};
use super::sort;
use crate::base::Result;
use crate::geometry::Surface;

/// Facets in a leaf, at most; LEAF_SIZE of tree.cuh.
const LEAF_SIZE: u32 = 4;
const LEAF_BIT: u32 = 1 << 31;
/// Bits of a Morton key.
const KEY_BITS: u32 = 30;
/// Bytes of a node of tree.cuh.
const NODE_BYTES: usize = 64;

/// `Mesh` of facet_tree.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct MeshParameter {
    vertices: u64,
    facets: u64,
    count: u32,
    pad: u32,
    low: [f64; 3],
    cells_per_mm: f64,
    centre: [f64; 3],
}

/// `Surface` of closest_point.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct SurfaceParameter {
    nodes: u64,
    root: u32,
    facets: u32,
    corners: u64,
    numbers: u64,
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
    nodes: Buffer<u8>,
    corners: Buffer<f64>,
    numbers: Buffer<u32>,
    vertices: Buffer<f64>,
    indices: Buffer<u32>,
    neighbours: Buffer<u32>,
    vertex_normals: Buffer<f64>,
    open_vertices: Buffer<u8>,
    facets: u32,
    centre: [f64; 3],
    reach_mm: f64,
}

impl DeviceSurface {
    /// Uploads `surface` and builds its tree.
    pub fn new(driver: &Arc<dyn Driver>, surface: &Surface) -> Result<Self> {
        let mesh = surface.mesh();
        let open: Vec<u8> = surface.open_vertices().iter().map(|&open| u8::from(open)).collect();
        let vertices = Buffer::of(driver, &coordinates(mesh.vertices.iter().map(|vertex| &vertex.coords)))?;
        let indices = Buffer::of(driver, mesh.facets.as_flattened())?;
        let count = mesh.facets.len();
        let bounds = surface.bounds();
        let (centre, longest) = (bounds.centre(), bounds.size().max());
        let parameter = MeshParameter {
            vertices: vertices.place(),
            facets: indices.place(),
            count: count as u32,
            pad: 0,
            low: bounds.min.into(),
            cells_per_mm: if longest > 0.0 { 1023.0 / longest } else { 0.0 },
            centre: centre.into(),
        };
        let (nodes, corners, numbers) = build(driver, &parameter)?;
        Ok(Self {
            nodes,
            corners,
            numbers,
            vertices,
            indices,
            neighbours: Buffer::of(driver, surface.topology().neighbours.as_flattened())?,
            vertex_normals: Buffer::of(driver, &coordinates(surface.vertex_normals().iter()))?,
            open_vertices: Buffer::of(driver, &open)?,
            facets: count as u32,
            centre: centre.into(),
            reach_mm: 0.5 * longest,
        })
    }

    pub(super) fn parameter(&self) -> SurfaceParameter {
        // Few facets are one leaf; kernels see how many in its code.
        let root = if self.facets <= LEAF_SIZE { LEAF_BIT | self.facets.saturating_sub(1) } else { 0 };
        SurfaceParameter {
            nodes: self.nodes.place(),
            root,
            facets: self.facets,
            corners: self.corners.place(),
            numbers: self.numbers.place(),
            vertices: self.vertices.place(),
            indices: self.indices.place(),
            neighbours: self.neighbours.place(),
            vertex_normals: self.vertex_normals.place(),
            open_vertices: self.open_vertices.place(),
            centre: self.centre,
            reach_mm: self.reach_mm,
        }
    }
}

/// Nodes, corners in tree order, and the facets' numbers in that order.
fn build(driver: &Arc<dyn Driver>, mesh: &MeshParameter) -> Result<(Buffer<u8>, Buffer<f64>, Buffer<u32>)> {
    let count = mesh.count as usize;
    let (keys, numbers) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
    let (key_place, number_place) = (keys.place(), numbers.place());
    launch_each(
        driver.as_ref(),
        "facet_keys",
        count,
        &[bytes_of(mesh), bytes_of(&key_place), bytes_of(&number_place)],
    )?;
    let (keys, numbers) = sort::by_key(driver, keys, numbers, count, KEY_BITS)?;
    let corners = Buffer::<f64>::new(driver, 9 * count)?;
    let (key_place, number_place, corner_place) = (keys.place(), numbers.place(), corners.place());
    launch_each(
        driver.as_ref(),
        "facet_corners",
        count,
        &[bytes_of(mesh), bytes_of(&number_place), bytes_of(&corner_place)],
    )?;
    let nodes = Buffer::<u8>::new(driver, NODE_BYTES * count.saturating_sub(1))?;
    if count > 1 {
        let (node_parents, facet_parents) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
        let arrivals = Buffer::<u32>::zeros(driver, count)?;
        let (node_place, number) = (nodes.place(), mesh.count);
        let (of_nodes, of_facets, arrived) = (node_parents.place(), facet_parents.place(), arrivals.place());
        let links: [&[u8]; 5] =
            [bytes_of(&key_place), bytes_of(&number), bytes_of(&node_place), bytes_of(&of_nodes), bytes_of(&of_facets)];
        launch_each(driver.as_ref(), "tree_links", count - 1, &links)?;
        let boxes: [&[u8]; 7] = [
            bytes_of(&mesh.centre),
            bytes_of(&corner_place),
            bytes_of(&number),
            bytes_of(&node_place),
            bytes_of(&of_nodes),
            bytes_of(&of_facets),
            bytes_of(&arrived),
        ];
        launch_each(driver.as_ref(), "tree_boxes", count, &boxes)?;
        driver.synchronize()?;
    }
    Ok((nodes, corners, numbers))
}
