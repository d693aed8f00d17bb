//! The minimum zone, the smallest circumscribed and the largest inscribed feature near a start, for shapes whose best
//! fit no bound finds: cylinders, cones, tori; and the last digits of lines.
//!
//! The greatest signed distance over some of the points is made least (`descent`); the points that then lie farther out
//! join them, until none does: a few passes over all points. At the end the conditions of a least are shown on all
//! points (`certificate`). Anthony et al., "Reference software for finding Chebyshev best-fit geometric elements"
//! (1996), is the model for what is shown; Shakarji and Clement, "Reference algorithms for Chebyshev and one-sided data
//! fitting for coordinate metrology" (2004), for starts around the Gaussian fit.

mod balance;
mod certificate;
mod descent;

use super::super::model::{Form, Model};
use super::ROUNDING;
use super::passes::{extremes, peaks};
use base::{Progress, Result, random::Random};
use descent::Here;
pub use descent::Task;
use geometry::Point;

/// Rounds of adding points that sound points do not need.
const ROUNDS: usize = 60;
/// Up to so many points, all are taken at once.
const FEW: usize = 600;
/// Starts beside the given one: so many, each twice as far off as the one before.
const STARTS: i32 = 6;
/// The farthest start, in sizes of the points.
const FARTHEST: f64 = 0.3;
/// A size that differs from the start's by more than this many deviations is far.
const FAR: f64 = 3.0;

/// Where the descent ended.
pub struct Settled {
    /// The model. What is not free in the task is as it was.
    pub model: Model,
    /// The greatest signed distance from it of all points.
    pub half: f64,
    /// Numbers of the points that hold it.
    pub contacts: Vec<usize>,
    /// Whether it was shown that nothing near is better to first order.
    pub is_balanced: bool,
    /// Whether it was shown that nothing near is better.
    pub is_local: bool,
}

/// From `start`, and with `is_wide` from places around it as well. `None` where the points hold nothing.
pub fn settle(
    task: Task,
    start: &Model,
    points: &[Point],
    is_wide: bool,
    progress: &Progress,
) -> Result<Option<Settled>> {
    let distance = |model: &Model, point: &Point| {
        let q = model.points_from_model.inverse_transform_point(point).coords;
        model.distance(&q)
    };
    let all: Vec<usize> = (0..points.len()).collect();
    let mut numbers =
        if points.len() <= FEW { all } else { peaks(points, task.sides, f64::NEG_INFINITY, |p| distance(start, p)) };
    let mut pool: Vec<Point> = numbers.iter().map(|&number| points[number]).collect();
    let here = task.at(start, &pool);
    let Some(mut best) = task.descend(start, &pool) else { return Ok(None) };
    if is_wide {
        // A size far from that of the start is another feature's.
        let reach = here.rows.iter().map(|row| row.0.abs()).fold(0.0, f64::max);
        for kick in 1..=STARTS {
            progress.check()?;
            let other = task.descend(&kicked(task, &here, kick), &pool);
            best = other.filter(|other| other.half < best.half && other.half > -FAR * reach).unwrap_or(best);
        }
    }
    for _ in 0..ROUNDS {
        progress.check()?;
        let model = best.model;
        let beyond = peaks(points, task.sides, best.half + ROUNDING, |point| distance(&model, point));
        let before = numbers.len();
        numbers.extend(beyond);
        numbers.sort_unstable();
        numbers.dedup();
        if numbers.len() == before {
            break;
        }
        pool = numbers.iter().map(|&number| points[number]).collect();
        let Some(next) = task.descend(&model, &pool) else { return Ok(None) };
        best = next;
    }
    let ends = extremes(points, |point| distance(&best.model, point));
    let half = task.sides.iter().map(|side| if *side > 0.0 { ends[0].0 } else { -ends[1].0 }).fold(best.half, f64::max);
    let certificate::Shown { contacts, is_balanced, is_local } = certificate::of(task, &best.model, points, half);
    Ok(Some(Settled { model: best.model, half, contacts, is_balanced, is_local }))
}

/// A start around the given one, its surface off by up to a few zones.
fn kicked(task: Task, start: &Here, kick: i32) -> Model {
    let reach = (start.half.abs() * f64::from(kick).exp2()).min(FARTHEST);
    let mut random = Random::new(0x005E_771E, kick as u64);
    let step: Vec<f64> = start.scales(task.free).iter().map(|scale| scale * random.range(-reach, reach)).collect();
    start.model.stepped(&step)
}

impl Model {
    /// The first residual of a place in the model's frame, without its derivatives.
    fn distance(&self, q: &geometry::Vector) -> f64 {
        let [first, second, _] = self.numbers;
        match self.form {
            // All points pass through here several times.
            Form::Cylinder => q.x.hypot(q.y) - first,
            Form::Cone => (q.x.hypot(q.y) - first) * second.cos() - q.z * second.sin(),
            _ => self.residuals(q)[0].f,
        }
    }
}
