//! Radix sort of 32-bit keys with 32-bit values on a CUDA device.

use std::sync::Arc;

use bytemuck::bytes_of;

use super::driver::{Buffer, Driver};
use base::Result;

/// Keys per block of 256 threads; BLOCK_KEYS of radix_sort.cu.
const BLOCK_KEYS: usize = 4096;
const DIGITS: usize = 256;

/// Sorts by the low `bits` bits of the keys, rounded up to whole bytes. The sort is stable.
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
    let (count_u32, cells) = (count as u32, (blocks * DIGITS) as u32);
    for shift in (0..bits).step_by(8) {
        let (of_keys, of_values) = (keys.address(), values.address());
        let (of_keys_out, of_values_out) = (keys_out.address(), values_out.address());
        let of_counts = counts.address();
        let blocks = blocks as u32;
        let count_arguments: [&[u8]; 4] =
            [bytes_of(&of_keys), bytes_of(&count_u32), bytes_of(&shift), bytes_of(&of_counts)];
        driver.launch("radix_count", blocks, 256, &count_arguments)?;
        driver.launch("exclusive_scan", 1, 1024, &[bytes_of(&of_counts), bytes_of(&cells)])?;
        let scatter_arguments: [&[u8]; 7] = [
            bytes_of(&of_keys),
            bytes_of(&of_values),
            bytes_of(&count_u32),
            bytes_of(&shift),
            bytes_of(&of_counts),
            bytes_of(&of_keys_out),
            bytes_of(&of_values_out),
        ];
        driver.launch("radix_scatter", blocks, 256, &scatter_arguments)?;
        std::mem::swap(&mut keys, &mut keys_out);
        std::mem::swap(&mut values, &mut values_out);
    }
    Ok((keys, values))
}
