//! Local minimisation of the maximum signed distance of some points.
//!
//! Each step is the solution of a linear program within a trust range (Madsen 1975). If the zone has as many contacts
//! as there are unknowns, such steps converge quadratically. With fewer contacts the curvature of the surface matters,
//! and Newton's method on the contacts gives the step (`balance`; Fletcher and Sainz de la Maza 1989).

use super::super::MIN_MULTIPLIER;
use super::super::exchange::{Constraint, LinearProgram, MAX_VARIABLES};
use crate::features::fits::model::Model;
use crate::features::fits::newton::{self, MAX_PARAMETERS};
use geometry::Point;

/// A signed distance and its gradient by the parameters.
type DistanceWithGradient = (f64, [f64; MAX_PARAMETERS]);

/// Maximum number of descents, and of iterations of each.
const MAX_DESCENTS: usize = 4;
const MAX_ITERATIONS: usize = 100;
/// Initial trust range of distances, in half widths.
const INITIAL_TRUST: f64 = 4.0;
/// Minimum initial and maximum trust range, in units of the points' size.
const MIN_INITIAL_TRUST: f64 = 1e-3;
pub const MAX_TRUST: f64 = 0.3;
/// Minimum ratio of actual to predicted gain of a linear step; below it the curvature matters.
const MIN_LINEAR_GAIN: f64 = 0.9;
/// Maximum distance, in units of the points' size; beyond it the points do not determine the feature.
const MAX_DISTANCE: f64 = 10.0;
/// Gain below rounding, in units of the points' size.
const ROUNDING_GAIN: f64 = 8.0 * f64::EPSILON;

/// Minimises the maximum of side times distance over points and sides.
#[derive(Clone, Copy)]
pub struct MinimaxTask {
    /// +1 if points outside the surface count, -1 if those inside do.
    pub sides: &'static [f64],
    /// Number of free parameters of the model: all, or the motions only.
    pub free: usize,
}

/// A contact: index of the point in the pool, side, and multiplier; the multipliers sum to one.
#[derive(Clone, Copy, Debug)]
pub struct Contact {
    pub index: usize,
    pub side: f64,
    pub multiplier: f64,
}

/// The points evaluated for a model: distances with their derivatives.
pub struct Evaluation {
    pub model: Model,
    pub rows: Vec<(f64, [f64; MAX_PARAMETERS])>,
    /// Maximum signed distance; infinite if a distance is not a number.
    pub half: f64,
}

impl Evaluation {
    /// Parameter steps that displace no surface point by more than one.
    pub fn scales(&self, free: usize) -> Vec<f64> {
        let most = |j: usize| self.rows.iter().map(|row| row.1[j].abs()).fold(0.0, f64::max);
        (0..free).map(|j| if most(j) > 1e-9 { 1.0 / most(j) } else { 1.0 }).collect()
    }
}

impl MinimaxTask {
    /// Evaluates `pool` for a model.
    pub fn at(&self, model: &Model, pool: &[Point]) -> Evaluation {
        let rows: Vec<(f64, [f64; MAX_PARAMETERS])> = pool.iter().map(|point| newton::rows(model, point)[0]).collect();
        let far = rows.iter().flat_map(|row| self.sides.iter().map(move |side| side * row.0));
        let half = far.fold(f64::NEG_INFINITY, |most, d| if d.is_nan() { f64::INFINITY } else { most.max(d) });
        Evaluation { model: *model, rows, half }
    }

    /// Minimises from `start` to a local minimum; `None` if it diverges.
    pub fn descend(&self, start: &Model, pool: &[Point]) -> Option<Evaluation> {
        let mut current = self.at(start, pool);
        // A trust range that had to be reduced may have missed contacts.
        for _ in 0..MAX_DESCENTS {
            let before = current.half;
            current = self.trust_region_descent(current, pool)?;
            if before - current.half < ROUNDING_GAIN {
                break;
            }
        }
        Some(current)
    }

