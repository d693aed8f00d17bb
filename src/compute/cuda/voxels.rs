//! Voxel trees on the device, and from there.

use bytemuck::{Pod, Zeroable};

use super::driver::Buffer;
use base::{Result, UserError};
use geometry::voxels::{Cell, CellFormat, CellState, Lattice, Layout, VoxelTree, assemble};

/// Number of cells or leaves that an index in a code can tell apart.
pub const MAX_CELLS: usize = 1 << 30;

/// `Lattice` of voxels.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct LatticeParameter {
    origin: [f64; 3],
    voxel_mm: f64,
}

impl LatticeParameter {
    pub fn new(lattice: &Lattice) -> Self {
        Self { origin: lattice.origin.into(), voxel_mm: lattice.voxel_mm }
    }
}

/// MAX_LEVELS of voxels.cuh.
const MAX_LEVELS: usize = 16;

/// `Tree` of voxels.cuh.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub struct TreeParameter {
    levels: [u64; MAX_LEVELS],
    bits: u64,
    root_bits: u32,
    branching_bits: u32,
    leaf_bits: u32,
    height: u32,
}

impl TreeParameter {
    /// `levels` are the codes of the cells, the root grid first; `bits` tells of every voxel of a leaf whether it is in
    /// the volume.
    pub fn new(layout: Layout, levels: &[Buffer<u32>], bits: &Buffer<u32>) -> Self {
        let mut addresses = [0; MAX_LEVELS];
        addresses.iter_mut().zip(levels).for_each(|(address, level)| *address = level.address());
        Self {
            levels: addresses,
            bits: bits.address(),
            root_bits: layout.root.trailing_zeros(),
            branching_bits: layout.branching.trailing_zeros(),
            leaf_bits: layout.leaf.trailing_zeros(),
            height: levels.len() as u32 - 1,
        }
    }
}

/// The tree of the codes of its cells, level by level, and the words of its leaves.
pub fn tree(
    lattice: Lattice,
    layout: Layout,
    format: CellFormat,
    levels: &[Vec<u32>],
    words: Vec<u32>,
) -> Result<VoxelTree> {
    let height = layout.height(lattice.voxels);
    let mut cubes: Vec<_> = (0..layout.root_cells()).map(|root| layout.root_cube(height, root)).collect();
    let mut cells = Vec::with_capacity(levels.iter().map(Vec::len).sum());
    for (depth, codes) in (0_u32..).zip(levels) {
        let first_child = cells.len() + codes.len();
        let mut children = Vec::new();
        for (code, cube) in codes.iter().zip(&cubes) {
            let index = (code & (MAX_CELLS as u32 - 1)) as usize;
            let (state, index) = match code >> 30 {
                0 => (CellState::Empty, 0),
                1 => (CellState::Boundary, index),
                2 => (CellState::Full, 0),
                _ => {
                    children.extend((0..layout.children()).map(|child| cube.child(layout.branching, child)));
                    (CellState::Branch, first_child + index)
                }
            };
            let index = u32::try_from(index)
                .map_err(|_| UserError::input("The volume has too many cells; choose a lower resolution."))?;
            cells.push(Cell::new(state, depth, index, cube));
        }
        cubes = children;
    }
    Ok(assemble(lattice, layout, format, &cells, words))
}
