//! Gaussian filters on scattered points, of a surface (areal, ISO 16610-61) and of a profile (ISO 16610-21): wavelengths
//! below the nesting index are smoothed away.
//!
//! At each point the value of a weighted least-squares line, of a surface of a plane in the two directions of its tangent
//! plane, is taken: a regression filter of first order, as those of ISO 16610-31 without their robustness, whose end
//! effects are those of the moment criterion of ISO 16610-28 (the texts were not available to check against). Inside,
//! where there is as much on both sides, it is the weighted mean, and half of a wave of the nesting index is left. At an
//! end or an edge the mean would be one-sided and pull the ends of what is tilted or bent inwards.
//!
//! What remains: a bow is flatter inside by what the filter takes of it, and its ends are a little off: one of 25 mm keeps
//! 0.975 of its height at a cutoff of 8 mm, a third of its length, of which the mean kept 0.81. A line follows what it
//! ends with more closely than the mean does: at an end 2.5 times as much noise is left as inside, and up to 1.17 of a
//! wave of the nesting index, where the mean leaves 0.51, so that form with short waves at its ends comes out larger. A
//! parabola would keep all of the bow, but inside 0.85 of a wave of the nesting index too.

use geometry::transform::perpendicular_axes;
use geometry::{KdTree, Point, Vector};
use nalgebra::{Matrix2, Vector2};
use rayon::prelude::*;

/// The constant α of the Gaussian weighting function, √(ln 2 / π): half of the amplitude is transmitted at the nesting
/// index.
const ALPHA: f64 = 0.469_718_639_319_144_4;
/// Number of neighbours within the nesting index that suffices, also at an edge, where more of the noise is left.
const ENOUGH_NEIGHBOURS: usize = 1600;
/// The same of a profile, whose neighbours cost less to find.
const ENOUGH_IN_PROFILE: usize = 2000;
/// Number of points by whose neighbours the density is estimated.
const DENSITY_SAMPLES: usize = 64;
/// Smallest weighted variance of positions that determines a slope, as a share of the squared nesting index: a fortieth of
/// that at an end. Along less, such as across a single ring of points, the mean is taken.
const MIN_SPREAD: f64 = 3e-4;

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

/// Smooths the distances of `points` from a fitted shape, one per point. `normals` are those of the shape at the points:
/// unit vectors, or zero where it has none, and the mean is taken.
pub fn smoothed(points: &[Point], normals: &[Vector], distances_mm: &[f64], nesting_index_mm: f64) -> Smoothed {
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
    let regression = |((point, normal), own): ((&Point, &Vector), &f64)| {
        let tangents =
            if normal.norm_squared() > 0.0 { perpendicular_axes(normal) } else { [Vector::zeros(), Vector::zeros()] };
        let mut local = Regression::default();
        tree.within_radius(point, nesting_index_mm, |near| {
            let number = near.number as usize * stride;
            let offset = points[number] - point;
            let at = Vector2::new(offset.dot(&tangents[0]), offset.dot(&tangents[1]));
            local.add(at, distances_mm[number] - own, weight(near.squared_mm2, nesting_index_mm));
        });
        local.value(*own, nesting_index_mm)
    };
    Smoothed::of(points.par_iter().zip(normals).zip(distances_mm).map(regression).unzip())
}

/// Smooths the distances of the points of a profile from a fitted shape, one per point; `positions_mm` are those along
/// the profile. A closed profile repeats after `period_mm`, within which all positions must lie; its nesting index must
/// not be longer. It has ends where it was not measured.
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
    let regression = |(position_mm, own): (&f64, &f64)| {
        let mut local = Regression::default();
        for (at, distance_mm) in &sources[near(&sources, *position_mm)] {
            let offset_mm = at - position_mm;
            let weight = weight(offset_mm.powi(2), nesting_index_mm);
            local.add(Vector2::new(offset_mm, 0.0), distance_mm - own, weight);
        }
        local.value(*own, nesting_index_mm)
    };
    Smoothed::of(positions_mm.par_iter().zip(distances_mm).map(regression).unzip())
}

/// The Gaussian weight at a distance, mm², not normalised.
fn weight(squared_mm2: f64, nesting_index_mm: f64) -> f64 {
    (-std::f64::consts::PI * squared_mm2 / (ALPHA * nesting_index_mm).powi(2)).exp()
}

/// Sums of the weighted least-squares plane through values about a position, in two coordinates from there, mm.
#[derive(Default)]
struct Regression {
    values: f64,
    values_by_position: Vector2<f64>,
    weights: Moments,
    /// Of the squared weights.
    squares: Moments,
}

