//! Construction of a datum frame, datum by datum, each constraining the degrees of freedom left by those before it.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{DMatrix, DVector, Rotation3, SymmetricEigen};

use super::{DatumSystem, FreeMotions};
use crate::features::element::{Situation, acute_angle, any_perpendicular};
use geometry::{Point, Pose, Vector};

/// Tolerances within which a direction counts as parallel or perpendicular, and a point as lying on an axis.
#[derive(Clone, Copy, Debug)]
pub struct SnapTolerances {
    angle_rad: f64,
    offset_mm: f64,
}

impl SnapTolerances {
    /// For measured datums without nominals.
    pub const MEASURED: Self = Self { angle_rad: 1.0 * std::f64::consts::PI / 180.0, offset_mm: 1.0 };
    /// For nominals, with the rounding of files.
    pub const NOMINAL: Self = Self { angle_rad: 1e-4, offset_mm: 1e-3 };
}

/// Minimum squared sine of the angle between a direction and those already constrained for it to count as
/// unconstrained.
const MIN_FREE_SINE_SQUARED: f64 = 1e-9;

/// Origin of an axis of the frame: the direction or the position of a datum, with the index of the datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AxisSource {
    Direction(usize),
    Position(usize),
}

/// The degrees of freedom constrained by the datums so far.
pub struct FrameBuilder {
    tolerances: SnapTolerances,
    start: Point,
    z: Option<Vector>,
    x: Option<Vector>,
    z_source: Option<AxisSource>,
    x_source: Option<AxisSource>,
    /// Deviation of the last datum from its nominal angle to those before it, rad.
    pub angle_error_rad: f64,
    /// Planes n · x = d that contain the origin.
    planes: Vec<(Vector, f64)>,
    /// Orthonormal basis of the normals of those planes.
    span: Vec<Vector>,
}

impl FrameBuilder {
    /// Without datums; `start` is the position of the first one.
    pub fn new(start: Point, tolerances: SnapTolerances) -> Self {
        Self {
            tolerances,
            start,
            z: None,
            x: None,
            z_source: None,
            x_source: None,
            angle_error_rad: 0.0,
            planes: Vec::new(),
            span: Vec::new(),
        }
    }

    /// Adds a datum with its index; `guide` is the frame of the nominals up to and including it, with its nominal.
    /// Returns whether it constrains any degree of freedom.
    pub fn add(&mut self, index: usize, situation: Situation, guide: Option<(&Self, Situation)>) -> bool {
        let (position, direction) = position_and_direction(situation);
        // A position constrains a rotation only about an origin that is already constrained.
        let was_centred = self.is_centred();
        let is_oriented = direction.is_some_and(|own| self.orient(index, &own, guide.map(|(guide, _)| guide)));
        let exact =
            direction.map(|own| match guide.map(|(guide, nominal)| (guide, position_and_direction(nominal).1)) {
                Some((guide, Some(nominal))) => self.as_nominal(guide, &nominal, &own),
                _ => self.snapped(&own),
            });
        self.angle_error_rad = match (guide, direction, exact) {
            (Some(_), Some(own), Some(exact)) => acute_angle(&own, &exact),
            _ => 0.0,
        };
        let normals = match (situation, exact) {
            (Situation::Plane(_), Some(normal)) => vec![normal],
            (Situation::Line(_), Some(axis)) => {
                let side = any_perpendicular(&axis);
                vec![side, axis.cross(&side)]
            }
            _ => vec![Vector::x(), Vector::y(), Vector::z()],
        };
        let is_origin_constrained = self.constrain_origin(&normals, &position);
        let constrains_rotation = match situation {
            Situation::Point(_) => true,
            Situation::Line(_) => {
                exact.zip(self.z).is_some_and(|(own, z)| own.cross(&z).norm() < MIN_FREE_SINE_SQUARED)
            }
            Situation::Plane(_) => false,
        };
        let is_rotation_constrained = was_centred
            && constrains_rotation
            && self.constrain_rotation(index, &position, guide.map(|(guide, _)| guide));
        is_oriented || is_origin_constrained || is_rotation_constrained
    }

    /// Uses a direction for z, or for x if it differs from z.
    fn orient(&mut self, index: usize, direction: &Vector, guide: Option<&Self>) -> bool {
        let source = Some(AxisSource::Direction(index));
        match self.z {
            None => (self.z, self.z_source) = (Some(*direction), source),
            Some(z) if self.x.is_none() => {
                let differs = match guide {
                    Some(guide) => guide.x_source == source,
                    None => acute_angle(&z, direction) > self.tolerances.angle_rad,
                };
                if !differs {
                    return false;
                }
                // If it is inclined nominally but not as measured, x is arbitrary; the deviation of angle is then found
                // too large.
                let projected = (direction - z * z.dot(direction)).try_normalize(1e-12);
                (self.x, self.x_source) = (projected.or_else(|| Some(any_perpendicular(&z))), source);
            }
            _ => return false,
        }
        true
    }

