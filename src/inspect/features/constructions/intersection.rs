//! Intersections of planes, lines and cylinders, and the closest approach of lines.

use serde::Serialize;

use super::super::Shape;
use super::super::element::{Line, MIN_ANGLE_RAD, Plane, acute_angle, degrees_text};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Closest approach of two lines.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ClosestApproach {
    /// Midpoint of the two feet, mm.
    #[serde(rename = "middle")]
    pub midpoint: Point,
    /// Feet of the common normal on the first and the second line, mm.
    pub feet: [Point; 2],
    /// Distance between the feet, mm.
    pub gap_mm: f64,
}

/// The section of a cylinder by a plane.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Section {
    /// The plane is perpendicular to the axis.
    Circle {
        /// Point on the axis, mm.
        centre: Point,
        /// Unit normal of the plane.
        normal: Vector,
        /// Radius, mm.
        radius_mm: f64,
    },
    /// The plane is oblique.
    Ellipse {
        /// Point on the axis, mm.
        centre: Point,
        /// Unit normal of the plane.
        normal: Vector,
        /// Unit vector along the major axis.
        along: Vector,
        /// Semi-major axis, mm.
        half_long_mm: f64,
        /// Semi-minor axis, mm: the radius of the cylinder.
        half_short_mm: f64,
    },
}

/// Error that states the actual angle and the minimum.
fn too_small(what: &str, angle_rad: f64) -> UserError {
    UserError::input(format!(
        "{what} at an angle of only {}; an intersection needs at least {}. Choose elements at a larger angle.",
        degrees_text(angle_rad),
        degrees_text(MIN_ANGLE_RAD)
    ))
}

/// The intersection line of two planes; its point is the one closest to the midpoint of the planes' reference points.
pub fn of_planes(one: &Plane, other: &Plane) -> Result<Shape> {
    let normals_cross = one.normal.cross(&other.normal);
    let angle = acute_angle(&one.normal, &other.normal);
    if angle < MIN_ANGLE_RAD {
        return Err(too_small("The planes are", angle));
    }
    let midpoint = nalgebra::center(&one.point, &other.point);
    let (cosine, sine_squared) = (one.normal.dot(&other.normal), normals_cross.norm_squared());
    let (first, second) = (one.height(&midpoint), other.height(&midpoint));
    let shift = one.normal * ((cosine * second - first) / sine_squared)
        + other.normal * ((cosine * first - second) / sine_squared);
    Ok(Shape::Line { point: midpoint + shift, direction: normals_cross.normalize() })
}

/// The intersection point of a line and a plane, mm.
pub fn of_line_and_plane(line: &Line, plane: &Plane) -> Result<Point> {
    let steepness = line.direction.dot(&plane.normal);
    let angle = steepness.abs().atan2(line.direction.cross(&plane.normal).norm());
    if angle < MIN_ANGLE_RAD {
        return Err(too_small("The line and the plane are", angle));
    }
    Ok(line.point - line.direction * (plane.height(&line.point) / steepness))
}

/// The intersection point of three planes, mm: the line of the two planes with the largest angle, intersected with the
/// third.
pub fn of_three_planes(planes: &[Plane; 3]) -> Result<Point> {
    let angle = |[i, j]: [usize; 2]| acute_angle(&planes[i].normal, &planes[j].normal);
    let mut pairs = [([0, 1], 2), ([0, 2], 1), ([1, 2], 0)];
    pairs.sort_by(|a, b| angle(b.0).total_cmp(&angle(a.0)));
    let ([i, j], third) = pairs[0];
    let Shape::Line { point, direction } = of_planes(&planes[i], &planes[j])? else {
        return Err(UserError::internal("The intersection of two planes is not a line."));
    };
    of_line_and_plane(&Line { point, direction }, &planes[third])
        .map_err(|error| error.about("Intersection line of two of the planes with the third"))
}

/// Closest approach of two lines; returns an error if they are almost parallel.
pub fn of_lines(one: &Line, other: &Line) -> Result<ClosestApproach> {
    let common_normal = one.direction.cross(&other.direction);
    let angle = acute_angle(&one.direction, &other.direction);
    if angle < MIN_ANGLE_RAD {
        return Err(too_small("The lines are", angle));
    }
    let between = other.point - one.point;
    let norm_squared = common_normal.norm_squared();
    let on_one = one.point + one.direction * (between.cross(&other.direction).dot(&common_normal) / norm_squared);
    let on_other = other.point + other.direction * (between.cross(&one.direction).dot(&common_normal) / norm_squared);
    Ok(ClosestApproach {
        midpoint: nalgebra::center(&on_one, &on_other),
        feet: [on_one, on_other],
        gap_mm: between.dot(&common_normal).abs() / norm_squared.sqrt(),
    })
}

