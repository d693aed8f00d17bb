//! Commands of the calibration.

use std::path::Path;
use std::sync::Arc;

use super::Edit;
use crate::base::{Progress, Result, UserError, hash};
use crate::geometry::health::CloudFindings;
use crate::geometry::point_set::{Combine, PointSet};
use crate::geometry::{Cloud, Point, Vector};
use crate::inspect::alignment::automatic::PreparedScan;
use crate::inspect::calibration::{Handedness, Request, calibrate as solve};
use crate::io::{LoadOptions, atomic, load_scan, region_table};
use crate::render::selecting::Stroke;
use crate::report::{certificate, date};
use crate::session::calibrating::{Calibrating, Device, InputFile, Kept, Made, Measurement, Outcome, Setup};
use crate::session::{Actual, Document, SourceFile};

/// Reads what a device measured; a table with names of regions brings those along.
pub(super) fn open(device: Device, path: &Path, document: &Document, progress: &Progress) -> Result<Edit> {
    let measurement = read(device, path, &document.calibration.setup, progress).map_err(|error| error.in_file(path))?;
    let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
    let named = measurement.regions.iter().filter(|region| !region.is_empty()).count();
    let name = measurement.source().map(SourceFile::name).unwrap_or_default();
    let note = format!("{name}: {points} points, {named} regions by name.");
    let what = match device {
        Device::Sensor => "Open the snapshot",
        Device::Cmm => "Open the touches",
    };
    Ok(change(what, move |calibration| *calibration.of_mut(device) = measurement).with_notes([note]))
}

/// A change to what a calibration is made from: what came out before no longer holds.
fn change(label: &str, apply: impl FnOnce(&mut Calibrating) + Send + 'static) -> Edit {
    Edit::new(label, move |document| {
        apply(&mut document.calibration);
        document.calibration.outcome = None;
    })
}

fn read(device: Device, path: &Path, setup: &Setup, progress: &Progress) -> Result<Measurement> {
    let artefact = setup.artefact.artefact();
    let mut regions = vec![Vec::new(); artefact.regions().len()];
    let mut notes = Vec::new();
    let mut cloud = if region_table::is_one(path) {
        let mut points = Vec::new();
        for (name, place) in region_table::read(path)? {
            let number = points.len() as u32;
            points.push(place);
            regions[artefact.region_of_name(&name)?].push(number);
        }
        Cloud::from_points(points)
    } else {
        let loaded = load_scan(path, &LoadOptions::default(), progress)?;
        notes = loaded.notes;
        loaded.cloud
    };
    if device == Device::Sensor {
        mirror(&mut cloud, setup.handedness);
    }
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let source = SourceFile { hash: hash::file_hash(&absolute)?, path: absolute, unit: None, columns: None };
    let actual = Actual {
        sources: vec![source],
        cloud,
        prepared: PreparedScan::default(),
        facets: None,
        findings: CloudFindings::default(),
        notes,
        cleaning: Vec::new(),
    };
    Ok(Measurement { actual: Some(Arc::new(actual)), regions: regions.into_iter().map(PointSet::new).collect() })
}

/// Between what the sensor reports and the right-handed frame.
fn mirror(cloud: &mut Cloud, handedness: Handedness) {
    cloud.points.iter_mut().for_each(|point| *point = handedness.to_right(point));
    if handedness == Handedness::Left {
        cloud.to_sensor.iter_mut().for_each(|direction| direction[0] = -direction[0]);
    }
}

pub(super) fn set_up(setup: Setup, document: &Document) -> Result<Edit> {
    setup.check()?;
    let before = &document.calibration.setup;
    let turned = (before.handedness != setup.handedness).then(|| {
        let actual = document.calibration.sensor.actual.as_ref()?;
        let mut turned = Actual { prepared: PreparedScan::default(), ..Actual::clone(actual) };
        mirror(&mut turned.cloud, Handedness::Left);
        Some(Arc::new(turned))
    });
    // Only what the answer depends on takes it away.
    let same_answer =
        Setup { operator: setup.operator.clone(), valid_hours: setup.valid_hours, ..before.clone() } == setup;
    let outcome = document.calibration.outcome.clone().filter(|_| same_answer);
    let other_artefact = before.artefact != setup.artefact;
    Ok(Edit::new("Change the set-up", move |document| {
        let calibration = &mut document.calibration;
        if let Some(turned) = turned.flatten() {
            calibration.sensor.actual = Some(turned);
        }
        if other_artefact {
            calibration.sensor.regions.clear();
            calibration.cmm.regions.clear();
        }
        (calibration.setup, calibration.outcome) = (setup, outcome);
    }))
}

/// A stroke on one region; what it adds there leaves the others.
pub(super) fn brush(
    (device, region): (Device, usize),
    stroke: &Stroke,
    how: Combine,
    document: &Document,
) -> Result<Edit> {
    let measurement = document.calibration.of(device);
    let Some(actual) = &measurement.actual else {
        return Err(UserError::usage("Open a snapshot and the CMM's touches first."));
    };
    let stroke = stroke.of(&actual.cloud.points);
    let count = document.calibration.setup.artefact.artefact().regions().len();
    let mut regions = measurement.regions.clone();
    regions.resize(count, PointSet::default());
    for (number, own) in regions.iter_mut().enumerate() {
        let how = if number == region { how } else { Combine::Remove };
        *own = own.combined(&stroke, how);
    }
    Ok(change("Brush a region", move |calibration| calibration.of_mut(device).regions = regions))
}

