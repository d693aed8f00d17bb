//! What is watched between calibrations: their log, a certificate to hold them against, and the machine.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::calibrating::Outcome;
use super::logged_calibration::CalibrationDetails;
use base::Result;
use geometry::Point;
use inspect::calibration::repeatability::{CalibrationStatus, Evidence, Log, Machine, Record, Repeatability};
use io::json_lines;

/// What the operator says of it. A project keeps it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Upkeep {
    /// The log that each calibration is appended to; none is kept without it.
    pub log: Option<PathBuf>,
    /// The calibration that the last one is held against, as JSON.
    pub certificate: Option<PathBuf>,
    /// What is known of the machine. How long a calibration holds is said by the calibration itself.
    pub machine: Machine,
}

/// A log as it was read, and what it says.
#[derive(Debug)]
pub struct Reading {
    /// The calibrations in it, and the lines that hold none.
    pub log: Log,
    /// What they say; a sentence where they are too few.
    pub repeatability: Result<Repeatability>,
    /// Why the last one could not be held against the certificate that is named, in a sentence; none where it was, or
    /// none is named.
    pub uncompared: Option<String>,
}

impl Reading {
    /// Bytes it holds, about.
    pub fn bytes(&self) -> u64 {
        // A record, and a value and a step of it in each of six charts.
        (self.log.records.len() * (size_of::<Record>() + 12 * size_of::<f64>())) as u64
    }

    /// When the last calibration was made, seconds since 1970.
    pub fn last_unix_s(&self) -> Option<i64> {
        self.log.records.iter().map(|record| record.unix_s).max()
    }
}

/// What the calibration made at `calibrated_unix_s` is worth at `now_unix_s`, by all of its tests. A log that was not
/// read, or that ends with another calibration, says nothing of it.
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

/// A calibration as the log keeps it. Whoever reads records does without the rest, which older lines have not.
#[derive(Serialize)]
struct Entry {
    #[serde(flatten)]
    record: Record,
    reference_mm: [f64; 3],
    details: CalibrationDetails,
}

/// What of an entry is needed beside its record.
#[derive(Deserialize)]
struct Stated {
    reference_mm: [f64; 3],
}

/// The place that the shifts of a log are stated for (right-handed sensor frame, mm): that of its first entry. `None`
/// where there is no log yet, or it does not say.
pub fn reference_mm(log: &Path) -> Result<Option<Point>> {
    if !log.exists() {
        return Ok(None);
    }
    let first = json_lines::read::<Stated>(log)?.values.into_iter().next();
    Ok(first.map(|(_, stated)| Point::from(stated.reference_mm)))
}

/// The six quantities of a calibration. The shift is that of the place `reference_mm` of the sensor: where it lies in
/// the CMM's axes, less where the CMM stood, so that calibrations made elsewhere can be compared.
pub fn record_of(outcome: &Outcome, reference_mm: &Point) -> Record {
    let (mounting, stated) = (&outcome.calibration.mounting, &outcome.calibration.uncertainty);
    let place = mounting.cmm_from_sensor * reference_mm - mounting.position_mm;
    Record {
        unix_s: outcome.made.unix_s,
        shift_mm: place.coords.into(),
        angles_rad: mounting.angles_rad(),
        shift_sigma_mm: stated.moved_to(mounting, *reference_mm).place_mm(),
        angles_sigma_rad: stated.angles_rad,
    }
}

/// Adds a calibration to a log. The first one decides the place that all shifts are stated for: the middle of its
/// artefact.
pub fn append(log: &Path, outcome: &Outcome) -> Result<()> {
    let reference = reference_mm(log)?.unwrap_or(outcome.calibration.uncertainty.reference_mm);
    let record = record_of(outcome, &reference);
    record.check()?;
    let details = CalibrationDetails::of(outcome);
    json_lines::append(log, &Entry { record, reference_mm: reference.coords.into(), details })
}
