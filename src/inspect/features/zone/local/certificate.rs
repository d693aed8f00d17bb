//! Whether a fit is the best near by: the conditions of Kuhn and Tucker, and behind them those of the second order.

use super::super::super::model::Model;
use super::super::super::newton;
use super::super::HOLDS;
use super::super::exchange::{Program, Row, VARIABLES};
use super::balance::is_convex_across;
use super::descent::{Contact, Here, Task};
use geometry::Point;
use rayon::prelude::*;

/// Contacts are equally far, and in balance, to so much, in sizes of the points.
const SHOWN: f64 = 1e-12;
/// Every step farther out raises the greatest distance by at least this share of itself.
const SHARP: f64 = 1e-7;
/// Contacts that are looked at; a surface without any error has all points for contacts.
const CONTACTS: usize = 2000;

/// What was shown.
pub struct Shown {
    /// Numbers of the points in balance.
    pub contacts: Vec<usize>,
    /// Whether nothing near is better to first order.
    pub is_balanced: bool,
    /// Whether nothing near is better.
    pub is_local: bool,
}

/// Of a model from which no point is farther than `half`.
///
/// First order: zero is a mean of the contacts' signed derivatives, with shares that are not negative. Then either
/// every step raises the distance of some contact by a share of itself, or the curvature is positive along all steps
/// that keep the contacts equally far.
pub fn of(task: Task, model: &Model, points: &[Point], half: f64) -> Shown {
    let touches = |point: &Point| {
        let (distance, _) = newton::rows(model, point)[0];
        task.sides.iter().any(|side| side * distance >= half - SHOWN)
    };
    let mut numbers: Vec<usize> = (0..points.len()).into_par_iter().filter(|&i| touches(&points[i])).collect();
    let stride = numbers.len().div_ceil(CONTACTS).max(1);
    numbers = numbers.into_iter().step_by(stride).collect();
    let pool: Vec<Point> = numbers.iter().map(|&number| points[number]).collect();
    let here = task.at(model, &pool);
    // Scales are those of the whole surface, not only of the contacts.
    let sample: Vec<Point> = points.iter().step_by(points.len().div_ceil(CONTACTS)).copied().collect();
    let scales = task.at(model, &sample).scales(task.free);
    let touching: Vec<Contact> = (0..pool.len())
        .flat_map(|number| task.sides.iter().map(move |&side| Contact { number, side, share: 0.0 }))
        .filter(|contact| contact.side * here.rows[contact.number].0 >= half - SHOWN)
        .collect();
    let Some((fall, held)) = steepest(task, &here, &touching, &scales, None) else {
        return Shown { contacts: Vec::new(), is_balanced: false, is_local: false };
    };
    let mut contacts: Vec<usize> = held.iter().map(|contact| numbers[contact.number]).collect();
    contacts.sort_unstable();
    contacts.dedup();
    let curvature = task.curvature(model, &pool, &held, &scales);
    // A rounding of the parameters turns the derivatives by the curvature.
    let is_balanced = fall <= SHOWN + 16.0 * f64::EPSILON * curvature.abs().max();
    let is_sharp = || {
        let rises = |j: usize, side: f64| steepest(task, &here, &touching, &scales, Some((j, side)));
        let mut faces = (0..task.free).flat_map(|j| [(j, 1.0), (j, -1.0)]);
        faces.all(|(j, side)| rises(j, side).is_some_and(|(fall, _)| -fall > SHARP))
    };
    let is_bent = || !held.is_empty() && is_convex_across(&task.slopes(&here, &held, &scales), &curvature);
    Shown { contacts, is_balanced, is_local: is_balanced && (is_sharp() || is_bent()) }
}

/// By how much a step of at most one in each scaled parameter lowers all contacts to first order, at best, and the
/// contacts that resist it; with `face`, a step that is one long in that parameter and sense.
fn steepest(
    task: Task,
    here: &Here,
    touching: &[Contact],
    scales: &[f64],
    face: Option<(usize, f64)>,
) -> Option<(f64, Vec<Contact>)> {
    let free = task.free;
    let slopes = task.slopes(here, touching, scales);
    let mut program =
        Program { count: free + 1, cost: [0.0; VARIABLES], low: [-1.0; VARIABLES], high: [1.0; VARIABLES] };
    program.cost[free] = 1.0;
    let most = (free + 1) as f64;
    (program.low[free], program.high[free]) = (-most, most);
    if let Some((j, side)) = face {
        (program.low[j], program.high[j]) = (side, side);
    }
    let answer = program.solve(|at, _| {
        let rises = |i: usize| (0..free).map(|j| slopes[(i, j)] * at[j]).sum::<f64>();
        let number = (0..touching.len()).max_by(|&a, &b| rises(a).total_cmp(&rises(b)))?;
        let mut by = [0.0; VARIABLES];
        (0..free).for_each(|j| by[j] = -slopes[(number, j)]);
        by[free] = 1.0;
        (rises(number) > at[free] + 4.0 * f64::EPSILON).then_some(Row { by, least: 0.0, number })
    })?;
    let held = answer.held.iter().filter(|held| held.1 > HOLDS);
    Some((-answer.value, held.map(|&(number, share)| Contact { share, ..touching[number] }).collect()))
}
