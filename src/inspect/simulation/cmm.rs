//! Simulated coordinate measuring machine: tactile probing with noise, lobing, squareness and scale errors.

use serde::{Deserialize, Serialize};

use base::random::Random;
use geometry::{Point, Vector};

/// A coordinate measuring machine and its errors.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cmm {
    /// Standard deviation of each coordinate of a probed point, mm.
    pub sigma_mm: f64,
    /// Stylus tip radius, mm.
    pub probe_radius_mm: f64,
    /// Squareness error: 90° minus the angle between the X and Y axes, rad.
    pub squareness_rad: f64,
    /// Scale error: relative excess of true lengths over indicated ones.
    #[serde(default)]
    pub scale: f64,
    /// Amplitude of the three-lobed probing error over the directions of deflection, mm: a kinematic probe with three
    /// supports triggers earlier between them.
    #[serde(default)]
    pub lobing_mm: f64,
}

impl Default for Cmm {
    fn default() -> Self {
        Self { sigma_mm: 0.002, probe_radius_mm: 1.5, squareness_rad: 0.0, scale: 0.0, lobing_mm: 0.0 }
    }
}

impl Cmm {
    /// Indicated coordinates of the true position `point`; the Y axis is tilted towards X.
    pub fn reported(&self, point: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        let y = point.y / cos;
        Point::new(point.x - sin * y, y, point.z) / (1.0 + self.scale)
    }

    /// True position of indicated coordinates; inverse of [`Self::reported`].
    pub fn truth(&self, reported: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        Point::new(reported.x + sin * reported.y, cos * reported.y, reported.z) * (1.0 + self.scale)
    }

    /// Indicated tip centre when probing a surface at `contact` (true position, mm) with outward unit normal `outward`.
    pub fn probe(&self, contact: &Point, outward: &Vector, random: &mut Random) -> Point {
        let noise = Vector::from_fn(|_, _| self.sigma_mm * random.normal());
        let offset_mm = self.probe_radius_mm + self.lobe_mm(outward);
        self.reported(&(contact + outward * offset_mm)) + noise
    }
}

impl Cmm {
    /// Lobing error of the tip centre along the surface normal `outward`, mm: three lobes about Z, zero for probing
    /// along Z.
    fn lobe_mm(&self, outward: &Vector) -> f64 {
        // The supports are not aligned with the axes.
        let phase = 0.4;
        self.lobing_mm * outward.x.hypot(outward.y) * (3.0 * outward.y.atan2(outward.x) + phase).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_and_truth_are_inverse_and_differ_by_the_squareness() {
        let cmm = Cmm { squareness_rad: 8.073e-4, ..Cmm::default() };
        let point = Point::new(100.0, 400.0, 7.0);
        assert!((cmm.truth(&cmm.reported(&point)) - point).norm() < 1e-12);
        assert!((cmm.reported(&point) - point - Vector::new(-0.32292, 0.00013, 0.0)).norm() < 1e-4);
        let long = Cmm { scale: 1e-4, ..cmm };
        assert!((long.truth(&long.reported(&point)) - point).norm() < 1e-12);
        assert!((long.reported(&point) - cmm.reported(&point)).norm() > 0.04);
        let square = Cmm::default();
        assert_eq!(square.reported(&point), point);
        let mut random = Random::new(1, 1);
        let touched = square.probe(&point, &Vector::z(), &mut random);
        assert!((touched - point - Vector::z() * 1.5).norm() < 0.02);
    }

    /// With three lobes, the error changes sign on the opposite side and repeats after a third of a turn.
    #[test]
    fn the_probing_error_has_three_lobes() {
        let cmm = Cmm { lobing_mm: 0.002, ..Cmm::default() };
        let towards = |angle: f64| Vector::new(angle.cos(), angle.sin(), 0.0);
        for k in 0..12 {
            let angle = f64::from(k) * 0.5;
            let own = cmm.lobe_mm(&towards(angle));
            assert!((own - cmm.lobe_mm(&towards(angle + std::f64::consts::TAU / 3.0))).abs() < 1e-12);
            assert!((own + cmm.lobe_mm(&towards(angle + std::f64::consts::PI))).abs() < 1e-12);
            assert!(own.abs() <= 0.002);
        }
        assert_eq!(cmm.lobe_mm(&Vector::z()), 0.0);
        assert_eq!(Cmm::default().lobe_mm(&Vector::x()), 0.0);
    }
}
