//! Mechanical alignment: how far the adjusting modules of the artefact and of the sensor are still to be turned.
//!
//! Turned 1 turns the artefact until its frame is parallel to the CMM's: its faces are touched ([`Touched`]). Turned 2
//! turns the sensor: a snapshot of the artefact tells how the sensor is mounted. Which of the 24 ways to lie along the
//! machine's axes is meant is never asked: it is the nearest.
//!
//! Angles are those of `Rx(roll) Ry(pitch) Rz(yaw)` of the turn that is still to be made: yaw first, then pitch, then
//! roll, each about the machine's own axis. At the few degrees of a mounting the order hardly matters.

mod faces;

use nalgebra::{Matrix3, Matrix6, Rotation3, Translation3, UnitQuaternion};
use serde::{Deserialize, Serialize};

use super::mounting::of_angles;
use super::{ArtefactFrame, Light, angles_rad};
use base::{Result, UserError};
use geometry::{Pose, Vector};

pub use faces::Touched;

/// What is being turned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turned {
    /// The artefact, first.
    #[default]
    Artefact,
    /// The sensor, over the aligned artefact.
    Sensor,
}

/// The turns, in the order of every array here.
pub const TURNS: [&str; 3] = ["Roll", "Pitch", "Yaw"];
/// The machine's axes that they are about.
pub const AXES: [&str; 3] = ["X", "Y", "Z"];

/// A module with an adjusting screw for each turn.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Module {
    /// How far a screw moves in one turn of it, mm.
    pub pitch_mm: f64,
    /// How far each screw, of roll, pitch and yaw, is from the axis that it turns about, mm.
    pub arm_mm: [f64; 3],
}

impl Default for Module {
    fn default() -> Self {
        Self { pitch_mm: 0.5, arm_mm: [50.0; 3] }
    }
}

impl Module {
    /// A sentence where a figure makes no sense.
    pub fn check(&self) -> Result<()> {
        let is_length = |length: &f64| (0.001..10_000.0).contains(length);
        if is_length(&self.pitch_mm) && self.arm_mm.iter().all(is_length) {
            return Ok(());
        }
        Err(UserError::usage("The pitch and the arms of the adjusting screws must be between 0.001 and 10 000 mm."))
    }

    /// Turns of each screw that make these angles, rad: the arm's way over the pitch.
    pub fn turns(&self, angles_rad: &[f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| angles_rad[k] * self.arm_mm[k] / self.pitch_mm)
    }
}

/// How a frame lies beside the machine's.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Misalignment {
    /// How it is to lie: `cmm_from_device`, parallel to the machine's axes.
    pub nominal: UnitQuaternion<f64>,
    /// Roll, pitch and yaw that are still to be turned, rad.
    pub angles_rad: [f64; 3],
    /// Their standard uncertainties, rad.
    pub sigma_rad: [f64; 3],
}

impl Misalignment {
    /// Of the artefact as the CMM touched it.
    pub fn of_artefact(cmm: &ArtefactFrame) -> Self {
        let lies = cmm.device_from_artefact.rotation;
        Self::of(&lies, &in_cmm(&lies, &cmm.covariance))
    }

    /// Of the sensor that saw the artefact (right-handed), which lies as the CMM touched it; without touches, with its
    /// X, Y and Z along those of the machine.
    pub fn of_sensor(sensor: &ArtefactFrame, cmm: Option<&ArtefactFrame>) -> Self {
        let lies = cmm.map_or_else(UnitQuaternion::identity, |cmm| cmm.device_from_artefact.rotation);
        let touched = cmm.map_or_else(Matrix6::zeros, |cmm| cmm.covariance);
        let cmm_from_sensor = lies * sensor.device_from_artefact.rotation.inverse();
        // Both frames' turns are about the artefact's axes.
        Self::of(&cmm_from_sensor, &in_cmm(&lies, &(sensor.covariance + touched)))
    }

