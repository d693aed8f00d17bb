//! Probing error: what a sensor makes of a calibrated ball.

use serde::{Deserialize, Serialize};

use super::Settings;
use super::association::{LEAST_POINTS, associate};
use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::Point;

/// A scan of a ball, and of nothing else.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SphereScan {
    /// What the operator calls the position.
    pub name: String,
    /// The points, mm.
    pub points: Vec<Point>,
    /// Where the sensor stood, mm; without it steep points stay in.
    pub viewpoint: Option<Point>,
    /// The ball's calibrated diameter, mm.
    pub diameter_mm: f64,
}

/// What came of a ball.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SphereResult {
    /// Name of the position.
    pub name: String,
    /// Where the ball is, mm.
    pub centre: Point,
    /// Diameter of the fitted sphere, mm.
    pub diameter_mm: f64,
    /// Probing error of size: fitted less calibrated diameter, mm.
    pub size_error_mm: f64,
    /// Probing error of form: spread of the residuals after rejection, mm.
    pub form_error_mm: f64,
    /// Standard deviation of the residuals after rejection, mm.
    pub form_sigma_mm: f64,
    /// Probing dispersion: width of the narrowest band that holds 95 % of all points, mm.
    pub dispersion_mm: f64,
    /// Points evaluated.
    pub points: usize,
    /// Points left out because they are seen too steeply.
    pub masked: usize,
    /// Points rejected as the worst of the evaluated ones.
    pub rejected: usize,
}

/// The middle is found again from the points that are left so often.
const ROUNDS: usize = 3;

/// Numbers of the points of a ball about `centre` that are seen from `viewpoint` under an angle of incidence up to
/// `limit_rad`, in ascending order: the angle between the ball's outward normal and the direction to the sensor.
/// Sensors see steep points badly, and what they say of them bends a fit.
pub fn mask_by_incidence(points: &[Point], viewpoint: &Point, centre: &Point, limit_rad: f64) -> Vec<u32> {
    let least = limit_rad.cos();
    let is_seen_well = |point: &Point| {
        let (outward, to_sensor) = (point - centre, viewpoint - point);
        outward.dot(&to_sensor) >= least * outward.norm() * to_sensor.norm() && outward.norm() > 0.0
    };
    (0..).zip(points).filter(|(_, point)| is_seen_well(point)).map(|(number, _)| number).collect()
}

/// Size and form of a ball as a sensor sees it.
///
/// Fails with a sentence where too few points are left, or they do not determine a sphere.
pub fn probing(scan: &SphereScan, settings: &Settings, progress: &Progress) -> Result<SphereResult> {
    settings.check()?;
    let ball = Ball::of(scan, settings, progress).map_err(|error| error.about(&scan.name))?;
    let diameter_mm = 2.0 * ball.radius_mm;
    Ok(SphereResult {
        name: scan.name.clone(),
        centre: ball.centre,
        diameter_mm,
        size_error_mm: diameter_mm - scan.diameter_mm,
        form_error_mm: ball.form_mm,
        form_sigma_mm: ball.sigma_mm,
        dispersion_mm: ball.dispersion_mm,
        points: ball.evaluated,
        masked: scan.points.len() - ball.evaluated,
        rejected: ball.evaluated - ball.kept.len(),
    })
}

/// A ball with the points that were kept.
pub(super) struct Ball {
    pub centre: Point,
    pub radius_mm: f64,
    pub form_mm: f64,
    pub sigma_mm: f64,
    pub dispersion_mm: f64,
    pub evaluated: usize,
    pub kept: Vec<Point>,
}

impl Ball {
    pub fn of(scan: &SphereScan, settings: &Settings, progress: &Progress) -> Result<Self> {
        if !(scan.diameter_mm > 0.0 && scan.diameter_mm < 1e6) {
            return Err(UserError::usage(format!(
                "The calibrated diameter of a ball must be above 0, not {} mm.",
                scan.diameter_mm
            )));
        }
        let seen = seen_well(scan, settings, progress)?;
        let found = associate(Kind::Sphere, &seen, settings, progress)?;
        let Shape::Sphere { centre, radius } = found.shape else {
            return Err(UserError::internal("A sphere was fitted, but is none."));
        };
        Ok(Self {
            centre,
            radius_mm: radius,
            form_mm: found.form_mm,
            sigma_mm: found.sigma_mm,
            dispersion_mm: found.dispersion_mm,
            evaluated: seen.len(),
            kept: found.kept.iter().map(|&number| seen[number as usize]).collect(),
        })
    }
}

/// The points of a ball that are not too steep; its middle is found from them in turn.
fn seen_well(scan: &SphereScan, settings: &Settings, progress: &Progress) -> Result<Vec<Point>> {
    let Some(viewpoint) = &scan.viewpoint else { return Ok(scan.points.clone()) };
    let mut seen = scan.points.clone();
    let (mut before, mut options) = (Vec::new(), Options::default());
    for _ in 0..ROUNDS {
        let shape = fit(Kind::Sphere, &seen, &[], &options, progress)?.shape;
        let numbers = mask_by_incidence(&scan.points, viewpoint, &shape.place(), settings.max_incidence_rad);
        if numbers.len() < LEAST_POINTS {
            return Err(UserError::input(format!(
                "Of {} points of the ball {} are not too steep, and {LEAST_POINTS} are needed; is the viewpoint right?",
                scan.points.len(),
                numbers.len()
            )));
        }
        if numbers == before {
            break;
        }
        seen = numbers.iter().map(|&number| scan.points[number as usize]).collect();
        (before, options.start) = (numbers, Some(shape));
    }
    Ok(seen)
}
