//! From the regions that both devices measured to the sensor's mounting.

use serde::Serialize;

use super::bootstrap::{self, Bootstrap};
use super::{ArtefactFrame, ArtefactKind, Handedness, Measured, Mounting, MountingUncertainty};
use crate::base::{Progress, Result, UserError};
use crate::geometry::{Point, Vector};

/// What a calibration is made from. Regions are in the artefact's order, mm.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The artefact.
    pub artefact: ArtefactKind,
    /// Points of each region as the sensor reports them.
    pub sensor: &'a [Vec<Point>],
    /// Centres of the probe's ball at each region, CMM frame.
    pub cmm: &'a [Vec<Point>],
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// Radius of the probe's ball; 0 where the CMM's points are on the surface already.
    pub probe_radius_mm: f64,
    /// Robust standard deviations beyond which the sensor's points are dropped.
    pub clip_sigmas: Option<f64>,
    /// Largest smooth error of the sensor over its field, mm.
    pub bias_mm: f64,
    /// Where the CMM stood when the snapshot was taken.
    pub position_mm: Vector,
}

/// A calibrated sensor.
#[derive(Clone, Debug, Serialize)]
pub struct Calibration {
    /// With which artefact.
    pub artefact: ArtefactKind,
    /// How the sensor is mounted.
    pub mounting: Mounting,
    /// How sure that is.
    pub uncertainty: MountingUncertainty,
    /// The artefact in the right-handed sensor frame.
    pub sensor: ArtefactFrame,
    /// The artefact in the CMM's frame.
    pub cmm: ArtefactFrame,
    /// The probe's radius that was taken off, mm.
    pub probe_radius_mm: f64,
    /// The sensor's largest smooth error, as it was stated, mm.
    pub bias_mm: f64,
    /// The uncertainties as drawing the points again gives them.
    pub bootstrap: Option<Bootstrap>,
}

/// Finds the artefact's frame with both devices, and how one lies in the other.
pub fn calibrate(request: &Request<'_>, progress: &Progress) -> Result<Calibration> {
    let artefact = request.artefact.artefact();
    let righted: Vec<Vec<Point>> = request
        .sensor
        .iter()
        .map(|region| region.iter().map(|point| request.handedness.to_right(point)).collect())
        .collect();
    let scanned = Measured { probe_radius_mm: 0.0, clip_sigmas: request.clip_sigmas, bias_mm: request.bias_mm };
    let touched = Measured { probe_radius_mm: request.probe_radius_mm, ..Measured::default() };
    let sensor = artefact.frame(&righted, &scanned, &progress.part(0.0, 0.8)).map_err(|error| error.about("Sensor"))?;
    let cmm = artefact.frame(request.cmm, &touched, &progress.part(0.8, 0.95)).map_err(|error| error.about("CMM"))?;
    same_artefact(&righted, request.cmm, &sensor, &cmm)?;
    let (from_cmm, from_sensor) = (&cmm.device_from_artefact, &sensor.device_from_artefact);
    let mounting = Mounting::new(from_cmm, from_sensor, request.handedness, request.position_mm);
    let uncertainty = MountingUncertainty::new(&mounting, &cmm, &sensor, middle(&righted));
    let probe_radius_mm = request.probe_radius_mm;
    let (artefact, bias_mm) = (request.artefact, request.bias_mm);
    let bootstrap = None;
    let mut calibration =
        Calibration { artefact, mounting, uncertainty, sensor, cmm, probe_radius_mm, bias_mm, bootstrap };
    calibration.bootstrap = bootstrap::run(&calibration, &righted, request.cmm, &progress.part(0.95, 1.0))?;
    Ok(calibration)
}

fn middle(regions: &[Vec<Point>]) -> Point {
    let points = regions.iter().flatten();
    let count = points.clone().count().max(1);
    Point::from(points.map(|point| point.coords).sum::<Vector>() / count as f64)
}

/// Both devices must have measured about the same places of one artefact.
fn same_artefact(
    sensor: &[Vec<Point>],
    cmm: &[Vec<Point>],
    by_sensor: &ArtefactFrame,
    by_cmm: &ArtefactFrame,
) -> Result<()> {
    let normals = |frame: &ArtefactFrame| -> Vec<Vector> {
        let turn = frame.device_from_artefact.rotation.inverse();
        frame.parts.iter().filter_map(|part| part.fit.shape.direction()).map(|normal| turn * normal).collect()
    };
    for ((a, b), part) in normals(by_sensor).iter().zip(normals(by_cmm)).zip(&by_cmm.parts) {
        let apart = a.cross(&b).norm().min(1.0).asin().to_degrees();
        if apart > MOST_APART_DEG {
            return Err(UserError::input(format!(
                "The sensor's and the CMM's {} differ by {apart:.2} degrees in the artefact's frame: the two files do \
                 not show the same artefact.",
                part.name
            )));
        }
    }
    let extent = |regions: &[Vec<Point>], frame: &ArtefactFrame| {
        let place = |point: &Point| frame.device_from_artefact.inverse_transform_point(point);
        let all: Vec<Point> = regions.iter().flatten().map(place).collect();
        crate::geometry::Aabb::of_points(&all)
    };
    let (a, b) = (extent(sensor, by_sensor), extent(cmm, by_cmm));
    if (0..2).any(|k| a.max[k] < b.min[k] || b.max[k] < a.min[k]) {
        return Err(UserError::input(
            "Sensor and CMM measured places of the artefact that do not overlap: the two files do not show the same \
             artefact, or it was moved.",
        ));
    }
    Ok(())
}

/// Faces of one artefact differ less than this between devices.
const MOST_APART_DEG: f64 = 1.0;
