//! Chebyshev fits: minimum zone, minimum circumscribed and maximum inscribed features.
//!
//! All start from the Gaussian fit, in units of the points' size about their centroid. Where a global bound is
//! available, the fit is exact, i.e. the global optimum: lines, planes, circles and spheres. Cylinders, cones and tori
//! are optimal near the Gaussian fit, which is what a drawing means if another axis would give a narrower zone.

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

use super::fits::Objective;
use super::fits::model::{Form, Model, any_perpendicular};
use super::fits::shape::Shape;
use super::fits::{GaussianFit, undetermined};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};
use lifted::NarrowestZone;
use local::{LocalOptimum, MinimaxTask, optimise};

/// Differences that a search considers irrelevant: as a share of the zone width, and rounding in units of the points'
/// size.
const RELATIVE_TOLERANCE: f64 = 1e-10;
const ROUNDING: f64 = 1e-14;
/// Minimum multiplier of a contact; below it the point does not determine the zone.
const MIN_MULTIPLIER: f64 = 1e-9;
/// Minimum curvature, in units of the inverse size of the points; below it a surface is flat.
const MIN_CURVATURE: f64 = 1e-9;

/// What was proven about the optimality of a fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Certificate {
    /// Global optimum: no feature of the kind anywhere is better by more than 1e-10 of the zone and the rounding of the
    /// coordinates.
    Exact,
    /// Local optimum: the contacts are equidistant and in equilibrium (Kuhn-Tucker conditions) to 1e-12 of the size of
    /// the points, and the second-order conditions hold.
    Local,
    /// The best fit found; nothing could be proven.
    Open,
}

/// Contacts and optimality of a fit with a criterion other than Gaussian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// The association criterion.
    pub objective: Objective,
    /// What was proven about its optimality.
    pub certified: Certificate,
    /// Indices of the points that determine it, ascending: without them the fit would be different. Other points may be
    /// in contact as well.
    pub contacts: Vec<u32>,
    /// Circles only: spread of the points along the normal, mm, which is not part of the zone. The plane of the circle
    /// is that of its Gaussian fit, and the zone is that of the points projected onto it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_plane_mm: Option<f64>,
}

/// Signed distance of a point from the fit, mm; for circles in their plane.
pub(super) fn deviation(shape: &Shape, point: &Point) -> f64 {
    match shape {
        Shape::Circle { centre, normal, radius } => (point - centre).cross(normal).norm() - radius,
        _ => shape.distance(point),
    }
}

/// A fitted shape, the indices of its contacts, and what was proven.
struct ZoneFit {
    shape: Shape,
    contacts: Vec<usize>,
    certified: Certificate,
}

