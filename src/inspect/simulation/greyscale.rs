//! Grey values of the points in the sensor's camera image.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::sensor::{Sensor, Snapshot, SnapshotPoint};
use base::random::Random;
use geometry::{Point, Pose};

/// Camera model for grey values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Greyscale {
    /// Grey value of white at the centre of the image; black is 0.
    pub white: f64,
    /// Loss of light at the corners of the field, 0 to 1.
    pub fall_off: f64,
    /// Standard deviation of a grey value.
    pub sigma: f64,
}

impl Default for Greyscale {
    /// An 8-bit image, about a third darker at its corners.
    fn default() -> Self {
        Self { white: 220.0, fall_off: 0.35, sigma: 4.0 }
    }
}

/// Samples per pixel along x and along y that the reflectance is averaged over.
const SAMPLES: u32 = 4;

impl Greyscale {
    /// Grey value of every point, 0 to 255. `ink`: reflectance of the part at a point, part frame, 0 (black) to 1
    /// (white).
    pub fn of(
        &self,
        snapshot: &Snapshot,
        sensor: &Sensor,
        part_from_sensor: &Pose,
        ink: &(dyn Fn(&Point) -> f64 + Sync),
        seed: u64,
    ) -> Vec<f32> {
        let corner = 0.5 * sensor.field_mm[0].hypot(sensor.field_mm[1]);
        let grey = |(index, point): (usize, &SnapshotPoint)| {
            let mut random = Random::new(seed, index as u64);
            let radius = point.truth.x.hypot(point.truth.y) / corner;
            let light = 1.0 - self.fall_off * radius * radius;
            let mut sum = 0.0;
            for i in 0..SAMPLES * SAMPLES {
                let offset = |k: u32, pitch: f64| (f64::from(k) + 0.5) / f64::from(SAMPLES) * pitch - 0.5 * pitch;
                let [dx, dy] = [offset(i % SAMPLES, sensor.pitch_mm[0]), offset(i / SAMPLES, sensor.pitch_mm[1])];
                let sample = Point::new(point.truth.x + dx, point.truth.y + dy, point.truth.z);
                sum += ink(&(part_from_sensor * sample));
            }
            let value = self.white * light * sum / f64::from(SAMPLES * SAMPLES) + self.sigma * random.normal();
            // Quantised as by an 8-bit camera.
            value.round().clamp(0.0, 255.0) as f32
        };
        snapshot.points.par_iter().enumerate().map(grey).collect()
    }
}
