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
