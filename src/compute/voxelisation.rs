//! Voxelisation of surfaces: every voxel that a facet meets is skin, the rest is inside or outside.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};
use geometry::voxels::{BuildTimes, CellFormat, Lattice, Layout, VoxelTree};
use geometry::{Sides, SolidSurface};

/// A request to voxelise a surface. Parts of it that lie outside the domain are not in the volume.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The surface, and what decides on its sides.
    pub solid: &'a SolidSurface<'a>,
    /// The voxels.
    pub lattice: Lattice,
    /// Layout of the tree.
    pub layout: Layout,
    /// Format of its cells.
    pub cell_format: CellFormat,
}

/// A voxelised surface.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The volume.
    pub tree: VoxelTree,
    /// Time of mapping facets to root cells, ms.
    pub mapping_ms: f64,
    /// Time of the following steps.
    pub times: BuildTimes,
}

impl Capability for Request<'_> {
    type Answer = Answer;

    const LABEL: &'static str = "Voxelising";

    fn check(&self) -> Result<()> {
        self.layout.check_for(self.lattice.voxels)
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Answer> {
        cpu::voxelisation::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Answer> {
        // Winding numbers are computed on the CPU alone.
        if self.solid.sides() == Sides::WindingNumbers {
            return self.on_cpu(progress);
        }
        let job = cuda.prepare_voxelisation(self)?;
        let volume = job.launch(progress)?;
        job.read(&volume)
    }
}
