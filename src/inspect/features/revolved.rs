//! Cones and tori in a frame on their surface, by curvatures ([`Form::FlatCone`] and [`Form::FlatTorus`]).
//!
//! The axis lies in the plane of x and z. Two of the numbers are the curvature, along x and along z, of the circle that
//! the origin describes about the axis: the ring. The surface meets that plane in the circle of the tube, whose
//! curvature is the third number, or in a straight line. A point is turned about the axis into the plane, and its
//! distance is measured there. Where an arc is short, the residuals are nearly linear in these numbers, and Newton's
//! method takes few steps; centre and radii are strongly correlated, and it creeps along a curved valley.

use nalgebra::{SMatrix, SVector};

use super::model::{FLAT, Form, Model, PAIRS, Residual, any_square_to, cone};
use super::shape::Shape;
use geometry::{Point, Pose, Vector};

/// By x, y, z and the two curvatures of the ring.
type Gradient = SVector<f64, 5>;
type Hessian = SMatrix<f64, 5, 5>;

/// Radius of the ring, in sizes of the points, below which its curvature is no sound parameter.
const MIN_RING: f64 = 1e-2;

/// A function of a point and of the two curvatures of the ring, with its derivatives.
struct Turned {
    value: f64,
    first: Gradient,
    second: Hessian,
}

/// The point turned about the axis into the plane of x and z: its x and its z there.
///
/// It moves by g (cx, cz), where c g² + 2 a g = y², c = cx² + cz², and a is its distance from the axis along the
/// direction of the origin, in radii of the ring.
fn turned(q: &Vector, [cx, cz]: [f64; 2]) -> [Turned; 2] {
    let (x, y, z) = (q.x, q.y, q.z);
    let (a, c) = (1.0 + cx * x + cz * z, cx * cx + cz * cz);
    let s = (a * a + c * y * y).sqrt();
    // Beyond the axis the first expression cancels, and c is not small.
    let g = if a > 0.0 { y * y / (a + s) } else { (s - a) / c };
    // Derivatives of g by a, c and y², and of s = a + c g.
    let (g_a, g_c, g_y) = (-g / s, -0.5 * g * g / s, 0.5 / s);
    let (s_a, s_c, s_y) = (1.0 + c * g_a, g + c * g_c, c * g_y);
    let ss = s * s;
    let g_aa = (g * s_a - g_a * s) / ss;
    let g_ac = (g * s_c - g_c * s) / ss;
    let g_ay = (g * s_y - g_y * s) / ss;
    let g_cc = (0.5 * g * g * s_c - g * g_c * s) / ss;
    let g_cy = (0.5 * g * g * s_y - g * g_y * s) / ss;
    let g_yy = -0.5 * s_y / ss;
    let by_a = Gradient::new(cx, 0.0, cz, x, z);
    let by_c = Gradient::new(0.0, 0.0, 0.0, 2.0 * cx, 2.0 * cz);
    let by_y = Gradient::new(0.0, 2.0 * y, 0.0, 0.0, 0.0);
    let first = by_a * g_a + by_c * g_c + by_y * g_y;
    let both = |one: &Gradient, other: &Gradient| one * other.transpose() + other * one.transpose();
    let mut second = both(&by_a, &by_a) * (0.5 * g_aa)
        + both(&by_c, &by_c) * (0.5 * g_cc)
        + both(&by_y, &by_y) * (0.5 * g_yy)
        + both(&by_a, &by_c) * g_ac
        + both(&by_a, &by_y) * g_ay
        + both(&by_c, &by_y) * g_cy;
    // a is bent in x and cx, and in z and cz; c in cx and in cz; y² in y.
    for (row, column, bent) in [(0_usize, 3_usize, g_a), (3, 0, g_a), (2, 4, g_a), (4, 2, g_a)] {
        second[(row, column)] += bent;
    }
    for (k, bent) in [(1_usize, 2.0 * g_y), (3, 2.0 * g_c), (4, 2.0 * g_c)] {
        second[(k, k)] += bent;
    }
    [(0_usize, 3_usize, x, cx), (2, 4, z, cz)].map(|(axis, number, at, curvature)| {
        let mut own = Turned { value: at + curvature * g, first: first * curvature, second: second * curvature };
        own.first[axis] += 1.0;
        own.first[number] += g;
        for k in 0..5_usize {
            own.second[(number, k)] += first[k];
            own.second[(k, number)] += first[k];
        }
        own
    })
}

