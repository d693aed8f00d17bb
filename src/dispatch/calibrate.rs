//! Calibration commands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit};
use base::{Progress, Result, UserError, date, full_path};
use geometry::subset::{Combine, Subset};
use inspect::calibration::Handedness;
use inspect::calibration::recipe::CalibrationRecipe;
use inspect::parts::{Actual, PreparedScan};
use io::{SourceFile, atomic};
use render::selecting::Brushed;
use report::certificate;
use session::Document;
use session::calibration::{CalibrationState, Instrument, Measurement, Setup, SnapshotPair};
use session::plan::Recipe;
use texts::Language;

/// Calibration commands.
#[derive(Clone, Debug)]
pub enum Calibrate {
    /// Opens the points of the artefact measured by an instrument.
    OpenMeasurement {
        /// The instrument.
        instrument: Instrument,
        /// The file: points, or a table of points with region names.
        path: PathBuf,
    },
    /// Changes the set-up.
    SetUp(Box<Setup>),
    /// Changes a region of the artefact by the points inside a brush stroke.
    BrushRegion {
        /// The instrument whose points are selected.
        instrument: Instrument,
        /// Index of the region.
        region: usize,
        /// The brush stroke.
        stroke: Brushed,
        /// How the stroke is combined with the region.
        how: Combine,
    },
    /// Clears a region of the artefact, by its index.
    ClearRegion(Instrument, usize),
    /// Finds the artefact's regions in the snapshot.
    FindRegions,
    /// Sets the snapshot aside, to calibrate from it together with others.
    KeepSnapshot,
    /// Discards a snapshot that was set aside, by its index.
    ForgetSnapshot(usize),
    /// Calibrates the sensor from the regions measured by both instruments.
    Run,
    /// Writes the certificate to a folder.
    WriteCertificate(PathBuf),
    /// Requires the calibration recorded in a file for every part measured by the plan.
    Require(PathBuf),
}

impl Calibrate {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::OpenMeasurement { instrument, path } => {
                Execution::work("Opening the measurement", move |progress, _| {
                    open(instrument, &path, &before, progress)
                })
            }
            Self::SetUp(setup) => Execution::Now(set_up(*setup, &before)?),
            Self::BrushRegion { instrument, region, stroke: found @ Brushed::Points(_), how } => {
                Execution::Now(brush((instrument, region), &found, how, &before)?)
            }
            Self::BrushRegion { instrument, region, stroke, how } => {
                Execution::work("Selecting", move |_, _| brush((instrument, region), &stroke, how, &before))
            }
            Self::ClearRegion(instrument, region) => Execution::Now(clear(instrument, region)),
            Self::FindRegions => {
                Execution::work("Finding the regions", move |progress, _| find_regions(&before, &context, progress))
            }
            Self::KeepSnapshot => Execution::Now(set_aside(&before)?),
            Self::ForgetSnapshot(index) => Execution::Now(discard(index)),
            Self::Run => Execution::work("Calibrating", move |progress, _| run(&before, progress)),
            Self::Require(file) => Execution::work("Reading the calibration", move |progress, _| {
                require(&file, before, &context, progress)
            }),
            Self::WriteCertificate(folder) => {
                // The job's thread has no language of its own.
                let language = before.settings.report.language.unwrap_or_else(texts::language);
                Execution::work("Writing the certificate", move |_, _| write_certificate(&folder, &before, language))
            }
        })
    }
}

/// Reads the points measured by an instrument; a table with region names assigns the regions too.
fn open(instrument: Instrument, path: &Path, document: &Document, progress: &Progress) -> Result<Edit> {
    let measurement = Measurement::read(instrument, path, &document.calibration.setup, progress)
        .map_err(|error| error.in_file(path))?;
    let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
    let named = measurement.regions.iter().filter(|region| !region.is_empty()).count();
    let name = measurement.source().map(SourceFile::name).unwrap_or_default();
    let note = format!("{name}: {points} points, {named} named regions.");
    let label = match instrument {
        Instrument::Sensor => "Open the snapshot",
        Instrument::Cmm => "Open the probed points",
    };
    Ok(change(label, move |calibration| *calibration.of_mut(instrument) = measurement).with_notes([note]))
}

/// A change of the calibration's inputs, which invalidates its result.
fn change(label: &str, apply: impl FnOnce(&mut CalibrationState) + Send + 'static) -> Edit {
    Edit::new(label, move |document| {
        apply(&mut document.calibration);
        document.calibration.outcome = None;
    })
}

fn set_up(setup: Setup, document: &Document) -> Result<Edit> {
    setup.check()?;
    let before = &document.calibration.setup;
    let is_mirrored = before.handedness != setup.handedness;
    let converted = |measurement: &Measurement| {
        let mut converted = measurement.clone();
        if let Some(actual) = converted.actual.as_mut().filter(|_| is_mirrored) {
            let mut mirrored = Actual { prepared: PreparedScan::default(), ..Actual::clone(actual) };
            Handedness::Left.convert(&mut mirrored.cloud);
            *actual = Arc::new(mirrored);
        }
        converted
    };
    let sensor = converted(&document.calibration.sensor);
    let convert_pair = |pair: &SnapshotPair| SnapshotPair { sensor: converted(&pair.sensor), ..pair.clone() };
    let set_aside: Vec<SnapshotPair> = document.calibration.set_aside.iter().map(convert_pair).collect();
    // The result is discarded only if a parameter it depends on changes.
    let (operator, mechanical, nominal) = (setup.operator.clone(), setup.mechanical.clone(), setup.nominal.clone());
    let (valid_hours, serials) = (setup.valid_hours, setup.serials.clone());
    let same_result = Setup { operator, serials, mechanical, nominal, valid_hours, ..before.clone() } == setup;
    let outcome = document.calibration.outcome.clone().filter(|_| same_result);
    let other_artefact = before.artefact != setup.artefact;
    Ok(Edit::new("Change the set-up", move |document| {
        let calibration = &mut document.calibration;
        (calibration.sensor, calibration.set_aside) = (sensor, set_aside);
        if other_artefact {
            calibration.sensor.regions.clear();
            calibration.cmm.regions.clear();
            calibration.set_aside.clear();
        }
        (calibration.setup, calibration.outcome) = (setup, outcome);
    }))
}

