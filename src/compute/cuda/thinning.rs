//! Thinning on the device.

use std::sync::Arc;

use bytemuck::{Pod, Zeroable, bytes_of};

use super::driver::{Buffer, Driver, launch_each, require};
use super::points::DevicePoints;
use super::{flat, sort};
use crate::thinning::{Request, Rule};
use base::{Progress, Result, UserError};
use geometry::{Aabb, Point};

/// `Cells` of thinning.cu.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct CellsParameter {
    points: u64,
    count: u32,
    pad: u32,
    low: [f64; 3],
    cell_mm: f64,
}

/// KEPT of thinning.cu.
const KEPT: u32 = 1;
/// Rounds between two looks at how many points still wait.
const ROUNDS: usize = 4;

/// The numbers kept, in ascending order.
pub(crate) fn run(driver: &Arc<dyn Driver>, request: &Request<'_>, progress: &Progress) -> Result<Vec<u32>> {
    match request.rule {
        Rule::Cells(cell_mm) => by_cells(driver, request.points.places(), cell_mm),
        Rule::Distance(distance_mm) => by_distance(driver, request.points.places(), distance_mm, progress),
    }
}

fn by_cells(driver: &Arc<dyn Driver>, points: &[Point], cell_mm: f64) -> Result<Vec<u32>> {
    let (bounds, count) = (Aabb::of_many(points), points.len());
    let cells = if count > 0 { bounds.size() / cell_mm } else { bounds.size() * 0.0 };
    if !(cells.max() < f64::from(u32::MAX)) {
        return Err(UserError::input("Cells are too small for the device to number them."));
    }
    require(driver.as_ref(), count * (24 + 6 * 4), "Thinning")?;
    let uploaded = Buffer::of(driver, flat::of_points(points))?;
    let parameter =
        CellsParameter { points: uploaded.place(), count: count as u32, pad: 0, low: bounds.min.into(), cell_mm };
    let first: Vec<u32> = (0..count as u32).collect();
    let mut order = Buffer::of(driver, &first)?;
    // The least important first, as each sort keeps what the one before it did: so the first of every cell is the one
    // nearest to its middle.
    let bits = [32, 32].into_iter().chain(cells.iter().map(|&along| u32::BITS - (along as u32).leading_zeros()));
    for (key, bits) in bits.enumerate() {
        let keys = Buffer::<u32>::new(driver, count)?;
        let (key, from, to) = (key as u32, order.place(), keys.place());
        let arguments: [&[u8]; 4] = [bytes_of(&parameter), bytes_of(&key), bytes_of(&from), bytes_of(&to)];
        launch_each(driver.as_ref(), "thin_keys", count, &arguments)?;
        (_, order) = sort::by_key(driver, keys, order, count, bits)?;
    }
    let stands_for = Buffer::<u32>::new(driver, count)?;
    let (from, to) = (order.place(), stands_for.place());
    launch_each(driver.as_ref(), "thin_cells", count, &[bytes_of(&parameter), bytes_of(&from), bytes_of(&to)])?;
    Ok(numbers_where(&stands_for.read()?, |points| points > 0))
}

fn by_distance(driver: &Arc<dyn Driver>, points: &[Point], distance_mm: f64, progress: &Progress) -> Result<Vec<u32>> {
    let count = points.len();
    if count == 0 {
        return Ok(Vec::new());
    }
    require(driver.as_ref(), DevicePoints::bytes(count) + count * 4, "Thinning")?;
    let resident = DevicePoints::new(driver, points)?;
    let (states, waiting) = (Buffer::<u32>::zeros(driver, count)?, Buffer::<u32>::new(driver, 1)?);
    let (parameter, of_states, of_waiting) = (resident.parameter(), states.place(), waiting.place());
    let arguments: [&[u8]; 4] =
        [bytes_of(&parameter), bytes_of(&distance_mm), bytes_of(&of_states), bytes_of(&of_waiting)];
    loop {
        for _ in 0..ROUNDS {
            driver.clear(of_waiting, size_of::<u32>())?;
            launch_each(driver.as_ref(), "thin_round", count, &arguments)?;
        }
        let left = waiting.read()?.iter().sum::<u32>();
        progress.report(1.0 - left as f32 / count as f32, "Thinning")?;
        if left == 0 {
            break;
        }
    }
    let mut kept: Vec<u32> = numbers_where(&states.read()?, |state| state == KEPT);
    let numbers = resident.numbers().read()?;
    kept.iter_mut().for_each(|place| *place = numbers[*place as usize]);
    kept.sort_unstable();
    Ok(kept)
}

fn numbers_where(values: &[u32], keep: impl Fn(u32) -> bool) -> Vec<u32> {
    (0_u32..).zip(values).filter_map(|(number, &value)| keep(value).then_some(number)).collect()
}
