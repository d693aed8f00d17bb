//! A sphere's radius as the sensor sees it: points at a slant are off, and make it come out too small unless they are
//! left out. Published of one sensor: a sphere of 38.136 mm came out as 37.85 mm.

use serde_json::{Value, json};

use base::{Progress, Result, UserError};
use geometry::{Point, Surface, Vector, mesh::shapes};
use inspect::features::{Kind, Options, Shape, fit};
use inspect::simulation::sensor::{Sensor, take};
use inspect::simulation::views;

const RADIUS_MM: f64 = 38.136;
const PUBLISHED_MM: f64 = 37.85;
/// Steepest incidence that takes part, degrees; the first is all that the sensor gives.
const STEEPEST_DEG: [f64; 4] = [80.0, 70.0, 60.0, 45.0];
/// Rounds of leaving out by the sphere found before.
const ROUNDS: usize = 4;

/// A sensor whose points at a slant are off as the published radius says.
fn sensor() -> Sensor {
    Sensor { slant_mm: 0.06, max_incidence_deg: STEEPEST_DEG[0], pitch_mm: [0.3; 2], ..Sensor::default() }
}

/// A row for each limit of incidence: the mean radius over `snapshots`.
pub fn rows(snapshots: u64) -> Result<Vec<Value>> {
    let part = Surface::new(shapes::sphere(RADIUS_MM, 6));
    let from = views::looking_at(&Point::origin(), &Vector::z(), &sensor());
    let mut sums = [0.0; STEEPEST_DEG.len()];
    for number in 0..snapshots {
        let seen = take(&part, &sensor(), &from, 1, number, &Progress::silent())?;
        let points: Vec<Point> = seen.points.iter().map(|point| point.measured).collect();
        for (sum, steepest_deg) in sums.iter_mut().zip(STEEPEST_DEG) {
            *sum += radius_mm(&points, steepest_deg)?;
        }
    }
    let row = |(sum, steepest_deg): (f64, f64)| {
        let mean_mm = sum / snapshots as f64;
        json!({
            "case": format!("sphere of {RADIUS_MM} mm, points up to {steepest_deg}° of incidence"),
            "radius_mm": mean_mm,
            "bias_mm": mean_mm - RADIUS_MM,
            "published_bias_mm": PUBLISHED_MM - RADIUS_MM,
        })
    };
    Ok(sums.into_iter().zip(STEEPEST_DEG).map(row).collect())
}

/// Radius of the sphere through the points that the sensor, at the origin, sees at no more than `steepest_deg`.
fn radius_mm(points: &[Point], steepest_deg: f64) -> Result<f64> {
    let least = steepest_deg.to_radians().cos();
    let mut kept = points.to_vec();
    let mut found = 0.0;
    for _ in 0..ROUNDS {
        let fitted = fit(Kind::Sphere, &kept, &[], &Options::default(), &Progress::silent())?;
        let Shape::Sphere { centre, radius } = fitted.shape else {
            return Err(UserError::internal("A sphere was asked for."));
        };
        found = radius;
        let faces = |point: &&Point| (*point - centre).normalize().dot(&-point.coords.normalize()) >= least;
        kept = points.iter().filter(faces).copied().collect();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_a_slant_make_a_sphere_too_small_and_the_mask_takes_that_out() {
        let biases: Vec<f64> = rows(1).unwrap().iter().map(|row| row["bias_mm"].as_f64().unwrap()).collect();
        let published = PUBLISHED_MM - RADIUS_MM;
        assert!((biases[0] / published - 1.0).abs() < 0.4, "{biases:?}");
        assert!(biases.windows(2).all(|pair| pair[1].abs() < pair[0].abs()) && biases[3].abs() < 0.1, "{biases:?}");
    }
}
