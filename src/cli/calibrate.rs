//! `shadowgraph calibrate`: calibrates the mounting of the sensor on the CMM, by the same commands as the window.

use std::path::{Path, PathBuf};

use super::arguments::Calibrate;
use super::console::Console;
use crate::output::outln;
use base::{Result, UserError, signed};
use dispatch::monitoring::Monitoring;
use dispatch::{Command, Context, Dispatcher};
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::consistency::Outcome;
use inspect::calibration::joint::{KnownErrors, Stated, Wanted};
use inspect::calibration::{Calibration, Certification, Light};
use io::atomic;
use io::snapshot_table::{self, SnapshotRow};
use report::certificate;
use session::calibration::monitoring::CalibrationMonitoring;
use session::calibration::{Instrument, NominalFiles, Serials, Setup};

/// A snapshot, its probed points, and the CMM position, mm.
struct Snapshot {
    sensor: PathBuf,
    cmm: PathBuf,
    position_mm: [f64; 3],
}

/// Exit code of a calibration that is not certified.
const NOT_CERTIFIED: i32 = 4;

/// Runs it; returns the exit code.
pub fn run(arguments: &Calibrate, json: bool, context: &Context) -> Result<i32> {
    let console = Console::new();
    let mut dispatcher = Dispatcher::new(context.clone());
    let done = job(arguments, &mut dispatcher, &console);
    console.done();
    done?;
    let Some(outcome) = &dispatcher.document.calibration.outcome else {
        return Err(UserError::internal("The calibration gave no result."));
    };
    let record = certificate::record(&outcome.calibration, &outcome.provenance);
    if let Some(path) = &arguments.out {
        atomic::write_bytes(path, format!("{record:#}\n").as_bytes())?;
    }
    if let Some(path) = &arguments.certificate {
        atomic::write_bytes(path, &certificate::pdf(&outcome.calibration, &outcome.provenance, arguments.page_size)?)?;
    }
    let certification = outcome.calibration.certification();
    if json {
        super::print_json(&record)?;
    } else {
        print(&outcome.calibration, &certification);
    }
    if certification.is_certified() {
        return Ok(0);
    }
    eprintln!("Not certified:");
    certification.reasons().iter().for_each(|reason| eprintln!("  {reason}"));
    Ok(NOT_CERTIFIED)
}

fn known_errors(arguments: &Calibrate) -> KnownErrors {
    let micro = |value: f64, expanded: f64| Stated { value: 1e-6 * value, expanded: 1e-6 * expanded };
    let expanded = arguments.known_scales_u_um_per_m.unwrap_or_default();
    KnownErrors {
        squareness_rad: arguments.known_squareness_urad.map(|[value, expanded]| micro(value, expanded)),
        scales: match arguments.known_scales_um_per_m {
            Some(scales) => scales.map(|value| Some(micro(value, expanded))),
            None => [None; 3],
        },
    }
}

fn job(arguments: &Calibrate, dispatcher: &mut Dispatcher, console: &Console) -> Result<()> {
    let progress = console.progress();
    let snapshots = snapshots(arguments)?;
    let setup = |position_mm| {
        Command::Calibrate(dispatch::Calibrate::SetUp(Box::new(Setup {
            artefact: arguments.artefact,
            nominal: NominalFiles { cad: arguments.artefact_cad.clone(), regions: arguments.artefact_regions.clone() },
            handedness: arguments.handedness,
            probe_radius_mm: Some(arguments.probe_radius_mm),
            probe_radius_error_mm: arguments.probe_radius_error_mm,
            clip_sigmas: arguments.clip_sigmas,
            bias_mm: arguments.sensor_bias_mm,
            scale: arguments.sensor_scale_error,
            field_mm: arguments.sensor_field_mm,
            probing_mm: arguments.cmm_probing_mm,
            any_mounting: arguments.any_mounting,
            position_mm,
            wanted: Wanted {
                squareness: arguments.squareness,
                scales: arguments.scales,
                known: known_errors(arguments),
            },
            operator: arguments.operator.clone(),
            serials: Serials {
                sensor: arguments.sensor_serial.clone(),
                machine: arguments.machine_serial.clone(),
                artefact: arguments.artefact_serial.clone(),
            },
            valid_hours: arguments.valid_hours,
            ..Setup::default()
        })))
    };
    let monitoring = CalibrationMonitoring { log: arguments.log.clone(), ..CalibrationMonitoring::default() };
    dispatcher.run_now(Command::Monitoring(Monitoring::Set(Box::new(monitoring))), &progress)?;
    // In reverse order, so that the first snapshot is the one in work at the end.
    let mut opened_cmm: Option<&Path> = None;
    for (index, snapshot) in snapshots.iter().enumerate().rev() {
        dispatcher.run_now(setup(snapshot.position_mm), &progress)?;
        let open = |instrument, path: &Path| {
            Command::Calibrate(dispatch::Calibrate::OpenMeasurement { instrument, path: path.to_owned() })
        };
        if opened_cmm != Some(&snapshot.cmm) {
            dispatcher.run_now(open(Instrument::Cmm, &snapshot.cmm), &progress)?;
            opened_cmm = Some(&snapshot.cmm);
        }
        dispatcher.run_now(open(Instrument::Sensor, &snapshot.sensor), &progress)?;
        if dispatcher.document.calibration.sensor.regions.iter().all(|region| region.is_empty()) {
            dispatcher.run_now(dispatch::Calibrate::FindRegions, &progress).map_err(|e| e.in_file(&snapshot.sensor))?;
        }
        if index > 0 {
            dispatcher
                .run_now(dispatch::Calibrate::KeepSnapshot, &progress)
                .map_err(|e| e.in_file(&snapshot.sensor))?;
        }
    }
    dispatcher.run_now(dispatch::Calibrate::Run, &progress)
}

