//! How the sensor sits on the machine, and whether sensors do.

use serde::Serialize;

use super::super::{Light, Mounting};
use geometry::{Point, Vector};

/// A sensor is screwed on about along the machine's axes, degrees: its X follows the machine's, and it looks down.
const MOST_OFF_DEG: f64 = 30.0;

/// How the sensor sits.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Mounted {
    /// Angle of the sensor's X to the machine's, degrees.
    pub x_off_deg: f64,
    /// Angle of the way it looks to straight down, degrees.
    pub view_off_deg: f64,
    /// Whether the operator confirmed any mounting.
    pub is_confirmed: bool,
}

impl Mounted {
    /// Of a mounting; `seen` is the middle of what it saw (right-handed sensor frame, mm).
    pub(super) fn of(mounting: &Mounting, seen: Point, is_confirmed: bool) -> Self {
        let turn = mounting.cmm_from_sensor.rotation;
        let off_deg = |one: Vector, other: Vector| one.dot(&other).clamp(-1.0, 1.0).acos().to_degrees();
        // Which way is depth, the sensor's own frame does not say.
        let view = seen.coords.try_normalize(0.0).unwrap_or_else(Vector::z);
        Self {
            x_off_deg: off_deg(turn * Vector::x(), Vector::x()),
            view_off_deg: off_deg(turn * view, -Vector::z()),
            is_confirmed,
        }
    }

    /// Whether it sits as sensors do.
    pub fn is_usual(&self) -> bool {
        self.x_off_deg <= MOST_OFF_DEG && self.view_off_deg <= MOST_OFF_DEG
    }

    /// Red where it does not, amber where the operator confirmed that.
    pub fn light(&self) -> Light {
        match (self.is_usual(), self.is_confirmed) {
            (true, _) => Light::Green,
            (false, true) => Light::Amber,
            (false, false) => Light::Red,
        }
    }

    /// What there is to say of it.
    pub fn sentence(&self) -> String {
        let found = format!(
            "The sensor's X points {:.0}° away from the machine's X, and it looks {:.0}° away from straight down",
            self.x_off_deg, self.view_off_deg
        );
        if self.is_usual() {
            format!("{found}, as sensors are mounted.")
        } else if self.is_confirmed {
            format!("{found}; the operator confirmed that it is mounted so.")
        } else {
            format!(
                "{found}: sensors are mounted with their X along the machine's, looking down. Regions that are named the \
                 other way round do this, and touches that are turned over; an artefact that looks the same turned by \
                 half does not show which way round it lies. Check the names of the regions of both instruments, or \
                 confirm that the sensor is mounted so (--any-mounting)."
            )
        }
    }
}
