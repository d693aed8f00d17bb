//! Initial estimates of circles and spheres: the algebraic fit, and for nearly flat arcs and caps the curvature of a
//! paraboloid over the plane of least spread.

use nalgebra::{DMatrix, DVector};

use super::super::model::{Form, Model, any_perpendicular};
use super::super::newton::WeightedPoints;
use super::super::shape::Shape;
use super::weight;
use geometry::{Point, Pose, Vector};

/// Linear least squares with one equation per point: `row` returns its coefficients and right-hand side.
pub fn linear<const N: usize>(points: WeightedPoints<'_>, row: impl Fn(&Point) -> ([f64; N], f64)) -> Option<[f64; N]> {
    let (mut matrix, mut right) = (DMatrix::<f64>::zeros(N, N), DVector::<f64>::zeros(N));
    for (i, point) in points.points.iter().enumerate() {
        let (coefficients, right_side) = row(point);
        let weighted = DVector::from_row_slice(&coefficients) * weight(points, i);
        matrix.syger(1.0, &weighted, &DVector::from_row_slice(&coefficients), 1.0);
        right.axpy(right_side, &weighted, 1.0);
    }
    matrix.fill_upper_triangle_with_lower_triangle();
    let solution = matrix.svd(true, true).solve(&right, 1e-14).ok()?;
    let solution: [f64; N] = solution.as_slice().try_into().ok()?;
    solution.iter().all(|value| value.is_finite()).then_some(solution)
}

/// Axes of a frame with z along `normal`; x and y are arbitrary.
fn axes_about(normal: &Vector) -> [Vector; 3] {
    let x = any_perpendicular(normal);
    [x, normal.cross(&x), *normal]
}

/// The circle in the plane of least spread (through the centroid, which is the origin).
pub fn circles(points: WeightedPoints<'_>, normal: &Vector) -> Vec<Model> {
    let [x, y, z] = axes_about(normal);
    circle_about(points, &z)
        .into_iter()
        .map(|(u, v, radius)| Model::of(&Shape::Circle { centre: Point::from(x * u + y * v), normal: z, radius }))
        .collect()
}

/// The algebraic circle (Kåsa 1976) of the points projected along `z`: its centre along [`axes_about`]'s x and y, and
/// its radius.
pub fn circle_about(points: WeightedPoints<'_>, z: &Vector) -> Option<(f64, f64, f64)> {
    let [x, y, _] = axes_about(z);
    let [a, b, c] = linear(points, |point| {
        let (u, v) = (point.coords.dot(&x), point.coords.dot(&y));
        ([u, v, 1.0], u * u + v * v)
    })?;
    let radius_squared = c + 0.25 * (a * a + b * b);
    (radius_squared > 0.0).then(|| (0.5 * a, 0.5 * b, radius_squared.sqrt()))
}

/// The point in space with coordinates u and v of [`circle_about`].
pub fn point_in_space(z: &Vector, u: f64, v: f64) -> Point {
    let [x, y, _] = axes_about(z);
    Point::from(x * u + y * v)
}

/// Spheres: the algebraic one, and the cap over the plane of least spread.
pub fn spheres(points: WeightedPoints<'_>, normal: &Vector) -> Vec<Model> {
    let algebraic = linear(points, |point| ([point.x, point.y, point.z, 1.0], point.coords.norm_squared()));
    let whole = algebraic.and_then(|[a, b, c, d]| {
        let centre = Point::new(0.5 * a, 0.5 * b, 0.5 * c);
        let radius_squared = d + centre.coords.norm_squared();
        (radius_squared > 0.0).then(|| Model::on_surface(&Shape::Sphere { centre, radius: radius_squared.sqrt() }))
    });
    let [x, y, z] = axes_about(normal);
    // w = a + b u + c v - k (u² + v²) / 2: z is outward where k is positive.
    let cap = linear(points, |point| {
        let (u, v) = (point.coords.dot(&x), point.coords.dot(&y));
        ([1.0, u, v, -0.5 * (u * u + v * v)], point.coords.dot(&z))
    });
    let cap = cap.map(|[a, b, c, k]| {
        let outward = (z - x * b - y * c).normalize();
        let rotation = nalgebra::Rotation3::from_basis_unchecked(&axes_about(&outward));
        let points_from_model = Pose::from_parts((z * a).into(), rotation.into());
        Model { form: Form::FlatSphere, points_from_model, shape_parameters: [k, 0.0, 0.0] }
    });
    whole.into_iter().chain(cap).collect()
}
