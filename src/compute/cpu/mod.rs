//! Reference implementation of every capability, on all CPU cores.

pub(super) mod distance_field;
pub(super) mod distance_offset;
mod expected_size;
pub(super) mod facet_facet_matching;
mod gate;
pub(super) mod icp;
mod level_set;
pub(super) mod meshing;
pub(super) mod morphological_offset;
pub(super) mod nearest_descriptors;
pub(super) mod neighbourhoods;
mod order_statistic;
pub(super) mod parallel_planes;
pub(super) mod point_deviation;
pub(super) mod point_facet_matching;
pub(super) mod pose_refinement;
pub(super) mod pose_scores;
pub(super) mod pose_votes;
mod registration;
pub(super) mod smoothing;
pub(super) mod statistics;
pub(super) mod thickness;
pub(super) mod thinning;
pub(super) mod voxel_error;
pub(super) mod voxelisation;

use super::registration::{Problem, Registration};
use super::{Backend, Device, DeviceKind};
pub(super) use expected_size::expected_size;

/// The CPU backend.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

impl Backend for Cpu {
    fn device(&self) -> Device {
        Device { kind: DeviceKind::Cpu, device: format!("{} threads", rayon::current_num_threads()) }
    }
}

pub(super) fn registration<'a>(problem: Problem<'a>) -> Box<dyn Registration + 'a> {
    Box::new(registration::CpuRegistration::new(problem))
}

/// Queries per task: enough to hide the cost of scheduling, few enough for prompt cancellation and to stay in cache.
const CHUNK: usize = 1024;
