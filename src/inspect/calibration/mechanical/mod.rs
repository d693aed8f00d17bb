//! Mechanical alignment: angles by which the adjustment modules of the artefact and of the sensor still have to be
//! turned.
//!
//! Step 1 turns the artefact until its frame is parallel to that of the CMM, measured by probing its faces
//! ([`Touched`]). Step 2 turns the sensor, whose mounting is measured by a snapshot of the artefact. Which of the 24
//! axis-parallel orientations is intended is never asked: it is the nearest.
//!
//! Angles are those of `Rx(roll) Ry(pitch) Rz(yaw)` of the remaining rotation: yaw first, then pitch, then roll, each
//! about the CMM's own axis. At the few degrees of a mounting the order hardly matters.

mod faces;

use nalgebra::{Matrix3, Matrix6, Rotation3, Translation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use super::mounting::angle_uncertainties;
use super::{ArtefactFrame, Light, angles_rad};
use base::{Result, UserError};
use geometry::{Pose, Vector};

pub use faces::Touched;

/// What is being adjusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turned {
    /// The artefact, first.
    #[default]
    Artefact,
    /// The sensor, over the aligned artefact.
    Sensor,
}

/// Names of the rotations, in the order of all arrays of this module.
pub const TURNS: [&str; 3] = ["Roll", "Pitch", "Yaw"];
/// The CMM axes that they are about.
pub const AXES: [&str; 3] = ["X", "Y", "Z"];

/// An adjustment module with one screw for each rotation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Module {
    /// Pitch of the screws: travel per turn, mm.
    pub pitch_mm: f64,
    /// Lever arm of each screw (roll, pitch, yaw): distance from its axis of rotation, mm.
    pub arm_mm: [f64; 3],
}

impl Default for Module {
    fn default() -> Self {
        Self { pitch_mm: 0.5, arm_mm: [50.0; 3] }
    }
}

impl Module {
    /// Returns an error if a length is out of range.
    pub fn check(&self) -> Result<()> {
        let is_length = |length: &f64| (0.001..10_000.0).contains(length);
        if is_length(&self.pitch_mm) && self.arm_mm.iter().all(is_length) {
            return Ok(());
        }
        Err(UserError::usage(
            "The pitch and the lever arms of the adjustment screws must be between 0.001 and 10 000 mm.",
        ))
    }

    /// Turns of each screw for these angles, rad: angle times lever arm over pitch.
    pub fn turns(&self, angles_rad: &[f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| angles_rad[k] * self.arm_mm[k] / self.pitch_mm)
    }
}

/// Orientation of a frame relative to the axes of the CMM.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Misalignment {
    /// Intended orientation, `cmm_from_device`: parallel to the axes of the CMM.
    pub nominal: UnitQuaternion<f64>,
    /// Remaining roll, pitch and yaw, rad.
    pub angles_rad: [f64; 3],
    /// Their standard uncertainties, rad.
    pub sigma_rad: [f64; 3],
}

impl Misalignment {
    /// Of the artefact, from its frame as probed by the CMM.
    pub fn of_artefact(cmm: &ArtefactFrame) -> Self {
        let cmm_from_artefact = cmm.device_from_artefact.rotation;
        Self::of(&cmm_from_artefact, &in_cmm(&cmm_from_artefact, &cmm.covariance))
    }

    /// Of the sensor, from the artefact's frame in its snapshot (right-handed) and as probed by the CMM; without the
    /// latter, the artefact's axes are taken to be parallel to those of the CMM.
    pub fn of_sensor(sensor: &ArtefactFrame, cmm: Option<&ArtefactFrame>) -> Self {
        let cmm_from_artefact = cmm.map_or_else(UnitQuaternion::identity, |cmm| cmm.device_from_artefact.rotation);
        let cmm_covariance = cmm.map_or_else(Matrix6::zeros, |cmm| cmm.covariance);
        let cmm_from_sensor = cmm_from_artefact * sensor.device_from_artefact.rotation.inverse();
        // The rotations of both frames are about the artefact's axes.
        Self::of(&cmm_from_sensor, &in_cmm(&cmm_from_artefact, &(sensor.covariance + cmm_covariance)))
    }

    /// Of any frame; `covariance` (rad²) is that of its small rotations about the CMM's axes.
    pub fn of(cmm_from_device: &UnitQuaternion<f64>, covariance: &Matrix3<f64>) -> Self {
        let nominal = nearest_parallel(cmm_from_device);
        let remaining = Pose::from_parts(Translation3::identity(), nominal * cmm_from_device.inverse());
        // Covariance of small rotations after the remaining one, from that of small rotations before it.
        let mut after = Matrix6::zeros();
        after.fixed_view_mut::<3, 3>(3, 3).copy_from(&rotated(&remaining.rotation, covariance));
        Self { nominal, angles_rad: angles_rad(&remaining), sigma_rad: angle_uncertainties(&remaining, &after) }
    }

