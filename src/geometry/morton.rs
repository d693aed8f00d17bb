//! Morton (Z-curve) order: sorts points so that neighbours in memory are mostly neighbours in space.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::{Aabb, Point};

/// Cells of the first, coarse sort: the four most significant bits of each axis.
const COARSE_CELLS: usize = 1 << 12;
const COARSE_SHIFT: u32 = 63 - 12;

/// Indices of `points` in order along a Z-curve with 21 bits per axis. Equal points keep their order.
pub fn order(points: &[Point]) -> Vec<u32> {
    let bounds = Aabb::of_points(points);
    let longest_mm = bounds.size().max();
    let cells_per_mm = if longest_mm > 0.0 { f64::from((1_u32 << 21) - 1) / longest_mm } else { 0.0 };
    let keys: Vec<u64> = points
        .par_iter()
        .map(|point| {
            let cell = (point - bounds.min) * cells_per_mm;
            spread(cell.x as u64) | spread(cell.y as u64) << 1 | spread(cell.z as u64) << 2
        })
        .collect();
    let (mut keyed, counts) = group_by_coarse_cell(&keys);
    // Coarse cells fit the cache, which makes sorting several times faster than over the whole list.
    let mut cells = Vec::with_capacity(counts.len());
    let mut rest = keyed.as_mut_slice();
    for count in counts {
        let (cell, others) = rest.split_at_mut(count);
        cells.push(cell);
        rest = others;
    }
    // Within one cell of the curve, by coordinates: the order of points that are not the same is that of their places. Few share
    // one, so that these are sorted again rather than all compared with care.
    let place = |index: u32| <[f64; 3]>::from(points[index as usize]);
    let by_place = |one: &(u64, u32), other: &(u64, u32)| {
        let axes = place(one.1).into_iter().zip(place(other.1));
        axes.map(|(a, b)| a.total_cmp(&b)).fold(Ordering::Equal, Ordering::then).then(one.1.cmp(&other.1))
    };
    cells.into_par_iter().for_each(|cell| {
        cell.par_sort_unstable();
        let shared = cell.chunk_by_mut(|one, other| one.0 == other.0).filter(|run| run.len() > 1);
        shared.for_each(|run| run.sort_unstable_by(by_place));
    });
    keyed.into_par_iter().map(|(_, index)| index).collect()
}

/// Pairs (key, point index) grouped by coarse cell, and the count of each cell.
fn group_by_coarse_cell(keys: &[u64]) -> (Vec<(u64, u32)>, Vec<usize>) {
    let cell = |key: u64| (key >> COARSE_SHIFT) as usize;
    let mut counts = vec![0; COARSE_CELLS];
    keys.iter().for_each(|&key| counts[cell(key)] += 1);
    let mut next = Vec::with_capacity(COARSE_CELLS);
    counts.iter().fold(0, |start, count| {
        next.push(start);
        start + count
    });
    let mut keyed = vec![(0, 0); keys.len()];
    for (index, &key) in keys.iter().enumerate() {
        let slot = &mut next[cell(key)];
        keyed[*slot] = (key, index as u32);
        *slot += 1;
    }
    (keyed, counts)
}

/// Spreads the low 21 bits of `value` to every third bit.
fn spread(value: u64) -> u64 {
    let mut v = value & 0x1F_FFFF;
    v = (v | v << 32) & 0x001F_0000_0000_FFFF;
    v = (v | v << 16) & 0x001F_0000_FF00_00FF;
    v = (v | v << 8) & 0x100F_00F0_0F00_F00F;
    v = (v | v << 4) & 0x10C3_0C30_C30C_30C3;
    (v | v << 2) & 0x1249_2492_4924_9249
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn order_is_a_permutation_with_a_shorter_path() {
        let mut random = Random::new(5, 0);
        let points: Vec<Point> =
            (0..4000).map(|_| Point::new(random.uniform(), random.uniform(), random.uniform())).collect();
        let order = order(&points);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &n)| i == n as usize));
        let length = |path: &[u32]| -> f64 {
            path.windows(2).map(|w| (points[w[0] as usize] - points[w[1] as usize]).norm()).sum()
        };
        let plain: Vec<u32> = (0..4000).collect();
        assert!(length(&order) < 0.2 * length(&plain));
    }

    #[test]
    fn equal_points_keep_their_order() {
        assert_eq!(order(&[Point::origin(); 5]), vec![0, 1, 2, 3, 4]);
    }
}
