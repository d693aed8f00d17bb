//! Bootstrap uncertainties of a calibration: a check on the propagated uncertainties that assumes nothing about the
//! residuals except that patches a few mm wide are independent of each other.
//!
//! The points of each fit are divided into patches, patches are drawn with replacement (block bootstrap; Künsch 1989),
//! and the mounting is determined again. The sensor's smooth systematic error is not included: it bends all patches
//! alike.

use std::collections::BTreeMap;

use rayon::prelude::*;

use super::{ArtefactFrame, Calibration, angles_rad};
use crate::features::Fit;
use base::{Progress, Result, random::Random};
use geometry::{Point, Pose, Vector, jacobi};

/// Standard uncertainties from the scatter of the draws.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Bootstrap {
    /// Number of draws that gave a mounting.
    pub draws: usize,
    /// Of the displacement of the reference point along the CMM's axes, mm.
    pub place_mm: [f64; 3],
    /// Of the angles of Rx Ry Rz, rad.
    pub angles_rad: [f64; 3],
}

/// Number of draws.
const DRAWS: u64 = 300;
/// Patch size for the sensor's points, mm: several times the correlation length of its noise.
const PATCH_MM: f64 = 5.0;

/// Sums over a patch relative to the fit's point: 1, x, y, z, xx, xy, xz, yy, yz, zz.
type Moments = [f64; 10];

/// A plane fit, divided into patches.
struct Patches {
    origin: Point,
    normal: Vector,
    patches: Vec<Moments>,
}

impl Patches {
    /// Divides the points of a fit; `patch_mm` 0 makes every point its own patch.
    fn of(fit: &Fit, points: &[Point], patch_mm: f64) -> Self {
        let (origin, normal) = (fit.shape.position(), fit.shape.direction().unwrap_or_else(Vector::z));
        let mut dropped = fit.dropped.iter().peekable();
        let mut patches: BTreeMap<[i64; 3], Moments> = BTreeMap::new();
        for (index, point) in (0..).zip(points) {
            if dropped.next_if_eq(&&index).is_some() {
                continue;
            }
            let d = point - origin;
            let key =
                if patch_mm > 0.0 { d.map(|c| (c / patch_mm).floor() as i64).into() } else { [i64::from(index), 0, 0] };
            let own = [1.0, d.x, d.y, d.z, d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z];
            let sum = patches.entry(key).or_insert([0.0; 10]);
            sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        Self { origin, normal, patches: patches.into_values().collect() }
    }

    /// Point and normal of the plane through patches drawn with replacement.
    fn resampled(&self, random: &mut Random) -> (Point, Vector) {
        let mut m = [0.0; 10];
        for _ in 0..self.patches.len() {
            let own = &self.patches[random.index(self.patches.len())];
            m.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
        }
        let [n, x, y, z, xx, xy, xz, yy, yz, zz] = m;
        let about = [xx - x * x / n, xy - x * y / n, xz - x * z / n, yy - y * y / n, yz - y * z / n, zz - z * z / n];
        let normal = jacobi::eigen(&about).1[0];
        (self.origin + Vector::new(x, y, z) / n, normal * normal.dot(&self.normal).signum())
    }
}

/// Resamples the points of both instruments. `None` for artefacts whose frame is not determined by planes, or if fewer
/// than half of the draws give a mounting.
pub fn run(
    calibration: &Calibration,
    sensor: &[Vec<Point>],
    cmm: &[Vec<Point>],
    progress: &Progress,
) -> Result<Option<Bootstrap>> {
    let artefact = calibration.artefact.artefact();
    let patches = |frame: &ArtefactFrame, regions: &[Vec<Point>], patch_mm: f64| -> Vec<Patches> {
        let part_patches = |part: &super::artefacts::Part| {
            let points: Vec<Point> = part.regions.iter().flat_map(|&region| regions[region].iter().copied()).collect();
            Patches::of(&part.fit, &points, patch_mm)
        };
        frame.parts.iter().map(part_patches).collect()
    };
    let sensor_patches = patches(&calibration.sensor, sensor, PATCH_MM);
    let cmm_patches = patches(&calibration.cmm, cmm, 0.0);
    progress.report(0.0, "Resampling the points")?;
    let reference = calibration.uncertainty.reference_mm;
    let mounting = |draw: u64| -> Option<Pose> {
        let mut random = Random::new(0xB007, draw);
        let mut frame = |parts: &[Patches], probe_radius_mm: f64| {
            let planes: Vec<(Point, Vector)> = parts.iter().map(|part| part.resampled(&mut random)).collect();
            artefact.frame_of_planes(&planes, probe_radius_mm)
        };
        let sensor = frame(&sensor_patches, 0.0)?.ok()?;
        let cmm = frame(&cmm_patches, calibration.probe_radius_mm)?.ok()?;
        Some(cmm * sensor.inverse())
    };
    let found: Vec<Pose> = (0..DRAWS).into_par_iter().filter_map(mounting).collect();
    progress.check()?;
    if found.len() < DRAWS as usize / 2 {
        return Ok(None);
    }
    let spread = |values: &dyn Fn(&Pose) -> [f64; 3], centre: [f64; 3], period: f64| {
        [0, 1, 2].map(|k| {
            let deviation = |pose: &Pose| {
                let own = values(pose)[k] - centre[k];
                own - period * (own / period).round()
            };
            let mean = found.iter().map(deviation).sum::<f64>() / found.len() as f64;
            let squares: f64 = found.iter().map(|pose| (deviation(pose) - mean).powi(2)).sum();
            (squares / (found.len() - 1) as f64).sqrt()
        })
    };
    let centre = &calibration.mounting.cmm_from_sensor;
    let position = |pose: &Pose| (pose * reference).coords.into();
    Ok(Some(Bootstrap {
        draws: found.len(),
        place_mm: spread(&position, position(centre), f64::MAX),
        angles_rad: spread(&angles_rad, angles_rad(centre), std::f64::consts::TAU),
    }))
}
