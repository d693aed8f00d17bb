//! Cells of a tree, 24 bytes or 12 bytes each.

use bytemuck::{Pod, Zeroable};
use serde::{Deserialize, Serialize};

use super::Cube;

/// State of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellState {
    /// All of it is outside the solid.
    Empty = 0,
    /// Its voxels are in the leaf with the cell's index.
    Boundary = 1,
    /// All of it is inside the solid.
    Full = 2,
    /// Its children start at the cell's index.
    Branch = 3,
}

impl CellState {
    /// The state of a code of two bits.
    #[inline]
    pub(crate) fn of_code(code: u32) -> Self {
        match code & 3 {
            0 => Self::Empty,
            1 => Self::Boundary,
            2 => Self::Full,
            _ => Self::Branch,
        }
    }
}

/// A cell: its state, its depth below the root grid, its first voxel, and the index of its leaf or first child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// State.
    pub state: CellState,
    /// Number of branchings above it.
    pub depth: u32,
    /// Index of its leaf or of its first child; 0 otherwise.
    pub index: u32,
    /// Its first voxel.
    pub min: [u32; 3],
}

impl Cell {
    /// A cell that covers `cube`.
    pub fn new(state: CellState, depth: u32, index: u32, cube: &Cube) -> Self {
        Self { state, depth, index, min: cube.min }
    }
}

/// How cells are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellFormat {
    /// 24 bytes, of the published measurements.
    Wide,
    /// 12 bytes.
    #[default]
    Compact,
}

impl CellFormat {
    /// Size of a cell, bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::Wide => size_of::<WideCell>(),
            Self::Compact => size_of::<CompactCell>(),
        }
    }
}

/// A cell of 192 bits: index 64, state 2, depth 30, origin 3 x 32.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct WideCell {
    index: u64,
    state_and_depth: u32,
    min: [u32; 3],
}

/// A cell of 96 bits: index 32, origin 3 x 19, depth 5, state 2.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub struct CompactCell {
    words: [u32; 3],
}

const AXIS_BITS: u32 = 19;
const AXIS_MASK: u64 = (1 << AXIS_BITS) - 1;

impl From<Cell> for WideCell {
    fn from(cell: Cell) -> Self {
        let state_and_depth = cell.state as u32 | cell.depth << 2;
        Self { index: u64::from(cell.index), state_and_depth, min: cell.min }
    }
}

impl From<WideCell> for Cell {
    #[inline]
    fn from(cell: WideCell) -> Self {
        let code = cell.state_and_depth;
        Self { state: CellState::of_code(code), depth: code >> 2, index: cell.index as u32, min: cell.min }
    }
}

impl From<Cell> for CompactCell {
    fn from(cell: Cell) -> Self {
        let [x, y, z] = cell.min.map(|min| u64::from(min) & AXIS_MASK);
        let upper = x | y << AXIS_BITS | z << (2 * AXIS_BITS);
        let upper = upper | u64::from(cell.depth & 31) << 57 | (cell.state as u64) << 62;
        Self { words: [cell.index, upper as u32, (upper >> 32) as u32] }
    }
}

impl From<CompactCell> for Cell {
    #[inline]
    fn from(cell: CompactCell) -> Self {
        let [index, low, high] = cell.words;
        let upper = u64::from(low) | u64::from(high) << 32;
        let axis = |number: u32| (upper >> (number * AXIS_BITS) & AXIS_MASK) as u32;
        Self { state: CellState::of_code(high >> 30), depth: high >> 25 & 31, index, min: [axis(0), axis(1), axis(2)] }
    }
}

/// The cells of a tree in one of the formats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Cells of 24 bytes.
    Wide(Vec<WideCell>),
    /// Cells of 12 bytes.
    Compact(Vec<CompactCell>),
}

impl Cells {
    /// Stores `cells` in `format`.
    pub fn pack(cells: &[Cell], format: CellFormat) -> Self {
        match format {
            CellFormat::Wide => Self::Wide(cells.iter().map(|cell| (*cell).into()).collect()),
            CellFormat::Compact => Self::Compact(cells.iter().map(|cell| (*cell).into()).collect()),
        }
    }

    /// Cell `index`.
    #[inline]
    pub fn get(&self, index: usize) -> Cell {
        match self {
            Self::Wide(cells) => cells[index].into(),
            Self::Compact(cells) => cells[index].into(),
        }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        match self {
            Self::Wide(cells) => cells.len(),
            Self::Compact(cells) => cells.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All cells in order.
    pub fn iter(&self) -> impl Iterator<Item = Cell> + '_ {
        (0..self.len()).map(|index| self.get(index))
    }

    /// All cells as stored.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Wide(cells) => bytemuck::cast_slice(cells),
            Self::Compact(cells) => bytemuck::cast_slice(cells),
        }
    }

    /// The cells of which these are the bytes; an incomplete last one is left out.
    pub fn of_bytes(bytes: &[u8], format: CellFormat) -> Vec<Cell> {
        let cells = bytes.chunks_exact(format.bytes());
        match format {
            CellFormat::Wide => cells.map(|own| bytemuck::pod_read_unaligned::<WideCell>(own).into()).collect(),
            CellFormat::Compact => cells.map(|own| bytemuck::pod_read_unaligned::<CompactCell>(own).into()).collect(),
        }
    }

    /// The format.
    pub fn format(&self) -> CellFormat {
        match self {
            Self::Wide(_) => CellFormat::Wide,
            Self::Compact(_) => CellFormat::Compact,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_keep_every_field_and_have_their_sizes() {
        assert_eq!((size_of::<WideCell>(), size_of::<CompactCell>()), (24, 12));
        let states = [CellState::Empty, CellState::Boundary, CellState::Full, CellState::Branch];
        let most = AXIS_MASK as u32;
        for (number, state) in states.into_iter().enumerate() {
            for min in [[0; 3], [most; 3], [most, 0, 0], [0, most, 0], [0, 0, most], [12_345, 400_001, 77]] {
                for (index, depth) in [(0, 0), (u32::MAX, 31), (1 << 20, 5 + number as u32)] {
                    let cell = Cell { state, depth, index, min };
                    assert_eq!(Cell::from(WideCell::from(cell)), cell);
                    assert_eq!(Cell::from(CompactCell::from(cell)), cell);
                }
            }
        }
    }
}
