//! How far the skin of an offset volume lies from that of the volume it was made of, in voxels.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::voxels::VoxelTree;

/// A request to measure an offset volume.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The offset volume.
    pub offset: &'a VoxelTree,
    /// The volume that it was made of.
    pub source: &'a VoxelTree,
    /// Distance of the offset, voxels.
    pub distance: f64,
}

/// Distances of the active voxels of an offset volume from the nearest active voxel of its source, less the distance of
/// the offset, in voxels.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Answer {
    /// Number of active voxels measured.
    pub count: u64,
    /// Number of active voxels without any of the source; they are in no other figure.
    pub unmatched: u64,
    /// Mean of the absolute values: the published error.
    pub mean_absolute: f64,
    /// Mean: positive if the offset lies too far out.
    pub bias: f64,
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
    /// Percentiles 1, 5, 50, 95 and 99 %.
    pub percentiles: [f64; 5],
}

impl Capability for Request<'_> {
    type Answer = Answer;

    const LABEL: &'static str = "Measuring the offset";

    fn check(&self) -> Result<()> {
        if self.offset.lattice() == self.source.lattice() {
            return Ok(());
        }
        Err(UserError::usage("Volumes can be compared only if they have the same voxels."))
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Answer> {
        cpu::voxel_error::run(self, progress)
    }

    fn on_cuda(&self, _: &Cuda, progress: &Progress) -> Result<Answer> {
        self.on_cpu(progress)
    }
}
