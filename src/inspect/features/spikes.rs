//! Spikes: single points that stand off the surface of their neighbours, such as those that a sensor measures at edges
//! and in reflections. A dent or a bump is none, however deep: its points have neighbours at their own height.

use geometry::kd_tree::Neighbours;
use geometry::{KdTree, Point};
use rayon::prelude::*;

/// Number of neighbours whose median height a point is compared with.
const NEIGHBOURS: usize = 12;
/// Smallest height above the neighbours that makes a spike, mm: less is never left out.
const MIN_HEIGHT_MM: f64 = 0.005;
/// Standard deviations per median absolute deviation, of normal noise.
const SIGMAS_PER_MAD: f64 = 1.4826;

/// Indices of the points, ascending, whose distance from a fitted shape differs from the median of their neighbours' by
/// more than `sigmas` robust standard deviations of these differences. `distances_mm`: one per point, signed.
pub fn spikes(points: &[Point], distances_mm: &[f64], sigmas: f64) -> Vec<u32> {
    if points.len() <= NEIGHBOURS || points.len() != distances_mm.len() {
        return Vec::new();
    }
    let tree = KdTree::new(points);
    let height = |neighbours: &mut Neighbours, index: usize| {
        tree.k_nearest(&points[index], NEIGHBOURS + 1, f64::INFINITY, neighbours);
        let others = neighbours.found.iter().map(|own| own.number as usize).filter(|other| *other != index);
        let mut distances: Vec<f64> = others.map(|other| distances_mm[other]).collect();
        distances_mm[index] - median(&mut distances)
    };
    let heights: Vec<f64> = (0..points.len()).into_par_iter().map_init(Neighbours::default, height).collect();
    let mut sizes: Vec<f64> = heights.iter().map(|height| height.abs()).collect();
    let limit_mm = (sigmas * SIGMAS_PER_MAD * median(&mut sizes)).max(MIN_HEIGHT_MM);
    (0..).zip(&heights).filter(|(_, height)| height.abs() > limit_mm).map(|(index, _)| index).collect()
}

/// The middle value; 0 of none.
fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn spikes_are_found_and_a_dent_is_kept() {
        let mut random = Random::new(3, 1);
        let (mut points, mut distances) = (Vec::new(), Vec::new());
        let is_dent = |x: f64, y: f64| (x - 20.0).hypot(y - 20.0) < 4.0;
        let mut expected = Vec::new();
        for number in 0..10_000_u32 {
            let (x, y) = (f64::from(number % 100) * 0.4, f64::from(number / 100) * 0.4);
            let mut z = 0.01 * random.normal() + if is_dent(x, y) { -0.3 } else { 0.0 };
            if number % 397 == 5 {
                z += if number % 2 == 0 { 0.4 } else { -1.5 };
                expected.push(number);
            }
            points.push(Point::new(x, y, z));
            distances.push(z);
        }
        let found = spikes(&points, &distances, 5.0);
        assert!(expected.iter().all(|own| found.binary_search(own).is_ok()), "{found:?} of {expected:?}");
        let others: Vec<u32> = found.iter().copied().filter(|own| !expected.contains(own)).collect();
        let dented = points.iter().filter(|point| is_dent(point.x, point.y)).count();
        assert!(others.len() * 20 < dented, "{} of a dent of {dented} points", others.len());
        let deepest = (0..).zip(&distances).filter(|(own, _)| found.binary_search(own).is_err());
        assert!(deepest.map(|(_, own)| *own).fold(0.0, f64::min) < -0.29, "the dent counts");
    }

    #[test]
    fn exact_points_and_few_points_have_none() {
        let grid: Vec<Point> = (0..400).map(|i| Point::new(f64::from(i % 20), f64::from(i / 20), 0.0)).collect();
        // A form deviation that rises slowly.
        let rise: Vec<f64> = grid.iter().map(|point| 0.002 * (0.3 * point.x).sin()).collect();
        assert!(spikes(&grid, &rise, 5.0).is_empty());
        assert!(spikes(&grid[..10], &rise[..10], 5.0).is_empty());
    }
}
