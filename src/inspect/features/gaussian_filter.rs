//! Gaussian filters on scattered points, of a surface (areal, ISO 16610-61) and of a profile (ISO 16610-21): wavelengths
//! below the nesting index are smoothed away. The weights are normalised, so that near edges the mean is taken over what
//! there is.

use geometry::{KdTree, Point};
use rayon::prelude::*;

/// The constant α of the Gaussian weighting function, √(ln 2 / π): half of the amplitude is transmitted at the nesting
/// index.
const ALPHA: f64 = 0.469_718_639_319_144_4;
/// Number of neighbours within the nesting index that suffices for a mean.
const ENOUGH_NEIGHBOURS: usize = 400;
/// The same of a profile, whose neighbours cost less to find.
const ENOUGH_IN_PROFILE: usize = 2000;
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
            let weight = weight(near.squared_mm2, nesting_index_mm);
            sum += weight * distances_mm[near.number as usize * stride];
            weights += weight;
            squares += weight * weight;
        });
        if weights > 0.0 { (sum / weights, squares.sqrt() / weights) } else { (*own, 1.0) }
    };
    Smoothed::of(points.par_iter().zip(distances_mm).map(mean).unzip())
}

/// Smooths the distances of the points of a profile from a fitted shape, one per point; `positions_mm` are those along
/// the profile. A closed profile repeats after `period_mm`, within which all positions must lie; its nesting index must
/// not be longer. Near the ends of an open one the mean is taken over what there is.
pub fn smoothed_profile(
    positions_mm: &[f64],
    distances_mm: &[f64],
    nesting_index_mm: f64,
    period_mm: Option<f64>,
) -> Smoothed {
    let mut once: Vec<(f64, f64)> = positions_mm.iter().copied().zip(distances_mm.iter().copied()).collect();
    once.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let shifts_mm = period_mm.map_or_else(|| vec![0.0], |period_mm| vec![-period_mm, 0.0, period_mm]);
    let again = |shift_mm: &f64| -> Vec<(f64, f64)> { once.iter().map(|(at, own)| (at + shift_mm, *own)).collect() };
    let all: Vec<(f64, f64)> = shifts_mm.iter().flat_map(again).collect();
    let near = |all: &[(f64, f64)], position_mm: f64| {
        let first = all.partition_point(|(at, _)| *at < position_mm - nesting_index_mm);
        first..all.partition_point(|(at, _)| *at <= position_mm + nesting_index_mm).max(first)
    };
    let step = positions_mm.len().div_ceil(DENSITY_SAMPLES).max(1);
    let most = positions_mm.iter().step_by(step).map(|position_mm| near(&all, *position_mm).len()).max().unwrap_or(0);
    // Of dense points, every second or third says as much.
    let stride = (most / ENOUGH_IN_PROFILE).max(1);
    let sources: Vec<(f64, f64)> = all.into_iter().step_by(stride).collect();
    let mean = |(position_mm, own): (&f64, &f64)| {
        let (mut sum, mut weights, mut squares) = (0.0, 0.0, 0.0);
        for (at, distance_mm) in &sources[near(&sources, *position_mm)] {
            let weight = weight((at - position_mm).powi(2), nesting_index_mm);
            sum += weight * distance_mm;
            weights += weight;
            squares += weight * weight;
        }
        if weights > 0.0 { (sum / weights, squares.sqrt() / weights) } else { (*own, 1.0) }
    };
    Smoothed::of(positions_mm.par_iter().zip(distances_mm).map(mean).unzip())
}

/// The Gaussian weight at a distance, mm², not normalised.
fn weight(squared_mm2: f64, nesting_index_mm: f64) -> f64 {
    (-std::f64::consts::PI * squared_mm2 / (ALPHA * nesting_index_mm).powi(2)).exp()
}

impl Smoothed {
    /// From the smoothed distances and the share of noise that is left of each.
    fn of((distances_mm, mut shares): (Vec<f64>, Vec<f64>)) -> Self {
        let index = (NOISE_QUANTILE * shares.len() as f64) as usize;
        let noise_share = if shares.is_empty() { 1.0 } else { *shares.select_nth_unstable_by(index, f64::total_cmp).1 };
        Self { distances_mm, noise_share }
    }
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

    /// Amplitude that is left of a sine of `waves` undulations on a circle of so many points, filtered by UPR.
    fn transmitted_on_a_circle(count: u32, waves: f64, cutoff_upr: f64) -> f64 {
        let positions: Vec<f64> = (0..count).map(|i| f64::from(i) * 100.0 / f64::from(count) - 50.0).collect();
        let wave = |at: &f64| (std::f64::consts::TAU * waves * at / 100.0).sin();
        let before: Vec<f64> = positions.iter().map(wave).collect();
        let after = smoothed_profile(&positions, &before, 100.0 / cutoff_upr, Some(100.0)).distances_mm;
        let product = |one: &[f64], other: &[f64]| one.iter().zip(other).map(|(a, b)| a * b).sum::<f64>();
        product(&after, &before) / product(&before, &before)
    }

    #[test]
    fn half_of_the_undulations_at_the_cutoff_are_left() {
        // ISO 16610-21: the amplitude transmitted of n undulations per revolution is exp(-π (α n / fc)²).
        for cutoff in [15.0, 50.0, 150.0, 500.0] {
            for ratio in [0.1, 0.2, 1.0, 2.0, 3.0] {
                let waves = f64::round(cutoff * ratio);
                let expected = 0.5_f64.powf((waves / cutoff).powi(2));
                let left = transmitted_on_a_circle(4000, waves, cutoff);
                assert!((left - expected).abs() < 1e-3, "{waves} of {cutoff} UPR: {left} instead of {expected}");
            }
        }
        // The points are thinned where they are dense.
        assert!((transmitted_on_a_circle(20_000, 3.0, 3.0) - 0.5).abs() < 1e-3);
    }

    #[test]
    fn the_seam_of_a_closed_profile_is_no_end_and_a_constant_stays_to_the_ends_of_an_open_one() {
        let positions: Vec<f64> = (0..360).map(f64::from).collect();
        let wave = |at: &f64| (at.to_radians() * 6.0).cos();
        let before: Vec<f64> = positions.iter().map(wave).collect();
        let after = smoothed_profile(&positions, &before, 60.0, Some(360.0)).distances_mm;
        assert!(before.iter().zip(&after).all(|(before, after)| (0.5 * before - after).abs() < 1e-5));
        let open = smoothed_profile(&positions, &[0.7; 360], 60.0, None).distances_mm;
        assert!(open.iter().all(|own| (own - 0.7).abs() < 1e-12));
        assert!(smoothed_profile(&[], &[], 1.0, None).distances_mm.is_empty());
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
