//! Projections of elements onto a plane.

use super::super::Shape;
use super::super::element::{Line, MIN_ANGLE_RAD, Plane, acute_angle, degrees_text};
use base::{Result, UserError};

/// The orthogonal projection of `line` onto `plane`; returns an error if the line is almost parallel to the plane's
/// normal.
pub fn of_line(line: &Line, plane: &Plane) -> Result<Shape> {
    let in_plane = line.direction - plane.normal * line.direction.dot(&plane.normal);
    let angle = acute_angle(&line.direction, &plane.normal);
    if angle < MIN_ANGLE_RAD {
        return Err(UserError::input(format!(
            "The line is at an angle of only {} to the plane normal, so that its projection is a point; at least {} \
             are needed. Use the intersection instead.",
            degrees_text(angle),
            degrees_text(MIN_ANGLE_RAD)
        )));
    }
    Ok(Shape::Line { point: plane.foot(&line.point), direction: in_plane.normalize() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Point, Vector};

    #[test]
    fn a_line_is_projected_along_the_normal() {
        let line = Line { point: Point::new(1.0, 2.0, 3.0), direction: Vector::new(0.6, 0.0, 0.8) };
        let plane = Plane { point: Point::new(9.0, 9.0, 1.0), normal: Vector::z() };
        let Shape::Line { point, direction } = of_line(&line, &plane).unwrap() else { panic!() };
        assert_eq!((point, direction), (Point::new(1.0, 2.0, 1.0), Vector::x()));
    }

    #[test]
    fn a_line_along_the_normal_is_an_error() {
        let line = Line { point: Point::origin(), direction: Vector::new(5e-4, 0.0, 1.0).normalize() };
        let plane = Plane { point: Point::origin(), normal: Vector::z() };
        let sentence = of_line(&line, &plane).unwrap_err().sentence;
        assert!(sentence.contains("0.029°") && sentence.contains("0.057°"), "{sentence}");
    }
}
