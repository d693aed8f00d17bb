//! How much noisier a point of a scan is where the surface turns away, and near an outline: curves fitted to the sensor of Popovic
//! 2013.

/// The objects whose noise was published were about this large, m.
const PUBLISHED_DIAMETER_M: f64 = 0.25;

/// Shares of a standard deviation: b0 + (1 - b0) / (1 + exp(-b1 - b2 x)).
pub struct Noise {
    turned: [f64; 3],
    near_outline: [f64; 3],
}

/// Of distances.
pub const OF_RANGE: Noise = Noise { turned: [0.2878, -5.6214, 7.7247], near_outline: [0.3036, 0.2607, -125.8843] };
/// Of directions.
pub const OF_DIRECTION: Noise = Noise { turned: [0.1521, -7.1290, 10.7090], near_outline: [0.1246, 1.4406, -185.8350] };

impl Noise {
    /// Share of the standard deviation of a point turned away by `turned` (one more than the cosine between the line of sight
    /// and the normal), at a distance from an outline, in diameters of the part.
    pub fn at(&self, turned: f64, outline: f64) -> f64 {
        let curve = |[b0, b1, b2]: [f64; 3], x: f64| b0 + (1.0 - b0) / (1.0 + (-b1 - b2 * x).exp());
        0.5 * (curve(self.turned, turned) + curve(self.near_outline, outline * PUBLISHED_DIAMETER_M))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_that_faces_the_sensor_far_from_outlines_is_the_least_noisy() {
        let [facing, grazing] = [OF_RANGE.at(0.0, 1.0), OF_RANGE.at(1.0, 0.0)];
        assert!((facing - 0.30).abs() < 0.01 && (grazing - 0.81).abs() < 0.01, "{facing} {grazing}");
        assert!(OF_DIRECTION.at(0.0, 1.0) < OF_DIRECTION.at(0.9, 0.01));
    }
}
