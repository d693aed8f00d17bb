//! Local minimum zone, minimum circumscribed and maximum inscribed features for shapes without a global bound:
//! cylinders, cones, tori; and the last digits of lines.
//!
//! The maximum signed distance over some of the points is minimised (`descent`); the points that then lie farther out
//! are added, until there are none: a few passes over all points. Finally the optimality conditions are checked on all
//! points (`certificate`). Anthony et al., "Reference software for finding Chebyshev best-fit geometric elements"
//! (1996), is the model for the check; Shakarji and Clement, "Reference algorithms for Chebyshev and one-sided data
//! fitting for coordinate metrology" (2004), for starts around the Gaussian fit.

mod balance;
mod certificate;
mod descent;

use super::ROUNDING;
use super::passes::{extremes, peaks};
use crate::features::fits::model::{Form, Model};
use base::{Progress, Result, random::Random};
use descent::Evaluation;
pub use descent::MinimaxTask;
use geometry::Point;

/// Maximum rounds of adding points.
const MAX_ROUNDS: usize = 60;
/// Up to this number of points all are used at once.
const MAX_POINTS_AT_ONCE: usize = 600;
/// Number of additional starts, each at twice the distance of the previous one.
const ADDITIONAL_STARTS: i32 = 6;
/// Maximum displacement of a start, in units of the points' size.
const MAX_START_DISPLACEMENT: f64 = 0.3;
/// Maximum change of size of an additional start's result, in maximum deviations of the given one.
const MAX_SIZE_CHANGE: f64 = 3.0;

/// Result of the local minimisation.
pub struct LocalOptimum {
    /// The model; parameters that are not free are unchanged.
    pub model: Model,
    /// Maximum signed distance over all points.
    pub half: f64,
    /// Indices of the points that determine it.
    pub contacts: Vec<usize>,
    /// Whether the first-order optimality conditions are proven.
    pub is_balanced: bool,
    /// Whether it is proven to be a local optimum.
    pub is_local: bool,
}

/// Minimises from `start`, and with `is_wide` from other starts around it as well; `None` if it diverges.
pub fn optimise(
    task: MinimaxTask,
    start: &Model,
    points: &[Point],
    is_wide: bool,
    progress: &Progress,
) -> Result<Option<LocalOptimum>> {
    let distance = |model: &Model, point: &Point| {
        let q = model.points_from_model.inverse_transform_point(point).coords;
        model.distance(&q)
    };
    let all: Vec<usize> = (0..points.len()).collect();
    let mut indices = if points.len() <= MAX_POINTS_AT_ONCE {
        all
    } else {
        peaks(points, task.sides, f64::NEG_INFINITY, |p| distance(start, p))
    };
    let mut pool: Vec<Point> = indices.iter().map(|&index| points[index]).collect();
    let initial = task.at(start, &pool);
    let Some(mut best) = task.descend(start, &pool) else { return Ok(None) };
    if is_wide {
        // A much different size belongs to another feature.
        let max_deviation = initial.rows.iter().map(|row| row.0.abs()).fold(0.0, f64::max);
        for attempt in 1..=ADDITIONAL_STARTS {
            progress.check()?;
            let other = task.descend(&displaced_start(task, &initial, attempt), &pool);
            best = other
                .filter(|other| other.half < best.half && other.half > -MAX_SIZE_CHANGE * max_deviation)
                .unwrap_or(best);
        }
    }
    for _ in 0..MAX_ROUNDS {
        progress.check()?;
        let model = best.model;
        let outside = peaks(points, task.sides, best.half + ROUNDING, |point| distance(&model, point));
        let before = indices.len();
        indices.extend(outside);
        indices.sort_unstable();
        indices.dedup();
        if indices.len() == before {
            break;
        }
        pool = indices.iter().map(|&index| points[index]).collect();
        let Some(next) = task.descend(&model, &pool) else { return Ok(None) };
        best = next;
    }
    let extreme_values = extremes(points, |point| distance(&best.model, point));
    let half = task
        .sides
        .iter()
        .map(|side| if *side > 0.0 { extreme_values[0].0 } else { -extreme_values[1].0 })
        .fold(best.half, f64::max);
    let certificate::Optimality { contacts, is_balanced, is_local } = certificate::of(task, &best.model, points, half);
    Ok(Some(LocalOptimum { model: best.model, half, contacts, is_balanced, is_local }))
}

/// A start around the given one with the surface displaced by up to a few zone widths.
fn displaced_start(task: MinimaxTask, start: &Evaluation, attempt: i32) -> Model {
    let displacement = (start.half.abs() * f64::from(attempt).exp2()).min(MAX_START_DISPLACEMENT);
    let mut random = Random::new(0x005E_771E, attempt as u64);
    let step: Vec<f64> =
        start.scales(task.free).iter().map(|scale| scale * random.range(-displacement, displacement)).collect();
    start.model.stepped(&step)
}

impl Model {
    /// The first residual of a point in the model's frame, without derivatives.
    fn distance(&self, q: &geometry::Vector) -> f64 {
        let [first, second, _] = self.shape_parameters;
        match self.form {
            // Hot path: all points pass through here several times.
            Form::Cylinder => q.x.hypot(q.y) - first,
            Form::Cone => (q.x.hypot(q.y) - first) * second.cos() - q.z * second.sin(),
            _ => self.residuals(q)[0].f,
        }
    }
}
