//! Orientation of the sensor on the CMM, compared with the usual mounting.

use serde::Serialize;

use super::super::{Light, Mounting};
use geometry::{Point, Vector};

/// Maximum deviation from the usual mounting, degrees: the sensor's X points along that of the CMM, and it looks down.
const MAX_DEVIATION_DEG: f64 = 30.0;

/// Orientation of the sensor on the CMM.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct MountingCheck {
    /// Angle between the X axes of sensor and CMM, degrees.
    pub x_off_deg: f64,
    /// Angle between the viewing direction and straight down, degrees.
    pub view_off_deg: f64,
    /// Whether the operator confirmed an unusual mounting.
    pub is_confirmed: bool,
}

impl MountingCheck {
    /// From a mounting and the centroid of the points that the sensor saw (right-handed sensor frame, mm).
    pub(super) fn of(mounting: &Mounting, centroid: Point, is_confirmed: bool) -> Self {
        let rotation = mounting.cmm_from_sensor.rotation;
        let angle_deg = |one: Vector, other: Vector| one.dot(&other).clamp(-1.0, 1.0).acos().to_degrees();
        // The sensor's frame does not define which axis is depth.
        let view = centroid.coords.try_normalize(0.0).unwrap_or_else(Vector::z);
        Self {
            x_off_deg: angle_deg(rotation * Vector::x(), Vector::x()),
            view_off_deg: angle_deg(rotation * view, -Vector::z()),
            is_confirmed,
        }
    }

    /// Whether both deviations are within the limit.
    pub fn is_usual(&self) -> bool {
        self.x_off_deg <= MAX_DEVIATION_DEG && self.view_off_deg <= MAX_DEVIATION_DEG
    }

    /// Green for the usual mounting; otherwise amber if the operator confirmed it, red if not.
    pub fn light(&self) -> Light {
        match (self.is_usual(), self.is_confirmed) {
            (true, _) => Light::Green,
            (false, true) => Light::Amber,
            (false, false) => Light::Red,
        }
    }

    /// The result in a sentence.
    pub fn sentence(&self) -> String {
        let found = format!(
            "The sensor's X is {:.0}° from the CMM's X, and its viewing direction is {:.0}° from straight down",
            self.x_off_deg, self.view_off_deg
        );
        if self.is_usual() {
            format!("{found}: the usual mounting.")
        } else if self.is_confirmed {
            format!("{found}; the operator confirmed this mounting.")
        } else {
            format!(
                "{found}: sensors are usually mounted with their X along that of the CMM, looking down. Regions named \
                 the other way round cause this, and so do touches that are turned over; an artefact that is symmetric \
                 under rotation by 180° does not show which way round it lies. Check the names of the regions of both \
                 instruments, or confirm this mounting (--any-mounting)."
            )
        }
    }
}
