//! Handles that move an item of the scene by hand: where they lie, and which one is under the pointer. They are of
//! constant size on the screen. What is seen nearly edge-on is no handle: a pixel would be worth far too much there.

mod drag;
#[cfg(test)]
mod tests;

use std::f64::consts::{FRAC_PI_2, PI};

use nalgebra::Vector2;

pub use drag::{Displacement, Drag, SNAP_RAD, snap_step_mm};
use geometry::{Point, Vector};

use super::projection::Projection;

/// A handle; axes from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Handle {
    /// The disc at the centre: moves in the plane of the view.
    InView,
    /// A square: moves in the plane perpendicular to an axis.
    In(usize),
    /// An arrow: moves along an axis.
    Along(usize),
    /// A ring: turns about an axis.
    About(usize),
}

impl Handle {
    /// All of them; of two that are about equally near to the pointer, the first is meant.
    pub const ALL: [Self; 10] = [
        Self::InView,
        Self::In(0),
        Self::In(1),
        Self::In(2),
        Self::Along(0),
        Self::Along(1),
        Self::Along(2),
        Self::About(0),
        Self::About(1),
        Self::About(2),
    ];
}

/// Where arrows begin and end, where squares begin and end along both axes, and the radii of rings and disc, as shares
/// of the size.
const ARROW: [f64; 2] = [0.18, 1.0];
const SQUARE: [f64; 2] = [0.32, 0.54];
const RING: f64 = 1.22;
const DISC: f64 = 0.11;
/// Sine of the angle to the line of sight below which an arrow, or a square, and a ring is no handle.
const MIN_SINE: f64 = 0.2;
const MIN_RING_SINE: f64 = 0.12;
/// A ring this close to facing the eye is seen as a whole; of others the half before the centre is.
const WHOLE_RING_SINE: f64 = 0.1;
/// Points of a ring, in each direction from its middle.
const RING_STEPS: i32 = 32;
/// A later handle must be nearer than an earlier one by this share of the tolerance.
const PREFERENCE: f64 = 0.3;

/// The handles about a centre.
#[derive(Clone, Copy, Debug)]
pub struct Gizmo {
    /// The centre, scene frame, mm.
    pub centre: Point,
    /// Unit directions of the axes, perpendicular to each other.
    pub axes: [Vector; 3],
    /// Length of an arrow from the centre to its tip, mm.
    size_mm: f64,
}

impl Gizmo {
    /// Handles whose arrows are `size_pixels` long where they are seen from the side; `None` behind the eye.
    pub fn new(centre: Point, axes: [Vector; 3], projection: &Projection, size_pixels: f64) -> Option<Self> {
        Some(Self { centre, axes, size_mm: size_pixels * projection.mm_per_pixel(&centre)? })
    }

    /// Whether a handle can be used as it is seen: not nearly edge-on.
    pub fn is_usable(&self, handle: Handle, projection: &Projection) -> bool {
        let sight = projection.sight_to(&self.centre);
        match handle {
            Handle::InView => true,
            Handle::Along(axis) => self.axes[axis].cross(&sight).norm() >= MIN_SINE,
            Handle::In(axis) => self.axes[axis].dot(&sight).abs() >= MIN_SINE,
            Handle::About(axis) => self.axes[axis].dot(&sight).abs() >= MIN_RING_SINE,
        }
    }

    /// Where the arrow along an axis begins and ends.
    pub fn arrow(&self, axis: usize) -> [Point; 2] {
        ARROW.map(|share| self.centre + self.axes[axis] * (share * self.size_mm))
    }

    /// Corners of the square perpendicular to an axis.
    pub fn square(&self, axis: usize) -> [Point; 4] {
        let [low, high] = SQUARE.map(|share| share * self.size_mm);
        let [a, b] = [self.axes[(axis + 1) % 3], self.axes[(axis + 2) % 3]];
        [[low, low], [high, low], [high, high], [low, high]].map(|[u, v]| self.centre + a * u + b * v)
    }

    /// Points of the ring about an axis: the half before the centre, or all of one that faces the eye.
    pub fn arc(&self, axis: usize, projection: &Projection) -> Vec<Point> {
        let normal = self.axes[axis];
        let to_eye = -projection.sight_to(&self.centre);
        let in_plane = to_eye - normal * normal.dot(&to_eye);
        if in_plane.norm() < WHOLE_RING_SINE {
            return self.ring(axis);
        }
        self.around(&normal, &in_plane.normalize(), FRAC_PI_2)
    }

