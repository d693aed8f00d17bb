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

pub(super) use expected_size::expected_size;
use rayon::prelude::*;

use super::registration::{Problem, Registration};
use super::{Backend, Device, DeviceKind};
use geometry::{Mesh, OrderedPoints, Point, triangle};

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

/// Centroids of the facets of `nominal` along a space-filling curve, so that consecutive queries are close together.
fn facets_along_curve(nominal: &Mesh) -> OrderedPoints {
    let centroids: Vec<Point> =
        (0..nominal.facets.len()).into_par_iter().map(|facet| triangle::centroid(&nominal.corners(facet))).collect();
    OrderedPoints::new(&centroids)
}

/// Queries per task: enough to hide the cost of scheduling, few enough for prompt cancellation and to stay in cache.
const CHUNK: usize = 1024;
