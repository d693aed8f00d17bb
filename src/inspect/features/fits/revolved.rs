//! Cones and tori in a frame on their surface, by curvatures ([`Form::FlatCone`] and [`Form::FlatTorus`]).
//!
//! The axis lies in the plane of x and z. Two of the shape parameters are the curvatures, along x and along z, of the
//! circle that the origin describes about the axis: the ring. The surface intersects that plane in the circle of the
//! tube, whose curvature is the third parameter, or in a straight generatrix. A point is rotated about the axis into
//! the plane, and its distance is measured there. For short arcs the residuals are nearly linear in these parameters,
//! and Newton's method converges in few iterations, whereas centre and radii are strongly correlated, and the
//! iteration creeps along a curved valley.

use nalgebra::{SMatrix, SVector};

use super::model::{Form, MIN_CURVATURE, Model, PAIRS, Residual, any_perpendicular, cone};
use super::shape::Shape;
use geometry::{Point, Pose, Vector};

/// Derivatives by x, y, z and the two curvatures of the ring.
type Gradient = SVector<f64, 5>;
type Hessian = SMatrix<f64, 5, 5>;

/// Minimum radius of the ring, in units of the points' size, for which its curvature is a well-conditioned parameter.
const MIN_RING_RADIUS: f64 = 1e-2;

/// A function of a point and of the two curvatures of the ring, with its first and second derivatives.
struct RotatedCoordinate {
    value: f64,
    first: Gradient,
    second: Hessian,
}

/// The x and z coordinates of the point rotated about the axis into the plane of x and z.
///
/// The rotation displaces it by g (cx, cz), where c g² + 2 a g = y², c = cx² + cz², and a is the component of its
/// distance from the axis in the direction of the origin, in units of the ring's radius.
fn rotated(q: &Vector, [cx, cz]: [f64; 2]) -> [RotatedCoordinate; 2] {
    let (x, y, z) = (q.x, q.y, q.z);
    let (a, c) = (1.0 + cx * x + cz * z, cx * cx + cz * cz);
    let s = (a * a + c * y * y).sqrt();
    // Beyond the axis the first expression suffers from cancellation, and c is not small.
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
    // Second derivatives of a itself: by x and cx, and by z and cz; of c: by cx twice and cz twice; of y²: by y twice.
    for (row, column, bend) in [(0_usize, 3_usize, g_a), (3, 0, g_a), (2, 4, g_a), (4, 2, g_a)] {
        second[(row, column)] += bend;
    }
    for (k, bend) in [(1_usize, 2.0 * g_y), (3, 2.0 * g_c), (4, 2.0 * g_c)] {
        second[(k, k)] += bend;
    }
    [(0_usize, 3_usize, x, cx), (2, 4, z, cz)].map(|(axis, parameter, at, curvature)| {
        let mut own =
            RotatedCoordinate { value: at + curvature * g, first: first * curvature, second: second * curvature };
        own.first[axis] += 1.0;
        own.first[parameter] += g;
        for k in 0..5_usize {
            own.second[(parameter, k)] += first[k];
            own.second[(k, parameter)] += first[k];
        }
        own
    })
}

/// The residual of a cone: the z coordinate of the rotated point, above the generatrix.
pub fn conical(q: &Vector, ring: [f64; 2]) -> Residual {
    let [_, RotatedCoordinate { value, first, second }] = rotated(q, ring);
    let mut ss = [0.0; 6];
    ss[PAIRS[0][0]] = second[(3, 3)];
    ss[PAIRS[0][1]] = second[(3, 4)];
    ss[PAIRS[1][1]] = second[(4, 4)];
    Residual {
        f: value,
        q: first.fixed_rows::<3>(0).into_owned(),
        s: [first[3], first[4], 0.0],
        qq: second.fixed_view::<3, 3>(0, 0).into_owned(),
        qs: [mixed_derivatives(&second, 3), mixed_derivatives(&second, 4), Vector::zeros()],
        ss,
    }
}

/// Mixed second derivatives by the point and one of the curvatures.
fn mixed_derivatives(second: &Hessian, parameter: usize) -> Vector {
    Vector::new(second[(0, parameter)], second[(1, parameter)], second[(2, parameter)])
}

/// The residual of a torus whose tube has curvature `k`: the distance f of the rotated point (u, v) from a circle
/// through the origin, k f² / 2 + f = m with m = k (u² + v²) / 2 + v.
pub fn toroidal(q: &Vector, k: f64, ring: [f64; 2]) -> Residual {
    let [u, v] = rotated(q, ring);
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
        qs: [with_k.fixed_rows::<3>(0).into_owned(), mixed_derivatives(&second, 3), mixed_derivatives(&second, 4)],
        ss,
    }
}