    /// Points of the whole ring about an axis; the first is the last again.
    pub fn ring(&self, axis: usize) -> Vec<Point> {
        self.around(&self.axes[axis], &self.axes[(axis + 1) % 3], PI)
    }

    /// Points of a ring up to `reach_rad` to both sides of a direction in its plane.
    fn around(&self, normal: &Vector, middle: &Vector, reach_rad: f64) -> Vec<Point> {
        let beside = normal.cross(middle);
        let at = |step: i32| {
            let (sin, cos) = (reach_rad * f64::from(step) / f64::from(RING_STEPS)).sin_cos();
            self.centre + (middle * cos + beside * sin) * self.ring_mm()
        };
        (-RING_STEPS..=RING_STEPS).map(at).collect()
    }

    /// Radius of the rings, mm.
    pub fn ring_mm(&self) -> f64 {
        RING * self.size_mm
    }

    /// Radius of the disc, mm.
    pub fn disc_mm(&self) -> f64 {
        DISC * self.size_mm
    }

    /// A point of a handle that is well apart from other handles.
    pub fn grip(&self, handle: Handle, projection: &Projection) -> Point {
        match handle {
            Handle::InView => self.centre,
            Handle::Along(axis) => self.centre + self.axes[axis] * (0.85 * self.size_mm),
            Handle::In(axis) => {
                let [first, _, third, _] = self.square(axis);
                nalgebra::center(&first, &third)
            }
            Handle::About(axis) => {
                let arc = self.arc(axis, projection);
                arc.get(arc.len() * 5 / 8).copied().unwrap_or(self.centre)
            }
        }
    }

    /// The handle within `tolerance` pixels of a pixel.
    pub fn handle_at(&self, projection: &Projection, pixel: [f64; 2], tolerance: f64) -> Option<Handle> {
        let mut best: Option<(f64, Handle)> = None;
        for handle in Handle::ALL.into_iter().filter(|own| self.is_usable(*own, projection)) {
            let distance = self.distance(handle, projection, pixel).filter(|own| *own <= tolerance);
            let Some(distance) = distance else { continue };
            if best.is_none_or(|(nearest, _)| distance + PREFERENCE * tolerance < nearest) {
                best = Some((distance, handle));
            }
        }
        best.map(|(_, handle)| handle)
    }

    /// Distance of a pixel from a handle as it is seen, pixels; `None` for what lies behind the eye.
    fn distance(&self, handle: Handle, projection: &Projection, pixel: [f64; 2]) -> Option<f64> {
        let at = Vector2::from(pixel);
        let seen = |points: &[Point]| -> Option<Vec<Vector2<f64>>> {
            points.iter().map(|point| projection.pixel_of(point).map(Vector2::from)).collect()
        };
        Some(match handle {
            Handle::InView => {
                let centre = Vector2::from(projection.pixel_of(&self.centre)?);
                ((at - centre).norm() - self.disc_mm() / projection.mm_per_pixel(&self.centre)?).max(0.0)
            }
            Handle::Along(axis) => to_line(&at, &seen(&self.arrow(axis))?),
            Handle::In(axis) => {
                let mut corners = seen(&self.square(axis))?;
                corners.extend(corners.first().copied());
                if is_inside(&at, &corners) { 0.0 } else { to_line(&at, &corners) }
            }
            Handle::About(axis) => to_line(&at, &seen(&self.arc(axis, projection))?),
        })
    }
}

/// Distance of a point from a line through these vertices.
fn to_line(at: &Vector2<f64>, vertices: &[Vector2<f64>]) -> f64 {
    let to_segment = |from: &Vector2<f64>, to: &Vector2<f64>| {
        let (along, offset) = (to - from, at - from);
        let squared = along.norm_squared();
        let share = if squared > 0.0 { (offset.dot(&along) / squared).clamp(0.0, 1.0) } else { 0.0 };
        (offset - along * share).norm()
    };
    vertices.iter().zip(vertices.iter().skip(1)).map(|(a, b)| to_segment(a, b)).fold(f64::INFINITY, f64::min)
}

/// Whether a point lies in a convex polygon, whose first corner is its last again.
fn is_inside(at: &Vector2<f64>, corners: &[Vector2<f64>]) -> bool {
    let sides: Vec<f64> = corners.iter().zip(corners.iter().skip(1)).map(|(a, b)| (b - a).perp(&(at - a))).collect();
    sides.iter().all(|side| *side >= 0.0) || sides.iter().all(|side| *side <= 0.0)
}
