//! Statistics on a CUDA device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::sort;
use crate::Capability;
use crate::statistics::{PERCENTILE_LEVELS, Request, Summary, percentiles, ranks};
use base::{Result, UserError};

/// Maximum number of bins; STATISTIC_BINS of statistics.cu.
const MAX_BINS: usize = 1024;
/// Maximum number of blocks that sum, and threads per block.
const MAX_BLOCKS: usize = 256;
const THREADS: u32 = 256;
/// Values per block, up to the maximum number of blocks.
const VALUES_PER_BLOCK: usize = 4096;

/// `Values` of statistics.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct ValuesParameter {
    values: u64,
    count: u32,
    bins: u32,
    allowed: [f64; 2],
    range: [f64; 2],
    mean: f64,
}

/// `Counts` of statistics.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Counts {
    valid: u32,
    allowed: u32,
    below: u32,
    above: u32,
    bins: [u32; MAX_BINS],
}

/// Values resident on a device; the computation can be repeated.
pub struct StatisticsJob {
    driver: Arc<dyn Driver>,
    /// What `parameter` points to.
    _values: Buffer<f64>,
    parameter: ValuesParameter,
    /// Per block: the sums of values and of squares.
    sums: Buffer<[f64; 2]>,
    counts: Buffer<Counts>,
}

impl StatisticsJob {
    /// Uploads the values.
    pub(super) fn new(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Self> {
        let (count, bins) = (request.values.len(), request.bins.max(1));
        if bins > MAX_BINS {
            return Err(UserError::usage(format!("On a CUDA device, a histogram has at most {MAX_BINS} bins.")));
        }
        require(driver.as_ref(), count * (8 + 5 * 4), Request::LABEL)?;
        let values = Buffer::from_slice(driver, request.values)?;
        let parameter = ValuesParameter {
            values: values.address(),
            count: count as u32,
            bins: bins as u32,
            allowed: request.allowed,
            range: request.range,
            mean: 0.0,
        };
        let blocks = count.div_ceil(VALUES_PER_BLOCK).clamp(1, MAX_BLOCKS);
        Ok(Self {
            driver: Arc::clone(driver),
            _values: values,
            parameter,
            sums: Buffer::new(driver, blocks)?,
            counts: Buffer::zeros(driver, 1)?,
        })
    }

    /// Launches counting and summing, without waiting for them.
    pub fn launch(&self) -> Result<()> {
        let (sums, counts) = (self.sums.address(), self.counts.address());
        self.driver.clear(counts, size_of::<Counts>())?;
        let arguments: [&[u8]; 3] = [bytes_of(&self.parameter), bytes_of(&sums), bytes_of(&counts)];
        self.driver.launch("statistic_counts", self.sums.count() as u32, THREADS, &arguments)
    }

    /// Waits for the sums, computes from them what needs the mean, and downloads the summary.
    pub fn read(&self) -> Result<Summary> {
        let found = self.counts.read()?.first().copied().unwrap_or_else(Counts::zeroed);
        let valid = found.valid as usize;
        let bins = found.bins.iter().take(self.parameter.bins as usize).map(|&counted| u64::from(counted)).collect();
        if valid == 0 {
            return Ok(Summary { bins, ..Summary::default() });
        }
        let sums = self.sums.read()?;
        let [sum, squares] = sums.iter().fold([0.0; 2], |total, block| [total[0] + block[0], total[1] + block[1]]);
        let parameter = ValuesParameter { mean: sum / valid as f64, ..self.parameter };
        let blocks = self.sums.count();
        let about = Buffer::<f64>::new(&self.driver, blocks)?;
        let of_about = about.address();
        let arguments: [&[u8]; 2] = [bytes_of(&parameter), bytes_of(&of_about)];
        self.driver.launch("statistic_spread", blocks as u32, THREADS, &arguments)?;
        let at_rank = values_by_rank(&self.driver, &parameter, valid)?;
        Ok(Summary {
            count: valid,
            mean: parameter.mean,
            variance: about.read()?.iter().sum::<f64>() / valid as f64,
            mean_square: squares / valid as f64,
            min: at_rank(0),
            max: at_rank(valid - 1),
            allowed: found.allowed as usize,
            percentiles: percentiles(valid, at_rank),
            bins,
            below: u64::from(found.below),
            above: u64::from(found.above),
        })
    }
}

/// A lookup of values by rank, for the first, the last and those that enclose the percentiles; NaN for others.
fn values_by_rank(
    driver: &Arc<dyn Driver>,
    values: &ValuesParameter,
    valid: usize,
) -> Result<impl Fn(usize) -> f64 + Copy> {
    let count = values.count as usize;
    let first: Vec<u32> = (0..values.count).collect();
    let mut order = Buffer::from_slice(driver, &first)?;
    // Low word first: the sort is stable.
    for high in [0_u32, 1] {
        let keys = Buffer::<u32>::new(driver, count)?;
        let (from, to) = (order.address(), keys.address());
        let arguments: [&[u8]; 4] = [bytes_of(values), bytes_of(&high), bytes_of(&from), bytes_of(&to)];
        launch_each(driver.as_ref(), "statistic_keys", count, &arguments)?;
        (_, order) = sort::by_key(driver, keys, order, count, u32::BITS)?;
    }
    const RANKS: usize = 2 * PERCENTILE_LEVELS.len() + 2;
    let mut wanted = [0_u32; RANKS];
    wanted[RANKS - 1] = (valid - 1) as u32;
    for (pair, level) in wanted.chunks_exact_mut(2).zip(PERCENTILE_LEVELS) {
        let (low, high, _) = ranks(level, valid);
        pair.copy_from_slice(&[low as u32, high as u32]);
    }
    let (ranks, found) = (Buffer::from_slice(driver, &wanted)?, Buffer::<f64>::new(driver, RANKS)?);
    let (of_order, of_ranks, of_found, rank_count) = (order.address(), ranks.address(), found.address(), RANKS as u32);
    let arguments: [&[u8]; 5] =
        [bytes_of(values), bytes_of(&of_order), bytes_of(&of_ranks), bytes_of(&rank_count), bytes_of(&of_found)];
    driver.launch("statistic_ranks", 1, RANKS as u32, &arguments)?;
    let found: [f64; RANKS] = found.read()?.try_into().unwrap_or([f64::NAN; RANKS]);
    Ok(move |rank: usize| {
        let index = wanted.iter().position(|&other| other as usize == rank);
        index.map_or(f64::NAN, |index| found[index])
    })
}