fn snapshots(arguments: &Calibrate) -> Result<Vec<Snapshot>> {
    if let (Some(sensor), Some(cmm)) = (&arguments.sensor, &arguments.cmm) {
        return Ok(vec![Snapshot { sensor: sensor.clone(), cmm: cmm.clone(), position_mm: arguments.position_mm }]);
    }
    let Some(path) = &arguments.snapshots else {
        return Err(UserError::usage("Name a snapshot and the probed points, or a table of snapshots."));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let row = |row: SnapshotRow| {
        let cmm = row.cmm.ok_or_else(|| {
            UserError::input(format!(
                "{}, line {}: no file of probed points is named; a calibration needs sensor file, CMM file, x, y, z.",
                path.display(),
                row.line
            ))
        })?;
        let position_mm = row.position_mm.into();
        Ok(Snapshot { sensor: folder.join(row.sensor), cmm: folder.join(cmm), position_mm })
    };
    snapshot_table::read(path)?.into_iter().map(row).collect()
}

fn print(calibration: &Calibration, certification: &Certification) {
    outln!("{}", if certification.is_certified() { "Certified" } else { "NOT CERTIFIED" });
    let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
    let translation = mounting.cmm_from_sensor.translation.vector;
    let [a, b, c] = mounting.angles_rad().map(f64::to_degrees);
    outln!("Translation        {:.4}, {:.4}, {:.4} mm", translation.x, translation.y, translation.z);
    outln!("Angles (Rx Ry Rz)  {a:.5}°, {b:.5}°, {c:.5}°");
    let [x, y, z] = uncertainty.place_mm().map(|sigma| 2.0 * sigma);
    outln!("U (k = 2) of the position at the artefact  {x:.4}, {y:.4}, {z:.4} mm");
    let [a, b, c] = uncertainty.angles_rad.map(|sigma| 2.0 * sigma.to_degrees());
    outln!("U (k = 2) of the angles                    {a:.5}°, {b:.5}°, {c:.5}°");
    if let Some(joint) = &calibration.joint {
        outln!("From {} snapshots; misfit {:.2} standard deviations", calibration.snapshots, joint.misfit);
        let (faults, [square_sigma, scale_sigmas @ ..]) = (&joint.faults, joint.faults_sigma);
        if square_sigma > 0.0 {
            outln!("Squareness of X and Y  {:.2} ± {:.2} µrad", 1e6 * faults.squareness_rad, 2e6 * square_sigma);
        }
        for ((axis, scale), sigma) in ["X", "Y", "Z"].into_iter().zip(faults.scales).zip(scale_sigmas) {
            if sigma > 0.0 {
                outln!("Scale of {axis}             {:.2} ± {:.2} µm/m", 1e6 * scale, 2e6 * sigma);
            }
        }
    }
    for (name, bias_mm) in radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm) {
        outln!("Radius of sphere {name}, sensor minus CMM  {} mm", signed(bias_mm, 4));
    }
    for (instrument, frame) in [("sensor", &calibration.sensor), ("CMM", &calibration.cmm)] {
        let weakest = frame.weakest().map_or("", |part| part.name);
        outln!("Largest contribution, {instrument:7} fit of {weakest}");
    }
    for own in &certification.lights {
        let light = match own.light {
            Light::Green => "green",
            Light::Amber => "amber",
            Light::Red => "red",
        };
        outln!("{light:5}  {}: {}", own.name, own.sentence);
    }
    for own in &calibration.consistency.comparisons {
        outln!(
            "  {:44} {:>12} {:>12}  |d|/U {:.2}{}",
            own.quantity,
            own.shown(own.sensor),
            own.shown(own.cmm),
            own.normalised,
            if own.outcome == Outcome::NotJudged { ", not judged" } else { "" }
        );
    }
    calibration.consistency.unseen.iter().for_each(|sentence| outln!("Note: {sentence}"));
}
