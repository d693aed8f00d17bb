//! Systematic error of the simulated sensor: a function of the position in the field of view, along the rays or across
//! the line of sight, in several forms.
//!
//! All forms have the same magnitude, [`Sensor::bias_mm`]: the maximum displacement of a point of the field (at the
//! working distance) relative to the centre of the field. Tilt, bowl and cubic are 0 at the centre and reach the
//! magnitude at the rim. A scale error displaces a corner of the field laterally by the magnitude, and every point
//! along its ray by the magnitude times the ratio of its distance from the camera to half the field's diagonal. Waves
//! stay within the magnitude everywhere. Lateral forms displace the image in the sensor's X and Y: 0 at the centre, and at
//! most by the magnitude within the field.
//!
//! These forms serve to test uncertainty statements that must hold for any form. The evaluation itself does not use
//! them.

use serde::{Deserialize, Serialize};

use super::noise::Field;
use super::sensor::Sensor;
use base::random::Random;

/// Form of the systematic error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SystematicErrorForm {
    /// Four waves of random direction, with wavelengths of 0.4 to 1 times the field.
    #[default]
    Waves,
    /// Linear across the field, in a random direction.
    Tilt,
    /// Quadratic in the distance from the centre, of random sign.
    Bowl,
    /// Cubic in the distance from a line of random direction through the centre.
    Cubic,
    /// Scale error about the camera, of random sign.
    Scale,
    /// All of the forms above, in random shares that add up to the magnitude.
    Mixed,
    /// Lateral: rows of the image slide along each other, or its columns do.
    Shear,
    /// Lateral: the image too large or too small, in all directions or along one axis.
    ImageScale,
    /// Lateral: distortion in proportion to the third power of the distance from the centre, of random sign.
    Distortion,
    /// Lateral: waves as above, in a random direction of displacement.
    LateralWaves,
    /// The lateral forms and a tilt, in random shares that add up to the magnitude.
    LateralMixed,
}

impl SystematicErrorForm {
    /// All forms.
    pub const ALL: [Self; 11] = [
        Self::Waves,
        Self::Tilt,
        Self::Bowl,
        Self::Cubic,
        Self::Scale,
        Self::Mixed,
        Self::Shear,
        Self::ImageScale,
        Self::Distortion,
        Self::LateralWaves,
        Self::LateralMixed,
    ];

    /// Name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waves => "waves",
            Self::Tilt => "tilt",
            Self::Bowl => "bowl",
            Self::Cubic => "cubic",
            Self::Scale => "scale",
            Self::Mixed => "mixed",
            Self::Shear => "shear",
            Self::ImageScale => "image scale",
            Self::Distortion => "distortion",
            Self::LateralWaves => "lateral waves",
            Self::LateralMixed => "lateral mixed",
        }
    }
}

/// Systematic error of one sensor.
pub enum SystematicError {
    /// See [`Field::bias`].
    Waves(Field),
    /// `size_mm` times a power of the normalised distance from the centre in one direction.
    Power {
        /// Error at the rim, mm.
        size_mm: f64,
        /// 1 for a tilt, 3 for a cubic.
        power: i32,
        /// Normalised distance per mm along x and y: 1 at the farthest corner.
        per_mm: [f64; 2],
    },
    /// Quadratic, rotationally symmetric.
    Bowl {
        /// Error at the corners, mm; negative towards the camera.
        size_mm: f64,
        /// Distance of the corners from the centre, mm.
        corner_mm: f64,
    },
    /// Relative error of the distance from the camera.
    Scale(f64),
    /// Lateral displacement as a linear function of the position: its components by x and y, rows.
    LateralLinear([[f64; 2]; 2]),
    /// Radial lateral displacement by the third power of the distance.
    Distortion {
        /// Displacement at the corners, mm; negative towards the centre.
        size_mm: f64,
        /// Distance of the corners from the centre, mm.
        corner_mm: f64,
    },
    /// Lateral displacement by waves, in one direction (unit vector).
    LateralWaves(Field, [f64; 2]),
    /// Sum of several forms, each with its share of the magnitude.
    Mixed(Vec<Self>),
}

