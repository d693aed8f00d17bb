//! Elements: places and shapes, and the point, line or plane that says where one is.

use serde::{Deserialize, Serialize};

pub use super::model::any_square_to;
use super::shape::{Kind, Shape};
use base::{Result, UserError};
use geometry::{Point, Pose, Vector};

/// Angles below this are too small to cut at, rad: a cut amplifies errors of its parts by one over the angle, here a
/// thousandfold.
pub const LEAST_ANGLE_RAD: f64 = 1e-3;
/// Places nearer than this are one, mm.
pub const LEAST_LENGTH_MM: f64 = 1e-6;
/// Directions may miss the length one by so much: what a file with few digits leaves.
const UNIT: f64 = 1e-3;

/// What is constructed, measured between and toleranced: a place, mm, or a shape.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// A place, mm.
    Point(Point),
    /// An ideal feature.
    Shape(Shape),
}

/// A straight line without end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Straight {
    /// On it, mm.
    pub point: Point,
    /// Along it; a unit vector.
    pub direction: Vector,
}

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Flat {
    /// On it, mm.
    pub point: Point,
    /// Its unit normal.
    pub normal: Vector,
}

/// The simplest element that says where another one is (the situation feature of ISO 17450-1; the text was not
/// available to check against). Circles, spheres and tori count as their centres, cylinders and cones as their axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Situation {
    /// A place, mm.
    Point(Point),
    /// An axis or a line.
    Line(Straight),
    /// A plane.
    Plane(Flat),
}

impl From<Point> for Element {
    fn from(point: Point) -> Self {
        Self::Point(point)
    }
}

impl From<Shape> for Element {
    fn from(shape: Shape) -> Self {
        Self::Shape(shape)
    }
}

impl Straight {
    /// The nearest place on the line.
    pub fn foot(&self, place: &Point) -> Point {
        self.point + self.direction * (place - self.point).dot(&self.direction)
    }

    /// Distance of a place from the line, mm.
    pub fn distance(&self, place: &Point) -> f64 {
        (place - self.point).cross(&self.direction).norm()
    }
}

impl Flat {
    /// Signed height of a place over the plane, mm.
    pub fn height(&self, place: &Point) -> f64 {
        (place - self.point).dot(&self.normal)
    }

    /// The nearest place on the plane.
    pub fn foot(&self, place: &Point) -> Point {
        place - self.normal * self.height(place)
    }
}

impl Element {
    /// Where it is.
    pub fn situation(&self) -> Situation {
        match *self {
            Self::Point(point) => Situation::Point(point),
            Self::Shape(shape) => match (shape.kind(), self.direction()) {
                (Kind::Line | Kind::Cylinder | Kind::Cone, Some(direction)) => {
                    Situation::Line(Straight { point: shape.place(), direction })
                }
                (Kind::Plane, Some(normal)) => Situation::Plane(Flat { point: shape.place(), normal }),
                _ => Situation::Point(shape.place()),
            },
        }
    }

    /// Its centre, or the point on line, plane or axis, mm.
    pub fn place(&self) -> Point {
        match self {
            Self::Point(point) => *point,
            Self::Shape(shape) => shape.place(),
        }
    }

    /// Direction, normal or axis, of length one; points and spheres have none.
    pub fn direction(&self) -> Option<Vector> {
        match self {
            Self::Point(_) => None,
            Self::Shape(shape) => shape.direction().map(|direction| direction.normalize()),
        }
    }

    /// For sentences: “cylinder”.
    pub fn name(&self) -> String {
        match self {
            Self::Point(_) => "point".to_owned(),
            Self::Shape(shape) => shape.kind().name().to_lowercase(),
        }
    }

    /// The element itself where its numbers make sense; else a sentence.
    pub fn checked(self) -> Result<Self> {
        let place = self.place();
        let is_place = place.coords.iter().all(|c| c.abs() < 1e100);
        let is_direction = match self {
            Self::Shape(shape) => shape.direction().is_none_or(|direction| (direction.norm() - 1.0).abs() < UNIT),
            Self::Point(_) => true,
        };
        // A distance takes every number of a shape.
        let is_shape = match self {
            Self::Shape(shape) => shape.distance(&(place + Vector::new(1.0, 2.0, 4.0))).is_finite(),
            Self::Point(_) => true,
        };
        if is_place && is_direction && is_shape {
            return Ok(self);
        }
        Err(UserError::input(format!(
            "A {} needs finite numbers, and a direction of length one; check how it was fitted or typed.",
            self.name()
        )))
    }

    /// The same element in another frame.
    pub fn moved(&self, to_from_here: &Pose) -> Self {
        match self {
            Self::Point(point) => Self::Point(to_from_here * point),
            Self::Shape(shape) => Self::Shape(shape.moved(to_from_here)),
        }
    }

