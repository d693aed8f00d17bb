//! Gaussian filters on scattered points, of a surface (areal, ISO 16610-61) and of a profile (ISO 16610-21): wavelengths
//! below the nesting index are smoothed away.
//!
//! Both weigh by what was measured, area or length, not by points: where these stand close together they count for no
//! more. Scattered points of a surface count by the area of their Voronoi cells (`cells`); a profile is first drawn as a
//! spline through its points, finer than the filter smooths, and the spline is filtered (`spline`). So half of a wave of
//! the nesting index is left whatever the density of the points, and at 8 points per wave as well, in a profile; on a
//! surface of 8 by 8 points per square wave, scattered at random, 0.51.
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
//! wave of the nesting index, where the mean leaves 0.51, so that form with short waves at its ends comes out larger. Which
//! points lie at an end or an edge is told ([`Smoothed::is_at_edge`]). A parabola would keep all of the bow, but inside
//! 0.85 of a wave of the nesting index too.

mod cells;
mod spline;
#[cfg(test)]
mod tests;

use geometry::draw;
use geometry::transform::perpendicular_axes;
use geometry::{KdTree, Point, Vector};
use nalgebra::{Matrix2, Vector2};
use rayon::prelude::*;

/// The constant α of the Gaussian weighting function, √(ln 2 / π): half of the amplitude is transmitted at the nesting
/// index.
const ALPHA: f64 = 0.469_718_639_319_144_4;
/// Number of neighbours within the nesting index that suffices, also at an edge, where more of the noise is left.
const ENOUGH_NEIGHBOURS: usize = 1600;
/// Number of points by whose neighbours the density is estimated.
const DENSITY_SAMPLES: usize = 64;
/// Smallest weighted variance of positions that determines a slope, as a share of the squared nesting index: a fortieth of
/// that at an end. Along less, such as across a single ring of points, the mean is taken.
const MIN_SPREAD: f64 = 3e-4;

/// Points by whose noise the share that is left is stated: nearly the largest, which is left near edges.
const NOISE_QUANTILE: f64 = 0.99;

/// Share of the filter's weight that is missing at an edge.
const MIN_MISSING_AT_EDGE: f64 = 0.2;

/// Smoothed distances.
#[derive(Clone, Debug, PartialEq)]
pub struct Smoothed {
    /// Distances of the points from the fitted shape, mm.
    pub distances_mm: Vec<f64>,
    /// Whether each point lies at an end, an edge or a gap, where the filter has less of its surroundings on one side and
    /// leaves more of short waves.
    pub is_at_edge: Vec<bool>,
    /// Share that is left of noise that is independent from point to point.
    pub noise_share: f64,
}

/// Smooths the distances of `points` from a fitted shape, one per point. `normals` are those of the shape at the points:
/// unit vectors, or zero where it has none, and the mean is taken.
pub fn smoothed(points: &[Point], normals: &[Vector], distances_mm: &[f64], nesting_index_mm: f64) -> Smoothed {
    let all = KdTree::new(points);
    let mut most = 0;
    for index in draw::sample(points, DENSITY_SAMPLES) {
        let mut count = 0;
        all.within_radius(&points[index as usize], nesting_index_mm, |_| count += 1);
        most = most.max(count);
    }
    // Of dense points some, drawn at random, say as much.
    let mut chosen = draw::sample(points, points.len() / (most / ENOUGH_NEIGHBOURS).max(1));
    chosen.sort_unstable();
    let sources: Vec<Point> = chosen.iter().map(|&index| points[index as usize]).collect();
    let tree = if sources.len() == points.len() { all } else { KdTree::new(&sources) };
    let tangents_at = |normal: &Vector| {
        if normal.norm_squared() > 0.0 { perpendicular_axes(normal) } else { [Vector::zeros(), Vector::zeros()] }
    };
    let of_source = |own: (usize, &u32)| cells::area_mm2(&tree, &sources, own.0, &normals[*own.1 as usize]);
    let areas_mm2: Vec<f64> = chosen.par_iter().enumerate().map(of_source).collect();
    let whole_mm2 = (ALPHA * nesting_index_mm).powi(2);
    let regression = |((point, normal), own): ((&Point, &Vector), &f64)| {
        let tangents = tangents_at(normal);
        let mut local = Regression::default();
        tree.within_radius(point, nesting_index_mm, |near| {
            let (source, index) = (near.number as usize, chosen[near.number as usize] as usize);
            let offset = points[index] - point;
            let at = Vector2::new(offset.dot(&tangents[0]), offset.dot(&tangents[1]));
            let weight = areas_mm2[source] * weight(near.squared_mm2, nesting_index_mm);
            local.add(at, distances_mm[index] - own, weight);
        });
        let is_at_edge = local.weights.zeroth < (1.0 - MIN_MISSING_AT_EDGE) * whole_mm2;
        let (value, share) = local.value(*own, nesting_index_mm);
        (value, (share, is_at_edge))
    };
    let (distances_mm, rest): (Vec<f64>, (Vec<f64>, Vec<bool>)) =
        points.par_iter().zip(normals).zip(distances_mm).map(regression).unzip();
    Smoothed::of(distances_mm, rest.0, rest.1)
}

