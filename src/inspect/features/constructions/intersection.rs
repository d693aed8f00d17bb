//! Where planes, lines and cylinders cut or come nearest.

use serde::Serialize;

use super::super::Shape;
use super::super::element::{Flat, LEAST_ANGLE_RAD, Straight, acute_angle, shown};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Where two lines are nearest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Nearest {
    /// Midway between the two feet, mm.
    pub middle: Point,
    /// The feet of the common normal: on the first and on the second line, mm.
    pub feet: [Point; 2],
    /// Distance of the feet, mm.
    pub gap_mm: f64,
}

/// The outline in which a plane cuts a cylinder.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Section {
    /// The plane is square to the axis.
    Circle {
        /// On the axis, mm.
        centre: Point,
        /// Normal of the plane.
        normal: Vector,
        /// Radius, mm.
        radius_mm: f64,
    },
    /// The plane is oblique.
    Ellipse {
        /// On the axis, mm.
        centre: Point,
        /// Normal of the plane.
        normal: Vector,
        /// Unit vector along the long half axis.
        along: Vector,
        /// Long half axis, mm.
        half_long_mm: f64,
        /// Short half axis, mm: the cylinder's radius.
        half_short_mm: f64,
    },
}

/// A refusal that names the angle found and the least one.
fn too_small(what: &str, angle_rad: f64) -> UserError {
    UserError::input(format!(
        "{what} only {} apart; an intersection needs at least {}. Choose elements that cut more steeply.",
        shown(angle_rad),
        shown(LEAST_ANGLE_RAD)
    ))
}

/// The line in which two planes cut; its point is the one nearest to the middle of the planes' points.
pub fn of_planes(one: &Flat, other: &Flat) -> Result<Shape> {
    let across = one.normal.cross(&other.normal);
    let angle = acute_angle(&one.normal, &other.normal);
    if angle < LEAST_ANGLE_RAD {
        return Err(too_small("The planes are", angle));
    }
    let middle = nalgebra::center(&one.point, &other.point);
    let (cosine, square_sine) = (one.normal.dot(&other.normal), across.norm_squared());
    let (first, second) = (one.height(&middle), other.height(&middle));
    let shift = one.normal * ((cosine * second - first) / square_sine)
        + other.normal * ((cosine * first - second) / square_sine);
    Ok(Shape::Line { point: middle + shift, direction: across.normalize() })
}

/// The place where a line pierces a plane.
pub fn of_line_and_plane(line: &Straight, plane: &Flat) -> Result<Point> {
    let steepness = line.direction.dot(&plane.normal);
    let angle = steepness.abs().atan2(line.direction.cross(&plane.normal).norm());
    if angle < LEAST_ANGLE_RAD {
        return Err(too_small("The line and the plane are", angle));
    }
    Ok(line.point - line.direction * (plane.height(&line.point) / steepness))
}

/// The corner of three planes: the two that cut most steeply give the line that the third is cut with.
pub fn of_three_planes(planes: &[Flat; 3]) -> Result<Point> {
    let angle = |[i, j]: [usize; 2]| acute_angle(&planes[i].normal, &planes[j].normal);
    let mut pairs = [([0, 1], 2), ([0, 2], 1), ([1, 2], 0)];
    pairs.sort_by(|a, b| angle(b.0).total_cmp(&angle(a.0)));
    let ([i, j], third) = pairs[0];
    let Shape::Line { point, direction } = of_planes(&planes[i], &planes[j])? else {
        return Err(UserError::internal("Two planes that do not cut in a line."));
    };
    of_line_and_plane(&Straight { point, direction }, &planes[third])
        .map_err(|error| error.about("The line of two of the planes and the third"))
}

/// Where two lines come nearest.
pub fn of_lines(one: &Straight, other: &Straight) -> Result<Nearest> {
    let across = one.direction.cross(&other.direction);
    let angle = acute_angle(&one.direction, &other.direction);
    if angle < LEAST_ANGLE_RAD {
        return Err(too_small("The lines are", angle));
    }
    let between = other.point - one.point;
    let square = across.norm_squared();
    let on_one = one.point + one.direction * (between.cross(&other.direction).dot(&across) / square);
    let on_other = other.point + other.direction * (between.cross(&one.direction).dot(&across) / square);
    Ok(Nearest {
        middle: nalgebra::center(&on_one, &on_other),
        feet: [on_one, on_other],
        gap_mm: between.dot(&across).abs() / square.sqrt(),
    })
}

