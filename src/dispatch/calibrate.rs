//! Commands of the calibration.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit, artefact_regions};
use base::{Progress, Result, UserError, hash};
use geometry::health::CloudFindings;
use geometry::subset::{Combine, Subset};
use geometry::{Cloud, Point, Vector};
use inspect::calibration::{Artefact, Handedness, Placement, Request, View, calibrate as solve};
use inspect::parts::Actual;
use inspect::parts::PreparedScan;
use io::SourceFile;
use io::{LoadOptions, atomic, load_scan, region_table};
use render::selecting::Brushed;
use report::{certificate, date};
use session::Document;
use session::calibrating::{
    Calibrating, Device, InputFile, Kept, KeptMeasurement, Made, Measurement, Outcome, Setup, Taken,
};

/// What can be asked of the calibration.
#[derive(Clone, Debug)]
pub enum Calibrate {
    /// Opens what a device measured of the artefact.
    OpenMeasurement {
        /// Which device.
        device: Device,
        /// Its file: points, or a table of touches with the names of their regions.
        path: PathBuf,
    },
    /// Changes what is said of the set-up.
    SetUp(Box<Setup>),
    /// Changes a region of the artefact by the points inside an outline on the screen.
    BrushRegion {
        /// Whose points.
        device: Device,
        /// The region's number.
        region: usize,
        /// The stroke.
        stroke: Brushed,
        /// What it does.
        how: Combine,
    },
    /// Empties a region of the artefact.
    ClearRegion(Device, usize),
    /// Finds the artefact's regions in the snapshot.
    FindRegions,
    /// Sets the snapshot aside, to calibrate from it together with others.
    KeepSnapshot,
    /// Forgets a snapshot that was set aside, by its number.
    ForgetSnapshot(usize),
    /// Calibrates the sensor from the regions of both devices.
    Run,
    /// Writes the certificate into a folder.
    WriteCertificate(PathBuf),
}

impl Calibrate {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::OpenMeasurement { device, path } => {
                Execution::work("Opening the measurement", move |progress, _| open(device, &path, &before, progress))
            }
            Self::SetUp(setup) => Execution::Now(set_up(*setup, &before)?),
            Self::BrushRegion { device, region, stroke: found @ Brushed::Points(_), how } => {
                Execution::Now(brush((device, region), &found, how, &before)?)
            }
            Self::BrushRegion { device, region, stroke, how } => {
                Execution::work("Selecting", move |_, _| brush((device, region), &stroke, how, &before))
            }
            Self::ClearRegion(device, region) => Execution::Now(clear(device, region)),
            Self::FindRegions => Execution::work("Looking for the regions", move |progress, _| {
                artefact_regions::find(&before, &context, progress)
            }),
            Self::KeepSnapshot => Execution::Now(keep(&before)?),
            Self::ForgetSnapshot(number) => Execution::Now(forget(number)),
            Self::Run => Execution::work("Calibrating", move |progress, _| run(&before, progress)),
            Self::WriteCertificate(folder) => {
                Execution::work("Writing the certificate", move |_, _| write_certificate(&folder, &before))
            }
        })
    }
}

