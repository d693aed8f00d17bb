//! A datum frame as it is built: datum by datum, each fixing what those before it leave open.

use std::f64::consts::FRAC_PI_2;

use nalgebra::{DMatrix, DVector, Rotation3, SymmetricEigen};

use super::{DatumSystem, FreeMotions};
use crate::features::element::{Situation, acute_angle, any_square_to};
use geometry::{Point, Pose, Vector};

/// How near to parallel or square a direction is meant to be so, and how near to an axis a place is meant to lie on it.
#[derive(Clone, Copy, Debug)]
pub struct Meant {
    angle_rad: f64,
    beside_mm: f64,
}

impl Meant {
    /// Of measured datums without nominals.
    pub const MEASURED: Self = Self { angle_rad: 1.0 * std::f64::consts::PI / 180.0, beside_mm: 1.0 };
    /// Of nominals, which files round.
    pub const NOMINAL: Self = Self { angle_rad: 1e-4, beside_mm: 1e-3 };
}

/// Squared sine of an angle to what is held already below which a direction is held as well.
const HELD: f64 = 1e-9;

/// How a direction of the frame was found: by a datum's own direction or by its place; and by which datum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Direction(usize),
    Place(usize),
}

/// What the datums up to now fix.
pub struct Building {
    meant: Meant,
    start: Point,
    z: Option<Vector>,
    x: Option<Vector>,
    z_by: Option<By>,
    x_by: Option<By>,
    /// How far the last datum leans from its nominal angle to those before it, rad.
    pub astray_rad: f64,
    /// Planes n · x = d that hold the origin.
    held: Vec<(Vector, f64)>,
    /// Unit vectors, square to each other, over the normals of those planes.
    span: Vec<Vector>,
}

impl Building {
    /// Of no datum yet; `start` is the first one's place.
    pub fn new(start: Point, meant: Meant) -> Self {
        Self {
            meant,
            start,
            z: None,
            x: None,
            z_by: None,
            x_by: None,
            astray_rad: 0.0,
            held: Vec::new(),
            span: Vec::new(),
        }
    }

    /// Adds the datum of that number; `guide` is its nominal and what is built of the nominals up to it. Whether it
    /// fixes anything.
    pub fn add(&mut self, number: usize, situation: Situation, guide: Option<(&Self, Situation)>) -> bool {
        let (place, direction) = parts(situation);
        // Turns can only be stopped beside an origin that is held already.
        let centred = self.centred();
        let oriented = direction.is_some_and(|own| self.orient(number, &own, guide.map(|(guide, _)| guide)));
        let exact = direction.map(|own| match guide.map(|(guide, nominal)| (guide, parts(nominal).1)) {
            Some((guide, Some(nominal))) => self.like(guide, &nominal, &own),
            _ => self.squared(&own),
        });
        self.astray_rad = match (guide, direction, exact) {
            (Some(_), Some(own), Some(exact)) => acute_angle(&own, &exact),
            _ => 0.0,
        };
        let normals = match (situation, exact) {
            (Situation::Plane(_), Some(normal)) => vec![normal],
            (Situation::Line(_), Some(axis)) => {
                let side = any_square_to(&axis);
                vec![side, axis.cross(&side)]
            }
            _ => vec![Vector::x(), Vector::y(), Vector::z()],
        };
        let held = self.hold(&normals, &place);
        let stops = match situation {
            Situation::Point(_) => true,
            Situation::Line(_) => exact.zip(self.z).is_some_and(|(own, z)| own.cross(&z).norm() < HELD),
            Situation::Plane(_) => false,
        };
        let aimed = centred && stops && self.aim(number, &place, guide.map(|(guide, _)| guide));
        oriented || held || aimed
    }

    /// Takes a direction for z, or for x where z is another.
    fn orient(&mut self, number: usize, direction: &Vector, guide: Option<&Self>) -> bool {
        let by = Some(By::Direction(number));
        match self.z {
            None => (self.z, self.z_by) = (Some(*direction), by),
            Some(z) if self.x.is_none() => {
                let differs = match guide {
                    Some(guide) => guide.x_by == by,
                    None => acute_angle(&z, direction) > self.meant.angle_rad,
                };
                if !differs {
                    return false;
                }
                // One that should lean but does not may lean to any side; it is then found astray.
                let flat = (direction - z * z.dot(direction)).try_normalize(1e-12);
                (self.x, self.x_by) = (flat.or_else(|| Some(any_square_to(&z))), by);
            }
            _ => return false,
        }
        true
    }