/// Weighted sums of ones, of positions, and of their products.
#[derive(Default)]
struct Moments {
    zeroth: f64,
    first: Vector2<f64>,
    second: Matrix2<f64>,
}

impl Moments {
    fn add(&mut self, at: &Vector2<f64>, products: &Matrix2<f64>, weight: f64) {
        self.zeroth += weight;
        self.first += at * weight;
        self.second += products * weight;
    }
}

impl Regression {
    fn add(&mut self, at: Vector2<f64>, value: f64, weight: f64) {
        let products = at * at.transpose();
        self.values += weight * value;
        self.values_by_position += at * (weight * value);
        self.weights.add(&at, &products, weight);
        self.squares.add(&at, &products, weight * weight);
    }

    /// The value of the plane at the position itself, whose values are relative to `own`, and the share that is left there
    /// of noise.
    fn value(&self, own: f64, nesting_index_mm: f64) -> (f64, f64) {
        let total = self.weights.zeroth;
        if !(total > 0.0) {
            return (own, 1.0);
        }
        let (mean, centre) = (self.values / total, self.weights.first / total);
        let spread = self.weights.second / total - centre * centre.transpose();
        let lever = lever(&spread, &centre, MIN_SPREAD * nesting_index_mm.powi(2));
        let value = mean - lever.dot(&(self.values_by_position / total - centre * mean));
        // The weight of each value is w (1 + lever · centre - lever · position) / total.
        let constant = 1.0 + lever.dot(&centre);
        let squares = constant * constant * self.squares.zeroth - 2.0 * constant * lever.dot(&self.squares.first)
            + lever.dot(&(self.squares.second * lever));
        (own + value, squares.max(0.0).sqrt() / total)
    }
}

