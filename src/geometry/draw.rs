//! Seeded draws of points by their coordinates alone.
//!
//! Scans, grids and tessellations list their points in regular orders, so that every n-th of them may all lie on one
//! ring or one row; and the same points in another order would give another sample. A point's position in these draws
//! is a hash of its coordinates: random, and the same wherever it stands in its list.

use super::Point;
use base::random::Random;
use rayon::prelude::*;

/// Seed of all draws.
const SEED: u64 = 0x005E_ED0F_D4A3;

/// The hash of a position; equal for equal coordinates, with either sign of zero.
pub fn key(point: &Point) -> u64 {
    // Adding zero removes the sign of a negative zero.
    point.coords.iter().fold(SEED, |key, coordinate| Random::new(key, (coordinate + 0.0).to_bits()).bits())
}

/// The indices of all points in random order. Of coincident points the one of lesser `rank` comes first.
pub fn order_by(points: &[Point], rank: impl Fn(usize) -> u64 + Sync) -> Vec<u32> {
    let mut keyed: Vec<(u64, u64, u32)> =
        points.par_iter().enumerate().map(|(index, point)| (key(point), rank(index), index as u32)).collect();
    keyed.par_sort_unstable();
    keyed.into_iter().map(|own| own.2).collect()
}

/// The indices of at most `count` points, drawn at random, in random order; of all of them if there are no more.
pub fn sample(points: &[Point], count: usize) -> Vec<u32> {
    sample_by(points.len(), |index| key(&points[index as usize]), count)
}

/// As [`sample`], of the indices below `total`, whose points have these keys.
pub fn sample_by(total: usize, key: impl Fn(u32) -> u64 + Sync, count: usize) -> Vec<u32> {
    let mut keyed: Vec<(u64, u32)> = (0..total as u32).into_par_iter().map(|index| (key(index), index)).collect();
    if count < keyed.len() {
        keyed.select_nth_unstable(count);
        keyed.truncate(count);
    }
    keyed.sort_unstable();
    keyed.into_iter().map(|own| own.1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_do_not_depend_on_the_order_of_the_points() {
        let mut random = Random::new(4, 1);
        let mut grid: Vec<Point> =
            (0..5000).map(|i| Point::new(f64::from(i % 50) - 20.0, f64::from(i / 50), 0.0)).collect();
        let drawn = |grid: &[Point]| -> Vec<Point> { sample(grid, 300).iter().map(|&i| grid[i as usize]).collect() };
        let ordered =
            |grid: &[Point]| -> Vec<Point> { order_by(grid, |_| 0).iter().map(|&i| grid[i as usize]).collect() };
        let (first, all) = (drawn(&grid), ordered(&grid));
        assert_eq!(first, all[..300]);
        for _ in 0..5 {
            random.shuffle(&mut grid);
            assert_eq!((drawn(&grid), ordered(&grid)), (first.clone(), all.clone()));
        }
        // Spread over the grid: a quarter of them in each quarter.
        let share = first.iter().filter(|point| point.x < 5.0 && point.y < 50.0).count();
        assert!((50..=100).contains(&share), "{share}");
        assert_eq!(sample(&grid[..3], 10).len(), 3);
        assert_eq!(key(&Point::new(-0.0, 1.0, 2.0)), key(&Point::new(0.0, 1.0, 2.0)));
    }
}
