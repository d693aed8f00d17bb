//! The greatest signed distance of some points made least, near a start.
//!
//! Each step is the answer of a linear program within a trusted range (Madsen 1975). Where as many points hold the zone
//! as there are unknowns, such steps converge by squares. Where fewer do, the curvature of the surface counts, and
//! Newton's method on the points that hold it gives the step (`balance`; Fletcher and Sainz de la Maza 1989).

use super::super::super::model::Model;
use super::super::super::newton::{self, MOST};
use super::super::HOLDS;
use super::super::exchange::{Program, Row, VARIABLES};
use geometry::Point;

/// A signed distance and its slope by the parameters.
type Sloped = (f64, [f64; MOST]);

/// Walks of so many steps that no sound start needs.
const WALKS: usize = 4;
const STEPS: usize = 100;
/// The first trusted range of distances, in half widths.
const TRUSTED: f64 = 4.0;
/// The least it begins with, and the widest, in sizes of the points.
const FIRST: f64 = 1e-3;
pub const WIDEST: f64 = 0.3;
/// A linear step that gains less than this share of what it promises was bent.
const BENDS: f64 = 0.9;
/// Farther than this, in sizes of the points, nothing holds the feature.
const LOST: f64 = 10.0;
/// A gain that rounding hides, in sizes of the points.
const UNSEEN: f64 = 8.0 * f64::EPSILON;

/// What is made least: the greatest of side times distance, over the points and the sides.
#[derive(Clone, Copy)]
pub struct Task {
    /// +1 where points beyond the surface count, -1 where those within do.
    pub sides: &'static [f64],
    /// Parameters of the model that are free: all, or the motions only.
    pub free: usize,
}

/// A point that holds the zone, by its number in the pool; on which side; and its share, all of them summing to one.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub number: usize,
    pub side: f64,
    pub share: f64,
}

/// Some points about a model: distances with their derivatives.
pub struct Here {
    pub model: Model,
    pub rows: Vec<(f64, [f64; MOST])>,
    /// The greatest signed distance; infinite where a distance is no number.
    pub half: f64,
}

impl Here {
    /// Parameter steps that move no surface point by more than one.
    pub fn scales(&self, free: usize) -> Vec<f64> {
        let most = |j: usize| self.rows.iter().map(|row| row.1[j].abs()).fold(0.0, f64::max);
        (0..free).map(|j| if most(j) > 1e-9 { 1.0 / most(j) } else { 1.0 }).collect()
    }
}

impl Task {
    /// Measures `pool` about a model.
    pub fn at(&self, model: &Model, pool: &[Point]) -> Here {
        let rows: Vec<(f64, [f64; MOST])> = pool.iter().map(|point| newton::rows(model, point)[0]).collect();
        let far = rows.iter().flat_map(|row| self.sides.iter().map(move |side| side * row.0));
        let half = far.fold(f64::NEG_INFINITY, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) });
        Here { model: *model, rows, half }
    }

    /// Down to the least near `start`. `None` where it runs away.
    pub fn descend(&self, start: &Model, pool: &[Point]) -> Option<Here> {
        let mut here = self.at(start, pool);
        // A range that had to become small may not have seen all that holds the zone.
        for _ in 0..WALKS {
            let before = here.half;
            here = self.walk(here, pool)?;
            if before - here.half < UNSEEN {
                break;
            }
        }
        Some(here)
    }

    fn walk(&self, mut here: Here, pool: &[Point]) -> Option<Here> {
        let mut range = (TRUSTED * here.half.abs()).clamp(FIRST, WIDEST);
        let mut contacts = Vec::new();
        for _ in 0..STEPS {
            if here.half.abs() > LOST {
                return None;
            }
            let scales = here.scales(self.free);
            let Some((step, promised, held)) = self.linear_step(&here, &scales, range) else { break };
            contacts = held;
            if promised < UNSEEN {
                break;
            }
            let mut next = self.at(&here.model.stepped(&step), pool);
            if here.half - next.half < BENDS * promised {
                let bent = self.bent_step(&here, &step, &next, &scales, range);
                let bent = bent.map(|step| self.at(&here.model.stepped(&step), pool));
                let newton = self.newton_step(&here, pool, &contacts, &scales, UNSEEN);
                for other in bent.into_iter().chain(newton.map(|newton| newton.0)) {
                    next = if other.half < next.half { other } else { next };
                }
            }
            let gained = here.half - next.half;
            if gained > 0.0 {
                here = next;
            }
            match gained / promised {
                share if share > 0.7 => range = (2.0 * range).min(WIDEST),
                share if share < 0.25 => range *= 0.25,
                _ => (),
            }
            if range < UNSEEN {
                break;
            }
        }
        Some(self.polished(here, pool, contacts))
    }

    /// The linear step once more, with the distances bent as they were found to be after the first: along a curved
    /// valley it goes far where the linear one must stay short (Fletcher's correction, 1982).
    fn bent_step(&self, here: &Here, step: &[f64], there: &Here, scales: &[f64], range: f64) -> Option<Vec<f64>> {
        let bent = |(before, after): (&Sloped, &Sloped)| {
            let linear: f64 = step.iter().zip(&before.1).map(|(by, slope)| by * slope).sum();
            (after.0 - linear, before.1)
        };
        let rows = here.rows.iter().zip(&there.rows).map(bent).collect();
        let bent = Here { model: here.model, rows, half: here.half };
        self.linear_step(&bent, scales, range).map(|found| found.0)
    }

    /// The best step while no surface point moves by more than `range` for each parameter, as far as distances are
    /// linear; by how much it promises to gain; and what holds it then.
    pub fn linear_step(&self, here: &Here, scales: &[f64], range: f64) -> Option<(Vec<f64>, f64, Vec<Contact>)> {
        let free = self.free;
        let mut program =
            Program { count: free + 1, cost: [0.0; VARIABLES], low: [-1.0; VARIABLES], high: [1.0; VARIABLES] };
        program.cost[free] = 1.0;
        (program.low[free], program.high[free]) = (-range * (free + 1) as f64, range);
        let slope = |row: &(f64, [f64; MOST]), j: usize| row.1[j] * scales[j] * range;
        let answer = program.solve(|at, _| {
            let (mut most, mut row) = (2.0 * f64::EPSILON, None);
            for (number, own) in here.rows.iter().enumerate() {
                let there = own.0 + (0..free).map(|j| slope(own, j) * at[j]).sum::<f64>();
                for (which, side) in self.sides.iter().enumerate() {
                    let beyond = side * there - here.half - at[free];
                    if beyond > most {
                        (most, row) = (beyond, Some((number, which)));
                    }
                }
            }
            let (number, which) = row?;
            let (own, side) = (&here.rows[number], self.sides[which]);
            let mut by = [0.0; VARIABLES];
            (0..free).for_each(|j| by[j] = -side * slope(own, j));
            by[free] = 1.0;
            Some(Row { by, least: side * own.0 - here.half, number: number * self.sides.len() + which })
        })?;
        let step = (0..free).map(|j| answer.at[j] * scales[j] * range).collect();
        let contact = |&(number, share): &(usize, f64)| {
            let count = self.sides.len();
            Contact { number: number / count, side: self.sides[number % count], share }
        };
        let held = answer.held.iter().filter(|held| held.1 > HOLDS).map(contact).collect();
        Some((step, -answer.value, held))
    }
}
