//! Elements constructed from other elements: intersections, projections, mid-elements, patterns, offsets.
//!
//! A project stores the [`Construction`] and the names of its source elements, from which it is recomputed. If the
//! sources do not determine the result, the error states the actual angle or length and the limit.

pub mod intersection;
pub mod middle;
pub mod pattern;
pub mod projection;

use serde::{Deserialize, Serialize};

use super::element::{Element, Plane, Situation, acute_angle, degrees_text};
use super::{Fit, Shape};
use base::{Progress, Result, UserError};
use geometry::Point;
pub use intersection::{ClosestApproach, Section};

/// A construction of an element from other elements.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "construction", rename_all = "snake_case")]
pub enum Construction {
    /// Two planes: their line. Three planes: their point. A line or axis and a plane: their point, and of a cylinder
    /// also its section. Two lines: the midpoint of their closest approach.
    Intersection,
    /// The first element projected onto the second: a point (or centre) or a line (or axis) onto a plane, a point onto
    /// a line.
    Projection,
    /// Midpoint of two points, mid-line of two lines or mid-plane of two planes.
    Middle,
    /// The symmetry plane of two points or centres.
    SymmetryPlane,
    /// A point (or centre) mirrored in a plane.
    Mirrored,
    /// The least-squares circle through at least three centres.
    BoltCircle,
    /// The least-squares line through at least two centres.
    LineThrough,
    /// A plane parallel to another.
    OffsetPlane {
        /// Signed distance along its normal, mm.
        offset_mm: f64,
    },
}

impl Construction {
    /// One of each; the plane's offset is 0.
    pub const ALL: [Self; 8] = [
        Self::Intersection,
        Self::Projection,
        Self::Middle,
        Self::SymmetryPlane,
        Self::Mirrored,
        Self::BoltCircle,
        Self::LineThrough,
        Self::OffsetPlane { offset_mm: 0.0 },
    ];

    /// Display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intersection => "Intersection",
            Self::Projection => "Projection",
            Self::Middle => "Mid-element",
            Self::SymmetryPlane => "Symmetry plane",
            Self::Mirrored => "Mirrored point",
            Self::BoltCircle => "Bolt circle",
            Self::LineThrough => "Line through centres",
            Self::OffsetPlane { .. } => "Offset plane",
        }
    }

    /// The elements it is constructed from, as a sentence for the operator.
    pub fn takes(self) -> &'static str {
        match self {
            Self::Intersection => "Two or three planes, a line or axis and a plane, or two lines.",
            Self::Projection => {
                "A point, centre, line or axis, then the plane to project it onto; or a point, then a line."
            }
            Self::Middle => "Two points or centres, two lines or axes, or two planes.",
            Self::SymmetryPlane => "Two points or centres.",
            Self::Mirrored => "A point or centre, then the plane it is mirrored in.",
            Self::BoltCircle => "Three centres or more.",
            Self::LineThrough => "Two centres or more.",
            Self::OffsetPlane { .. } => "A plane.",
        }
    }

    /// Minimum number of source elements, and the maximum if there is one.
    pub fn parts(self) -> (usize, Option<usize>) {
        match self {
            Self::Intersection => (2, Some(3)),
            Self::Projection | Self::Middle | Self::SymmetryPlane | Self::Mirrored => (2, Some(2)),
            Self::BoltCircle => (3, None),
            Self::LineThrough => (2, None),
            Self::OffsetPlane { .. } => (1, Some(1)),
        }
    }
}

/// A constructed element.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Constructed {
    /// The element.
    pub element: Element,
    /// The section of a cylinder by a plane; the element is its centre.
    pub section: Option<Section>,
    /// The misfit of the source elements, mm: the gap between two lines, or the maximum distance of a centre from its
    /// circle or line.
    pub misses_by_mm: Option<f64>,
    /// Remark for the operator.
    pub remark: String,
}

impl Constructed {
    fn new(element: impl Into<Element>, remark: impl Into<String>) -> Self {
        Self { element: element.into(), section: None, misses_by_mm: None, remark: remark.into() }
    }

    fn pattern(found: &Fit, what: &str) -> Self {
        let max_mm = found.residuals_mm.iter().fold(0.0_f64, |max, residual| max.max(residual.abs()));
        let remark = format!("Maximum distance of a centre from {what}: {max_mm:.4} mm.");
        Self { misses_by_mm: Some(max_mm), ..Self::new(found.shape, remark) }
    }
}

