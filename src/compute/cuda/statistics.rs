//! Statistics on the device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::sort;
use crate::statistics::{Request, SHARES, Summary, percentiles, ranks};
use base::{Result, UserError};

/// STATISTIC_BINS of statistics.cu.
const BINS: usize = 1024;
/// Blocks that sum, at most, and their threads.
const BLOCKS: usize = 256;
const THREADS: u32 = 256;
/// Values that are worth a block of their own.
const VALUES_OF_BLOCK: usize = 4096;

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
    known: u32,
    allowed: u32,
    below: u32,
    above: u32,
    bins: [u32; BINS],
}

pub(crate) fn run(driver: &Arc<dyn Driver>, request: &Request<'_>) -> Result<Summary> {
    let count = request.values.len();
    let bins = request.bins.max(1);
    if bins > BINS {
        return Err(UserError::usage(format!("A histogram on the device has at most {BINS} bins.")));
    }
    require(driver.as_ref(), count * (8 + 5 * 4), "Working out the statistics")?;
    let values = Buffer::of(driver, request.values)?;
    let mut parameter = ValuesParameter {
        values: values.place(),
        count: count as u32,
        bins: bins as u32,
        allowed: request.allowed,
        range: request.range,
        mean: 0.0,
    };
    let blocks = count.div_ceil(VALUES_OF_BLOCK).clamp(1, BLOCKS);
    let (sums, counts) = (Buffer::<[f64; 2]>::new(driver, blocks)?, Buffer::<Counts>::zeros(driver, 1)?);
    let (of_sums, of_counts) = (sums.place(), counts.place());
    let arguments: [&[u8]; 3] = [bytes_of(&parameter), bytes_of(&of_sums), bytes_of(&of_counts)];
    driver.launch("statistic_counts", blocks as u32, THREADS, &arguments)?;
    let found = counts.read()?.first().copied().unwrap_or_else(Counts::zeroed);
    let known = found.known as usize;
    let bins = found.bins.iter().take(bins).map(|&counted| u64::from(counted)).collect();
    if known == 0 {
        return Ok(Summary { bins, ..Summary::default() });
    }
    let [sum, squares] = sums.read()?.iter().fold([0.0; 2], |total, own| [total[0] + own[0], total[1] + own[1]]);
    parameter.mean = sum / known as f64;
    let about = Buffer::<f64>::new(driver, blocks)?;
    let of_about = about.place();
    driver.launch("statistic_spread", blocks as u32, THREADS, &[bytes_of(&parameter), bytes_of(&of_about)])?;
    let ranked = ranked(driver, &parameter, known)?;
    Ok(Summary {
        count: known,
        mean: parameter.mean,
        variance: about.read()?.iter().sum::<f64>() / known as f64,
        mean_square: squares / known as f64,
        min: ranked(0),
        max: ranked(known - 1),
        allowed: found.allowed as usize,
        percentiles: percentiles(known, ranked),
        bins,
        below: u64::from(found.below),
        above: u64::from(found.above),
    })
}

/// The values of the least and the greatest rank and of those that percentiles lie between.
fn ranked(driver: &Arc<dyn Driver>, values: &ValuesParameter, known: usize) -> Result<impl Fn(usize) -> f64 + Copy> {
    let count = values.count as usize;
    let first: Vec<u32> = (0..values.count).collect();
    let mut order = Buffer::of(driver, &first)?;
    for high in [0_u32, 1] {
        let keys = Buffer::<u32>::new(driver, count)?;
        let (from, to) = (order.place(), keys.place());
        let arguments: [&[u8]; 4] = [bytes_of(values), bytes_of(&high), bytes_of(&from), bytes_of(&to)];
        launch_each(driver.as_ref(), "statistic_keys", count, &arguments)?;
        (_, order) = sort::by_key(driver, keys, order, count, u32::BITS)?;
    }
    const RANKS: usize = 2 * SHARES.len() + 2;
    let mut wanted = [0_u32; RANKS];
    wanted[RANKS - 1] = (known - 1) as u32;
    for (pair, share) in wanted.chunks_exact_mut(2).zip(SHARES) {
        let (low, high, _) = ranks(share, known);
        pair.copy_from_slice(&[low as u32, high as u32]);
    }
    let (ranks, found) = (Buffer::of(driver, &wanted)?, Buffer::<f64>::new(driver, RANKS)?);
    let (of_order, of_ranks, of_found, number) = (order.place(), ranks.place(), found.place(), RANKS as u32);
    let arguments: [&[u8]; 5] =
        [bytes_of(values), bytes_of(&of_order), bytes_of(&of_ranks), bytes_of(&number), bytes_of(&of_found)];
    driver.launch("statistic_ranks", 1, RANKS as u32, &arguments)?;
    let found: [f64; RANKS] = found.read()?.try_into().unwrap_or([f64::NAN; RANKS]);
    Ok(move |rank: usize| {
        let place = wanted.iter().position(|&other| other as usize == rank);
        place.map_or(f64::NAN, |place| found[place])
    })
}
