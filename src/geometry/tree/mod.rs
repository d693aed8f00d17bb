//! An 8-wide bounding tree over any primitives: triangles ([`super::surface`]) and points ([`super::kd_tree`]).
//!
//! A node holds the boxes of its eight children by columns, so that one vector instruction tests all of them. A leaf
//! is one pack of at most eight primitives, and packs lie in leaf order. Boxes are f32 about a centre kept in f64;
//! searches widen their limits by the f32 error, so that no answer is lost.

mod build;
mod search;

pub use build::{SplitRule, build};
pub use search::{Stack, Visitor, nearest_first, overlapping};

use super::simd::Column;

/// Primitives in a leaf, at most.
pub const LEAF: usize = super::simd::LANES;

/// Eight child boxes by columns, and where each child is.
#[repr(C, align(32))]
#[derive(Clone, Debug)]
pub struct Node {
    /// Lowest corners: x, y, z of the eight children.
    pub min: [Column; 3],
    /// Highest corners.
    pub max: [Column; 3],
    /// `Child` codes.
    pub children: [u32; 8],
}

/// Marks a child that is a leaf; the low bits are the number of its pack.
pub const LEAF_BIT: u32 = 1 << 31;
/// Marks a child slot that is not used.
pub const NO_CHILD: u32 = u32::MAX;

/// The tree: nodes with the root first, and the primitives of each leaf.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Nodes, root first; empty when there are no primitives.
    pub nodes: Vec<Node>,
    /// Primitive numbers in leaf order.
    pub order: Vec<u32>,
    /// For each pack, where its primitives start in `order`; one more entry closes the last.
    pub pack_starts: Vec<u32>,
}

impl Tree {
    /// Number of leaves.
    pub fn packs(&self) -> usize {
        self.pack_starts.len().saturating_sub(1)
    }

    /// Primitive numbers of pack `pack`, at most [`LEAF`].
    pub fn pack(&self, pack: usize) -> &[u32] {
        &self.order[self.pack_starts[pack] as usize..self.pack_starts[pack + 1] as usize]
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>() + (self.order.capacity() + self.pack_starts.capacity()) * 4) as u64
    }
}

/// A primitive's box, f32 about the tree's centre.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveBox {
    /// Lowest corner.
    pub min: [f32; 3],
    /// Highest corner.
    pub max: [f32; 3],
}

impl PrimitiveBox {
    const EMPTY: Self = Self { min: [f32::INFINITY; 3], max: [f32::NEG_INFINITY; 3] };

    #[inline]
    fn grow(&mut self, other: &Self) {
        for axis in 0..3 {
            self.min[axis] = self.min[axis].min(other.min[axis]);
            self.max[axis] = self.max[axis].max(other.max[axis]);
        }
    }

    /// Half the surface area; zero when empty.
    #[inline]
    fn half_area(&self) -> f32 {
        let [x, y, z] = std::array::from_fn(|axis| (self.max[axis] - self.min[axis]).max(0.0));
        x * y + y * z + z * x
    }

    /// Twice the centre along an axis.
    #[inline]
    fn middle(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}
