//! Elements: points and shapes, and the situation feature (point, line or plane) that locates them.

use serde::{Deserialize, Serialize};

pub use super::fits::model::any_perpendicular;
use super::fits::shape::{Kind, Shape};
use base::{Result, UserError};
use geometry::{Point, Pose, Vector};

/// Minimum angle for intersections, rad: an intersection amplifies the errors of its elements by the inverse of the
/// angle, here by up to a thousand.
pub const MIN_ANGLE_RAD: f64 = 1e-3;
/// Points closer than this coincide, mm.
pub const LEAST_LENGTH_MM: f64 = 1e-6;
/// Maximum deviation of a direction's norm from 1, as left by files with few digits.
const UNIT_TOLERANCE: f64 = 1e-3;

/// An element that can be constructed, measured and toleranced.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Element {
    /// A point, mm.
    Point(Point),
    /// An ideal feature.
    Shape(Shape),
}

/// An infinite straight line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// A point on the line, mm.
    pub point: Point,
    /// Unit direction vector.
    pub direction: Vector,
}

/// A plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plane {
    /// A point on the plane, mm.
    pub point: Point,
    /// Unit normal.
    pub normal: Vector,
}

/// The situation feature of an element (ISO 17450-1; the text was not available to check against). Circles, spheres and
/// tori are represented by their centres, cylinders and cones by their axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Situation {
    /// A point or centre, mm.
    Point(Point),
    /// A line or axis.
    Line(Line),
    /// A plane.
    Plane(Plane),
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

impl Line {
    /// Orthogonal projection of a point onto the line, mm.
    pub fn foot(&self, point: &Point) -> Point {
        self.point + self.direction * (point - self.point).dot(&self.direction)
    }

    /// Distance of a point from the line, mm.
    pub fn distance(&self, point: &Point) -> f64 {
        (point - self.point).cross(&self.direction).norm()
    }
}

impl Plane {
    /// Signed distance of a point from the plane, mm; positive on the side of the normal.
    pub fn height(&self, point: &Point) -> f64 {
        (point - self.point).dot(&self.normal)
    }

    /// Orthogonal projection of a point onto the plane, mm.
    pub fn foot(&self, point: &Point) -> Point {
        point - self.normal * self.height(point)
    }
}

impl Element {
    /// Its situation feature.
    pub fn situation(&self) -> Situation {
        match *self {
            Self::Point(point) => Situation::Point(point),
            Self::Shape(shape) => match (shape.kind(), self.direction()) {
                (Kind::Line | Kind::Cylinder | Kind::Cone, Some(direction)) => {
                    Situation::Line(Line { point: shape.position(), direction })
                }
                (Kind::Plane, Some(normal)) => Situation::Plane(Plane { point: shape.position(), normal }),
                _ => Situation::Point(shape.position()),
            },
        }
    }

    /// Its centre, or the reference point of its line, plane or axis, mm.
    pub fn position(&self) -> Point {
        match self {
            Self::Point(point) => *point,
            Self::Shape(shape) => shape.position(),
        }
    }

    /// Unit vector of its direction, normal or axis; `None` for points and spheres.
    pub fn direction(&self) -> Option<Vector> {
        match self {
            Self::Point(_) => None,
            Self::Shape(shape) => shape.direction().map(|direction| direction.normalize()),
        }
    }

    /// Diameter of a circle, a sphere or a cylinder, mm.
    pub fn diameter_mm(&self) -> Option<f64> {
        match self {
            Self::Shape(
                Shape::Circle { radius, .. } | Shape::Sphere { radius, .. } | Shape::Cylinder { radius, .. },
            ) => Some(2.0 * radius),
            _ => None,
        }
    }

    /// Name of its kind in lower case, such as “cylinder”.
    pub fn name(&self) -> String {
        match self {
            Self::Point(_) => "point".to_owned(),
            Self::Shape(shape) => shape.kind().name().to_lowercase(),
        }
    }

