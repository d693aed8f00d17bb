//! The part of a calibration that a project file stores, and how the calibration is restored from it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{CalibrationState, Instrument, Measurement, Outcome, Provenance, Setup, SnapshotPair};
use base::{ErrorKind, Progress, Result};
use geometry::Subset;
use io::SourceFile;

/// A measurement as stored in a project: its file and its regions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedMeasurement {
    /// The file with the points.
    pub source: Option<SourceFile>,
    /// Point indices of each region.
    pub regions: Vec<Subset>,
}

impl SavedMeasurement {
    fn of(measurement: &Measurement) -> Self {
        Self { source: measurement.source().cloned(), regions: measurement.regions.clone() }
    }
}

/// A snapshot that was set aside, as stored in a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedSnapshot {
    /// The snapshot.
    pub sensor: SavedMeasurement,
    /// The probed points.
    pub cmm: SavedMeasurement,
    /// CMM position at the snapshot, mm.
    pub position_mm: [f64; 3],
}

/// A calibration as stored in a project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedCalibration {
    /// The set-up.
    pub setup: Setup,
    /// The sensor's snapshot.
    pub sensor: SavedMeasurement,
    /// The points probed by the CMM.
    pub cmm: SavedMeasurement,
    /// Snapshots set aside.
    #[serde(rename = "taken")]
    pub set_aside: Vec<SavedSnapshot>,
    /// Provenance of the calibration, if one had been computed.
    #[serde(rename = "made")]
    pub provenance: Option<Provenance>,
}

impl SavedCalibration {
    /// What is stored of a calibration.
    pub fn of(calibrating: &CalibrationState) -> Self {
        let saved = |pair: &SnapshotPair| SavedSnapshot {
            sensor: SavedMeasurement::of(&pair.sensor),
            cmm: SavedMeasurement::of(&pair.cmm),
            position_mm: pair.position_mm,
        };
        Self {
            setup: calibrating.setup.clone(),
            sensor: SavedMeasurement::of(&calibrating.sensor),
            cmm: SavedMeasurement::of(&calibrating.cmm),
            set_aside: calibrating.set_aside.iter().map(saved).collect(),
            provenance: calibrating.outcome.as_ref().map(|outcome| outcome.provenance.clone()),
        }
    }

    /// Restores the calibration as far as its files allow; `notes` say what is missing. Returns an error only on
    /// cancellation.
    pub fn restore(self, notes: &mut Vec<String>, progress: &Progress) -> Result<CalibrationState> {
        let mut calibrating = CalibrationState { setup: self.setup, ..CalibrationState::default() };
        let mut restorer = Restorer { setup: calibrating.setup.clone(), read: Vec::new(), notes, complete: true };
        calibrating.sensor = restorer.measurement(Instrument::Sensor, self.sensor, progress)?;
        calibrating.cmm = restorer.measurement(Instrument::Cmm, self.cmm, progress)?;
        for pair in self.set_aside {
            let sensor = restorer.measurement(Instrument::Sensor, pair.sensor, progress)?;
            let cmm = restorer.measurement(Instrument::Cmm, pair.cmm, progress)?;
            calibrating.set_aside.push(SnapshotPair { sensor, cmm, position_mm: pair.position_mm });
        }
        let complete = restorer.complete;
        if let Some(before) = self.provenance.filter(|_| complete) {
            match calibrating.solve(before.unix_s, progress) {
                Ok(outcome) => calibrating.outcome = Some(Arc::new(Outcome { provenance: before, ..outcome })),
                Err(error) => notes.push(error.sentence),
            }
        }
        Ok(calibrating)
    }
}

/// Reads measurements again, each file once, so that shared measurements are shared again.
struct Restorer<'a> {
    setup: Setup,
    read: Vec<(SavedMeasurement, Measurement)>,
    notes: &'a mut Vec<String>,
    complete: bool,
}

impl Restorer<'_> {
    fn measurement(
        &mut self,
        instrument: Instrument,
        saved: SavedMeasurement,
        progress: &Progress,
    ) -> Result<Measurement> {
        let Some(source) = &saved.source else { return Ok(Measurement::default()) };
        if let Some((_, before)) = self.read.iter().find(|(own, _)| *own == saved) {
            return Ok(before.clone());
        }
        // The regions are those of the project, whatever the table calls them: the artefact may have been changed
        // since.
        match Measurement::read_points(instrument, &source.path, &self.setup, progress) {
            Ok((mut measurement, _)) => {
                let points = measurement.actual.as_ref().map_or(0, |actual| actual.cloud.points.len());
                let fits = |region: &Subset| region.last().is_none_or(|&last| (last as usize) < points);
                if measurement.source().is_some_and(|now| now.hash == source.hash) && saved.regions.iter().all(fits) {
                    measurement.regions.clone_from(&saved.regions);
                } else {
                    self.notes.push(format!("{} has changed since the project was saved.", source.name()));
                    self.complete = false;
                }
                self.read.push((saved, measurement.clone()));
                Ok(measurement)
            }
            Err(error) if error.kind == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                self.notes.push(error.in_file(&source.path).sentence);
                self.complete = false;
                Ok(Measurement::default())
            }
        }
    }
}
