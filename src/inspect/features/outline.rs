//! Features as lines to draw: as far as their points reach.

use super::model::any_square_to;
use super::shape::Shape;
use geometry::{Point, Vector};

/// Corners of a drawn circle.
const CORNERS: usize = 72;

/// Lines that show `shape` where `points` are, each a row of corners.
pub fn of(shape: &Shape, points: &[Point]) -> Vec<Vec<Point>> {
    let reach = |direction: &Vector, from: &Point| {
        let along = points.iter().map(|point| (point - from).dot(direction));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), t| (low.min(t), high.max(t)))
    };
    match *shape {
        Shape::Line { point, direction } => {
            let (low, high) = reach(&direction, &point);
            vec![vec![point + direction * low, point + direction * high]]
        }
        Shape::Plane { point, normal } => {
            let x = any_square_to(&normal);
            let y = normal.cross(&x);
            let ((x0, x1), (y0, y1)) = (reach(&x, &point), reach(&y, &point));
            let corner = |u: f64, v: f64| point + x * u + y * v;
            vec![vec![corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1), corner(x0, y0)]]
        }
        Shape::Circle { centre, normal, radius } => vec![ring(&centre, &normal, radius)],
        Shape::Sphere { centre, radius } => {
            [Vector::x(), Vector::y(), Vector::z()].iter().map(|axis| ring(&centre, axis, radius)).collect()
        }
        Shape::Cylinder { point, axis, radius } => {
            let (low, high) = reach(&axis, &point);
            let (a, b) = (point + axis * low, point + axis * high);
            vec![ring(&a, &axis, radius), ring(&b, &axis, radius), vec![a, b]]
        }
        Shape::Cone { point, axis, radius, half_angle_rad } => {
            let (low, high) = reach(&axis, &point);
            let at = |t: f64| ring(&(point + axis * t), &axis, (radius + t * half_angle_rad.tan()).max(0.0));
            vec![at(low), at(high), vec![point + axis * low, point + axis * high]]
        }
        Shape::Torus { centre, axis, major, minor } => vec![
            ring(&centre, &axis, major + minor),
            ring(&centre, &axis, (major - minor).abs()),
            ring(&(centre + axis * minor), &axis, major),
            ring(&(centre - axis * minor), &axis, major),
        ],
    }
}

fn ring(centre: &Point, axis: &Vector, radius: f64) -> Vec<Point> {
    let x = any_square_to(axis);
    let y = axis.cross(&x);
    let corner = |i: usize| {
        let (sin, cos) = (i as f64 / CORNERS as f64 * std::f64::consts::TAU).sin_cos();
        centre + (x * cos + y * sin) * radius
    };
    (0..=CORNERS).map(corner).collect()
}
