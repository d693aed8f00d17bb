//! An 8-wide bounding volume hierarchy over triangles ([`super::surface`]) or points ([`super::kd_tree`]).
//!
//! A node stores the boxes of its eight children in structure-of-arrays layout, so that one vector instruction tests
//! all of them. A leaf is one pack of at most eight primitives; packs are stored in leaf order. Boxes are f32 relative
//! to an f64 centre; searches enlarge their limits by the f32 error, so that no result is missed.

mod build;
mod search;

pub use build::{SplitRule, build};
pub use search::{Stack, Visitor, nearest_first, overlapping};

use super::simd::Column;

/// Maximum number of primitives in a leaf.
pub const LEAF: usize = super::simd::LANES;

/// Boxes of eight children, one [`Column`] per axis, and the reference of each child.
#[repr(C, align(32))]
#[derive(Clone, Debug)]
pub struct Node {
    /// Minimum corners: x, y, z of the eight children.
    pub min: [Column; 3],
    /// Maximum corners: x, y, z of the eight children.
    pub max: [Column; 3],
    /// For each child a node index, a pack index with [`LEAF_BIT`], or [`NO_CHILD`].
    pub children: [u32; 8],
}

/// Marks a child that is a leaf; the other bits are the index of its pack.
pub const LEAF_BIT: u32 = 1 << 31;
/// Marks an unused child slot.
pub const NO_CHILD: u32 = u32::MAX;

/// Nodes, and the primitives of each leaf.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    /// Nodes, root first; empty if there are no primitives.
    pub nodes: Vec<Node>,
    /// Primitive indices in leaf order.
    pub order: Vec<u32>,
    /// Start of each pack in `order`, and a final entry with the end of the last.
    pub pack_starts: Vec<u32>,
}

impl Tree {
    /// Number of packs, which is the number of leaves.
    pub fn packs(&self) -> usize {
        self.pack_starts.len().saturating_sub(1)
    }

    /// Primitive indices of pack `pack`; at most [`LEAF`], ascending.
    pub fn pack(&self, pack: usize) -> &[u32] {
        &self.order[self.pack_starts[pack] as usize..self.pack_starts[pack + 1] as usize]
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        (self.nodes.capacity() * size_of::<Node>() + (self.order.capacity() + self.pack_starts.capacity()) * 4) as u64
    }
}

/// Bounding box of a primitive, f32 relative to the centre of the tree.
#[derive(Clone, Copy, Debug)]
pub struct PrimitiveBox {
    /// Minimum corner.
    pub min: [f32; 3],
    /// Maximum corner.
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

    /// Half the surface area; zero if empty.
    #[inline]
    fn half_area(&self) -> f32 {
        let [x, y, z] = std::array::from_fn(|axis| (self.max[axis] - self.min[axis]).max(0.0));
        x * y + y * z + z * x
    }

    /// Twice the centre along `axis`.
    #[inline]
    fn doubled_centre(&self, axis: usize) -> f32 {
        self.min[axis] + self.max[axis]
    }
}
