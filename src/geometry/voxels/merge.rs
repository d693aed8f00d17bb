//! One tree of parts that were computed apart, each for some root cells.

use super::{Cell, CellFormat, CellState, Cells, Cube, Lattice, Layout, VoxelTree};
use base::{Result, UserError};

/// The tree whose root cells are those of the tree that `part_of` gives for their cubes; all are on one lattice, of one
/// layout. What a tree holds elsewhere is left out.
pub fn merge(
    lattice: Lattice,
    layout: Layout,
    format: CellFormat,
    parts: &[VoxelTree],
    part_of: impl Fn(&Cube) -> usize,
) -> Result<VoxelTree> {
    let height = layout.height(lattice.voxels);
    let roots = layout.root_cells();
    let cells = parts.iter().map(|part| part.cells().len()).sum();
    let words = parts.iter().map(|part| part.words().len()).sum();
    let mut merged = Merged { layout, cells: Vec::with_capacity(cells), words: Vec::with_capacity(words) };
    // The children of a root cell come after all root cells.
    for root in 0..roots {
        let cube = layout.root_cube(height, root);
        merged.cells.push(Cell::new(CellState::Empty, 0, 0, &cube));
    }
    for root in 0..roots {
        let part = parts.get(part_of(&merged.cube(root, height)));
        let part = part.ok_or_else(|| UserError::internal("A part of a voxel tree is missing."))?;
        merged.cells[root] = merged.copied(part, part.cells().get(root));
    }
    Ok(VoxelTree::new(lattice, layout, Cells::pack(&merged.cells, format), merged.words))
}

struct Merged {
    layout: Layout,
    cells: Vec<Cell>,
    words: Vec<u32>,
}

impl Merged {
    fn cube(&self, root: usize, height: u32) -> Cube {
        self.layout.root_cube(height, root)
    }

    /// A cell of a part with its new index; what is below it is appended.
    fn copied(&mut self, part: &VoxelTree, cell: Cell) -> Cell {
        match cell.state {
            CellState::Empty | CellState::Full => cell,
            CellState::Boundary => {
                let leaf = (self.words.len() / self.layout.leaf_words()) as u32;
                self.words.extend_from_slice(part.leaf(cell.index));
                Cell { index: leaf, ..cell }
            }
            CellState::Branch => {
                let (first, count) = (self.cells.len(), self.layout.children() as usize);
                self.cells.extend((0..count).map(|child| part.cells().get(cell.index as usize + child)));
                for child in first..first + count {
                    self.cells[child] = self.copied(part, self.cells[child]);
                }
                Cell { index: first as u32, ..cell }
            }
        }
    }
}
