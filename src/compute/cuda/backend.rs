//! What the device computes, and where the processor steps in.

use super::{Cuda, DeviceRegistration};
use crate::cpu::Cpu;
use crate::registration::{Answer, Problem, Registration, Step};
use crate::{
    Backend, Device, DeviceKind, facet_facet_matching, icp, neighbourhoods, parallel_planes, point_deviation,
    point_facet_matching, smoothing, statistics, thinning,
};
use base::{Progress, Result};

impl Backend for Cuda {
    fn device(&self) -> Device {
        Device { kind: DeviceKind::Cuda, device: self.driver.name() }
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn point_deviation(
        &self,
        request: &point_deviation::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<point_deviation::PointDeviation>> {
        let on_device = || {
            let job = self.prepare_point_deviation(request)?;
            job.launch()?;
            job.read()
        };
        self.attempt("Measuring deviations", progress, on_device, || Cpu.point_deviation(request, progress))
    }

    fn point_facet_matching(
        &self,
        request: &point_facet_matching::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<point_facet_matching::FacetDeviation>> {
        let on_device = || {
            let job = self.prepare_point_facet_matching(request)?;
            job.launch(request.nominal_from_scan)?;
            job.read()
        };
        self.attempt("Matching points to facets", progress, on_device, || Cpu.point_facet_matching(request, progress))
    }

    fn facet_facet_matching(
        &self,
        request: &facet_facet_matching::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<point_facet_matching::FacetDeviation>> {
        let on_device = || {
            let job = self.prepare_facet_facet_matching(request)?;
            job.launch(request.nominal_from_scan)?;
            job.read()
        };
        self.attempt("Matching facets to facets", progress, on_device, || Cpu.facet_facet_matching(request, progress))
    }

    fn parallel_planes(
        &self,
        request: &parallel_planes::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<parallel_planes::PlaneSet>> {
        let on_device = || {
            let job = self.prepare_parallel_planes(request)?;
            job.launch()?;
            job.read()
        };
        self.attempt("Fitting planes", progress, on_device, || Cpu.parallel_planes(request, progress))
    }

    fn smooth(&self, request: &smoothing::Request<'_>, progress: &Progress) -> Result<Vec<smoothing::Smoothed>> {
        let on_device = || super::smoothing::run(&self.driver, request);
        self.attempt("Smoothing over neighbours", progress, on_device, || Cpu.smooth(request, progress))
    }

    fn neighbourhoods(
        &self,
        request: &neighbourhoods::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<neighbourhoods::Neighbourhood>> {
        let on_device = || {
            let job = self.prepare_neighbourhoods(request)?;
            job.launch()?;
            job.read()
        };
        self.attempt("Looking at neighbours", progress, on_device, || Cpu.neighbourhoods(request, progress))
    }

    fn statistics(&self, request: &statistics::Request<'_>, progress: &Progress) -> Result<statistics::Summary> {
        let on_device = || super::statistics::run(&self.driver, request);
        self.attempt("Working out the statistics", progress, on_device, || Cpu.statistics(request, progress))
    }

    fn thin(&self, request: &thinning::Request<'_>, progress: &Progress) -> Result<Vec<u32>> {
        let on_device = || super::thinning::run(&self.driver, request, progress);
        self.attempt("Thinning", progress, on_device, || Cpu.thin(request, progress))
    }

    fn icp(
        &self,
        problem: &icp::Problem<'_>,
        parameters: &icp::Parameters,
        progress: &Progress,
    ) -> Result<icp::Answer> {
        icp::check(problem, parameters)?;
        let attempt = || self.prepare_icp(problem, parameters, progress)?.run(parameters, progress);
        match attempt() {
            // Points that leave a rotation open do so on the processor, too.
            Err(error) if error == icp::undetermined() => Err(error),
            answer => self.or_cpu(answer, || Cpu.icp(problem, parameters, progress)),
        }
    }

    fn registration<'a>(&'a self, problem: Problem<'a>) -> Box<dyn Registration + 'a> {
        let device = self.prepare_registration(&problem).map_err(|error| self.notice(&error)).ok();
        match device {
            Some(device) => Box::new(OnDevice { cuda: self, device, problem, on_cpu: None }),
            None => Cpu.registration(problem),
        }
    }
}

/// A registration that goes on on the processor where the device fails.
struct OnDevice<'a> {
    cuda: &'a Cuda,
    device: DeviceRegistration,
    problem: Problem<'a>,
    on_cpu: Option<Box<dyn Registration + 'a>>,
}

impl Registration for OnDevice<'_> {
    fn step(&mut self, step: &Step, progress: &Progress) -> Result<Answer> {
        progress.check()?;
        if self.on_cpu.is_none() {
            match self.device.step(step) {
                Ok(answer) => return Ok(answer),
                Err(error) => self.cuda.notice(&error),
            }
        }
        self.on_cpu.get_or_insert_with(|| Cpu.registration(self.problem)).step(step, progress)
    }
}
