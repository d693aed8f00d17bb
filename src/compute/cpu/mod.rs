//! The reference: every capability on all cores of the processor.

pub(super) mod facet_facet_matching;
mod gate;
pub(super) mod icp;
pub(super) mod neighbourhoods;
mod order_statistic;
pub(super) mod parallel_planes;
pub(super) mod point_deviation;
pub(super) mod point_facet_matching;
mod registration;
pub(super) mod smoothing;
pub(super) mod statistics;
pub(super) mod thinning;

use rayon::prelude::*;

use super::registration::{Problem, Registration};
use super::{Backend, Device, DeviceKind};
use geometry::{Mesh, OrderedPoints, Point, triangle};

/// The processor's cores.
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

/// The facets of `nominal` along a space-filling curve of their centres, so that neighbours are searched in turn.
fn facets_along_curve(nominal: &Mesh) -> OrderedPoints {
    let centres: Vec<Point> =
        (0..nominal.facets.len()).into_par_iter().map(|facet| triangle::centroid(&nominal.corners(facet))).collect();
    OrderedPoints::new(&centres)
}

/// Queries handled by one task: long enough to hide scheduling, short enough to cancel and to stay in cache.
const CHUNK: usize = 1024;
