//! Flatness error of a sensor, measured on a flat.

use serde::{Deserialize, Serialize};

use super::Settings;
use super::association::associate;
use crate::features::Kind;
use base::{Progress, Result};
use geometry::{Point, Vector};

/// A scan of a flat without its border.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneScan {
    /// Name of the position.
    pub name: String,
    /// The points, mm.
    pub points: Vec<Point>,
}

/// Result for one position of a flat.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneResult {
    /// Name of the position.
    pub name: String,
    /// Unit normal of the fitted plane.
    pub normal: Vector,
    /// Flatness error: range of the distances from the plane after rejection, mm. It includes the form error of the
    /// flat itself, which is part of the test value uncertainty.
    pub form_error_mm: f64,
    /// Standard deviation of the distances after rejection, mm.
    pub sigma_mm: f64,
    /// Width of the narrowest band that contains 95 % of all points, mm.
    pub dispersion_mm: f64,
    /// Points evaluated.
    pub points: usize,
    /// Points rejected as the worst of the evaluated ones.
    pub rejected: usize,
}

/// Evaluates the flatness error of a scan.
pub fn flatness(scan: &PlaneScan, settings: &Settings, progress: &Progress) -> Result<PlaneResult> {
    settings.check()?;
    let found = associate(Kind::Plane, &scan.points, settings, progress).map_err(|error| error.about(&scan.name))?;
    Ok(PlaneResult {
        name: scan.name.clone(),
        normal: found.shape.direction().unwrap_or_else(Vector::z),
        form_error_mm: found.form_mm,
        sigma_mm: found.sigma_mm,
        dispersion_mm: found.dispersion_mm,
        points: scan.points.len(),
        rejected: scan.points.len() - found.kept.len(),
    })
}
