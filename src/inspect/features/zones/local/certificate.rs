//! Local optimality of a fit: Kuhn-Tucker conditions, followed by second-order conditions.

use super::super::MIN_MULTIPLIER;
use super::super::exchange::{Constraint, LinearProgram, MAX_VARIABLES};
use super::balance::is_convex_along_contacts;
use super::descent::{Contact, Evaluation, MinimaxTask};
use crate::features::fits::model::Model;
use crate::features::fits::newton;
use geometry::Point;
use rayon::prelude::*;

/// Tolerance for contacts to be equidistant and in equilibrium, in units of the points' size.
const TOLERANCE: f64 = 1e-12;
/// Minimum relative increase of the maximum distance per step for a sharp minimum.
const MIN_SHARPNESS: f64 = 1e-7;
/// Maximum number of contacts evaluated; for a perfect surface all points are contacts.
const MAX_CONTACTS: usize = 2000;

/// Result of the optimality check.
pub struct Optimality {
    /// Indices of the points in equilibrium.
    pub contacts: Vec<usize>,
    /// Whether the first-order conditions hold.
    pub is_balanced: bool,
    /// Whether first- and second-order conditions hold.
    pub is_local: bool,
}

/// Checks a model with a maximum signed distance of `half`.
///
/// First order: zero is a weighted mean of the contacts' signed derivatives with non-negative multipliers. Second
/// order: either every step increases the distance of some contact by a share of itself, or the curvature is positive
/// in all directions that keep the contacts equidistant.
pub fn of(task: MinimaxTask, model: &Model, points: &[Point], half: f64) -> Optimality {
    let is_contact = |point: &Point| {
        let (distance, _) = newton::rows(model, point)[0];
        task.sides.iter().any(|side| side * distance >= half - TOLERANCE)
    };
    let mut indices: Vec<usize> = (0..points.len()).into_par_iter().filter(|&i| is_contact(&points[i])).collect();
    // The points of a fit stand in random order.
    indices.truncate(MAX_CONTACTS);
    let pool: Vec<Point> = indices.iter().map(|&index| points[index]).collect();
    let current = task.at(model, &pool);
    // Scales are those of the whole surface, not only of the contacts.
    let sample = &points[..points.len().min(MAX_CONTACTS)];
    let scales = task.at(model, sample).scales(task.free);
    let candidates: Vec<Contact> = (0..pool.len())
        .flat_map(|index| task.sides.iter().map(move |&side| Contact { index, side, multiplier: 0.0 }))
        .filter(|contact| contact.side * current.rows[contact.index].0 >= half - TOLERANCE)
        .collect();
    let Some((decrease, limiting)) = steepest_descent(task, &current, &candidates, &scales, None) else {
        return Optimality { contacts: Vec::new(), is_balanced: false, is_local: false };
    };
    let mut contacts: Vec<usize> = limiting.iter().map(|contact| indices[contact.index]).collect();
    contacts.sort_unstable();
    contacts.dedup();
    let curvature = task.curvature(model, &pool, &limiting, &scales);
    // Rounding of the parameters changes the derivatives in proportion to the curvature.
    let is_balanced = decrease <= TOLERANCE + 16.0 * f64::EPSILON * curvature.abs().max();
    let is_sharp = || {
        let forced_step = |j: usize, side: f64| steepest_descent(task, &current, &candidates, &scales, Some((j, side)));
        let mut faces = (0..task.free).flat_map(|j| [(j, 1.0), (j, -1.0)]);
        faces.all(|(j, side)| forced_step(j, side).is_some_and(|(decrease, _)| -decrease > MIN_SHARPNESS))
    };
    let is_curved =
        || !limiting.is_empty() && is_convex_along_contacts(&task.slopes(&current, &limiting, &scales), &curvature);
    Optimality { contacts, is_balanced, is_local: is_balanced && (is_sharp() || is_curved()) }
}

/// Maximum first-order decrease of all contacts by a step of at most one in each scaled parameter, and the contacts
/// that limit it; with `face`, by a step of exactly one in that parameter and sense.
fn steepest_descent(
    task: MinimaxTask,
    current: &Evaluation,
    candidates: &[Contact],
    scales: &[f64],
    face: Option<(usize, f64)>,
) -> Option<(f64, Vec<Contact>)> {
    let free = task.free;
    let slopes = task.slopes(current, candidates, scales);
    let mut program = LinearProgram {
        count: free + 1,
        cost: [0.0; MAX_VARIABLES],
        min: [-1.0; MAX_VARIABLES],
        max: [1.0; MAX_VARIABLES],
    };
    program.cost[free] = 1.0;
    let max_increase = (free + 1) as f64;
    (program.min[free], program.max[free]) = (-max_increase, max_increase);
    if let Some((j, side)) = face {
        (program.min[j], program.max[j]) = (side, side);
    }
    let optimum = program.solve(|at, _| {
        let increase = |i: usize| (0..free).map(|j| slopes[(i, j)] * at[j]).sum::<f64>();
        let label = (0..candidates.len()).max_by(|&a, &b| increase(a).total_cmp(&increase(b)))?;
        let mut coefficients = [0.0; MAX_VARIABLES];
        (0..free).for_each(|j| coefficients[j] = -slopes[(label, j)]);
        coefficients[free] = 1.0;
        (increase(label) > at[free] + 4.0 * f64::EPSILON).then_some(Constraint { coefficients, bound: 0.0, label })
    })?;
    let active = optimum.active.iter().filter(|active| active.1 > MIN_MULTIPLIER);
    Some((-optimum.value, active.map(|&(index, multiplier)| Contact { multiplier, ..candidates[index] }).collect()))
}
