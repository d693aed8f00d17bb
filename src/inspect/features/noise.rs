//! Noise of single points on a surface: its size, and spikes that stand out of it.

use crate::robust_scale::{self, SIGMA_OF_MEDIAN};
use geometry::kd_tree::Neighbours;
use geometry::{KdTree, Point};
use rayon::prelude::*;

/// Number of neighbours whose median height a point is compared with.
const NEIGHBOURS: usize = 12;
/// Number of points from which on their noise can be told.
pub const MIN_POINTS: usize = 2 * NEIGHBOURS + 1;
/// Most neighbours at the height of a spike.
const MAX_LIKE_NEIGHBOURS: usize = 1;
/// Smallest height above the neighbours that makes a spike, mm: less is never left out.
const MIN_SPIKE_MM: f64 = 0.005;

/// Heights of measured points above the surface of their neighbours.
pub struct Roughness<'a> {
    tree: KdTree,
    points: &'a [Point],
    distances_mm: &'a [f64],
    heights_mm: Vec<f64>,
    /// Robust standard deviation of the heights, mm.
    deviation_mm: f64,
}

impl<'a> Roughness<'a> {
    /// `distances_mm` are the signed distances of `points` from a fitted shape, one each; a height is their difference
    /// from the median of the neighbours'. `None` of too few points.
    pub fn of(points: &'a [Point], distances_mm: &'a [f64]) -> Option<Self> {
        if points.len() < MIN_POINTS || points.len() != distances_mm.len() {
            return None;
        }
        let tree = KdTree::new(points);
        let height = |neighbours: &mut Neighbours, index: usize| {
            tree.k_nearest(&points[index], NEIGHBOURS + 1, f64::INFINITY, neighbours);
            let others = neighbours.found.iter().map(|own| own.number as usize).filter(|other| *other != index);
            let mut distances: Vec<f64> = others.map(|other| distances_mm[other]).collect();
            distances_mm[index] - median(&mut distances)
        };
        let heights_mm: Vec<f64> = (0..points.len()).into_par_iter().map_init(Neighbours::default, height).collect();
        let mut sizes: Vec<f64> = heights_mm.iter().map(|height| height.abs()).collect();
        let deviation_mm = SIGMA_OF_MEDIAN * median(&mut sizes);
        Some(Self { tree, points, distances_mm, heights_mm, deviation_mm })
    }

    /// Indices of the points, ascending, whose heights exceed `sigmas` standard deviations, and which have at most one
    /// neighbour at their own height: single points such as those that a sensor measures in reflections. A dent, a bump
    /// or a scratch is no spike: its points have others at their own height beside them.
    pub fn spikes(&self, sigmas: f64) -> Vec<u32> {
        let limit_mm = (sigmas * self.deviation_mm).max(MIN_SPIKE_MM);
        let stands_off = |index: usize| self.heights_mm[index].abs() > limit_mm;
        let mut neighbours = Neighbours::default();
        let mut is_spike = |index: &usize| {
            self.tree.k_nearest(&self.points[*index], NEIGHBOURS + 1, f64::INFINITY, &mut neighbours);
            let others = neighbours.found.iter().map(|own| own.number as usize).filter(|other| other != index);
            let is_like = |other: &usize| {
                let apart_mm = (self.distances_mm[*other] - self.distances_mm[*index]).abs();
                apart_mm <= 0.5 * self.heights_mm[*index].abs()
            };
            others.filter(is_like).count() <= MAX_LIKE_NEIGHBOURS
        };
        let candidates = (0..self.heights_mm.len()).filter(|index| stands_off(*index));
        candidates.filter(|index| is_spike(index)).map(|index| index as u32).collect()
    }

    /// Standard deviation of the noise of single points, mm: that of the heights without the part of the medians, whose
    /// variance is π/2 times that of a mean of as many.
    pub fn noise_mm(&self) -> f64 {
        self.deviation_mm / (1.0 + std::f64::consts::FRAC_PI_2 / NEIGHBOURS as f64).sqrt()
    }
}

/// The middle value, or the mean of both; 0 of none.
fn median(values: &mut [f64]) -> f64 {
    let Some(upper) = robust_scale::median(values) else { return 0.0 };
    if !values.len().is_multiple_of(2) {
        return upper;
    }
    let lower = values[..values.len() / 2].iter().copied().fold(f64::NEG_INFINITY, f64::max);
    0.5 * (lower + upper)
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
        let roughness = Roughness::of(&points, &distances).unwrap();
        assert!((roughness.noise_mm() - 0.01).abs() < 5e-4, "{}", roughness.noise_mm());
        let found = roughness.spikes(5.0);
        assert!(expected.iter().all(|own| found.binary_search(own).is_ok()), "{found:?} of {expected:?}");
        let others: Vec<u32> = found.iter().copied().filter(|own| !expected.contains(own)).collect();
        let dented = points.iter().filter(|point| is_dent(point.x, point.y)).count();
        assert!(others.len() * 100 < dented, "{} of a dent of {dented} points", others.len());
        let kept = (0..).zip(&distances).filter(|(own, _)| found.binary_search(own).is_err());
        assert!(kept.map(|(_, own)| *own).fold(0.0, f64::min) < -0.29, "the dent counts");
    }

    #[test]
    fn a_scratch_of_one_point_and_a_pit_of_five_are_no_spikes() {
        let mut random = Random::new(5, 1);
        let grid: Vec<(f64, f64)> = (0..2500).map(|i| (f64::from(i % 50) * 0.4, f64::from(i / 50) * 0.4)).collect();
        let is_pit = |x: f64, y: f64| (x - 4.0).hypot(y - 4.0) < 0.5;
        let height = |x: f64, y: f64| if is_pit(x, y) || (x - 12.0).abs() < 0.1 { -0.2 } else { 0.0 };
        let distances: Vec<f64> = grid.iter().map(|(x, y)| 0.01 * random.normal() + height(*x, *y)).collect();
        let points: Vec<Point> = grid.iter().zip(&distances).map(|((x, y), z)| Point::new(*x, *y, *z)).collect();
        let found = Roughness::of(&points, &distances).unwrap().spikes(5.0);
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn exact_points_and_few_points_have_none() {
        let grid: Vec<Point> = (0..400).map(|i| Point::new(f64::from(i % 20), f64::from(i / 20), 0.0)).collect();
        // A form deviation that rises slowly.
        let rise: Vec<f64> = grid.iter().map(|point| 0.002 * (0.3 * point.x).sin()).collect();
        assert!(Roughness::of(&grid, &rise).unwrap().spikes(5.0).is_empty());
        assert!(Roughness::of(&grid[..20], &rise[..20]).is_none());
    }
}
