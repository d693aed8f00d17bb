//! Elements seen along the normal of a plane, or brought onto a line.

use super::super::Shape;
use super::super::element::{Flat, LEAST_ANGLE_RAD, Straight, acute_angle, shown};
use base::{Result, UserError};

/// The line on `plane` that lies under `line`.
pub fn of_line(line: &Straight, plane: &Flat) -> Result<Shape> {
    let flat = line.direction - plane.normal * line.direction.dot(&plane.normal);
    let angle = acute_angle(&line.direction, &plane.normal);
    if angle < LEAST_ANGLE_RAD {
        return Err(UserError::input(format!(
            "The line is only {} off the plane's normal and shows as a point there; it needs to lean at least {}. Use \
             the intersection instead.",
            shown(angle),
            shown(LEAST_ANGLE_RAD)
        )));
    }
    Ok(Shape::Line { point: plane.foot(&line.point), direction: flat.normalize() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Point, Vector};

    #[test]
    fn a_line_lies_under_itself() {
        let line = Straight { point: Point::new(1.0, 2.0, 3.0), direction: Vector::new(0.6, 0.0, 0.8) };
        let plane = Flat { point: Point::new(9.0, 9.0, 1.0), normal: Vector::z() };
        let Shape::Line { point, direction } = of_line(&line, &plane).unwrap() else { panic!() };
        assert_eq!((point, direction), (Point::new(1.0, 2.0, 1.0), Vector::x()));
    }

    #[test]
    fn an_upright_line_is_a_sentence() {
        let line = Straight { point: Point::origin(), direction: Vector::new(5e-4, 0.0, 1.0).normalize() };
        let plane = Flat { point: Point::origin(), normal: Vector::z() };
        let sentence = of_line(&line, &plane).unwrap_err().sentence;
        assert!(sentence.contains("0.029°") && sentence.contains("0.057°"), "{sentence}");
    }
}
