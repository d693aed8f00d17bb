//! Commands of the calibration monitoring.

use std::path::Path;
use std::sync::Arc;

use super::{Edit, Execution};
use base::{Result, UserError};
use inspect::calibration::repeatability::{self, Repeatability};
use report::stated;
use session::Document;
use session::calibration::Outcome;
use session::calibration::monitoring::{self, CalibrationMonitoring, Reading};

/// Commands of the calibration monitoring.
#[derive(Clone, Debug)]
pub enum Monitoring {
    /// Changes the settings: log, certificate and CMM data.
    Set(Box<CalibrationMonitoring>),
    /// Reads the calibration log.
    ReadLog,
    /// Appends the present calibration to the log, which was named after it was made.
    AddToLog,
}

impl Monitoring {
    pub(super) fn execution(self, before: Document) -> Result<Execution> {
        match self {
            Self::Set(monitoring) => {
                monitoring.machine.check()?;
                let same =
                    monitoring.log == before.monitoring.log && monitoring.certificate == before.monitoring.certificate;
                Ok(Execution::Now(Edit::new("Change the calibration monitoring", move |document| {
                    document.monitoring = *monitoring;
                    document.reading = document.reading.take().filter(|_| same);
                })))
            }
            Self::AddToLog => Ok(Execution::work("Writing the log", move |_, _| {
                let Some(outcome) = &before.calibration.outcome else {
                    return Err(UserError::usage("Calibrate the sensor first."));
                };
                let Some(path) = &before.monitoring.log else {
                    return Err(UserError::usage("Name the calibration log first."));
                };
                let is_in_log = path.exists() && repeatability::read(path)?.holds(outcome.provenance.unix_s);
                if is_in_log {
                    return Err(UserError::usage("This calibration is in the log already."));
                }
                let (note, reading) = log(outcome, &before)?;
                Ok(Edit::new("Add the calibration to the log", move |document| document.reading = reading)
                    .with_notes(note))
            })),
            Self::ReadLog => Ok(Execution::work("Reading the log", move |_, _| {
                let Some(log) = &before.monitoring.log else {
                    return Err(UserError::usage("Name the calibration log first."));
                };
                let reading = read(log, before.monitoring.certificate.as_deref())?;
                let note = format!("{}: {} calibrations.", log.display(), reading.log.records.len());
                let damaged = reading.log.damaged.iter().map(|own| format!("Line {}: {}", own.line, own.reason));
                let repeated = reading.log.repeated_sentence();
                let notes: Vec<String> = [note].into_iter().chain(repeated).chain(damaged).collect();
                let reading = Arc::new(reading);
                Ok(Edit::new("Read the calibration log", move |document| document.reading = Some(reading))
                    .with_notes(notes))
            })),
        }
    }
}

/// Reads a log and compares its last calibration with a certificate (the JSON of a calibration), if one is named. With
/// a certificate that cannot be used, the log is evaluated without it.
pub fn read(log: &Path, certificate: Option<&Path>) -> Result<Reading> {
    let read = repeatability::read(log)?;
    let reference = monitoring::reference_mm(log)?;
    let alone = || Repeatability::of(&read.records, None);
    let compared = certificate.map(|path| {
        stated::quantities(path, reference.as_ref()).and_then(|own| Repeatability::of(&read.records, Some(&own)))
    });
    let (repeatability, uncompared) = match compared {
        None => (alone(), None),
        Some(Ok(repeatability)) => (Ok(repeatability), None),
        Some(Err(error)) => (alone(), Some(error.sentence)),
    };
    Ok(Reading { log: read, repeatability, uncompared })
}

/// Appends a calibration to the log, if one is named. Returns a note and the log as it is then.
///
/// Returns an error if the log cannot be written: no calibration may be missing from it.
pub(super) fn log(outcome: &Outcome, document: &Document) -> Result<(Option<String>, Option<Arc<Reading>>)> {
    let Some(log) = &document.monitoring.log else { return Ok((None, document.reading.clone())) };
    monitoring::append(log, outcome)?;
    let reading = read(log, document.monitoring.certificate.as_deref())?;
    let note = format!("Calibration {} in {}.", reading.log.records.len(), log.display());
    Ok((Some(note), Some(Arc::new(reading))))
}
