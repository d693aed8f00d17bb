//! The minimum zone of planes, circles and spheres, exactly.
//!
//! The centre c of a circle or sphere and the normal of a plane are represented alike by d and κ, with c = d / κ; κ = 0
//! makes d a normal. Each point p is assigned the height κ |p|²/2 - p·d, which is linear in d and κ, with |κ p - d|² =
//! 2 κ height + |d|². So the zone width is 2 (maximum height - minimum height) / (R + r), where R and r are the maximum
//! and minimum of |κ p - d|: a convex, piecewise linear function divided by one that is nearly constant. (Lifting to a
//! paraboloid: Brown 1979; that a narrowest ring or shell has one contact more than a plane has parameters: Rivlin
//! 1979, Le and Lee 1991.)
//!
//! In a cell of d and κ the square roots R and r lie below their tangents, so a small linear program over some of the
//! points bounds the width from below, with an error quadratic in the cell size. Its optimum is evaluated next, and the
//! extreme points found there are added to the program. As the contacts are linear in d and κ, the optimal coordinates
//! are themselves the solution of a program and keep all digits.

use super::exchange::{Constraint, LinearProgram, MAX_VARIABLES, Optimum};
use super::passes::extremes;
use super::search::{BoundedFunction, Cell, Homogeneous, search};
use super::{MIN_MULTIPLIER, RELATIVE_TOLERANCE, ROUNDING};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Centres up to this distance, in units of the points' size, are searched by position, others by direction and
/// curvature.
const MAX_CENTRE_DISTANCE: f64 = 2.0;
/// Half sizes of the cells in which the best zone is refined to its contacts.
const REFINEMENT_HALF_SIZES: [f64; 4] = [0.1, 1e-2, 1e-4, 1e-6];

/// The narrowest zone.
pub struct NarrowestZone {
    /// d (for planes the normal, for circles and spheres the centre times κ), and κ; at arbitrary scale.
    pub coordinates: Homogeneous,
    /// Maximum and minimum height.
    pub heights: [f64; 2],
    /// Indices of the points that determine it.
    pub contacts: Vec<usize>,
    /// Whether the search proved that there is no narrower one.
    pub is_proven: bool,
}

/// The narrowest zone of `points`, which are of about unit size about the origin, in the first `dimensions`
/// coordinates. `start` is any zone of the right kind: with κ = 0 for a plane.
pub fn narrowest(
    points: &[Point],
    dimensions: usize,
    start: Homogeneous,
    progress: &Progress,
) -> Result<NarrowestZone> {
    let max_radius = extremes(points, |point| point.coords.norm())[0].0;
    let mut zone_search =
        ZoneSearch { points, max_radius, pool: Vec::new(), best: Best::NONE, tolerance: 0.0, evaluations: 0 };
    zone_search.try_at(start, &[]);
    zone_search.refine(dimensions);
    zone_search.tolerance = RELATIVE_TOLERANCE;
    let is_proven = search(&mut zone_search, &roots(dimensions, start[3] != 0.0), progress)?;
    zone_search.tolerance = 0.0;
    zone_search.refine(dimensions);
    let Best { coordinates, heights, contacts, .. } = zone_search.best;
    Ok(NarrowestZone { coordinates, heights, contacts, is_proven })
}

/// Cells that cover all directions, or all centres.
fn roots(dimensions: usize, is_curved: bool) -> Vec<Cell> {
    let mut roots = Vec::new();
    for k in 0..dimensions {
        for side in [1.0, -1.0] {
            let mut cell = Cell { centre: [0.0; 4], half: [0.0; 4] };
            cell.half[..dimensions].fill(1.0);
            (cell.centre[k], cell.half[k]) = (side, 0.0);
            if is_curved {
                (cell.centre[3], cell.half[3]) = (0.5 / MAX_CENTRE_DISTANCE, 0.5 / MAX_CENTRE_DISTANCE);
            } else if side < 0.0 {
                continue;
            }
            roots.push(cell);
        }
    }
    if is_curved {
        let mut half = [0.0; 4];
        half[..dimensions].fill(MAX_CENTRE_DISTANCE);
        roots.push(Cell { centre: [0.0, 0.0, 0.0, 1.0], half });
    }
    roots
}

/// The height κ |p|²/2 - p·d of a point.
fn height(coordinates: &Homogeneous, point: &Point) -> f64 {
    let p = &point.coords;
    0.5 * coordinates[3] * p.norm_squared() - (p.x * coordinates[0] + p.y * coordinates[1] + p.z * coordinates[2])
}