pub(super) fn clear(device: Device, region: usize) -> Edit {
    change("Clear a region", move |calibration| {
        if let Some(own) = calibration.of_mut(device).regions.get_mut(region) {
            *own = PointSet::default();
        }
    })
}

/// Finds the regions in the snapshot.
pub(super) fn find(document: &Document, progress: &Progress) -> Result<Edit> {
    let Some(actual) = &document.calibration.sensor.actual else {
        return Err(UserError::usage("Open a snapshot first."));
    };
    let regions = document.calibration.setup.artefact.artefact().find(&actual.cloud.points, progress)?;
    let note = format!("Found {} regions.", regions.len());
    Ok(change("Find the regions", move |calibration| calibration.sensor.regions = regions).with_notes([note]))
}

/// The points of each region, in the artefact's order.
fn places(measurement: &Measurement, count: usize, name: &str) -> Result<Vec<Vec<Point>>> {
    let Some(actual) = &measurement.actual else {
        return Err(UserError::usage(format!("Open the points of the {name} first.")));
    };
    let of = |region: usize| {
        let points = measurement.region(region);
        points.iter().filter_map(|&number| actual.cloud.points.get(number as usize).copied()).collect()
    };
    Ok((0..count).map(of).collect())
}

pub(super) fn run(document: &Document, progress: &Progress) -> Result<Edit> {
    let outcome = made(&document.calibration, date::unix_now(), progress)?;
    let [a, b, c] = outcome.calibration.mounting.angles_rad().map(f64::to_degrees);
    let note = format!("Calibrated: angles {a:.4}°, {b:.4}°, {c:.4}°.");
    let outcome = Arc::new(outcome);
    Ok(Edit::new("Calibrate", move |document| document.calibration.outcome = Some(outcome)).with_notes([note]))
}

fn made(calibrating: &Calibrating, unix_s: i64, progress: &Progress) -> Result<Outcome> {
    let setup = &calibrating.setup;
    setup.check()?;
    let probe_radius_mm = setup.probe_radius_mm.ok_or_else(|| {
        UserError::usage("Say the radius of the CMM's probe first; 0 where its points lie on the surface already.")
    })?;
    let count = setup.artefact.artefact().regions().len();
    let mut sensor = places(&calibrating.sensor, count, "sensor")?;
    sensor.iter_mut().flatten().for_each(|point| *point = setup.handedness.to_right(point));
    let cmm = places(&calibrating.cmm, count, "CMM")?;
    let request = Request {
        artefact: setup.artefact,
        sensor: &sensor,
        cmm: &cmm,
        handedness: setup.handedness,
        probe_radius_mm,
        clip_sigmas: setup.clip_sigmas,
        bias_mm: setup.bias_mm,
        position_mm: Vector::from(setup.position_mm),
    };
    let calibration = solve(&request, progress)?;
    let file = |measurement: &Measurement| measurement.source().map(InputFile::of).unwrap_or_default();
    let made = Made {
        sensor: file(&calibrating.sensor),
        cmm: file(&calibrating.cmm),
        operator: setup.operator.clone(),
        unix_s,
        valid_hours: setup.valid_hours,
    };
    Ok(Outcome { calibration, made })
}

/// Writes calibration.json and certificate.pdf into a folder.
pub(super) fn write_certificate(folder: &Path, document: &Document) -> Result<Edit> {
    let Some(outcome) = &document.calibration.outcome else {
        return Err(UserError::usage("Calibrate first."));
    };
    std::fs::create_dir_all(folder).map_err(|e| UserError::file("make the folder", folder, &e))?;
    let record = certificate::record(&outcome.calibration, &outcome.made);
    atomic::write_bytes(&folder.join("calibration.json"), format!("{record:#}\n").as_bytes())?;
    let pdf = certificate::pdf(&outcome.calibration, &outcome.made)?;
    atomic::write_bytes(&folder.join("certificate.pdf"), &pdf)?;
    Ok(Edit::nothing(format!("Wrote calibration.json and certificate.pdf into {}.", folder.display())))
}

/// What a project kept, as far as its files are still there; notes say what is missing.
pub(super) fn restored(kept: Kept, notes: &mut Vec<String>, progress: &Progress) -> Result<Calibrating> {
    let mut calibrating = Calibrating { setup: kept.setup, ..Calibrating::default() };
    let files = [(Device::Sensor, kept.sensor, kept.sensor_regions), (Device::Cmm, kept.cmm, kept.cmm_regions)];
    let mut complete = true;
    for (device, source, regions) in files {
        let Some(source) = source else { continue };
        match read(device, &source.path, &calibrating.setup, progress) {
            Ok(mut measurement) => {
                let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
                let fits = |region: &PointSet| region.last().is_none_or(|&last| (last as usize) < points);
                if measurement.source().is_some_and(|now| now.hash == source.hash) && regions.iter().all(fits) {
                    measurement.regions = regions;
                } else {
                    notes.push(format!("{} has changed since the project was saved.", source.name()));
                    complete = false;
                }
                *calibrating.of_mut(device) = measurement;
            }
            Err(error) if error.kind == crate::base::ErrorKind::Cancelled => return Err(error),
            Err(error) => {
                notes.push(error.in_file(&source.path).sentence);
                complete = false;
            }
        }
    }
    if let Some(before) = kept.made.filter(|_| complete) {
        match made(&calibrating, before.unix_s, progress) {
            Ok(outcome) => calibrating.outcome = Some(Arc::new(Outcome { made: before, ..outcome })),
            Err(error) => notes.push(error.sentence),
        }
    }
    Ok(calibrating)
}
