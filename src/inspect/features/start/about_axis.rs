//! Starts of cylinders, cones and tori: for each of many directions of the axis the rest is found by linear least
//! squares; and from the curvatures of a patch, where the points are no more than that.

use super::super::model::{Form, Model};
use super::super::newton::{self, Weighted};
use super::super::revolved::{flat_torus, placed};
use super::super::shape::{Kind, Shape};
use super::round::{circle_about, linear, seen_along};
use super::{any_square_to, torus};
use geometry::{Point, Vector, jacobi};

/// Directions over half of the sphere.
const DIRECTIONS: usize = 250;
/// Cylinders that tori begin at.
const CYLINDERS: usize = 3;
/// A ring leans by at least this curvature, per size of the points.
const MIN_LEAN: f64 = 0.1;

pub fn candidates(kind: Kind, points: Weighted<'_>, axes: &[Vector; 3]) -> Vec<Model> {
    let mut models = Vec::new();
    for axis in axes.iter().copied().chain(directions()) {
        match kind {
            Kind::Cone => models.extend(cones(points, &axis)),
            Kind::Torus => models.extend(torus::about(points, &axis)),
            _ => models.extend(cylinder(points, &axis)),
        }
    }
    models.extend(by_patch(kind, points, axes));
    models
}

/// Evenly over half of the sphere (Fibonacci's lattice).
fn directions() -> impl Iterator<Item = Vector> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..DIRECTIONS).map(move |i| {
        let z = (i as f64 + 0.5) / DIRECTIONS as f64;
        let (sin, cos) = (golden * i as f64).sin_cos();
        let across = (1.0 - z * z).sqrt();
        Vector::new(across * cos, across * sin, z)
    })
}

fn cylinder(points: Weighted<'_>, axis: &Vector) -> Option<Model> {
    let (u, v, radius) = circle_about(points, axis)?;
    Some(Model::on_surface(&Shape::Cylinder { point: seen_along(axis, u, v), axis: *axis, radius }))
}

/// (x - a)² + (y - b)² = (r + t z)² is linear in a, b and products of the rest.
fn cones(points: Weighted<'_>, axis: &Vector) -> Option<Model> {
    let x = any_square_to(axis);
    let y = axis.cross(&x);
    let [a, b, c, d, _] = linear(points, |point| {
        let (u, v, w) = (point.coords.dot(&x), point.coords.dot(&y), point.coords.dot(axis));
        ([2.0 * u, 2.0 * v, 1.0, w, w * w], u * u + v * v)
    })?;
    let square = c + a * a + b * b;
    if square <= 0.0 {
        return None;
    }
    // The last is t², which noise may make negative; r² and 2 r t say the same.
    let radius = square.sqrt();
    let slope = 0.5 * d / radius;
    let axis = if slope < 0.0 { -axis } else { *axis };
    let point = Point::from(x * a + y * b);
    Some(Model::of(&Shape::Cone { point, axis, radius, half_angle_rad: slope.abs().atan() }))
}

/// A paraboloid through a patch.
struct Patch {
    at: Point,
    normal: Vector,
    /// Its principal curvatures and their directions, the larger first.
    bends: [(f64, Vector); 2],
}

impl Patch {
    /// From z = a + b u + c v + (p u² + 2 q u v + s v²) / 2 over the plane of least spread: its principal curvatures
    /// are those of the shape.
    fn of(points: Weighted<'_>, axes: &[Vector; 3]) -> Option<Self> {
        let [z, y, _] = *axes;
        let x = y.cross(&z);
        let [a, b, c, p, q, s] = linear(points, |point| {
            let (u, v) = (point.coords.dot(&x), point.coords.dot(&y));
            ([1.0, u, v, 0.5 * u * u, u * v, 0.5 * v * v], point.coords.dot(&z))
        })?;
        // The third direction has no curvature at all, and sorts between or beside the two.
        let (values, vectors) = jacobi::eigen(&[p, q, 0.0, s, 0.0, 0.0]);
        let mut bends: Vec<(f64, Vector)> = (0..3)
            .filter(|&i| vectors[i].z.abs() < 0.5)
            .map(|i| (values[i], (x * vectors[i].x + y * vectors[i].y).normalize()))
            .collect();
        bends.sort_by(|one, other| other.0.abs().total_cmp(&one.0.abs()));
        let normal = (z - x * b - y * c).normalize();
        Some(Self { at: Point::from(z * a), normal, bends: bends.try_into().ok()? })
    }
}

/// Starts from the curvatures of a patch.
fn by_patch(kind: Kind, points: Weighted<'_>, axes: &[Vector; 3]) -> Vec<Model> {
    let Some(Patch { at, normal, bends: [(most, across), (_, along)] }) = Patch::of(points, axes) else {
        return Vec::new();
    };
    // Bent towards the normal, the surface is a hollow.
    let outward = if most > 0.0 { -normal } else { normal };
    let along = (along - outward * along.dot(&outward)).normalize();
    let bend = most.abs();
    match kind {
        Kind::Cylinder => {
            let points_from_model = placed(&at, [along.cross(&outward), along, outward]);
            vec![Model { form: Form::FlatCylinder, points_from_model, numbers: [bend, 0.0, 0.0] }]
        }
        Kind::Cone => {
            let radius = 1.0 / bend.max(1e-6);
            let point = at - outward * radius;
            [-0.3, -0.02, 0.02, 0.3]
                .iter()
                .map(|tilt: &f64| {
                    // Tilted about the place itself: the axis leans, the surface stays.
                    let turn = nalgebra::UnitQuaternion::from_scaled_axis(across * *tilt);
                    let axis = turn * along;
                    let point = at + turn * (point - at);
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

/// Starts of tori with short arcs, which are followed whatever their sums: from the curvatures of a patch, either of
/// them the tube's, the ring leaning either way; and from the cylinders nearest to the points.
pub fn flat_tori(points: Weighted<'_>, axes: &[Vector; 3]) -> Vec<Model> {
    let mut models = Vec::new();
    if let Some(Patch { at, normal, bends: [one, other] }) = Patch::of(points, axes) {
        for ((tube, round), (ring, _)) in [(one, other), (other, one)] {
            let lean = tube.abs().max(ring.abs()).max(MIN_LEAN);
            let torus = |along: f64| flat_torus(&at, &normal, &round, -tube, [along, -ring]);
            models.extend([0.0, lean, -lean].map(torus));
        }
    }
    let cylinders = axes.iter().copied().chain(directions()).filter_map(|axis| cylinder(points, &axis));
    let mut cylinders: Vec<(f64, Model)> = cylinders
        .map(|model| (newton::sums(&model, points).cost, model))
        .filter(|(cost, _)| cost.is_finite())
        .collect();
    cylinders.sort_by(|a, b| a.0.total_cmp(&b.0));
    // With a straight ring.
    models.extend(cylinders.into_iter().take(CYLINDERS).map(|(_, model)| Model { form: Form::FlatTorus, ..model }));
    models
}
