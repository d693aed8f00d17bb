//! Hybrid measuring as it goes on: the holes, where the scan has them, and what the rounds of touching have told.

use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::calibrating::InputFile;
use base::{Result, UserError};
use inspect::features::holes::NominalHole;
use inspect::probing::{Convergence, Program, Refused, Rounds, Row, Settings};
use io::atomic;

/// What marks a file of rounds.
const SCHEMA: &str = "shadowgraph.probing/1";

/// What the operator says of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Setup {
    /// How far from their places holes are looked for in the scan, mm.
    pub search_mm: f64,
    /// Radius of the probe's ball, mm; `None` until somebody says it.
    pub probe_radius_mm: Option<f64>,
    /// How holes are touched. Its radius of the ball does not count, the one above does.
    pub touching: Settings,
    /// When to stop.
    pub convergence: Convergence,
    /// The calibrated sensor that the machine's program selects; empty keeps the one that is on.
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
    /// How holes are touched, with the ball's radius; a sentence where a figure lacks or makes no sense.
    pub fn settings(&self) -> Result<Settings> {
        let probe_radius_mm =
            self.probe_radius_mm.ok_or_else(|| UserError::usage("Say the radius of the probe's ball first."))?;
        if !(self.search_mm > 0.0 && self.search_mm < 1e4) {
            return Err(UserError::usage(format!(
                "Holes are looked for within a distance above 0 and below 10 m, not {} mm.",
                self.search_mm
            )));
        }
        let settings = Settings { probe_radius_mm, ..self.touching };
        settings.check()?;
        self.convergence.check()?;
        Ok(settings)
    }
}

/// Everything there is to it. A project keeps it whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Probing {
    /// What the operator says of it.
    pub setup: Setup,
    /// The list of holes.
    pub list: Option<InputFile>,
    /// The holes by their drawing, axes of the CMM.
    pub holes: Vec<NominalHole>,
    /// The scan that they were looked for in.
    pub scan: Vec<InputFile>,
    /// Holes that the scan does not show, each with its sentence.
    pub missing: Vec<Refused>,
    /// The rounds of touching; `None` before the holes were looked for.
    pub rounds: Option<Rounds>,
    /// Touches taken in, a file for each round.
    pub taken: Vec<InputFile>,
}

impl Probing {
    /// The program of the next round; `None` where nothing is left to touch, or nothing is planned yet.
    pub fn program(&self) -> Result<Option<Program>> {
        // What the planning notes was noted when the rounds were last changed.
        self.rounds.clone().map_or(Ok(None), |mut rounds| rounds.program())
    }

    /// How many holes have converged, are still to be touched, and went wrong.
    pub fn counts(&self) -> [usize; 3] {
        let rows = self.rounds.as_ref().map_or(&[][..], |rounds| rounds.comparison().rows.as_slice());
        let converged = rows.iter().filter(|row| row.converged).count();
        let open = rows.iter().filter(|row| row.is_open()).count();
        [converged, open, rows.len() - converged - open]
    }

    /// Bytes it holds, about.
    pub fn bytes(&self) -> u64 {
        let rows = self.rounds.as_ref().map_or(0, |rounds| rounds.comparison().rows.len());
        (self.holes.len() * size_of::<NominalHole>() + rows * size_of::<Row>()) as u64
    }

    /// Where it stands, in words.
    pub fn standing(&self) -> String {
        let Some(rounds) = &self.rounds else { return "Nothing is planned yet.".to_owned() };
        let [converged, open, wrong] = self.counts();
        let wrong = if wrong > 0 { format!(", {wrong} went wrong") } else { String::new() };
        if open > 0 {
            return format!(
                "After {} rounds {converged} holes have converged, {open} are to be touched{wrong}.",
                rounds.done()
            );
        }
        format!("Done after {} rounds: {converged} holes have converged{wrong}.", rounds.done())
    }

    /// Writes it to a file of its own, for the command line.
    pub fn save(&self, path: &Path) -> Result<()> {
        let value = json!({ "schema": SCHEMA, "software": env!("CARGO_PKG_VERSION"), "probing": self });
        atomic::write_bytes(path, format!("{value:#}\n").as_bytes())
    }

    /// Reads what [`Self::save`] wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
        let refused = |why: String| {
            let path = path.display();
            UserError::input(format!(
                "{path} holds no rounds of touching ({why}); name the rounds.json of “probe begin”."
            ))
        };
        let value: Value = serde_json::from_str(&text).map_err(|e| refused(e.to_string()))?;
        if value.get("schema").and_then(Value::as_str) != Some(SCHEMA) {
            return Err(refused("it does not say so".to_owned()));
        }
        let probing = value.get("probing").ok_or_else(|| refused("they are missing".to_owned()))?;
        Self::deserialize(probing).map_err(|e| refused(e.to_string()))
    }
}
