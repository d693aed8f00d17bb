//! The mechanical alignment: which module is being adjusted, where its measurements come from, and its screws.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Instrument, Measurement, Setup};
use base::{Progress, Result, UserError};
use inspect::calibration::by_sensor;
use inspect::calibration::mechanical::{Misalignment, Module, StillToTurn, Touched, Turned};

/// Set-up of the mechanical alignment; saved with the set-up of the calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MechanicalSetup {
    /// The module that is being adjusted.
    #[serde(rename = "stage")]
    pub turned: Turned,
    /// Folder that the sensor writes its snapshots to; empty if there is none.
    pub folder: String,
    /// Connection to the CMM, `tcp://host:port` or a serial device; empty if there is none.
    pub line: String,
    /// Tolerated misalignment, degrees.
    pub limit_deg: f64,
    /// Adjustment module of the artefact.
    pub artefact: Module,
    /// Adjustment module of the sensor.
    pub sensor: Module,
}

impl Default for MechanicalSetup {
    fn default() -> Self {
        Self {
            turned: Turned::default(),
            folder: String::new(),
            line: String::new(),
            limit_deg: 0.05,
            artefact: Module::default(),
            sensor: Module::default(),
        }
    }
}

impl MechanicalSetup {
    /// Returns an error if a parameter is out of range.
    pub fn check(&self) -> Result<()> {
        self.artefact.check()?;
        self.sensor.check()?;
        if (1e-4..45.0).contains(&self.limit_deg) {
            return Ok(());
        }
        Err(UserError::usage("The limit of the mechanical alignment must be between 0.0001 and 45 degrees."))
    }

    /// The module that is being adjusted.
    pub fn module(&self) -> &Module {
        match self.turned {
            Turned::Artefact => &self.artefact,
            Turned::Sensor => &self.sensor,
        }
    }

    /// Mutable access to the module that is being adjusted.
    pub fn module_mut(&mut self) -> &mut Module {
        match self.turned {
            Turned::Artefact => &mut self.artefact,
            Turned::Sensor => &mut self.sensor,
        }
    }

    /// The remaining adjustment of the module for a measured misalignment.
    pub fn to_turn(&self, misalignment: &Misalignment) -> StillToTurn {
        misalignment.to_turn(self.module(), self.limit_deg.to_radians())
    }
}

/// An evaluated measurement.
pub struct Evaluation {
    /// The measured misalignment.
    pub misalignment: Misalignment,
    /// Whether the artefact frame was probed, rather than assumed to be aligned with the CMM axes.
    pub is_artefact_probed: bool,
}

fn check_artefact(setup: &Setup) -> Result<()> {
    if setup.artefact.artefact().determines()[3..] == [true; 3] {
        return Ok(());
    }
    Err(UserError::usage("A single sphere has no orientation: choose another artefact for the mechanical alignment."))
}

/// Misalignment of the artefact to the CMM axes, from probed points.
pub fn of_touches(setup: &Setup, touched: &Touched, progress: &Progress) -> Result<Evaluation> {
    check_artefact(setup)?;
    Ok(Evaluation { misalignment: Misalignment::of_artefact(&touched.frame(progress)?), is_artefact_probed: true })
}

/// Misalignment of the sensor, from a snapshot of the artefact at `path`: to the probed artefact or, if too few points
/// were probed for its frame, to an artefact assumed to be aligned with the CMM axes.
pub fn of_snapshot(path: &Path, setup: &Setup, touched: &Touched, progress: &Progress) -> Result<Evaluation> {
    check_artefact(setup)?;
    let measurement =
        Measurement::read(Instrument::Sensor, path, setup, progress).map_err(|error| error.in_file(path))?;
    let Some(actual) = &measurement.actual else {
        return Err(UserError::internal("The snapshot has no points."));
    };
    let artefact = setup.artefact.artefact();
    let is_named = !measurement.regions.is_empty() && measurement.regions.iter().all(|region| !region.is_empty());
    let regions =
        if is_named { measurement.regions.clone() } else { artefact.find(&actual.cloud, &progress.part(0.2, 0.6))? };
    let points = artefact.extract(&actual.cloud, &regions)?;
    let measured = by_sensor(setup.clip_sigmas, setup.bias_mm);
    let sensor_frame = artefact.frame(&points, &measured, &progress.part(0.6, 1.0))?;
    // Too few probed points count as none; the result says so.
    let cmm = touched.frame(&Progress::silent()).ok();
    Ok(Evaluation {
        misalignment: Misalignment::of_sensor(&sensor_frame, cmm.as_ref()),
        is_artefact_probed: cmm.is_some(),
    })
}
