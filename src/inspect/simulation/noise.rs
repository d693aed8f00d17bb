//! Smooth random fields over the sensor's field of view.

use super::sensor::Sensor;
use base::random::Random;

/// A random field of zero mean; unit variance for [`Field::correlated`].
pub enum Field {
    /// White noise on a lattice, smoothed by a Gaussian.
    Lattice {
        /// Lattice spacing, mm.
        step_mm: f64,
        /// Position of the first node, mm.
        origin_mm: [f64; 2],
        /// Nodes per row.
        width: usize,
        /// Node values, row by row.
        nodes: Vec<f32>,
    },
    /// A sum of long sine waves: amplitude (mm), wave vector (rad/mm), phase (rad).
    Waves(Vec<(f64, [f64; 2], f64)>),
}

/// Half width of the smoothing kernel, nodes.
const KERNEL_REACH: usize = 4;

impl Field {
    /// Gaussian field with the correlation exp(-(d / `correlation_mm`)²) at distance d.
    pub fn correlated(sensor: &Sensor, random: &mut Random) -> Self {
        let step_mm = 0.5 * sensor.correlation_mm;
        let margin = (KERNEL_REACH + 1) as f64 * step_mm;
        let count = |length: f64| ((length + 2.0 * margin) / step_mm).ceil() as usize + 1;
        let (width, height) = (count(sensor.field_mm[0]), count(sensor.field_mm[1]));
        Self::Lattice {
            step_mm,
            origin_mm: sensor.field_mm.map(|length| -0.5 * length - margin),
            width,
            nodes: (0..width * height).map(|_| random.normal() as f32).collect(),
        }
    }

    /// Sum of waves about as long as the field of view, with amplitudes that add up to `bias_mm`.
    pub fn bias(sensor: &Sensor, random: &mut Random) -> Self {
        const WAVES: usize = 4;
        let amplitude = sensor.bias_mm / WAVES as f64;
        let longest = sensor.field_mm[0].max(sensor.field_mm[1]);
        Self::Waves(
            (0..WAVES)
                .map(|_| {
                    let angle = random.range(0.0, std::f64::consts::TAU);
                    let length_mm = longest * random.range(0.4, 1.0);
                    let wave_number = std::f64::consts::TAU / length_mm;
                    let phase = random.range(0.0, std::f64::consts::TAU);
                    (amplitude, [wave_number * angle.cos(), wave_number * angle.sin()], phase)
                })
                .collect(),
        )
    }

    /// The field at (`x`, `y`), mm, of the plane at the working distance: mm for waves, unit variance for lattices.
    pub fn at(&self, x: f64, y: f64) -> f64 {
        match self {
            Self::Waves(waves) => waves.iter().map(|(a, k, phase)| a * (k[0] * x + k[1] * y + phase).sin()).sum(),
            Self::Lattice { step_mm, origin_mm, width, nodes } => {
                let position = [(x - origin_mm[0]) / step_mm, (y - origin_mm[1]) / step_mm];
                let weights = position.map(|p| {
                    let first = p.floor() - KERNEL_REACH as f64 + 1.0;
                    // A Gaussian kernel of standard deviation s gives the correlation exp(-d² / 4 s²): s is one node,
                    // as the correlation length is two.
                    std::array::from_fn::<f64, { 2 * KERNEL_REACH }, _>(|i| {
                        (-0.5 * (p - first - i as f64).powi(2)).exp()
                    })
                });
                let first = position.map(|p| p.floor() as usize + 1 - KERNEL_REACH);
                let (mut sum, mut squares) = (0.0, 0.0);
                for (j, wy) in weights[1].iter().enumerate() {
                    for (i, wx) in weights[0].iter().enumerate() {
                        let weight = wx * wy;
                        let node = (first[1] + j) * width + first[0] + i;
                        sum += weight * f64::from(nodes.get(node).copied().unwrap_or(0.0));
                        squares += weight * weight;
                    }
                }
                sum / squares.sqrt()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_correlated_field_has_unit_variance_and_the_given_correlation() {
        let sensor = Sensor::default();
        let field = Field::correlated(&sensor, &mut Random::new(3, 0));
        let (mut squares, mut near, mut far, mut count) = (0.0, 0.0, 0.0, 0.0);
        for i in 0..200 {
            for j in 0..200 {
                let (x, y) = (-30.0 + 0.3 * f64::from(i), -50.0 + 0.5 * f64::from(j));
                let value = field.at(x, y);
                squares += value * value;
                near += value * field.at(x + 1.0, y);
                far += value * field.at(x + 4.0, y);
                count += 1.0;
            }
        }
        assert!((squares / count - 1.0).abs() < 0.05, "{}", squares / count);
        assert!((near / squares - (-1.0_f64).exp()).abs() < 0.05, "{}", near / squares);
        assert!((far / squares).abs() < 0.05);
    }

    #[test]
    fn the_bias_approaches_its_maximum_and_never_exceeds_it() {
        let sensor = Sensor { field_mm: [4000.0, 4000.0], pitch_mm: [1.0, 1.0], ..Sensor::default() };
        let largest = (0..20)
            .flat_map(|seed| {
                let field = Field::bias(&sensor, &mut Random::new(seed, 0));
                (0..4000).map(move |i| field.at(f64::from(i) * 97.0, f64::from(i) * 31.0).abs()).collect::<Vec<_>>()
            })
            .fold(0.0, f64::max);
        assert!(largest <= 0.01 && largest > 0.0085, "{largest}");
    }
}
