//! The largest circle or sphere that contains no point, with its centre within the convex hull of the points, exactly.
//!
//! About a point c, |p - c - x|² is the sum of |p - c|² - 2 (p - c)·x and |x|²: the minimum of the first over all
//! points is concave in x, so a small linear program bounds it from above in a cell, and the second gives an error
//! quadratic in the cell size. The hull is added by supporting planes whenever a centre is found beyond it. This is the
//! largest empty circle (Toussaint, "Computing largest empty circles with location constraints", 1983); what ISO calls
//! the maximum inscribed one is not specified further if it is not unique.

use super::ROUNDING;
use super::exchange::{Constraint, LinearProgram, MAX_VARIABLES};
use super::passes::extremes;
use super::search::{BoundedFunction, Cell, search};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Indices of points and their multipliers.
type Multipliers = Vec<(usize, f64)>;

/// Upper bound of squared distances between points of about unit size.
const MAX_SQUARED_DISTANCE: f64 = 100.0;
/// Difference of radii that is considered irrelevant, in units of the points' size.
const RADIUS_TOLERANCE: f64 = 1e-13;
/// Distance beyond the hull that is tolerated for a centre, in units of the points' size.
const HULL_TOLERANCE: f64 = 1e-12;
/// First label of constraints of the hull.
const FIRST_HULL_LABEL: usize = 1 << 40;
/// Half sizes of the cells in which the best centre is refined to its contacts.
const REFINEMENT_HALF_SIZES: [f64; 3] = [1e-2, 1e-4, 1e-6];

/// The largest empty ball.
pub struct Inscribed {
    pub centre: Point,
    pub radius: f64,
    /// Indices of the points that determine it.
    pub contacts: Vec<usize>,
    /// Whether the search proved that there is no larger one.
    pub is_proven: bool,
    /// Whether its contacts surround it. If not, it is limited by the hull only.
    pub is_surrounded: bool,
}

/// The largest empty ball in the first `dimensions` coordinates of `points`, which are of about unit size about the
/// origin; `start` is a likely centre. `None` if there is no empty ball.
pub fn largest(points: &[Point], dimensions: usize, start: Point, progress: &Progress) -> Result<Option<Inscribed>> {
    let mut inscribed =
        InscribedSearch { points, dimensions, pool: Vec::new(), hull: Vec::new(), best: None, evaluations: 0 };
    if inscribed.beyond_hull(&start).is_none() {
        inscribed.try_at(start, Vec::new());
    }
    let mut root = Cell { centre: [0.0; 4], half: [0.0; 4] };
    for k in 0..dimensions {
        let [high, low] = extremes(points, |point| point[k]).map(|end| end.0);
        (root.centre[k], root.half[k]) = (0.5 * (high + low), (0.5 * (high - low)).max(ROUNDING));
    }
    let is_proven = search(&mut inscribed, &[root], progress)?;
    for half_size in REFINEMENT_HALF_SIZES {
        let Some(best) = &inscribed.best else { return Ok(None) };
        let c = best.centre;
        let mut cell = Cell { centre: [c.x, c.y, c.z, 0.0], half: [0.0; 4] };
        cell.half[..dimensions].fill(half_size);
        inscribed.lower_bound(&cell);
        let active = inscribed.relaxed(&cell).map(|relaxed| relaxed.2);
        if let (Some(contacts), Some(best)) = (active, &mut inscribed.best) {
            best.contacts = contacts;
        }
    }
    let Some(Best { centre, radius, contacts }) = inscribed.best else { return Ok(None) };
    // For contacts in equilibrium the weighted sum of directions vanishes.
    let resultant: Vector = contacts.iter().map(|&(index, multiplier)| (points[index] - centre) * multiplier).sum();
    let contacts = contacts.into_iter().map(|contact| contact.0).collect();
    Ok(Some(Inscribed { centre, radius, contacts, is_proven, is_surrounded: resultant.norm() < 1e-6 * radius }))
}

struct Best {
    centre: Point,
    radius: f64,
    /// Indices of points and their multipliers, which sum to one.
    contacts: Vec<(usize, f64)>,
}

struct InscribedSearch<'a> {
    points: &'a [Point],
    dimensions: usize,
    /// Indices of the points that were closest to some centre.
    pool: Vec<usize>,
    /// Half spaces that contain the hull: normal and upper bound of the height.
    hull: Vec<(Vector, f64)>,
    best: Option<Best>,
    evaluations: usize,
}

