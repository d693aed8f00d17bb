//! The reference: every capability on all cores of the processor.

mod facet_facet_matching;
mod gate;
mod icp;
mod neighbourhoods;
mod order_statistic;
mod parallel_planes;
mod point_deviation;
mod point_facet_matching;
mod registration;
mod smoothing;
mod statistics;
mod thinning;

use rayon::prelude::*;

use super::{Backend, Device, DeviceKind};
use base::{Progress, Result};
use geometry::{Mesh, OrderedPoints, Point, triangle};

/// The processor's cores.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cpu;

impl Backend for Cpu {
    fn device(&self) -> Device {
        Device { kind: DeviceKind::Cpu, device: format!("{} threads", rayon::current_num_threads()) }
    }

    fn point_deviation(
        &self,
        request: &super::point_deviation::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::point_deviation::PointDeviation>> {
        point_deviation::run(request, progress)
    }

    fn point_facet_matching(
        &self,
        request: &super::point_facet_matching::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::point_facet_matching::FacetDeviation>> {
        point_facet_matching::run(request, progress)
    }

    fn facet_facet_matching(
        &self,
        request: &super::facet_facet_matching::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::point_facet_matching::FacetDeviation>> {
        facet_facet_matching::run(request, progress)
    }

    fn parallel_planes(
        &self,
        request: &super::parallel_planes::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::parallel_planes::PlaneSet>> {
        parallel_planes::run(request, progress)
    }

    fn smooth(
        &self,
        request: &super::smoothing::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::smoothing::Smoothed>> {
        smoothing::run(request, progress)
    }

    fn neighbourhoods(
        &self,
        request: &super::neighbourhoods::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::neighbourhoods::Neighbourhood>> {
        neighbourhoods::run(request, progress)
    }

    fn statistics(
        &self,
        request: &super::statistics::Request<'_>,
        progress: &Progress,
    ) -> Result<super::statistics::Summary> {
        progress.report(0.0, "Working out the statistics")?;
        Ok(statistics::run(request))
    }

    fn thin(&self, request: &super::thinning::Request<'_>, progress: &Progress) -> Result<Vec<u32>> {
        thinning::run(request, progress)
    }

    fn icp(
        &self,
        problem: &super::icp::Problem<'_>,
        parameters: &super::icp::Parameters,
        progress: &Progress,
    ) -> Result<super::icp::Answer> {
        icp::run(problem, parameters, progress)
    }

    fn registration<'a>(
        &'a self,
        problem: super::registration::Problem<'a>,
    ) -> Box<dyn super::registration::Registration + 'a> {
        Box::new(registration::CpuRegistration::new(problem))
    }
}

/// The facets of `nominal` along a space-filling curve of their centres, so that neighbours are searched in turn.
fn facets_along_curve(nominal: &Mesh) -> OrderedPoints {
    let centres: Vec<Point> =
        (0..nominal.facets.len()).into_par_iter().map(|facet| triangle::centroid(&nominal.corners(facet))).collect();
    OrderedPoints::new(&centres)
}

/// Queries handled by one task: long enough to hide scheduling, short enough to cancel and to stay in cache.
const CHUNK: usize = 1024;