    /// Remaining angles and screw turns at a module, with lights for `limit_rad`, see [`light_of`].
    pub fn to_turn(&self, module: &Module, limit_rad: f64) -> StillToTurn {
        StillToTurn {
            angles_rad: self.angles_rad,
            sigma_rad: self.sigma_rad,
            turns: module.turns(&self.angles_rad),
            lights: [0, 1, 2].map(|k| light_of(self.angles_rad[k], self.sigma_rad[k], limit_rad)),
        }
    }

    /// CMM directions that the frame's X, Y and Z should point along, for example "+X -Y -Z".
    pub fn nominal_words(&self) -> String {
        let word = |axis: usize| {
            let direction = self.nominal * Vector::ith(axis, 1.0);
            let largest = direction.iamax();
            format!("{}{}", if direction[largest] < 0.0 { "-" } else { "+" }, AXES[largest])
        };
        [0, 1, 2].map(word).join(" ")
    }
}

/// Remaining rotations about the CMM's X (roll), Y (pitch) and Z (yaw).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StillToTurn {
    /// Angles, rad; positive is counter-clockwise, see [`sense`].
    pub angles_rad: [f64; 3],
    /// Their standard uncertainties, rad.
    pub sigma_rad: [f64; 3],
    /// Turns of the adjustment screws, with the sign of the angle.
    pub turns: [f64; 3],
    /// Light of each angle, see [`light_of`].
    pub lights: [Light; 3],
}

impl StillToTurn {
    /// The worst of the three lights.
    pub fn light(&self) -> Light {
        let has = |light: Light| self.lights.contains(&light);
        if has(Light::Red) {
            Light::Red
        } else if has(Light::Amber) {
            Light::Amber
        } else {
            Light::Green
        }
    }
}

/// Coverage factor of displayed uncertainties.
pub const COVERAGE: f64 = 2.0;
/// Multiple of the limit up to which the light is amber.
const AMBER_LIMITS: f64 = 3.0;

/// Green if the angle plus its expanded uncertainty (k = 2) is within the limit; amber within three limits; otherwise
/// red.
pub fn light_of(angle_rad: f64, sigma_rad: f64, limit_rad: f64) -> Light {
    match (angle_rad.abs() + COVERAGE * sigma_rad) / limit_rad {
        ratio if ratio <= 1.0 => Light::Green,
        ratio if ratio <= AMBER_LIMITS => Light::Amber,
        _ => Light::Red,
    }
}

/// Sense of rotation, seen from the positive end of the axis towards the origin.
pub fn sense(angle_rad: f64) -> &'static str {
    if angle_rad < 0.0 { "clockwise" } else { "counter-clockwise" }
}

/// The 24 rotations that make the axes of a right-handed frame parallel to those of the CMM.
pub fn axis_parallel() -> impl Iterator<Item = Rotation3<f64>> {
    const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    ORDERS.into_iter().flat_map(|order| {
        (0..8_u8).filter_map(move |signs| {
            let sign = |k: usize| if signs >> k & 1 == 0 { 1.0 } else { -1.0 };
            let matrix = Matrix3::from_columns(&[0, 1, 2].map(|k| Vector::ith(order[k], sign(k))));
            (matrix.determinant() > 0.0).then(|| Rotation3::from_matrix_unchecked(matrix))
        })
    })
}

/// The one of [`axis_parallel`] closest to `rotation`.
pub fn nearest_parallel(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let own = rotation.to_rotation_matrix();
    let similarity = |other: &Rotation3<f64>| other.matrix().component_mul(own.matrix()).sum();
    let nearest = axis_parallel().max_by(|a, b| similarity(a).total_cmp(&similarity(b)));
    nearest.map_or_else(UnitQuaternion::identity, |nearest| UnitQuaternion::from_rotation_matrix(&nearest))
}

/// Covariance of rotations about the CMM's axes, from that of a frame along and about the artefact's axes.
fn in_cmm(cmm_from_artefact: &UnitQuaternion<f64>, covariance: &Matrix6<f64>) -> Matrix3<f64> {
    rotated(cmm_from_artefact, &covariance.fixed_view::<3, 3>(3, 3).into())
}

fn rotated(rotation: &UnitQuaternion<f64>, covariance: &Matrix3<f64>) -> Matrix3<f64> {
    let matrix = rotation.to_rotation_matrix();
    matrix.matrix() * covariance * matrix.matrix().transpose()
}

#[cfg(test)]
mod tests;
