//! Mid-planes, mid-lines, and the symmetry plane of two points.

use std::f64::consts::FRAC_PI_2;

use super::super::element::{LEAST_LENGTH_MM, Line, MIN_ANGLE_RAD, Plane, acute_angle, degrees_text};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// The second direction, reversed if it is opposed to the first; an error if they are almost perpendicular, so that the
/// mid-element is ambiguous.
fn aligned(one: &Vector, other: &Vector, what: &str) -> Result<Vector> {
    let angle = acute_angle(one, other);
    if FRAC_PI_2 - angle < MIN_ANGLE_RAD {
        return Err(UserError::input(format!(
            "The {what} are at an angle of {}, so that there are two equivalent solutions; the angle must be at most \
             {}.",
            degrees_text(angle),
            degrees_text(FRAC_PI_2 - MIN_ANGLE_RAD)
        )));
    }
    Ok(if one.dot(other) < 0.0 { -other } else { *other })
}

/// The plane equidistant from two planes that bisects the smaller angle between them; its normal points to the side of
/// the first normal.
pub fn of_planes(one: &Plane, other: &Plane) -> Result<Plane> {
    let sum = one.normal + aligned(&one.normal, &other.normal, "planes")?;
    let normal = sum.normalize();
    let midpoint = nalgebra::center(&one.point, &other.point);
    let sign = if one.normal.dot(&other.normal) < 0.0 { -1.0 } else { 1.0 };
    let height = (one.height(&midpoint) + sign * other.height(&midpoint)) / sum.norm();
    Ok(Plane { point: midpoint - normal * height, normal })
}

/// The mid-line of two lines: every plane perpendicular to it intersects both lines at equal distances on opposite
/// sides. Its direction is on the side of the first.
pub fn of_lines(one: &Line, other: &Line) -> Result<Line> {
    let direction = (one.direction + aligned(&one.direction, &other.direction, "lines")?).normalize();
    let plane = Plane { point: nalgebra::center(&one.point, &other.point), normal: direction };
    let intersection =
        |line: &Line| line.point - line.direction * (plane.height(&line.point) / line.direction.dot(&direction));
    Ok(Line { point: nalgebra::center(&intersection(one), &intersection(other)), direction })
}

/// The symmetry plane of two points; its normal points to the second.
pub fn of_points(one: &Point, other: &Point) -> Result<Plane> {
    let between = other - one;
    if between.norm() < LEAST_LENGTH_MM {
        return Err(UserError::input(format!(
            "The points are {:.1e} mm apart; a symmetry plane needs at least {LEAST_LENGTH_MM:.0e} mm between them.",
            between.norm()
        )));
    }
    Ok(Plane { point: nalgebra::center(one, other), normal: between.normalize() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_mid_plane_is_equidistant_from_both_whatever_their_signs() {
        let mut random = Random::new(4, 1);
        for lean in [0.0, 0.02, 1.4] {
            for sign in [1.0, -1.0] {
                let turn = random.rotation();
                let [low, high] = [-lean, lean].map(|angle: f64| {
                    let normal = turn * Vector::new((0.5 * angle).sin(), 0.0, (0.5 * angle).cos());
                    Plane { point: turn * Point::new(random.range(-9.0, 9.0), 3.0, 5.0 * angle.signum()), normal }
                });
                let high = Plane { normal: high.normal * sign, ..high };
                let mid = of_planes(&low, &high).unwrap();
                assert!((mid.normal - turn * Vector::z()).norm() < 1e-14);
                let side = turn * Vector::x();
                for t in [-20.0, 0.0, 7.0] {
                    let point = mid.point + side * t;
                    assert!((low.height(&point).abs() - high.height(&point).abs()).abs() < 1e-12);
                    assert!(low.height(&point) * high.height(&point) * sign <= 0.0);
                }
            }
        }
        let perpendicular = of_planes(
            &Plane { point: Point::origin(), normal: Vector::x() },
            &Plane { point: Point::origin(), normal: Vector::z() },
        );
        assert!(perpendicular.unwrap_err().sentence.contains("an angle of 90.000°"));
    }

    #[test]
    fn the_mid_line_is_midway_of_skew_and_of_parallel_lines() {
        let mut random = Random::new(5, 1);
        for lean in [0.0, 1e-7, 0.1, 1.0] {
            let turn = random.rotation();
            let [one, other] = [-1.0, 1.0].map(|side: f64| {
                let angle = 0.5 * lean * side;
                let direction = turn * Vector::new(0.0, angle.sin(), angle.cos()) * side;
                Line {
                    point: turn * Point::new(4.0 * side, 0.0, 0.0) + direction * random.range(-20.0, 20.0),
                    direction,
                }
            });
            let mid = of_lines(&one, &other).unwrap();
            let truth = Line { point: Point::origin(), direction: turn * Vector::z() };
            assert!(truth.distance(&mid.point) < 1e-12, "{lean} {}", truth.distance(&mid.point));
            assert!(acute_angle(&truth.direction, &mid.direction) < 1e-14);
        }
    }

    #[test]
    fn points_are_symmetric_about_their_plane() {
        let (one, other) = (Point::new(1.0, 2.0, 3.0), Point::new(-3.0, 0.0, 8.0));
        let plane = of_points(&one, &other).unwrap();
        assert!((plane.height(&one) + plane.height(&other)).abs() < 1e-14);
        assert!((one - plane.normal * (2.0 * plane.height(&one)) - other).norm() < 1e-14);
        assert!(of_points(&one, &one).unwrap_err().sentence.contains("at least 1e-6 mm"));
    }
}
