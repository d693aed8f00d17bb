//! Starts of circles and spheres: the algebraic fit, and for arcs and caps that are nearly flat the curvature of a
//! parabola over the plane of least spread.

use nalgebra::{DMatrix, DVector};

use super::super::model::{Form, Model, any_square_to};
use super::super::newton::Weighted;
use super::super::shape::Shape;
use super::weight;
use geometry::{Point, Pose, Vector};

/// Solves least squares over rows made from each point: coefficients and what they should sum to.
pub fn linear<const N: usize>(points: Weighted<'_>, row: impl Fn(&Point) -> ([f64; N], f64)) -> Option<[f64; N]> {
    let (mut matrix, mut right) = (DMatrix::<f64>::zeros(N, N), DVector::<f64>::zeros(N));
    for (i, point) in points.points.iter().enumerate() {
        let (coefficients, sum) = row(point);
        let own = DVector::from_row_slice(&coefficients) * weight(points, i);
        matrix.syger(1.0, &own, &DVector::from_row_slice(&coefficients), 1.0);
        right.axpy(sum, &own, 1.0);
    }
    matrix.fill_upper_triangle_with_lower_triangle();
    let solution = matrix.svd(true, true).solve(&right, 1e-14).ok()?;
    let solution: [f64; N] = solution.as_slice().try_into().ok()?;
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

/// A frame at the centroid whose z is `normal`, and x, y any.
fn over(normal: &Vector) -> [Vector; 3] {
    let x = any_square_to(normal);
    [x, normal.cross(&x), *normal]
}

/// Circles in the plane of least spread (through the centroid, which is the origin).
pub fn circles(points: Weighted<'_>, normal: &Vector) -> Vec<Model> {
    let [x, y, z] = over(normal);
    circle_about(points, &z)
        .into_iter()
        .map(|(u, v, radius)| Model::of(&Shape::Circle { centre: Point::from(x * u + y * v), normal: z, radius }))
        .collect()
}

/// The algebraic circle (Kåsa 1976) of the points seen along `z`: its centre along [`over`]'s x and y, its radius.
pub fn circle_about(points: Weighted<'_>, z: &Vector) -> Option<(f64, f64, f64)> {
    let [x, y, _] = over(z);
    let [a, b, c] = linear(points, |point| {
        let (u, v) = (point.coords.dot(&x), point.coords.dot(&y));
        ([u, v, 1.0], u * u + v * v)
    })?;
    let square = c + 0.25 * (a * a + b * b);
    (square > 0.0).then(|| (0.5 * a, 0.5 * b, square.sqrt()))
}

/// The place in space of u and v of [`circle_about`].
pub fn seen_along(z: &Vector, u: f64, v: f64) -> Point {
    let [x, y, _] = over(z);
    Point::from(x * u + y * v)
}

/// Spheres: algebraic, and over the plane of least spread.
pub fn spheres(points: Weighted<'_>, normal: &Vector) -> Vec<Model> {
    let algebraic = linear(points, |point| ([point.x, point.y, point.z, 1.0], point.coords.norm_squared()));
    let whole = algebraic.and_then(|[a, b, c, d]| {
        let centre = Point::new(0.5 * a, 0.5 * b, 0.5 * c);
        let square = d + centre.coords.norm_squared();
        (square > 0.0).then(|| Model::on_surface(&Shape::Sphere { centre, radius: square.sqrt() }))
    });
    let [x, y, z] = over(normal);
    // w = a + b u + c v - k (u² + v²) / 2: z is outward where k is positive.
    let cap = linear(points, |point| {
        let (u, v) = (point.coords.dot(&x), point.coords.dot(&y));
        ([1.0, u, v, -0.5 * (u * u + v * v)], point.coords.dot(&z))
    });
    let cap = cap.map(|[a, b, c, k]| {
        let outward = (z - x * b - y * c).normalize();
        let turn = nalgebra::Rotation3::from_basis_unchecked(&over(&outward));
        let points_from_model = Pose::from_parts((z * a).into(), turn.into());
        Model { form: Form::FlatSphere, points_from_model, numbers: [k, 0.0, 0.0] }
    });
    whole.into_iter().chain(cap).collect()
}
