//! Fewer points of even density.

use super::cuda::Cuda;
use super::{Capability, cpu, cuda};
use base::{Progress, Result};

use geometry::SearchablePoints;

/// How points are chosen.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Every occupied cube of this edge, mm, keeps the point nearest to its middle.
    Cells(f64),
    /// No two kept points are nearer than this, mm, and every point dropped is nearer than that to a kept one: points
    /// are taken in an order drawn once for all (a maximal Poisson-disk subset; Cook 1986, Luby 1986).
    Distance(f64),
}

/// What is asked.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a SearchablePoints<'a>,
    /// How they are chosen.
    pub rule: Rule,
}

/// Whose turn is first; no two numbers are equal.
pub fn turn_of(number: u32) -> u64 {
    base::random::mix(u64::from(number))
}

impl Capability for Request<'_> {
    type Answer = Vec<u32>;

    const STAGE: &'static str = "Thinning";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::thinning::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer> {
        cuda::thinning::run(cuda.driver(), self, progress)
    }
}
