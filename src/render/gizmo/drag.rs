//! What the drag of a handle means: a translation, or a rotation about the centre.

use std::f64::consts::TAU;

use geometry::transform::step_about;
use geometry::{Point, Pose, Vector};

use super::{Gizmo, Handle};
use crate::projection::{Projection, SightLine};

/// Steps of a rotation that snaps, rad.
pub const SNAP_RAD: f64 = 5.0 * std::f64::consts::PI / 180.0;
/// Sine of the angle between a line of sight and an axis, or a plane, below which where they meet is not known well.
const MIN_SIGHT_SINE: f64 = 0.02;
/// Nearer to the centre than this share of the size of the handles, a pointer has no direction from it.
const MIN_LEVER: f64 = 1e-3;

/// Steps of a translation that snaps, mm: the power of ten up to a fiftieth of the part's diagonal.
pub fn snap_step_mm(diagonal_mm: f64) -> f64 {
    let exponent = (diagonal_mm / 50.0).log10().floor();
    if exponent.is_finite() { 10.0_f64.powf(exponent) } else { 1.0 }
}

/// What a drag does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Displacement {
    /// A translation along an axis.
    Along {
        /// Its unit direction.
        axis: Vector,
        /// How far, mm.
        mm: f64,
    },
    /// A translation along two directions.
    In {
        /// Unit directions, perpendicular to each other.
        directions: [Vector; 2],
        /// How far along each, mm.
        mm: [f64; 2],
    },
    /// A rotation about an axis through the centre.
    About {
        /// Its unit direction.
        axis: Vector,
        /// By how much, rad; more than a full turn too.
        angle_rad: f64,
    },
}

impl Displacement {
    /// In whole steps.
    pub fn snapped(self, step_mm: f64, step_rad: f64) -> Self {
        let whole = |value: f64, step: f64| (value / step).round() * step;
        match self {
            Self::Along { axis, mm } => Self::Along { axis, mm: whole(mm, step_mm) },
            Self::In { directions, mm } => Self::In { directions, mm: mm.map(|mm| whole(mm, step_mm)) },
            Self::About { axis, angle_rad } => Self::About { axis, angle_rad: whole(angle_rad, step_rad) },
        }
    }

    /// Whether nothing is moved.
    pub fn is_none(&self) -> bool {
        match self {
            Self::Along { mm, .. } => *mm == 0.0,
            Self::In { mm, .. } => *mm == [0.0; 2],
            Self::About { angle_rad, .. } => *angle_rad == 0.0,
        }
    }

    /// The motion of what is moved, in the scene frame.
    pub fn motion(&self, centre: &Point) -> Pose {
        let shifted = |shift: Vector| Pose::translation(shift.x, shift.y, shift.z);
        match self {
            Self::Along { axis, mm } => shifted(axis * *mm),
            Self::In { directions: [a, b], mm: [u, v] } => shifted(a * *u + b * *v),
            Self::About { axis, angle_rad } => step_about(centre, axis * *angle_rad, Vector::zeros()),
        }
    }
}

/// The drag of a handle from where it was pressed.
#[derive(Clone, Copy, Debug)]
pub struct Drag {
    gizmo: Gizmo,
    handle: Handle,
    /// The point of the axis or plane that was pressed.
    start: Point,
    displacement: Displacement,
}

impl Drag {
    /// Begins at a pixel; `None` if the handle cannot be used as it is seen.
    pub fn new(gizmo: Gizmo, handle: Handle, projection: &Projection, pixel: [f64; 2]) -> Option<Self> {
        let start = met(&gizmo, handle, projection, pixel).filter(|_| gizmo.is_usable(handle, projection))?;
        let displacement = match handle {
            Handle::Along(axis) => Displacement::Along { axis: gizmo.axes[axis], mm: 0.0 },
            Handle::In(axis) => {
                let directions = [gizmo.axes[(axis + 1) % 3], gizmo.axes[(axis + 2) % 3]];
                Displacement::In { directions, mm: [0.0; 2] }
            }
            Handle::About(axis) => Displacement::About { axis: gizmo.axes[axis], angle_rad: 0.0 },
            Handle::InView => {
                let [right, up, _] = projection.axes();
                Displacement::In { directions: [right, up], mm: [0.0; 2] }
            }
        };
        Some(Self { gizmo, handle, start, displacement })
    }