/// Constructs an element from `parts`, in the order stated by [`Construction`].
pub fn construct(construction: Construction, parts: &[Element], progress: &Progress) -> Result<Constructed> {
    let parts = parts.iter().map(|part| part.checked()).collect::<Result<Vec<Element>>>()?;
    let situations: Vec<Situation> = parts.iter().map(Element::situation).collect();
    match construction {
        Construction::Intersection => intersect(&parts, &situations),
        Construction::Projection => project(&parts, &situations),
        Construction::Middle => mid_element(&parts, &situations),
        Construction::SymmetryPlane => match situations[..] {
            [Situation::Point(one), Situation::Point(other)] => {
                Ok(Constructed::new(shape_of(middle::of_points(&one, &other)?), symmetric(&one, &other)))
            }
            _ => Err(unfit("A symmetry plane takes two points or centres", &parts)),
        },
        Construction::Mirrored => match situations[..] {
            [Situation::Point(point), Situation::Plane(plane)] => {
                let height = plane.height(&point);
                let remark = format!("The point is {height:.4} mm from the plane.");
                Ok(Constructed::new(point - plane.normal * (2.0 * height), remark))
            }
            _ => Err(unfit("A mirrored point takes a point or centre, then a plane", &parts)),
        },
        Construction::BoltCircle => {
            let found = pattern::circle(&centres("A bolt circle", &parts, &situations)?, progress)?;
            Ok(Constructed::pattern(&found, "the circle"))
        }
        Construction::LineThrough => {
            let found = pattern::line(&centres("A line through centres", &parts, &situations)?, progress)?;
            Ok(Constructed::pattern(&found, "the line"))
        }
        Construction::OffsetPlane { offset_mm } => match situations[..] {
            [Situation::Plane(plane)] if offset_mm.is_finite() => {
                let moved = Plane { point: plane.point + plane.normal * offset_mm, ..plane };
                Ok(Constructed::new(shape_of(moved), format!("Offset by {offset_mm} mm along the plane normal.")))
            }
            _ => Err(unfit("An offset plane takes one plane and a finite offset", &parts)),
        },
    }
}

fn shape_of(plane: Plane) -> Shape {
    Shape::Plane { point: plane.point, normal: plane.normal }
}

fn symmetric(one: &Point, other: &Point) -> String {
    format!("The points are {:.4} mm apart.", (other - one).norm())
}

/// Usage error that states the required and the given elements.
fn unfit(asked: &str, parts: &[Element]) -> UserError {
    let names: Vec<String> = parts.iter().map(Element::name).collect();
    let given = if names.is_empty() { "nothing".to_owned() } else { names.join(", ") };
    UserError::usage(format!("{asked}; given: {given}."))
}

fn centres(what: &str, parts: &[Element], situations: &[Situation]) -> Result<Vec<Point>> {
    let centre = |situation: &Situation| match situation {
        Situation::Point(point) => Ok(*point),
        _ => Err(unfit(&format!("{what} takes points, circles or spheres"), parts)),
    };
    situations.iter().map(centre).collect()
}

fn intersect(parts: &[Element], situations: &[Situation]) -> Result<Constructed> {
    match *situations {
        [Situation::Plane(one), Situation::Plane(other)] => {
            let remark = format!("The planes intersect at {}.", degrees_text(acute_angle(&one.normal, &other.normal)));
            Ok(Constructed::new(intersection::of_planes(&one, &other)?, remark))
        }
        [Situation::Plane(one), Situation::Plane(other), Situation::Plane(third)] => {
            let corner = intersection::of_three_planes(&[one, other, third])?;
            Ok(Constructed::new(corner, "The intersection point of three planes."))
        }
        [Situation::Line(one), Situation::Line(other)] => {
            let closest = intersection::of_lines(&one, &other)?;
            let angle = degrees_text(acute_angle(&one.direction, &other.direction));
            let remark = format!(
                "Midpoint of the common normal: the lines are {:.4} mm apart, at an angle of {angle}.",
                closest.gap_mm
            );
            Ok(Constructed { misses_by_mm: Some(closest.gap_mm), ..Constructed::new(closest.midpoint, remark) })
        }
        [Situation::Line(line), Situation::Plane(plane)] | [Situation::Plane(plane), Situation::Line(line)] => {
            let tilt = degrees_text(acute_angle(&line.direction, &plane.normal));
            let point = intersection::of_line_and_plane(&line, &plane)?;
            let radius = parts.iter().find_map(|part| match part {
                Element::Shape(Shape::Cylinder { radius, .. }) => Some(*radius),
                _ => None,
            });
            let Some(radius) = radius else {
                return Ok(Constructed::new(point, format!("The line is inclined by {tilt} to the plane normal.")));
            };
            let section = intersection::of_cylinder_and_plane(&line, radius, &plane)?;
            let remark = match section {
                Section::Circle { .. } => {
                    format!("The section is a circle; the axis is inclined by {tilt} to the plane normal.")
                }
                Section::Ellipse { half_long_mm, half_short_mm, .. } => format!(
                    "The section is an ellipse with semi-axes of {half_long_mm:.4} mm and {half_short_mm:.4} mm; the \
                     axis is inclined by {tilt} to the plane normal."
                ),
            };
            Ok(Constructed { section: Some(section), ..Constructed::new(point, remark) })
        }
        _ => Err(unfit("An intersection takes two or three planes, a line or axis and a plane, or two lines", parts)),
    }
}