    /// Of any frame; `covariance` (rad²) is that of its small turns about the machine's axes.
    pub fn of(cmm_from_device: &UnitQuaternion<f64>, covariance: &Matrix3<f64>) -> Self {
        let nominal = nearest_parallel(cmm_from_device);
        let turn = Pose::from_parts(Translation3::identity(), nominal * cmm_from_device.inverse());
        // A small turn of the frame comes before the turn that is still to be made, and the other way round.
        let mut before = Matrix6::zeros();
        before.fixed_view_mut::<3, 3>(3, 3).copy_from(&turned(&turn.rotation, covariance));
        Self { nominal, angles_rad: angles_rad(&turn), sigma_rad: of_angles(&turn, &before) }
    }

    /// What is to be done about it at a module. Green up to `limit_rad`, see [`light_of`].
    pub fn to_turn(&self, module: &Module, limit_rad: f64) -> StillToTurn {
        StillToTurn {
            angles_rad: self.angles_rad,
            sigma_rad: self.sigma_rad,
            turns: module.turns(&self.angles_rad),
            lights: [0, 1, 2].map(|k| light_of(self.angles_rad[k], self.sigma_rad[k], limit_rad)),
        }
    }

    /// Which of the machine's directions the frame's X, Y and Z are to point along, such as "+X -Y -Z".
    pub fn nominal_words(&self) -> String {
        let word = |axis: usize| {
            let along = self.nominal * Vector::ith(axis, 1.0);
            let most = along.iamax();
            format!("{}{}", if along[most] < 0.0 { "-" } else { "+" }, AXES[most])
        };
        [0, 1, 2].map(word).join(" ")
    }
}

/// What is still to be turned, about the machine's X (roll), Y (pitch) and Z (yaw).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct StillToTurn {
    /// Angles, rad; positive turns are counter-clockwise, see [`sense`].
    pub angles_rad: [f64; 3],
    /// Their standard uncertainties, rad.
    pub sigma_rad: [f64; 3],
    /// Turns of the adjusting screws, with the sign of the angle.
    pub turns: [f64; 3],
    /// Of each angle.
    pub lights: [Light; 3],
}

impl StillToTurn {
    /// The worst of the three.
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

/// Coverage factor of the uncertainties that people see.
pub const COVERAGE: f64 = 2.0;
/// Angles up to so many limits are nearly there.
const NEAR: f64 = 3.0;

/// Green where the angle is within the limit, its expanded uncertainty (k = 2) included; amber within three limits.
pub fn light_of(angle_rad: f64, sigma_rad: f64, limit_rad: f64) -> Light {
    match (angle_rad.abs() + COVERAGE * sigma_rad) / limit_rad {
        ratio if ratio <= 1.0 => Light::Green,
        ratio if ratio <= NEAR => Light::Amber,
        _ => Light::Red,
    }
}

/// Which way to turn, seen from the positive end of the axis, against its direction.
pub fn sense(angle_rad: f64) -> &'static str {
    if angle_rad < 0.0 { "clockwise" } else { "counter-clockwise" }
}

/// The 24 rotations that bring the axes of a right-handed frame along those of the machine.
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

/// The one of [`axis_parallel`] from which the least turn leads to `rotation`.
pub fn nearest_parallel(rotation: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    let own = rotation.to_rotation_matrix();
    let alike = |other: &Rotation3<f64>| other.matrix().component_mul(own.matrix()).sum();
    let nearest = axis_parallel().max_by(|a, b| alike(a).total_cmp(&alike(b)));
    nearest.map_or_else(UnitQuaternion::identity, |nearest| UnitQuaternion::from_rotation_matrix(&nearest))
}

/// Covariance of turns about the machine's axes, from that of a frame along and about the artefact's.
fn in_cmm(cmm_from_artefact: &UnitQuaternion<f64>, covariance: &Matrix6<f64>) -> Matrix3<f64> {
    turned(cmm_from_artefact, &covariance.fixed_view::<3, 3>(3, 3).into())
}

fn turned(rotation: &UnitQuaternion<f64>, covariance: &Matrix3<f64>) -> Matrix3<f64> {
    let turn = rotation.to_rotation_matrix();
    turn.matrix() * covariance * turn.matrix().transpose()
}

#[cfg(test)]
mod tests;