impl InscribedSearch<'_> {
    fn radius(&self) -> f64 {
        self.best.as_ref().map_or(0.0, |best| best.radius)
    }

    /// Evaluates a centre on all points. Returns whether that changed anything.
    fn try_at(&mut self, centre: Point, contacts: Vec<(usize, f64)>) -> bool {
        self.evaluations += self.points.len();
        let (radius, nearest) = extremes(self.points, |point| (point - centre).norm())[1];
        let is_new = !self.pool.contains(&nearest);
        if is_new {
            self.pool.push(nearest);
        }
        if radius <= self.radius() {
            return is_new;
        }
        if let Some(plane) = self.beyond_hull(&centre) {
            self.hull.push(plane);
        } else {
            self.best = Some(Best { centre, radius, contacts });
        }
        true
    }

    /// A half space that contains the hull but not `position`; `None` if the hull contains it.
    fn beyond_hull(&mut self, position: &Point) -> Option<(Vector, f64)> {
        // The direction n, each component at most 1 in absolute value, in which the position is farthest beyond all
        // points.
        let height = self.dimensions;
        let mut program = LinearProgram {
            count: height + 1,
            cost: [0.0; MAX_VARIABLES],
            min: [-1.0; MAX_VARIABLES],
            max: [1.0; MAX_VARIABLES],
        };
        program.cost[height] = -1.0;
        (program.min[height], program.max[height]) = (-MAX_SQUARED_DISTANCE, MAX_SQUARED_DISTANCE);
        let normal = |at: &[f64; MAX_VARIABLES]| Vector::from_fn(|k, _| if k < height { at[k] } else { 0.0 });
        let mut new_evaluations = 0;
        let optimum = program.solve(|at, _| {
            new_evaluations += self.points.len();
            let normal = normal(at);
            let (top, label) = extremes(self.points, |point| (point - position).dot(&normal))[0];
            let offset = position - self.points[label];
            let mut coefficients = [0.0; MAX_VARIABLES];
            coefficients[..height].copy_from_slice(&offset.as_slice()[..height]);
            coefficients[height] = -1.0;
            (at[height] > ROUNDING && at[height] > -top + ROUNDING).then_some(Constraint {
                coefficients,
                bound: 0.0,
                label,
            })
        });
        self.evaluations += new_evaluations;
        let optimum = optimum?;
        let normal = normal(&optimum.at);
        let top = extremes(self.points, |point| point.coords.dot(&normal))[0].0;
        (position.coords.dot(&normal) - top > HULL_TOLERANCE).then_some((normal, top))
    }

    /// An upper bound of the radius in a cell from the points of the pool, with the centre and the multipliers of the
    /// program's optimum; `None` if no centre in the cell lies within the hull.
    fn relaxed(&mut self, cell: &Cell) -> Option<(f64, Point, Multipliers)> {
        let centre = Point::new(cell.centre[0], cell.centre[1], cell.centre[2]);
        let squared_radius = self.dimensions;
        let mut program = LinearProgram {
            count: squared_radius + 1,
            cost: [0.0; MAX_VARIABLES],
            min: [-1.0; MAX_VARIABLES],
            max: [1.0; MAX_VARIABLES],
        };
        program.cost[squared_radius] = -1.0;
        (program.min[squared_radius], program.max[squared_radius]) = (-MAX_SQUARED_DISTANCE, MAX_SQUARED_DISTANCE);
        let scaled = |slope: &Vector, of_squared_radius: f64, bound: f64, label: usize| {
            let mut coefficients = [0.0; MAX_VARIABLES];
            (0..squared_radius).for_each(|k| coefficients[k] = slope[k] * cell.half[k]);
            coefficients[squared_radius] = of_squared_radius;
            Constraint { coefficients, bound, label }
        };
        let of_point = |&index: &usize| {
            let offset = self.points[index] - centre;
            scaled(&(offset * -2.0), -1.0, -offset.norm_squared(), index)
        };
        let of_plane = |(index, (normal, height)): (usize, &(Vector, f64))| {
            scaled(&-normal, 0.0, normal.dot(&centre.coords) - height, FIRST_HULL_LABEL + index)
        };
        let rows: Vec<Constraint> =
            self.pool.iter().map(of_point).chain(self.hull.iter().enumerate().map(of_plane)).collect();
        let mut new_evaluations = 0;
        let optimum = program.solve(|at, _| {
            new_evaluations += rows.len();
            let violation =
                |row: &Constraint| row.bound - (0..=squared_radius).map(|k| row.coefficients[k] * at[k]).sum::<f64>();
            let worst = rows.iter().map(|row| (violation(row), row)).max_by(|a, b| a.0.total_cmp(&b.0))?;
            (worst.0 > ROUNDING).then_some(*worst.1)
        });
        self.evaluations += new_evaluations;
        let optimum = optimum?;
        let error: f64 = cell.half.iter().map(|half| half * half).sum();
        let mut optimal_centre = centre;
        (0..squared_radius).for_each(|k| optimal_centre[k] += optimum.at[k] * cell.half[k]);
        let contacts = optimum
            .active
            .iter()
            .filter(|active| active.0 < FIRST_HULL_LABEL && active.1 > ROUNDING)
            .copied()
            .collect();
        Some(((optimum.at[squared_radius] + error).max(0.0).sqrt(), optimal_centre, contacts))
    }
}

/// The negative radius is minimised.
impl BoundedFunction for InscribedSearch<'_> {
    fn lower_bound(&mut self, cell: &Cell) -> f64 {
        loop {
            let Some((bound, centre, contacts)) = self.relaxed(cell) else { return f64::INFINITY };
            let nearest = self.pool.iter().map(|&index| (self.points[index] - centre).norm());
            let predicted = nearest.fold(f64::INFINITY, f64::min);
            let is_done = -bound >= self.threshold() || -predicted >= self.threshold() || self.is_exhausted();
            if is_done || !self.try_at(centre, contacts) {
                return -bound;
            }
        }
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }

    fn threshold(&self) -> f64 {
        -self.radius() - RADIUS_TOLERANCE
    }
}