fn direction(coordinates: &Homogeneous) -> Vector {
    Vector::new(coordinates[0], coordinates[1], coordinates[2])
}

/// |κ p - d| of a point with that height.
pub fn scaled_distance(coordinates: &Homogeneous, height: f64) -> f64 {
    (2.0 * coordinates[3] * height + direction(coordinates).norm_squared()).max(0.0).sqrt()
}

/// Width of a zone from its maximum and minimum height.
fn width(coordinates: &Homogeneous, [high, low]: [f64; 2]) -> f64 {
    2.0 * (high - low) / (scaled_distance(coordinates, high) + scaled_distance(coordinates, low))
}

struct Best {
    coordinates: Homogeneous,
    heights: [f64; 2],
    width: f64,
    contacts: Vec<usize>,
}

impl Best {
    const NONE: Self = Self { coordinates: [0.0; 4], heights: [0.0; 2], width: f64::INFINITY, contacts: Vec::new() };
}

struct ZoneSearch<'a> {
    points: &'a [Point],
    /// Maximum distance of the points from the origin.
    max_radius: f64,
    /// Indices of the points that were extreme for some zone.
    pool: Vec<usize>,
    best: Best,
    /// Relative improvement of the width that is considered irrelevant.
    tolerance: f64,
    evaluations: usize,
}

