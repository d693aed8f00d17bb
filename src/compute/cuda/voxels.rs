//! Voxel trees on the device, and from there.

use std::sync::Arc;
use std::time::Instant;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each};
use base::{Result, UserError};
use geometry::voxels::{BuildTimes, Cell, CellFormat, CellState, Lattice, Layout, VoxelTree, assemble};

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

/// A volume uploaded to a device.
pub struct DeviceTree {
    driver: Arc<dyn Driver>,
    layout: Layout,
    levels: Vec<Buffer<u32>>,
    words: Buffer<u32>,
    /// First voxel of each leaf.
    pub leaves: Buffer<[u32; 4]>,
}

impl DeviceTree {
    /// Uploads a volume.
    pub fn new(driver: &Arc<dyn Driver>, tree: &VoxelTree) -> Result<Self> {
        let (layout, cells) = (tree.layout(), tree.cells());
        let mut level: Vec<u32> = (0..layout.root_cells() as u32).collect();
        let mut levels = Vec::new();
        for _ in 0..=tree.height() {
            let mut children = Vec::new();
            let codes: Vec<u32> =
                level.iter().map(|number| code(&cells.get(*number as usize), layout, &mut children)).collect();
            levels.push(Buffer::from_slice(driver, &codes)?);
            level = children;
        }
        let leaves: Vec<[u32; 4]> = tree.leaf_origins().into_iter().map(|[x, y, z]| [x, y, z, 0]).collect();
        let (words, leaves) = (Buffer::from_slice(driver, tree.words())?, Buffer::from_slice(driver, &leaves)?);
        Ok(Self { driver: Arc::clone(driver), layout, levels, words, leaves })
    }

    /// The parameter of a tree whose leaves hold these bits.
    pub fn parameter(&self, bits: &Buffer<u32>) -> TreeParameter {
        TreeParameter::new(self.layout, &self.levels, bits)
    }

    /// One bit for each voxel of the leaves, by a kernel with the parameters words, count of the words of bits, those of
    /// `more`, and bits.
    pub fn bits(&self, kernel: &'static str, more: &[&[u8]]) -> Result<Buffer<u32>> {
        let count = self.words.count() / 2;
        let bits = Buffer::<u32>::new(&self.driver, count)?;
        let (of_words, of_bits, number) = (self.words.address(), bits.address(), count as u32);
        let arguments = [&[bytes_of(&of_words), bytes_of(&number)], more, &[bytes_of(&of_bits)]].concat();
        launch_each(self.driver.as_ref(), kernel, count, &arguments)?;
        Ok(bits)
    }
}

/// The code of a cell; the numbers of its children are appended to those of the next level.
fn code(cell: &Cell, layout: Layout, next: &mut Vec<u32>) -> u32 {
    let index = match cell.state {
        CellState::Empty | CellState::Full => 0,
        CellState::Boundary => cell.index,
        CellState::Branch => {
            next.extend(cell.index..cell.index + layout.children());
            next.len() as u32 - layout.children()
        }
    };
    (cell.state as u32) << 30 | index
}

/// A volume on the device: the codes of its cells, level by level, and the words of its leaves.
pub struct DeviceVolume {
    pub(super) levels: Vec<Buffer<u32>>,
    pub(super) words: Buffer<u32>,
    /// Time of the steps on the device.
    pub(super) times: BuildTimes,
}

impl DeviceVolume {
    /// Downloads the volume; that and its compaction are the last of the times.
    pub fn read(&self, lattice: Lattice, layout: Layout, format: CellFormat) -> Result<(VoxelTree, BuildTimes)> {
        let started = Instant::now();
        let levels: Vec<Vec<u32>> = self.levels.iter().map(Buffer::read).collect::<Result<_>>()?;
        let tree = tree(lattice, layout, format, &levels, self.words.read()?)?;
        Ok((tree, BuildTimes { compaction_ms: started.elapsed().as_secs_f64() * 1e3, ..self.times }))
    }
}

fn tree(
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
