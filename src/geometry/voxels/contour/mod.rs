//! Watertight meshes of voxel volumes, between the centres of voxels inside and outside.

mod patches;
mod seams;
mod vertex;

use std::collections::HashMap;
use std::sync::LazyLock;

use rayon::prelude::*;

pub use vertex::Crossing;

use super::{Cell, CellState, Lattice, Voxel, VoxelTree};
use crate::{Mesh, Point};
use base::{Progress, Result, UserError};
use patches::{Patches, patches};
use seams::{seams, seams_of_cell};

/// An edge between a voxel in the volume and one of its six neighbours outside.
#[derive(Clone, Copy)]
struct Edge {
    voxel: [i32; 3],
    axis: usize,
    /// Whether the neighbour outside follows along the axis.
    is_upward: bool,
}

impl Edge {
    /// First of its two voxels.
    fn base(&self) -> [i32; 3] {
        let mut base = self.voxel;
        base[self.axis] -= i32::from(!self.is_upward);
        base
    }

    /// The voxel outside.
    fn outer(&self) -> [i32; 3] {
        let mut outer = self.voxel;
        outer[self.axis] += if self.is_upward { 1 } else { -1 };
        outer
    }

    /// The four cubes around it, counter-clockwise seen along its axis, and its number in each of them.
    fn cubes(&self) -> [([i32; 3], usize); 4] {
        let (u, v) = ((self.axis + 1) % 3, (self.axis + 2) % 3);
        [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(at_u, at_v)| {
            let mut cube = self.base();
            cube[u] -= at_u;
            cube[v] -= at_v;
            (cube, 4 * self.axis + at_u as usize + 2 * at_v as usize)
        })
    }
}

/// An edge as seen from one of its cubes.
struct Reference {
    /// The cube, then the number of the edge in it, in an order to sort by.
    key: u64,
    edge: u32,
}

/// Bits of a cube's index along an axis in a key, and of an edge's number.
const AXIS_BITS: u32 = 20;
const NUMBER_BITS: u32 = 4;

impl Reference {
    fn new(cube: [i32; 3], number: usize, edge: u32) -> Self {
        // Cubes begin one before the first voxel.
        let cube = cube.iter().rev().fold(0, |key, &index| key << AXIS_BITS | (index + 1) as u64);
        Self { key: cube << NUMBER_BITS | number as u64, edge }
    }

    fn number(&self) -> usize {
        (self.key & ((1 << NUMBER_BITS) - 1)) as usize
    }

    fn is_of_same_cube(&self, other: &Self) -> bool {
        self.key >> NUMBER_BITS == other.key >> NUMBER_BITS
    }

    fn cube(&self) -> [i32; 3] {
        let cube = self.key >> NUMBER_BITS;
        [0, 1, 2].map(|axis| (cube >> (axis * AXIS_BITS) & ((1 << AXIS_BITS) - 1)) as i32 - 1)
    }
}

/// A cube that the surface crosses.
struct Crossed {
    cube: [i32; 3],
    patches: Patches,
    /// Its edges among the references.
    first: usize,
    end: usize,
}

/// The closed mesh of a volume, facing outward. `crossing` finds where the surface passes between the centres of a voxel
/// inside and of one outside, which are given in this order, after what it keeps from one call to the next; calls for one
/// voxel follow each other. Sharp edges are kept as far as its normals show them.
pub fn contour<Memory: Default>(
    tree: &VoxelTree,
    crossing: impl Fn(&mut Memory, Point, Point) -> Crossing + Sync,
    progress: &Progress,
) -> Result<Mesh> {
    progress.report(0.0, "Meshing the volume")?;
    let lattice = *tree.lattice();
    let edges = edges(tree);
    if edges.len() > u32::MAX as usize / 2 {
        return Err(UserError::input("The mesh of this volume would have too many facets; choose a lower resolution."));
    }
    base::limits::require_bytes((edges.len() * BYTES_PER_EDGE) as u64, "The mesh of this volume")?;
    let counter = progress.part(0.1, 0.6).counter(edges.len().div_ceil(CHUNK), "Meshing the volume");
    let crossings: Vec<Crossing> = edges
        .par_chunks(CHUNK)
        .flat_map_iter(|edges| {
            let edges = if counter.step() { edges } else { &[] };
            let (mut memory, crossing) = (Memory::default(), &crossing);
            edges
                .iter()
                .map(move |edge| crossing(&mut memory, lattice.centre(edge.voxel), lattice.centre(edge.outer())))
        })
        .collect();
    progress.report(0.6, "Meshing the volume")?;
    let references = references(&edges);
    let cubes = crossed_cubes(tree, &references);
    progress.report(0.8, "Meshing the volume")?;
    let mut starts = Vec::with_capacity(cubes.len());
    let mut count = 0_u32;
    for cube in &cubes {
        starts.push(count);
        count += u32::from(cube.patches.count);
    }
    let vertices = cubes.par_iter().flat_map_iter(|cube| vertices(&lattice, cube, &references, &crossings)).collect();
    // Per edge the vertices of its four cubes.
    let mut corners = vec![[0_u32; 4]; edges.len()];
    for (cube, start) in cubes.iter().zip(&starts) {
        for reference in &references[cube.first..cube.end] {
            let vertex = start + u32::from(cube.patches.of_edge[reference.number()]);
            // The order of `Edge::cubes` by position around the edge.
            corners[reference.edge as usize][[0, 1, 3, 2][reference.number() % 4]] = vertex;
        }
    }
    progress.report(0.95, "Meshing the volume")?;
    let mut mesh = Mesh { vertices, ..Mesh::default() };
    let facets: Vec<[u32; 3]> = edges
        .par_iter()
        .zip(&corners)
        .flat_map_iter(|(edge, corners)| split(*corners, edge.is_upward, &mesh.vertices))
        .collect();
    mesh.facets = facets;
    Ok(mesh)
}

