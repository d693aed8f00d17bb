//! The CUDA device as a backend, and registrations that fall back to the CPU.

use super::{Cuda, DeviceRegistration};
use crate::registration::{Answer, Problem, Registration, Step};
use crate::{Backend, Device, DeviceKind, cpu};
use base::{Progress, Result};

impl Backend for Cuda {
    fn device(&self) -> Device {
        Device { kind: DeviceKind::Cuda, device: self.driver.name() }
    }

    fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }

    fn cuda(&self) -> Option<&Cuda> {
        Some(self)
    }
}

impl Cuda {
    pub(crate) fn registration_on_device<'a>(&'a self, problem: Problem<'a>) -> Box<dyn Registration + 'a> {
        let device = self.prepare_registration(&problem).map_err(|error| self.record_notice(&error)).ok();
        match device {
            Some(device) => Box::new(FallbackRegistration { cuda: self, device, problem, on_cpu: None }),
            None => cpu::registration(problem),
        }
    }
}

/// A registration that continues on the CPU once the device has failed.
struct FallbackRegistration<'a> {
    cuda: &'a Cuda,
    device: DeviceRegistration,
    problem: Problem<'a>,
    on_cpu: Option<Box<dyn Registration + 'a>>,
}

impl Registration for FallbackRegistration<'_> {
    fn step(&mut self, step: &Step, progress: &Progress) -> Result<Answer> {
        progress.check()?;
        if self.on_cpu.is_none() {
            match self.device.step(step) {
                Ok(answer) => return Ok(answer),
                Err(error) => self.cuda.record_notice(&error),
            }
        }
        self.on_cpu.get_or_insert_with(|| cpu::registration(self.problem)).step(step, progress)
    }
}
