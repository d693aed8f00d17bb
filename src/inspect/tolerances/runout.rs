//! Run-out about a datum axis.
//!
//! Radial: variation of the distance from the axis in each section (circular) or over the whole surface (total). Axial:
//! variation of the height along the axis in each ring about it, or over the whole surface.

use super::feature::ActualFeature;
use super::{CheckContext, Measurement, Tolerance, extents, sections};
use crate::features::element::Line;
use crate::features::{Element, Kind};
use base::Result;
use geometry::Point;

/// Minimum number of points of a section.
const MIN_POINTS: usize = 3;

/// The maximum run-out over all sections.
pub(super) fn circular(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
    section_mm: Option<f64>,
) -> Result<Measurement> {
    let axis = context.system(tolerance)?.axis()?;
    let points = actual.points(MIN_POINTS)?;
    let (sections, is_axial) = match kind(actual) {
        Some(Kind::Circle) => (vec![points.to_vec()], false),
        Some(Kind::Cylinder) => (sections::across(points, &axis, section_mm, MIN_POINTS)?, false),
        Some(Kind::Plane) => (sections::slices(points, |point| axis.distance(point), section_mm, MIN_POINTS)?, true),
        _ => return Err(actual.unfit("circular run-out needs a circle, a cylinder or a plane")),
    };
    let in_section = |section: &Vec<Point>| variation(section, &axis, is_axial);
    let (worst, max_mm) = extents::max_with_index(sections.iter().map(|section| in_section(section).0));
    let how = format!("{}; maximum of {} sections", formula(is_axial), sections.len());
    Ok(Measurement::new(max_mm, sections.get(worst).map(|section| in_section(section).1), how))
}

/// The run-out of the whole surface.
pub(super) fn total(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
) -> Result<Measurement> {
    let axis = context.system(tolerance)?.axis()?;
    let is_axial = match kind(actual) {
        Some(Kind::Cylinder) => false,
        Some(Kind::Plane) => true,
        _ => return Err(actual.unfit("total run-out needs a cylinder or a plane")),
    };
    let (size, worst) = variation(actual.points(MIN_POINTS)?, &axis, is_axial);
    Ok(Measurement::new(size, Some(worst), format!("{} over the whole surface", formula(is_axial))))
}

fn kind(actual: &ActualFeature<'_>) -> Option<Kind> {
    match actual.element {
        Element::Shape(shape) => Some(shape.kind()),
        Element::Point(_) => None,
    }
}

fn formula(is_axial: bool) -> &'static str {
    if is_axial {
        "maximum minus minimum height along the datum axis"
    } else {
        "maximum minus minimum distance from the datum axis"
    }
}

/// The variation of points (at least one), and the point farthest from their mean.
fn variation(points: &[Point], axis: &Line, is_axial: bool) -> (f64, Point) {
    let value = |point: &Point| {
        if is_axial { (point - axis.point).dot(&axis.direction) } else { axis.distance(point) }
    };
    let mean = points.iter().map(value).sum::<f64>() / points.len() as f64;
    let worst = extents::max_with_index(points.iter().map(|point| (value(point) - mean).abs())).0;
    (extents::range(points.iter().map(value)), points[worst])
}
