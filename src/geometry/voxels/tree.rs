//! A voxel volume: cells, leaves and lookups.

use rayon::prelude::*;

use super::{Cell, CellState, Cells, Cube, Lattice, Layout, POOL_CHUNK, Voxel, leaf};

/// A voxel volume on a lattice. The first R³ cells are the root grid; the children of a branching cell follow each
/// other. No cell has children of one and the same terminal state, and no leaf is uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct VoxelTree {
    lattice: Lattice,
    layout: Layout,
    height: u32,
    cells: Cells,
    words: Vec<u32>,
}

impl VoxelTree {
    /// A tree of these cells and leaf words.
    pub(super) fn new(lattice: Lattice, layout: Layout, cells: Cells, words: Vec<u32>) -> Self {
        Self { lattice, layout, height: layout.height(lattice.voxels), cells, words }
    }

    /// The lattice.
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// The layout.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// Number of branchings between root cells and leaves.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The cells.
    pub fn cells(&self) -> &Cells {
        &self.cells
    }

    /// The words of all leaves.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Number of leaves.
    pub fn leaves(&self) -> usize {
        self.words.len() / self.layout.leaf_words()
    }

    /// The words of leaf `index`.
    #[inline]
    pub fn leaf(&self, index: u32) -> &[u32] {
        let words = self.layout.leaf_words();
        &self.words[index as usize * words..][..words]
    }

    /// Allocated memory, bytes; cells and leaves are allocated in chunks of [`POOL_CHUNK`] entries.
    pub fn bytes(&self) -> u64 {
        let pool = |entries: usize, bytes: usize| (entries.next_multiple_of(POOL_CHUNK) * bytes) as u64;
        pool(self.cells.len(), self.cells.format().bytes()) + pool(self.leaves(), 4 * self.layout.leaf_words())
    }

    /// The cell that contains voxel `voxel` and has no children, and the cube that it covers; `None` outside.
    #[inline]
    pub fn terminal_cell(&self, voxel: [i32; 3]) -> Option<(Cell, Cube)> {
        let branching_bits = self.layout.branching.trailing_zeros();
        let mut bits = branching_bits * self.height + self.layout.leaf.trailing_zeros();
        let root_bits = self.layout.root.trailing_zeros();
        if voxel.iter().any(|&index| index < 0 || i64::from(index) >> (bits + root_bits) != 0) {
            return None;
        }
        let voxel = voxel.map(|index| index as u32);
        let index_in = |bits: u32, width: u32| {
            let part = |axis: usize| voxel[axis] >> bits & ((1 << width) - 1);
            part(0) | part(1) << width | part(2) << (2 * width)
        };
        let mut cell = self.cells.get(index_in(bits, root_bits) as usize);
        while cell.state == CellState::Branch {
            bits -= branching_bits;
            cell = self.cells.get((cell.index + index_in(bits, branching_bits)) as usize);
        }
        Some((cell, Cube { min: cell.min, edge: 1 << bits }))
    }

    /// State of a voxel; empty outside the domain.
    #[inline]
    pub fn voxel(&self, voxel: [i32; 3]) -> Voxel {
        match self.terminal_cell(voxel) {
            None => Voxel::Empty,
            Some((cell, cube)) => match cell.state {
                CellState::Empty | CellState::Branch => Voxel::Empty,
                CellState::Full => Voxel::Full,
                CellState::Boundary => {
                    let own = std::array::from_fn(|axis| voxel[axis] as u32 - cube.min[axis]);
                    leaf::get(self.leaf(cell.index), self.layout.leaf, own)
                }
            },
        }
    }

    /// Whether a voxel is part of the solid: its skin or its interior.
    #[inline]
    pub fn is_in(&self, voxel: [i32; 3]) -> bool {
        self.voxel(voxel) != Voxel::Empty
    }

    /// The only state of a cube of the lattice; `None` if it has several or the tree does not tell without its voxels.
    pub fn uniform_state(&self, cube: &Cube) -> Option<Voxel> {
        let (cell, covered) = match self.terminal_cell(cube.min.map(|min| min as i32)) {
            Some(found) => found,
            None => return Some(Voxel::Empty),
        };
        if covered.edge < cube.edge {
            return None;
        }
        match cell.state {
            CellState::Empty => Some(Voxel::Empty),
            CellState::Full => Some(Voxel::Full),
            CellState::Boundary | CellState::Branch => None,
        }
    }

    /// Whether a leaf has a voxel from `low` to before `high`; both may lie outside the domain.
    pub fn has_leaf_between(&self, low: [i64; 3], high: [i64; 3]) -> bool {
        let root_edge = self.layout.root_cube(self.height, 0).edge;
        let root = |value: i64| value.div_euclid(i64::from(root_edge)).clamp(0, i64::from(self.layout.root) - 1) as u32;
        let overlaps = |cube: &Cube| {
            (0..3).all(|k| i64::from(cube.min[k]) < high[k] && i64::from(cube.min[k] + cube.edge) > low[k])
        };
        let (first, last) = (low.map(root), high.map(|value| root(value - 1)));
        let mut pending = Vec::new();
        for z in first[2]..=last[2] {
            for y in first[1]..=last[1] {
                for x in first[0]..=last[0] {
                    let index = (z * self.layout.root + y) * self.layout.root + x;
                    pending.push((index, Cube { min: [x, y, z].map(|step| step * root_edge), edge: root_edge }));
                }
            }
        }
        while let Some((index, cube)) = pending.pop() {
            let cell = self.cells.get(index as usize);
            match cell.state {
                CellState::Boundary if overlaps(&cube) => return true,
                CellState::Branch if overlaps(&cube) => {
                    let child = |child| (cell.index + child, cube.child(self.layout.branching, child));
                    pending.extend((0..self.layout.children()).map(child));
                }
                _ => {}
            }
        }
        false
    }

    /// First voxel of every leaf.
    pub fn leaf_origins(&self) -> Vec<[u32; 3]> {
        let mut origins = vec![[0; 3]; self.leaves()];
        for cell in self.cells.iter().filter(|cell| cell.state == CellState::Boundary) {
            origins[cell.index as usize] = cell.min;
        }
        origins
    }

    /// All active voxels, leaf by leaf.
    pub fn active_voxels(&self) -> Vec<[i32; 3]> {
        let edge = self.layout.leaf;
        let of_leaf = |(number, origin): (usize, &[u32; 3])| {
            let words = self.leaf(number as u32);
            let mut active = Vec::new();
            for (word, &bits) in words.iter().enumerate().filter(|(_, bits)| leaf::active_in(**bits) > 0) {
                for slot in 0..leaf::VOXELS_PER_WORD {
                    if Voxel::of_code(bits >> (2 * slot)) == Voxel::Surface {
                        let number = (word * leaf::VOXELS_PER_WORD + slot) as u32;
                        let own = [number / edge % edge, number / (edge * edge), number % edge];
                        active.push(std::array::from_fn(|axis| (origin[axis] + own[axis]) as i32));
                    }
                }
            }
            active
        };
        self.leaf_origins().par_iter().enumerate().flat_map_iter(of_leaf).collect()
    }
}