    /// Stops the turn that is left by a place beside the origin.
    fn aim(&mut self, number: usize, place: &Point, guide: Option<&Self>) -> bool {
        let (away, by) = (place - self.origin(), Some(By::Place(number)));
        let flat = self.z.map_or(away, |z| away - z * z.dot(&away));
        let beside = guide.map_or(flat.norm() > self.meant.beside_mm, |guide| [guide.z_by, guide.x_by].contains(&by));
        let Some(aim) = flat.try_normalize(1e-9).filter(|_| beside) else { return false };
        match (self.z, self.x) {
            (None, _) => (self.z, self.z_by) = (Some(aim), by),
            (Some(_), None) => (self.x, self.x_by) = (Some(aim), by),
            _ => return false,
        }
        true
    }

    /// A direction that stands in this frame as its nominal does in the nominal frame.
    fn like(&self, guide: &Self, nominal: &Vector, measured: &Vector) -> Vector {
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

    /// Whether the datums hold the place that the remaining turns are about.
    fn centred(&self) -> bool {
        match self.z {
            None => self.span.len() == 3,
            Some(z) => {
                let side = any_square_to(&z);
                [side, z.cross(&side)].iter().all(|axis| self.beyond_span(axis).norm() < 1e-9)
            }
        }
    }

    /// A direction, made exactly parallel or square to the axes of the frame where it nearly is.
    fn squared(&self, direction: &Vector) -> Vector {
        let Some(z) = self.z else { return *direction };
        let along = |axis: &Vector| axis * direction.dot(axis).signum();
        let angle = acute_angle(direction, &z);
        if angle <= self.meant.angle_rad {
            return along(&z);
        }
        if FRAC_PI_2 - angle > self.meant.angle_rad {
            return *direction;
        }
        let flat = (direction - z * z.dot(direction)).normalize();
        let axes = self.x.map(|x| [x, z.cross(&x)]);
        let near = axes.iter().flatten().find(|axis| acute_angle(axis, &flat) < self.meant.angle_rad);
        near.map_or(flat, along)
    }

    /// Holds the origin in the planes through `place` whose normals are spanned by `normals` (square to each other) and
    /// are not held yet.
    fn hold(&mut self, normals: &[Vector], place: &Point) -> bool {
        let open: Vec<Vector> = normals.iter().map(|normal| self.beyond_span(normal)).collect();
        let eigen = SymmetricEigen::new(DMatrix::from_fn(normals.len(), normals.len(), |i, j| open[i].dot(&open[j])));
        let mut holds = false;
        for (value, vector) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
            if *value > HELD {
                let normal: Vector = normals.iter().zip(vector.iter()).map(|(normal, share)| normal * *share).sum();
                self.held.push((normal, normal.dot(&place.coords)));
                self.span.push(self.beyond_span(&normal).normalize());
                holds = true;
            }
        }
        holds
    }

    /// The part of a direction that is square to all that is held.
    fn beyond_span(&self, direction: &Vector) -> Vector {
        self.span.iter().fold(*direction, |rest, own| rest - own * own.dot(&rest))
    }

    /// The place nearest to the first datum's that all planes hold.
    fn origin(&self) -> Point {
        let count = self.held.len();
        let missing = DVector::from_fn(count, |i, _| self.held[i].1 - self.held[i].0.dot(&self.start.coords));
        let products = DMatrix::from_fn(count, count, |i, j| self.held[i].0.dot(&self.held[j].0));
        let shares = products.cholesky().map(|factor| factor.solve(&missing));
        let shift = |shares: DVector<f64>| -> Vector {
            self.held.iter().zip(shares.iter()).map(|((normal, _), share)| normal * *share).sum()
        };
        self.start + shares.map_or_else(Vector::zeros, shift)
    }

    /// The frame, and what is free of it.
    pub fn finish(self, name: String) -> DatumSystem {
        let z = self.z.unwrap_or_else(Vector::z);
        let x = self.x.unwrap_or_else(|| any_square_to(&z));
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

/// The place of a datum, and its direction.
fn parts(situation: Situation) -> (Point, Option<Vector>) {
    match situation {
        Situation::Point(point) => (point, None),
        Situation::Line(line) => (line.point, Some(line.direction)),
        Situation::Plane(plane) => (plane.point, Some(plane.normal)),
    }
}
