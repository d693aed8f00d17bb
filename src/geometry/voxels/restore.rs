//! Trees made of parts that come from elsewhere, such as a file: only what hangs together becomes one.

use super::{Cell, CellFormat, CellState, Cells, Cube, Lattice, Layout, VoxelTree};
use base::{Result, UserError};

/// The parts of a tree.
pub struct Parts {
    /// The voxels.
    pub lattice: Lattice,
    /// Layout.
    pub layout: Layout,
    /// Format in which the cells are stored.
    pub format: CellFormat,
    /// Cells, root grid first.
    pub cells: Vec<Cell>,
    /// Words of all leaves.
    pub words: Vec<u32>,
}

impl VoxelTree {
    /// The tree of `parts`. Returns an error if these are not those of a tree: every cell and every leaf must be reached
    /// exactly once from the root grid, and cover the cube that its index in the tree gives it.
    pub fn restore(parts: Parts) -> Result<Self> {
        let Parts { lattice, layout, format, cells, words } = parts;
        layout.check_for(lattice.voxels)?;
        let numbers = [lattice.origin.x, lattice.origin.y, lattice.origin.z, lattice.voxel_mm];
        if lattice.voxels == 0 || lattice.voxel_mm <= 0.0 || !numbers.iter().all(|number| number.is_finite()) {
            return Err(broken("its lattice is not one"));
        }
        let height = layout.height(lattice.voxels);
        let leaf_words = layout.leaf_words();
        if !words.len().is_multiple_of(leaf_words) || cells.len() < layout.root_cells() {
            return Err(broken("cells or leaves are missing"));
        }
        let mut leaves = vec![false; words.len() / leaf_words];
        let mut reached = layout.root_cells();
        let mut pending: Vec<(usize, Cube, u32)> =
            (0..layout.root_cells()).map(|root| (root, layout.root_cube(height, root), 0)).collect();
        while let Some((number, cube, depth)) = pending.pop() {
            let cell = cells.get(number).filter(|cell| cell.min == cube.min && cell.depth == depth);
            let cell = cell.ok_or_else(|| broken("a cell does not cover the cube of its index"))?;
            match cell.state {
                CellState::Empty | CellState::Full => {}
                CellState::Boundary if depth == height => {
                    let leaf = leaves.get_mut(cell.index as usize).filter(|leaf| !**leaf);
                    *leaf.ok_or_else(|| broken("a leaf is missing or has two cells"))? = true;
                }
                CellState::Branch if depth < height => {
                    let (first, count) = (cell.index as usize, layout.children() as usize);
                    // Each cell has one parent, which comes before it: there can be no circle.
                    reached += count;
                    if first <= number || first + count > cells.len() || reached > cells.len() {
                        return Err(broken("the children of a cell are missing"));
                    }
                    pending.extend(
                        (0..layout.children())
                            .map(|child| (first + child as usize, cube.child(layout.branching, child), depth + 1)),
                    );
                }
                CellState::Boundary | CellState::Branch => return Err(broken("a leaf lies at the wrong depth")),
            }
        }
        if reached != cells.len() || leaves.contains(&false) {
            return Err(broken("there are cells or leaves that nothing refers to"));
        }
        Ok(Self::new(lattice, layout, Cells::pack(&cells, format), words))
    }
}

fn broken(reason: &str) -> UserError {
    UserError::input(format!("This is not a voxel tree: {reason}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;
    use crate::voxels::{LatticeFacet, Solid, build};
    use crate::{Point, voxels};
    use base::Progress;

    /// Everything that a facet of a mesh may meet is a leaf.
    struct Boxes(Vec<LatticeFacet>);

    impl Solid for Boxes {
        type Hint = ();

        fn classify(&self, cube: &Cube, _: Option<&()>) -> voxels::Class<()> {
            if self.0.iter().any(|facet| facet.meets(cube.min, cube.edge)) {
                voxels::Class::Mixed(())
            } else {
                voxels::Class::Empty
            }
        }

        fn fill(&self, _: &Cube, (): &(), words: &mut [u32]) {
            words.fill(0x1248_5124);
        }
    }

    fn parts() -> Parts {
        let lattice = Lattice { origin: Point::new(-8.0, -8.0, -8.0), voxel_mm: 0.25, voxels: 64 };
        let mesh = shapes::sphere(6.0, 2);
        let facets = (0..mesh.facets.len()).map(|facet| LatticeFacet::new(&lattice, &mesh.corners(facet))).collect();
        let layout = Layout { root: 4, branching: 2, leaf: 8 };
        let tree = build(&Boxes(facets), lattice, layout, CellFormat::Compact, &Progress::silent()).unwrap().tree;
        let (cells, words) = (tree.cells().iter().collect(), tree.words().to_vec());
        Parts { lattice, layout, format: CellFormat::Wide, cells, words }
    }

    #[test]
    fn a_tree_is_restored_and_what_is_none_is_refused() {
        let tree = VoxelTree::restore(parts()).unwrap();
        let Parts { cells, words, .. } = parts();
        assert!(tree.cells().iter().eq(cells.iter().copied()) && tree.words() == words && tree.leaves() > 20);
        let branch = cells.iter().position(|cell| cell.state == CellState::Branch).unwrap();
        let leaf = cells.iter().position(|cell| cell.state == CellState::Boundary).unwrap();
        let spoiled: [&dyn Fn(&mut Parts); 9] = [
            &|own| own.lattice.voxel_mm = f64::NAN,
            &|own| own.layout.root = 5,
            &|own| own.words.truncate(own.words.len() - 1),
            &|own| own.cells.truncate(own.cells.len() - 8),
            &|own| own.cells[branch].index = branch as u32,
            &|own| own.cells[branch].state = CellState::Full,
            &|own| own.cells[leaf].index = u32::MAX,
            &|own| own.cells[leaf].min[1] += 1,
            &|own| own.cells[branch].state = CellState::Boundary,
        ];
        for (number, spoil) in spoiled.iter().enumerate() {
            let mut own = parts();
            spoil(&mut own);
            assert!(VoxelTree::restore(own).is_err(), "{number}");
        }
    }
}
