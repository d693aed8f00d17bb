//! Probing error of a sensor, measured on a calibrated sphere.

use serde::{Deserialize, Serialize};

use super::Settings;
use super::association::{MIN_POINTS, associate};
use crate::features::{Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::Point;

/// A scan of a sphere, without any other surfaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SphereScan {
    /// Name of the position.
    pub name: String,
    /// The points, mm.
    pub points: Vec<Point>,
    /// Sensor position, mm; if unknown, steep points are not masked.
    pub viewpoint: Option<Point>,
    /// Calibrated diameter of the sphere, mm.
    pub diameter_mm: f64,
}

/// Result for one position of a sphere.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SphereResult {
    /// Name of the position.
    pub name: String,
    /// Centre of the fitted sphere, mm.
    pub centre: Point,
    /// Diameter of the fitted sphere, mm.
    pub diameter_mm: f64,
    /// Probing error of size: fitted minus calibrated diameter, mm.
    pub size_error_mm: f64,
    /// Probing error of form: range of the residuals after rejection, mm.
    pub form_error_mm: f64,
    /// Standard deviation of the residuals after rejection, mm.
    pub form_sigma_mm: f64,
    /// Probing dispersion: width of the narrowest band that contains 95 % of all points, mm.
    pub dispersion_mm: f64,
    /// Points evaluated.
    pub points: usize,
    /// Points masked because of their angle of incidence.
    pub masked: usize,
    /// Points rejected as the worst of the evaluated ones.
    pub rejected: usize,
}

/// Iterations of fitting the sphere and masking steep points.
const MASKING_ITERATIONS: usize = 3;

/// Indices of the points of a sphere about `centre` whose angle of incidence as seen from `viewpoint` is at most
/// `limit_rad`, in ascending order. The angle of incidence is that between the outward normal of the sphere and the
/// direction to the sensor. Steep points are measured badly and bias a fit.
pub fn mask_by_incidence(points: &[Point], viewpoint: &Point, centre: &Point, limit_rad: f64) -> Vec<u32> {
    let min_cosine = limit_rad.cos();
    let is_within_limit = |point: &Point| {
        let (outward, to_sensor) = (point - centre, viewpoint - point);
        outward.dot(&to_sensor) >= min_cosine * outward.norm() * to_sensor.norm() && outward.norm() > 0.0
    };
    (0..).zip(points).filter(|(_, point)| is_within_limit(point)).map(|(index, _)| index).collect()
}

/// Evaluates the probing errors of size and form of a scan.
///
/// Returns an error if too few points are left, or if they do not determine a sphere.
pub fn probing(scan: &SphereScan, settings: &Settings, progress: &Progress) -> Result<SphereResult> {
    settings.check()?;
    let sphere = SphereFit::of(scan, settings, progress).map_err(|error| error.about(&scan.name))?;
    let diameter_mm = 2.0 * sphere.radius_mm;
    Ok(SphereResult {
        name: scan.name.clone(),
        centre: sphere.centre,
        diameter_mm,
        size_error_mm: diameter_mm - scan.diameter_mm,
        form_error_mm: sphere.form_mm,
        form_sigma_mm: sphere.sigma_mm,
        dispersion_mm: sphere.dispersion_mm,
        points: sphere.evaluated,
        masked: scan.points.len() - sphere.evaluated,
        rejected: sphere.evaluated - sphere.kept.len(),
    })
}

/// A fitted sphere with the points that were not rejected. Lengths in mm.
pub(super) struct SphereFit {
    pub centre: Point,
    pub radius_mm: f64,
    pub form_mm: f64,
    pub sigma_mm: f64,
    pub dispersion_mm: f64,
    pub evaluated: usize,
    pub kept: Vec<Point>,
}

impl SphereFit {
    pub fn of(scan: &SphereScan, settings: &Settings, progress: &Progress) -> Result<Self> {
        if !(scan.diameter_mm > 0.0 && scan.diameter_mm < 1e6) {
            return Err(UserError::usage(format!(
                "The calibrated diameter of a sphere must be above 0, not {} mm.",
                scan.diameter_mm
            )));
        }
        let points = masked_points(scan, settings, progress)?;
        let found = associate(Kind::Sphere, &points, settings, progress)?;
        let Shape::Sphere { centre, radius } = found.shape else {
            return Err(UserError::internal("The fit of a sphere returned another shape."));
        };
        Ok(Self {
            centre,
            radius_mm: radius,
            form_mm: found.form_mm,
            sigma_mm: found.sigma_mm,
            dispersion_mm: found.dispersion_mm,
            evaluated: points.len(),
            kept: found.kept.iter().map(|&index| points[index as usize]).collect(),
        })
    }
}

/// The points of a sphere that are not too steep; all points if the viewpoint is unknown. The centre and the mask are
/// determined alternately.
fn masked_points(scan: &SphereScan, settings: &Settings, progress: &Progress) -> Result<Vec<Point>> {
    let Some(viewpoint) = &scan.viewpoint else { return Ok(scan.points.clone()) };
    let mut points = scan.points.clone();
    let (mut previous, mut options) = (Vec::new(), Options::default());
    for _ in 0..MASKING_ITERATIONS {
        let shape = fit(Kind::Sphere, &points, &[], &options, progress)?.shape;
        let indices = mask_by_incidence(&scan.points, viewpoint, &shape.position(), settings.max_incidence_rad);
        if indices.len() < MIN_POINTS {
            return Err(UserError::input(format!(
                "Of {} points of the sphere, only {} are within the limit of incidence, and {MIN_POINTS} are needed; \
                 check the viewpoint.",
                scan.points.len(),
                indices.len()
            )));
        }
        if indices == previous {
            break;
        }
        points = indices.iter().map(|&index| scan.points[index as usize]).collect();
        (previous, options.start) = (indices, Some(shape));
    }
    Ok(points)
}
