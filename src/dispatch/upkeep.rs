//! Commands that watch the calibration.

use std::path::Path;
use std::sync::Arc;

use super::{Edit, Execution};
use base::{Result, UserError};
use inspect::calibration::repeatability::{self, Repeatability};
use report::stated;
use session::Document;
use session::calibrating::Outcome;
use session::upkeep::{self, Reading, Upkeep};

/// What can be asked about it.
#[derive(Clone, Debug)]
pub enum Request {
    /// Changes what is said of log, certificate and machine.
    Set(Box<Upkeep>),
    /// Reads the log.
    ReadLog,
}

impl Request {
    pub(super) fn execution(self, before: Document) -> Result<Execution> {
        match self {
            Self::Set(upkeep) => {
                upkeep.machine.check()?;
                let same = upkeep.log == before.upkeep.log && upkeep.certificate == before.upkeep.certificate;
                Ok(Execution::Now(Edit::new("Change the upkeep", move |document| {
                    document.upkeep = *upkeep;
                    document.reading = document.reading.take().filter(|_| same);
                })))
            }
            Self::ReadLog => Ok(Execution::work("Reading the log", move |_, _| {
                let Some(log) = &before.upkeep.log else {
                    return Err(UserError::usage("Name the log of calibrations first."));
                };
                let reading = read(log, before.upkeep.certificate.as_deref())?;
                let note = format!("{}: {} calibrations.", log.display(), reading.log.records.len());
                let damaged = reading.log.damaged.iter().map(|own| format!("Line {}: {}", own.line, own.reason));
                let notes: Vec<String> = [note].into_iter().chain(damaged).collect();
                let reading = Arc::new(reading);
                Ok(Edit::new("Read the calibration log", move |document| document.reading = Some(reading))
                    .with_notes(notes))
            })),
        }
    }
}

/// Reads a log, and holds its last calibration against a certificate (the JSON of a calibration) where one is named.
/// One that cannot be used leaves the charts as they are.
pub fn read(log: &Path, certificate: Option<&Path>) -> Result<Reading> {
    let read = repeatability::read(log)?;
    let reference = upkeep::reference_mm(log)?;
    let alone = || Repeatability::of(&read.records, None);
    let compared = certificate.map(|path| {
        stated::quantities(path, reference.as_ref()).and_then(|own| Repeatability::of(&read.records, Some(&own)))
    });
    let (repeatability, uncompared) = match compared {
        None => (alone(), None),
        Some(Ok(found)) => (Ok(found), None),
        Some(Err(error)) => (alone(), Some(error.sentence)),
    };
    Ok(Reading { log: read, repeatability, uncompared })
}

/// Appends a calibration to the log, where one is named: what is to be said of that, and the log as it is then.
///
/// A log that cannot be written is an error: no calibration is to be missing there.
pub(super) fn log(outcome: &Outcome, document: &Document) -> Result<(Option<String>, Option<Arc<Reading>>)> {
    let Some(log) = &document.upkeep.log else { return Ok((None, document.reading.clone())) };
    upkeep::append(log, outcome)?;
    let reading = read(log, document.upkeep.certificate.as_deref())?;
    let note = format!("Calibration {} in {}.", reading.log.records.len(), log.display());
    Ok((Some(note), Some(Arc::new(reading))))
}
