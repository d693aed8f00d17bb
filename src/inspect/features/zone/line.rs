//! The least cylinder around points, over all directions: the minimum zone of a line, exactly.
//!
//! About a direction z, a line is (a + b z, c + d z), and its distance from a point at height z is at least the
//! distance in the plane of that height over (1 + b² + d²)^½. The latter is convex in a, b, c, d, and at least its part
//! along any direction of the plane, which is linear: so a linear program with a row for each point and direction
//! bounds the radius from below in a cell of directions, and errs by the square of the cell's size only.

use super::super::model::{Form, Model, any_square_to};
use super::super::shape::Shape;
use super::exchange::{Program, Row, VARIABLES};
use super::local::{Settled, Task, settle};
use super::passes::extremes;
use super::search::{Cell, Landscape, search};
use super::{ROUNDING, TELLS};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Lines pass the origin of points of size about one by less than this.
const NEAR: f64 = 3.0;
/// Only points outside hold it; the motions are free.
const TASK: Task = Task { sides: &[1.0], free: 4 };

/// The least cylinder.
pub struct Least {
    pub line: Shape,
    /// Numbers of the points that hold it.
    pub contacts: Vec<usize>,
    /// Whether the search showed that there is no narrower one in any direction.
    pub is_least: bool,
    /// Whether nothing near is narrower.
    pub is_local: bool,
}

/// Around `points`, of size about one about the origin; `start` is any line.
pub fn least(points: &[Point], start: &Shape, progress: &Progress) -> Result<Option<Least>> {
    let mut model = Model::of(start);
    model.form = Form::Cylinder;
    let Some(best) = settle(TASK, &model, points, false, progress)? else { return Ok(None) };
    let pool = best.contacts.clone();
    let mut lines = Lines { points, pool, best, effort: 0, progress };
    let directions = |k: usize| {
        let mut cell = Cell { centre: [0.0; 4], half: [1.0, 1.0, 1.0, 0.0] };
        (cell.centre[k], cell.half[k]) = (1.0, 0.0);
        cell
    };
    let is_least = search(&mut lines, &[0, 1, 2].map(directions), progress)?;
    let Settled { mut model, contacts, is_local, .. } = lines.best;
    model.form = Form::Line;
    Ok(model.shape().map(|line| Least { line, contacts, is_least, is_local }))
}

struct Lines<'a> {
    points: &'a [Point],
    /// Numbers of the points that were the farthest from some line.
    pool: Vec<usize>,
    best: Settled,
    effort: usize,
    progress: &'a Progress,
}

impl Lines<'_> {
    /// A lower bound of the radius in a cell from the points of the pool, and the line that the program names.
    fn relaxed(&mut self, cell: &Cell) -> (f64, Shape) {
        let axis = |place: [f64; 4]| Vector::new(place[0], place[1], place[2]).normalize();
        let middle = axis(cell.centre);
        let corners = (0..8).map(|corner| {
            let mut place = cell.centre;
            (0..3).for_each(|k| place[k] += if corner & (1 << k) == 0 { cell.half[k] } else { -cell.half[k] });
            middle.angle(&axis(place))
        });
        let lean = corners.fold(0.0, f64::max).tan();
        let x = any_square_to(&middle);
        let y = middle.cross(&x);
        let seen: Vec<[f64; 3]> = self
            .pool
            .iter()
            .map(|&number| [&x, &y, &middle].map(|axis| self.points[number].coords.dot(axis)))
            .collect();
        // Variables are the place at height 0, the leans and the radius.
        const RADIUS: usize = 4;
        let mut program =
            Program { count: RADIUS + 1, cost: [0.0; VARIABLES], low: [-1.0; VARIABLES], high: [1.0; VARIABLES] };
        program.cost[RADIUS] = 1.0;
        (program.low[RADIUS], program.high[RADIUS]) = (0.0, 2.0 * NEAR);
        (0..2).for_each(|k| (program.low[k], program.high[k]) = (-NEAR, NEAR));
        let shortened = 1.0 / 1.0_f64.hypot(lean);
        let enough = self.enough() / shortened;
        // What the lean leaves open need not be found.
        let spare = ROUNDING + 0.01 * enough.max(0.0) * (1.0 - shortened);
        let mut looks = 0;
        let answer = program.solve(|at, value| {
            if value >= enough {
                return None;
            }
            looks += seen.len();
            let away = |p: &[f64; 3]| [0, 1].map(|k| p[k] - at[k] - at[k + 2] * lean * p[2]);
            let far = |p: &[f64; 3]| away(p)[0].hypot(away(p)[1]);
            let (distance, p) = seen.iter().map(|p| (far(p), p)).max_by(|a, b| a.0.total_cmp(&b.0))?;
            let [u, v] = away(p).map(|part| part / distance);
            let mut by = [0.0; VARIABLES];
            by[..5].copy_from_slice(&[u, v, u * lean * p[2], v * lean * p[2], 1.0]);
            (distance > at[RADIUS] + spare).then_some(Row { by, least: u * p[0] + v * p[1], number: 0 })
        });
        self.effort += looks;
        let (at, value) = answer.map_or(([0.0; VARIABLES], 0.0), |answer| (answer.at, answer.value));
        let point = Point::from(x * at[0] + y * at[1]);
        let direction = (middle + x * (at[2] * lean) + y * (at[3] * lean)).normalize();
        (value * shortened, Shape::Line { point, direction })
    }
}

impl Landscape for Lines<'_> {
    fn examine(&mut self, cell: &Cell) -> f64 {
        loop {
            let (bound, line) = self.relaxed(cell);
            let promised = self.pool.iter().map(|&number| line.distance(&self.points[number])).fold(0.0, f64::max);
            if bound >= self.enough() || promised >= self.enough() || self.is_tired() {
                return bound;
            }
            self.effort += self.points.len();
            let (_, farthest) = extremes(self.points, |point| line.distance(point))[0];
            if self.pool.contains(&farthest) {
                let mut model = Model::of(&line);
                model.form = Form::Cylinder;
                // A search that is cancelled ends at its next cell.
                let settled = settle(TASK, &model, self.points, false, self.progress).ok().flatten();
                let Some(better) = settled.filter(|settled| settled.half < self.best.half) else { return bound };
                self.best = better;
            } else {
                self.pool.push(farthest);
            }
        }
    }

    fn effort(&self) -> usize {
        self.effort
    }

    fn enough(&self) -> f64 {
        self.best.half * (1.0 - TELLS) - ROUNDING
    }
}
