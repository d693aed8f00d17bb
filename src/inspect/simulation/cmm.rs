//! A simulated coordinate measuring machine: touches with a ball, and axes that are not quite square.

use serde::{Deserialize, Serialize};

use crate::base::random::Random;
use crate::geometry::{Point, Vector};

/// The machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cmm {
    /// Standard deviation of each coordinate of a touch, mm.
    pub sigma_mm: f64,
    /// Radius of the probe's ball, mm.
    pub probe_radius_mm: f64,
    /// By how much the angle between its X and Y axes is smaller than a right one, rad.
    pub squareness_rad: f64,
}

impl Default for Cmm {
    fn default() -> Self {
        Self { sigma_mm: 0.002, probe_radius_mm: 1.5, squareness_rad: 0.0 }
    }
}

impl Cmm {
    /// What the scales say of a true place: its Y axis leans towards X.
    pub fn reported(&self, place: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        let y = place.y / cos;
        Point::new(place.x - sin * y, y, place.z)
    }

    /// The true place of what the scales say.
    pub fn truth(&self, reported: &Point) -> Point {
        let (sin, cos) = self.squareness_rad.sin_cos();
        Point::new(reported.x + sin * reported.y, cos * reported.y, reported.z)
    }

    /// The reported centre of the ball that touches a surface at `contact`, where `outward` is its unit normal.
    pub fn touch(&self, contact: &Point, outward: &Vector, random: &mut Random) -> Point {
        let noise = Vector::from_fn(|_, _| self.sigma_mm * random.normal());
        self.reported(&(contact + outward * self.probe_radius_mm)) + noise
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
        let square = Cmm::default();
        assert_eq!(square.reported(&place), place);
        let mut random = Random::new(1, 1);
        let touched = square.touch(&place, &Vector::z(), &mut random);
        assert!((touched - place - Vector::z() * 1.5).norm() < 0.02);
    }
}