/// The inverse of a covariance of positions, mm², times their centre: of directions in which they are spread over less
/// than `min_spread_mm2`, zero.
fn lever(spread: &Matrix2<f64>, centre: &Vector2<f64>, min_spread_mm2: f64) -> Vector2<f64> {
    let (xx, xy, yy) = (spread.m11, spread.m12, spread.m22);
    let half = (0.5 * (xx - yy)).hypot(xy);
    let [low, high] = [0.5 * (xx + yy) - half, 0.5 * (xx + yy) + half];
    if low > min_spread_mm2 {
        Vector2::new(yy * centre.x - xy * centre.y, xx * centre.y - xy * centre.x) / (xx * yy - xy * xy)
    } else if high > min_spread_mm2 {
        // Along the direction of the larger spread.
        let along = if xx >= yy { Vector2::new(high - yy, xy) } else { Vector2::new(xy, high - xx) };
        along * (along.dot(centre) / (high * along.norm_squared()))
    } else {
        Vector2::zeros()
    }
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

    /// Smooths distances from a plane perpendicular to z.
    fn of_plane(points: &[Point], distances_mm: &[f64], nesting_index_mm: f64) -> Smoothed {
        smoothed(points, &vec![Vector::z(); points.len()], distances_mm, nesting_index_mm)
    }

    fn height(values: &[f64]) -> f64 {
        let (min, max) =
            values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), own| (own.min(min), own.max(max)));
        max - min
    }

    /// Amplitude that is left of a wave on a grid of 0.1 mm.
    fn transmitted(wavelength_mm: f64, nesting_index_mm: f64) -> f64 {
        let grid: Vec<Point> =
            (0..40_000).map(|i| Point::new(f64::from(i % 400) * 0.1, f64::from(i / 400) * 0.1, 0.0)).collect();
        let wave = |point: &Point| (std::f64::consts::TAU * point.x / wavelength_mm).cos();
        let waves: Vec<f64> = grid.iter().map(wave).collect();
        let smooth = of_plane(&grid, &waves, nesting_index_mm).distances_mm;
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
        assert!((transmitted(4.0, 4.0) - 0.5).abs() < 0.02);
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
        assert!(of_plane(&grid, &[0.7; 900], 2.5).distances_mm.iter().all(|own| (own - 0.7).abs() < 1e-12));
        assert_eq!(of_plane(&grid[..1], &[0.3], 0.1), Smoothed { distances_mm: vec![0.3], noise_share: 1.0 });
    }

    #[test]
    fn what_is_tilted_stays_to_its_ends_and_edges() {
        // Unevenly spaced, and thinned where it is dense.
        let positions: Vec<f64> = (0..9000).map(|i| 25.0 * (f64::from(i) / 8999.0).powi(2)).collect();
        let line: Vec<f64> = positions.iter().map(|at| 0.3 - 0.02 * at).collect();
        let smooth = smoothed_profile(&positions, &line, 8.0, None).distances_mm;
        assert!(line.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
        let mut random = Random::new(8, 3);
        let grid: Vec<Point> =
            (0..5000).map(|_| Point::new(30.0 * random.uniform(), 20.0 * random.uniform(), 0.0)).collect();
        let plane: Vec<f64> = grid.iter().map(|at| 0.02 * at.x - 0.05 * at.y + 0.4).collect();
        let smooth = of_plane(&grid, &plane, 6.0).distances_mm;
        assert!(plane.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
    }

    #[test]
    fn a_bow_keeps_its_height() {
        // Weighted lines, summed on their own: 0.975 192 at every 0.05 mm, 0.979 214 at every 1 mm, where the means leave
        // 0.810 961 and 0.849 958.
        let bow = |at: f64| 1.0 - 4.0 * (at / 25.0 - 0.5).powi(2);
        let positions: Vec<f64> = (0..=500).map(|i| f64::from(i) * 0.05).collect();
        let before: Vec<f64> = positions.iter().map(|at| bow(*at)).collect();
        let after = smoothed_profile(&positions, &before, 8.0, None).distances_mm;
        assert!((height(&after) - 0.975_192).abs() < 1e-5, "{}", height(&after));
        assert!((after[0] - 0.010_425).abs() < 1e-5 && (after[500] - after[0]).abs() < 1e-9, "{}", after[0]);
        // The same of a sheet that is bent in one direction.
        let grid: Vec<Point> = (0..26 * 26).map(|i| Point::new(f64::from(i % 26), f64::from(i / 26), 0.0)).collect();
        let before: Vec<f64> = grid.iter().map(|at| bow(at.x)).collect();
        let after = of_plane(&grid, &before, 8.0).distances_mm;
        assert!((height(&after) - 0.979_214).abs() < 1e-4, "{}", height(&after));
    }

    #[test]
    fn an_arc_has_ends_where_a_full_circle_has_none() {
        // A third of a revolution, tilted: as far as the ends of an open profile.
        let positions: Vec<f64> = (0..400).map(|i| f64::from(i) * 0.1).collect();
        let line: Vec<f64> = positions.iter().map(|at| 0.01 * at).collect();
        let smooth = smoothed_profile(&positions, &line, 5.0, Some(120.0)).distances_mm;
        assert!(line.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
    }

    #[test]
    fn positions_that_determine_no_slope_leave_the_mean() {
        // Two heights at each end, farther apart than the filter reaches.
        let smooth = smoothed_profile(&[0.0, 0.0, 50.0, 50.0], &[0.1, 0.3, 0.5, 0.9], 8.0, None);
        let wanted = [0.2, 0.2, 0.7, 0.7];
        assert!(smooth.distances_mm.iter().zip(wanted).all(|(own, wanted)| (own - wanted).abs() < 1e-12), "{smooth:?}");
        assert!((smooth.noise_share - 0.5_f64.sqrt()).abs() < 1e-12, "{smooth:?}");
        // A single row of points determines the slope along itself.
        let row: Vec<Point> = (0..100).map(|i| Point::new(0.3 * f64::from(i), 0.1 * f64::from(i), 5.0)).collect();
        let line: Vec<f64> = row.iter().map(|at| 0.02 * at.x).collect();
        let smooth = of_plane(&row, &line, 4.0).distances_mm;
        assert!(line.iter().zip(&smooth).all(|(before, after)| (before - after).abs() < 1e-9));
        // Without a normal the mean is taken.
        let smooth = smoothed(&row, &[Vector::zeros(); 100], &line, 4.0).distances_mm;
        assert!(smooth[0] > 0.001 && (smooth[50] - line[50]).abs() < 1e-9, "{}", smooth[0]);
    }

    #[test]
    fn noise_is_left_as_stated() {
        let mut random = Random::new(8, 2);
        let grid: Vec<Point> =
            (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.2, f64::from(i / 100) * 0.2, 0.0)).collect();
        let noise: Vec<f64> = grid.iter().map(|_| random.normal()).collect();
        let smooth = of_plane(&grid, &noise, 2.0);
        let inner: Vec<f64> = (grid.iter().zip(&smooth.distances_mm))
            .filter(|(point, _)| (2.0..18.0).contains(&point.x) && (2.0..18.0).contains(&point.y))
            .map(|(_, own)| *own)
            .collect();
        let left = (inner.iter().map(|own| own * own).sum::<f64>() / inner.len() as f64).sqrt();
        // A plane through half of the surroundings, at an edge, leaves twice as much.
        assert!((1.8..2.3).contains(&(smooth.noise_share / left)), "{} of {left}", smooth.noise_share);
    }
}