/// The fit to the points of positive weight, in the units of the Gaussian one.
///
/// Returns an error if the points do not determine it, or if cancelled.
pub(super) fn find(
    objective: Objective,
    gaussian: &GaussianFit,
    weights: &[f64],
    progress: &Progress,
) -> Result<(Shape, Zone)> {
    progress.report(0.5, objective.name())?;
    let indices: Vec<u32> = (0..).zip(weights).filter(|(_, weight)| **weight > 0.0).map(|own| own.0).collect();
    let points: Vec<Point> = indices.iter().map(|&index| gaussian.points[index as usize]).collect();
    let (shape, kind) = (gaussian.shape, gaussian.shape.kind());
    let found = match shape {
        Shape::Line { .. } => line(&points, &shape, progress)?,
        Shape::Plane { normal, .. } => plane(&points, &normal, progress)?,
        Shape::Circle { centre, normal, .. } => circle(objective, &points, &centre, &normal, progress)?,
        Shape::Sphere { centre, .. } => round_fit(objective, &points, 3, centre, progress)?.map(|fitted| ZoneFit {
            shape: Shape::Sphere { centre: fitted.centre, radius: fitted.radius },
            contacts: fitted.contacts,
            certified: fitted.certified,
        }),
        _ => local_fit(objective, &gaussian.solved.model, &shape, &points, progress)?,
    };
    let found = found.ok_or_else(|| match objective {
        Objective::MaximumInscribed => UserError::input(format!(
            "These points do not surround a {}: the maximum inscribed one is unbounded. Measure more of it.",
            kind.name().to_lowercase()
        )),
        _ => undetermined(kind),
    })?;
    let mut contacts: Vec<u32> = found.contacts.iter().map(|&contact| indices[contact]).collect();
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

fn line(points: &[Point], shape: &Shape, progress: &Progress) -> Result<Option<ZoneFit>> {
    let certified = |cylinder: &line::EnclosingCylinder| match (cylinder.is_proven, cylinder.is_local) {
        (true, _) => Certificate::Exact,
        (false, true) => Certificate::Local,
        _ => Certificate::Open,
    };
    let cylinder = line::smallest_cylinder(points, shape, progress)?;
    Ok(cylinder.map(|cylinder| ZoneFit {
        shape: cylinder.line,
        certified: certified(&cylinder),
        contacts: cylinder.contacts,
    }))
}

fn plane(points: &[Point], normal: &Vector, progress: &Progress) -> Result<Option<ZoneFit>> {
    let NarrowestZone { coordinates, heights, contacts, is_proven } =
        lifted::narrowest(points, 3, [normal.x, normal.y, normal.z, 0.0], progress)?;
    let fitted = Vector::new(coordinates[0], coordinates[1], coordinates[2]);
    // Heights increase against `fitted`; the normal is kept on the side of the Gaussian one.
    let side = if fitted.dot(normal) < 0.0 { -1.0 } else { 1.0 };
    let centre_height = -0.5 * side * (heights[0] + heights[1]) / fitted.norm();
    let normal = fitted.normalize() * side;
    let shape = Shape::Plane { point: Point::from(normal * centre_height), normal };
    Ok(Some(ZoneFit { shape, contacts, certified: exact_or_local(is_proven) }))
}

fn circle(
    objective: Objective,
    points: &[Point],
    centre: &Point,
    normal: &Vector,
    progress: &Progress,
) -> Result<Option<ZoneFit>> {
    let x = any_perpendicular(normal);
    let y = normal.cross(&x);
    let project = |point: &Point| Point::new(point.coords.dot(&x), point.coords.dot(&y), 0.0);
    let projected: Vec<Point> = points.iter().map(project).collect();
    let level = normal * centre.coords.dot(normal);
    let fitted = round_fit(objective, &projected, 2, project(centre), progress)?;
    Ok(fitted.map(|RoundFit { centre, radius, contacts, certified }| {
        let centre = Point::from(level + x * centre.x + y * centre.y);
        ZoneFit { shape: Shape::Circle { centre, normal: *normal, radius }, contacts, certified }
    }))
}

/// A circle or sphere.
struct RoundFit {
    centre: Point,
    radius: f64,
    contacts: Vec<usize>,
    certified: Certificate,
}

fn exact_or_local(is_global: bool) -> Certificate {
    if is_global { Certificate::Exact } else { Certificate::Local }
}

fn round_fit(
    objective: Objective,
    points: &[Point],
    dimensions: usize,
    start: Point,
    progress: &Progress,
) -> Result<Option<RoundFit>> {
    match objective {
        Objective::MinimumCircumscribed => {
            let enclosing::Ball { centre, radius, contacts } = enclosing::smallest(points);
            Ok(Some(RoundFit { centre, radius, contacts, certified: Certificate::Exact }))
        }
        Objective::MaximumInscribed => {
            let largest = inscribed::largest(points, dimensions, start, progress)?;
            Ok(largest.filter(|ball| ball.is_surrounded).map(|ball| RoundFit {
                centre: ball.centre,
                radius: ball.radius,
                contacts: ball.contacts,
                certified: exact_or_local(ball.is_proven),
            }))
        }
        _ => {
            let NarrowestZone { coordinates, heights, contacts, is_proven } =
                lifted::narrowest(points, dimensions, [start.x, start.y, start.z, 1.0], progress)?;
            let direction = Vector::new(coordinates[0], coordinates[1], coordinates[2]);
            if !(coordinates[3] > MIN_CURVATURE * direction.norm()) {
                return Ok(None);
            }
            let [outer, inner] = heights.map(|height| lifted::scaled_distance(&coordinates, height) / coordinates[3]);
            let certified = exact_or_local(is_proven);
            let centre = Point::from(direction / coordinates[3]);
            Ok(Some(RoundFit { centre, radius: 0.5 * (outer + inner), contacts, certified }))
        }
    }
}

/// Local fit of cylinders, cones and tori.
fn local_fit(
    objective: Objective,
    gaussian: &Model,
    shape: &Shape,
    points: &[Point],
    progress: &Progress,
) -> Result<Option<ZoneFit>> {
    let size = |sides| (MinimaxTask { sides, free: Form::Cylinder.motions().len() }, Model::of(shape));
    let (task, start): (MinimaxTask, Model) = match objective {
        Objective::MinimumCircumscribed => size(&[1.0]),
        Objective::MaximumInscribed => size(&[-1.0]),
        _ => {
            let start = match gaussian.form {
                Form::FlatCone | Form::FlatTorus => Model::of(shape),
                _ => *gaussian,
            };
            (MinimaxTask { sides: &[1.0, -1.0], free: start.form.parameters() }, start)
        }
    };
    let optimum = optimise(task, &start, points, true, progress)?;
    let is_determined = |optimum: &LocalOptimum| optimum.is_balanced || objective != Objective::MaximumInscribed;
    let Some(LocalOptimum { mut model, half, contacts, is_local, .. }) = optimum.filter(is_determined) else {
        return Ok(None);
    };
    match objective {
        Objective::MinimumCircumscribed => model.shape_parameters[0] += half,
        Objective::MaximumInscribed => model.shape_parameters[0] -= half,
        _ => {
            let [high, low] = passes::extremes(points, |point| shape.distance(point));
            if high.0 - low.0 < 2.0 * half - ROUNDING {
                // The points barely determine a shape, and the iteration led to nothing better.
                return Ok(Some(ZoneFit {
                    shape: *shape,
                    contacts: vec![high.1, low.1],
                    certified: Certificate::Open,
                }));
            }
        }
    }
    let certified = match is_local {
        // No zone is narrower than zero.
        _ if objective == Objective::MinimumZone && half < ROUNDING => Certificate::Exact,
        true => Certificate::Local,
        false => Certificate::Open,
    };
    Ok(model.shape().map(|shape| ZoneFit { shape, contacts, certified }))
}
