//! Thinning of point clouds to an even density.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

use geometry::SearchablePoints;

/// Thinning rule.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// Keeps the point nearest to the centre of every occupied cube of this edge length, mm.
    Cells(f64),
    /// Minimum distance of the points kept, mm; every point removed is closer than this to a point kept. Points are
    /// processed in a fixed pseudo-random order (a maximal Poisson-disk subset; Cook 1986, Luby 1986).
    Distance(f64),
}

/// A request to thin a cloud.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The points, mm; finite.
    pub points: &'a SearchablePoints<'a>,
    /// Thinning rule.
    pub rule: Rule,
}

/// Sort key of a point index for the pseudo-random processing order, lowest first; no two indices share a key.
pub fn order_key(index: u32) -> u64 {
    base::random::mix(u64::from(index))
}

impl Capability for Request<'_> {
    type Answer = Vec<u32>;

    const LABEL: &'static str = "Thinning";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        cpu::thinning::run(self, progress)
    }

    fn on_cuda(&self, cuda: &Cuda, progress: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_thinning(self)?;
        job.launch(progress)?;
        job.read()
    }
}
