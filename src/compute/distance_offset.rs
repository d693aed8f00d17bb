//! Offsets of a surface by its exact distance: the volume of all points within a signed distance of it.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::voxels::{BuildTimes, CellFormat, Lattice, Layout, POOL_CHUNK, VoxelTree};
use geometry::{Sides, SolidSurface};

/// A request for the volume of the points whose signed distance is at most `distance_mm`.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The surface, and what decides on its sides.
    pub solid: &'a SolidSurface<'a>,
    /// Offset, mm: dilation if positive, erosion if negative.
    pub distance_mm: f64,
    /// The voxels.
    pub lattice: Lattice,
    /// Layout of the tree.
    pub layout: Layout,
    /// Format of its cells.
    pub cell_format: CellFormat,
}

/// An offset volume: a voxel is in it if its centre is within the distance, and skin if one of its six neighbours is
/// not in it.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The volume.
    pub tree: VoxelTree,
    /// Time of its steps.
    pub times: BuildTimes,
}

/// The expected size of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ExpectedSize {
    /// Number of cells, root cells included.
    pub cells: u64,
    /// Number of leaves.
    pub leaves: u64,
    /// Number of leaves that have to be looked into, uniform ones included.
    pub filled_leaves: u64,
    /// Number of active voxels.
    pub active_voxels: u64,
}

impl ExpectedSize {
    /// Memory that the volume will take, bytes; as [`VoxelTree::bytes`].
    pub fn bytes(&self, request: &Request<'_>) -> u64 {
        let pool = |entries: u64, bytes: usize| entries.next_multiple_of(POOL_CHUNK as u64) * bytes as u64;
        pool(self.cells, request.cell_format.bytes()) + pool(self.leaves, 4 * request.layout.leaf_words())
    }
}

impl Request<'_> {
    /// Estimates the size of the volume from samples of its cells, on the CPU, in some hundredths of a second.
    pub fn expected_size(&self) -> ExpectedSize {
        cpu::expected_size(self)
    }
}

impl Capability for Request<'_> {
    type Answer = Answer;

    const LABEL: &'static str = "Offsetting";

    fn check(&self) -> Result<()> {
        self.layout.check_for(self.lattice.voxels)?;
        if self.distance_mm.is_finite() {
            return Ok(());
        }
        Err(UserError::usage("The offset distance must be a finite number."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Answer> {
        cpu::distance_offset::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Answer> {
        // Winding numbers are computed on the CPU alone.
        if self.solid.sides() == Sides::WindingNumbers {
            return self.on_cpu(progress);
        }
        let job = cuda.prepare_distance_offset(self)?;
        job.run(job.boxes()?, progress)
    }
}
