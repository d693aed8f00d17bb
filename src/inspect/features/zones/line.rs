//! The smallest cylinder enclosing points, over all directions: the minimum zone of a line, exactly.
//!
//! About a direction z, a line is (a + b z, c + d z), and its distance from a point at height z is at least the
//! distance in the plane at that height divided by (1 + b² + d²)^½. The latter distance is convex in a, b, c, d, and at
//! least its component along any direction of the plane, which is linear: so a linear program with a constraint for
//! each point and direction bounds the radius from below in a cell of directions, with an error quadratic in the cell
//! size.

use super::exchange::{Constraint, LinearProgram, MAX_VARIABLES};
use super::local::{LocalOptimum, MinimaxTask, optimise};
use super::passes::extremes;
use super::search::{BoundedFunction, Cell, search};
use super::{RELATIVE_TOLERANCE, ROUNDING};
use crate::features::fits::model::{Form, Model, any_perpendicular};
use crate::features::fits::shape::Shape;
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Maximum distance of lines from the origin of points of about unit size.
const MAX_OFFSET: f64 = 3.0;
/// Only points outside are in contact; the motions are free.
const TASK: MinimaxTask = MinimaxTask { sides: &[1.0], free: 4 };

/// The smallest enclosing cylinder.
pub struct EnclosingCylinder {
    pub line: Shape,
    /// Indices of the points that determine it.
    pub contacts: Vec<usize>,
    /// Whether the search proved that there is no narrower one in any direction.
    pub is_proven: bool,
    /// Whether it is proven to be a local minimum.
    pub is_local: bool,
}

/// The smallest cylinder enclosing `points`, which are of about unit size about the origin; `start` is any line. `None`
/// if the local minimisation from `start` diverges.
pub fn smallest_cylinder(points: &[Point], start: &Shape, progress: &Progress) -> Result<Option<EnclosingCylinder>> {
    let mut model = Model::of(start);
    model.form = Form::Cylinder;
    let Some(best) = optimise(TASK, &model, points, false, progress)? else { return Ok(None) };
    let pool = best.contacts.clone();
    let mut cylinder_search = CylinderSearch { points, pool, best, evaluations: 0, progress };
    let directions = |k: usize| {
        let mut cell = Cell { centre: [0.0; 4], half: [1.0, 1.0, 1.0, 0.0] };
        (cell.centre[k], cell.half[k]) = (1.0, 0.0);
        cell
    };
    let is_proven = search(&mut cylinder_search, &[0, 1, 2].map(directions), progress)?;
    let LocalOptimum { mut model, contacts, is_local, .. } = cylinder_search.best;
    model.form = Form::Line;
    Ok(model.shape().map(|line| EnclosingCylinder { line, contacts, is_proven, is_local }))
}

struct CylinderSearch<'a> {
    points: &'a [Point],
    /// Indices of the points that were farthest from some line.
    pool: Vec<usize>,
    best: LocalOptimum,
    evaluations: usize,
    progress: &'a Progress,
}

impl CylinderSearch<'_> {
    /// A lower bound of the radius in a cell from the points of the pool, and the line of the program's optimum.
    fn relaxed(&mut self, cell: &Cell) -> (f64, Shape) {
        let axis = |direction_in_cell: [f64; 4]| {
            Vector::new(direction_in_cell[0], direction_in_cell[1], direction_in_cell[2]).normalize()
        };
        let central_axis = axis(cell.centre);
        let corners = (0..8).map(|corner| {
            let mut direction_in_cell = cell.centre;
            (0..3).for_each(|k| {
                direction_in_cell[k] += if corner & (1 << k) == 0 { cell.half[k] } else { -cell.half[k] }
            });
            central_axis.angle(&axis(direction_in_cell))
        });
        let max_inclination = corners.fold(0.0, f64::max).tan();
        let x = any_perpendicular(&central_axis);
        let y = central_axis.cross(&x);
        let projected: Vec<[f64; 3]> = self
            .pool
            .iter()
            .map(|&index| [&x, &y, &central_axis].map(|axis| self.points[index].coords.dot(axis)))
            .collect();
        // Variables are the position at height 0, the inclinations and the radius.
        const RADIUS: usize = 4;
        let mut program = LinearProgram {
            count: RADIUS + 1,
            cost: [0.0; MAX_VARIABLES],
            min: [-1.0; MAX_VARIABLES],
            max: [1.0; MAX_VARIABLES],
        };
        program.cost[RADIUS] = 1.0;
        (program.min[RADIUS], program.max[RADIUS]) = (0.0, 2.0 * MAX_OFFSET);
        (0..2).for_each(|k| (program.min[k], program.max[k]) = (-MAX_OFFSET, MAX_OFFSET));
        let shortening = 1.0 / 1.0_f64.hypot(max_inclination);
        let sufficient = self.threshold() / shortening;
        // Accuracy beyond the uncertainty of the inclination is not needed.
        let tolerance = ROUNDING + 0.01 * sufficient.max(0.0) * (1.0 - shortening);
        let mut new_evaluations = 0;
        let solution = program.solve(|at, value| {
            if value >= sufficient {
                return None;
            }
            new_evaluations += projected.len();
            let offset = |p: &[f64; 3]| [0, 1].map(|k| p[k] - at[k] - at[k + 2] * max_inclination * p[2]);
            let distance_of = |p: &[f64; 3]| offset(p)[0].hypot(offset(p)[1]);
            let (distance, p) = projected.iter().map(|p| (distance_of(p), p)).max_by(|a, b| a.0.total_cmp(&b.0))?;
            let [u, v] = offset(p).map(|component| component / distance);
            let mut coefficients = [0.0; MAX_VARIABLES];
            coefficients[..5].copy_from_slice(&[u, v, u * max_inclination * p[2], v * max_inclination * p[2], 1.0]);
            (distance > at[RADIUS] + tolerance).then_some(Constraint {
                coefficients,
                bound: u * p[0] + v * p[1],
                label: 0,
            })
        });
        self.evaluations += new_evaluations;
        let (at, value) = solution.map_or(([0.0; MAX_VARIABLES], 0.0), |solution| (solution.at, solution.value));
        let point = Point::from(x * at[0] + y * at[1]);
        let direction = (central_axis + x * (at[2] * max_inclination) + y * (at[3] * max_inclination)).normalize();
        (value * shortening, Shape::Line { point, direction })
    }
}

impl BoundedFunction for CylinderSearch<'_> {
    fn lower_bound(&mut self, cell: &Cell) -> f64 {
        loop {
            let (bound, line) = self.relaxed(cell);
            let predicted = self.pool.iter().map(|&index| line.distance(&self.points[index])).fold(0.0, f64::max);
            if bound >= self.threshold() || predicted >= self.threshold() || self.is_exhausted() {
                return bound;
            }
            self.evaluations += self.points.len();
            let (_, farthest) = extremes(self.points, |point| line.distance(point))[0];
            if self.pool.contains(&farthest) {
                let mut model = Model::of(&line);
                model.form = Form::Cylinder;
                // A cancelled search ends at its next cell.
                let optimum = optimise(TASK, &model, self.points, false, self.progress).ok().flatten();
                let Some(better) = optimum.filter(|optimum| optimum.half < self.best.half) else { return bound };
                self.best = better;
            } else {
                self.pool.push(farthest);
            }
        }
    }

    fn evaluations(&self) -> usize {
        self.evaluations
    }

    fn threshold(&self) -> f64 {
        self.best.half * (1.0 - RELATIVE_TOLERANCE) - ROUNDING
    }
}
