//! State of a hybrid measurement: the nominal holes, their positions in the scan, and the results of the probing
//! cycles.

mod machine_axes;
mod steps;

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::calibration::InputFile;
use base::{Result, UserError};
use inspect::calibration::joint::CmmErrors;
use inspect::features::sheet_metal::holes::NominalHole;
use inspect::probing::{Convergence, Program, Refused, Rounds, Row, Settings};
pub use machine_axes::MERGE_SCHEMA;

use io::atomic;

/// Value of `schema` in a file of probing cycles.
const SCHEMA: &str = "shadowgraph.probing/1";

/// Settings of a hybrid measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// Maximum distance from the nominal position at which a hole is searched in the scan, mm.
    pub search_mm: f64,
    /// Stylus tip radius, mm; `None` until it is entered.
    pub probe_radius_mm: Option<f64>,
    /// Probing strategy. Its stylus tip radius is ignored in favour of the one above.
    pub touching: Settings,
    /// Convergence criterion.
    pub convergence: Convergence,
    /// Calibrated probe that the CMM program selects; if empty, the current one stays selected.
    pub sensor: String,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            search_mm: 1.0,
            probe_radius_mm: None,
            touching: Settings::default(),
            convergence: Convergence::default(),
            sensor: String::new(),
        }
    }
}

impl Setup {
    /// The probing strategy with the stylus tip radius. Returns an error if a parameter is missing or out of range.
    pub fn settings(&self) -> Result<Settings> {
        let probe_radius_mm =
            self.probe_radius_mm.ok_or_else(|| UserError::usage("Enter the stylus tip radius first."))?;
        if !(self.search_mm > 0.0 && self.search_mm < 1e4) {
            return Err(UserError::usage(format!(
                "The search distance for holes must be above 0 and below 10 000 mm, not {} mm.",
                self.search_mm
            )));
        }
        let settings = Settings { probe_radius_mm, ..self.touching };
        settings.check()?;
        self.convergence.check()?;
        Ok(settings)
    }
}

/// The complete state of a hybrid measurement; saved in the project.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Probing {
    /// The settings.
    pub setup: Setup,
    /// The file with the list of holes.
    pub list: Option<InputFile>,
    /// The nominal holes, CMM axes, mm.
    pub holes: Vec<NominalHole>,
    /// The files of the scan that was searched for them.
    pub scan: Vec<InputFile>,
    /// Geometric errors of the CMM that the scan was corrected for. All positions here are in its true axes; what the CMM is told,
    /// and tells, is in its own coordinates.
    #[serde(skip_serializing_if = "CmmErrors::is_none")]
    pub cmm_errors: CmmErrors,
    /// Holes not found in the scan, with the reason.
    pub missing: Vec<Refused>,
    /// The probing cycles; `None` until the holes were searched.
    pub rounds: Option<Rounds>,
    /// Files of probed points evaluated so far, one per probing cycle.
    pub taken: Vec<InputFile>,
}

impl Probing {
    /// The program of the next probing cycle; `None` if no hole is left to probe or nothing is planned yet.
    pub fn program(&self) -> Result<Option<Program>> {
        // The notes of the planning were recorded when the cycles last changed.
        self.rounds.clone().map_or(Ok(None), |mut rounds| rounds.program())
    }

    /// [`Self::program`] in the coordinates of the CMM, which its geometric errors distort.
    pub fn program_for_machine(&self) -> Result<Option<Program>> {
        Ok(self.program()?.map(|own| own.mapped(|point| self.cmm_errors.indicated(point))))
    }

    /// Number of holes that have converged, that are still to be probed, and that failed.
    pub fn counts(&self) -> [usize; 3] {
        let rows = self.rounds.as_ref().map_or(&[][..], |rounds| rounds.comparison().rows.as_slice());
        let converged = rows.iter().filter(|row| row.converged).count();
        let open = rows.iter().filter(|row| row.is_open()).count();
        [converged, open, rows.len() - converged - open]
    }

    /// Estimated bytes it holds.
    pub fn bytes(&self) -> u64 {
        let rows = self.rounds.as_ref().map_or(0, |rounds| rounds.comparison().rows.len());
        (self.holes.len() * size_of::<NominalHole>() + rows * size_of::<Row>()) as u64
    }

    /// The progress in one sentence, for display.
    pub fn standing(&self) -> String {
        let Some(rounds) = &self.rounds else { return "Nothing is planned yet.".to_owned() };
        let [converged, open, failed] = self.counts();
        let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
        if open > 0 {
            return format!(
                "After {} probing cycles {converged} holes have converged, {open} are to be probed{failed}.",
                rounds.done()
            );
        }
        format!("Done after {} probing cycles: {converged} holes have converged{failed}.", rounds.done())
    }

    /// Writes the state to `path`, for the command line.
    pub fn save(&self, path: &Path) -> Result<()> {
        let value = json!({ "schema": SCHEMA, "software": base::software::version(), "probing": self });
        atomic::write_bytes(path, format!("{value:#}\n").as_bytes())
    }

    /// Reads a file written by [`Self::save`].
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
        let refused = |why: String| {
            let path = path.display();
            UserError::input(format!("{path} holds no probing cycles ({why}); name the rounds.json of “probe begin”."))
        };
        let value: Value = serde_json::from_str(&text).map_err(|e| refused(e.to_string()))?;
        if value.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
            return Err(refused(format!("its schema is not {SCHEMA}")));
        }
        let probing = value.get("probing").ok_or_else(|| refused("“probing” is missing".to_owned()))?;
        Self::deserialize(probing).map_err(|e| refused(e.to_string()))
    }
}
