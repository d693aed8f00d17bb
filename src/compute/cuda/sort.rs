//! Sorting on the device: radix sort of 32-bit keys with values.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver};
use base::Result;

/// Keys that a block of 256 threads handles; BLOCK_KEYS of radix_sort.cu.
const BLOCK_KEYS: usize = 4096;
const DIGITS: usize = 256;

/// Sorts by the low `bits` of the keys; equal keys keep their order.
pub fn by_key(
    driver: &Arc<dyn Driver>,
    mut keys: Buffer<u32>,
    mut values: Buffer<u32>,
    count: usize,
    bits: u32,
) -> Result<(Buffer<u32>, Buffer<u32>)> {
    if count < 2 {
        return Ok((keys, values));
    }
    let blocks = count.div_ceil(BLOCK_KEYS);
    let counts = Buffer::<u32>::new(driver, blocks * DIGITS)?;
    let (mut keys_out, mut values_out) = (Buffer::<u32>::new(driver, count)?, Buffer::<u32>::new(driver, count)?);
    let (number, cells) = (count as u32, (blocks * DIGITS) as u32);
    for shift in (0..bits).step_by(8) {
        let (from, with) = (keys.place(), values.place());
        let (to, taking) = (keys_out.place(), values_out.place());
        let place = counts.place();
        let blocks = blocks as u32;
        let count_arguments: [&[u8]; 4] = [bytes_of(&from), bytes_of(&number), bytes_of(&shift), bytes_of(&place)];
        driver.launch("radix_count", blocks, 256, &count_arguments)?;
        driver.launch("exclusive_scan", 1, 1024, &[bytes_of(&place), bytes_of(&cells)])?;
        let scatter_arguments: [&[u8]; 7] = [
            bytes_of(&from),
            bytes_of(&with),
            bytes_of(&number),
            bytes_of(&shift),
            bytes_of(&place),
            bytes_of(&to),
            bytes_of(&taking),
        ];
        driver.launch("radix_scatter", blocks, 256, &scatter_arguments)?;
        std::mem::swap(&mut keys, &mut keys_out);
        std::mem::swap(&mut values, &mut values_out);
    }
    Ok((keys, values))
}
