//! `shadowgraph calibrate`: where the sensor sits on the CMM, from an artefact measured by both.

use std::path::Path;

use super::arguments::Calibrate;
use super::console::Console;
use crate::base::{Progress, Result, hash};
use crate::geometry::{Point, Vector};
use crate::inspect::calibration::{Artefact, Calibration, Request, calibrate};
use crate::io::{LoadOptions, atomic, load_scan, region_table};
use crate::report::{certificate, date};
use crate::session::calibrating::{InputFile, Made};

/// Runs it; returns the exit code.
pub fn run(arguments: &Calibrate, json: bool) -> Result<i32> {
    let console = Console::new();
    let progress = console.progress();
    let artefact = arguments.artefact.artefact();
    let sensor = sensor_regions(arguments, artefact, &progress.part(0.0, 0.5))?;
    let cmm = read_regions(&arguments.cmm, artefact)?;
    let [x, y, z] = arguments.position_mm;
    let request = Request {
        artefact: arguments.artefact,
        sensor: &sensor,
        cmm: &cmm,
        handedness: arguments.handedness,
        probe_radius_mm: arguments.probe_radius_mm,
        clip_sigmas: arguments.clip_sigmas,
        bias_mm: arguments.sensor_bias_mm,
        position_mm: Vector::new(x, y, z),
    };
    let outcome = calibrate(&request, &progress.part(0.5, 1.0));
    console.done();
    let calibration = outcome?;
    let made = Made {
        sensor: input_file(&arguments.sensor)?,
        cmm: input_file(&arguments.cmm)?,
        operator: arguments.operator.clone(),
        unix_s: date::unix_now(),
        valid_hours: arguments.valid_hours,
    };
    let record = certificate::record(&calibration, &made);
    if let Some(path) = &arguments.out {
        atomic::write_bytes(path, format!("{record:#}\n").as_bytes())?;
    }
    if let Some(path) = &arguments.certificate {
        atomic::write_bytes(path, &certificate::pdf(&calibration, &made)?)?;
    }
    if json {
        super::print_json(&record)?;
    } else {
        print(&calibration);
    }
    Ok(0)
}

fn print(calibration: &Calibration) {
    let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
    let shift = mounting.cmm_from_sensor.translation.vector;
    let [a, b, c] = mounting.angles_rad().map(f64::to_degrees);
    println!("Translation        {:.4}, {:.4}, {:.4} mm", shift.x, shift.y, shift.z);
    println!("Angles (Rx Ry Rz)  {a:.5}°, {b:.5}°, {c:.5}°");
    let [x, y, z] = uncertainty.place_mm().map(|sigma| 2.0 * sigma);
    println!("Uncertainty of place at the artefact (k = 2)  {x:.4}, {y:.4}, {z:.4} mm");
    let [a, b, c] = uncertainty.angles_rad.map(|sigma| 2.0 * sigma.to_degrees());
    println!("Uncertainty of the angles (k = 2)             {a:.5}°, {b:.5}°, {c:.5}°");
    for (device, frame) in [("sensor", &calibration.sensor), ("CMM", &calibration.cmm)] {
        let weakest = frame.weakest().map_or("", |part| part.name);
        println!("Limited most, {device:7} by the fit of {weakest}");
    }
}

fn input_file(path: &Path) -> Result<InputFile> {
    let name = path.file_name().map_or_else(|| path.to_string_lossy(), |name| name.to_string_lossy()).into_owned();
    Ok(InputFile { name, blake3: hash::file_hash(path)? })
}

/// Regions by name from a table, or found in a whole snapshot.
fn sensor_regions(arguments: &Calibrate, artefact: &dyn Artefact, progress: &Progress) -> Result<Vec<Vec<Point>>> {
    let path = &arguments.sensor;
    if region_table::is_one(path) {
        return read_regions(path, artefact);
    }
    let loaded = load_scan(path, &LoadOptions::default(), &progress.part(0.0, 0.5))?;
    let reported = loaded.cloud.points;
    let righted: Vec<Point> = reported.iter().map(|point| arguments.handedness.to_right(point)).collect();
    let found = artefact.find(&righted, &progress.part(0.5, 1.0)).map_err(|error| error.in_file(path))?;
    let places = |set: &crate::geometry::PointSet| {
        set.iter().filter_map(|&number| reported.get(number as usize).copied()).collect()
    };
    Ok(found.iter().map(places).collect())
}

/// The places of each region.
fn read_regions(path: &Path, artefact: &dyn Artefact) -> Result<Vec<Vec<Point>>> {
    let mut regions = vec![Vec::new(); artefact.regions().len()];
    for (name, place) in region_table::read(path)? {
        let region = artefact.region_of_name(&name).map_err(|error| error.in_file(path))?;
        regions.get_mut(region).into_iter().for_each(|points| points.push(place));
    }
    Ok(regions)
}
