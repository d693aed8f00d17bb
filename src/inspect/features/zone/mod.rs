//! Chebyshev's fits: the minimum zone, the smallest circumscribed and the largest inscribed feature.
//!
//! All begin at the Gaussian fit, in units of the points' size about their centroid. Where a bound over all places is
//! known, the fit is exact, the best of all: lines, planes, circles and spheres. Cylinders, cones and tori are the best
//! near the Gaussian fit, which is what a drawing means where another axis would give a narrower zone.

pub(crate) mod enclosing;
mod exchange;
mod inscribed;
mod lifted;
mod line;
mod local;
mod passes;
mod search;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::model::{Form, Model, any_square_to};
use super::objective::Objective;
use super::shape::Shape;
use super::{Once, undetermined};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};
use lifted::Narrowest;
use local::{Settled, Task, settle};

/// What a search for the narrowest zone does not tell apart: a share of its width, and rounding in sizes of the points.
const TELLS: f64 = 1e-10;
const ROUNDING: f64 = 1e-14;
/// A point of a smaller share in holding a zone holds nothing.
const HOLDS: f64 = 1e-9;
/// Curvatures below this, per length of the points, are flat.
const FLAT: f64 = 1e-9;

/// What was shown of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certificate {
    /// No other feature of the kind is better by more than 1e-10 of the zone and the rounding of the coordinates,
    /// wherever it lies.
    Exact,
    /// None near it is better: the contacts are equally far and in balance (Kuhn and Tucker) to 1e-12 of the size of
    /// the points, and the second order agrees.
    Local,
    /// The best that was found; neither could be shown.
    Open,
}

/// What holds a fit that is not Gaussian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// What the fit makes least or greatest.
    pub objective: Objective,
    /// What was shown of it.
    pub certified: Certificate,
    /// Numbers of the points that hold it, ascending. Without them it would be another; others may touch it as well.
    pub contacts: Vec<u32>,
    /// Circles only: spread of the points along the normal, mm, which is no part of the zone. The plane of the circle
    /// is that of its Gaussian fit, and the zone is that of the points as projected on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_plane_mm: Option<f64>,
}

/// Signed distance of a point from the fit, mm; of circles, in their plane.
pub(super) fn deviation(shape: &Shape, point: &Point) -> f64 {
    match shape {
        Shape::Circle { centre, normal, radius } => (point - centre).cross(normal).norm() - radius,
        _ => shape.distance(point),
    }
}

/// A shape, the numbers of the points that hold it, and what was shown.
struct Found {
    shape: Shape,
    contacts: Vec<usize>,
    certified: Certificate,
}

/// The fit to the points of weight above zero, in the units of the Gaussian one.
///
/// Fails with a sentence where the points do not determine it, and when it is cancelled.
pub(super) fn find(
    objective: Objective,
    gaussian: &Once,
    weights: &[f64],
    progress: &Progress,
) -> Result<(Shape, Zone)> {
    progress.report(0.5, objective.name())?;
    let numbers: Vec<u32> = (0..).zip(weights).filter(|(_, weight)| **weight > 0.0).map(|own| own.0).collect();
    let points: Vec<Point> = numbers.iter().map(|&number| gaussian.points[number as usize]).collect();
    let (shape, kind) = (gaussian.shape, gaussian.shape.kind());
    let found = match shape {
        Shape::Line { .. } => line(&points, &shape, progress)?,
        Shape::Plane { normal, .. } => plane(&points, &normal, progress)?,
        Shape::Circle { centre, normal, .. } => circle(objective, &points, &centre, &normal, progress)?,
        Shape::Sphere { centre, .. } => ball(objective, &points, 3, centre, progress)?.map(|ball| Found {
            shape: Shape::Sphere { centre: ball.centre, radius: ball.radius },
            contacts: ball.contacts,
            certified: ball.certified,
        }),
        _ => near(objective, &gaussian.solved.model, &shape, &points, progress)?,
    };
    let found = found.ok_or_else(|| match objective {
        Objective::MaximumInscribed => UserError::input(format!(
            "These points do not lie all around a {}: the largest one between them has no end. Measure more of it.",
            kind.name().to_lowercase()
        )),
        _ => undetermined(kind),
    })?;
    let mut contacts: Vec<u32> = found.contacts.iter().map(|&contact| numbers[contact]).collect();
    contacts.sort_unstable();
    contacts.dedup();
    let out_of_plane_mm = match shape {
        Shape::Circle { normal, .. } => {
            let [high, low] = passes::extremes(&points, |point| point.coords.dot(&normal));
            Some((high.0 - low.0) * gaussian.frame.size_mm)
        }
        _ => None,
    };
    Ok((found.shape, Zone { objective, certified: found.certified, contacts, out_of_plane_mm }))
}

fn line(points: &[Point], shape: &Shape, progress: &Progress) -> Result<Option<Found>> {
    let certified = |least: &line::Least| match (least.is_least, least.is_local) {
        (true, _) => Certificate::Exact,
        (false, true) => Certificate::Local,
        _ => Certificate::Open,
    };
    let least = line::least(points, shape, progress)?;
    Ok(least.map(|least| Found { shape: least.line, certified: certified(&least), contacts: least.contacts }))
}