impl ZoneSearch<'_> {
    fn heights_of_pool(&self, coordinates: &Homogeneous) -> [f64; 2] {
        let heights = self.pool.iter().map(|&index| height(coordinates, &self.points[index]));
        let ends = heights.fold([f64::NEG_INFINITY, f64::INFINITY], |[high, low], h| [high.max(h), low.min(h)]);
        if self.pool.is_empty() { [0.0; 2] } else { ends }
    }

    /// Evaluates a zone on all points. Returns whether that changed anything.
    fn try_at(&mut self, coordinates: Homogeneous, contacts: &[usize]) -> bool {
        self.evaluations += self.points.len();
        let ends = extremes(self.points, |point| height(&coordinates, point));
        let heights = ends.map(|end| end.0);
        let width = width(&coordinates, heights);
        let is_better = width < self.best.width;
        if is_better {
            self.best = Best { coordinates, heights, width, contacts: contacts.to_vec() };
        }
        let before = self.pool.len();
        for (_, index) in ends {
            if !self.pool.contains(&index) {
                self.pool.push(index);
            }
        }
        is_better || self.pool.len() > before
    }

    /// Refines the best zone to its contacts.
    fn refine(&mut self, dimensions: usize) {
        for half_size in REFINEMENT_HALF_SIZES {
            // The largest coordinate is fixed, since the scale is arbitrary.
            let coordinates = self.best.coordinates;
            let is_curved = coordinates[3] != 0.0;
            let fixed =
                (0..4).fold(0, |fixed, j| if coordinates[j].abs() > coordinates[fixed].abs() { j } else { fixed });
            let centre = coordinates.map(|value| value / coordinates[fixed].abs());
            let mut half = [0.0; 4];
            half[..dimensions].fill(half_size);
            if is_curved {
                half[3] = half_size.min(centre[3]);
            }
            half[fixed] = 0.0;
            self.lower_bound(&Cell { centre, half });
        }
    }

    /// A lower bound of the width in a cell from the points of the pool, with the coordinates and contacts of the
    /// program's optimum; `None` if nothing in the cell can be as narrow as the best.
    fn relaxed(&mut self, cell: &Cell) -> Option<(f64, Homogeneous, Vec<usize>)> {
        let (centre, half, best) = (&cell.centre, &cell.half, self.best.width);
        let [high, low] = self.heights_of_pool(centre);
        // Variation of the heights, and of |κ p - d|, within the cell.
        let sideways = direction(half).norm();
        let height_variation = self.max_radius * (0.5 * half[3] * self.max_radius + sideways);
        let distance_variation = half[3] * self.max_radius + sideways;
        // For anything as narrow as the best, R + r is bounded, since R - r is κ times the width; and both heights are
        // within a limited range of those at the centre.
        let largest = 2.0 * (scaled_distance(centre, low) + distance_variation) + (centre[3] + half[3]) * best;
        let within = (low - high + height_variation + 0.5 * best * largest).max(height_variation);
        if low - high + 2.0 * height_variation + 0.5 * best * largest < 0.0 {
            return None;
        }
        let free: Vec<usize> = cell.free().collect();
        let (outer, inner) = (free.len(), free.len() + 1);
        let mut program = LinearProgram {
            count: inner + 1,
            cost: [0.0; MAX_VARIABLES],
            min: [-1.0; MAX_VARIABLES],
            max: [1.0; MAX_VARIABLES],
        };
        for (side, variable) in [(1.0, outer), (-1.0, inner)] {
            program.cost[variable] = side;
            (program.min[variable], program.max[variable]) = (-within, within);
        }
        // Lower bound of (high - low) - best / 2 (R + r), with R and r replaced by their tangents at the centre; `rest`
        // is the constant part.
        let mut rest = high - low;
        let squared_variation = sideways * sideways + 2.0 * half[3] * within;
        for (height, variable) in [(high, outer), (low, inner)] {
            let at_centre = scaled_distance(centre, height);
            let tangent = at_centre.max(distance_variation).max(f64::MIN_POSITIVE);
            let factor = 0.5 * best / (2.0 * tangent);
            rest -= factor * (at_centre * at_centre + tangent * tangent + squared_variation);
            program.cost[variable] -= factor * 2.0 * centre[3];
            for (variable, &j) in free.iter().enumerate() {
                let by = if j == 3 { 2.0 * height } else { 2.0 * centre[j] };
                program.cost[variable] -= factor * by * half[j];
            }
        }
        let slopes: Vec<(f64, [f64; 3])> = self.pool.iter().map(|&index| self.slope(index, cell, &free)).collect();
        let sufficient = -rest;
        let mut new_evaluations = 0;
        let optimum = program.solve(|at, value| {
            if value >= sufficient {
                return None;
            }
            new_evaluations += slopes.len();
            let (mut largest, mut row) = (4.0 * f64::EPSILON, None);
            for (slot, (height, by)) in slopes.iter().enumerate() {
                let height_there = height + (0..free.len()).map(|j| by[j] * at[j]).sum::<f64>();
                for (side, variable, end) in [(1.0, outer, high), (-1.0, inner, low)] {
                    let beyond = side * (height_there - end - at[variable]);
                    if beyond > largest {
                        (largest, row) = (beyond, Some((slot, side, variable, end)));
                    }
                }
            }
            let (slot, side, variable, end) = row?;
            let (height, slope) = slopes[slot];
            let mut coefficients = [0.0; MAX_VARIABLES];
            (0..free.len()).for_each(|j| coefficients[j] = -side * slope[j]);
            coefficients[variable] = side;
            Some(Constraint { coefficients, bound: side * (height - end), label: self.pool[slot] })
        });
        self.evaluations += new_evaluations;
        let optimum = optimum?;
        Some(self.interpret(cell, &free, &optimum, optimum.value + rest, distance_variation))
    }

    /// Height of a point at the cell's centre, and its change over the half widths of the free coordinates.
    fn slope(&self, index: usize, cell: &Cell, free: &[usize]) -> (f64, [f64; 3]) {
        let p = &self.points[index].coords;
        let mut by = [0.0; 3];
        for (by, &j) in by.iter_mut().zip(free) {
            *by = cell.half[j] * if j == 3 { 0.5 * p.norm_squared() } else { -p[j] };
        }
        (height(&cell.centre, &self.points[index]), by)
    }

    fn interpret(
        &self,
        cell: &Cell,
        free: &[usize],
        optimum: &Optimum,
        excess: f64,
        distance_variation: f64,
    ) -> (f64, Homogeneous, Vec<usize>) {
        let mut coordinates = cell.centre;
        for (variable, &j) in free.iter().enumerate() {
            coordinates[j] += cell.half[j] * optimum.at[variable];
        }
        let min_scaled_distance =
            scaled_distance(&cell.centre, self.heights_of_pool(&cell.centre)[0]) - distance_variation;
        let bound = if excess >= 0.0 {
            self.best.width
        } else {
            self.best.width + 2.0 * excess / min_scaled_distance.max(1e-300)
        };
        let active = optimum.active.iter().filter(|(_, multiplier)| *multiplier > MIN_MULTIPLIER);
        (bound, coordinates, active.map(|contact| contact.0).collect())
    }
}

impl BoundedFunction for ZoneSearch<'_> {
    fn lower_bound(&mut self, cell: &Cell) -> f64 {
        loop {
            let Some((bound, coordinates, contacts)) = self.relaxed(cell) else { return f64::INFINITY };
            let predicted = width(&coordinates, self.heights_of_pool(&coordinates));
            let is_done = bound >= self.threshold() || predicted >= self.threshold() || self.is_exhausted();
            if is_done || !self.try_at(coordinates, &contacts) {
                return bound;
            }
        }
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }

    fn threshold(&self) -> f64 {
        self.best.width * (1.0 - self.tolerance) - if self.tolerance > 0.0 { ROUNDING } else { 0.0 }
    }
}
