//! The nearest of many descriptors to each of some others, by exact distances in f32: every device finds the same.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result, UserError};
use geometry::local_features::Descriptor;

/// A request for the nearest references of each query.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// What is searched.
    pub references: &'a [Descriptor],
    /// What neighbours are found for.
    pub queries: &'a [Descriptor],
    /// Neighbours of each query.
    pub count: usize,
}

/// A reference near a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Match {
    /// Squared distance.
    pub squared: f32,
    /// Index of the reference.
    pub reference: u32,
}

impl Match {
    /// A number by which matches are sorted: by distance, and by index where these are equal.
    #[inline]
    pub(crate) fn key(squared: f32, reference: u32) -> u64 {
        u64::from(squared.to_bits()) << 32 | u64::from(reference)
    }

    pub(crate) fn of_key(key: u64) -> Self {
        Self { squared: f32::from_bits((key >> 32) as u32), reference: key as u32 }
    }
}

impl Request<'_> {
    /// Neighbours of each query that there are.
    pub(crate) fn kept(&self) -> usize {
        self.count.min(self.references.len())
    }
}

impl Capability for Request<'_> {
    /// Of each query its nearest references, nearest first; of equally near ones the one of the lowest index first.
    type Answer = Vec<Vec<Match>>;

    const LABEL: &'static str = "Matching descriptors";

    fn check(&self) -> Result<()> {
        let is_finite = |own: &Descriptor| own.iter().all(|value| value.is_finite());
        if !self.references.iter().chain(self.queries).all(is_finite) {
            return Err(UserError::internal("A descriptor has a value that is no number."));
        }
        Ok(())
    }

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::nearest_descriptors::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, _progress: &Progress) -> Result<Self::Answer> {
        cuda.prepare_nearest_descriptors(self)?.run()
    }
}
