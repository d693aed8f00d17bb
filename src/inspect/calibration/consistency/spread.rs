//! What the difference between two instruments consists of: noise, and a systematic error of the stated size in whichever
//! form.

/// Contributions to a difference, mm or rad.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// Variance of the noise.
    pub noise: f64,
    /// Largest effect of a systematic error of fixed profile, either way: no such error of the stated size has a larger
    /// one.
    pub fixed: f64,
    /// Variance of the effect of a systematic error of random profile.
    pub random: f64,
}

impl Spread {
    /// Of a normal variable.
    pub(super) fn normal(sigma: f64) -> Self {
        Self { noise: sigma * sigma, ..Self::default() }
    }

    /// With a further error of fixed profile, independent of the others, up to `limit`.
    pub(super) fn with_fixed(self, limit: f64) -> Self {
        // The error of the sensor is one of both kinds; this one comes on top of either, and is normal to the latter.
        let fixed = if limit > 0.0 { self.fixed + limit } else { self.fixed };
        Self { fixed, random: self.random + 0.5 * limit * limit, ..self }
    }

    /// Combined standard uncertainty: of the larger of both kinds of systematic error, that of fixed profile with an
    /// arcsine distribution between its limits.
    pub fn sigma(&self) -> f64 {
        (self.noise + (0.5 * self.fixed * self.fixed).max(self.random)).sqrt()
    }

    /// Largest difference that is explained, where noise explains `sigmas` of its standard deviations. An error of fixed
    /// profile cannot exceed its limit, however rare a difference is to be.
    pub fn limit(&self, sigmas: f64) -> f64 {
        let fixed = self.fixed + sigmas * self.noise.sqrt();
        let random = sigmas * (self.noise + self.random).sqrt();
        fixed.max(random).min(sigmas * self.sigma())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_fixed_profile_explains_no_more_than_its_limit() {
        let normal = Spread::normal(0.5);
        assert_eq!((normal.sigma(), normal.limit(4.0)), (0.5, 2.0));
        let fixed = Spread { noise: 0.01, fixed: 1.0, random: 0.09 };
        assert!((fixed.sigma() - 0.51_f64.sqrt()).abs() < 1e-12);
        // At its limit, with the noise on top, and less than four standard deviations of all.
        assert!((fixed.limit(4.0) - 1.4).abs() < 1e-12 && fixed.limit(4.0) < 4.0 * fixed.sigma());
        // Waves may be larger than their standard deviation.
        let waves = Spread { noise: 0.01, fixed: 0.5, random: 0.35 };
        assert!((waves.limit(4.0) - 4.0 * 0.6).abs() < 1e-12);
        let stated = fixed.with_fixed(0.3);
        assert!((stated.limit(4.0) - 1.7).abs() < 1e-12 && fixed.with_fixed(0.0) == fixed);
    }
}
