//! Repeated probing from the last result until the holes no longer change.

use serde::{Deserialize, Serialize};

use super::comparison::{Comparison, Row};
use super::probed_hole::{self, ProbedHole};
use super::targets::{self, Refused, Settings};
use crate::features::sheet_metal::holes::NominalHole;
use base::{ErrorKind, Progress, Result, UserError};
use io::probing_csv::ProbeHits;
use io::probing_program::{HoleGeometry, NamedHole, Program};

/// Convergence criteria.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Convergence {
    /// A hole has converged when its centre moves by less than this from one cycle to the next, mm.
    pub tolerance_mm: f64,
    /// Maximum number of probing cycles of a hole; at least two, since the first has nothing to compare with.
    pub most_rounds: usize,
}

impl Default for Convergence {
    fn default() -> Self {
        Self { tolerance_mm: 0.005, most_rounds: 5 }
    }
}

impl Convergence {
    /// Returns an error if a setting is out of range.
    pub fn check(&self) -> Result<()> {
        if !(self.tolerance_mm > 0.0 && self.tolerance_mm.is_finite()) {
            return Err(UserError::usage("The tolerance of the change must be above 0 mm."));
        }
        if !(2..=100).contains(&self.most_rounds) {
            return Err(UserError::usage(
                "The maximum number of probing cycles must be from 2 to 100: the second is compared with the first.",
            ));
        }
        Ok(())
    }
}

/// Result of a probing program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// Probed points.
    pub touches: ProbeHits,
    /// Holes that could not be probed as requested, with the reason; empty if the prober does not report it.
    pub missed: Vec<Refused>,
}

/// Executes probing programs: a CMM, an operator who exchanges files, or a simulation.
pub trait Prober {
    /// Probes the points of the program. Returns an error if nothing can be probed at all; problems with single holes
    /// are part of the result.
    fn probe(&mut self, program: &Program, progress: &Progress) -> Result<Probed>;
}

/// A hole to be probed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Nominal geometry.
    pub nominal: NominalHole,
    /// Geometry from the scan.
    pub scan: HoleGeometry,
}

/// State of repeated probing for probers that are asynchronous: request the program of a cycle, pass its result, and
/// repeat until there is no further program. It can be saved in a project between cycles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    settings: Settings,
    convergence: Convergence,
    /// Number of cycles completed.
    done: usize,
    comparison: Comparison,
}

impl Rounds {
    /// State before the first cycle; returns an error if a setting is out of range.
    pub fn begin(holes: &[Started], settings: &Settings, convergence: &Convergence) -> Result<Self> {
        settings.check()?;
        convergence.check()?;
        let comparison = Comparison { rows: holes.iter().map(Row::begin).collect() };
        Ok(Self { settings: *settings, convergence: *convergence, done: 0, comparison })
    }

    /// Program of the next cycle, for all holes that are still open, based on their latest geometry. `None` if no hole
    /// is open. Holes that cannot be probed get a note in their row.
    ///
    /// Returns an error if a hole has no name, or if two have the same.
    pub fn program(&mut self) -> Result<Option<Program>> {
        // Planned together with all other holes, so that no point on a sheet falls into a hole that has already
        // converged.
        let all: Vec<NamedHole> = self.comparison.rows.iter().map(Row::expected).collect();
        let mut plan = targets::plan(&all, &self.settings)?;
        let rows = &mut self.comparison.rows;
        for row in rows.iter_mut().filter(|row| row.is_open()) {
            row.note = plan.refused.iter().find(|own| own.name == row.name).map(|own| own.reason.clone());
        }
        plan.program.holes.retain(|hole| rows.iter().any(|row| row.is_open() && row.name == hole.name));
        Ok((!plan.program.holes.is_empty()).then_some(plan.program))
    }