    /// Shifted by `motion`'s first three numbers, mm, and turned about its place by the other three, rad: the motions
    /// that [`super::Uncertainty::motion`] is about.
    pub fn nudged(&self, motion: &nalgebra::Vector6<f64>) -> Self {
        let place = self.place().coords;
        let shift: Vector = motion.fixed_rows::<3>(0).into_owned();
        let turn = nalgebra::UnitQuaternion::from_scaled_axis(motion.fixed_rows::<3>(3).into_owned());
        self.moved(&Pose::from_parts((place + shift - turn * place).into(), turn))
    }

    /// With its direction turned round where it is opposed to that of `other`, as fits leave it to chance. Cones stay:
    /// their axis points away from the apex.
    pub fn oriented_like(&self, other: &Self) -> Self {
        let opposed = match (self.direction(), other.direction()) {
            (Some(own), Some(other)) => own.dot(&other) < 0.0,
            _ => false,
        };
        match *self {
            Self::Shape(shape) if opposed => Self::Shape(reversed(shape)),
            _ => *self,
        }
    }
}

fn reversed(shape: Shape) -> Shape {
    match shape {
        Shape::Line { point, direction } => Shape::Line { point, direction: -direction },
        Shape::Plane { point, normal } => Shape::Plane { point, normal: -normal },
        Shape::Circle { centre, normal, radius } => Shape::Circle { centre, normal: -normal, radius },
        Shape::Cylinder { point, axis, radius } => Shape::Cylinder { point, axis: -axis, radius },
        Shape::Torus { centre, axis, major, minor } => Shape::Torus { centre, axis: -axis, major, minor },
        Shape::Sphere { .. } | Shape::Cone { .. } => shape,
    }
}

/// Angle between two directions, rad, 0 to pi; exact to rounding for small angles too.
pub fn angle_between(one: &Vector, other: &Vector) -> f64 {
    one.cross(other).norm().atan2(one.dot(other))
}

/// Angle between two lines that the directions lie on, rad, 0 to half of pi.
pub fn acute_angle(one: &Vector, other: &Vector) -> f64 {
    one.cross(other).norm().atan2(one.dot(other).abs())
}

/// An angle for sentences, in degrees.
pub fn shown(angle_rad: f64) -> String {
    format!("{:.3}°", angle_rad.to_degrees())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_round_trips_through_json() {
        let plane = Element::Shape(Shape::Plane { point: Point::new(0.0, 0.1, 0.0), normal: Vector::z() });
        for element in [plane, Element::Point(Point::new(1.0, 2.0, 3.0))] {
            let text = serde_json::to_string(&element).unwrap();
            assert_eq!(serde_json::from_str::<Element>(&text).unwrap(), element, "{text}");
        }
        assert_eq!(
            serde_json::from_str::<Element>(r#"{"point": [1, 2, 3]}"#).unwrap(),
            Point::new(1.0, 2.0, 3.0).into()
        );
    }

    #[test]
    fn a_nudge_turns_about_the_place() {
        let axis = Shape::Cylinder { point: Point::new(5.0, 0.0, 2.0), axis: Vector::z(), radius: 1.0 };
        let nudged = Element::from(axis).nudged(&nalgebra::Vector6::new(0.1, 0.0, 0.0, 0.0, 0.2, 0.0));
        assert!((nudged.place() - Point::new(5.1, 0.0, 2.0)).norm() < 1e-15);
        let direction = nudged.direction().unwrap();
        assert!((direction - Vector::new(0.2_f64.sin(), 0.0, 0.2_f64.cos())).norm() < 1e-15);
    }

    #[test]
    fn senseless_numbers_are_a_sentence() {
        let shapes = [
            Shape::Plane { point: Point::origin(), normal: Vector::zeros() },
            Shape::Plane { point: Point::new(f64::NAN, 0.0, 0.0), normal: Vector::z() },
            Shape::Sphere { centre: Point::origin(), radius: f64::INFINITY },
        ];
        for shape in shapes {
            assert!(Element::from(shape).checked().unwrap_err().sentence.contains("finite numbers"));
        }
    }

    #[test]
    fn opposed_directions_are_turned_round_but_not_those_of_cones() {
        let up = Element::from(Shape::Plane { point: Point::origin(), normal: Vector::z() });
        let down = Element::from(Shape::Line { point: Point::origin(), direction: -Vector::z() });
        assert_eq!(down.oriented_like(&up).direction(), Some(Vector::z()));
        let cone = Shape::Cone { point: Point::origin(), axis: -Vector::z(), radius: 1.0, half_angle_rad: 0.1 };
        assert_eq!(Element::from(cone).oriented_like(&up), cone.into());
    }
}
