//! The minimum zone of planes, circles and spheres, exactly.
//!
//! A centre c and the plane's normal have one language: d and κ, with c = d / κ, where κ = 0 makes d a normal. To each
//! point p belongs the height κ |p|²/2 - p·d, linear in d and κ, and |κ p - d|² = 2 κ height + |d|². So the zone's
//! width is 2 (greatest height - least height) / (R + r), where R and r are the greatest and least |κ p - d|: a
//! convex, piecewise linear function over one that is nearly constant. (Lifting to a paraboloid: Brown 1979; that a
//! narrowest ring or shell has one contact more than a plane has parameters: Rivlin 1979, Le and Lee 1991.)
//!
//! In a cell of d and κ the roots that R and r are lie below their tangents, so a small linear program over some of the
//! points bounds the width from below, and errs by the square of the cell's size only. Its answer names the next place
//! to look at, and the points found there join the program. As the contacts are linear in d and κ, the best place is
//! itself the answer of a program and keeps all digits.

use super::exchange::{Answer, Program, Row, VARIABLES};
use super::passes::extremes;
use super::search::{Cell, Landscape, Place, search};
use super::{HOLDS, ROUNDING, TELLS};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Centres up to this far, in sizes of the points, are searched by their place, others by direction and curvature.
const NEAR: f64 = 2.0;
/// Half sizes of the cells in which the best place is followed to its contacts.
const FOLLOWED: [f64; 4] = [0.1, 1e-2, 1e-4, 1e-6];

/// The narrowest zone.
pub struct Narrowest {
    /// d (of planes the normal, of circles and spheres the centre times κ), and κ; in any scale.
    pub place: Place,
    /// Greatest and least height there.
    pub heights: [f64; 2],
    /// Numbers of the points that hold it.
    pub contacts: Vec<usize>,
    /// Whether the search showed that there is no narrower one.
    pub is_least: bool,
}

/// Of `points` of size about one about the origin, in the first `dimensions` coordinates. `start` is any zone of the
/// right kind: of κ = 0 for a plane.
pub fn narrowest(points: &[Point], dimensions: usize, start: Place, progress: &Progress) -> Result<Narrowest> {
    let reach = extremes(points, |point| point.coords.norm())[0].0;
    let mut zones = Zones { points, reach, pool: Vec::new(), best: Best::NONE, tells: 0.0, effort: 0 };
    zones.try_at(start, &[]);
    zones.follow(dimensions);
    zones.tells = TELLS;
    let is_least = search(&mut zones, &roots(dimensions, start[3] != 0.0), progress)?;
    zones.tells = 0.0;
    zones.follow(dimensions);
    let Best { place, heights, contacts, .. } = zones.best;
    Ok(Narrowest { place, heights, contacts, is_least })
}

/// All directions, or all centres.
fn roots(dimensions: usize, is_curved: bool) -> Vec<Cell> {
    let mut roots = Vec::new();
    for k in 0..dimensions {
        for side in [1.0, -1.0] {
            let mut cell = Cell { centre: [0.0; 4], half: [0.0; 4] };
            cell.half[..dimensions].fill(1.0);
            (cell.centre[k], cell.half[k]) = (side, 0.0);
            if is_curved {
                (cell.centre[3], cell.half[3]) = (0.5 / NEAR, 0.5 / NEAR);
            } else if side < 0.0 {
                continue;
            }
            roots.push(cell);
        }
    }
    if is_curved {
        let mut half = [0.0; 4];
        half[..dimensions].fill(NEAR);
        roots.push(Cell { centre: [0.0, 0.0, 0.0, 1.0], half });
    }
    roots
}

/// See the module.
fn height(place: &Place, point: &Point) -> f64 {
    let p = &point.coords;
    0.5 * place[3] * p.norm_squared() - (p.x * place[0] + p.y * place[1] + p.z * place[2])
}

fn direction(place: &Place) -> Vector {
    Vector::new(place[0], place[1], place[2])
}

/// |κ p - d| of a point of that height.
pub fn away(place: &Place, height: f64) -> f64 {
    (2.0 * place[3] * height + direction(place).norm_squared()).max(0.0).sqrt()
}