/// The place of the axis and the outline in which a plane cuts a cylinder of `radius_mm` about `axis`.
pub fn of_cylinder_and_plane(axis: &Straight, radius_mm: f64, plane: &Flat) -> Result<Section> {
    let centre = of_line_and_plane(axis, plane)?;
    let normal = plane.normal;
    if acute_angle(&axis.direction, &normal) < LEAST_ANGLE_RAD {
        return Ok(Section::Circle { centre, normal, radius_mm });
    }
    let steepness = axis.direction.dot(&normal);
    let along = (axis.direction - normal * steepness).normalize();
    let half_long_mm = radius_mm / steepness.abs();
    Ok(Section::Ellipse { centre, normal, along, half_long_mm, half_short_mm: radius_mm })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn direction(random: &mut Random) -> Vector {
        random.rotation() * Vector::z()
    }

    fn place(random: &mut Random) -> Point {
        Point::new(random.range(-50.0, 50.0), random.range(-50.0, 50.0), random.range(-50.0, 50.0))
    }

    #[test]
    fn cuts_lie_on_what_is_cut() {
        let mut random = Random::new(1, 1);
        for _ in 0..200 {
            let mut flat = || Flat { point: place(&mut random), normal: direction(&mut random) };
            let planes = [flat(), flat(), flat()];
            let Shape::Line { point, direction: along } = of_planes(&planes[0], &planes[1]).unwrap() else { panic!() };
            for t in [-30.0, 0.0, 10.0] {
                assert!(planes[..2].iter().all(|plane| plane.height(&(point + along * t)).abs() < 1e-9));
            }
            // Nearest to the middle of both points.
            let middle = nalgebra::center(&planes[0].point, &planes[1].point);
            assert!((middle - point).dot(&along).abs() < 1e-9 * (1.0 + (middle - point).norm()));
            let corner = of_three_planes(&planes).unwrap();
            let far = 1.0 + corner.coords.norm();
            assert!(planes.iter().all(|plane| plane.height(&corner).abs() < 1e-10 * far * far), "{corner}");
        }
    }

    #[test]
    fn skew_lines_are_nearest_on_their_common_normal() {
        let mut random = Random::new(2, 1);
        for _ in 0..200 {
            // Built from the answer.
            let turn = random.rotation();
            let (middle, half) = (place(&mut random), random.range(0.0, 3.0));
            let (normal, angle) = (turn * Vector::z(), random.range(0.05, 3.0));
            let directions = [turn * Vector::x(), turn * Vector::new(angle.cos(), angle.sin(), 0.0)];
            let feet = [middle - normal * half, middle + normal * half];
            let far = [random.range(-90.0, 90.0), random.range(-90.0, 90.0)];
            let [one, other] =
                [0, 1].map(|i| Straight { point: feet[i] + directions[i] * far[i], direction: directions[i] });
            let found = of_lines(&one, &other).unwrap();
            assert!((found.middle - middle).norm() < 1e-9 && (found.gap_mm - 2.0 * half).abs() < 1e-10, "{found:?}");
            assert!((found.feet[0] - feet[0]).norm() < 1e-9 && (found.feet[1] - feet[1]).norm() < 1e-9);
        }
    }

    #[test]
    fn a_plane_cuts_a_cylinder_in_circle_or_ellipse() {
        let mut random = Random::new(3, 1);
        for angle in [0.0, 0.3, 1.2] {
            let turn = random.rotation();
            let axis = Straight { point: place(&mut random), direction: turn * Vector::z() };
            let normal = turn * Vector::new(f64::sin(angle), 0.0, f64::cos(angle));
            let plane = Flat { point: place(&mut random), normal };
            match of_cylinder_and_plane(&axis, 4.0, &plane).unwrap() {
                Section::Circle { centre, radius_mm, .. } => {
                    assert!(angle == 0.0 && radius_mm == 4.0 && axis.distance(&centre) < 1e-12);
                }
                Section::Ellipse { centre, normal, along, half_long_mm, half_short_mm } => {
                    let short = normal.cross(&along);
                    for i in 0..12 {
                        let (sin, cos) = f64::from(i).sin_cos();
                        let rim = centre + along * (half_long_mm * cos) + short * (half_short_mm * sin);
                        assert!((axis.distance(&rim) - 4.0).abs() < 1e-10 && plane.height(&rim).abs() < 1e-10);
                    }
                    assert!(angle > 0.0 && (half_long_mm * angle.cos() - 4.0).abs() < 1e-10);
                }
            }
        }
    }

    #[test]
    fn near_parallel_elements_are_sentences_with_their_angle() {
        let plane = |x: f64| Flat { point: Point::new(x, 2.0, 3.0), normal: Vector::new(x, 0.0, 1.0).normalize() };
        let line =
            |y: f64| Straight { point: Point::new(0.0, 0.0, y), direction: Vector::new(1.0, y, 0.0).normalize() };
        let (base, near) = (plane(0.0), plane(5e-4));
        let grazing = Straight { point: Point::origin(), direction: Vector::new(1.0, 0.0, 5e-4).normalize() };
        for sentence in [
            of_planes(&base, &near).unwrap_err().sentence,
            of_lines(&line(0.0), &line(5e-4)).unwrap_err().sentence,
            of_line_and_plane(&grazing, &base).unwrap_err().sentence,
            of_three_planes(&[base, near, plane(2e-4)]).unwrap_err().sentence,
        ] {
            assert!(sentence.contains("0.029°") && sentence.contains("at least 0.057°"), "{sentence}");
        }
        // Two of three cut well, but all three stand along one line.
        let wall = |angle: f64| Flat { point: Point::origin(), normal: Vector::new(angle.cos(), angle.sin(), 0.0) };
        let sentence = of_three_planes(&[wall(0.0), wall(1.0), wall(2.0)]).unwrap_err().sentence;
        assert!(sentence.contains("the third"), "{sentence}");
    }
}
