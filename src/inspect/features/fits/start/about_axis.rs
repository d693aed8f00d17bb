//! Initial estimates of cylinders, cones and tori: for each of many axis directions the other parameters by linear
//! least squares, and from the curvatures of a patch for points that cover no more than that.

use super::super::model::{Form, Model};
use super::super::newton::{self, WeightedPoints};
use super::super::revolved::{flat_torus, frame_at};
use super::super::shape::{Kind, Shape};
use super::round::{circle_about, linear, point_in_space};
use super::{any_perpendicular, torus};
use geometry::transform::half_sphere;
use geometry::{Point, Vector, jacobi};

/// Axis directions over half of the sphere.
const DIRECTIONS: usize = 250;
/// Number of cylinders used as initial estimates of tori.
const CYLINDERS: usize = 3;
/// Minimum curvature by which the ring is inclined, in units of the inverse size of the points.
const MIN_INCLINATION: f64 = 0.1;

pub fn candidates(kind: Kind, points: WeightedPoints<'_>, axes: &[Vector; 3]) -> Vec<Model> {
    let mut models = Vec::new();
    for axis in axes.iter().copied().chain(half_sphere(DIRECTIONS)) {
        match kind {
            Kind::Cone => models.extend(cones(points, &axis)),
            Kind::Torus => models.extend(torus::about(points, &axis)),
            _ => models.extend(cylinder(points, &axis)),
        }
    }
    models.extend(from_patch(kind, points, axes));
    models
}

fn cylinder(points: WeightedPoints<'_>, axis: &Vector) -> Option<Model> {
    let (u, v, radius) = circle_about(points, axis)?;
    Some(Model::on_surface(&Shape::Cylinder { point: point_in_space(axis, u, v), axis: *axis, radius }))
}

/// (x - a)² + (y - b)² = (r + t z)² is linear in a, b and products of the other parameters.
fn cones(points: WeightedPoints<'_>, axis: &Vector) -> Option<Model> {
    let x = any_perpendicular(axis);
    let y = axis.cross(&x);
    let [a, b, c, d, _] = linear(points, |point| {
        let (u, v, w) = (point.coords.dot(&x), point.coords.dot(&y), point.coords.dot(axis));
        ([2.0 * u, 2.0 * v, 1.0, w, w * w], u * u + v * v)
    })?;
    let radius_squared = c + a * a + b * b;
    if radius_squared <= 0.0 {
        return None;
    }
    // The last coefficient is t², which noise may make negative; r² and 2 r t contain the same information.
    let radius = radius_squared.sqrt();
    let slope = 0.5 * d / radius;
    let axis = if slope < 0.0 { -axis } else { *axis };
    let point = Point::from(x * a + y * b);
    Some(Model::of(&Shape::Cone { point, axis, radius, half_angle_rad: slope.abs().atan() }))
}

/// A paraboloid fitted to a patch.
struct Patch {
    at: Point,
    normal: Vector,
    /// Principal curvatures and directions, the larger absolute curvature first.
    principal_curvatures: [(f64, Vector); 2],
}

impl Patch {
    /// From z = a + b u + c v + (p u² + 2 q u v + s v²) / 2 over the plane of least spread: its principal curvatures
    /// are those of the shape.
    fn of(points: WeightedPoints<'_>, axes: &[Vector; 3]) -> Option<Self> {
        let [z, y, _] = *axes;
        let x = y.cross(&z);
        let [a, b, c, p, q, s] = linear(points, |point| {
            let (u, v) = (point.coords.dot(&x), point.coords.dot(&y));
            ([1.0, u, v, 0.5 * u * u, u * v, 0.5 * v * v], point.coords.dot(&z))
        })?;
        // The third eigenvector has eigenvalue zero, which may sort anywhere relative to the other two.
        let (values, vectors) = jacobi::eigen(&[p, q, 0.0, s, 0.0, 0.0]);
        let mut principal_curvatures: Vec<(f64, Vector)> = (0..3)
            .filter(|&i| vectors[i].z.abs() < 0.5)
            .map(|i| (values[i], (x * vectors[i].x + y * vectors[i].y).normalize()))
            .collect();
        principal_curvatures.sort_by(|one, other| other.0.abs().total_cmp(&one.0.abs()));
        let normal = (z - x * b - y * c).normalize();
        Some(Self { at: Point::from(z * a), normal, principal_curvatures: principal_curvatures.try_into().ok()? })
    }
}

/// Initial estimates from the curvatures of a patch.
fn from_patch(kind: Kind, points: WeightedPoints<'_>, axes: &[Vector; 3]) -> Vec<Model> {
    let Some(Patch { at, normal, principal_curvatures: [(curvature, across), (_, along)] }) = Patch::of(points, axes)
    else {
        return Vec::new();
    };
    // A surface that curves towards the normal is concave.
    let outward = if curvature > 0.0 { -normal } else { normal };
    let along = (along - outward * along.dot(&outward)).normalize();
    let curvature = curvature.abs();
    match kind {
        Kind::Cylinder => {
            let points_from_model = frame_at(&at, [along.cross(&outward), along, outward]);
            vec![Model { form: Form::FlatCylinder, points_from_model, shape_parameters: [curvature, 0.0, 0.0] }]
        }
        Kind::Cone => {
            let radius = 1.0 / curvature.max(1e-6);
            let point = at - outward * radius;
            [-0.3, -0.02, 0.02, 0.3]
                .iter()
                .map(|tilt: &f64| {
                    // Tilted about the surface point: the axis is inclined, the surface stays tangent.
                    let rotation = nalgebra::UnitQuaternion::from_scaled_axis(across * *tilt);
                    let axis = rotation * along;
                    let point = at + rotation * (point - at);
                    let sign = if (axis - along).dot(&outward) > 0.0 { -1.0 } else { 1.0 };
                    let angle = sign * tilt.abs();
                    let (axis, angle) = if angle < 0.0 { (-axis, -angle) } else { (axis, angle) };
                    Model::of(&Shape::Cone { point, axis, radius: radius / angle.cos(), half_angle_rad: angle })
                })
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Initial estimates of tori for short arcs, all of which are iterated regardless of their costs: from the curvatures
/// of a patch, with either as that of the tube and the ring inclined to either side; and from the cylinders closest to
/// the points.
pub fn flat_tori(points: WeightedPoints<'_>, axes: &[Vector; 3]) -> Vec<Model> {
    let mut models = Vec::new();
    if let Some(Patch { at, normal, principal_curvatures: [one, other] }) = Patch::of(points, axes) {
        for ((tube, round), (ring, _)) in [(one, other), (other, one)] {
            let inclination = tube.abs().max(ring.abs()).max(MIN_INCLINATION);
            let torus = |along: f64| flat_torus(&at, &normal, &round, -tube, [along, -ring]);
            models.extend([0.0, inclination, -inclination].map(torus));
        }
    }
    let cylinders = axes.iter().copied().chain(half_sphere(DIRECTIONS)).filter_map(|axis| cylinder(points, &axis));
    let mut cylinders: Vec<(f64, Model)> = cylinders
        .map(|model| (newton::sums(&model, points).cost, model))
        .filter(|(cost, _)| cost.is_finite())
        .collect();
    cylinders.sort_by(|a, b| a.0.total_cmp(&b.0));
    // With a straight ring.
    models.extend(cylinders.into_iter().take(CYLINDERS).map(|(_, model)| Model { form: Form::FlatTorus, ..model }));
    models
}
