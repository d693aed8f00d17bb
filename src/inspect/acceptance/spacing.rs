//! Sphere spacing: what a sensor makes of a calibrated ball bar.

use nalgebra::Matrix3;
use serde::{Deserialize, Serialize};

use super::Settings;
use super::finding::two_spheres;
use super::sphere::{Ball, SphereScan};
use base::{Progress, Result, UserError};
use geometry::{Point, Vector};

/// With which radius the middle of a ball is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum SpacingRadius {
    /// Fitted with the middle.
    #[default]
    Free,
    /// Held at the calibrated one: a cap of a ball then tells its depth better.
    Calibrated,
}

/// A ball bar in one position, its two balls apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarScan {
    /// What the operator calls the position.
    pub name: String,
    /// The points of each ball, mm.
    pub balls: [Vec<Point>; 2],
    /// Where the sensor stood, mm; without it steep points stay in.
    pub viewpoint: Option<Point>,
    /// The balls' calibrated diameter, mm.
    pub diameter_mm: f64,
    /// The calibrated distance of their middles, mm.
    pub length_mm: f64,
}

/// What came of a position of the ball bar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BarResult {
    /// Name of the position.
    pub name: String,
    /// Middles of the balls, mm.
    pub centres: [Point; 2],
    /// Their distance, mm.
    pub length_mm: f64,
    /// Sphere-spacing error: measured less calibrated distance, mm.
    pub error_mm: f64,
    /// Points that each middle was found from.
    pub points: [usize; 2],
}

/// A step of the middle this small, relative to the radius, ends the search.
const STILL: f64 = 1e-13;
const MOST_STEPS: usize = 200;

impl BarScan {
    /// Of a whole scan of a ball bar: the two balls are found in it by their diameter, and the points within
    /// `tolerance_mm` of them are taken.
    pub fn from_scan(
        name: &str,
        points: &[Point],
        viewpoint: Option<Point>,
        (diameter_mm, length_mm): (f64, f64),
        tolerance_mm: f64,
        progress: &Progress,
    ) -> Result<Self> {
        let found = two_spheres(points, 0.5 * diameter_mm, tolerance_mm, progress).map_err(|e| e.about(name))?;
        let balls = found.map(|ball| ball.numbers.iter().map(|&number| points[number as usize]).collect());
        Ok(Self { name: name.to_owned(), balls, viewpoint, diameter_mm, length_mm })
    }
}

/// The distance of a ball bar's balls as a sensor sees it.
///
/// Fails with a sentence where too few points are left, or they do not determine a sphere.
pub fn spacing(scan: &BarScan, settings: &Settings, progress: &Progress) -> Result<BarResult> {
    settings.check()?;
    if !(scan.length_mm > 0.0 && scan.length_mm < 1e6) {
        return Err(UserError::usage(format!(
            "{}: the calibrated length of the ball bar must be above 0, not {} mm.",
            scan.name, scan.length_mm
        )));
    }
    let ball = |number: usize| -> Result<(Point, usize)> {
        let name = format!("{}, ball {}", scan.name, number + 1);
        let own = SphereScan {
            name: name.clone(),
            points: scan.balls[number].clone(),
            viewpoint: scan.viewpoint,
            diameter_mm: scan.diameter_mm,
        };
        let ball = Ball::of(&own, settings, progress).map_err(|error| error.about(&name))?;
        let centre = match settings.spacing_radius {
            SpacingRadius::Free => ball.centre,
            SpacingRadius::Calibrated => {
                middle_at_radius(&ball.kept, 0.5 * scan.diameter_mm, ball.centre).ok_or_else(|| {
                    UserError::input(format!("{name}: its points do not determine its middle; scan more of the ball."))
                })?
            }
        };
        Ok((centre, ball.kept.len()))
    };
    let ((one, first), (other, second)) = (ball(0)?, ball(1)?);
    let length_mm = (other - one).norm();
    Ok(BarResult {
        name: scan.name.clone(),
        centres: [one, other],
        length_mm,
        error_mm: length_mm - scan.length_mm,
        points: [first, second],
    })
}

/// The middle of the sphere of that radius with the least squared distances from `points` (Gauss and Newton's steps).
fn middle_at_radius(points: &[Point], radius_mm: f64, start: Point) -> Option<Point> {
    let mut centre = start;
    for _ in 0..MOST_STEPS {
        let (mut matrix, mut right) = (Matrix3::zeros(), Vector::zeros());
        for point in points {
            let away = point - centre;
            let distance = away.norm();
            if distance > 0.0 {
                let outward = away / distance;
                matrix += outward * outward.transpose();
                right += outward * (distance - radius_mm);
            }
        }
        let step = matrix.cholesky()?.solve(&right);
        centre += step;
        if step.norm() <= STILL * radius_mm {
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
    fn a_held_radius_gives_the_middle_of_a_cap() {
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
        let found = middle_at_radius(&cap, 15.0, truth + Vector::new(0.3, -0.2, 0.4)).unwrap();
        assert!((found - truth).norm() < 1e-10);
        // Along the view a cap of the wrong radius is off by about the difference, less what it curves.
        let off = middle_at_radius(&cap, 15.1, truth).unwrap() - truth;
        assert!(off.z < -0.1 && off.z > -0.13 && off.xy().norm() < 0.005, "{off}");
        assert!(middle_at_radius(&[], 15.0, truth).is_none());
        assert!(middle_at_radius(&[truth], 15.0, truth + Vector::x()).is_none());
    }
}
