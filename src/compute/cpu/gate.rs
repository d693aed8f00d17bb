//! Which closest points count as matches: shared by the deviation and the registration.

use crate::point_deviation::{MatchState, RIM_TILT_RAD};
use geometry::{Point, Pose, Surface, SurfaceHit, Vector};

/// The limits of a match apart from its distance.
pub(super) struct Gate<'a> {
    surface: &'a Surface,
    nominal_from_scan: &'a Pose,
    /// By point number; empty for no angle gate.
    normals: &'a [Vector],
    oriented: bool,
    least_cosine: f64,
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
        Self { surface, nominal_from_scan, normals, oriented, least_cosine: max_angle_rad.cos() }
    }

    /// Judges point `number`, which lies at `place` in the nominal's frame.
    #[inline]
    pub fn state(&self, number: usize, place: &Point, hit: &SurfaceHit) -> MatchState {
        let surface = self.surface;
        if surface.is_open_at(hit) && hit.distance_mm > 0.0 && surface.tilt_rad(place, hit) > RIM_TILT_RAD {
            return MatchState::BeyondRim;
        }
        let Some(normal) = self.normals.get(number) else {
            return MatchState::Matched;
        };
        let cosine = surface.aligned_cosine(hit, &(self.nominal_from_scan.rotation * normal));
        let aligned = if self.oriented { cosine } else { cosine.abs() };
        if aligned < self.least_cosine { MatchState::WrongAngle } else { MatchState::Matched }
    }
}