    /// The handles at its beginning.
    pub fn gizmo(&self) -> &Gizmo {
        &self.gizmo
    }

    /// The handle that is dragged.
    pub fn handle(&self) -> Handle {
        self.handle
    }

    /// What it does so far.
    pub fn displacement(&self) -> Displacement {
        self.displacement
    }

    /// Goes on to a pixel. One that does not meet the axis or the plane, or only far away, changes nothing.
    pub fn follow(&mut self, projection: &Projection, pixel: [f64; 2]) {
        let Some(now) = met(&self.gizmo, self.handle, projection, pixel) else { return };
        let moved = now - self.start;
        self.displacement = match self.displacement {
            Displacement::Along { axis, .. } => Displacement::Along { axis, mm: moved.dot(&axis) },
            Displacement::In { directions, .. } => {
                Displacement::In { directions, mm: directions.map(|own| moved.dot(&own)) }
            }
            Displacement::About { axis, angle_rad } => {
                let [from, to] = [self.start, now].map(|own| own - self.gizmo.centre);
                if to.norm() < MIN_LEVER * self.gizmo.size_mm {
                    return;
                }
                let turned_rad = axis.dot(&from.cross(&to)).atan2(from.dot(&to));
                // The shorter way on from the last angle, so that turns add up.
                let step_rad = turned_rad - angle_rad;
                let step_rad = step_rad - TAU * (step_rad / TAU).round();
                Displacement::About { axis, angle_rad: angle_rad + step_rad }
            }
        };
    }

    /// Of a ring, unit directions from the centre to where it was pressed, and to where `displacement` turns that.
    pub fn levers(&self, displacement: &Displacement) -> Option<[Vector; 2]> {
        let Displacement::About { .. } = displacement else { return None };
        let from = (self.start - self.gizmo.centre).normalize();
        Some([from, displacement.motion(&Point::origin()).rotation * from])
    }
}

/// The point of the handle's axis or plane that a pixel shows; `None` if it shows none, or is nearly parallel to it.
fn met(gizmo: &Gizmo, handle: Handle, projection: &Projection, pixel: [f64; 2]) -> Option<Point> {
    let sight = projection.sight_line(pixel);
    match handle {
        Handle::Along(axis) => nearest_on_axis(&sight, &gizmo.centre, &gizmo.axes[axis]),
        Handle::In(axis) | Handle::About(axis) => on_plane(&sight, &gizmo.centre, &gizmo.axes[axis]),
        Handle::InView => on_plane(&sight, &gizmo.centre, &projection.axes()[2]),
    }
}

/// The point of an axis that is nearest to a line of sight.
fn nearest_on_axis(sight: &SightLine, centre: &Point, axis: &Vector) -> Option<Point> {
    let offset = centre - sight.origin;
    let cosine = axis.dot(&sight.direction);
    let squared_sine = 1.0 - cosine * cosine;
    if squared_sine < MIN_SIGHT_SINE * MIN_SIGHT_SINE {
        return None;
    }
    let along_mm = (cosine * offset.dot(&sight.direction) - offset.dot(axis)) / squared_sine;
    let away_mm = along_mm * cosine + offset.dot(&sight.direction);
    (away_mm > 0.0 || !sight.starts_at_origin).then(|| centre + axis * along_mm)
}

/// Where a line of sight meets a plane.
fn on_plane(sight: &SightLine, centre: &Point, normal: &Vector) -> Option<Point> {
    let sine = normal.dot(&sight.direction);
    if sine.abs() < MIN_SIGHT_SINE {
        return None;
    }
    let away_mm = normal.dot(&(centre - sight.origin)) / sine;
    (away_mm > 0.0 || !sight.starts_at_origin).then(|| sight.origin + sight.direction * away_mm)
}
