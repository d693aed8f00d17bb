//! State of a calibration: what both instruments measured, which points belong to which region, and the result.

pub mod logged;
mod measurement;
pub mod mechanical;
pub mod monitoring;
mod saved;
mod setup;
mod solving;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use geometry::Subset;
use inspect::calibration::{ArtefactFrame, Calibration};
use io::SourceFile;

pub use measurement::{Instrument, Measurement};
pub use saved::{SavedCalibration, SavedMeasurement, SavedSnapshot};
pub use setup::{NominalFiles, Serials, Setup};

/// An input file of a calibration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InputFile {
    /// Its name without the folder.
    pub name: String,
    /// BLAKE3 hash of its contents, hexadecimal.
    pub blake3: String,
}

impl InputFile {
    /// The name and hash of a source file.
    pub fn of(source: &SourceFile) -> Self {
        Self { name: source.name(), blake3: source.hash.clone() }
    }
}

/// Provenance of a calibration: by whom, when, and from which files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Provenance {
    /// The sensor's snapshot.
    pub sensor: InputFile,
    /// The points probed by the CMM.
    pub cmm: InputFile,
    /// Files of further snapshots and their probed points.
    #[serde(default)]
    pub more: Vec<InputFile>,
    /// Name of the operator.
    pub operator: String,
    /// Serial numbers of sensor, CMM and artefact.
    #[serde(default)]
    pub serials: Serials,
    /// Time of the calibration, seconds since 1970 (UTC).
    pub unix_s: i64,
    /// Validity, hours.
    pub valid_hours: f64,
}

impl Provenance {
    /// End of validity, seconds since 1970 (UTC).
    pub fn expires_unix_s(&self) -> i64 {
        self.unix_s.saturating_add((self.valid_hours * 3600.0) as i64)
    }
}

/// The result of a calibration.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The calibration.
    pub calibration: Calibration,
    /// Its provenance.
    pub provenance: Provenance,
}

impl Outcome {
    /// The artefact frame measured by an instrument.
    pub fn frame(&self, instrument: Instrument) -> &ArtefactFrame {
        match instrument {
            Instrument::Sensor => &self.calibration.sensor,
            Instrument::Cmm => &self.calibration.cmm,
        }
    }
}

/// A snapshot that was set aside with its probed points, to be used together with others.
#[derive(Clone, Default)]
pub struct SnapshotPair {
    /// The snapshot.
    pub sensor: Measurement,
    /// The probed points of the artefact in the same placement.
    pub cmm: Measurement,
    /// CMM position at the snapshot, mm.
    pub position_mm: [f64; 3],
}

/// The set-up, measurements and result of the calibration in work.
#[derive(Clone, Default)]
pub struct CalibrationState {
    /// The set-up, as entered by the operator.
    pub setup: Setup,
    /// The sensor's snapshot.
    pub sensor: Measurement,
    /// The points probed by the CMM.
    pub cmm: Measurement,
    /// Snapshots that were set aside, in that order.
    pub set_aside: Vec<SnapshotPair>,
    /// The result; cleared as soon as an input changes.
    pub outcome: Option<Arc<Outcome>>,
}

impl CalibrationState {
    /// The measurement of an instrument.
    pub fn of(&self, instrument: Instrument) -> &Measurement {
        match instrument {
            Instrument::Sensor => &self.sensor,
            Instrument::Cmm => &self.cmm,
        }
    }

    /// All snapshots to calibrate from: first the one in work, if any of its regions is assigned or there is no other,
    /// then those set aside.
    pub fn snapshots(&self) -> Vec<SnapshotPair> {
        let current =
            SnapshotPair { sensor: self.sensor.clone(), cmm: self.cmm.clone(), position_mm: self.setup.position_mm };
        let is_begun = self.sensor.regions.iter().any(|region| !region.is_empty());
        let current = (is_begun || self.set_aside.is_empty()).then_some(current);
        current.into_iter().chain(self.set_aside.iter().cloned()).collect()
    }

    /// Bytes this holds and `other` does not.
    pub fn bytes_beyond(&self, other: &Self) -> u64 {
        let of = |instrument: Instrument| {
            let (own, theirs) = (self.of(instrument), other.of(instrument));
            let points = match (&own.actual, &theirs.actual) {
                (Some(own), Some(theirs)) if Arc::ptr_eq(own, theirs) => 0,
                (Some(own), _) => own.cloud.bytes(),
                (None, _) => 0,
            };
            let is_kept = |region: &&Subset| theirs.regions.iter().any(|other| other.is_same(region));
            let regions = own.regions.iter().filter(|region| !is_kept(region)).map(|region| 4 * region.len() as u64);
            points + regions.sum::<u64>()
        };
        let outcome = match (&self.outcome, &other.outcome) {
            (Some(own), Some(theirs)) if Arc::ptr_eq(own, theirs) => 0,
            // Residuals are held for every point.
            (Some(own), _) => {
                own.calibration.sensor.parts.iter().map(|part| 8 * part.fit.residuals_mm.len() as u64).sum()
            }
            (None, _) => 0,
        };
        let is_shared = |pair: &&SnapshotPair| holds_points_of(other, pair);
        let unshared =
            self.set_aside.iter().filter(|pair| !is_shared(pair)).filter_map(|pair| pair.sensor.actual.as_ref());
        of(Instrument::Sensor)
            + of(Instrument::Cmm)
            + outcome
            + unshared.map(|actual| actual.cloud.bytes()).sum::<u64>()
    }

    /// Mutable access to the measurement of an instrument.
    pub fn of_mut(&mut self, instrument: Instrument) -> &mut Measurement {
        match instrument {
            Instrument::Sensor => &mut self.sensor,
            Instrument::Cmm => &mut self.cmm,
        }
    }
}

/// Whether `other` holds the points of a snapshot, in work or set aside.
fn holds_points_of(other: &CalibrationState, pair: &SnapshotPair) -> bool {
    let is_same = |own: &Measurement| match (&own.actual, &pair.sensor.actual) {
        (Some(own), Some(pair)) => Arc::ptr_eq(own, pair),
        _ => false,
    };
    is_same(&other.sensor) || other.set_aside.iter().any(|own| is_same(&own.sensor))
}
