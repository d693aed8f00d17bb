//! Morton (Z-curve) order: sorts points so that neighbours in the list are neighbours in space.

use rayon::prelude::*;

use super::{Aabb, Point};

/// The numbers of `points` along a Z-curve of 21 bits an axis. Equal keys keep their order.
pub fn order(points: &[Point]) -> Vec<u32> {
    let bounds = Aabb::of_points(points);
    let longest = bounds.size().max();
    let cells = if longest > 0.0 { f64::from((1_u32 << 21) - 1) / longest } else { 0.0 };
    let mut keyed: Vec<(u64, u32)> = points
        .par_iter()
        .enumerate()
        .map(|(i, point)| {
            let cell = (point - bounds.min) * cells;
            let key = spread(cell.x as u64) | spread(cell.y as u64) << 1 | spread(cell.z as u64) << 2;
            (key, i as u32)
        })
        .collect();
    keyed.par_sort_unstable();
    keyed.into_par_iter().map(|(_, number)| number).collect()
}

/// Puts two zero bits before each of the low 21 bits.
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
    use crate::base::random::Random;

    #[test]
    fn order_is_a_permutation_that_shortens_the_path() {
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