    fn trust_region_descent(&self, mut current: Evaluation, pool: &[Point]) -> Option<Evaluation> {
        let mut range = (INITIAL_TRUST * current.half.abs()).clamp(MIN_INITIAL_TRUST, MAX_TRUST);
        let mut contacts = Vec::new();
        for _ in 0..MAX_ITERATIONS {
            if current.half.abs() > MAX_DISTANCE {
                return None;
            }
            let scales = current.scales(self.free);
            let Some((step, predicted, step_contacts)) = self.linear_step(&current, &scales, range) else { break };
            contacts = step_contacts;
            if predicted < ROUNDING_GAIN {
                break;
            }
            let mut next = self.at(&current.model.stepped(&step), pool);
            if current.half - next.half < MIN_LINEAR_GAIN * predicted {
                let corrected = self.corrected_step(&current, &step, &next, &scales, range);
                let corrected = corrected.map(|step| self.at(&current.model.stepped(&step), pool));
                let newton = self.newton_step(&current, pool, &contacts, &scales, ROUNDING_GAIN);
                for other in corrected.into_iter().chain(newton.map(|newton| newton.0)) {
                    next = if other.half < next.half { other } else { next };
                }
            }
            let gained = current.half - next.half;
            if gained > 0.0 {
                current = next;
            }
            match gained / predicted {
                ratio if ratio > 0.7 => range = (2.0 * range).min(MAX_TRUST),
                ratio if ratio < 0.25 => range *= 0.25,
                _ => (),
            }
            if range < ROUNDING_GAIN {
                break;
            }
        }
        Some(self.polished(current, pool, contacts))
    }

    /// Repeats the linear step with the second-order errors observed after the first one: along a curved valley it can
    /// be much longer (Fletcher's correction, 1982).
    fn corrected_step(
        &self,
        current: &Evaluation,
        step: &[f64],
        next_state: &Evaluation,
        scales: &[f64],
        range: f64,
    ) -> Option<Vec<f64>> {
        let correct = |(before, after): (&DistanceWithGradient, &DistanceWithGradient)| {
            let linear: f64 = step.iter().zip(&before.1).map(|(by, slope)| by * slope).sum();
            (after.0 - linear, before.1)
        };
        let rows = current.rows.iter().zip(&next_state.rows).map(correct).collect();
        let corrected = Evaluation { model: current.model, rows, half: current.half };
        self.linear_step(&corrected, scales, range).map(|found| found.0)
    }

    /// The best step to first order in which no parameter displaces a surface point by more than `range`; its predicted
    /// gain; and its contacts.
    pub fn linear_step(
        &self,
        current: &Evaluation,
        scales: &[f64],
        range: f64,
    ) -> Option<(Vec<f64>, f64, Vec<Contact>)> {
        let free = self.free;
        let mut program = LinearProgram {
            count: free + 1,
            cost: [0.0; MAX_VARIABLES],
            min: [-1.0; MAX_VARIABLES],
            max: [1.0; MAX_VARIABLES],
        };
        program.cost[free] = 1.0;
        (program.min[free], program.max[free]) = (-range * (free + 1) as f64, range);
        let slope = |row: &(f64, [f64; MAX_PARAMETERS]), j: usize| row.1[j] * scales[j] * range;
        let optimum = program.solve(|at, _| {
            let (mut worst, mut row) = (2.0 * f64::EPSILON, None);
            for (index, own) in current.rows.iter().enumerate() {
                let linearised = own.0 + (0..free).map(|j| slope(own, j) * at[j]).sum::<f64>();
                for (side_index, side) in self.sides.iter().enumerate() {
                    let beyond = side * linearised - current.half - at[free];
                    if beyond > worst {
                        (worst, row) = (beyond, Some((index, side_index)));
                    }
                }
            }
            let (index, side_index) = row?;
            let (own, side) = (&current.rows[index], self.sides[side_index]);
            let mut coefficients = [0.0; MAX_VARIABLES];
            (0..free).for_each(|j| coefficients[j] = -side * slope(own, j));
            coefficients[free] = 1.0;
            Some(Constraint {
                coefficients,
                bound: side * own.0 - current.half,
                label: index * self.sides.len() + side_index,
            })
        })?;
        let step = (0..free).map(|j| optimum.at[j] * scales[j] * range).collect();
        let contact = |&(label, multiplier): &(usize, f64)| {
            let count = self.sides.len();
            Contact { index: label / count, side: self.sides[label % count], multiplier }
        };
        let contacts = optimum.active.iter().filter(|active| active.1 > MIN_MULTIPLIER).map(contact).collect();
        Some((step, -optimum.value, contacts))
    }
}
