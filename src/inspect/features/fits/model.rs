//! Parametrisation of shapes for the fit: a frame, a few shape parameters, and the residual of a point with its
//! derivatives.
//!
//! The frame is moved in its own coordinates, by a translation d and then a rotation theta about its axes, so that
//! every shape uses those of the six rigid motions that change it. Round shapes have a second model whose frame lies
//! on the surface and whose shape parameters are curvatures: it stays well-conditioned for nearly flat arcs, and the
//! distance loses no digits to a remote centre (Lukács, Marshall and Martin, "Faithful least-squares fitting of
//! spheres, cylinders, cones and tori", 1998). The models of cones and tori are in `revolved`.

use super::revolved;
use super::shape::Shape;
use geometry::{Point, Pose, Vector};

/// Parametrisation and residual functions of a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// z is the direction. Residuals: x and y.
    Line,
    /// z is the normal.
    Plane,
    /// z is the normal. Residuals: in the plane and along z. Shape parameter: radius.
    Circle,
    /// Shape parameter: radius.
    Sphere,
    /// z is the axis. Shape parameter: radius.
    Cylinder,
    /// z is the axis. Shape parameters: radius at the origin, half angle.
    Cone,
    /// z is the axis. Shape parameters: major and minor radius.
    Torus,
    /// The origin is on the surface, z outward (for positive curvature). Shape parameter: curvature.
    FlatSphere,
    /// As [`Form::FlatSphere`], with the axis along y.
    FlatCylinder,
    /// As [`Form::FlatCylinder`], in the plane of x and z. Residuals: in the plane and along y.
    FlatCircle,
    /// The origin is on the surface, z outward, y along the circle and x along the generatrix. Shape parameters:
    /// curvatures of the circle along x and along z.
    FlatCone,
    /// The origin is on the surface, z outward, y along the ring and x along the circle of the tube. Shape parameters:
    /// curvature of the tube, and curvatures of the ring through the origin along x and along z.
    FlatTorus,
}

/// Maximum number of shape parameters of a model.
pub const MAX_SHAPE_PARAMETERS: usize = 3;
/// Index in [`Residual::ss`] of the second derivative by two shape parameters.
pub const PAIRS: [[usize; MAX_SHAPE_PARAMETERS]; MAX_SHAPE_PARAMETERS] = [[0, 1, 3], [1, 2, 4], [3, 4, 5]];

/// Number of rigid motions: translations along and rotations about x, y, z.
pub const MOTIONS: usize = 6;

impl Form {
    /// The motions that change the shape, as indices below [`MOTIONS`].
    pub fn motions(self) -> &'static [usize] {
        match self {
            Self::Line | Self::Cylinder | Self::Cone => &[0, 1, 3, 4],
            Self::Plane | Self::FlatSphere => &[2, 3, 4],
            Self::Circle | Self::Torus => &[0, 1, 2, 3, 4],
            Self::Sphere => &[0, 1, 2],
            Self::FlatCircle => &[1, 2, 3, 4, 5],
            Self::FlatCylinder | Self::FlatCone | Self::FlatTorus => &[2, 3, 4, 5],
        }
    }

    /// Number of shape parameters, besides the frame.
    pub fn shape_parameter_count(self) -> usize {
        match self {
            Self::Line | Self::Plane => 0,
            Self::Cone | Self::Torus | Self::FlatCone => 2,
            Self::FlatTorus => 3,
            _ => 1,
        }
    }

    /// Number of residuals per point.
    pub fn residuals(self) -> usize {
        if matches!(self, Self::Line | Self::Circle | Self::FlatCircle) { 2 } else { 1 }
    }

    /// Number of all parameters: motions and shape parameters.
    pub fn parameters(self) -> usize {
        self.motions().len() + self.shape_parameter_count()
    }
}

/// A shape as parametrised for the fit: a frame and shape parameters.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Parametrisation.
    pub form: Form,
    /// Pose of its frame in the frame of the points.
    pub points_from_model: Pose,
    /// Shape parameters; unused ones are zero.
    pub shape_parameters: [f64; MAX_SHAPE_PARAMETERS],
}