impl SystematicError {
    /// Draws the systematic error of `sensor`.
    pub fn of(sensor: &Sensor, random: &mut Random) -> Self {
        Self::of_form(sensor.error_form, sensor, random)
    }

    fn of_form(form: SystematicErrorForm, sensor: &Sensor, random: &mut Random) -> Self {
        let half = sensor.field_mm.map(|length| 0.5 * length);
        let (size_mm, corner_mm) = (sensor.bias_mm, half[0].hypot(half[1]));
        let sign = |random: &mut Random| if random.uniform() < 0.5 { -1.0 } else { 1.0 };
        match form {
            SystematicErrorForm::Waves => Self::Waves(Field::bias(sensor, random)),
            SystematicErrorForm::Tilt | SystematicErrorForm::Cubic => {
                let (sin, cos) = random.range(0.0, std::f64::consts::TAU).sin_cos();
                // Distance of the farthest corner along the direction.
                let farthest = half[0] * cos.abs() + half[1] * sin.abs();
                let power = if form == SystematicErrorForm::Tilt { 1 } else { 3 };
                Self::Power { size_mm, power, per_mm: [cos / farthest, sin / farthest] }
            }
            SystematicErrorForm::Bowl => Self::Bowl { size_mm: size_mm * sign(random), corner_mm },
            SystematicErrorForm::Scale => Self::Scale(size_mm / corner_mm * sign(random)),
            SystematicErrorForm::Mixed => {
                let forms = [
                    SystematicErrorForm::Waves,
                    SystematicErrorForm::Tilt,
                    SystematicErrorForm::Bowl,
                    SystematicErrorForm::Cubic,
                    SystematicErrorForm::Scale,
                ];
                Self::mixed(&forms, sensor, random)
            }
            SystematicErrorForm::Shear => {
                // Along X with y, or along Y with x.
                let slope = |half: f64| size_mm / half;
                Self::LateralLinear(if random.uniform() < 0.5 {
                    [[0.0, sign(random) * slope(half[1])], [0.0; 2]]
                } else {
                    [[0.0; 2], [sign(random) * slope(half[0]), 0.0]]
                })
            }
            SystematicErrorForm::ImageScale => {
                let axis = random.index(3);
                let sign = sign(random);
                Self::LateralLinear(match axis {
                    0 => [[sign * size_mm / half[0], 0.0], [0.0; 2]],
                    1 => [[0.0; 2], [0.0, sign * size_mm / half[1]]],
                    _ => [[sign * size_mm / corner_mm, 0.0], [0.0, sign * size_mm / corner_mm]],
                })
            }
            SystematicErrorForm::Distortion => Self::Distortion { size_mm: size_mm * sign(random), corner_mm },
            SystematicErrorForm::LateralWaves => {
                let (sin, cos) = random.range(0.0, std::f64::consts::TAU).sin_cos();
                Self::LateralWaves(Field::bias(sensor, random), [cos, sin])
            }
            SystematicErrorForm::LateralMixed => {
                let forms = [
                    SystematicErrorForm::Shear,
                    SystematicErrorForm::ImageScale,
                    SystematicErrorForm::Distortion,
                    SystematicErrorForm::LateralWaves,
                    SystematicErrorForm::Tilt,
                ];
                Self::mixed(&forms, sensor, random)
            }
        }
    }

    /// Several forms, in shares uniformly distributed over all that add up to one.
    fn mixed(forms: &[SystematicErrorForm], sensor: &Sensor, random: &mut Random) -> Self {
        let shares: Vec<f64> = forms.iter().map(|_| -(1.0 - random.uniform()).ln()).collect();
        let sum: f64 = shares.iter().sum();
        let part = |(form, share): (&SystematicErrorForm, f64)| {
            let own = Sensor { bias_mm: sensor.bias_mm * share / sum, ..*sensor };
            Self::of_form(*form, &own, random)
        };
        Self::Mixed(forms.iter().zip(shares).map(part).collect())
    }

