//! Rows of features: sizes, form and position against the nominal.

use super::{ResultRow, RowVerdict};
use crate::Document;
use crate::pipeline::State;
use crate::plan::Element;
use geometry::{Point, Pose, Vector};
use inspect::features::element::{Situation, acute_angle};
use inspect::features::measured::MeasuredFeature;
use inspect::features::{Element as Geometry, Shape};
use inspect::recipe::Product as _;

const AXES: [&str; 3] = ["X", "Y", "Z"];
/// Arc from which on a feature was seen all around, degrees.
const WHOLE_DEG: f64 = 330.0;
/// Sine of the angle to an axis below which nothing is determined along a direction: a point on it may lie anywhere.
const MIN_SINE: f64 = 0.02;

/// The rows of a feature with an up-to-date result: its sizes, and its position in the nominal frame. Positions are
/// compared with the nominal where the scan is aligned; their uncertainty is that of the feature, without the alignment.
pub(super) fn rows(document: &Document, element: &Element) -> Option<Vec<ResultRow>> {
    let own = document.result::<MeasuredFeature>(Some(element.id))?;
    let nominal = element.recipe.nominal();
    let pose = document.nominal_from_scan();
    let is_aligned = document.active.alignment.is_some_and(|id| document.state(id) == State::Fresh);
    let mut rows = sizes(element, own, nominal.as_ref());
    rows.extend(cone_angle(element, own, nominal.as_ref()));
    rows.extend(position(element, own, &pose, nominal.filter(|_| is_aligned)));
    let at = Some(own.element.moved(&pose).position());
    let is_open = own.converged() == Some(false);
    let notes = own.notes(&pose).join(" ");
    for row in &mut rows {
        row.at = at;
        row.why.clone_from(&notes);
        if is_open {
            (row.verdict, row.why) = (RowVerdict::NotJudged, "The fit did not converge.".to_owned());
        } else if let Some(doubt) = own.doubts().first() {
            (row.verdict, row.why) = (RowVerdict::NotJudged, doubt.clone());
        } else if row.why.is_empty() {
            row.why = remarks(own);
        }
    }
    Some(rows)
}

/// What stands beside the figures of a fit: on how much of a revolution they rest, and why they have no uncertainty.
fn remarks(own: &MeasuredFeature) -> String {
    let Some(fit) = own.fit() else { return String::new() };
    let mut remarks: Vec<String> = Vec::new();
    if let Some(arc_deg) = fit.arc_deg.filter(|arc_deg| *arc_deg < WHOLE_DEG) {
        remarks.push(format!("Seen over {arc_deg:.0}° of a revolution."));
    }
    if !fit.uncertainty.is_stated() {
        remarks.push("There are no more points than the fit needs, so that no uncertainty can be stated.".to_owned());
    }
    if let Some(radius_mm) = fit.uncertainty.min_radius_mm {
        remarks.push(format!("The arc does not determine the radius: at least {radius_mm:.4} mm."));
    }
    remarks.join(" ")
}

/// Its figures but for the RMS, which tells of the fit rather than of the part.
fn sizes(element: &Element, own: &MeasuredFeature, nominal: Option<&Geometry>) -> Vec<ResultRow> {
    let figures = own.figures().into_iter().filter(|figure| figure.name != "RMS");
    let row = |figure: inspect::recipe::Figure| {
        let nominal = nominal.and_then(|own| nominal_size(&figure.name, own));
        ResultRow::new(element, figure.name, figure.unit).measured(nominal, Some(figure.value), figure.uncertainty)
    };
    figures.map(row).collect()
}

/// A size of a nominal, mm, by the name of the figure that it is compared with; `None` if it has no such size.
pub(super) fn nominal_size(name: &str, nominal: &Geometry) -> Option<f64> {
    let Geometry::Shape(shape) = nominal else { return None };
    match (name, *shape) {
        ("Diameter", Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. }) => {
            Some(2.0 * radius)
        }
        ("Major radius", Shape::Torus { major, .. }) => Some(major),
        ("Minor radius", Shape::Torus { minor, .. }) => Some(minor),
        _ => None,
    }
}