/// A residual of a point with its derivatives by the point (q) and by the shape parameters (s).
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// The residual.
    pub f: f64,
    /// First derivative by q.
    pub q: Vector,
    /// First derivatives by s.
    pub s: [f64; MAX_SHAPE_PARAMETERS],
    /// Second derivative by q.
    pub qq: nalgebra::Matrix3<f64>,
    /// Mixed second derivatives by q and each of s.
    pub qs: [Vector; MAX_SHAPE_PARAMETERS],
    /// Second derivatives by s, indexed by [`PAIRS`].
    pub ss: [f64; 6],
}

impl Model {
    /// The model of a shape with its frame at the shape's reference point.
    pub fn of(shape: &Shape) -> Self {
        let along = |direction: &Vector| nalgebra::UnitQuaternion::rotation_between(&Vector::z(), direction);
        let framed = |form, origin: &Point, z: &Vector, shape_parameters| {
            // A half turn if z is exactly opposed.
            let rotation = along(z)
                .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI));
            Self { form, points_from_model: Pose::from_parts(origin.coords.into(), rotation), shape_parameters }
        };
        match *shape {
            Shape::Line { point, direction } => framed(Form::Line, &point, &direction, [0.0; 3]),
            Shape::Plane { point, normal } => framed(Form::Plane, &point, &normal, [0.0; 3]),
            Shape::Circle { centre, normal, radius } => framed(Form::Circle, &centre, &normal, [radius, 0.0, 0.0]),
            Shape::Sphere { centre, radius } => framed(Form::Sphere, &centre, &Vector::z(), [radius, 0.0, 0.0]),
            Shape::Cylinder { point, axis, radius } => framed(Form::Cylinder, &point, &axis, [radius, 0.0, 0.0]),
            Shape::Cone { point, axis, radius, half_angle_rad } => {
                framed(Form::Cone, &point, &axis, [radius, half_angle_rad, 0.0])
            }
            Shape::Torus { centre, axis, major, minor } => framed(Form::Torus, &centre, &axis, [major, minor, 0.0]),
        }
    }

    /// The model with its origin at the surface point closest to the origin of the points; [`Model::of`] for shapes
    /// without such a form.
    pub fn on_surface(shape: &Shape) -> Self {
        let (form, centre, radius, axis) = match *shape {
            Shape::Sphere { centre, radius } => (Form::FlatSphere, centre, radius, None),
            Shape::Cylinder { point, axis, radius } => {
                (Form::FlatCylinder, point - axis * point.coords.dot(&axis), radius, Some(axis))
            }
            Shape::Circle { centre, normal, radius } => (Form::FlatCircle, centre, radius, Some(normal)),
            _ => return revolved::on_surface(shape).unwrap_or_else(|| Self::of(shape)),
        };
        let side = axis.map_or_else(Vector::x, |axis| any_perpendicular(&axis));
        let to_origin = match *shape {
            Shape::Circle { normal, .. } => normal * centre.coords.dot(&normal) - centre.coords,
            _ => -centre.coords,
        };
        let outward = to_origin.try_normalize(1e-9 * radius).unwrap_or(side);
        let y = axis.unwrap_or_else(|| any_perpendicular(&outward));
        let y = (y - outward * y.dot(&outward)).normalize();
        let rotation = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&outward), y, outward]);
        let origin = centre + outward * radius;
        Self {
            form,
            points_from_model: Pose::from_parts(origin.coords.into(), rotation.into()),
            shape_parameters: [1.0 / radius, 0.0, 0.0],
        }
    }

    /// The shape; `None` if a curvature is too small for a centre to be computed, and for a lemon
    /// ([`revolved::is_lemon`]).
    pub fn shape(&self) -> Option<Shape> {
        let origin = Point::from(self.points_from_model.translation.vector);
        let basis = self.points_from_model.rotation.to_rotation_matrix().into_inner();
        let (y, z) = (basis.column(1).into_owned(), basis.column(2).into_owned());
        let [first, second, _] = self.shape_parameters;
        // The point on the axis closest to the centroid.
        let foot = |point: Point, axis: &Vector| point - axis * point.coords.dot(axis);
        Some(match self.form {
            Form::Line => Shape::Line { point: foot(origin, &z), direction: z },
            Form::Plane => Shape::Plane { point: Point::from(z * origin.coords.dot(&z)), normal: z },
            Form::Circle => Shape::Circle { centre: origin, normal: z, radius: first.abs() },
            Form::Sphere => Shape::Sphere { centre: origin, radius: first.abs() },
            Form::Cylinder => Shape::Cylinder { point: foot(origin, &z), axis: z, radius: first.abs() },
            Form::Cone => cone(origin, z, first, second),
            Form::Torus if first < 0.0 => return None,
            Form::Torus => Shape::Torus { centre: origin, axis: z, major: first, minor: second.abs() },
            Form::FlatCone | Form::FlatTorus => return revolved::shape(self),
            Form::FlatSphere | Form::FlatCylinder | Form::FlatCircle => {
                let radius = (first.abs() > MIN_CURVATURE).then(|| 1.0 / first)?;
                let centre = origin - z * radius;
                match self.form {
                    Form::FlatSphere => Shape::Sphere { centre, radius: radius.abs() },
                    Form::FlatCircle => Shape::Circle { centre, normal: y, radius: radius.abs() },
                    _ => Shape::Cylinder { point: foot(centre, &y), axis: y, radius: radius.abs() },
                }
            }
        })
    }

    /// The model after a parameter step: motions first, then shape parameters.
    pub fn stepped(&self, step: &[f64]) -> Self {
        let motions = self.form.motions();
        let mut motion = [0.0; MOTIONS];
        motions.iter().zip(step).for_each(|(&which, &by)| motion[which] = by);
        let translation = Vector::new(motion[0], motion[1], motion[2]);
        let rotation = Vector::new(motion[3], motion[4], motion[5]);
        let mut next = *self;
        next.points_from_model = self.points_from_model
            * Pose::from_parts(translation.into(), nalgebra::UnitQuaternion::from_scaled_axis(rotation));
        next.points_from_model.rotation.renormalize_fast();
        step[motions.len()..].iter().zip(&mut next.shape_parameters).for_each(|(by, parameter)| *parameter += by);
        next
    }

    /// The residuals at a point in the model's frame; the second one is zero for forms with a single residual.
    #[inline]
    pub fn residuals(&self, q: &Vector) -> [Residual; 2] {
        let [first, second, third] = self.shape_parameters;
        let none = Residual::default();
        let along = |axis: usize| {
            let q_of = Vector::ith(axis, 1.0);
            Residual { f: q[axis], q: q_of, ..Residual::default() }
        };
        match self.form {
            Form::Line => [along(0), along(1)],
            Form::Plane => [along(2), none],
            Form::Circle => [round(q, first), along(2)],
            Form::Cylinder => [round(q, first), none],
            Form::Sphere => {
                let distance = q.norm();
                let outward = q / distance;
                let qq = (nalgebra::Matrix3::identity() - outward * outward.transpose()) / distance;
                [Residual { f: distance - first, q: outward, s: [-1.0, 0.0, 0.0], qq, ..none }, none]
            }
            Form::Cone => [conical(q, first, second), none],
            Form::Torus => [toroidal(q, first, second), none],
            Form::FlatSphere => [curved(q, first, &Vector::repeat(1.0)), none],
            Form::FlatCylinder => [curved(q, first, &Vector::new(1.0, 0.0, 1.0)), none],
            Form::FlatCircle => [curved(q, first, &Vector::new(1.0, 0.0, 1.0)), along(1)],
            Form::FlatCone => [revolved::conical(q, [first, second]), none],
            Form::FlatTorus => [revolved::toroidal(q, first, [second, third]), none],
        }
    }
}

