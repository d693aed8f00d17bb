//! A simulated coordinate measuring machine: touches with a ball, and axes that are not quite square.

use serde::{Deserialize, Serialize};

use base::random::Random;
use geometry::{Point, Vector};

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cmm {
    /// Standard deviation of each coordinate of a touch, mm.
    pub sigma_mm: f64,
    /// Radius of the probe's ball, mm.
    pub probe_radius_mm: f64,
    /// By how much the angle between its X and Y axes is smaller than a right one, rad.
    pub squareness_rad: f64,
    /// By what share true lengths are longer than its scales say.
    #[serde(default)]
    pub scale: f64,
    /// Amplitude of the probe's three-lobed error over the directions that it is deflected in, mm: a head on three
    /// supports gives way sooner between them.
    #[serde(default)]
    pub lobing_mm: f64,
}

impl Default for Cmm {
    fn default() -> Self {
        Self { sigma_mm: 0.002, probe_radius_mm: 1.5, squareness_rad: 0.0, scale: 0.0, lobing_mm: 0.0 }
    }
}

impl Cmm {
    /// What the scales say of a true place: its Y axis leans towards X.
    pub fn reported(&self, place: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        let y = place.y / cos;
        Point::new(place.x - sin * y, y, place.z) / (1.0 + self.scale)
    }

    /// The true place of what the scales say.
    pub fn truth(&self, reported: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        Point::new(reported.x + sin * reported.y, cos * reported.y, reported.z) * (1.0 + self.scale)
    }

    /// The reported centre of the ball that touches a surface at `contact`, where `outward` is its unit normal.
    pub fn touch(&self, contact: &Point, outward: &Vector, random: &mut Random) -> Point {
        let noise = Vector::from_fn(|_, _| self.sigma_mm * random.normal());
        let away_mm = self.probe_radius_mm + self.lobe_mm(outward);
        self.reported(&(contact + outward * away_mm)) + noise
    }
}

impl Cmm {
    /// By how much too far out the ball seems where the surface looks `outward`: three lobes about Z, which a touch
    /// straight from above does not feel.
    fn lobe_mm(&self, outward: &Vector) -> f64 {
        // The supports stand askew to the axes.
        let phase = 0.4;
        self.lobing_mm * outward.x.hypot(outward.y) * (3.0 * outward.y.atan2(outward.x) + phase).cos()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_and_truth_are_each_others_inverse_and_differ_by_the_squareness() {
        let cmm = Cmm { squareness_rad: 8.073e-4, ..Cmm::default() };
        let place = Point::new(100.0, 400.0, 7.0);
        assert!((cmm.truth(&cmm.reported(&place)) - place).norm() < 1e-12);
        assert!((cmm.reported(&place) - place - Vector::new(-0.32292, 0.00013, 0.0)).norm() < 1e-4);
        let long = Cmm { scale: 1e-4, ..cmm };
        assert!((long.truth(&long.reported(&place)) - place).norm() < 1e-12);
        assert!((long.reported(&place) - cmm.reported(&place)).norm() > 0.04);
        let square = Cmm::default();
        assert_eq!(square.reported(&place), place);
        let mut random = Random::new(1, 1);
        let touched = square.touch(&place, &Vector::z(), &mut random);
        assert!((touched - place - Vector::z() * 1.5).norm() < 0.02);
    }

    /// Three lobes: touches from opposite sides do not take each other's error off, and a third of a turn brings it back.
    #[test]
    fn the_probe_errs_in_three_lobes() {
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
