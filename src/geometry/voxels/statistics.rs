//! What a tree holds and needs, beside the published model of its storage.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{CellFormat, CellState, Layout, VoxelTree, leaf};

/// Contents and storage of a tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Number of cells, root cells included.
    pub cells: u64,
    /// Number of leaves.
    pub leaves: u64,
    /// Number of active voxels: those of the skin.
    pub active_voxels: u64,
    /// Number of voxels inside, without those of the skin.
    pub inner_voxels: u64,
    /// Bits of cells per active voxel; 0 without active voxels.
    pub topology_bits: f64,
    /// Bits of leaves per active voxel; 0 without active voxels.
    pub data_bits: f64,
    /// Allocated memory, bytes.
    pub bytes: u64,
}

impl VoxelTree {
    /// Contents and storage.
    pub fn statistics(&self) -> Statistics {
        let count = |words: &[u32]| -> (u64, u64) {
            words.iter().fold((0, 0), |(active, inner), &word| {
                (active + u64::from(leaf::active_in(word)), inner + u64::from((word & 0xAAAA_AAAA).count_ones()))
            })
        };
        let add = |a: (u64, u64), b: (u64, u64)| (a.0 + b.0, a.1 + b.1);
        let (active, in_leaves) = self.words().par_chunks(1 << 14).map(count).reduce(|| (0, 0), add);
        let edge = |depth: u32| u64::from(self.layout().leaf) << (self.layout().branching.trailing_zeros() * depth);
        let is_full = |cell: &super::Cell| cell.state == CellState::Full;
        let in_cells: u64 =
            self.cells().iter().filter(is_full).map(|cell| edge(self.height() - cell.depth).pow(3)).sum();
        let per_active = |bytes: usize| if active > 0 { 8.0 * bytes as f64 / active as f64 } else { 0.0 };
        Statistics {
            cells: self.cells().len() as u64,
            leaves: self.leaves() as u64,
            active_voxels: active,
            inner_voxels: in_leaves + in_cells,
            topology_bits: per_active(self.cells().len() * self.cells().format().bytes()),
            data_bits: per_active(self.words().len() * 4),
            bytes: self.bytes(),
        }
    }
}

/// The published model of the storage per active voxel: a leaf of L³ voxels has L² active ones, and K of a cell's
/// children branch on average.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StorageModel {
    /// Bits of cells per active voxel.
    pub topology_bits: f64,
    /// Bits of leaves per active voxel.
    pub data_bits: f64,
}

impl StorageModel {
    /// The model for a layout with a branching of 2; `branching_children` is K, which is greater than 1 and 4 on
    /// typical parts.
    pub fn of(layout: Layout, format: CellFormat, branching_children: f64) -> Self {
        let bytes_per_leaf = f64::from(layout.children()) * format.bytes() as f64 / (branching_children - 1.0);
        let edge = f64::from(layout.leaf);
        Self { topology_bits: 8.0 * bytes_per_leaf / (edge * edge), data_bits: 2.0 * edge }
    }

    /// Bits per active voxel in all.
    pub fn bits(&self) -> f64 {
        self.topology_bits + self.data_bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_gives_the_published_figures() {
        let bits = |leaf, format| StorageModel::of(Layout { leaf, ..Layout::PUBLISHED }, format, 4.0);
        let rounded = |leaf, format| {
            let model = bits(leaf, format);
            (model.data_bits, model.topology_bits.round(), model.bits().round())
        };
        assert_eq!(rounded(16, CellFormat::Wide), (32.0, 2.0, 34.0));
        assert_eq!(rounded(8, CellFormat::Wide), (16.0, 8.0, 24.0));
        assert_eq!(rounded(16, CellFormat::Compact), (32.0, 1.0, 33.0));
        assert_eq!(rounded(8, CellFormat::Compact), (16.0, 4.0, 20.0));
    }
}