    /// Evaluates the result of a program. A hole that failed gets a note in its row and is not probed again; one
    /// without probed points is requested again, so that results may arrive in parts.
    pub fn take(&mut self, probed: &Probed, progress: &Progress) -> Result<()> {
        self.done += 1;
        let max_cycles = self.convergence.most_rounds;
        for row in self.comparison.rows.iter_mut().filter(|row| row.is_open()) {
            let missed = probed.missed.iter().find(|own| own.name == row.name);
            let own_touches = fingerprint(&probed.touches, &row.name);
            if missed.is_none() && own_touches.is_none() {
                row.passed_over += 1;
                continue;
            }
            row.evaluated = own_touches;
            let found = match missed {
                Some(missed) => Err(UserError::input(missed.reason.clone())),
                None => probed_hole::evaluate(&row.expected(), &probed.touches, &self.settings, progress),
            };
            match found {
                Ok(found) => row.take(found, &self.convergence),
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => row.note = Some(error.sentence),
            }
            if let Some(change_mm) = row.change_mm.filter(|_| row.rounds >= max_cycles && row.is_open()) {
                row.note = Some(format!(
                    "Hole “{}”: its centre still moved by {change_mm:.4} mm in probing cycle {}; check for a loose part \
                     or a dirty stylus tip.",
                    row.name, row.rounds
                ));
            }
        }
        Ok(())
    }

    /// Number of cycles completed.
    pub fn done(&self) -> usize {
        self.done
    }

    /// Probing settings.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Current state of all holes.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }
}

/// Probes the holes based on the scan, and again based on the last result, until each has converged or the maximum
/// number of cycles is reached. Each cycle has one program for all holes. Holes that cannot be probed get a note in
/// their row.
///
/// Returns an error if a setting is out of range, if a hole has no unique name, or if the prober fails altogether.
pub fn converge(
    holes: &[Started],
    settings: &Settings,
    convergence: &Convergence,
    prober: &mut dyn Prober,
    progress: &Progress,
) -> Result<Comparison> {
    let mut rounds = Rounds::begin(holes, settings, convergence)?;
    while let Some(program) = rounds.program()? {
        let share = |done: usize| (done as f32 / convergence.most_rounds as f32).min(1.0);
        let (from, to) = (share(rounds.done), share(rounds.done + 1));
        let probed = prober.probe(&program, &progress.part(from, to))?;
        rounds.take(&probed, &progress.part(to, to))?;
        // Operators may supply results in parts; an automatic prober that omits a hole will always do so.
        let max_cycles = convergence.most_rounds;
        for row in rounds.comparison.rows.iter_mut().filter(|row| row.is_open() && row.passed_over >= max_cycles) {
            row.note = Some(format!("Hole “{}”: {max_cycles} successive results contained no touch of it.", row.name));
        }
    }
    Ok(rounds.comparison)
}

/// Hash of the probed points of a hole; `None` if there are none.
pub fn fingerprint(touches: &ProbeHits, hole: &str) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    let mut has_points = false;
    for hit in touches.touched.iter().filter(|hit| hit.hole == hole) {
        has_points = true;
        hit.place.iter().for_each(|value| {
            hasher.update(&value.to_bits().to_le_bytes());
        });
    }
    has_points.then(|| hasher.finalize().to_hex().to_string())
}

impl Row {
    fn begin(hole: &Started) -> Self {
        Self {
            name: hole.nominal.name.clone(),
            nominal: HoleGeometry::from(&hole.nominal),
            scan: hole.scan,
            probe: None,
            last: None,
            converged: false,
            rounds: 0,
            passed_over: 0,
            evaluated: None,
            change_mm: None,
            note: None,
        }
    }

    /// Whether the hole still has to be probed.
    pub fn is_open(&self) -> bool {
        !self.converged && self.note.is_none()
    }

    /// Expected geometry for the next cycle.
    fn expected(&self) -> NamedHole {
        NamedHole { name: self.name.clone(), place: self.last.map_or(self.scan, |last| last.place) }
    }

    fn take(&mut self, found: ProbedHole, convergence: &Convergence) {
        self.rounds += 1;
        self.passed_over = 0;
        self.probe.get_or_insert(found.place);
        if let Some(previous) = self.last.replace(found) {
            let change_mm = (found.place.centre - previous.place.centre).norm();
            self.change_mm = Some(change_mm);
            self.converged = change_mm < convergence.tolerance_mm;
        }
    }
}
