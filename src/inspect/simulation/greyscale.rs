//! What the sensor's camera sees beside the points: how bright each is.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::sensor::{Sensor, Snapshot, SnapshotPoint};
use base::random::Random;
use geometry::{Point, Pose};

/// How the camera's image differs from the ink.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Greyscale {
    /// Grey of white in the middle of the image; black is 0.
    pub white: f64,
    /// Share of the light that is lost at the corners of the field.
    pub fall_off: f64,
    /// Standard deviation of a grey value.
    pub sigma: f64,
}

impl Default for Greyscale {
    /// An image of 8 bits, a third darker at its corners.
    fn default() -> Self {
        Self { white: 220.0, fall_off: 0.35, sigma: 4.0 }
    }
}

/// A point's ink is averaged over so many places across and along its pixel.
const PARTS: u32 = 4;

impl Greyscale {
    /// The grey of every point, 0 to 255. `ink` says how bright a place of the part is, 0 to 1, part frame.
    pub fn of(
        &self,
        snapshot: &Snapshot,
        sensor: &Sensor,
        part_from_sensor: &Pose,
        ink: &(dyn Fn(&Point) -> f64 + Sync),
        seed: u64,
    ) -> Vec<f32> {
        let corner = 0.5 * sensor.field_mm[0].hypot(sensor.field_mm[1]);
        let grey = |(number, point): (usize, &SnapshotPoint)| {
            let mut random = Random::new(seed, number as u64);
            let away = point.truth.x.hypot(point.truth.y) / corner;
            let light = 1.0 - self.fall_off * away * away;
            let mut sum = 0.0;
            for i in 0..PARTS * PARTS {
                let part = |k: u32, pitch: f64| (f64::from(k) + 0.5) / f64::from(PARTS) * pitch - 0.5 * pitch;
                let [across, along] = [part(i % PARTS, sensor.pitch_mm[0]), part(i / PARTS, sensor.pitch_mm[1])];
                let place = Point::new(point.truth.x + across, point.truth.y + along, point.truth.z);
                sum += ink(&(part_from_sensor * place));
            }
            let seen = self.white * light * sum / f64::from(PARTS * PARTS) + self.sigma * random.normal();
            // As a camera of 8 bits gives it.
            seen.round().clamp(0.0, 255.0) as f32
        };
        snapshot.points.par_iter().enumerate().map(grey).collect()
    }
}
