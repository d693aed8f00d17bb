//! A shape as the fit sees it: a frame, a few numbers, and the residual of a point with its derivatives.
//!
//! The frame moves in its own coordinates, a place q seen in it by d and then turned by theta about the frame's axes,
//! so that every shape takes those of the six motions that change it. All that is round has a second model whose frame
//! sits on the surface and whose numbers are curvatures: it stays well-behaved where an arc is nearly flat, and the
//! distance loses no digits to a centre far away (Lukács, Marshall and Martin, "Faithful least-squares fitting of
//! spheres, cylinders, cones and tori", 1998). Those of cones and tori stand in `revolved`.

use super::revolved;
use super::shape::Shape;
use geometry::{Point, Pose, Vector};

/// Which residual functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// z is the direction; residuals x and y.
    Line,
    /// z is the normal.
    Plane,
    /// z is the normal; residuals in the plane and along z. Radius.
    Circle,
    /// Radius.
    Sphere,
    /// z is the axis. Radius.
    Cylinder,
    /// z is the axis. Radius at the origin, half angle.
    Cone,
    /// z is the axis. Major and minor radius.
    Torus,
    /// The origin is on the surface, z outward (for a positive curvature). Curvature.
    FlatSphere,
    /// As [`Form::FlatSphere`], the axis along y.
    FlatCylinder,
    /// As [`Form::FlatCylinder`], its plane that of x and z; residuals in the plane and along y.
    FlatCircle,
    /// The origin is on the surface, z outward, y along its circle and x along its straight line. Curvatures of the
    /// circle along x and along z.
    FlatCone,
    /// The origin is on the surface, z outward, y along the ring and x round the tube. Curvatures of the tube, and of
    /// the ring through the origin along x and along z.
    FlatTorus,
}

/// Numbers of a model at most.
pub const NUMBERS: usize = 3;
/// Where in [`Residual::ss`] the derivative by two of the numbers stands.
pub const PAIRS: [[usize; NUMBERS]; NUMBERS] = [[0, 1, 3], [1, 2, 4], [3, 4, 5]];

/// Motions: shifts along and turns about x, y, z.
pub const MOTIONS: usize = 6;

impl Form {
    /// The motions that change it, as numbers below [`MOTIONS`].
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

    /// How many numbers it has beside its frame.
    pub fn numbers(self) -> usize {
        match self {
            Self::Line | Self::Plane => 0,
            Self::Cone | Self::Torus | Self::FlatCone => 2,
            Self::FlatTorus => 3,
            _ => 1,
        }
    }

    /// Residuals of a point.
    pub fn residuals(self) -> usize {
        if matches!(self, Self::Line | Self::Circle | Self::FlatCircle) { 2 } else { 1 }
    }

    /// Parameters in all.
    pub fn parameters(self) -> usize {
        self.motions().len() + self.numbers()
    }
}

/// See the module.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    /// Residual functions.
    pub form: Form,
    /// Where its frame is.
    pub points_from_model: Pose,
    /// Its numbers; unused ones are zero.
    pub numbers: [f64; NUMBERS],
}

/// A residual at a place and its derivatives by the place (q) and the numbers (s).
#[derive(Clone, Copy, Debug, Default)]
pub struct Residual {
    /// The residual.
    pub f: f64,
    /// By q.
    pub q: Vector,
    /// By s.
    pub s: [f64; NUMBERS],
    /// By q twice.
    pub qq: nalgebra::Matrix3<f64>,
    /// By q and each of s.
    pub qs: [Vector; NUMBERS],
    /// By two of s, as [`PAIRS`] says.
    pub ss: [f64; 6],
}

