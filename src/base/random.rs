//! Seeded random draws. Counter-based, so that parallel loops draw the same numbers in any order.

/// A stream of random numbers that is fully decided by its seed and stream number.
///
/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014).
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The stream numbered `stream` of `seed`; streams of one seed are independent.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self { state: mix(seed ^ mix(stream.wrapping_add(0x9E37_79B9_7F4A_7C15))) }
    }

    /// The next 64 random bits.
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

    /// Uniform integer in [0, count); 0 when `count` is 0.
    pub fn index(&mut self, count: usize) -> usize {
        ((u128::from(self.bits()) * count as u128) >> 64) as usize
    }

    /// Brings `values` into any order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for i in (1..values.len()).rev() {
            values.swap(i, self.index(i + 1));
        }
    }

    /// Standard normal (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.uniform()).ln()).sqrt();
        radius * (std::f64::consts::TAU * self.uniform()).cos()
    }

    /// A rotation drawn uniformly from SO(3) (Shoemake 1992).
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

/// The finalizer of SplitMix64: a bijection.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normal_draws_have_the_moments_of_a_normal() {
        let mut random = Random::new(7, 3);
        let draws: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / draws.len() as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02, "{mean} {variance}");
    }

    #[test]
    fn rotations_cover_the_sphere_evenly() {
        let mut random = Random::new(1, 0);
        let sum: nalgebra::Vector3<f64> = (0..50_000).map(|_| random.rotation() * nalgebra::Vector3::z()).sum();
        assert!(sum.norm() / 50_000.0 < 0.01);
    }
}
