//! Exclusive prefix sums on a CUDA device.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver};
use base::Result;

/// Values per block; SCAN_BLOCK of radix_sort.cu.
const BLOCK: usize = 2048;

/// The sums of all values before each, and of all of them.
pub fn exclusive(driver: &Arc<dyn Driver>, values: &Buffer<u32>) -> Result<(Buffer<u32>, u32)> {
    let count = values.count();
    let sums = Buffer::<u32>::new(driver, count)?;
    if count == 0 {
        return Ok((sums, 0));
    }
    let blocks = count.div_ceil(BLOCK) as u32;
    // One more: the scan of the blocks' sums ends with the total.
    let totals = Buffer::<u32>::zeros(driver, blocks as usize + 1)?;
    let (of_values, of_sums, of_totals, count) = (values.address(), sums.address(), totals.address(), count as u32);
    let arguments: [&[u8]; 4] = [bytes_of(&of_values), bytes_of(&count), bytes_of(&of_sums), bytes_of(&of_totals)];
    driver.launch("scan_blocks", blocks, 256, &arguments)?;
    driver.launch("exclusive_scan", 1, 1024, &[bytes_of(&of_totals), bytes_of(&(blocks + 1))])?;
    driver.launch("scan_add", blocks, 256, &[bytes_of(&of_totals), bytes_of(&count), bytes_of(&of_sums)])?;
    let mut total = [0_u8; 4];
    driver.download(&mut total, of_totals + 4 * u64::from(blocks))?;
    Ok((sums, u32::from_ne_bytes(total)))
}
