//! Elements made from other elements: cuts, projections, middles, patterns, offsets.
//!
//! A [`Construction`] and the names of what it is made from are all that a project has to keep to make it anew. Where
//! the parts leave the outcome open, a sentence names the angle or length that was found and the limit.

pub mod intersection;
pub mod middle;
pub mod pattern;
pub mod projection;

use serde::{Deserialize, Serialize};

use super::element::{Element, Flat, Situation, acute_angle, shown};
use super::{Fit, Shape};
use base::{Progress, Result, UserError};
use geometry::Point;
pub use intersection::{Nearest, Section};

/// A way to make an element from others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "construction", rename_all = "snake_case")]
pub enum Construction {
    /// Two planes: their line. Three planes: their corner. A line or axis and a plane: their point; of a cylinder also
    /// the outline. Two lines: the place midway where they are nearest.
    Intersection,
    /// The first brought onto the second: a point (or centre) or a line (or axis) onto a plane, a point onto a line.
    Projection,
    /// Midway between two points, two lines or two planes.
    Middle,
    /// The plane about which two points (or centres) are symmetric.
    SymmetryPlane,
    /// A point (or centre) mirrored in a plane.
    Mirrored,
    /// The circle through at least three centres.
    BoltCircle,
    /// The line through at least two centres.
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

    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Intersection => "Intersection",
            Self::Projection => "Projection",
            Self::Middle => "Middle",
            Self::SymmetryPlane => "Symmetry plane",
            Self::Mirrored => "Mirrored point",
            Self::BoltCircle => "Bolt circle",
            Self::LineThrough => "Line through centres",
            Self::OffsetPlane { .. } => "Offset plane",
        }
    }

    /// What it is made from, in a sentence for people.
    pub fn takes(self) -> &'static str {
        match self {
            Self::Intersection => "Two or three planes, a line or axis and a plane, or two lines.",
            Self::Projection => "A point, centre, line or axis, then the plane it falls onto; or a point, then a line.",
            Self::Middle => "Two points or centres, two lines or axes, or two planes.",
            Self::SymmetryPlane => "Two points or centres.",
            Self::Mirrored => "A point or centre, then the plane it is mirrored in.",
            Self::BoltCircle => "Three centres or more.",
            Self::LineThrough => "Two centres or more.",
            Self::OffsetPlane { .. } => "A plane.",
        }
    }

    /// How many parts it takes: the fewest, and the most where there is a limit.
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

/// An element that was made.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Constructed {
    /// The element.
    pub element: Element,
    /// The outline in which a plane cuts a cylinder, whose centre is the element.
    pub section: Option<Section>,
    /// How far what it was made from misses it, mm: the gap between two lines, or the greatest distance of a centre
    /// from its circle or line.
    pub misses_by_mm: Option<f64>,
    /// What the operator should know of it.
    pub remark: String,
}

impl Constructed {
    fn new(element: impl Into<Element>, remark: impl Into<String>) -> Self {
        Self { element: element.into(), section: None, misses_by_mm: None, remark: remark.into() }
    }

    fn pattern(found: &Fit, what: &str) -> Self {
        let most = found.residuals_mm.iter().fold(0.0_f64, |most, own| most.max(own.abs()));
        let remark = format!("{what} misses a centre by {most:.4} mm at most.");
        Self { misses_by_mm: Some(most), ..Self::new(found.shape, remark) }
    }
}

/// Makes an element from `parts`, in the order that [`Construction`] says.
pub fn construct(construction: Construction, parts: &[Element], progress: &Progress) -> Result<Constructed> {
    let parts = parts.iter().map(|part| part.checked()).collect::<Result<Vec<Element>>>()?;
    let situations: Vec<Situation> = parts.iter().map(Element::situation).collect();
    match construction {
        Construction::Intersection => intersect(&parts, &situations),
        Construction::Projection => project(&parts, &situations),
        Construction::Middle => halve(&parts, &situations),
        Construction::SymmetryPlane => match situations[..] {
            [Situation::Point(one), Situation::Point(other)] => {
                Ok(Constructed::new(shape_of(middle::of_points(&one, &other)?), symmetric(&one, &other)))
            }
            _ => Err(unfit("A plane of symmetry takes two points or centres", &parts)),
        },
        Construction::Mirrored => match situations[..] {
            [Situation::Point(point), Situation::Plane(plane)] => {
                let height = plane.height(&point);
                let remark = format!("The point is {height:.4} mm off the plane.");
                Ok(Constructed::new(point - plane.normal * (2.0 * height), remark))
            }
            _ => Err(unfit("A mirrored point takes a point or centre, then a plane", &parts)),
        },
        Construction::BoltCircle => {
            let found = pattern::circle(&centres("A bolt circle", &parts, &situations)?, progress)?;
            Ok(Constructed::pattern(&found, "The circle"))
        }
        Construction::LineThrough => {
            let found = pattern::line(&centres("A line through centres", &parts, &situations)?, progress)?;
            Ok(Constructed::pattern(&found, "The line"))
        }
        Construction::OffsetPlane { offset_mm } => match situations[..] {
            [Situation::Plane(plane)] if offset_mm.is_finite() => {
                let moved = Flat { point: plane.point + plane.normal * offset_mm, ..plane };
                Ok(Constructed::new(shape_of(moved), format!("{offset_mm} mm along the plane's normal.")))
            }
            _ => Err(unfit("An offset plane takes one plane and a finite offset", &parts)),
        },
    }
}

