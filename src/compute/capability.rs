//! What every capability is to callers: a request that a backend answers.

use super::Backend;
use super::cuda::Cuda;
use super::registration::{self, Registration};
use base::{Progress, Result, UserError};

/// A request that every device answers, each in its own way and all alike.
pub trait Capability {
    /// What comes back.
    type Answer;

    /// What is being done, as progress shows it.
    const STAGE: &'static str;

    /// A sentence where the request itself is at fault.
    fn check(&self) -> Result<()> {
        Ok(())
    }

    /// Whether `error` lies in the request, so that no other device would answer it.
    fn is_at_fault(&self, _error: &UserError) -> bool {
        false
    }

    /// Answered by the processor: the reference.
    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer>;

    /// Answered by a CUDA device.
    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer>;
}

/// How backends are asked.
pub trait Compute: Backend {
    /// Answers `request` on the device, or on the processor where there is none or it fails.
    fn compute<C: Capability>(&self, request: &C, progress: &Progress) -> Result<C::Answer> {
        request.check()?;
        self.begins(C::STAGE);
        match self.cuda() {
            Some(cuda) => cuda.attempt(request, progress),
            None => request.on_cpu(progress),
        }
    }

    /// Makes the iterations of a registration ready.
    fn registration<'a>(&'a self, problem: registration::Problem<'a>) -> Box<dyn Registration + 'a> {
        self.begins("Registering");
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

    /// The processor, and what was asked of it.
    struct Counting(Mutex<Vec<&'static str>>);

    impl Backend for Counting {
        fn device(&self) -> Device {
            Cpu.device()
        }

        fn begins(&self, step: &'static str) {
            self.0.lock().unwrap().push(step);
        }
    }

    #[test]
    fn a_backend_without_a_device_answers_as_the_processor_and_is_told_of_each_computation() {
        let counting = Counting(Mutex::default());
        let request = statistics::Request { values: &[1.0, 2.0, 4.0], allowed: [0.0, 3.0], range: [0.0, 4.0], bins: 2 };
        let backend: &dyn Backend = &counting;
        let answer = backend.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(answer, Cpu.compute(&request, &Progress::silent()).unwrap());
        assert_eq!((answer.count, answer.allowed), (3, 2));
        assert_eq!(*counting.0.lock().unwrap(), ["Working out the statistics"]);
    }
}
