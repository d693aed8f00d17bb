//! Voxel volumes as hybrid dynamic trees (HDT): a dense root grid, branching cells below it, dense leaves of two-bit
//! voxels at the bottom.

mod boolean;
pub mod build;
mod cell;
pub mod contour;
mod facet;
mod lattice;
mod layout;
pub mod leaf;
mod merge;
pub mod nearest;
mod restore;
pub mod skin;
mod statistics;
mod tree;

pub use boolean::{Boolean, combine};
pub use build::{BuildTimes, Built, Class, Solid, assemble, build};
pub use cell::{Cell, CellFormat, CellState, Cells, CompactCell, WideCell};
pub use facet::LatticeFacet;
pub use lattice::{Cube, Lattice};
pub use layout::Layout;
pub use leaf::Voxel;
pub use merge::merge;
pub use restore::Parts;
pub use statistics::{Statistics, StorageModel};
pub use tree::VoxelTree;

/// Entries by which the memory of cells and of leaves grows.
pub const POOL_CHUNK: usize = 8192;
