//! Exact order statistics of values on a CUDA device.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver};
use base::Result;

/// Sizes of `Selection` of order_statistic.cu and of `RobustStatistics` of spread.cuh in bytes.
const SELECTION_BYTES: usize = (2 * 2048 + 2) * 4;
const SPREAD_BYTES: usize = 24;
/// Threads per block.
const THREADS: u32 = 256;

/// The order statistic to find.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// The largest value left after trimming.
    Cutoff = 0,
    /// The median of the values left after trimming.
    Median = 1,
}

/// Device memory for order statistics of up to a number of values.
pub(super) struct OrderStatistics {
    selection: Buffer<u8>,
    candidates: Buffer<u64>,
    spread: Buffer<u8>,
}

impl OrderStatistics {
    pub fn new(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        Ok(Self {
            selection: Buffer::new(driver, SELECTION_BYTES)?,
            candidates: Buffer::new(driver, count)?,
            spread: Buffer::zeros(driver, SPREAD_BYTES)?,
        })
    }

    /// Launches the search for an order statistic of the magnitudes of the `count` doubles at `values`, on `blocks`
    /// blocks of 256 threads. The result is written to the spread.
    pub fn find(&self, driver: &dyn Driver, values: u64, count: u32, blocks: u32, trim: f64, rank: Rank) -> Result<()> {
        let (selection, candidates, spread) =
            (self.selection.address(), self.candidates.address(), self.spread.address());
        driver.clear(selection, SELECTION_BYTES)?;
        let which = rank as u32;
        let (values, count, trim, which) = (bytes_of(&values), bytes_of(&count), bytes_of(&trim), bytes_of(&which));
        let (selection, candidates) = (bytes_of(&selection), bytes_of(&candidates));
        driver.launch("select_first", blocks, THREADS, &[values, count, selection])?;
        driver.launch("select_second", blocks, THREADS, &[values, count, trim, which, selection])?;
        driver.launch("select_list", blocks, THREADS, &[values, count, trim, which, selection, candidates])?;
        driver.launch("select_last", 1, THREADS, &[trim, which, selection, candidates, bytes_of(&spread)])
    }

    /// Address of the results, as passed to kernels.
    pub fn spread(&self) -> u64 {
        self.spread.address()
    }
}
