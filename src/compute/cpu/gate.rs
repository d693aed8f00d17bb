//! Acceptance of closest points as matches, shared by deviation and registration.

use crate::point_deviation::{MAX_RIM_TILT_RAD, MatchState};
use geometry::{Point, Pose, Surface, SurfaceHit, Vector};

/// Limits of a match other than its distance: open rims and the angle between the normals.
pub(super) struct Gate<'a> {
    surface: &'a Surface,
    nominal_from_scan: &'a Pose,
    /// By point index; empty for no angle gate.
    normals: &'a [Vector],
    oriented: bool,
    min_cosine: f64,
}

impl<'a> Gate<'a> {
    pub fn new(
        surface: &'a Surface,
        nominal_from_scan: &'a Pose,
        normals: &'a [Vector],
        oriented: bool,
        max_angle_rad: f64,
    ) -> Self {
        let normals = if max_angle_rad < std::f64::consts::PI { normals } else { &[] };
        Self { surface, nominal_from_scan, normals, oriented, min_cosine: max_angle_rad.cos() }
    }

    /// Match state of the point at `index`; `point` is its position in the nominal frame.
    #[inline]
    pub fn state(&self, index: usize, point: &Point, hit: &SurfaceHit) -> MatchState {
        let surface = self.surface;
        if surface.is_on_boundary(hit) && hit.distance_mm > 0.0 && surface.tilt_rad(point, hit) > MAX_RIM_TILT_RAD {
            return MatchState::BeyondRim;
        }
        let Some(normal) = self.normals.get(index) else {
            return MatchState::Matched;
        };
        let cosine = surface.aligned_cosine(hit, &(self.nominal_from_scan.rotation * normal));
        let aligned = if self.oriented { cosine } else { cosine.abs() };
        if aligned < self.min_cosine { MatchState::WrongAngle } else { MatchState::Matched }
    }
}