/// Applies a stroke to one region; the points it covers are removed from the others.
fn brush(
    (instrument, region): (Instrument, usize),
    stroke: &Brushed,
    how: Combine,
    document: &Document,
) -> Result<Edit> {
    let measurement = document.calibration.of(instrument);
    let Some(actual) = &measurement.actual else {
        return Err(UserError::usage("Open a snapshot and the probed points first."));
    };
    let stroke = stroke.of(&actual.cloud.points);
    if !stroke.is_within(actual.cloud.points.len()) {
        return Err(UserError::internal("A brush stroke refers to points the measurement does not have."));
    }
    let count = document.calibration.setup.artefact.artefact().regions().len();
    let mut regions = measurement.regions.clone();
    regions.resize(count, Subset::default());
    for (index, own) in regions.iter_mut().enumerate() {
        let how = if index == region { how } else { Combine::Remove };
        *own = own.combined(&stroke, how);
    }
    Ok(change("Brush a region", move |calibration| calibration.of_mut(instrument).regions = regions))
}

fn clear(instrument: Instrument, region: usize) -> Edit {
    change("Clear a region", move |calibration| {
        if let Some(own) = calibration.of_mut(instrument).regions.get_mut(region) {
            *own = Subset::default();
        }
    })
}

/// Finds the regions in the snapshot, by the built-in design of the artefact or by its CAD if named.
fn find_regions(document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (regions, notes) = document.calibration.find_regions(&context.cad, context.backend.as_ref(), progress)?;
    let notes = [format!("{} regions found.", regions.len())].into_iter().chain(notes);
    Ok(change("Find the regions", move |calibration| calibration.sensor.regions = regions).with_notes(notes))
}

/// Sets the snapshot aside, to be used together with others. The probed points stay: further snapshots may be taken of
/// the artefact in the same placement.
fn set_aside(document: &Document) -> Result<Edit> {
    let calibrating = &document.calibration;
    let count = calibrating.setup.artefact.artefact().regions().len();
    let is_filled = |measurement: &Measurement| (0..count).all(|region| !measurement.region(region).is_empty());
    if !is_filled(&calibrating.sensor) || !is_filled(&calibrating.cmm) {
        return Err(UserError::usage(
            "Assign every region of the snapshot and of the probed points before setting the snapshot aside.",
        ));
    }
    Ok(change("Set the snapshot aside", |calibration| {
        let (sensor, cmm) = (std::mem::take(&mut calibration.sensor), calibration.cmm.clone());
        calibration.set_aside.push(SnapshotPair { sensor, cmm, position_mm: calibration.setup.position_mm });
    }))
}

fn discard(index: usize) -> Edit {
    change("Discard a snapshot", move |calibration| {
        if index < calibration.set_aside.len() {
            calibration.set_aside.remove(index);
        }
    })
}

fn run(document: &Document, progress: &Progress) -> Result<Edit> {
    let outcome = document.calibration.solve(date::unix_now(), progress)?;
    let [a, b, c] = outcome.calibration.mounting.angles_rad().map(f64::to_degrees);
    let certification = outcome.calibration.certification();
    let certified = if certification.is_certified() { "Calibrated" } else { "Calibrated, but not certified" };
    let note = format!("{certified}: angles {a:.4}°, {b:.4}°, {c:.4}°.");
    let (logged, reading) = super::monitoring::log(&outcome, document)?;
    let outcome = Arc::new(outcome);
    Ok(Edit::new("Calibrate", move |document| {
        document.calibration.outcome = Some(outcome);
        document.reading = reading;
    })
    .with_notes([note].into_iter().chain(certification.reasons()).chain(logged)))
}

/// Writes calibration.json and certificate.pdf to a folder.
fn write_certificate(folder: &Path, document: &Document, language: Language) -> Result<Edit> {
    let Some(outcome) = &document.calibration.outcome else {
        return Err(UserError::usage("Calibrate first."));
    };
    base::folder::make(folder)?;
    let record = certificate::record(&outcome.calibration, &outcome.provenance);
    atomic::write_bytes(&folder.join("calibration.json"), format!("{record:#}\n").as_bytes())?;
    let size = document.settings.report.page_size;
    let pdf = texts::within(language, || certificate::pdf(&outcome.calibration, &outcome.provenance, size))?;
    atomic::write_bytes(&folder.join("certificate.pdf"), &pdf)?;
    Ok(Edit::nothing(format!("Wrote calibration.json and certificate.pdf to {}.", full_path(folder))))
}

/// Requires the calibration record at `file` for every measured part.
fn require(file: &Path, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let recipe: Recipe = CalibrationRecipe { file: base::absolute(file) }.into();
    let same = document.plan.elements().iter().find(|own| own.recipe == recipe).map(|own| own.id);
    let id = same.map_or_else(|| document.plan.add(&texts::name("Sensor calibration"), recipe), Ok)?;
    Edit::making("Require the calibration", id, document, context, progress)
}
