//! Bias of a sphere's radius measured by the sensor: points at steep incidence are biased and make it too small unless
//! they are left out. Published for one sensor: a sphere of radius 38.136 mm was measured as 37.85 mm.

use serde_json::{Value, json};

use base::{Progress, Result, UserError};
use geometry::{Point, Surface, Vector, mesh::shapes};
use inspect::features::{Kind, Options, Shape, fit};
use inspect::simulation::sensor::{Sensor, take};
use inspect::simulation::views;

const RADIUS_MM: f64 = 38.136;
const PUBLISHED_MM: f64 = 37.85;
/// Maximum angles of incidence used, degrees; the first is the sensor's own limit.
const MAX_INCIDENCE_DEG: [f64; 4] = [80.0, 70.0, 60.0, 45.0];
/// Number of iterations; each leaves points out by the sphere fitted before.
const ITERATIONS: usize = 4;

/// A sensor whose bias at steep incidence reproduces the published radius.
fn sensor() -> Sensor {
    Sensor { slant_mm: 0.06, max_incidence_deg: MAX_INCIDENCE_DEG[0], pitch_mm: [0.3; 2], ..Sensor::default() }
}

/// One row per limit of incidence: the mean radius over `snapshots`.
pub fn rows(snapshots: u64) -> Result<Vec<Value>> {
    let part = Surface::new(shapes::sphere(RADIUS_MM, 6));
    let from = views::looking_at(&Point::origin(), &Vector::z(), &sensor());
    let mut sums = [0.0; MAX_INCIDENCE_DEG.len()];
    for index in 0..snapshots {
        let snapshot = take(&part, &sensor(), &from, 1, index, &Progress::silent())?;
        let points: Vec<Point> = snapshot.points.iter().map(|point| point.measured).collect();
        for (sum, max_incidence_deg) in sums.iter_mut().zip(MAX_INCIDENCE_DEG) {
            *sum += radius_mm(&points, max_incidence_deg)?;
        }
    }
    let row = |(sum, max_incidence_deg): (f64, f64)| {
        let mean_mm = sum / snapshots as f64;
        json!({
            "case": format!("sphere of {RADIUS_MM} mm, points up to {max_incidence_deg}° of incidence"),
            "radius_mm": mean_mm,
            "bias_mm": mean_mm - RADIUS_MM,
            "published_bias_mm": PUBLISHED_MM - RADIUS_MM,
        })
    };
    Ok(sums.into_iter().zip(MAX_INCIDENCE_DEG).map(row).collect())
}

/// Radius of the sphere fitted to the points that the sensor, at the origin, measured at an incidence of at most
/// `max_incidence_deg`, mm.
fn radius_mm(points: &[Point], max_incidence_deg: f64) -> Result<f64> {
    let min_cosine = max_incidence_deg.to_radians().cos();
    let mut used = points.to_vec();
    let mut found = 0.0;
    for _ in 0..ITERATIONS {
        let fitted = fit(Kind::Sphere, &used, &[], &Options::default(), &Progress::silent())?;
        let Shape::Sphere { centre, radius } = fitted.shape else {
            return Err(UserError::internal("The fit of a sphere returned another shape."));
        };
        found = radius;
        let is_within_limit =
            |point: &&Point| (*point - centre).normalize().dot(&-point.coords.normalize()) >= min_cosine;
        used = points.iter().filter(is_within_limit).copied().collect();
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_steep_incidence_make_a_sphere_too_small_and_masking_them_corrects_it() {
        let biases: Vec<f64> = rows(1).unwrap().iter().map(|row| row["bias_mm"].as_f64().unwrap()).collect();
        let published = PUBLISHED_MM - RADIUS_MM;
        assert!((biases[0] / published - 1.0).abs() < 0.4, "{biases:?}");
        assert!(biases.windows(2).all(|pair| pair[1].abs() < pair[0].abs()) && biases[3].abs() < 0.1, "{biases:?}");
    }
}
