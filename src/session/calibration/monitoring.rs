//! Monitoring between calibrations: the calibration log, a reference certificate, and the CMM.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::Outcome;
use super::logged::CalibrationDetails;
use base::Result;
use geometry::Point;
use inspect::calibration::repeatability::{CalibrationStatus, Evidence, Log, Machine, Record, Repeatability};
use io::json_lines;

/// Settings of the calibration monitoring; saved in the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CalibrationMonitoring {
    /// The log file that each calibration is appended to; without one no log is kept.
    pub log: Option<PathBuf>,
    /// The certificate (JSON) that the last calibration is compared with.
    pub certificate: Option<PathBuf>,
    /// Data of the CMM. The validity of a calibration is part of the calibration itself.
    pub machine: Machine,
}

/// A calibration log as read, and its evaluation.
#[derive(Debug)]
pub struct Reading {
    /// The calibrations in it, and the lines that could not be read.
    pub log: Log,
    /// Their repeatability; an error if they are too few.
    pub repeatability: Result<Repeatability>,
    /// Why the last calibration could not be compared with the named certificate; `None` if it was compared or no
    /// certificate is named.
    pub uncompared: Option<String>,
}

impl Reading {
    /// Estimated bytes it holds.
    pub fn bytes(&self) -> u64 {
        // A record, and its value and moving range in each of the six control charts.
        (self.log.records.len() * (size_of::<Record>() + 12 * size_of::<f64>())) as u64
    }

    /// Time of the latest calibration, seconds since 1970 (UTC).
    pub fn last_unix_s(&self) -> Option<i64> {
        self.log.records.iter().map(|record| record.unix_s).max()
    }
}

/// Status at `now_unix_s` of the calibration made at `calibrated_unix_s`, from all tests of the log. A log that was not
/// read, or that ends with another calibration, is no evidence.
pub fn status(
    now_unix_s: i64,
    calibrated_unix_s: Option<i64>,
    machine: &Machine,
    reading: Option<&Reading>,
) -> CalibrationStatus {
    let evidence = match reading {
        None => Evidence::Nothing("No log of calibrations was read; name one and read it."),
        Some(reading) if reading.last_unix_s() != calibrated_unix_s => {
            Evidence::Nothing("The log ends with another calibration; add this one to it, or read it again.")
        }
        Some(Reading { repeatability: Ok(says), uncompared, .. }) => {
            Evidence::Log { says, uncompared: uncompared.as_deref() }
        }
        Some(Reading { repeatability: Err(error), .. }) => Evidence::Nothing(&error.sentence),
    };
    CalibrationStatus::of(now_unix_s, calibrated_unix_s, machine, evidence)
}

/// A line of the calibration log. Readers of records ignore the other fields, which older lines lack.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    record: Record,
    reference_mm: [f64; 3],
    details: CalibrationDetails,
}

/// The reference point of a log entry.
#[derive(Deserialize)]
struct EntryReference {
    reference_mm: [f64; 3],
}

/// The reference point that the translations of a log refer to (right-handed sensor frame, mm): that of its first
/// entry. `None` if there is no log yet or it has no entry.
pub fn reference_mm(log: &Path) -> Result<Option<Point>> {
    if !log.exists() {
        return Ok(None);
    }
    let first = json_lines::read::<EntryReference>(log)?.values.into_iter().next();
    Ok(first.map(|(_, entry)| Point::from(entry.reference_mm)))
}

/// The six mounting quantities of a calibration. The translation is that of the reference point `reference_mm` (sensor
/// frame): its position in CMM axes minus the true CMM position, so that calibrations made at different positions can be
/// compared.
pub fn record_of(outcome: &Outcome, reference_mm: &Point) -> Record {
    let (mounting, uncertainty) = (&outcome.calibration.mounting, &outcome.calibration.uncertainty);
    let position = mounting.relative_position_mm(reference_mm);
    Record {
        unix_s: outcome.provenance.unix_s,
        shift_mm: position.coords.into(),
        angles_rad: mounting.angles_rad(),
        shift_sigma_mm: uncertainty.moved_to(mounting, *reference_mm).place_mm(),
        angles_sigma_rad: uncertainty.angles_rad,
    }
}

/// Appends a calibration to a log. The first one sets the reference point that all translations refer to: the centre of
/// its artefact.
pub fn append(log: &Path, outcome: &Outcome) -> Result<()> {
    let reference = reference_mm(log)?.unwrap_or(outcome.calibration.uncertainty.reference_mm);
    let record = record_of(outcome, &reference);
    record.check()?;
    let details = CalibrationDetails::of(outcome);
    json_lines::append(log, &Entry { record, reference_mm: reference.coords.into(), details })
}
