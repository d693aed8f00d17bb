//! The steps of the Calibrate workspace, and what is done and missing in each.

use super::super::steps::{Step, StepState};
use super::{has_all_regions, repeatability};
use inspect::acceptance::Verdict;
use session::Document;
use session::calibration::{CalibrationState, Instrument, Outcome};
use texts::text;

/// A step of the workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CalibrateStep {
    /// Artefact, stylus tip, CMM position and stated errors.
    #[default]
    Setup,
    /// The sensor's snapshot and its regions.
    Snapshot,
    /// The points probed by the CMM and their regions; further snapshots.
    Probing,
    /// The calibration, its certification and certificate.
    Result,
    /// Calibration log, control charts and acceptance test.
    Verification,
    /// What is measured with the calibration: merged snapshots, holes probed by the CMM.
    Use,
}

impl Step for CalibrateStep {
    const ALL: &'static [Self] =
        &[Self::Setup, Self::Snapshot, Self::Probing, Self::Result, Self::Verification, Self::Use];

    fn name(self) -> String {
        match self {
            Self::Setup => text!("calibrate-setup"),
            Self::Snapshot => text!("calibrate-step-snapshot"),
            Self::Probing => text!("calibrate-step-probing"),
            Self::Result => text!("calibrate-step-result"),
            Self::Verification => text!("calibrate-step-verification"),
            Self::Use => text!("calibrate-step-use"),
        }
    }

    fn about(self) -> String {
        match self {
            Self::Setup => text!("calibrate-step-setup-about"),
            Self::Snapshot => text!("calibrate-step-snapshot-about"),
            Self::Probing => text!("calibrate-step-probing-about"),
            Self::Result => text!("calibrate-step-result-about"),
            Self::Verification => text!("calibrate-step-verification-about"),
            Self::Use => text!("calibrate-step-use-about"),
        }
    }
}

/// What a calibration still lacks, the first of all; `None` if it can be made.
pub fn missing_input(calibrating: &CalibrationState) -> Option<String> {
    let of = |step: CalibrateStep| step.missing_of(calibrating);
    of(CalibrateStep::Snapshot).or_else(|| of(CalibrateStep::Probing)).or_else(|| of(CalibrateStep::Setup))
}

/// Whether a calibration has expired.
pub fn has_expired(outcome: &Outcome) -> bool {
    outcome.provenance.expires_unix_s() < base::date::unix_now()
}

/// Whether a calibration is used only for a reason in writing: it is not certified, or has expired.
pub fn needs_reason(outcome: &Outcome) -> bool {
    has_expired(outcome) || !outcome.calibration.certification().is_certified()
}

/// Number of snapshots that a calibration takes: an artefact without orientation is moved between three.
fn needed_snapshots(calibrating: &CalibrationState) -> usize {
    if calibrating.setup.artefact.artefact().determines()[3] { 1 } else { 3 }
}

impl CalibrateStep {
    /// The step in which regions are assigned to the points of an instrument.
    pub fn of(instrument: Instrument) -> Self {
        match instrument {
            Instrument::Sensor => Self::Snapshot,
            Instrument::Cmm => Self::Probing,
        }
    }

    /// The instrument whose points are worked on in it, if it is of one alone.
    pub fn instrument(self) -> Option<Instrument> {
        Instrument::ALL.into_iter().find(|own| Self::of(*own) == self)
    }

    /// The last step of which there is something.
    pub fn reached(document: &Document) -> Self {
        let calibrating = &document.calibration;
        if !document.probing.holes.is_empty() {
            Self::Use
        } else if calibrating.outcome.is_some() {
            Self::Result
        } else if calibrating.cmm.actual.is_some() {
            Self::Probing
        } else if calibrating.sensor.actual.is_some() {
            Self::Snapshot
        } else {
            Self::Setup
        }
    }

    /// What is done and missing in it.
    pub fn state(self, document: &Document) -> StepState {
        let calibrating = &document.calibration;
        let missing = self.missing(document);
        let is_done = match self {
            Self::Setup | Self::Snapshot | Self::Probing => missing.is_none(),
            Self::Result => calibrating.outcome.as_deref().is_some_and(|own| !needs_reason(own)),
            Self::Verification => {
                let (age, status) = repeatability::validity(document, &document.monitoring.machine);
                let conforms = document.acceptance.as_ref().and_then(|own| own.verdict) == Some(Verdict::Conforms);
                (status.holds() && age.is_current()) || conforms
            }
            Self::Use => matches!(document.probing.counts(), [converged, 0, 0] if converged > 0),
        };
        StepState { is_done, missing: missing.filter(|_| !is_done) }
    }

    fn missing(self, document: &Document) -> Option<String> {
        let calibrating = &document.calibration;
        match self {
            Self::Setup | Self::Snapshot | Self::Probing => self.missing_of(calibrating),
            Self::Result if calibrating.outcome.is_some() => None,
            Self::Result => missing_input(calibrating).or_else(|| Some(text!("calibrate-missing-run"))),
            Self::Verification if document.monitoring.log.is_none() => Some(text!("calibrate-missing-log")),
            Self::Verification if document.reading.is_none() => Some(text!("calibrate-missing-reading")),
            Self::Use if calibrating.outcome.is_none() => Some(text!("calibrate-missing-calibration")),
            Self::Verification | Self::Use => None,
        }
    }

    /// What a calibration lacks of this step.
    fn missing_of(self, calibrating: &CalibrationState) -> Option<String> {
        // Stored snapshots are complete; the current one may be empty if they are enough.
        let has_enough = calibrating.set_aside.len() >= needed_snapshots(calibrating);
        let lacks = |instrument| !has_enough && !has_all_regions(calibrating, instrument);
        match self {
            Self::Setup => calibrating.setup.probe_radius_mm.is_none().then(|| text!("calibrate-missing-radius")),
            Self::Snapshot => lacks(Instrument::Sensor).then(|| text!("calibrate-missing-sensor")),
            Self::Probing => lacks(Instrument::Cmm).then(|| text!("calibrate-missing-cmm")),
            Self::Result | Self::Verification | Self::Use => None,
        }
    }
}