/// Reads what a device measured; a table with names of regions brings those along.
fn open(device: Device, path: &Path, document: &Document, progress: &Progress) -> Result<Edit> {
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
pub(super) fn change(label: &str, apply: impl FnOnce(&mut Calibrating) + Send + 'static) -> Edit {
    Edit::new(label, move |document| {
        apply(&mut document.calibration);
        document.calibration.outcome = None;
    })
}

pub(super) fn read(device: Device, path: &Path, setup: &Setup, progress: &Progress) -> Result<Measurement> {
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
    Ok(Measurement { actual: Some(Arc::new(actual)), regions: regions.into_iter().map(Subset::new).collect() })
}

/// Between what the sensor reports and the right-handed frame.
pub(super) fn mirror(cloud: &mut Cloud, handedness: Handedness) {
    cloud.points.iter_mut().for_each(|point| *point = handedness.to_right(point));
    if handedness == Handedness::Left {
        cloud.to_sensor.iter_mut().for_each(|direction| direction[0] = -direction[0]);
    }
}

fn set_up(setup: Setup, document: &Document) -> Result<Edit> {
    setup.check()?;
    let before = &document.calibration.setup;
    let is_turned = before.handedness != setup.handedness;
    let turned = |measurement: &Measurement| {
        let mut turned = measurement.clone();
        if let Some(actual) = turned.actual.as_mut().filter(|_| is_turned) {
            let mut mirrored = Actual { prepared: PreparedScan::default(), ..Actual::clone(actual) };
            mirror(&mut mirrored.cloud, Handedness::Left);
            *actual = Arc::new(mirrored);
        }
        turned
    };
    let sensor = turned(&document.calibration.sensor);
    let of_taken = |taken: &Taken| Taken { sensor: turned(&taken.sensor), ..taken.clone() };
    let taken: Vec<Taken> = document.calibration.taken.iter().map(of_taken).collect();
    // Only what the answer depends on takes it away.
    let (operator, mechanical, nominal) = (setup.operator.clone(), setup.mechanical.clone(), setup.nominal.clone());
    let (valid_hours, serials) = (setup.valid_hours, setup.serials.clone());
    let same_answer = Setup { operator, serials, mechanical, nominal, valid_hours, ..before.clone() } == setup;
    let outcome = document.calibration.outcome.clone().filter(|_| same_answer);
    let other_artefact = before.artefact != setup.artefact;
    Ok(Edit::new("Change the set-up", move |document| {
        let calibration = &mut document.calibration;
        (calibration.sensor, calibration.taken) = (sensor, taken);
        if other_artefact {
            calibration.sensor.regions.clear();
            calibration.cmm.regions.clear();
            calibration.taken.clear();
        }
        (calibration.setup, calibration.outcome) = (setup, outcome);
    }))
}

/// A stroke on one region; what it adds there leaves the others.
fn brush((device, region): (Device, usize), stroke: &Brushed, how: Combine, document: &Document) -> Result<Edit> {
    let measurement = document.calibration.of(device);
    let Some(actual) = &measurement.actual else {
        return Err(UserError::usage("Open a snapshot and the CMM's touches first."));
    };
    let stroke = stroke.of(&actual.cloud.points);
    if !stroke.is_within(actual.cloud.points.len()) {
        return Err(UserError::internal("A stroke named points that the measurement has not."));
    }
    let count = document.calibration.setup.artefact.artefact().regions().len();
    let mut regions = measurement.regions.clone();
    regions.resize(count, Subset::default());
    for (number, own) in regions.iter_mut().enumerate() {
        let how = if number == region { how } else { Combine::Remove };
        *own = own.combined(&stroke, how);
    }
    Ok(change("Brush a region", move |calibration| calibration.of_mut(device).regions = regions))
}

fn clear(device: Device, region: usize) -> Edit {
    change("Clear a region", move |calibration| {
        if let Some(own) = calibration.of_mut(device).regions.get_mut(region) {
            *own = Subset::default();
        }
    })
}

/// Sets the snapshot aside, to be used together with others. The touches stay: the artefact may be seen again as it lies.
fn keep(document: &Document) -> Result<Edit> {
    let calibrating = &document.calibration;
    let count = calibrating.setup.artefact.artefact().regions().len();
    let is_filled = |measurement: &Measurement| (0..count).all(|region| !measurement.region(region).is_empty());
    if !is_filled(&calibrating.sensor) || !is_filled(&calibrating.cmm) {
        return Err(UserError::usage("Fill every region of the snapshot and of the touches before setting it aside."));
    }
    Ok(change("Set the snapshot aside", |calibration| {
        let (sensor, cmm) = (std::mem::take(&mut calibration.sensor), calibration.cmm.clone());
        calibration.taken.push(Taken { sensor, cmm, position_mm: calibration.setup.position_mm });
    }))
}

fn forget(number: usize) -> Edit {
    change("Forget a snapshot", move |calibration| {
        if number < calibration.taken.len() {
            calibration.taken.remove(number);
        }
    })
}

/// The points that each region's part is made from, in the artefact's order.
pub(super) fn touched(measurement: &Measurement, artefact: &dyn Artefact) -> Result<Vec<Vec<Point>>> {
    let Some(actual) = &measurement.actual else {
        return Err(UserError::usage("Open the touches of the CMM first."));
    };
    let of = |region: usize| {
        let points = measurement.region(region);
        points.iter().filter_map(|&number| actual.cloud.points.get(number as usize).copied()).collect()
    };
    Ok((0..artefact.regions().len()).map(of).collect())
}

fn seen(taken: &Taken, setup: &Setup) -> Result<View> {
    let Some(actual) = &taken.sensor.actual else {
        return Err(UserError::usage("Open a snapshot of the sensor first."));
    };
    let artefact = setup.artefact.artefact();
    let all: Vec<Subset> = (0..artefact.regions().len()).map(|region| taken.sensor.region(region)).collect();
    let mut regions = artefact.extract(&actual.cloud, &all)?;
    regions.iter_mut().flatten().for_each(|point| *point = setup.handedness.to_right(point));
    let mut surface = View::surface_of(&actual.cloud.points);
    surface.iter_mut().for_each(|point| *point = setup.handedness.to_right(point));
    Ok(View { regions, surface, position_mm: Vector::from(taken.position_mm) })
}

/// The artefact as it lay, each time with all snapshots of it.
fn placements(snapshots: &[Taken], setup: &Setup) -> Result<Vec<Placement>> {
    let mut found: Vec<(&Measurement, Placement)> = Vec::new();
    for taken in snapshots {
        let view = seen(taken, setup)?;
        match found.iter_mut().find(|(cmm, _)| cmm.is_same(&taken.cmm)) {
            Some((_, placement)) => placement.views.push(view),
            None => {
                let cmm = touched(&taken.cmm, setup.artefact.artefact())?;
                found.push((&taken.cmm, Placement { cmm, views: vec![view] }));
            }
        }
    }
    Ok(found.into_iter().map(|(_, placement)| placement).collect())
}

fn run(document: &Document, progress: &Progress) -> Result<Edit> {
    let outcome = made(&document.calibration, date::unix_now(), progress)?;
    let [a, b, c] = outcome.calibration.mounting.angles_rad().map(f64::to_degrees);
    let certification = outcome.calibration.certification();
    let certified = if certification.is_certified() { "Calibrated" } else { "Calibrated, but not certified" };
    let note = format!("{certified}: angles {a:.4}°, {b:.4}°, {c:.4}°.");
    let (logged, reading) = super::upkeep::log(&outcome, document)?;
    let outcome = Arc::new(outcome);
    Ok(Edit::new("Calibrate", move |document| {
        document.calibration.outcome = Some(outcome);
        document.reading = reading;
    })
    .with_notes([note].into_iter().chain(certification.reasons()).chain(logged)))
}

fn made(calibrating: &Calibrating, unix_s: i64, progress: &Progress) -> Result<Outcome> {
    let setup = &calibrating.setup;
    setup.check()?;
    let probe_radius_mm = setup.probe_radius_mm.ok_or_else(|| {
        UserError::usage("Say the radius of the CMM's probe first; 0 where its points lie on the surface already.")
    })?;
    let snapshots = calibrating.snapshots();
    let placements = placements(&snapshots, setup)?;
    let request = Request {
        artefact: setup.artefact,
        placements: &placements,
        handedness: setup.handedness,
        probe_radius_mm,
        clip_sigmas: setup.clip_sigmas,
        bias_mm: setup.bias_mm,
        scale: setup.scale,
        probing_mm: setup.probing_mm,
        wanted: setup.wanted,
        own_shape: setup.nominal.cad.is_some(),
        any_mounting: setup.any_mounting,
    };
    let calibration = solve(&request, progress)?;
    let file = |measurement: &Measurement| measurement.source().map(InputFile::of).unwrap_or_default();
    let mut files = snapshots.iter().flat_map(|taken| [file(&taken.sensor), file(&taken.cmm)]);
    let made = Made {
        sensor: files.next().unwrap_or_default(),
        cmm: files.next().unwrap_or_default(),
        more: files.collect(),
        operator: setup.operator.clone(),
        serials: setup.serials.clone(),
        unix_s,
        valid_hours: setup.valid_hours,
    };
    Ok(Outcome { calibration, made })
}

/// Writes calibration.json and certificate.pdf into a folder.
fn write_certificate(folder: &Path, document: &Document) -> Result<Edit> {
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
    let mut restorer = Restorer { setup: calibrating.setup.clone(), read: Vec::new(), notes, complete: true };
    calibrating.sensor = restorer.measurement(Device::Sensor, kept.sensor, progress)?;
    calibrating.cmm = restorer.measurement(Device::Cmm, kept.cmm, progress)?;
    for taken in kept.taken {
        let sensor = restorer.measurement(Device::Sensor, taken.sensor, progress)?;
        let cmm = restorer.measurement(Device::Cmm, taken.cmm, progress)?;
        calibrating.taken.push(Taken { sensor, cmm, position_mm: taken.position_mm });
    }
    let complete = restorer.complete;
    if let Some(before) = kept.made.filter(|_| complete) {
        match made(&calibrating, before.unix_s, progress) {
            Ok(outcome) => calibrating.outcome = Some(Arc::new(Outcome { made: before, ..outcome })),
            Err(error) => notes.push(error.sentence),
        }
    }
    Ok(calibrating)
}

/// Reads measurements again, each only once: those that were one are one again.
struct Restorer<'a> {
    setup: Setup,
    read: Vec<(KeptMeasurement, Measurement)>,
    notes: &'a mut Vec<String>,
    complete: bool,
}

impl Restorer<'_> {
    fn measurement(&mut self, device: Device, kept: KeptMeasurement, progress: &Progress) -> Result<Measurement> {
        let Some(source) = &kept.source else { return Ok(Measurement::default()) };
        if let Some((_, before)) = self.read.iter().find(|(own, _)| *own == kept) {
            return Ok(before.clone());
        }
        match read(device, &source.path, &self.setup, progress) {
            Ok(mut measurement) => {
                let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
                let fits = |region: &Subset| region.last().is_none_or(|&last| (last as usize) < points);
                if measurement.source().is_some_and(|now| now.hash == source.hash) && kept.regions.iter().all(fits) {
                    measurement.regions.clone_from(&kept.regions);
                } else {
                    self.notes.push(format!("{} has changed since the project was saved.", source.name()));
                    self.complete = false;
                }
                self.read.push((kept, measurement.clone()));
                Ok(measurement)
            }
            Err(error) if error.kind == base::ErrorKind::Cancelled => Err(error),
            Err(error) => {
                self.notes.push(error.in_file(&source.path).sentence);
                self.complete = false;
                Ok(Measurement::default())
            }
        }
    }
}
