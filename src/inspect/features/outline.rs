//! Outlines of features for display, limited to the extent of their points.

use super::fits::model::any_perpendicular;
use super::fits::shape::Shape;
use geometry::{Point, Vector};

/// Segments of a displayed circle.
const CIRCLE_SEGMENTS: usize = 72;

/// Polylines that show `shape` over the extent of `points`, mm; closed outlines repeat their first corner.
pub fn of(shape: &Shape, points: &[Point]) -> Vec<Vec<Point>> {
    let extent = |direction: &Vector, from: &Point| {
        let along = points.iter().map(|point| (point - from).dot(direction));
        along.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), t| (min.min(t), max.max(t)))
    };
    match *shape {
        Shape::Line { point, direction } => {
            let (min, max) = extent(&direction, &point);
            vec![vec![point + direction * min, point + direction * max]]
        }
        Shape::Plane { point, normal } => {
            let x = any_perpendicular(&normal);
            let y = normal.cross(&x);
            let ((x0, x1), (y0, y1)) = (extent(&x, &point), extent(&y, &point));
            let corner = |u: f64, v: f64| point + x * u + y * v;
            vec![vec![corner(x0, y0), corner(x1, y0), corner(x1, y1), corner(x0, y1), corner(x0, y0)]]
        }
        Shape::Circle { centre, normal, radius } => vec![ring(&centre, &normal, radius)],
        Shape::Sphere { centre, radius } => {
            [Vector::x(), Vector::y(), Vector::z()].iter().map(|axis| ring(&centre, axis, radius)).collect()
        }
        Shape::Cylinder { point, axis, radius } => {
            let (min, max) = extent(&axis, &point);
            let (a, b) = (point + axis * min, point + axis * max);
            vec![ring(&a, &axis, radius), ring(&b, &axis, radius), vec![a, b]]
        }
        Shape::Cone { point, axis, radius, half_angle_rad } => {
            let (min, max) = extent(&axis, &point);
            let at = |t: f64| ring(&(point + axis * t), &axis, (radius + t * half_angle_rad.tan()).max(0.0));
            vec![at(min), at(max), vec![point + axis * min, point + axis * max]]
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
    let x = any_perpendicular(axis);
    let y = axis.cross(&x);
    let corner = |i: usize| {
        let (sin, cos) = (i as f64 / CIRCLE_SEGMENTS as f64 * std::f64::consts::TAU).sin_cos();
        centre + (x * cos + y * sin) * radius
    };
    (0..=CIRCLE_SEGMENTS).map(corner).collect()
}