impl Model {
    /// Of a shape, its frame's origin nearest to the origin of the points (their centroid).
    pub fn of(shape: &Shape) -> Self {
        let along = |direction: &Vector| nalgebra::UnitQuaternion::rotation_between(&Vector::z(), direction);
        let framed = |form, place: &Point, z: &Vector, numbers| {
            // Turned half round where z is the very opposite.
            let turn = along(z)
                .unwrap_or_else(|| nalgebra::UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI));
            Self { form, points_from_model: Pose::from_parts(place.coords.into(), turn), numbers }
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

    /// The model on the surface, nearest to the origin of the points; as [`Model::of`] where there is none.
    pub fn on_surface(shape: &Shape) -> Self {
        let (form, centre, radius, axis) = match *shape {
            Shape::Sphere { centre, radius } => (Form::FlatSphere, centre, radius, None),
            Shape::Cylinder { point, axis, radius } => {
                (Form::FlatCylinder, point - axis * point.coords.dot(&axis), radius, Some(axis))
            }
            Shape::Circle { centre, normal, radius } => (Form::FlatCircle, centre, radius, Some(normal)),
            _ => return revolved::on_surface(shape).unwrap_or_else(|| Self::of(shape)),
        };
        let side = axis.map_or_else(Vector::x, |axis| any_square_to(&axis));
        let away = match *shape {
            Shape::Circle { normal, .. } => normal * centre.coords.dot(&normal) - centre.coords,
            _ => -centre.coords,
        };
        let outward = away.try_normalize(1e-9 * radius).unwrap_or(side);
        let y = axis.unwrap_or_else(|| any_square_to(&outward));
        let y = (y - outward * y.dot(&outward)).normalize();
        let turn = nalgebra::Rotation3::from_basis_unchecked(&[y.cross(&outward), y, outward]);
        let origin = centre + outward * radius;
        Self {
            form,
            points_from_model: Pose::from_parts(origin.coords.into(), turn.into()),
            numbers: [1.0 / radius, 0.0, 0.0],
        }
    }

    /// The shape; `None` where a curvature is too small to have a centre, and for a lemon ([`revolved::is_lemon`]).
    pub fn shape(&self) -> Option<Shape> {
        let place = Point::from(self.points_from_model.translation.vector);
        let basis = self.points_from_model.rotation.to_rotation_matrix().into_inner();
        let (y, z) = (basis.column(1).into_owned(), basis.column(2).into_owned());
        let [first, second, _] = self.numbers;
        // Nearest to the centroid.
        let foot = |point: Point, axis: &Vector| point - axis * point.coords.dot(axis);
        Some(match self.form {
            Form::Line => Shape::Line { point: foot(place, &z), direction: z },
            Form::Plane => Shape::Plane { point: Point::from(z * place.coords.dot(&z)), normal: z },
            Form::Circle => Shape::Circle { centre: place, normal: z, radius: first.abs() },
            Form::Sphere => Shape::Sphere { centre: place, radius: first.abs() },
            Form::Cylinder => Shape::Cylinder { point: foot(place, &z), axis: z, radius: first.abs() },
            Form::Cone => cone(place, z, first, second),
            Form::Torus if first < 0.0 => return None,
            Form::Torus => Shape::Torus { centre: place, axis: z, major: first, minor: second.abs() },
            Form::FlatCone | Form::FlatTorus => return revolved::shape(self),
            Form::FlatSphere | Form::FlatCylinder | Form::FlatCircle => {
                let radius = (first.abs() > FLAT).then(|| 1.0 / first)?;
                let centre = place - z * radius;
                match self.form {
                    Form::FlatSphere => Shape::Sphere { centre, radius: radius.abs() },
                    Form::FlatCircle => Shape::Circle { centre, normal: y, radius: radius.abs() },
                    _ => Shape::Cylinder { point: foot(centre, &y), axis: y, radius: radius.abs() },
                }
            }
        })
    }

    /// The model after a step of its parameters: motions first, numbers after them.
    pub fn stepped(&self, step: &[f64]) -> Self {
        let motions = self.form.motions();
        let mut motion = [0.0; MOTIONS];
        motions.iter().zip(step).for_each(|(&which, &by)| motion[which] = by);
        let shift = Vector::new(motion[0], motion[1], motion[2]);
        let turn = Vector::new(motion[3], motion[4], motion[5]);
        let mut next = *self;
        next.points_from_model =
            self.points_from_model * Pose::from_parts(shift.into(), nalgebra::UnitQuaternion::from_scaled_axis(turn));
        next.points_from_model.rotation.renormalize_fast();
        step[motions.len()..].iter().zip(&mut next.numbers).for_each(|(by, number)| *number += by);
        next
    }

    /// The residuals at a place seen in the model's frame.
    #[inline]
    pub fn residuals(&self, q: &Vector) -> [Residual; 2] {
        let [first, second, third] = self.numbers;
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

/// Curvatures below this, per length of the points, have no centre that numbers could hold.
pub const FLAT: f64 = 1e-9;

/// The cone about the axis `z` whose radius at `place` is `radius`, growing along `z` by the tangent of `angle`.
pub fn cone(place: Point, z: Vector, radius: f64, angle: f64) -> Shape {
    // Half a turn more is the same cone.
    let angle = angle - std::f64::consts::PI * (angle / std::f64::consts::PI).round();
    // The model's origin may lie beyond the apex; the points' foot does not.
    let along = -place.coords.dot(&z);
    let (point, radius) = (place + z * along, radius + along * angle.tan());
    let (radius, angle) = if radius < 0.0 { (-radius, -angle) } else { (radius, angle) };
    let (axis, half_angle_rad) = if angle < 0.0 { (-z, -angle) } else { (z, angle) };
    Shape::Cone { point, axis, radius, half_angle_rad }
}

/// A unit vector square to `axis`.
pub fn any_square_to(axis: &Vector) -> Vector {
    let least = Vector::ith(axis.iamin(), 1.0);
    (least - axis * axis.dot(&least)).normalize()
}

/// Unit vector away from the z axis, distance from it, and the second derivative of that distance.
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
    // Along the tube's own circle.
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

/// The distance f from a surface of curvature k through the origin, z outward: k f²/2 + f = m with
/// m = k |q|²/2 + z, over the coordinates that `curves` lets through.
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

    /// All derivatives against differences of the residual itself.
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
        for (form, numbers) in forms {
            let model = Model { form, points_from_model: Pose::identity(), numbers };
            let at = |q: &Vector, s: [f64; 3], which: usize| Model { numbers: s, ..model }.residuals(q)[which];
            for _ in 0..20 {
                let q = Vector::new(random.range(0.3, 1.0), random.range(0.3, 1.0), random.range(-0.8, 0.8));
                for which in 0..form.residuals() {
                    let here = at(&q, numbers, which);
                    let h = 1e-5;
                    for axis in 0..3 {
                        let step = Vector::ith(axis, h);
                        let (up, down) = (at(&(q + step), numbers, which), at(&(q - step), numbers, which));
                        assert!((here.q[axis] - (up.f - down.f) / (2.0 * h)).abs() < 1e-8, "{form:?} q");
                        let second = (up.q - down.q) / (2.0 * h);
                        assert!((here.qq.column(axis) - second).norm() < 1e-7, "{form:?} qq");
                    }
                    for number in 0..form.numbers() {
                        let moved = |by: f64| {
                            let mut s = numbers;
                            s[number] += by;
                            at(&q, s, which)
                        };
                        let (up, down) = (moved(h), moved(-h));
                        assert!((here.s[number] - (up.f - down.f) / (2.0 * h)).abs() < 1e-8, "{form:?} s");
                        assert!((here.qs[number] - (up.q - down.q) / (2.0 * h)).norm() < 1e-7, "{form:?} qs");
                        for other in 0..form.numbers() {
                            let second = (up.s[other] - down.s[other]) / (2.0 * h);
                            assert!((here.ss[PAIRS[number][other]] - second).abs() < 1e-7, "{form:?} ss");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_shape_comes_back_from_either_model() {
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
                assert!((back.place() - shape.place()).norm() < 1e-14, "{back:?}");
                for place in [Point::new(0.5, 1.0, -0.3), Point::new(-2.0, 0.1, 0.7)] {
                    let q = model.points_from_model.inverse_transform_point(&place).coords;
                    assert!((model.residuals(&q)[0].f - shape.distance(&place)).abs() < 1e-14);
                }
            }
        }
    }
}