fn plane(points: &[Point], normal: &Vector, progress: &Progress) -> Result<Option<Found>> {
    let Narrowest { place, heights, contacts, is_least } =
        lifted::narrowest(points, 3, [normal.x, normal.y, normal.z, 0.0], progress)?;
    let found = Vector::new(place[0], place[1], place[2]);
    // Heights grow against the normal, and the normal keeps its side.
    let side = if found.dot(normal) < 0.0 { -1.0 } else { 1.0 };
    let middle = -0.5 * side * (heights[0] + heights[1]) / found.norm();
    let normal = found.normalize() * side;
    let shape = Shape::Plane { point: Point::from(normal * middle), normal };
    Ok(Some(Found { shape, contacts, certified: exact_or_local(is_least) }))
}

fn circle(
    objective: Objective,
    points: &[Point],
    centre: &Point,
    normal: &Vector,
    progress: &Progress,
) -> Result<Option<Found>> {
    let x = any_square_to(normal);
    let y = normal.cross(&x);
    let flat = |point: &Point| Point::new(point.coords.dot(&x), point.coords.dot(&y), 0.0);
    let projected: Vec<Point> = points.iter().map(flat).collect();
    let level = normal * centre.coords.dot(normal);
    let ball = ball(objective, &projected, 2, flat(centre), progress)?;
    Ok(ball.map(|Ball { centre, radius, contacts, certified }| {
        let centre = Point::from(level + x * centre.x + y * centre.y);
        Found { shape: Shape::Circle { centre, normal: *normal, radius }, contacts, certified }
    }))
}

/// A circle or sphere.
struct Ball {
    centre: Point,
    radius: f64,
    contacts: Vec<usize>,
    certified: Certificate,
}

fn exact_or_local(is_best: bool) -> Certificate {
    if is_best { Certificate::Exact } else { Certificate::Local }
}

fn ball(
    objective: Objective,
    points: &[Point],
    dimensions: usize,
    start: Point,
    progress: &Progress,
) -> Result<Option<Ball>> {
    match objective {
        Objective::MinimumCircumscribed => {
            let enclosing::Ball { centre, radius, contacts } = enclosing::smallest(points);
            Ok(Some(Ball { centre, radius, contacts, certified: Certificate::Exact }))
        }
        Objective::MaximumInscribed => {
            let largest = inscribed::largest(points, dimensions, start, progress)?;
            Ok(largest.filter(|ball| ball.is_surrounded).map(|ball| Ball {
                centre: ball.centre,
                radius: ball.radius,
                contacts: ball.contacts,
                certified: exact_or_local(ball.is_greatest),
            }))
        }
        _ => {
            let Narrowest { place, heights, contacts, is_least } =
                lifted::narrowest(points, dimensions, [start.x, start.y, start.z, 1.0], progress)?;
            let direction = Vector::new(place[0], place[1], place[2]);
            if !(place[3] > FLAT * direction.norm()) {
                return Ok(None);
            }
            let [outer, inner] = heights.map(|height| lifted::away(&place, height) / place[3]);
            let certified = exact_or_local(is_least);
            let centre = Point::from(direction / place[3]);
            Ok(Some(Ball { centre, radius: 0.5 * (outer + inner), contacts, certified }))
        }
    }
}

/// Cylinders, cones and tori.
fn near(
    objective: Objective,
    gaussian: &Model,
    shape: &Shape,
    points: &[Point],
    progress: &Progress,
) -> Result<Option<Found>> {
    let size = |sides| (Task { sides, free: Form::Cylinder.motions().len() }, Model::of(shape));
    let (task, start): (Task, Model) = match objective {
        Objective::MinimumCircumscribed => size(&[1.0]),
        Objective::MaximumInscribed => size(&[-1.0]),
        _ => {
            let start = match gaussian.form {
                Form::FlatCone | Form::FlatTorus => Model::of(shape),
                _ => *gaussian,
            };
            (Task { sides: &[1.0, -1.0], free: start.form.parameters() }, start)
        }
    };
    let settled = settle(task, &start, points, true, progress)?;
    let is_held = |settled: &Settled| settled.is_balanced || objective != Objective::MaximumInscribed;
    let Some(Settled { mut model, half, contacts, is_local, .. }) = settled.filter(is_held) else { return Ok(None) };
    match objective {
        Objective::MinimumCircumscribed => model.numbers[0] += half,
        Objective::MaximumInscribed => model.numbers[0] -= half,
        _ => {
            let [high, low] = passes::extremes(points, |point| shape.distance(point));
            if high.0 - low.0 < 2.0 * half - ROUNDING {
                // Points that hardly hold a shape led nowhere better.
                return Ok(Some(Found { shape: *shape, contacts: vec![high.1, low.1], certified: Certificate::Open }));
            }
        }
    }
    let certified = match is_local {
        // No zone is narrower than none.
        _ if objective == Objective::MinimumZone && half < ROUNDING => Certificate::Exact,
        true => Certificate::Local,
        false => Certificate::Open,
    };
    Ok(model.shape().map(|shape| Found { shape, contacts, certified }))
}