fn cone_angle(element: &Element, own: &MeasuredFeature, nominal: Option<&Geometry>) -> Option<ResultRow> {
    let angle_deg = |element: &Geometry| match element {
        Geometry::Shape(Shape::Cone { half_angle_rad, .. }) => Some(2.0 * half_angle_rad.to_degrees()),
        _ => None,
    };
    let actual = angle_deg(&own.element)?;
    let half_rad = own.fit().and_then(|fit| fit.uncertainty.numbers.get(1).copied());
    let uncertainty = half_rad.map(|own| 2.0 * own.to_degrees());
    Some(ResultRow::new(element, "Cone angle", "°").measured(nominal.and_then(angle_deg), Some(actual), uncertainty))
}

/// Where it lies: the coordinates of a centre, of an axis beside the reference point of its nominal, or the offset of a
/// plane along its nominal's normal; and the angle between both.
fn position(element: &Element, own: &MeasuredFeature, pose: &Pose, nominal: Option<Geometry>) -> Vec<ResultRow> {
    let there = own.element.moved(pose);
    let uncertainty = |direction: Vector, at: &Point| expanded(own, pose, &direction, at);
    let coordinates = |at: Point, nominal: Option<Point>| {
        let axes = [Vector::x(), Vector::y(), Vector::z()];
        let one = move |(axis, direction): (usize, Vector)| {
            let nominal = nominal.map(|own| own[axis]);
            ResultRow::new(element, AXES[axis], "mm").measured(nominal, Some(at[axis]), uncertainty(direction, &at))
        };
        axes.into_iter().enumerate().map(one).collect::<Vec<_>>()
    };
    let mut rows = match (there.situation(), nominal.map(|own| own.situation())) {
        (Situation::Point(centre), Some(Situation::Point(nominal))) => coordinates(centre, Some(nominal)),
        (Situation::Point(centre), _) => coordinates(centre, None),
        (Situation::Line(line), Some(Situation::Line(nominal))) => {
            coordinates(line.foot(&nominal.point), Some(nominal.point))
        }
        (Situation::Plane(plane), Some(Situation::Plane(nominal))) => {
            let offset = nominal.height(&plane.point);
            let row = ResultRow::new(element, "Offset along the normal", "mm");
            vec![row.measured(Some(0.0), Some(offset), uncertainty(nominal.normal, &plane.point))]
        }
        _ => Vec::new(),
    };
    let directions = there.direction().zip(nominal.and_then(|own| own.direction()));
    rows.extend(directions.map(|(actual, nominal)| {
        let uncertainty = own.fit().map(|fit| fit.uncertainty.direction_rad.to_degrees());
        let angle_deg = acute_angle(&actual, &nominal).to_degrees();
        ResultRow::new(element, "Angle to the nominal", "°").measured(Some(0.0), Some(angle_deg), uncertainty)
    }));
    rows
}

/// Expanded uncertainty (k = 2) of a point of a feature along a direction, both nominal frame, mm; `None` if it has none.
fn expanded(own: &MeasuredFeature, pose: &Pose, direction: &Vector, at: &Point) -> Option<f64> {
    let known = own.known(&[]);
    known.motion.filter(|_| !known.is_unstated)?;
    let is_undetermined = own.fit().is_some_and(|fit| !fit.uncertainty.position_mm.is_finite());
    if is_undetermined || is_along_axis(own, pose, direction) {
        return None;
    }
    let (direction, at) = (pose.rotation.inverse() * direction, pose.inverse() * at);
    let variance = direction.dot(&(known.displacement_covariance(&at) * direction));
    Some(2.0 * variance.max(0.0).sqrt())
}

/// Whether a direction, nominal frame, runs along the axis of a feature.
fn is_along_axis(own: &MeasuredFeature, pose: &Pose, direction: &Vector) -> bool {
    match own.element.situation() {
        Situation::Line(line) => (pose.rotation * line.direction).cross(direction).norm() < MIN_SINE,
        _ => false,
    }
}