/// The section of a cylinder of radius `radius_mm` about `axis` by a plane, centred on the axis.
pub fn of_cylinder_and_plane(axis: &Line, radius_mm: f64, plane: &Plane) -> Result<Section> {
    let centre = of_line_and_plane(axis, plane)?;
    let normal = plane.normal;
    if acute_angle(&axis.direction, &normal) < MIN_ANGLE_RAD {
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

    fn random_point(random: &mut Random) -> Point {
        Point::new(random.range(-50.0, 50.0), random.range(-50.0, 50.0), random.range(-50.0, 50.0))
    }

    #[test]
    fn intersections_lie_on_the_intersected_elements() {
        let mut random = Random::new(1, 1);
        for _ in 0..200 {
            let mut random_plane = || Plane { point: random_point(&mut random), normal: direction(&mut random) };
            let planes = [random_plane(), random_plane(), random_plane()];
            let Shape::Line { point, direction: along } = of_planes(&planes[0], &planes[1]).unwrap() else { panic!() };
            for t in [-30.0, 0.0, 10.0] {
                assert!(planes[..2].iter().all(|plane| plane.height(&(point + along * t)).abs() < 1e-9));
            }
            // Closest to the midpoint of both reference points.
            let midpoint = nalgebra::center(&planes[0].point, &planes[1].point);
            assert!((midpoint - point).dot(&along).abs() < 1e-9 * (1.0 + (midpoint - point).norm()));
            let corner = of_three_planes(&planes).unwrap();
            let far = 1.0 + corner.coords.norm();
            assert!(planes.iter().all(|plane| plane.height(&corner).abs() < 1e-10 * far * far), "{corner}");
        }
    }

    #[test]
    fn skew_lines_are_closest_on_their_common_normal() {
        let mut random = Random::new(2, 1);
        for _ in 0..200 {
            // Constructed from the expected result.
            let turn = random.rotation();
            let (midpoint, half) = (random_point(&mut random), random.range(0.0, 3.0));
            let (normal, angle) = (turn * Vector::z(), random.range(0.05, 3.0));
            let directions = [turn * Vector::x(), turn * Vector::new(angle.cos(), angle.sin(), 0.0)];
            let feet = [midpoint - normal * half, midpoint + normal * half];
            let far = [random.range(-90.0, 90.0), random.range(-90.0, 90.0)];
            let [one, other] =
                [0, 1].map(|i| Line { point: feet[i] + directions[i] * far[i], direction: directions[i] });
            let found = of_lines(&one, &other).unwrap();
            assert!(
                (found.midpoint - midpoint).norm() < 1e-9 && (found.gap_mm - 2.0 * half).abs() < 1e-10,
                "{found:?}"
            );
            assert!((found.feet[0] - feet[0]).norm() < 1e-9 && (found.feet[1] - feet[1]).norm() < 1e-9);
        }
    }

    #[test]
    fn the_section_of_a_cylinder_is_a_circle_or_an_ellipse() {
        let mut random = Random::new(3, 1);
        for angle in [0.0, 0.3, 1.2] {
            let turn = random.rotation();
            let axis = Line { point: random_point(&mut random), direction: turn * Vector::z() };
            let normal = turn * Vector::new(f64::sin(angle), 0.0, f64::cos(angle));
            let plane = Plane { point: random_point(&mut random), normal };
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
    fn errors_for_nearly_parallel_elements_state_the_angle() {
        let plane = |x: f64| Plane { point: Point::new(x, 2.0, 3.0), normal: Vector::new(x, 0.0, 1.0).normalize() };
        let line = |y: f64| Line { point: Point::new(0.0, 0.0, y), direction: Vector::new(1.0, y, 0.0).normalize() };
        let (base, near) = (plane(0.0), plane(5e-4));
        let grazing = Line { point: Point::origin(), direction: Vector::new(1.0, 0.0, 5e-4).normalize() };
        for sentence in [
            of_planes(&base, &near).unwrap_err().sentence,
            of_lines(&line(0.0), &line(5e-4)).unwrap_err().sentence,
            of_line_and_plane(&grazing, &base).unwrap_err().sentence,
            of_three_planes(&[base, near, plane(2e-4)]).unwrap_err().sentence,
        ] {
            assert!(sentence.contains("0.029°") && sentence.contains("at least 0.057°"), "{sentence}");
        }
        // The first two intersect well, but all three contain the z axis.
        let wall = |angle: f64| Plane { point: Point::origin(), normal: Vector::new(angle.cos(), angle.sin(), 0.0) };
        let sentence = of_three_planes(&[wall(0.0), wall(1.0), wall(2.0)]).unwrap_err().sentence;
        assert!(sentence.contains("the third"), "{sentence}");
    }
}