/// The residual of a cone: the turned point is its own z above the straight line.
pub fn conical(q: &Vector, ring: [f64; 2]) -> Residual {
    let [_, Turned { value, first, second }] = turned(q, ring);
    let mut ss = [0.0; 6];
    ss[PAIRS[0][0]] = second[(3, 3)];
    ss[PAIRS[0][1]] = second[(3, 4)];
    ss[PAIRS[1][1]] = second[(4, 4)];
    Residual {
        f: value,
        q: first.fixed_rows::<3>(0).into_owned(),
        s: [first[3], first[4], 0.0],
        qq: second.fixed_view::<3, 3>(0, 0).into_owned(),
        qs: [across(&second, 3), across(&second, 4), Vector::zeros()],
        ss,
    }
}

/// Derivatives by the point and by one of the curvatures.
fn across(second: &Hessian, number: usize) -> Vector {
    Vector::new(second[(0, number)], second[(1, number)], second[(2, number)])
}

/// The residual of a torus whose tube has the curvature `k`: the distance f of the turned point (u, v) from a circle
/// through the origin, k f² / 2 + f = m with m = k (u² + v²) / 2 + v.
pub fn toroidal(q: &Vector, k: f64, ring: [f64; 2]) -> Residual {
    let [u, v] = turned(q, ring);
    let half_square = 0.5 * (u.value * u.value + v.value * v.value);
    let m = k * half_square + v.value;
    let w = (1.0 + 2.0 * k * m).max(0.0).sqrt();
    let f = 2.0 * m / (1.0 + w);
    let (by_u, by_v) = (k * u.value / w, (k * v.value + 1.0) / w);
    let by_k = (half_square - 0.5 * f * f) / w;
    let (uu, uv, vv) = ((k - k * by_u * by_u) / w, -k * by_u * by_v / w, (k - k * by_v * by_v) / w);
    let slope = f + k * by_k;
    let (uk, vk) = ((u.value - by_u * slope) / w, (v.value - by_v * slope) / w);
    let first = u.first * by_u + v.first * by_v;
    let mixed = u.first * v.first.transpose();
    let second = u.first * u.first.transpose() * uu
        + (mixed + mixed.transpose()) * uv
        + v.first * v.first.transpose() * vv
        + u.second * by_u
        + v.second * by_v;
    let with_k = u.first * uk + v.first * vk;
    let mut ss = [0.0; 6];
    ss[PAIRS[0][0]] = -(2.0 * f * by_k + k * by_k * by_k) / w;
    for (i, own) in [3, 4].into_iter().enumerate() {
        ss[PAIRS[0][i + 1]] = with_k[own];
        ss[PAIRS[i + 1][i + 1]] = second[(own, own)];
    }
    ss[PAIRS[1][2]] = second[(3, 4)];
    Residual {
        f,
        q: first.fixed_rows::<3>(0).into_owned(),
        s: [by_k, first[3], first[4]],
        qq: second.fixed_view::<3, 3>(0, 0).into_owned(),
        qs: [with_k.fixed_rows::<3>(0).into_owned(), across(&second, 3), across(&second, 4)],
        ss,
    }
}

/// The model of a cone or torus at the surface point nearest to the origin of the points; `None` for other shapes, and
/// where that point is too near to the axis.
pub fn on_surface(shape: &Shape) -> Option<Model> {
    // Out of the axis towards the origin of the points, and how far that is from the axis and along it.
    let towards = |on_axis: &Point, axis: &Vector| {
        let along = -on_axis.coords.dot(axis);
        let away = -on_axis.coords - axis * along;
        (away.try_normalize(1e-9).unwrap_or_else(|| any_square_to(axis)), away.norm(), along)
    };
    let (form, axis, out, normal, at, ring, tube) = match *shape {
        Shape::Cone { point, axis, radius, half_angle_rad } => {
            let ((out, away, along), (sin, cos)) = (towards(&point, &axis), half_angle_rad.sin_cos());
            let height = (away - radius) * cos - along * sin;
            let ring = away - height * cos;
            let at = point + axis * (along + height * sin) + out * ring;
            (Form::FlatCone, axis, out, out * cos - axis * sin, at, ring, 0.0)
        }
        Shape::Torus { centre, axis, major, minor } => {
            let (out, ..) = towards(&centre, &axis);
            let middle = centre + out * major;
            let normal = (-middle.coords).try_normalize(1e-9 * minor).unwrap_or(out);
            (Form::FlatTorus, axis, out, normal, middle + normal * minor, major + minor * normal.dot(&out), 1.0 / minor)
        }
        _ => return None,
    };
    if !(ring > MIN_RING && tube.is_finite()) {
        return None;
    }
    let y = axis.cross(&out);
    let normal = (normal - y * normal.dot(&y)).normalize();
    let x = y.cross(&normal);
    let [cx, cz] = [out.dot(&x) / ring, out.dot(&normal) / ring];
    let numbers = if form == Form::FlatCone { [cx, cz, 0.0] } else { [tube, cx, cz] };
    Some(Model { form, points_from_model: placed(&at, [x, y, normal]), numbers })
}

