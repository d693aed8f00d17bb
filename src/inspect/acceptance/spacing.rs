//! Sphere-spacing error of a sensor, measured on a calibrated ball bar.

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use super::Settings;
use super::finding::two_spheres;
use super::sphere::{SphereFit, SphereScan};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// Radius with which the centre of a sphere is determined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SpacingRadius {
    /// Fitted together with the centre.
    #[default]
    Free,
    /// Fixed at the calibrated value: the depth of a spherical cap is then determined better.
    Calibrated,
}

/// A scan of a ball bar in one position, separated into its two spheres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarScan {
    /// Name of the position.
    pub name: String,
    /// Points of each sphere, mm.
    #[serde(rename = "balls")]
    pub spheres: [Vec<Point>; 2],
    /// Sensor position, mm; if unknown, steep points are not masked.
    pub viewpoint: Option<Point>,
    /// Calibrated diameter of the spheres, mm.
    pub diameter_mm: f64,
    /// Calibrated distance between their centres, mm.
    pub length_mm: f64,
}

/// Result for one position of the ball bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarResult {
    /// Name of the position.
    pub name: String,
    /// Sphere centres, mm.
    pub centres: [Point; 2],
    /// Distance between the centres, mm.
    pub length_mm: f64,
    /// Sphere-spacing error: measured minus calibrated distance, mm.
    pub error_mm: f64,
    /// Number of points from which each centre was determined.
    pub points: [usize; 2],
}

/// Step of the centre, relative to the radius, that ends the iteration.
const CONVERGED_STEP: f64 = 1e-13;
const MAX_ITERATIONS: usize = 200;

impl BarScan {
    /// From a whole scan of a ball bar: finds the two spheres by their diameter, and takes the points within
    /// `tolerance_mm` of them.
    pub fn from_scan(
        name: &str,
        points: &[Point],
        viewpoint: Option<Point>,
        (diameter_mm, length_mm): (f64, f64),
        tolerance_mm: f64,
        progress: &Progress,
    ) -> Result<Self> {
        let found = two_spheres(points, 0.5 * diameter_mm, tolerance_mm, progress).map_err(|e| e.about(name))?;
        let spheres = found.map(|sphere| sphere.indices.iter().map(|&index| points[index as usize]).collect());
        Ok(Self { name: name.to_owned(), spheres, viewpoint, diameter_mm, length_mm })
    }
}

/// Evaluates the sphere-spacing error of a scan.
///
/// Returns an error if too few points are left, or if they do not determine a sphere.
pub fn spacing(scan: &BarScan, settings: &Settings, progress: &Progress) -> Result<BarResult> {
    settings.check()?;
    if !(scan.length_mm > 0.0 && scan.length_mm < 1e6) {
        return Err(UserError::usage(format!(
            "{}: the calibrated length of the ball bar must be above 0, not {} mm.",
            scan.name, scan.length_mm
        )));
    }
    let centre_of = |index: usize| -> Result<(Point, usize)> {
        let name = format!("{}, sphere {}", scan.name, index + 1);
        let own = SphereScan {
            name: name.clone(),
            points: scan.spheres[index].clone(),
            viewpoint: scan.viewpoint,
            diameter_mm: scan.diameter_mm,
        };
        let sphere = SphereFit::of(&own, settings, progress).map_err(|error| error.about(&name))?;
        let centre = match settings.spacing_radius {
            SpacingRadius::Free => sphere.centre,
            SpacingRadius::Calibrated => centre_at_radius(&sphere.kept, 0.5 * scan.diameter_mm, sphere.centre)
                .ok_or_else(|| {
                    UserError::input(format!(
                        "{name}: its points do not determine its centre; scan more of the sphere."
                    ))
                })?,
        };
        Ok((centre, sphere.kept.len()))
    };
    let ((one, first), (other, second)) = (centre_of(0)?, centre_of(1)?);
    let length_mm = (other - one).norm();
    Ok(BarResult {
        name: scan.name.clone(),
        centres: [one, other],
        length_mm,
        error_mm: length_mm - scan.length_mm,
        points: [first, second],
    })
}

/// Centre of the sphere of the given radius that minimises the squared distances from `points` (Gauss-Newton).
fn centre_at_radius(points: &[Point], radius_mm: f64, start: Point) -> Option<Point> {
    let mut centre = start;
    for _ in 0..MAX_ITERATIONS {
        let (mut matrix, mut right) = (Matrix3::zeros(), Vector::zeros());
        for point in points {
            let offset = point - centre;
            let distance = offset.norm();
            if distance > 0.0 {
                let outward = offset / distance;
                matrix += outward * outward.transpose();
                right += outward * (distance - radius_mm);
            }
        }
        let step = matrix.cholesky()?.solve(&right);
        centre += step;
        if step.norm() <= CONVERGED_STEP * radius_mm {
            break;
        }
    }
    centre.coords.iter().all(|value| value.is_finite()).then_some(centre)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn a_fixed_radius_gives_the_centre_of_a_cap() {
        let mut random = Random::new(1, 3);
        let truth = Point::new(100.0, -50.0, 900.0);
        let cap: Vec<Point> = (0..4000)
            .map(|_| {
                let (z, turn) = (random.range(0.7, 1.0), random.range(0.0, std::f64::consts::TAU));
                let (sin, cos) = turn.sin_cos();
                let flat = (1.0 - z * z).sqrt();
                truth + Vector::new(flat * cos, flat * sin, z) * 15.0
            })
            .collect();
        let found = centre_at_radius(&cap, 15.0, truth + Vector::new(0.3, -0.2, 0.4)).unwrap();
        assert!((found - truth).norm() < 1e-10);
        // With a wrong radius, the centre of a cap is displaced along the view by about the difference, less what the
        // cap curves.
        let displacement = centre_at_radius(&cap, 15.1, truth).unwrap() - truth;
        assert!(displacement.z < -0.1 && displacement.z > -0.13 && displacement.xy().norm() < 0.005, "{displacement}");
        assert!(centre_at_radius(&[], 15.0, truth).is_none());
        assert!(centre_at_radius(&[truth], 15.0, truth + Vector::x()).is_none());
    }
}
