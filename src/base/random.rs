//! Seeded random numbers in numbered streams: parallel loops with one stream per item draw the same numbers in any
//! order.

/// Random number generator, fully determined by its seed and stream number.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// Stream `stream` of `seed`. Streams with the same seed start from different hashed states.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { state: mix(seed ^ mix(stream.wrapping_add(0x9E37_79B9_7F4A_7C15))) }
    }

    /// Next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.state)
    }

    /// Uniform in [0, 1).
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.uniform()
    }

    /// Uniform integer in [0, count); 0 if `count` is 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Random permutation of `values` (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.index(i + 1));
        }
    }

    /// Standard normal deviate (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// Uniformly distributed rotation in SO(3) (Shoemake 1992).
    pub fn rotation(&mut self) -> nalgebra::UnitQuaternion<f64> {
        let (u, v, w) = (self.uniform(), self.uniform(), self.uniform());
        let tau = std::f64::consts::TAU;
        let (a, b) = ((1.0 - u).sqrt(), u.sqrt());
        nalgebra::UnitQuaternion::from_quaternion(nalgebra::Quaternion::new(
            a * (tau * v).sin(),
            a * (tau * v).cos(),
            b * (tau * w).sin(),
            b * (tau * w).cos(),
        ))
    }
}

/// Finalizer of SplitMix64: a bijective mix of all 64 bits.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_deviates_have_zero_mean_and_unit_variance() {
        let mut random = Random::new(7, 3);
        let draws: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn rotations_are_uniform_over_the_sphere() {
        let mut random = Random::new(1, 0);
        let sum: nalgebra::Vector3<f64> = (0..50_000).map(|_| random.rotation() * nalgebra::Vector3::z()).sum();
        assert!(sum.norm() / 50_000.0 < 0.01);
    }
}