    /// Displacement across the line of sight, along the sensor's X and Y, mm, of a point whose ray intersects the plane at
    /// the working distance at (`x`, `y`), mm.
    pub fn lateral_at(&self, x: f64, y: f64) -> [f64; 2] {
        match self {
            Self::Waves(_) | Self::Power { .. } | Self::Bowl { .. } | Self::Scale(_) => [0.0; 2],
            Self::LateralLinear(rows) => rows.map(|[by_x, by_y]| by_x * x + by_y * y),
            Self::Distortion { size_mm, corner_mm } => {
                let share = size_mm * (x * x + y * y) / corner_mm.powi(3);
                [share * x, share * y]
            }
            Self::LateralWaves(field, along) => along.map(|component| component * field.at(x, y)),
            Self::Mixed(parts) => parts.iter().fold([0.0; 2], |[sum_x, sum_y], part| {
                let [x, y] = part.lateral_at(x, y);
                [sum_x + x, sum_y + y]
            }),
        }
    }

    /// Error along a ray, mm: the ray intersects the plane at the working distance at (`x`, `y`), mm, and the part at
    /// the distance `depth_mm` from the camera.
    pub fn at(&self, x: f64, y: f64, depth_mm: f64) -> f64 {
        match self {
            Self::Waves(field) => field.at(x, y),
            Self::Power { size_mm, power, per_mm } => size_mm * (per_mm[0] * x + per_mm[1] * y).powi(*power),
            Self::Bowl { size_mm, corner_mm } => size_mm * (x * x + y * y) / (corner_mm * corner_mm),
            Self::Scale(scale) => scale * depth_mm,
            Self::LateralLinear(_) | Self::Distortion { .. } | Self::LateralWaves(..) => 0.0,
            Self::Mixed(parts) => parts.iter().map(|part| part.at(x, y, depth_mm)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over the whole field, every form stays within the magnitude relative to the centre, and those of fixed profile
    /// reach it.
    #[test]
    fn every_form_has_the_stated_magnitude() {
        for form in SystematicErrorForm::ALL {
            let sensor = Sensor { error_form: form, ..Sensor::default() };
            for seed in 0..40 {
                let error = SystematicError::of(&sensor, &mut Random::new(seed, 0));
                let [x, y] = sensor.field_mm.map(|length| 0.5 * length);
                let distance = |x: f64, y: f64| x.hypot(y).hypot(sensor.working_distance_mm);
                // Displacement of a point at the working distance relative to the centre.
                let moved = |x: f64, y: f64| {
                    let along = error.at(x, y, distance(x, y));
                    let ray = [x, y, sensor.working_distance_mm].map(|c| along * c / distance(x, y));
                    let centre = error.at(0.0, 0.0, sensor.working_distance_mm);
                    let [dx, dy] = error.lateral_at(x, y);
                    (ray[0] + dx).hypot(ray[1] + dy).hypot(ray[2] - centre)
                };
                let mut max = 0.0_f64;
                for i in 0..=40 {
                    for j in 0..=40 {
                        let at = |k: i32, half: f64| half * (f64::from(k) / 20.0 - 1.0);
                        max = max.max(moved(at(i, x), at(j, y)));
                    }
                }
                // Waves are not 0 at the centre.
                let is_wavy = matches!(
                    form,
                    SystematicErrorForm::Waves
                        | SystematicErrorForm::Mixed
                        | SystematicErrorForm::LateralWaves
                        | SystematicErrorForm::LateralMixed
                );
                if is_wavy {
                    assert!(max <= 2.0 * sensor.bias_mm, "{form:?} {seed}: {max}");
                } else {
                    assert!((max / sensor.bias_mm - 1.0).abs() < 0.01, "{form:?} {seed}: {max}");
                }
            }
        }
    }

    #[test]
    fn waves_equal_the_bias_field() {
        let sensor = Sensor::default();
        let (field, error) =
            (Field::bias(&sensor, &mut Random::new(8, 2)), SystematicError::of(&sensor, &mut Random::new(8, 2)));
        assert_eq!(field.at(3.0, -20.0), error.at(3.0, -20.0, 250.0));
    }
}
