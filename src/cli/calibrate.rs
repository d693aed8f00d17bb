//! `shadowgraph calibrate`: where the sensor sits on the CMM, from the artefact with angled slots measured by both.

use std::path::Path;

use serde_json::{Value, json};

use super::arguments::Calibrate;
use super::console::Console;
use crate::base::{Result, UserError, hash};
use crate::geometry::{Point, Vector, transform};
use crate::inspect::calibration::Mounting;
use crate::inspect::calibration::angled_slots::{self, ArtefactFrame, Measured, Region, Regions};
use crate::io::atomic;
use crate::report::date::Stamp;

/// Runs it; returns the exit code.
pub fn run(arguments: &Calibrate, json: bool) -> Result<i32> {
    let console = Console::new();
    let progress = console.progress();
    let mut sensor = read_regions(&arguments.sensor)?;
    sensor.iter_mut().flatten().for_each(|point| *point = arguments.handedness.to_right(point));
    let cmm = read_regions(&arguments.cmm)?;
    let scanned = Measured { probe_radius_mm: 0.0, clip_sigmas: arguments.clip_sigmas };
    let touched = Measured { probe_radius_mm: arguments.probe_radius_mm, clip_sigmas: None };
    let named = |device: &'static str| {
        move |error: UserError| UserError { sentence: format!("{device}: {}", error.sentence), ..error }
    };
    let by_sensor = angled_slots::frame(&sensor, &scanned, &progress.part(0.0, 0.6)).map_err(named("Sensor"))?;
    let by_cmm = angled_slots::frame(&cmm, &touched, &progress.part(0.6, 1.0)).map_err(named("CMM"))?;
    console.done();
    let [x, y, z] = arguments.position_mm;
    let mounting = Mounting::new(
        &by_cmm.device_from_artefact,
        &by_sensor.device_from_artefact,
        arguments.handedness,
        Vector::new(x, y, z),
    );
    let expanded = expanded(&by_sensor, &by_cmm);
    let record = record(arguments, &mounting, [&by_sensor, &by_cmm], &expanded)?;
    if let Some(path) = &arguments.out {
        let mut text = serde_json::to_string_pretty(&record)
            .map_err(|e| UserError::internal(format!("The calibration cannot be written: {e}.")))?;
        text.push('\n');
        atomic::write_bytes(path, text.as_bytes())?;
    }
    if json {
        super::print_json(&record)?;
        return Ok(0);
    }
    let shift = mounting.cmm_from_sensor.translation.vector;
    let angles = mounting.angles_rad().map(f64::to_degrees);
    println!("Translation        {:.4}, {:.4}, {:.4} mm", shift.x, shift.y, shift.z);
    println!("Angles (Rx Ry Rz)  {:.5}°, {:.5}°, {:.5}°", angles[0], angles[1], angles[2]);
    let [sx, sy, sz, rx, ry, rz] = expanded;
    println!("Uncertainty of the artefact's place (k = 2)  {sx:.4}, {sy:.4}, {sz:.4} mm");
    let [rx, ry, rz] = [rx, ry, rz].map(f64::to_degrees);
    println!("Uncertainty of its angles (k = 2)            {rx:.5}°, {ry:.5}°, {rz:.5}°");
    for (device, frame) in [("sensor", &by_sensor), ("CMM", &by_cmm)] {
        println!("Limited most, {device:7} by the fit of {}", weakest(frame));
    }
    Ok(0)
}

const FITS: [&str; 5] = ["the plate", "LL", "LR", "SU", "SL"];

/// The fit that adds most to the variance of the turns.
fn weakest(frame: &ArtefactFrame) -> &'static str {
    let turns = |shares: &[f64; 6]| shares.iter().skip(3).sum::<f64>();
    let worst = frame.shares.iter().zip(FITS).max_by(|a, b| turns(a.0).total_cmp(&turns(b.0)));
    worst.map_or("", |(_, name)| name)
}

/// Expanded uncertainties (k = 2) of both devices together, in the artefact's frame: mm, then rad.
fn expanded(sensor: &ArtefactFrame, cmm: &ArtefactFrame) -> [f64; 6] {
    let mut both = sensor.sigma;
    both.iter_mut().zip(cmm.sigma).for_each(|(own, other)| *own = 2.0 * own.hypot(other));
    both
}

fn record(
    arguments: &Calibrate,
    mounting: &Mounting,
    [sensor, cmm]: [&ArtefactFrame; 2],
    expanded: &[f64],
) -> Result<Value> {
    let device = |path: &Path, frame: &ArtefactFrame| -> Result<Value> {
        let fits = frame.fits.iter().zip(FITS).map(|(fit, name)| json!({ "region": name, "fit": fit }));
        Ok(json!({
            "file": path.to_string_lossy(),
            "blake3": hash::file_hash(path)?,
            "device_from_artefact": transform::rows_of(&frame.device_from_artefact),
            "fits": fits.collect::<Vec<_>>(),
            "weakest": weakest(frame),
        }))
    };
    let stamp = Stamp::now();
    Ok(json!({
        "schema": "shadowgraph.calibration/1",
        "software": crate::report::software(),
        "date": stamp.to_string(),
        "operator": arguments.operator,
        "artefact": "angled slots",
        "handedness": mounting.handedness,
        "probe_radius_mm": arguments.probe_radius_mm,
        "position_mm": arguments.position_mm,
        "cmm_from_sensor": transform::rows_of(&mounting.cmm_from_sensor),
        "translation_mm": mounting.cmm_from_sensor.translation.vector.as_slice(),
        "angles_deg": mounting.angles_rad().map(f64::to_degrees),
        "uncertainty_in_artefact_frame_k2": {
            "place_mm": expanded.get(..3),
            "angles_deg": expanded.iter().skip(3).map(|rad| rad.to_degrees()).collect::<Vec<_>>(),
        },
        "sensor": device(&arguments.sensor, sensor)?,
        "cmm": device(&arguments.cmm, cmm)?,
    }))
}

/// Reads a CSV of region, x, y, z; a title line is skipped.
fn read_regions(path: &Path) -> Result<Regions> {
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    let mut regions = Regions::default();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        let (name, rest) = line.split_once(',').unwrap_or((line, ""));
        let place = super::arguments::numbers(rest);
        match (Region::of_name(name), place.as_deref()) {
            (Some(region), Ok(&[x, y, z])) if [x, y, z].iter().all(|c| c.is_finite()) => {
                if let Some(points) = regions.get_mut(region as usize) {
                    points.push(Point::new(x, y, z));
                }
            }
            // A title line names no region.
            (None, _) if i == 0 => {}
            _ => {
                return Err(UserError::input(format!(
                    "{}, line {}: a region (LP, RP, LL, LR, SU or SL) and x, y, z in mm were expected, separated by \
                     commas.",
                    path.display(),
                    i + 1
                )));
            }
        }
    }
    Ok(regions)
}
