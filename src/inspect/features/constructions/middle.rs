//! What lies midway: mid-planes, mid-lines, and the plane about which two points are symmetric.

use std::f64::consts::FRAC_PI_2;

use super::super::element::{Flat, LEAST_ANGLE_RAD, LEAST_LENGTH_MM, Straight, acute_angle, shown};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// The second direction turned round where it is opposed; a sentence where it is square, so that two middles differ.
fn aligned(one: &Vector, other: &Vector, what: &str) -> Result<Vector> {
    let angle = acute_angle(one, other);
    if FRAC_PI_2 - angle < LEAST_ANGLE_RAD {
        return Err(UserError::input(format!(
            "The {what} are {} apart, so that two middles are equally good; an angle of at most {} decides which is \
             meant.",
            shown(angle),
            shown(FRAC_PI_2 - LEAST_ANGLE_RAD)
        )));
    }
    Ok(if one.dot(other) < 0.0 { -other } else { *other })
}

/// The plane of all places equally far from two planes, in the smaller angle between them; its normal is on the side
/// of the first one's.
pub fn of_planes(one: &Flat, other: &Flat) -> Result<Flat> {
    let sum = one.normal + aligned(&one.normal, &other.normal, "planes")?;
    let normal = sum.normalize();
    let middle = nalgebra::center(&one.point, &other.point);
    let sign = if one.normal.dot(&other.normal) < 0.0 { -1.0 } else { 1.0 };
    let height = (one.height(&middle) + sign * other.height(&middle)) / sum.norm();
    Ok(Flat { point: middle - normal * height, normal })
}

/// The line midway between two lines: every plane square to it cuts both at the same distance from it, on opposite
/// sides. Its direction is that of the first.
pub fn of_lines(one: &Straight, other: &Straight) -> Result<Straight> {
    let direction = (one.direction + aligned(&one.direction, &other.direction, "lines")?).normalize();
    let across = Flat { point: nalgebra::center(&one.point, &other.point), normal: direction };
    let cut =
        |line: &Straight| line.point - line.direction * (across.height(&line.point) / line.direction.dot(&direction));
    Ok(Straight { point: nalgebra::center(&cut(one), &cut(other)), direction })
}

/// The plane about which two points are symmetric; its normal points to the second.
pub fn of_points(one: &Point, other: &Point) -> Result<Flat> {
    let between = other - one;
    if between.norm() < LEAST_LENGTH_MM {
        return Err(UserError::input(format!(
            "The points are {:.1e} mm apart; a plane of symmetry needs at least {LEAST_LENGTH_MM:.0e} mm between them.",
            between.norm()
        )));
    }
    Ok(Flat { point: nalgebra::center(one, other), normal: between.normalize() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn the_mid_plane_is_equally_far_from_both_whatever_their_signs() {
        let mut random = Random::new(4, 1);
        for lean in [0.0, 0.02, 1.4] {
            for sign in [1.0, -1.0] {
                let turn = random.rotation();
                let [low, high] = [-lean, lean].map(|angle: f64| {
                    let normal = turn * Vector::new((0.5 * angle).sin(), 0.0, (0.5 * angle).cos());
                    Flat { point: turn * Point::new(random.range(-9.0, 9.0), 3.0, 5.0 * angle.signum()), normal }
                });
                let high = Flat { normal: high.normal * sign, ..high };
                let middle = of_planes(&low, &high).unwrap();
                assert!((middle.normal - turn * Vector::z()).norm() < 1e-14);
                let side = turn * Vector::x();
                for t in [-20.0, 0.0, 7.0] {
                    let place = middle.point + side * t;
                    assert!((low.height(&place).abs() - high.height(&place).abs()).abs() < 1e-12);
                    assert!(low.height(&place) * high.height(&place) * sign <= 0.0);
                }
            }
        }
        let square = of_planes(
            &Flat { point: Point::origin(), normal: Vector::x() },
            &Flat { point: Point::origin(), normal: Vector::z() },
        );
        assert!(square.unwrap_err().sentence.contains("90.000° apart"));
    }

    #[test]
    fn the_mid_line_is_midway_of_skew_and_of_parallel_lines() {
        let mut random = Random::new(5, 1);
        for lean in [0.0, 1e-7, 0.1, 1.0] {
            let turn = random.rotation();
            let [one, other] = [-1.0, 1.0].map(|side: f64| {
                let angle = 0.5 * lean * side;
                let direction = turn * Vector::new(0.0, angle.sin(), angle.cos()) * side;
                Straight {
                    point: turn * Point::new(4.0 * side, 0.0, 0.0) + direction * random.range(-20.0, 20.0),
                    direction,
                }
            });
            let middle = of_lines(&one, &other).unwrap();
            let truth = Straight { point: Point::origin(), direction: turn * Vector::z() };
            assert!(truth.distance(&middle.point) < 1e-12, "{lean} {}", truth.distance(&middle.point));
            assert!(acute_angle(&truth.direction, &middle.direction) < 1e-14);
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