/// The frame at a point, by its axes.
pub fn placed(at: &Point, axes: [Vector; 3]) -> Pose {
    Pose::from_parts(at.coords.into(), nalgebra::Rotation3::from_basis_unchecked(&axes).into())
}

/// A point on the axis, the direction from there to the origin of the model, the axis, the model's z, and the radius of
/// the ring.
fn about_axis(model: &Model, [cx, cz]: [f64; 2]) -> Option<(Point, Vector, Vector, Vector, f64)> {
    let curvature = cx.hypot(cz);
    if !(curvature > FLAT) {
        return None;
    }
    let basis = model.points_from_model.rotation.to_rotation_matrix().into_inner();
    let column = |k: usize| basis.column(k).into_owned();
    let out = (column(0) * cx + column(2) * cz) / curvature;
    let at = Point::from(model.points_from_model.translation.vector);
    Some((at - out / curvature, out, out.cross(&column(1)), column(2), 1.0 / curvature))
}

/// Centre, axis, the signed distance of the tube's centre from the axis, and the tube's radius.
fn torus(model: &Model) -> Option<(Point, Vector, f64, f64)> {
    let [tube, cx, cz] = model.numbers;
    if !(tube.abs() > FLAT) {
        return None;
    }
    let (on_axis, out, axis, normal, _) = about_axis(model, [cx, cz])?;
    let middle = Point::from(model.points_from_model.translation.vector) - normal / tube;
    let away = middle - on_axis;
    Some((on_axis + axis * away.dot(&axis), axis, away.dot(&out), 1.0 / tube.abs()))
}

/// The shape of [`Form::FlatCone`] and [`Form::FlatTorus`]; `None` where a curvature is too small to have a centre, and
/// for a lemon.
pub fn shape(model: &Model) -> Option<Shape> {
    if model.form == Form::FlatCone {
        let [cx, cz, _] = model.numbers;
        let (on_axis, out, axis, normal, radius) = about_axis(model, [cx, cz])?;
        return Some(cone(on_axis, axis, radius, (-normal.dot(&axis)).atan2(normal.dot(&out))));
    }
    let (centre, axis, major, minor) = torus(model)?;
    (major > 0.0).then_some(Shape::Torus { centre, axis, major, minor })
}

/// Whether the centre of a torus's tube lies beyond its axis. The points then lie on the inner part of a spindle torus,
/// the lemon, which [`Shape::Torus`] does not describe.
pub fn is_lemon(model: &Model) -> bool {
    match model.form {
        Form::Torus => model.numbers[0] < 0.0,
        Form::FlatTorus => torus(model).is_some_and(|(_, _, major, _)| major <= 0.0),
        _ => false,
    }
}

/// A torus, [`Form::FlatTorus`], at `at` with the given normal and the direction round the tube: by its curvature, and
/// by those of the ring.
pub fn flat_torus(at: &Point, normal: &Vector, round: &Vector, tube: f64, ring: [f64; 2]) -> Model {
    // Outward is where the tube bends away from.
    let (side, tube, ring) = if tube < 0.0 { (-normal, -tube, [ring[0], -ring[1]]) } else { (*normal, tube, ring) };
    let x = (round - side * round.dot(&side)).normalize();
    let points_from_model = placed(at, [x, side.cross(&x), side]);
    Model { form: Form::FlatTorus, points_from_model, numbers: [tube, ring[0], ring[1]] }
}

/// Tori that bend at the model's origin as that one does, but round its ring where that is along its tube. A short arc
/// on the inner side hardly tells which is which, and between them no step leads.
pub fn exchanged(model: &Model) -> Vec<Model> {
    if model.form != Form::FlatTorus {
        return Vec::new();
    }
    let [tube, _, ring] = model.numbers;
    let basis = model.points_from_model.rotation.to_rotation_matrix().into_inner();
    let (round, normal) = (basis.column(1).into_owned(), basis.column(2).into_owned());
    let at = Point::from(model.points_from_model.translation.vector);
    let bend = 0.5 * tube.abs().max(ring.abs());
    [0.0, bend, -bend].map(|along| flat_torus(&at, &normal, &round, ring, [along, tube])).to_vec()
}
