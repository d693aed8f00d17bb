//! Form: flatness, straightness, circularity and cylindricity.
//!
//! The value is the width (of lines the diameter) of the zone about a reference: the minimum zone where the feature
//! carries one, which is what ISO 1101:2017 takes where nothing else is stated, else its least-squares fit, whose zone
//! is never smaller. The parameters are those of ISO 12780-1 (straightness), 12781-1 (flatness), 12181-1 (roundness)
//! and 12180-1 (cylindricity); the texts were not available to check against.

use super::feature::{Actual, mean};
use super::{Measured, extents, sections};
use crate::features::element::{Situation, Straight};
use crate::features::in_plane::fit_in_plane;
use crate::features::{Element, Kind, Options, Shape, fit};
use base::{Progress, Result};
use geometry::{Point, Vector};

/// Points that leave a circle a form error.
const LEAST_OF_CIRCLE: usize = 4;

/// The shape that the zone is about: that of the minimum zone, where it is of the element's kind.
fn reference(actual: &Actual<'_>, kind: Kind, asked: &str) -> Result<(Shape, &'static str)> {
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

/// Greatest less least of signed distances, and the farthest point.
fn spread(points: &[Point], distance: impl Fn(&Point) -> f64, how: String) -> Measured {
    let worst = extents::greatest(points.iter().map(|point| distance(point).abs())).0;
    Measured::new(extents::range(points.iter().map(distance)), points.get(worst).copied(), how)
}

/// Width of the zone between two parallel planes: greatest less least distance.
pub(super) fn flatness(actual: &Actual<'_>) -> Result<Measured> {
    let (plane, about) = reference(actual, Kind::Plane, "flatness needs a plane")?;
    let points = actual.points(4)?;
    Ok(spread(points, |point| plane.distance(point), format!("greatest less least distance from {about}")))
}

/// Difference of the radii of the two cylinders about the axis that hold the surface between them.
pub(super) fn cylindricity(actual: &Actual<'_>) -> Result<Measured> {
    let (cylinder, about) = reference(actual, Kind::Cylinder, "cylindricity needs a cylinder")?;
    let points = actual.points(6)?;
    Ok(spread(
        points,
        |point| cylinder.distance(point),
        format!("greatest less least radius about the axis of {about}"),
    ))
}

/// Difference of the radii of two circles about one centre: of the points of a circle, or of the section of a cylinder
/// for which it is greatest.
pub(super) fn circularity(actual: &Actual<'_>, section_mm: Option<f64>) -> Result<Measured> {
    if let (Situation::Line(axis), Element::Shape(Shape::Cylinder { .. })) =
        (actual.element.situation(), actual.element)
    {
        return of_sections(actual, &axis, section_mm);
    }
    let (circle, about) = reference(actual, Kind::Circle, "circularity needs a circle or a cylinder")?;
    let points = actual.points(LEAST_OF_CIRCLE)?;
    let centre =
        Straight { point: circle.place(), direction: circle.direction().unwrap_or_else(Vector::z).normalize() };
    let radius = points.iter().map(|point| centre.distance(point)).sum::<f64>() / points.len() as f64;
    let how = format!("greatest less least radius in the plane about the centre of {about}");
    Ok(spread(points, |point| centre.distance(point) - radius, how))
}

fn of_sections(actual: &Actual<'_>, axis: &Straight, section_mm: Option<f64>) -> Result<Measured> {
    let sections = sections::across(actual.points(LEAST_OF_CIRCLE)?, axis, section_mm, LEAST_OF_CIRCLE)?;
    let mut most: Option<Measured> = None;
    for section in &sections {
        let plane = Shape::Plane { point: mean(section), normal: axis.direction };
        let circle = fit_in_plane(Kind::Circle, section, &[], &plane, &Options::default(), &Progress::silent())?;
        let worst = extents::greatest(circle.residuals_mm.iter().map(|own| own.abs())).0;
        if most.as_ref().is_none_or(|most| circle.form_error_mm > most.value_mm) {
            let how = format!(
                "greatest less least radius about the centre of the least-squares circle, whose zone is never smaller \
                 than the minimum zone; the worst of {} sections",
                sections.len()
            );
            most = Some(Measured::new(circle.form_error_mm, section.get(worst).copied(), how));
        }
    }
    most.ok_or_else(|| actual.unfit("circularity needs a section"))
}

/// Diameter of the least cylinder, along the reference line, that holds the points of a line or the median line of a
/// cylinder or cone.
pub(super) fn straightness(actual: &Actual<'_>, section_mm: Option<f64>) -> Result<Measured> {
    let asked = "straightness needs a line, or a cylinder or cone for its axis";
    let Situation::Line(axis) = actual.element.situation() else { return Err(actual.unfit(asked)) };
    if let Element::Shape(Shape::Line { .. }) = actual.element {
        let (line, about) = reference(actual, Kind::Line, asked)?;
        let direction = line.direction().unwrap_or(axis.direction).normalize();
        let zone = extents::across(actual.points(3)?, &direction);
        let how = format!("diameter of the least cylinder about the points, in the direction of {about}");
        return Ok(Measured::new(zone.size_mm, Some(zone.worst), how));
    }
    let silent = Progress::silent();
    let middle = sections::median_line(actual.points(6)?, &axis, section_mm, &silent)?;
    if middle.len() < 3 {
        return Err(actual.unfit("its axis shows in fewer than 3 sections; take thinner ones or measure more of it"));
    }
    let line = fit(Kind::Line, &middle, &[], &Options::default(), &silent)?;
    let zone = extents::across(&middle, &line.shape.direction().unwrap_or(axis.direction));
    let how = format!(
        "diameter of the least cylinder about the centres of {} sections, in the direction of their least-squares \
         line, whose zone is never smaller than the minimum zone",
        middle.len()
    );
    Ok(Measured::new(zone.size_mm, Some(zone.worst), how))
}
