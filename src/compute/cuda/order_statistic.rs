//! Exact order statistics of values on the device.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver};
use base::Result;

/// Bytes of `Selection` and `Spread` of order_statistic.cu.
const SELECTION_BYTES: usize = (2 * 2048 + 2) * 4;
const SPREAD_BYTES: usize = 24;
/// Threads of a block.
const THREADS: u32 = 256;

/// Which value is looked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// The largest that trimming keeps.
    Cut = 0,
    /// The median of what trimming keeps.
    Median = 1,
}

/// Room for looking at up to a number of values.
pub(super) struct OrderStatistics {
    selection: Buffer<u8>,
    list: Buffer<u64>,
    spread: Buffer<u8>,
}

impl OrderStatistics {
    pub fn new(driver: &Arc<dyn Driver>, count: usize) -> Result<Self> {
        Ok(Self {
            selection: Buffer::new(driver, SELECTION_BYTES)?,
            list: Buffer::new(driver, count)?,
            spread: Buffer::zeros(driver, SPREAD_BYTES)?,
        })
    }

    /// Starts finding a value among the sizes of the `count` doubles at `values`, by blocks of 256 threads; it lands in
    /// the spread.
    pub fn find(&self, driver: &dyn Driver, values: u64, count: u32, blocks: u32, trim: f64, rank: Rank) -> Result<()> {
        let (selection, list, spread) = (self.selection.place(), self.list.place(), self.spread.place());
        driver.clear(selection, SELECTION_BYTES)?;
        let which = rank as u32;
        let (values, count, trim, which) = (bytes_of(&values), bytes_of(&count), bytes_of(&trim), bytes_of(&which));
        let (selection, list) = (bytes_of(&selection), bytes_of(&list));
        driver.launch("select_first", blocks, THREADS, &[values, count, selection])?;
        driver.launch("select_second", blocks, THREADS, &[values, count, trim, which, selection])?;
        driver.launch("select_list", blocks, THREADS, &[values, count, trim, which, selection, list])?;
        driver.launch("select_last", 1, THREADS, &[trim, which, selection, list, bytes_of(&spread)])
    }

    /// Address of what was found, as kernels take it.
    pub fn spread(&self) -> u64 {
        self.spread.place()
    }
}
