//! Figures and a histogram of many values.

use super::cuda::Cuda;
use super::{Capability, cpu, cuda};
use base::{Progress, Result};

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The values; NaN is no data.
    pub values: &'a [f64],
    /// Least and greatest value that is allowed, limits included.
    pub allowed: [f64; 2],
    /// Ends of the histogram.
    pub range: [f64; 2],
    /// Its bins, at least one.
    pub bins: usize,
}

/// Shares of the percentiles.
pub const SHARES: [f64; 5] = [0.01, 0.05, 0.5, 0.95, 0.99];

/// The figures, over the values that are numbers; zeros where there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Values that are numbers.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Mean square about the mean.
    pub variance: f64,
    /// Mean square.
    pub mean_square: f64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Values that are allowed.
    pub allowed: usize,
    /// Percentiles of [`SHARES`], by linear interpolation between ranks (type 7 of Hyndman and Fan 1996).
    pub percentiles: [f64; 5],
    /// Values in each bin of the histogram; the upper end belongs to the last.
    pub bins: Vec<u64>,
    /// Values below the histogram.
    pub below: u64,
    /// Values above it.
    pub above: u64,
}

/// The ranks that the percentile of `share` lies between among `count` values, and its share of the way.
pub fn ranks(share: f64, count: usize) -> (usize, usize, f64) {
    let last = count.saturating_sub(1);
    let place = share * last as f64;
    let rank = place.floor() as usize;
    (rank, (rank + 1).min(last), place - rank as f64)
}

/// The percentiles, `at` giving the value of a rank.
pub fn percentiles(count: usize, at: impl Fn(usize) -> f64) -> [f64; 5] {
    SHARES.map(|share| {
        let (low, high, way) = ranks(share, count);
        at(low) + (at(high) - at(low)) * way
    })
}

impl Capability for Request<'_> {
    type Answer = Summary;

    const STAGE: &'static str = "Working out the statistics";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        progress.report(0.0, Self::STAGE)?;
        Ok(cpu::statistics::run(self))
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        cuda::statistics::run(cuda.driver(), self)
    }
}
