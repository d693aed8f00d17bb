//! A CUDA device. What it cannot do, or fails at, the processor does, with a sentence.

pub mod driver;
mod nvidia;
mod point_deviation;
mod sort;
mod surface;

use std::sync::{Arc, Mutex, PoisonError};

use super::cpu::Cpu;
use super::{Backend, Device, DeviceKind};
use crate::base::{ErrorKind, Progress, Result};
use crate::geometry::Surface;
use driver::Driver;
pub use point_deviation::PointDeviationJob;
use surface::DeviceSurface;

/// The backend of one device.
pub struct Cuda {
    driver: Arc<dyn Driver>,
    /// The nominal that is resident, and the number of the surface it was made from.
    resident: Mutex<Option<(u64, Arc<DeviceSurface>)>>,
    notices: Mutex<Vec<String>>,
}

impl Cuda {
    /// On the first GPU; a sentence says why there is none.
    pub fn open() -> Result<Self> {
        Ok(Self::on(Arc::new(nvidia::Nvidia::open()?)))
    }

    /// On any driver, for tests.
    pub fn on(driver: Arc<dyn Driver>) -> Self {
        Self { driver, resident: Mutex::new(None), notices: Mutex::new(Vec::new()) }
    }

    /// Uploads what a request needs, for callers that launch it several times.
    pub fn prepare_point_deviation<'a>(
        &self,
        request: &super::point_deviation::Request<'a>,
    ) -> Result<PointDeviationJob<'a>> {
        PointDeviationJob::new(&self.driver, self.surface(request.surface)?, request)
    }

    /// Forgets the resident nominal.
    pub fn forget(&self) {
        *self.resident.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// The resident twin of `surface`, uploaded where it is not there yet.
    fn surface(&self, surface: &Surface) -> Result<Arc<DeviceSurface>> {
        let mut resident = self.resident.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, twin)) = resident.as_ref().filter(|(number, _)| *number == surface.number()) {
            return Ok(Arc::clone(twin));
        }
        // The old one goes first: both may not fit.
        *resident = None;
        let twin = Arc::new(DeviceSurface::new(&self.driver, surface)?);
        *resident = Some((surface.number(), Arc::clone(&twin)));
        Ok(twin)
    }

    /// The device's answer, or the processor's with a notice where the device fails. A cancel stays one.
    fn or_cpu<T>(&self, answer: Result<T>, on_cpu: impl FnOnce() -> Result<T>) -> Result<T> {
        match answer {
            Err(error) if error.kind != ErrorKind::Cancelled => {
                let notice = format!("{} This step was computed on the processor.", error.sentence);
                self.notices.lock().unwrap_or_else(PoisonError::into_inner).push(notice);
                on_cpu()
            }
            answer => answer,
        }
    }
}

impl Backend for Cuda {
    fn device(&self) -> Device {
        Device { kind: DeviceKind::Cuda, device: self.driver.name() }
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn point_deviation(
        &self,
        request: &super::point_deviation::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::point_deviation::PointDeviation>> {
        let attempt = || {
            progress.report(0.0, "Measuring deviations")?;
            let job = self.prepare_point_deviation(request)?;
            job.launch()?;
            let answers = job.read()?;
            progress.check()?;
            Ok(answers)
        };
        self.or_cpu(attempt(), || Cpu.point_deviation(request, progress))
    }

    fn point_facet_matching(
        &self,
        request: &super::point_facet_matching::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::point_facet_matching::FacetDeviation>> {
        Cpu.point_facet_matching(request, progress)
    }

    fn facet_facet_matching(
        &self,
        request: &super::facet_facet_matching::Request<'_>,
        progress: &Progress,
    ) -> Result<Vec<super::point_facet_matching::FacetDeviation>> {
        Cpu.facet_facet_matching(request, progress)
    }

    fn registration_step(
        &self,
        request: &super::registration_step::Request<'_>,
        progress: &Progress,
    ) -> Result<super::registration_step::Answer> {
        Cpu.registration_step(request, progress)
    }
}
