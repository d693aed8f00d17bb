//! What is said of the mechanical alignment: what is being turned, where its figures come from, and its screws.

use serde::{Deserialize, Serialize};

use base::{Result, UserError};
use inspect::calibration::mechanical::{Misalignment, Module, StillToTurn, Turned};

/// See the module; kept with the calibration's set-up.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MechanicalSetup {
    /// What is being turned.
    #[serde(rename = "stage")]
    pub turned: Turned,
    /// The folder that the sensor writes its snapshots into; empty where there is none.
    pub folder: String,
    /// The line to the machine, `tcp://host:port` or a device; empty where there is none.
    pub line: String,
    /// Angles up to this are good, degrees.
    pub limit_deg: f64,
    /// The artefact's module.
    pub artefact: Module,
    /// The sensor's module.
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
    /// A sentence where a figure makes no sense.
    pub fn check(&self) -> Result<()> {
        self.artefact.check()?;
        self.sensor.check()?;
        if (1e-4..45.0).contains(&self.limit_deg) {
            return Ok(());
        }
        Err(UserError::usage("The limit of the mechanical alignment must be between 0.0001 and 45 degrees."))
    }

    /// The module of what is being turned.
    pub fn module(&self) -> &Module {
        match self.turned {
            Turned::Artefact => &self.artefact,
            Turned::Sensor => &self.sensor,
        }
    }

    /// The same, to be changed.
    pub fn module_mut(&mut self) -> &mut Module {
        match self.turned {
            Turned::Artefact => &mut self.artefact,
            Turned::Sensor => &mut self.sensor,
        }
    }

    /// What is to be done about it at its module.
    pub fn to_turn(&self, misalignment: &Misalignment) -> StillToTurn {
        misalignment.to_turn(self.module(), self.limit_deg.to_radians())
    }
}
