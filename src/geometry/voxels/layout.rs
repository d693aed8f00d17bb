//! The shape of a hybrid dynamic tree: root grid, branching and leaf size.

use serde::{Deserialize, Serialize};

use super::Cube;
use base::{Result, UserError};

/// Layout of a tree: a root grid of R³ cells, B³ children per branching cell, leaves of L³ voxels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layout {
    /// R, root cells per axis: a power of two from 4 to 128.
    pub root: u32,
    /// B, children per axis of a branching cell: 2, 4 or 8.
    pub branching: u32,
    /// L, voxels per axis of a leaf: 8 or 16.
    pub leaf: u32,
}

impl Default for Layout {
    /// The layout that builds and searches fastest on average.
    fn default() -> Self {
        Self { root: 32, branching: 2, leaf: 8 }
    }
}

impl Layout {
    /// The layout of the published measurements.
    pub const PUBLISHED: Self = Self { root: 16, branching: 2, leaf: 16 };
    /// Maximum number of voxels per axis: the origin of a compact cell has 19 bits per axis.
    pub const MAX_VOXELS: u32 = 1 << 19;

    /// Returns an error unless all three numbers are supported.
    pub fn check(&self) -> Result<()> {
        let is_root_valid = self.root.is_power_of_two() && (4..=128).contains(&self.root);
        if is_root_valid && matches!(self.branching, 2 | 4 | 8) && matches!(self.leaf, 8 | 16) {
            return Ok(());
        }
        Err(UserError::usage(format!(
            "A voxel tree has a root grid of 4, 8, 16, 32, 64 or 128, a branching of 2, 4 or 8 and leaves of 8 or 16, \
             not {}, {} and {}.",
            self.root, self.branching, self.leaf
        )))
    }

    /// Returns an error unless the layout is supported and its tree over `voxels` voxels per axis can be addressed.
    pub fn check_for(&self, voxels: u32) -> Result<()> {
        self.check()?;
        if self.span(self.height(voxels)) <= u64::from(Self::MAX_VOXELS) {
            return Ok(());
        }
        Err(UserError::usage(format!(
            "A volume has at most {} voxels per axis; choose a lower resolution.",
            Self::MAX_VOXELS
        )))
    }

    /// Height of the tree: number of branchings between root cells and leaves, the smallest h for which
    /// R·Bʰ·L voxels per axis are at least `voxels`.
    pub fn height(&self, voxels: u32) -> u32 {
        let mut height = 0;
        while self.span(height) < u64::from(voxels) {
            height += 1;
        }
        height
    }

    /// Voxels per axis that a tree of this height covers.
    pub fn span(&self, height: u32) -> u64 {
        u64::from(self.root) * u64::from(self.branching).pow(height) * u64::from(self.leaf)
    }

    /// Number of root cells.
    pub fn root_cells(&self) -> usize {
        (self.root as usize).pow(3)
    }

    /// Number of children of a branching cell.
    pub fn children(&self) -> u32 {
        self.branching.pow(3)
    }

    /// Number of 32-bit words of a leaf.
    pub fn leaf_words(&self) -> usize {
        (self.leaf as usize).pow(3) / super::leaf::VOXELS_PER_WORD
    }

    /// The cube of root cell `index`, of which x varies fastest.
    pub fn root_cube(&self, height: u32, index: usize) -> Cube {
        let edge = self.branching.pow(height) * self.leaf;
        let (root, index) = (self.root, index as u32);
        let steps = [index % root, index / root % root, index / (root * root)];
        Cube { min: steps.map(|step| step * edge), edge }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_are_those_of_the_published_examples() {
        let height = |root, branching, leaf, voxels| Layout { root, branching, leaf }.height(voxels);
        assert_eq!([1024, 2048, 4096, 8192].map(|voxels| height(16, 2, 16, voxels)), [2, 3, 4, 5]);
        assert_eq!(height(64, 2, 16, 8192), 3);
        assert_eq!(height(64, 2, 16, 4096), 2);
        assert_eq!(height(8, 2, 16, 4096), 5);
        assert_eq!([4, 128].map(|root| height(root, 2, 16, 8192)), [7, 2]);
        assert_eq!([2, 4, 8].map(|branching| height(4, branching, 16, 4096)), [6, 3, 2]);
        assert_eq!((height(16, 2, 8, 8192), height(8, 2, 16, 8192)), (6, 6));
    }

    #[test]
    fn unsupported_layouts_are_refused() {
        Layout::default().check().unwrap();
        for (root, branching, leaf) in [(2, 2, 8), (48, 2, 8), (256, 2, 8), (16, 3, 8), (16, 16, 8), (16, 2, 4)] {
            let error = Layout { root, branching, leaf }.check().unwrap_err();
            assert!(error.sentence.contains("root grid"), "{error}");
        }
    }
}