fn shape_of(plane: Flat) -> Shape {
    Shape::Plane { point: plane.point, normal: plane.normal }
}

fn symmetric(one: &Point, other: &Point) -> String {
    format!("The points are {:.4} mm apart.", (other - one).norm())
}

/// What was asked for, and what was given.
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
            let remark = format!("The planes cut at {}.", shown(acute_angle(&one.normal, &other.normal)));
            Ok(Constructed::new(intersection::of_planes(&one, &other)?, remark))
        }
        [Situation::Plane(one), Situation::Plane(other), Situation::Plane(third)] => {
            let corner = intersection::of_three_planes(&[one, other, third])?;
            Ok(Constructed::new(corner, "The corner of three planes."))
        }
        [Situation::Line(one), Situation::Line(other)] => {
            let nearest = intersection::of_lines(&one, &other)?;
            let angle = shown(acute_angle(&one.direction, &other.direction));
            let remark = format!("The lines pass at {:.4} mm and {angle}; this is midway.", nearest.gap_mm);
            Ok(Constructed { misses_by_mm: Some(nearest.gap_mm), ..Constructed::new(nearest.middle, remark) })
        }
        [Situation::Line(line), Situation::Plane(plane)] | [Situation::Plane(plane), Situation::Line(line)] => {
            let lean = shown(acute_angle(&line.direction, &plane.normal));
            let place = intersection::of_line_and_plane(&line, &plane)?;
            let radius = parts.iter().find_map(|part| match part {
                Element::Shape(Shape::Cylinder { radius, .. }) => Some(*radius),
                _ => None,
            });
            let Some(radius) = radius else {
                return Ok(Constructed::new(place, format!("The line leans {lean} from the plane's normal.")));
            };
            let section = intersection::of_cylinder_and_plane(&line, radius, &plane)?;
            let remark = match section {
                Section::Circle { .. } => format!("The cylinder is cut square ({lean} off), in a circle."),
                Section::Ellipse { half_long_mm, half_short_mm, .. } => format!(
                    "The cylinder leans {lean} and is cut in an ellipse with half axes of {half_long_mm:.4} mm and \
                     {half_short_mm:.4} mm."
                ),
            };
            Ok(Constructed { section: Some(section), ..Constructed::new(place, remark) })
        }
        _ => Err(unfit("An intersection takes two or three planes, a line or axis and a plane, or two lines", parts)),
    }
}

fn project(parts: &[Element], situations: &[Situation]) -> Result<Constructed> {
    let moved = |from: Point, to: Point| Constructed::new(to, format!("Moved by {:.4} mm.", (to - from).norm()));
    match *situations {
        [Situation::Point(point), Situation::Plane(plane)] => Ok(moved(point, plane.foot(&point))),
        [Situation::Point(point), Situation::Line(line)] => Ok(moved(point, line.foot(&point))),
        [Situation::Line(line), Situation::Plane(plane)] => {
            let lean = std::f64::consts::FRAC_PI_2 - acute_angle(&line.direction, &plane.normal);
            let remark = format!("The line is {} off the plane.", shown(lean));
            Ok(Constructed::new(projection::of_line(&line, &plane)?, remark))
        }
        _ => Err(unfit("A projection takes a point, a centre or a line, then a plane; or a point, then a line", parts)),
    }
}

