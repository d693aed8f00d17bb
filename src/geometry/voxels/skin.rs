//! The thin skin of a solid that is known voxel by voxel.

use super::{Cube, Voxel, leaf};

/// Which voxels of a leaf and of one layer around it are in a solid.
pub struct Block {
    edge: usize,
    is_in: Vec<bool>,
}

impl Block {
    /// A block around a leaf of `leaf` voxels per axis, all of it outside.
    pub fn new(leaf: u32) -> Self {
        let edge = leaf as usize + 2;
        Self { edge, is_in: vec![false; edge.pow(3)] }
    }

    /// Voxels per axis, the layers around the leaf included.
    pub fn edge(&self) -> usize {
        self.edge
    }

    /// The voxel of the lattice at a position in the block around the leaf at `cube`.
    #[inline]
    pub fn voxel(cube: &Cube, position: [usize; 3]) -> [i32; 3] {
        std::array::from_fn(|axis| cube.min[axis] as i32 + position[axis] as i32 - 1)
    }

    #[inline]
    fn number(&self, [x, y, z]: [usize; 3]) -> usize {
        (y * self.edge + x) * self.edge + z
    }

    /// Sets all voxels from `min` to before `max`.
    pub fn set(&mut self, min: [usize; 3], max: [usize; 3], is_in: bool) {
        for y in min[1]..max[1] {
            for x in min[0]..max[0] {
                let first = self.number([x, y, min[2]]);
                self.is_in[first..first + max[2] - min[2]].fill(is_in);
            }
        }
    }

    /// Writes the leaf: a voxel in the solid is full if its six neighbours are in the solid too, otherwise skin.
    pub fn write(&self, words: &mut [u32]) {
        let steps = [1, self.edge, self.edge * self.edge];
        for y in 1..self.edge - 1 {
            for x in 1..self.edge - 1 {
                for z in 1..self.edge - 1 {
                    let own = self.number([x, y, z]);
                    if !self.is_in[own] {
                        continue;
                    }
                    let is_inside = steps.iter().all(|step| self.is_in[own - step] && self.is_in[own + step]);
                    let state = if is_inside { Voxel::Full } else { Voxel::Surface };
                    leaf::set(words, self.edge as u32 - 2, [x, y, z].map(|index| index as u32 - 1), state);
                }
            }
        }
    }
}
