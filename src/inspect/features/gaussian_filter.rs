//! Areal Gaussian filter on scattered points of a surface (ISO 16610-61): wavelengths below the nesting index are
//! smoothed away. The weights are normalised, so that near edges the mean is taken over what there is.

use geometry::{KdTree, Point};
use rayon::prelude::*;

/// The constant α of the Gaussian weighting function, √(ln 2 / π): half of the amplitude is transmitted at the nesting
/// index.
const ALPHA: f64 = 0.469_718_639_319_144_4;
/// Number of neighbours within the nesting index that suffices for a mean.
const ENOUGH_NEIGHBOURS: usize = 400;
/// Number of points by whose neighbours the density is estimated.
const DENSITY_SAMPLES: usize = 64;

/// Points by whose noise the share that is left is stated: nearly the largest, which is left near edges.
const NOISE_QUANTILE: f64 = 0.99;

/// Smoothed distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// Distances of the points from the fitted shape, mm.
    pub distances_mm: Vec<f64>,
    /// Share that is left of noise that is independent from point to point.
    pub noise_share: f64,
}

/// Smooths the distances of `points` from a fitted shape, one per point.
pub fn smoothed(points: &[Point], distances_mm: &[f64], nesting_index_mm: f64) -> Smoothed {
    let step = points.len().div_ceil(DENSITY_SAMPLES).max(1);
    let all = KdTree::new(points);
    let mut most = 0;
    for point in points.iter().step_by(step) {
        let mut count = 0;
        all.within_radius(point, nesting_index_mm, |_| count += 1);
        most = most.max(count);
    }
    // Of dense points, every second or third says as much.
    let stride = (most / ENOUGH_NEIGHBOURS).max(1);
    let sources: Vec<Point> = points.iter().step_by(stride).copied().collect();
    let tree = if stride == 1 { all } else { KdTree::new(&sources) };
    let mean = |(point, own): (&Point, &f64)| {
        let (mut sum, mut weights, mut squares) = (0.0, 0.0, 0.0);
        tree.within_radius(point, nesting_index_mm, |near| {
            let weight = (-std::f64::consts::PI * near.squared_mm2 / (ALPHA * nesting_index_mm).powi(2)).exp();
            sum += weight * distances_mm[near.number as usize * stride];
            weights += weight;
            squares += weight * weight;
        });
        if weights > 0.0 { (sum / weights, squares.sqrt() / weights) } else { (*own, 1.0) }
    };
    let (distances_mm, mut shares): (Vec<f64>, Vec<f64>) = points.par_iter().zip(distances_mm).map(mean).unzip();
    let index = (NOISE_QUANTILE * shares.len() as f64) as usize;
    let noise_share = if shares.is_empty() { 1.0 } else { *shares.select_nth_unstable_by(index, f64::total_cmp).1 };
    Smoothed { distances_mm, noise_share }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// Amplitude that is left of a wave on a grid of 0.1 mm.
    fn transmitted(wavelength_mm: f64, nesting_index_mm: f64) -> f64 {
        let grid: Vec<Point> =
            (0..40_000).map(|i| Point::new(f64::from(i % 400) * 0.1, f64::from(i / 400) * 0.1, 0.0)).collect();
        let wave = |point: &Point| (std::f64::consts::TAU * point.x / wavelength_mm).cos();
        let waves: Vec<f64> = grid.iter().map(wave).collect();
        let smooth = smoothed(&grid, &waves, nesting_index_mm).distances_mm;
        // Away from the edges: projected on the wave.
        let inside = |point: &Point| (8.0..32.0).contains(&point.x) && (3.0..7.0).contains(&point.y);
        let (mut one, mut other) = (0.0, 0.0);
        for ((point, before), after) in grid.iter().zip(&waves).zip(&smooth).filter(|((point, _), _)| inside(point)) {
            one += after * wave(point);
            other += before * wave(point);
        }
        one / other
    }

    #[test]
    fn half_of_a_wave_of_the_nesting_index_is_left() {
        // ISO 16610-61: the amplitude transmitted at wavelength λ is exp(-π (α λc / λ)²).
        for (wavelength, expected) in [(2.0, 0.5), (4.0, 0.840_896_415), (1.0, 0.0625), (8.0, 0.957_603_28)] {
            let left = transmitted(wavelength, 2.0);
            assert!((left - expected).abs() < 0.01, "{wavelength} mm: {left} instead of {expected}");
        }
        // The points are thinned where they are dense.
        assert!((transmitted(3.0, 3.0) - 0.5).abs() < 0.02);
    }

    #[test]
    fn a_constant_stays_to_the_edge() {
        let grid: Vec<Point> = (0..900).map(|i| Point::new(f64::from(i % 30), f64::from(i / 30), 0.0)).collect();
        assert!(smoothed(&grid, &[0.7; 900], 2.5).distances_mm.iter().all(|own| (own - 0.7).abs() < 1e-12));
        assert_eq!(smoothed(&grid[..1], &[0.3], 0.1), Smoothed { distances_mm: vec![0.3], noise_share: 1.0 });
    }

    #[test]
    fn noise_is_left_as_stated() {
        let mut random = Random::new(8, 2);
        let grid: Vec<Point> =
            (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.2, f64::from(i / 100) * 0.2, 0.0)).collect();
        let noise: Vec<f64> = grid.iter().map(|_| random.normal()).collect();
        let smooth = smoothed(&grid, &noise, 2.0);
        let inner: Vec<f64> = (grid.iter().zip(&smooth.distances_mm))
            .filter(|(point, _)| (2.0..18.0).contains(&point.x) && (2.0..18.0).contains(&point.y))
            .map(|(_, own)| *own)
            .collect();
        let left = (inner.iter().map(|own| own * own).sum::<f64>() / inner.len() as f64).sqrt();
        // Half of the surroundings, at an edge, leave √2 times as much.
        assert!((1.2..1.7).contains(&(smooth.noise_share / left)), "{} of {left}", smooth.noise_share);
    }
}