    /// Returns the element unchanged, or an error if a parameter is not finite or a direction is not a unit vector.
    pub fn checked(self) -> Result<Self> {
        let position = self.position();
        let is_finite_position = position.coords.iter().all(|c| c.abs() < 1e100);
        let is_unit_direction = match self {
            Self::Shape(shape) => {
                shape.direction().is_none_or(|direction| (direction.norm() - 1.0).abs() < UNIT_TOLERANCE)
            }
            Self::Point(_) => true,
        };
        // A distance depends on every parameter of a shape.
        let is_finite_shape = match self {
            Self::Shape(shape) => shape.distance(&(position + Vector::new(1.0, 2.0, 4.0))).is_finite(),
            Self::Point(_) => true,
        };
        if is_finite_position && is_unit_direction && is_finite_shape {
            return Ok(self);
        }
        Err(UserError::input(format!(
            "A {} needs finite values and a unit direction vector; check how it was fitted or entered.",
            self.name()
        )))
    }

    /// The element transformed into another frame.
    pub fn moved(&self, to_from_here: &Pose) -> Self {
        match self {
            Self::Point(point) => Self::Point(to_from_here * point),
            Self::Shape(shape) => Self::Shape(shape.moved(to_from_here)),
        }
    }

    /// The element translated by the first three components of `motion`, mm, and rotated about its reference point by
    /// the last three (rotation vector, rad): the motions whose covariance is [`super::Uncertainty::motion`].
    pub fn perturbed(&self, motion: &nalgebra::Vector6<f64>) -> Self {
        self.moved(&self.motion(motion))
    }

    /// The motion of [`Self::perturbed`] as a transform of the element's frame.
    pub fn motion(&self, motion: &nalgebra::Vector6<f64>) -> Pose {
        let position = self.position().coords;
        let translation: Vector = motion.fixed_rows::<3>(0).into_owned();
        let rotation = nalgebra::UnitQuaternion::from_scaled_axis(motion.fixed_rows::<3>(3).into_owned());
        Pose::from_parts((position + translation - rotation * position).into(), rotation)
    }

    /// The element with its direction reversed if it is opposed to that of `other`; fits leave the sign arbitrary.
    /// Cones are unchanged: their axis points away from the apex.
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

/// Angle between two directions, rad, 0 to π; accurate to rounding for small angles, too.
pub fn angle_between(one: &Vector, other: &Vector) -> f64 {
    one.cross(other).norm().atan2(one.dot(other))
}

/// Angle between two undirected lines, rad, 0 to π/2.
pub fn acute_angle(one: &Vector, other: &Vector) -> f64 {
    one.cross(other).norm().atan2(one.dot(other).abs())
}

/// An angle in degrees with three decimals, for messages.
pub fn degrees_text(angle_rad: f64) -> String {
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
    fn a_perturbation_rotates_about_the_reference_point() {
        let axis = Shape::Cylinder { point: Point::new(5.0, 0.0, 2.0), axis: Vector::z(), radius: 1.0 };
        let moved = Element::from(axis).perturbed(&nalgebra::Vector6::new(0.1, 0.0, 0.0, 0.0, 0.2, 0.0));
        assert!((moved.position() - Point::new(5.1, 0.0, 2.0)).norm() < 1e-15);
        let direction = moved.direction().unwrap();
        assert!((direction - Vector::new(0.2_f64.sin(), 0.0, 0.2_f64.cos())).norm() < 1e-15);
    }

    #[test]
    fn invalid_parameters_are_an_error() {
        let shapes = [
            Shape::Plane { point: Point::origin(), normal: Vector::zeros() },
            Shape::Plane { point: Point::new(f64::NAN, 0.0, 0.0), normal: Vector::z() },
            Shape::Sphere { centre: Point::origin(), radius: f64::INFINITY },
        ];
        for shape in shapes {
            assert!(Element::from(shape).checked().unwrap_err().sentence.contains("finite values"));
        }
    }

    #[test]
    fn opposed_directions_are_reversed_but_not_those_of_cones() {
        let up = Element::from(Shape::Plane { point: Point::origin(), normal: Vector::z() });
        let down = Element::from(Shape::Line { point: Point::origin(), direction: -Vector::z() });
        assert_eq!(down.oriented_like(&up).direction(), Some(Vector::z()));
        let cone = Shape::Cone { point: Point::origin(), axis: -Vector::z(), radius: 1.0, half_angle_rad: 0.1 };
        assert_eq!(Element::from(cone).oriented_like(&up), cone.into());
    }
}