/// Edges per task.
const CHUNK: usize = 4096;
/// Memory needed per edge: the edge, its crossing, four references and two facets.
const BYTES_PER_EDGE: usize = size_of::<Edge>() + size_of::<Crossing>() + 4 * size_of::<Reference>() + 64;

/// Memory that [`contour`] needs for a volume of so many active voxels, bytes: about three of two have an edge to a voxel
/// outside along an axis.
pub fn bytes_for(active_voxels: u64) -> u64 {
    active_voxels * 3 / 2 * BYTES_PER_EDGE as u64
}

/// All edges between a voxel in the volume and one outside.
fn edges(tree: &VoxelTree) -> Vec<Edge> {
    let of_voxel = |&voxel: &[i32; 3]| {
        (0..6).filter_map(move |side| {
            let edge = Edge { voxel, axis: side / 2, is_upward: side % 2 == 1 };
            (tree.voxel(edge.outer()) == Voxel::Empty).then_some(edge)
        })
    };
    let mut edges: Vec<Edge> = tree.active_voxels().par_iter().flat_map_iter(of_voxel).collect();
    let leaves = tree.leaf_origins();
    let of_leaf = |(number, origin): (usize, &[u32; 3])| seams(tree, number as u32, *origin);
    edges.par_extend(leaves.par_iter().enumerate().flat_map_iter(of_leaf));
    let full: Vec<Cell> = tree.cells().iter().filter(|cell| cell.state == CellState::Full).collect();
    let edge_at = |depth| tree.layout().leaf * tree.layout().branching.pow(tree.height() - depth);
    let of_cell = |cell: &Cell| seams_of_cell(tree, cell.min, edge_at(cell.depth));
    edges.par_extend(full.par_iter().flat_map_iter(of_cell));
    edges
}

/// The patches of all cubes by their corners, no face joined.
static UNJOINED: LazyLock<Vec<Patches>> = LazyLock::new(|| (0..=u8::MAX).map(|inside| patches(inside, 0)).collect());

/// The edges of every cube, cube by cube.
fn references(edges: &[Edge]) -> Vec<Reference> {
    let of_edge =
        |(index, edge): (usize, &Edge)| edge.cubes().map(|(cube, number)| Reference::new(cube, number, index as u32));
    let mut references: Vec<Reference> = edges.par_iter().enumerate().flat_map_iter(of_edge).collect();
    references.par_sort_unstable_by_key(|reference| reference.key);
    references
}

fn crossed_cubes(tree: &VoxelTree, references: &[Reference]) -> Vec<Crossed> {
    let mut starts: Vec<usize> = (0..references.len())
        .into_par_iter()
        .filter(|&index| index == 0 || !references[index].is_of_same_cube(&references[index - 1]))
        .collect();
    starts.push(references.len());
    let mut cubes: Vec<Crossed> = starts
        .par_windows(2)
        .map(|range| {
            let cube = references[range[0]].cube();
            Crossed { cube, patches: UNJOINED[inside(tree, cube) as usize], first: range[0], end: range[1] }
        })
        .collect();
    // A face crossed twice within one patch on either side would become an edge of four facets: there the crossings
    // run around the corners outside.
    let doubled: HashMap<[i32; 3], u8> =
        cubes.iter().filter(|own| own.patches.doubled != 0).map(|own| (own.cube, own.patches.doubled)).collect();
    cubes.par_iter_mut().filter(|own| own.patches.doubled != 0).for_each(|own| {
        let is_doubled_beyond = |face: usize| {
            let mut beyond = own.cube;
            beyond[face / 2] += if face % 2 == 1 { 1 } else { -1 };
            doubled.get(&beyond).is_some_and(|faces| faces >> (face ^ 1) & 1 == 1)
        };
        let is_joined = |face: &usize| own.patches.doubled >> face & 1 == 1 && is_doubled_beyond(*face);
        let joined = (0..6).filter(is_joined).fold(0, |faces, face| faces | 1 << face);
        if joined != 0 {
            own.patches = patches(inside(tree, own.cube), joined);
        }
    });
    cubes
}

/// Corners of a cube that are in the volume, as bits.
fn inside(tree: &VoxelTree, cube: [i32; 3]) -> u8 {
    (0..8).fold(0, |bits, corner| {
        let voxel = std::array::from_fn(|axis| cube[axis] + (corner >> axis & 1));
        bits | u8::from(tree.is_in(voxel)) << corner
    })
}

/// One vertex for each patch of a cube.
fn vertices(lattice: &Lattice, cube: &Crossed, references: &[Reference], crossings: &[Crossing]) -> Vec<Point> {
    let (min, max) = (lattice.centre(cube.cube), lattice.centre(cube.cube.map(|index| index + 1)));
    let of_patch = |patch: u8| {
        let own = references[cube.first..cube.end].iter();
        let own = own.filter(move |reference| cube.patches.of_edge[reference.number()] == patch);
        vertex::vertex(own.map(|reference| crossings[reference.edge as usize]), &min, &max)
    };
    (0..cube.patches.count).map(of_patch).collect()
}

/// The two facets of a quad along its shorter diagonal.
fn split(corners: [u32; 4], is_upward: bool, vertices: &[Point]) -> [[u32; 3]; 2] {
    let [a, b, c, d] = if is_upward { corners } else { [corners[3], corners[2], corners[1], corners[0]] };
    let length = |from: u32, to: u32| (vertices[from as usize] - vertices[to as usize]).norm_squared();
    if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}

#[cfg(test)]
mod tests;