/// Smooths the distances of the points of a profile from a fitted shape, one per point; `positions_mm` are those along
/// the profile. A closed profile repeats after `period_mm`, within which all positions must lie; its nesting index must
/// not be longer. It has ends where it was not measured over more than a wave of the nesting index.
pub fn smoothed_profile(
    positions_mm: &[f64],
    distances_mm: &[f64],
    nesting_index_mm: f64,
    period_mm: Option<f64>,
) -> Smoothed {
    let once: Vec<(f64, f64)> = positions_mm.iter().copied().zip(distances_mm.iter().copied()).collect();
    let profile = spline::Profile::through(once, nesting_index_mm, period_mm);
    let at = |position_mm: &f64| profile.smoothed_at(*position_mm);
    let distances_mm = positions_mm.par_iter().map(at).collect();
    let is_at_edge = positions_mm.par_iter().map(|position_mm| profile.is_at_end(*position_mm)).collect();
    Smoothed { distances_mm, is_at_edge, noise_share: profile.noise_share(positions_mm) }
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
        let lever = self.lever(nesting_index_mm);
        let value = mean - lever.dot(&(self.values_by_position / total - centre * mean));
        // The weight of each value is w (1 + lever · centre - lever · position) / total.
        let constant = 1.0 + lever.dot(&centre);
        let squares = constant * constant * self.squares.zeroth - 2.0 * constant * lever.dot(&self.squares.first)
            + lever.dot(&(self.squares.second * lever));
        (own + value, squares.max(0.0).sqrt() / total)
    }
}

impl Regression {
    fn lever(&self, nesting_index_mm: f64) -> Vector2<f64> {
        let centre = self.weights.first / self.weights.zeroth;
        let spread = self.weights.second / self.weights.zeroth - centre * centre.transpose();
        lever(&spread, &centre, MIN_SPREAD * nesting_index_mm.powi(2))
    }

    /// The share of a value at an offset along the first coordinate, per weight: the first less the second times the
    /// offset.
    fn factors(&self, nesting_index_mm: f64) -> [f64; 2] {
        let (total, lever) = (self.weights.zeroth, self.lever(nesting_index_mm));
        [(1.0 + lever.dot(&self.weights.first) / total) / total, lever.x / total]
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
    /// From the smoothed distances, the share of noise that is left of each, and whether each is at an edge.
    fn of(distances_mm: Vec<f64>, shares: Vec<f64>, is_at_edge: Vec<bool>) -> Self {
        Self { distances_mm, is_at_edge, noise_share: nearly_largest(shares) }
    }
}

/// Nearly the largest of some shares; 1 of none.
fn nearly_largest(mut shares: Vec<f64>) -> f64 {
    let index = (NOISE_QUANTILE * shares.len() as f64) as usize;
    if shares.is_empty() { 1.0 } else { *shares.select_nth_unstable_by(index, f64::total_cmp).1 }
}