/// Minimum curvature, in units of the inverse size of the points, for which a centre can be computed.
pub const MIN_CURVATURE: f64 = 1e-9;

/// The cone about the axis `z` whose radius at `origin` is `radius` and grows along `z` by the tangent of `angle`.
pub fn cone(origin: Point, z: Vector, radius: f64, angle: f64) -> Shape {
    // Adding half a turn gives the same cone.
    let angle = angle - std::f64::consts::PI * (angle / std::f64::consts::PI).round();
    // The model's origin may lie beyond the apex; the projection of the points' centroid does not.
    let along = -origin.coords.dot(&z);
    let (point, radius) = (origin + z * along, radius + along * angle.tan());
    let (radius, angle) = if radius < 0.0 { (-radius, -angle) } else { (radius, angle) };
    let (axis, half_angle_rad) = if angle < 0.0 { (-z, -angle) } else { (z, angle) };
    Shape::Cone { point, axis, radius, half_angle_rad }
}

/// A unit vector perpendicular to `axis`.
pub fn any_perpendicular(axis: &Vector) -> Vector {
    let least_aligned = Vector::ith(axis.iamin(), 1.0);
    (least_aligned - axis * axis.dot(&least_aligned)).normalize()
}

/// Unit vector away from the z axis, distance from it, and second derivative of that distance.
fn radial(q: &Vector) -> (Vector, f64, nalgebra::Matrix3<f64>) {
    let rho = q.x.hypot(q.y);
    let out = Vector::new(q.x / rho, q.y / rho, 0.0);
    let side = Vector::new(-out.y, out.x, 0.0);
    (out, rho, side * side.transpose() / rho)
}

