//! Summary statistics and histogram of a set of values.

use super::cuda::Cuda;
use super::{Capability, cpu};
use base::{Progress, Result};

/// A request for the statistics of some values.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The values; NaN means no data.
    pub values: &'a [f64],
    /// Lower and upper tolerance limit, both inclusive.
    pub allowed: [f64; 2],
    /// Lower and upper end of the histogram.
    pub range: [f64; 2],
    /// Number of bins of the histogram, at least 1.
    pub bins: usize,
}

/// Levels of the percentiles.
pub const PERCENTILE_LEVELS: [f64; 5] = [0.01, 0.05, 0.5, 0.95, 0.99];

/// Statistics of all values that are not NaN; zeros if there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Number of values that are not NaN.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Mean squared deviation from the mean.
    pub variance: f64,
    /// Mean square.
    pub mean_square: f64,
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
    /// Number of values within tolerance.
    pub allowed: usize,
    /// Percentiles at [`PERCENTILE_LEVELS`], by linear interpolation between ranks (type 7 of Hyndman and Fan 1996).
    pub percentiles: [f64; 5],
    /// Number of values in each bin of the histogram; its upper end belongs to the last bin.
    pub bins: Vec<u64>,
    /// Number of values below the histogram.
    pub below: u64,
    /// Number of values above the histogram.
    pub above: u64,
}

/// The two ranks, from 0, that enclose the percentile at `level` (0 to 1) of `count` values, and the fraction of the
/// distance between them.
pub fn ranks(level: f64, count: usize) -> (usize, usize, f64) {
    let last = count.saturating_sub(1);
    let position = level * last as f64;
    let rank = position.floor() as usize;
    (rank, (rank + 1).min(last), position - rank as f64)
}

/// The percentiles at [`PERCENTILE_LEVELS`]; `at` returns the value of a rank.
pub fn percentiles(count: usize, at: impl Fn(usize) -> f64) -> [f64; 5] {
    PERCENTILE_LEVELS.map(|level| {
        let (low, high, fraction) = ranks(level, count);
        at(low) + (at(high) - at(low)) * fraction
    })
}

impl Capability for Request<'_> {
    type Answer = Summary;

    const LABEL: &'static str = "Computing statistics";

    fn on_cpu(&self, progress: &Progress) -> Result<Self::Answer> {
        progress.report(0.0, Self::LABEL)?;
        Ok(cpu::statistics::run(self))
    }

    fn on_cuda(&self, cuda: &Cuda, _: &Progress) -> Result<Self::Answer> {
        let job = cuda.prepare_statistics(self)?;
        job.launch()?;
        job.read()
    }
}
