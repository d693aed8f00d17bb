//! The systematic error of the simulated sensor: a field over its field of view, along its rays, in several forms.
//!
//! All forms have one size, that of [`Sensor::bias_mm`]: the longest way by which the error moves a point of the field (at
//! the working distance) against the point in its middle. A tilt, a bowl and a cubic are 0 in the middle and of the size
//! at the rim; a scale error moves a corner of the field by the size across, and everything by as much along the ray as
//! the distance from the camera is longer than half of the field's diagonal. Waves stay within the size everywhere.
//!
//! They are made for judging uncertainties that are to hold whatever the form is. Nothing of them is used there.

use serde::{Deserialize, Serialize};

use super::noise::Field;
use super::sensor::Sensor;
use base::random::Random;

/// The form of the error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum SystematicErrorForm {
    /// Four waves of random direction, 0.4 of the field to the whole field long.
    #[default]
    Waves,
    /// Linear across the field, in a random direction.
    Tilt,
    /// By the square of the distance from the middle, up or down.
    Bowl,
    /// By the cube of the distance from a line through the middle, in a random direction.
    Cubic,
    /// Everything too large or too small, about the camera.
    Scale,
    /// All of them, in random shares that add up to the size.
    Mixed,
}

impl SystematicErrorForm {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Waves, Self::Tilt, Self::Bowl, Self::Cubic, Self::Scale, Self::Mixed];

    /// As tables name it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waves => "waves",
            Self::Tilt => "tilt",
            Self::Bowl => "bowl",
            Self::Cubic => "cubic",
            Self::Scale => "scale",
            Self::Mixed => "mixed",
        }
    }
}

/// The error of one sensor, drawn.
pub enum SystematicError {
    /// See [`Field::bias`].
    Waves(Field),
    /// `size_mm` times the linear distance from the middle, by direction over half of the field, to a power.
    Power {
        /// At the rim, mm.
        size_mm: f64,
        /// 1 for a tilt, 3 for a cubic.
        power: i32,
        /// By mm along x and y: 1 at the farthest corner.
        per_mm: [f64; 2],
    },
    /// Of second order, round.
    Bowl {
        /// At the corners, mm; negative nearer to the camera.
        size_mm: f64,
        /// Distance of the corners from the middle, mm.
        corner_mm: f64,
    },
    /// Relative error of the distance from the camera.
    Scale(f64),
    /// Parts, each drawn with its share of the size.
    Mixed(Vec<Self>),
}

impl SystematicError {
    /// Draws the error of a sensor.
    pub fn of(sensor: &Sensor, random: &mut Random) -> Self {
        Self::formed(sensor.error_form, sensor, random)
    }

    fn formed(form: SystematicErrorForm, sensor: &Sensor, random: &mut Random) -> Self {
        let half = sensor.field_mm.map(|length| 0.5 * length);
        let (size_mm, corner_mm) = (sensor.bias_mm, half[0].hypot(half[1]));
        let sign = |random: &mut Random| if random.uniform() < 0.5 { -1.0 } else { 1.0 };
        match form {
            SystematicErrorForm::Waves => Self::Waves(Field::bias(sensor, random)),
            SystematicErrorForm::Tilt | SystematicErrorForm::Cubic => {
                let (sin, cos) = random.range(0.0, std::f64::consts::TAU).sin_cos();
                // Farthest is the corner that lies most along the direction.
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
                // Shares spread evenly over all that add up to one.
                let shares = forms.map(|_| -(1.0 - random.uniform()).ln());
                let sum: f64 = shares.iter().sum();
                let part = |(form, share): (SystematicErrorForm, f64)| {
                    let own = Sensor { bias_mm: size_mm * share / sum, ..*sensor };
                    Self::formed(form, &own, random)
                };
                Self::Mixed(forms.into_iter().zip(shares).map(part).collect())
            }
        }
    }

    /// At a place of the working plane, of a ray that meets the part `depth_mm` from the camera: mm along the ray.
    pub fn at(&self, x: f64, y: f64, depth_mm: f64) -> f64 {
        match self {
            Self::Waves(field) => field.at(x, y),
            Self::Power { size_mm, power, per_mm } => size_mm * (per_mm[0] * x + per_mm[1] * y).powi(*power),
            Self::Bowl { size_mm, corner_mm } => size_mm * (x * x + y * y) / (corner_mm * corner_mm),
            Self::Scale(scale) => scale * depth_mm,
            Self::Mixed(parts) => parts.iter().map(|part| part.at(x, y, depth_mm)).sum(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Over the whole field, every form stays within the size against the middle, and those of fixed profile reach it.
    #[test]
    fn every_form_has_the_stated_size() {
        for form in SystematicErrorForm::ALL {
            let sensor = Sensor { error_form: form, ..Sensor::default() };
            for seed in 0..40 {
                let error = SystematicError::of(&sensor, &mut Random::new(seed, 0));
                let [x, y] = sensor.field_mm.map(|length| 0.5 * length);
                let distance = |x: f64, y: f64| x.hypot(y).hypot(sensor.working_distance_mm);
                // How far the error moves a point at the working distance, against the middle.
                let moved = |x: f64, y: f64| {
                    let along = error.at(x, y, distance(x, y));
                    let ray = [x, y, sensor.working_distance_mm].map(|c| along * c / distance(x, y));
                    let middle = error.at(0.0, 0.0, sensor.working_distance_mm);
                    ray[0].hypot(ray[1]).hypot(ray[2] - middle)
                };
                let mut most = 0.0_f64;
                for i in 0..=40 {
                    for j in 0..=40 {
                        let at = |k: i32, half: f64| half * (f64::from(k) / 20.0 - 1.0);
                        most = most.max(moved(at(i, x), at(j, y)));
                    }
                }
                // Waves are not 0 in the middle, and are drawn anew each time.
                if [SystematicErrorForm::Waves, SystematicErrorForm::Mixed].contains(&form) {
                    assert!(most <= 2.0 * sensor.bias_mm, "{form:?} {seed}: {most}");
                } else {
                    assert!((most / sensor.bias_mm - 1.0).abs() < 0.01, "{form:?} {seed}: {most}");
                }
            }
        }
    }

    #[test]
    fn waves_are_drawn_as_ever() {
        let sensor = Sensor::default();
        let (field, error) =
            (Field::bias(&sensor, &mut Random::new(8, 2)), SystematicError::of(&sensor, &mut Random::new(8, 2)));
        assert_eq!(field.at(3.0, -20.0), error.at(3.0, -20.0, 250.0));
    }
}
