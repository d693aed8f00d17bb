//! Run-out about a datum axis.
//!
//! Radial: how much the distance from the axis varies, over each section (circular) or over all (total). Axial: how
//! much the height along the axis varies over each ring about it, or over all.

use super::feature::Actual;
use super::{Measured, Scene, Tolerance, extents, sections};
use crate::features::element::Straight;
use crate::features::{Element, Kind};
use base::Result;
use geometry::Point;

/// Points of a section that can show run-out.
const LEAST: usize = 3;

/// The greatest run-out of any section.
pub(super) fn circular(
    scene: &Scene<'_>,
    tolerance: &Tolerance,
    actual: &Actual<'_>,
    section_mm: Option<f64>,
) -> Result<Measured> {
    let axis = scene.system(tolerance)?.axis()?;
    let points = actual.points(LEAST)?;
    let (sections, is_axial) = match kind(actual) {
        Some(Kind::Circle) => (vec![points.to_vec()], false),
        Some(Kind::Cylinder) => (sections::across(points, &axis, section_mm, LEAST)?, false),
        Some(Kind::Plane) => (sections::slices(points, |point| axis.distance(point), section_mm, LEAST)?, true),
        _ => return Err(actual.unfit("circular run-out needs a circle, a cylinder or a plane")),
    };
    let of = |section: &Vec<Point>| varies(section, &axis, is_axial);
    let (worst, most) = extents::greatest(sections.iter().map(|section| of(section).0));
    let how = format!("{}; the worst of {} sections", formula(is_axial), sections.len());
    Ok(Measured::new(most, sections.get(worst).map(|section| of(section).1), how))
}

/// The run-out of the whole surface.
pub(super) fn total(scene: &Scene<'_>, tolerance: &Tolerance, actual: &Actual<'_>) -> Result<Measured> {
    let axis = scene.system(tolerance)?.axis()?;
    let is_axial = match kind(actual) {
        Some(Kind::Cylinder) => false,
        Some(Kind::Plane) => true,
        _ => return Err(actual.unfit("total run-out needs a cylinder or a plane")),
    };
    let (size, worst) = varies(actual.points(LEAST)?, &axis, is_axial);
    Ok(Measured::new(size, Some(worst), format!("{} over the whole surface", formula(is_axial))))
}

fn kind(actual: &Actual<'_>) -> Option<Kind> {
    match actual.element {
        Element::Shape(shape) => Some(shape.kind()),
        Element::Point(_) => None,
    }
}

fn formula(is_axial: bool) -> &'static str {
    if is_axial {
        "greatest less least height along the datum axis"
    } else {
        "greatest less least distance from the datum axis"
    }
}

/// The variation of points (at least one), and the one farthest from their middle value.
fn varies(points: &[Point], axis: &Straight, is_axial: bool) -> (f64, Point) {
    let value = |point: &Point| {
        if is_axial { (point - axis.point).dot(&axis.direction) } else { axis.distance(point) }
    };
    let mean = points.iter().map(value).sum::<f64>() / points.len() as f64;
    let worst = extents::greatest(points.iter().map(|point| (value(point) - mean).abs())).0;
    (extents::range(points.iter().map(value)), points[worst])
}
