//! Union, intersection and difference of two volumes, voxel by voxel.

use super::{CellFormat, Class, Cube, Solid, Voxel, VoxelTree, build, leaf};
use base::{Progress, Result, UserError};

/// How two volumes are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Boolean {
    /// What lies in one or the other.
    Union,
    /// What lies in both.
    Intersection,
    /// What lies in the first but not inside the second.
    Difference,
}

impl Boolean {
    /// The state of a voxel of which the volumes have the states `a` and `b`: by the order empty, skin, full the
    /// greater one for a union and the lesser one for an intersection; a difference is the intersection with the
    /// complement, whose skin is the same.
    pub fn of(self, a: Voxel, b: Voxel) -> Voxel {
        let (a, b) = (a as u32, b as u32);
        Voxel::of_code(match self {
            Self::Union => a.max(b),
            Self::Intersection => a.min(b),
            Self::Difference => a.min(2 - b),
        })
    }

    /// The state of a cube in which one of the volumes is uniform, if that decides it.
    fn decides(self, a: Option<Voxel>, b: Option<Voxel>) -> Option<Voxel> {
        if let (Some(a), Some(b)) = (a, b) {
            return Some(self.of(a, b));
        }
        let (of_a, of_b) = match self {
            Self::Union => (Voxel::Full, Voxel::Full),
            Self::Intersection => (Voxel::Empty, Voxel::Empty),
            Self::Difference => (Voxel::Empty, Voxel::Full),
        };
        let decided = if self == Self::Union { Voxel::Full } else { Voxel::Empty };
        (a == Some(of_a) || b == Some(of_b)).then_some(decided)
    }
}

struct Combined<'a> {
    boolean: Boolean,
    a: &'a VoxelTree,
    b: &'a VoxelTree,
}

impl Solid for Combined<'_> {
    type Hint = ();

    fn classify(&self, cube: &Cube, _: Option<&()>) -> Class<()> {
        match self.boolean.decides(self.a.uniform_state(cube), self.b.uniform_state(cube)) {
            Some(Voxel::Empty) => Class::Empty,
            Some(Voxel::Full) => Class::Full,
            _ => Class::Mixed(()),
        }
    }

    fn fill(&self, cube: &Cube, (): &(), words: &mut [u32]) {
        let edge = cube.edge;
        for number in 0..edge.pow(3) {
            let own = [number / edge % edge, number / (edge * edge), number % edge];
            let voxel = std::array::from_fn(|axis| (cube.min[axis] + own[axis]) as i32);
            leaf::set(words, edge, own, self.boolean.of(self.a.voxel(voxel), self.b.voxel(voxel)));
        }
    }
}

/// Combines two volumes on one lattice into one of the layout of `a`. Returns an error if the lattices differ.
pub fn combine(a: &VoxelTree, b: &VoxelTree, boolean: Boolean, progress: &Progress) -> Result<VoxelTree> {
    if a.lattice() != b.lattice() {
        return Err(UserError::usage("Volumes can be combined only if they have the same voxels."));
    }
    let combined = Combined { boolean, a, b };
    let format: CellFormat = a.cells().format();
    Ok(build(&combined, *a.lattice(), a.layout(), format, progress)?.tree)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use crate::voxels::skin::Block;
    use crate::voxels::{Cell, CellState, Lattice, Layout};

    /// All voxels within a distance of a point, in voxels.
    struct Ball([f64; 3], f64);

    impl Ball {
        fn contains(&self, voxel: [i32; 3]) -> bool {
            (0..3).map(|axis| (f64::from(voxel[axis]) - self.0[axis]).powi(2)).sum::<f64>() <= self.1 * self.1
        }
    }

    impl Solid for Ball {
        type Hint = ();

        fn classify(&self, _: &Cube, _: Option<&()>) -> Class<()> {
            Class::Mixed(())
        }

        fn fill(&self, cube: &Cube, (): &(), words: &mut [u32]) {
            let mut block = Block::new(cube.edge);
            let edge = block.edge();
            for number in 0..edge.pow(3) {
                let at = [number % edge, number / edge % edge, number / (edge * edge)];
                block.set(at, at.map(|index| index + 1), self.contains(Block::voxel(cube, at)));
            }
            block.write(words);
        }
    }

    #[test]
    fn every_voxel_is_what_its_two_states_give_and_uniform_cells_collapse() {
        let lattice = Lattice { origin: Point::origin(), voxel_mm: 1.0, voxels: 64 };
        let tree =
            |ball: &Ball, layout| build(ball, lattice, layout, CellFormat::Compact, &Progress::silent()).unwrap().tree;
        let a = tree(&Ball([26.0, 30.0, 31.0], 20.0), Layout { root: 4, branching: 2, leaf: 8 });
        let b = tree(&Ball([36.0, 33.0, 30.0], 18.0), Layout { root: 4, branching: 4, leaf: 16 });
        for boolean in [Boolean::Union, Boolean::Intersection, Boolean::Difference] {
            let made = combine(&a, &b, boolean, &Progress::silent()).unwrap();
            let mut counts = [0; 3];
            for number in 0..64_i32.pow(3) {
                let voxel = [number % 64, number / 64 % 64, number / 4096];
                let expected = boolean.of(a.voxel(voxel), b.voxel(voxel));
                assert_eq!(made.voxel(voxel), expected, "{boolean:?} {voxel:?}");
                counts[expected as usize] += 1;
            }
            assert!(counts.iter().all(|count| *count > 500), "{boolean:?} {counts:?}");
            // Leaves of one state are cells.
            let is_full = |cell: Cell| cell.state == CellState::Full;
            assert_eq!(made.cells().iter().any(is_full), boolean != Boolean::Difference);
        }
        let union = |voxel| Boolean::Union.of(a.voxel(voxel), b.voxel(voxel)) == Voxel::Full;
        assert!(union([31, 31, 31]) && Boolean::Difference.of(Voxel::Full, Voxel::Full) == Voxel::Empty);
        let itself = combine(&a, &a, Boolean::Difference, &Progress::silent()).unwrap();
        assert_eq!((itself.statistics().inner_voxels, itself.statistics().active_voxels > 0), (0, true));
        let finer = Lattice { voxel_mm: 0.5, ..lattice };
        let other = build(&Ball([9.0; 3], 5.0), finer, a.layout(), CellFormat::Wide, &Progress::silent()).unwrap().tree;
        assert!(combine(&a, &other, Boolean::Union, &Progress::silent()).unwrap_err().sentence.contains("same voxels"));
    }
}