fn project(parts: &[Element], situations: &[Situation]) -> Result<Constructed> {
    let moved = |from: Point, to: Point| Constructed::new(to, format!("Projected by {:.4} mm.", (to - from).norm()));
    match *situations {
        [Situation::Point(point), Situation::Plane(plane)] => Ok(moved(point, plane.foot(&point))),
        [Situation::Point(point), Situation::Line(line)] => Ok(moved(point, line.foot(&point))),
        [Situation::Line(line), Situation::Plane(plane)] => {
            let tilt = std::f64::consts::FRAC_PI_2 - acute_angle(&line.direction, &plane.normal);
            let remark = format!("The line is inclined by {} to the plane.", degrees_text(tilt));
            Ok(Constructed::new(projection::of_line(&line, &plane)?, remark))
        }
        _ => Err(unfit("A projection takes a point, a centre or a line, then a plane; or a point, then a line", parts)),
    }
}

fn mid_element(parts: &[Element], situations: &[Situation]) -> Result<Constructed> {
    match *situations {
        [Situation::Point(one), Situation::Point(other)] => {
            Ok(Constructed::new(nalgebra::center(&one, &other), symmetric(&one, &other)))
        }
        [Situation::Line(one), Situation::Line(other)] => {
            let line = middle::of_lines(&one, &other)?;
            let remark = format!(
                "The lines are at an angle of {}.",
                degrees_text(acute_angle(&one.direction, &other.direction))
            );
            Ok(Constructed::new(Shape::Line { point: line.point, direction: line.direction }, remark))
        }
        [Situation::Plane(one), Situation::Plane(other)] => {
            let remark =
                format!("The planes are at an angle of {}.", degrees_text(acute_angle(&one.normal, &other.normal)));
            Ok(Constructed::new(shape_of(middle::of_planes(&one, &other)?), remark))
        }
        _ => Err(unfit("A mid-element takes two points, two lines or two planes", parts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Vector;

    fn constructed(construction: Construction, parts: &[Element]) -> Result<Constructed> {
        construct(construction, parts, &Progress::silent())
    }

    fn plane(point: Point, normal: Vector) -> Element {
        Shape::Plane { point, normal: normal.normalize() }.into()
    }

    #[test]
    fn bolt_circles_and_rows_are_recovered_in_any_pose() {
        let mut random = Random::new(6, 1);
        for count in [3, 4, 8] {
            let (turn, centre) = (random.rotation(), Point::new(5.0, -3.0, 80.0));
            let at = |i: usize| (i as f64 / count as f64 * std::f64::consts::TAU + 0.2).sin_cos();
            let on_circle = |i: usize| centre + turn * Vector::new(30.0 * at(i).1, 30.0 * at(i).0, 0.0);
            let holes: Vec<Element> =
                (0..count).map(|i| Shape::Sphere { centre: on_circle(i), radius: 2.0 }.into()).collect();
            let found = constructed(Construction::BoltCircle, &holes).unwrap();
            let Element::Shape(Shape::Circle { centre: own, radius, normal }) = found.element else { panic!() };
            assert!((own - centre).norm() < 1e-10 && (radius - 30.0).abs() < 1e-10, "{own} {radius}");
            assert!(acute_angle(&normal, &(turn * Vector::z())) < 1e-10 && found.misses_by_mm.unwrap() < 1e-10);
            let row: Vec<Element> =
                (0..count).map(|i| (centre + turn * Vector::x() * (7.0 * i as f64)).into()).collect();
            let line = constructed(Construction::LineThrough, &row).unwrap();
            assert!(acute_angle(&line.element.direction().unwrap(), &(turn * Vector::x())) < 1e-10);
            let sentence = constructed(Construction::BoltCircle, &row).unwrap_err().sentence;
            assert!(sentence.contains("lie on a line") || sentence.contains("do not determine a circle"), "{sentence}");
        }
    }

    #[test]
    fn the_misfit_of_a_bolt_circle_is_stated() {
        let hole = |x: f64, y: f64| Element::from(Point::new(x, y, 0.0));
        // Two pairs, one 0.2 mm farther apart: the circle about their common midpoint misses each by 0.05 mm.
        let found = constructed(
            Construction::BoltCircle,
            &[hole(10.1, 0.0), hole(-10.1, 0.0), hole(0.0, 10.0), hole(0.0, -10.0)],
        );
        assert!((found.unwrap().misses_by_mm.unwrap() - 0.05).abs() < 1e-9);
    }

    #[test]
    fn sources_are_accepted_in_any_suitable_form() {
        let base = plane(Point::origin(), Vector::z());
        let pin = Element::from(Shape::Cylinder { point: Point::new(1.0, 2.0, 9.0), axis: Vector::z(), radius: 3.0 });
        for parts in [[base, pin], [pin, base]] {
            let found = constructed(Construction::Intersection, &parts).unwrap();
            assert_eq!(found.element, Point::new(1.0, 2.0, 0.0).into());
            assert!(matches!(found.section, Some(Section::Circle { radius_mm: 3.0, .. })));
        }
        let rim = Element::from(Shape::Circle { centre: Point::new(1.0, 2.0, 4.0), normal: Vector::x(), radius: 1.0 });
        assert_eq!(
            constructed(Construction::Projection, &[rim, base]).unwrap().element,
            Point::new(1.0, 2.0, 0.0).into()
        );
        assert_eq!(
            constructed(Construction::Projection, &[rim, pin]).unwrap().element,
            Point::new(1.0, 2.0, 4.0).into()
        );
        assert_eq!(
            constructed(Construction::Mirrored, &[rim, base]).unwrap().element,
            Point::new(1.0, 2.0, -4.0).into()
        );
        let top = constructed(Construction::OffsetPlane { offset_mm: 4.0 }, &[base]).unwrap().element;
        let mid_plane = constructed(Construction::Middle, &[base, top]).unwrap().element;
        assert_eq!(mid_plane, plane(Point::new(0.0, 0.0, 2.0), Vector::z()));
        let symmetric = constructed(Construction::SymmetryPlane, &[rim, Point::new(1.0, 2.0, 8.0).into()]).unwrap();
        assert_eq!(symmetric.element, plane(Point::new(1.0, 2.0, 6.0), Vector::z()));
    }

    #[test]
    fn unsuitable_sources_are_errors() {
        let base = plane(Point::origin(), Vector::z());
        let point = Element::from(Point::origin());
        for (construction, parts, says) in [
            (Construction::Intersection, vec![base, point], "given: plane, point"),
            (Construction::Intersection, vec![], "given: nothing"),
            (Construction::Projection, vec![base, base], "A projection takes"),
            (Construction::Middle, vec![base, point], "A mid-element takes"),
            (Construction::SymmetryPlane, vec![point], "two points or centres"),
            (Construction::Mirrored, vec![base, base], "then a plane"),
            (Construction::OffsetPlane { offset_mm: f64::NAN }, vec![base], "a finite offset"),
            (Construction::BoltCircle, vec![base; 3], "takes points, circles or spheres"),
            (Construction::BoltCircle, vec![point; 2], "at least 3 points; there are 2"),
            (Construction::BoltCircle, vec![point; 3], "coincide"),
            (Construction::LineThrough, vec![], "at least 2 points; there are 0"),
            (Construction::Middle, vec![plane(Point::origin(), Vector::zeros()); 2], "unit direction vector"),
        ] {
            let sentence = constructed(construction, &parts).unwrap_err().sentence;
            assert!(sentence.contains(says), "{sentence}");
        }
    }
}
