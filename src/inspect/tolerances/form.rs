//! Form: flatness, straightness, circularity and cylindricity.
//!
//! The value is the width (for lines the diameter) of the zone about a reference: the minimum zone if the feature has
//! one, which ISO 1101:2017 requires by default, else its least-squares fit, whose zone is never smaller. The
//! parameters are those of ISO 12780-1 (straightness), 12781-1 (flatness), 12181-1 (roundness) and 12180-1
//! (cylindricity); the texts were not available to check against.

use super::feature::{ActualFeature, mean};
use super::{Measurement, extents, sections};
use crate::features::element::{Line, Situation};
use crate::features::fits::in_plane::fit_in_plane;
use crate::features::{Element, Kind, Options, Shape, fit};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Minimum number of points of a circle for a form error.
pub(super) const MIN_CIRCLE_POINTS: usize = 4;

/// The reference shape of the zone: that of the minimum zone if it is of the required kind, else the element.
fn reference(actual: &ActualFeature<'_>, kind: Kind, asked: &str) -> Result<(Shape, &'static str)> {
    let Element::Shape(shape) = actual.element else { return Err(actual.unfit(asked)) };
    if shape.kind() != kind {
        return Err(actual.unfit(asked));
    }
    match actual.feature.minimum_zone {
        Some(zone) if zone.kind() == kind => {
            Element::from(zone).checked()?;
            Ok((zone, "the minimum zone"))
        }
        _ => Ok((shape, "the least-squares fit, whose zone is never smaller than the minimum zone")),
    }
}

/// Maximum minus minimum of signed distances, and the point farthest from the reference.
fn spread(points: &[Point], distance: impl Fn(&Point) -> f64, how: String) -> Measurement {
    let worst = extents::max_with_index(points.iter().map(|point| distance(point).abs())).0;
    Measurement::new(extents::range(points.iter().map(distance)), points.get(worst).copied(), how)
}

/// Width of the zone between two parallel planes: maximum minus minimum distance.
pub(super) fn flatness(actual: &ActualFeature<'_>) -> Result<Measurement> {
    let (plane, about) = reference(actual, Kind::Plane, "flatness needs a plane")?;
    let points = actual.points(4)?;
    Ok(spread(points, |point| plane.distance(point), format!("maximum minus minimum distance from {about}")))
}

/// Difference of the radii of two coaxial cylinders that enclose the surface.
pub(super) fn cylindricity(actual: &ActualFeature<'_>) -> Result<Measurement> {
    let (cylinder, about) = reference(actual, Kind::Cylinder, "cylindricity needs a cylinder")?;
    let points = actual.points(6)?;
    Ok(spread(
        points,
        |point| cylinder.distance(point),
        format!("maximum minus minimum radius about the axis of {about}"),
    ))
}

/// Difference of the radii of two concentric circles that enclose the points of a circle, or the maximum over the
/// sections of a cylinder.
pub(super) fn circularity(actual: &ActualFeature<'_>, section_mm: Option<f64>) -> Result<Measurement> {
    if let (Situation::Line(axis), Element::Shape(Shape::Cylinder { .. })) =
        (actual.element.situation(), actual.element)
    {
        return of_sections(actual, &axis, section_mm);
    }
    let (circle, about) = reference(actual, Kind::Circle, "circularity needs a circle or a cylinder")?;
    let points = actual.points(MIN_CIRCLE_POINTS)?;
    let centre = Line { point: circle.position(), direction: circle.direction().unwrap_or_else(Vector::z).normalize() };
    let radius = points.iter().map(|point| centre.distance(point)).sum::<f64>() / points.len() as f64;
    let how = format!("maximum minus minimum radius in the plane about the centre of {about}");
    Ok(spread(points, |point| centre.distance(point) - radius, how))
}

fn of_sections(actual: &ActualFeature<'_>, axis: &Line, section_mm: Option<f64>) -> Result<Measurement> {
    let sections = match &actual.feature.filtered_sections {
        Some(filtered) => filtered.clone(),
        None => sections::across(actual.points(MIN_CIRCLE_POINTS)?, axis, section_mm, MIN_CIRCLE_POINTS)?,
    };
    let mut max: Option<Measurement> = None;
    for section in &sections {
        let plane = Shape::Plane { point: mean(section), normal: axis.direction };
        let circle = fit_in_plane(Kind::Circle, section, &[], &plane, &Options::default(), &Progress::silent())?;
        let worst = extents::max_with_index(circle.residuals_mm.iter().map(|own| own.abs())).0;
        if max.as_ref().is_none_or(|max| circle.form_error_mm > max.value_mm) {
            let how = format!(
                "maximum minus minimum radius about the centre of the least-squares circle, whose zone is never \
                 smaller than the minimum zone; maximum of {} sections",
                sections.len()
            );
            max = Some(Measurement::new(circle.form_error_mm, section.get(worst).copied(), how));
        }
    }
    max.ok_or_else(|| actual.unfit("circularity needs a section"))
}

/// Diameter of the smallest cylinder, along the reference line, that encloses the points of a line or the median line
/// of a cylinder or cone.
pub(super) fn straightness(actual: &ActualFeature<'_>, section_mm: Option<f64>) -> Result<Measurement> {
    let asked = "straightness needs a line, or a cylinder or cone for its axis";
    let Situation::Line(axis) = actual.element.situation() else { return Err(actual.unfit(asked)) };
    if let Element::Shape(Shape::Line { .. }) = actual.element {
        let (line, about) = reference(actual, Kind::Line, asked)?;
        let direction = line.direction().unwrap_or(axis.direction).normalize();
        let zone = extents::across(actual.points(3)?, &direction);
        let how = format!("diameter of the smallest cylinder that encloses the points, in the direction of {about}");
        return Ok(Measurement::new(zone.size_mm, Some(zone.worst), how));
    }
    let silent = Progress::silent();
    let median_line = sections::median_line(actual.points(6)?, &axis, section_mm, &silent)?;
    if median_line.len() < 3 {
        return Err(actual.unfit("its axis was found in fewer than 3 sections; use thinner ones or measure more of it"));
    }
    let line = fit(Kind::Line, &median_line, &[], &Options::default(), &silent)?;
    let zone = extents::across(&median_line, &line.shape.direction().unwrap_or(axis.direction));
    let how = format!(
        "diameter of the smallest cylinder that encloses the centres of {} sections, in the direction of their \
         least-squares line, whose zone is never smaller than the minimum zone",
        median_line.len()
    );
    Ok(Measurement::new(zone.size_mm, Some(zone.worst), how))
}