fn round(q: &Vector, radius: f64) -> Residual {
    let (out, rho, qq) = radial(q);
    Residual { f: rho - radius, q: out, s: [-1.0, 0.0, 0.0], qq, ..Residual::default() }
}

fn conical(q: &Vector, radius: f64, angle: f64) -> Residual {
    let ((out, rho, qq), (sin, cos)) = (radial(q), angle.sin_cos());
    let f = (rho - radius) * cos - q.z * sin;
    Residual {
        f,
        q: out * cos - Vector::z() * sin,
        s: [-cos, -(rho - radius) * sin - q.z * cos, 0.0],
        qq: qq * cos,
        qs: [Vector::zeros(), -out * sin - Vector::z() * cos, Vector::zeros()],
        ss: [0.0, sin, -f, 0.0, 0.0, 0.0],
    }
}

fn toroidal(q: &Vector, major: f64, minor: f64) -> Residual {
    let (out, rho, bend) = radial(q);
    let distance = (rho - major).hypot(q.z);
    let (a, b) = ((rho - major) / distance, q.z / distance);
    // Tangent to the circle of the tube.
    let round = out * b - Vector::z() * a;
    Residual {
        f: distance - minor,
        q: out * a + Vector::z() * b,
        s: [-a, -1.0, 0.0],
        qq: round * round.transpose() / distance + bend * a,
        qs: [-round * (b / distance), Vector::zeros(), Vector::zeros()],
        ss: [b * b / distance, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
}

/// The distance f from a surface of curvature k through the origin, z outward: k f²/2 + f = m with m = k |q|²/2 + z,
/// where q is restricted to the coordinates selected by `curves`.
fn curved(q: &Vector, k: f64, curves: &Vector) -> Residual {
    let bent = q.component_mul(curves);
    let half_square = 0.5 * bent.norm_squared();
    let m = k * half_square + q.z;
    let w = (1.0 + 2.0 * k * m).max(0.0).sqrt();
    let f = 2.0 * m / (1.0 + w);
    let by_q = (bent * k + Vector::z()) / w;
    let by_k = (half_square - 0.5 * f * f) / w;
    Residual {
        f,
        q: by_q,
        s: [by_k, 0.0, 0.0],
        qq: (nalgebra::Matrix3::from_diagonal(curves) * k - by_q * by_q.transpose() * k) / w,
        qs: [(bent - by_q * (f + k * by_k)) / w, Vector::zeros(), Vector::zeros()],
        ss: [-(2.0 * f * by_k + k * by_k * by_k) / w, 0.0, 0.0, 0.0, 0.0, 0.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// All derivatives against finite differences of the residual.
    #[test]
    fn derivatives_are_those_of_the_residual() {
        let mut random = Random::new(1, 1);
        let forms = [
            (Form::Line, [0.0; 3]),
            (Form::Plane, [0.0; 3]),
            (Form::Circle, [1.2, 0.0, 0.0]),
            (Form::Sphere, [1.1, 0.0, 0.0]),
            (Form::Cylinder, [0.9, 0.0, 0.0]),
            (Form::Cone, [0.8, 0.3, 0.0]),
            (Form::Torus, [1.5, 0.4, 0.0]),
            (Form::FlatSphere, [0.6, 0.0, 0.0]),
            (Form::FlatCylinder, [-0.2, 0.0, 0.0]),
            (Form::FlatCircle, [0.4, 0.0, 0.0]),
            (Form::FlatSphere, [0.0, 0.0, 0.0]),
            (Form::FlatCone, [0.2, 0.4, 0.0]),
            (Form::FlatCone, [0.0, 0.0, 0.0]),
            (Form::FlatTorus, [0.5, 0.2, 0.3]),
            (Form::FlatTorus, [0.4, -0.1, -0.2]),
            (Form::FlatTorus, [0.0, 0.0, 0.0]),
        ];
        for (form, shape_parameters) in forms {
            let model = Model { form, points_from_model: Pose::identity(), shape_parameters };
            let at = |q: &Vector, s: [f64; 3], which: usize| Model { shape_parameters: s, ..model }.residuals(q)[which];
            for _ in 0..20 {
                let q = Vector::new(random.range(0.3, 1.0), random.range(0.3, 1.0), random.range(-0.8, 0.8));
                for which in 0..form.residuals() {
                    let here = at(&q, shape_parameters, which);
                    let h = 1e-5;
                    for axis in 0..3 {
                        let step = Vector::ith(axis, h);
                        let (up, down) =
                            (at(&(q + step), shape_parameters, which), at(&(q - step), shape_parameters, which));
                        assert!((here.q[axis] - (up.f - down.f) / (2.0 * h)).abs() < 1e-8, "{form:?} q");
                        let second = (up.q - down.q) / (2.0 * h);
                        assert!((here.qq.column(axis) - second).norm() < 1e-7, "{form:?} qq");
                    }
                    for number in 0..form.shape_parameter_count() {
                        let moved = |by: f64| {
                            let mut s = shape_parameters;
                            s[number] += by;
                            at(&q, s, which)
                        };
                        let (up, down) = (moved(h), moved(-h));
                        assert!((here.s[number] - (up.f - down.f) / (2.0 * h)).abs() < 1e-8, "{form:?} s");
                        assert!((here.qs[number] - (up.q - down.q) / (2.0 * h)).norm() < 1e-7, "{form:?} qs");
                        for other in 0..form.shape_parameter_count() {
                            let second = (up.s[other] - down.s[other]) / (2.0 * h);
                            assert!((here.ss[PAIRS[number][other]] - second).abs() < 1e-7, "{form:?} ss");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_shape_is_recovered_from_either_model() {
        let shapes = [
            Shape::Sphere { centre: Point::new(0.2, -0.1, 0.4), radius: 2.0 },
            Shape::Cylinder { point: Point::new(0.0, 0.3, 0.0), axis: Vector::new(0.6, 0.0, 0.8), radius: 0.7 },
            Shape::Cylinder { point: Point::origin(), axis: Vector::z(), radius: 0.7 },
            Shape::Cone {
                point: Point::new(0.0, 0.5, 0.0),
                axis: Vector::new(0.6, 0.0, 0.8),
                radius: 0.9,
                half_angle_rad: 0.3,
            },
            Shape::Torus {
                centre: Point::new(0.4, 0.1, -2.0),
                axis: Vector::new(0.6, 0.0, 0.8),
                major: 2.0,
                minor: 0.5,
            },
        ];
        for shape in shapes {
            for model in [Model::of(&shape), Model::on_surface(&shape)] {
                let back = model.shape().unwrap();
                assert!((back.position() - shape.position()).norm() < 1e-14, "{back:?}");
                for point in [Point::new(0.5, 1.0, -0.3), Point::new(-2.0, 0.1, 0.7)] {
                    let q = model.points_from_model.inverse_transform_point(&point).coords;
                    assert!((model.residuals(&q)[0].f - shape.distance(&point)).abs() < 1e-14);
                }
            }
        }
    }
}
