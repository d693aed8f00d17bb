//! The interface of a capability: a request type that every backend answers.

use super::Backend;
use super::cuda::Cuda;
use super::registration::{self, Registration};
use base::{Progress, Result, UserError};

/// A request with one implementation per kind of device. The answers agree, see [`Backend`].
pub trait Capability {
    /// The result of the computation.
    type Answer;

    /// Label of the computation in progress displays.
    const LABEL: &'static str;

    /// Returns an error if the request is invalid. Called before any computation.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether `error` is caused by the request itself, so that the CPU would report it too.
    fn is_request_error(&self, _error: &UserError) -> bool {
        false
    }

    /// Computes the answer on the CPU: the reference implementation.
    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer>;

    /// Computes the answer on a CUDA device.
    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer>;
}

/// Runs requests on a backend; implemented for every [`Backend`].
pub trait Compute: Backend {
    /// Computes `request` on the CUDA device, or on the CPU if there is none or if it fails.
    fn compute<C: Capability>(&self, request: &C, progress: &Progress) -> Result<C::Answer> {
        request.check()?;
        self.notify_start(C::LABEL);
        match self.cuda() {
            Some(cuda) => cuda.compute_or_fall_back(request, progress),
            None => request.on_cpu(progress),
        }
    }

    /// Prepares an iterative registration. One that fails on the CUDA device continues on the CPU.
    fn registration<'a>(&'a self, problem: registration::Problem<'a>) -> Box<dyn Registration + 'a> {
        self.notify_start("Registering");
        match self.cuda() {
            Some(cuda) => cuda.registration_on_device(problem),
            None => super::cpu::registration(problem),
        }
    }
}

impl<B: Backend + ?Sized> Compute for B {}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::cpu::Cpu;
    use crate::{Device, statistics};

    /// A CPU backend that records the label of each computation.
    struct Recording(Mutex<Vec<&'static str>>);

    impl Backend for Recording {
        fn device(&self) -> Device {
            Cpu.device()
        }

        fn notify_start(&self, step: &'static str) {
            self.0.lock().unwrap().push(step);
        }
    }

    #[test]
    fn a_backend_without_a_cuda_device_computes_on_the_cpu_and_is_notified_of_each_computation() {
        let recording = Recording(Mutex::default());
        let request = statistics::Request { values: &[1.0, 2.0, 4.0], allowed: [0.0, 3.0], range: [0.0, 4.0], bins: 2 };
        let backend: &dyn Backend = &recording;
        let answer = backend.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(answer, Cpu.compute(&request, &Progress::silent()).unwrap());
        assert_eq!((answer.count, answer.allowed), (3, 2));
        assert_eq!(*recording.0.lock().unwrap(), ["Computing statistics"]);
    }
}