    /// Constrains the remaining rotation by a position beside the origin.
    fn constrain_rotation(&mut self, index: usize, position: &Point, guide: Option<&Self>) -> bool {
        let (offset, source) = (position - self.origin(), Some(AxisSource::Position(index)));
        let projected = self.z.map_or(offset, |z| offset - z * z.dot(&offset));
        let is_offset = guide.map_or(projected.norm() > self.tolerances.offset_mm, |guide| {
            [guide.z_source, guide.x_source].contains(&source)
        });
        let Some(axis) = projected.try_normalize(1e-9).filter(|_| is_offset) else { return false };
        match (self.z, self.x) {
            (None, _) => (self.z, self.z_source) = (Some(axis), source),
            (Some(_), None) => (self.x, self.x_source) = (Some(axis), source),
            _ => return false,
        }
        true
    }

    /// The direction with the same coordinates in this frame as its nominal in the nominal frame.
    fn as_nominal(&self, guide: &Self, nominal: &Vector, measured: &Vector) -> Vector {
        match (self.z.zip(guide.z), self.x.zip(guide.x)) {
            (Some((z, nominal_z)), Some((x, nominal_x))) => {
                let nominal_y = nominal_z.cross(&nominal_x);
                x * nominal.dot(&nominal_x) + z.cross(&x) * nominal.dot(&nominal_y) + z * nominal.dot(&nominal_z)
            }
            // It would have become x if it were not along z.
            (Some((z, nominal_z)), None) => z * nominal.dot(&nominal_z).signum(),
            _ => *measured,
        }
    }

    /// Whether the centre of the remaining rotations is constrained.
    fn is_centred(&self) -> bool {
        match self.z {
            None => self.span.len() == 3,
            Some(z) => {
                let side = any_perpendicular(&z);
                [side, z.cross(&side)].iter().all(|axis| self.beyond_span(axis).norm() < 1e-9)
            }
        }
    }

    /// A direction, made exactly parallel or perpendicular to the axes of the frame if it is nearly so.
    fn snapped(&self, direction: &Vector) -> Vector {
        let Some(z) = self.z else { return *direction };
        let along = |axis: &Vector| axis * direction.dot(axis).signum();
        let angle = acute_angle(direction, &z);
        if angle <= self.tolerances.angle_rad {
            return along(&z);
        }
        if FRAC_PI_2 - angle > self.tolerances.angle_rad {
            return *direction;
        }
        let projected = (direction - z * z.dot(direction)).normalize();
        let axes = self.x.map(|x| [x, z.cross(&x)]);
        let near = axes.iter().flatten().find(|axis| acute_angle(axis, &projected) < self.tolerances.angle_rad);
        near.map_or(projected, along)
    }

    /// Constrains the origin to the planes through `position` whose normals are in the span of `normals` (orthonormal)
    /// and not constrained yet. Returns whether there are any.
    fn constrain_origin(&mut self, normals: &[Vector], position: &Point) -> bool {
        let unconstrained: Vec<Vector> = normals.iter().map(|normal| self.beyond_span(normal)).collect();
        let eigen = SymmetricEigen::new(DMatrix::from_fn(normals.len(), normals.len(), |i, j| {
            unconstrained[i].dot(&unconstrained[j])
        }));
        let mut is_constrained = false;
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > MIN_FREE_SINE_SQUARED {
                let normal: Vector =
                    normals.iter().zip(vector.iter()).map(|(normal, coefficient)| normal * *coefficient).sum();
                self.planes.push((normal, normal.dot(&position.coords)));
                self.span.push(self.beyond_span(&normal).normalize());
                is_constrained = true;
            }
        }
        is_constrained
    }

    /// The component of a direction perpendicular to all constrained ones.
    fn beyond_span(&self, direction: &Vector) -> Vector {
        self.span.iter().fold(*direction, |rest, own| rest - own * own.dot(&rest))
    }

    /// The point closest to the position of the first datum that lies on all planes.
    fn origin(&self) -> Point {
        let count = self.planes.len();
        let offsets = DVector::from_fn(count, |i, _| self.planes[i].1 - self.planes[i].0.dot(&self.start.coords));
        let products = DMatrix::from_fn(count, count, |i, j| self.planes[i].0.dot(&self.planes[j].0));
        let coefficients = products.cholesky().map(|factor| factor.solve(&offsets));
        let shift = |coefficients: DVector<f64>| -> Vector {
            self.planes.iter().zip(coefficients.iter()).map(|((normal, _), coefficient)| normal * *coefficient).sum()
        };
        self.start + coefficients.map_or_else(Vector::zeros, shift)
    }

    /// The frame with its free degrees of freedom.
    pub fn finish(self, name: String) -> DatumSystem {
        let z = self.z.unwrap_or_else(Vector::z);
        let x = self.x.unwrap_or_else(|| any_perpendicular(&z));
        let axes = [x, z.cross(&x), z];
        let part_from_datum =
            Pose::from_parts(self.origin().coords.into(), Rotation3::from_basis_unchecked(&axes).into());
        let free = FreeMotions {
            shift: axes.map(|axis| self.beyond_span(&axis).norm() > 1e-6),
            turn: [self.z.is_none(), self.z.is_none(), self.x.is_none()],
        };
        DatumSystem { datum_from_part: part_from_datum.inverse(), free, name }
    }
}

/// Position and direction of a datum.
fn position_and_direction(situation: Situation) -> (Point, Option<Vector>) {
    match situation {
        Situation::Point(point) => (point, None),
        Situation::Line(line) => (line.point, Some(line.direction)),
        Situation::Plane(plane) => (plane.point, Some(plane.normal)),
    }
}