/// The model of a cone or torus with its origin at the surface point closest to the origin of the points; `None` for
/// other shapes, and if that point is too close to the axis.
pub fn on_surface(shape: &Shape) -> Option<Model> {
    // The direction from the axis to the origin of the points, its distance from the axis, and its coordinate along the
    // axis.
    let towards = |on_axis: &Point, axis: &Vector| {
        let along = -on_axis.coords.dot(axis);
        let away = -on_axis.coords - axis * along;
        (away.try_normalize(1e-9).unwrap_or_else(|| any_perpendicular(axis)), away.norm(), along)
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
            let tube_centre = centre + out * major;
            let normal = (-tube_centre.coords).try_normalize(1e-9 * minor).unwrap_or(out);
            (
                Form::FlatTorus,
                axis,
                out,
                normal,
                tube_centre + normal * minor,
                major + minor * normal.dot(&out),
                1.0 / minor,
            )
        }
        _ => return None,
    };
    if !(ring > MIN_RING_RADIUS && tube.is_finite()) {
        return None;
    }
    let y = axis.cross(&out);
    let normal = (normal - y * normal.dot(&y)).normalize();
    let x = y.cross(&normal);
    let [cx, cz] = [out.dot(&x) / ring, out.dot(&normal) / ring];
    let shape_parameters = if form == Form::FlatCone { [cx, cz, 0.0] } else { [tube, cx, cz] };
    Some(Model { form, points_from_model: frame_at(&at, [x, y, normal]), shape_parameters })
}

/// The frame at a point with the given axes.
pub fn frame_at(at: &Point, axes: [Vector; 3]) -> Pose {
    Pose::from_parts(at.coords.into(), nalgebra::Rotation3::from_basis_unchecked(&axes).into())
}

/// The centre of the ring on the axis, the direction from there to the model's origin, the axis, the model's z axis,
/// and the radius of the ring.
fn about_axis(model: &Model, [cx, cz]: [f64; 2]) -> Option<(Point, Vector, Vector, Vector, f64)> {
    let curvature = cx.hypot(cz);
    if !(curvature > MIN_CURVATURE) {
        return None;
    }
    let basis = model.points_from_model.rotation.to_rotation_matrix().into_inner();
    let column = |k: usize| basis.column(k).into_owned();
    let out = (column(0) * cx + column(2) * cz) / curvature;
    let at = Point::from(model.points_from_model.translation.vector);
    Some((at - out / curvature, out, out.cross(&column(1)), column(2), 1.0 / curvature))
}

/// Centre, axis, signed distance of the tube's centre from the axis, and tube radius.
fn torus(model: &Model) -> Option<(Point, Vector, f64, f64)> {
    let [tube, cx, cz] = model.shape_parameters;
    if !(tube.abs() > MIN_CURVATURE) {
        return None;
    }
    let (on_axis, out, axis, normal, _) = about_axis(model, [cx, cz])?;
    let tube_centre = Point::from(model.points_from_model.translation.vector) - normal / tube;
    let offset = tube_centre - on_axis;
    Some((on_axis + axis * offset.dot(&axis), axis, offset.dot(&out), 1.0 / tube.abs()))
}

/// The shape of a [`Form::FlatCone`] or [`Form::FlatTorus`]; `None` if a curvature is too small for a centre to be
/// computed, and for a lemon.
pub fn shape(model: &Model) -> Option<Shape> {
    if model.form == Form::FlatCone {
        let [cx, cz, _] = model.shape_parameters;
        let (on_axis, out, axis, normal, radius) = about_axis(model, [cx, cz])?;
        return Some(cone(on_axis, axis, radius, (-normal.dot(&axis)).atan2(normal.dot(&out))));
    }
    let (centre, axis, major, minor) = torus(model)?;
    (major > 0.0).then_some(Shape::Torus { centre, axis, major, minor })
}

/// Whether the centre of the torus's tube lies beyond the axis. The points then lie on the inner part of a spindle
/// torus, the lemon, which [`Shape::Torus`] does not represent.
pub fn is_lemon(model: &Model) -> bool {
    match model.form {
        Form::Torus => model.shape_parameters[0] < 0.0,
        Form::FlatTorus => torus(model).is_some_and(|(_, _, major, _)| major <= 0.0),
        _ => false,
    }
}

/// A torus, [`Form::FlatTorus`], through `at` with the given normal and the direction along the tube's circle, from the
/// curvature of the tube and those of the ring.
pub fn flat_torus(at: &Point, normal: &Vector, round: &Vector, tube: f64, ring: [f64; 2]) -> Model {
    // The outward normal points away from the centre of the tube.
    let (side, tube, ring) = if tube < 0.0 { (-normal, -tube, [ring[0], -ring[1]]) } else { (*normal, tube, ring) };
    let x = (round - side * round.dot(&side)).normalize();
    let points_from_model = frame_at(at, [x, side.cross(&x), side]);
    Model { form: Form::FlatTorus, points_from_model, shape_parameters: [tube, ring[0], ring[1]] }
}

/// Tori with the same curvatures at the model's origin, but with the directions of tube and ring exchanged. A short arc
/// on the inner side hardly distinguishes the two, and no iteration leads from one to the other.
pub fn exchanged(model: &Model) -> Vec<Model> {
    if model.form != Form::FlatTorus {
        return Vec::new();
    }
    let [tube, _, ring] = model.shape_parameters;
    let basis = model.points_from_model.rotation.to_rotation_matrix().into_inner();
    let (round, normal) = (basis.column(1).into_owned(), basis.column(2).into_owned());
    let at = Point::from(model.points_from_model.translation.vector);
    let bend = 0.5 * tube.abs().max(ring.abs());
    [0.0, bend, -bend].map(|along| flat_torus(&at, &normal, &round, ring, [along, tube])).to_vec()
}