fn halve(parts: &[Element], situations: &[Situation]) -> Result<Constructed> {
    match *situations {
        [Situation::Point(one), Situation::Point(other)] => {
            Ok(Constructed::new(nalgebra::center(&one, &other), symmetric(&one, &other)))
        }
        [Situation::Line(one), Situation::Line(other)] => {
            let line = middle::of_lines(&one, &other)?;
            let remark = format!("The lines are {} apart.", shown(acute_angle(&one.direction, &other.direction)));
            Ok(Constructed::new(Shape::Line { point: line.point, direction: line.direction }, remark))
        }
        [Situation::Plane(one), Situation::Plane(other)] => {
            let remark = format!("The planes are {} apart.", shown(acute_angle(&one.normal, &other.normal)));
            Ok(Constructed::new(shape_of(middle::of_planes(&one, &other)?), remark))
        }
        _ => Err(unfit("A middle takes two points, two lines or two planes", parts)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Vector;

    fn made(construction: Construction, parts: &[Element]) -> Result<Constructed> {
        construct(construction, parts, &Progress::silent())
    }

    fn plane(point: Point, normal: Vector) -> Element {
        Shape::Plane { point, normal: normal.normalize() }.into()
    }

    #[test]
    fn bolt_circles_and_rows_come_back_in_any_pose() {
        let mut random = Random::new(6, 1);
        for count in [3, 4, 8] {
            let (turn, centre) = (random.rotation(), Point::new(5.0, -3.0, 80.0));
            let at = |i: usize| (i as f64 / count as f64 * std::f64::consts::TAU + 0.2).sin_cos();
            let on_circle = |i: usize| centre + turn * Vector::new(30.0 * at(i).1, 30.0 * at(i).0, 0.0);
            let holes: Vec<Element> =
                (0..count).map(|i| Shape::Sphere { centre: on_circle(i), radius: 2.0 }.into()).collect();
            let found = made(Construction::BoltCircle, &holes).unwrap();
            let Element::Shape(Shape::Circle { centre: own, radius, normal }) = found.element else { panic!() };
            assert!((own - centre).norm() < 1e-10 && (radius - 30.0).abs() < 1e-10, "{own} {radius}");
            assert!(acute_angle(&normal, &(turn * Vector::z())) < 1e-10 && found.misses_by_mm.unwrap() < 1e-10);
            let row: Vec<Element> =
                (0..count).map(|i| (centre + turn * Vector::x() * (7.0 * i as f64)).into()).collect();
            let line = made(Construction::LineThrough, &row).unwrap();
            assert!(acute_angle(&line.element.direction().unwrap(), &(turn * Vector::x())) < 1e-10);
            let sentence = made(Construction::BoltCircle, &row).unwrap_err().sentence;
            assert!(sentence.contains("lie on a line") || sentence.contains("do not determine a circle"), "{sentence}");
        }
    }

    #[test]
    fn a_hole_off_the_bolt_circle_is_told() {
        let hole = |x: f64, y: f64| Element::from(Point::new(x, y, 0.0));
        // Two pairs, one pulled out by 0.2: the circle through the middle misses each by 0.05.
        let found =
            made(Construction::BoltCircle, &[hole(10.1, 0.0), hole(-10.1, 0.0), hole(0.0, 10.0), hole(0.0, -10.0)]);
        assert!((found.unwrap().misses_by_mm.unwrap() - 0.05).abs() < 1e-9);
    }

    #[test]
    fn parts_may_come_in_any_sensible_form() {
        let base = plane(Point::origin(), Vector::z());
        let pin = Element::from(Shape::Cylinder { point: Point::new(1.0, 2.0, 9.0), axis: Vector::z(), radius: 3.0 });
        for parts in [[base, pin], [pin, base]] {
            let found = made(Construction::Intersection, &parts).unwrap();
            assert_eq!(found.element, Point::new(1.0, 2.0, 0.0).into());
            assert!(matches!(found.section, Some(Section::Circle { radius_mm: 3.0, .. })));
        }
        let rim = Element::from(Shape::Circle { centre: Point::new(1.0, 2.0, 4.0), normal: Vector::x(), radius: 1.0 });
        assert_eq!(made(Construction::Projection, &[rim, base]).unwrap().element, Point::new(1.0, 2.0, 0.0).into());
        assert_eq!(made(Construction::Projection, &[rim, pin]).unwrap().element, Point::new(1.0, 2.0, 4.0).into());
        assert_eq!(made(Construction::Mirrored, &[rim, base]).unwrap().element, Point::new(1.0, 2.0, -4.0).into());
        let top = made(Construction::OffsetPlane { offset_mm: 4.0 }, &[base]).unwrap().element;
        let middle = made(Construction::Middle, &[base, top]).unwrap().element;
        assert_eq!(middle, plane(Point::new(0.0, 0.0, 2.0), Vector::z()));
        let symmetric = made(Construction::SymmetryPlane, &[rim, Point::new(1.0, 2.0, 8.0).into()]).unwrap();
        assert_eq!(symmetric.element, plane(Point::new(1.0, 2.0, 6.0), Vector::z()));
    }

    #[test]
    fn misfits_are_sentences() {
        let base = plane(Point::origin(), Vector::z());
        let point = Element::from(Point::origin());
        for (construction, parts, says) in [
            (Construction::Intersection, vec![base, point], "given: plane, point"),
            (Construction::Intersection, vec![], "given: nothing"),
            (Construction::Projection, vec![base, base], "A projection takes"),
            (Construction::Middle, vec![base, point], "A middle takes"),
            (Construction::SymmetryPlane, vec![point], "two points or centres"),
            (Construction::Mirrored, vec![base, base], "then a plane"),
            (Construction::OffsetPlane { offset_mm: f64::NAN }, vec![base], "a finite offset"),
            (Construction::BoltCircle, vec![base; 3], "takes points, circles or spheres"),
            (Construction::BoltCircle, vec![point; 2], "at least 3 points; there are 2"),
            (Construction::BoltCircle, vec![point; 3], "all in one place"),
            (Construction::LineThrough, vec![], "at least 2 points; there are 0"),
            (Construction::Middle, vec![plane(Point::origin(), Vector::zeros()); 2], "direction of length one"),
        ] {
            let sentence = made(construction, &parts).unwrap_err().sentence;
            assert!(sentence.contains(says), "{sentence}");
        }
    }
}
