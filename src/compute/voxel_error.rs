//! How far the skin of an offset volume lies from that of the volume it was made of, in voxels.

use std::collections::BTreeMap;

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

impl Answer {
    /// Of the numbers of voxels by squared distance from the source, and of those without any of it.
    pub(super) fn of(counts: &BTreeMap<u64, u64>, unmatched: u64, distance: f64) -> Self {
        let count: u64 = counts.values().sum();
        if count == 0 {
            return Self { unmatched, ..Self::default() };
        }
        let error = |squared: u64| (squared as f64).sqrt() - distance.abs();
        let mean = |of: fn(f64) -> f64| {
            counts.iter().map(|(squared, count)| of(error(*squared)) * *count as f64).sum::<f64>() / count as f64
        };
        let at = |share: f64| {
            let wanted = ((count - 1) as f64 * share).round() as u64;
            let mut before = 0;
            let reached = counts.iter().find(|(_, own)| {
                before += **own;
                before > wanted
            });
            reached.map_or(f64::NAN, |(squared, _)| error(*squared))
        };
        Self {
            count,
            unmatched,
            mean_absolute: mean(f64::abs),
            bias: mean(|error| error),
            min: at(0.0),
            max: at(1.0),
            percentiles: [0.01, 0.05, 0.5, 0.95, 0.99].map(at),
        }
    }
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

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Answer> {
        match cuda.measure_voxels(self)? {
            Some(answer) => Ok(answer),
            None => self.on_cpu(progress),
        }
    }
}