/// Width of the zone at a place.
fn width(place: &Place, [high, low]: [f64; 2]) -> f64 {
    2.0 * (high - low) / (away(place, high) + away(place, low))
}

struct Best {
    place: Place,
    heights: [f64; 2],
    width: f64,
    contacts: Vec<usize>,
}

impl Best {
    const NONE: Self = Self { place: [0.0; 4], heights: [0.0; 2], width: f64::INFINITY, contacts: Vec::new() };
}

struct Zones<'a> {
    points: &'a [Point],
    /// Greatest distance from the origin.
    reach: f64,
    /// Numbers of the points that were extreme somewhere.
    pool: Vec<usize>,
    best: Best,
    /// Relative to the width, what is not worth finding.
    tells: f64,
    effort: usize,
}

impl Zones<'_> {
    fn heights_of_pool(&self, place: &Place) -> [f64; 2] {
        let heights = self.pool.iter().map(|&number| height(place, &self.points[number]));
        let ends = heights.fold([f64::NEG_INFINITY, f64::INFINITY], |[high, low], h| [high.max(h), low.min(h)]);
        if self.pool.is_empty() { [0.0; 2] } else { ends }
    }

    /// Measures a place on all points. Returns whether that was of any use.
    fn try_at(&mut self, place: Place, contacts: &[usize]) -> bool {
        self.effort += self.points.len();
        let ends = extremes(self.points, |point| height(&place, point));
        let heights = ends.map(|end| end.0);
        let width = width(&place, heights);
        let is_better = width < self.best.width;
        if is_better {
            self.best = Best { place, heights, width, contacts: contacts.to_vec() };
        }
        let before = self.pool.len();
        for (_, number) in ends {
            if !self.pool.contains(&number) {
                self.pool.push(number);
            }
        }
        is_better || self.pool.len() > before
    }

    /// From the best place down to the contacts near it.
    fn follow(&mut self, dimensions: usize) {
        for half_size in FOLLOWED {
            // The greatest coordinate stands still; a zone stays what it is in any scale.
            let place = self.best.place;
            let is_curved = place[3] != 0.0;
            let fixed = (0..4).fold(0, |fixed, j| if place[j].abs() > place[fixed].abs() { j } else { fixed });
            let centre = place.map(|value| value / place[fixed].abs());
            let mut half = [0.0; 4];
            half[..dimensions].fill(half_size);
            if is_curved {
                half[3] = half_size.min(centre[3]);
            }
            half[fixed] = 0.0;
            self.examine(&Cell { centre, half });
        }
    }

    /// A lower bound of the width in a cell from the points of the pool, and the program's answer; `None` where nothing
    /// there is as narrow as the best.
    fn relaxed(&mut self, cell: &Cell) -> Option<(f64, Place, Vec<usize>)> {
        let (centre, half, best) = (&cell.centre, &cell.half, self.best.width);
        let [high, low] = self.heights_of_pool(centre);
        // By how much heights, and the places κ p - d, differ within the cell.
        let sideways = direction(half).norm();
        let by_height = self.reach * (0.5 * half[3] * self.reach + sideways);
        let by_place = half[3] * self.reach + sideways;
        // What is as narrow as the best has R + r at most so large, since R - r is κ times the width; and keeps both
        // heights within so much of those at the centre.
        let most = 2.0 * (away(centre, low) + by_place) + (centre[3] + half[3]) * best;
        let within = (low - high + by_height + 0.5 * best * most).max(by_height);
        if low - high + 2.0 * by_height + 0.5 * best * most < 0.0 {
            return None;
        }
        let free: Vec<usize> = cell.free().collect();
        let (outer, inner) = (free.len(), free.len() + 1);
        let mut program =
            Program { count: inner + 1, cost: [0.0; VARIABLES], low: [-1.0; VARIABLES], high: [1.0; VARIABLES] };
        for (side, variable) in [(1.0, outer), (-1.0, inner)] {
            program.cost[variable] = side;
            (program.low[variable], program.high[variable]) = (-within, within);
        }
        // Of (high - low) - best / 2 (R + r), R and r by their tangents at the centre; `rest` is what does not vary.
        let mut rest = high - low;
        let square = sideways * sideways + 2.0 * half[3] * within;
        for (height, variable) in [(high, outer), (low, inner)] {
            let at_centre = away(centre, height);
            let tangent = at_centre.max(by_place).max(f64::MIN_POSITIVE);
            let factor = 0.5 * best / (2.0 * tangent);
            rest -= factor * (at_centre * at_centre + tangent * tangent + square);
            program.cost[variable] -= factor * 2.0 * centre[3];
            for (variable, &j) in free.iter().enumerate() {
                let by = if j == 3 { 2.0 * height } else { 2.0 * centre[j] };
                program.cost[variable] -= factor * by * half[j];
            }
        }
        let slopes: Vec<(f64, [f64; 3])> = self.pool.iter().map(|&number| self.slope(number, cell, &free)).collect();
        let enough = -rest;
        let mut looks = 0;
        let answer = program.solve(|at, value| {
            if value >= enough {
                return None;
            }
            looks += slopes.len();
            let (mut most, mut row) = (4.0 * f64::EPSILON, None);
            for (slot, (height, by)) in slopes.iter().enumerate() {
                let height_there = height + (0..free.len()).map(|j| by[j] * at[j]).sum::<f64>();
                for (side, variable, end) in [(1.0, outer, high), (-1.0, inner, low)] {
                    let beyond = side * (height_there - end - at[variable]);
                    if beyond > most {
                        (most, row) = (beyond, Some((slot, side, variable, end)));
                    }
                }
            }
            let (slot, side, variable, end) = row?;
            let (height, slope) = slopes[slot];
            let mut by = [0.0; VARIABLES];
            (0..free.len()).for_each(|j| by[j] = -side * slope[j]);
            by[variable] = side;
            Some(Row { by, least: side * (height - end), number: self.pool[slot] })
        });
        self.effort += looks;
        let answer = answer?;
        Some(self.read(cell, &free, &answer, answer.value + rest, by_place))
    }

    /// Height of a point at the cell's centre, and how it varies over the half widths of the free coordinates.
    fn slope(&self, number: usize, cell: &Cell, free: &[usize]) -> (f64, [f64; 3]) {
        let p = &self.points[number].coords;
        let mut by = [0.0; 3];
        for (by, &j) in by.iter_mut().zip(free) {
            *by = cell.half[j] * if j == 3 { 0.5 * p.norm_squared() } else { -p[j] };
        }
        (height(&cell.centre, &self.points[number]), by)
    }

    fn read(
        &self,
        cell: &Cell,
        free: &[usize],
        answer: &Answer,
        excess: f64,
        by_place: f64,
    ) -> (f64, Place, Vec<usize>) {
        let mut place = cell.centre;
        for (variable, &j) in free.iter().enumerate() {
            place[j] += cell.half[j] * answer.at[variable];
        }
        let least = away(&cell.centre, self.heights_of_pool(&cell.centre)[0]) - by_place;
        let bound = if excess >= 0.0 { self.best.width } else { self.best.width + 2.0 * excess / least.max(1e-300) };
        let held = answer.held.iter().filter(|(_, multiplier)| *multiplier > HOLDS);
        (bound, place, held.map(|held| held.0).collect())
    }
}

impl Landscape for Zones<'_> {
    fn examine(&mut self, cell: &Cell) -> f64 {
        loop {
            let Some((bound, place, contacts)) = self.relaxed(cell) else { return f64::INFINITY };
            let promised = width(&place, self.heights_of_pool(&place));
            let is_done = bound >= self.enough() || promised >= self.enough() || self.is_tired();
            if is_done || !self.try_at(place, &contacts) {
                return bound;
            }
        }
    }

    fn effort(&self) -> usize {
        self.effort
    }

    fn enough(&self) -> f64 {
        self.best.width * (1.0 - self.tells) - if self.tells > 0.0 { ROUNDING } else { 0.0 }
    }
}
