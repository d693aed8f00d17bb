//! Probing again and again from where the last touches led, until the holes stand still.

use serde::{Deserialize, Serialize};

use super::comparison::{Comparison, Row};
use super::targets::{self, Refused, Settings};
use super::touched::{self, TouchedHole};
use crate::features::holes::NominalHole;
use base::{ErrorKind, Progress, Result, UserError};
use io::probing_csv::Touches;
use io::probing_program::{NamedPlace, Place, Program};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Convergence {
    /// A hole stands still when its middle moves less than this from one round to the next, mm.
    pub tolerance_mm: f64,
    /// Rounds at most in which a hole is touched; two at least, since a first round has nothing to compare with.
    pub most_rounds: usize,
}

impl Default for Convergence {
    fn default() -> Self {
        Self { tolerance_mm: 0.005, most_rounds: 5 }
    }
}

impl Convergence {
    /// A sentence on the first setting that makes no sense.
    pub fn check(&self) -> Result<()> {
        if !(self.tolerance_mm > 0.0 && self.tolerance_mm.is_finite()) {
            return Err(UserError::usage("The tolerance of the change must be above 0 mm."));
        }
        if !(2..=100).contains(&self.most_rounds) {
            return Err(UserError::usage(
                "From 2 to 100 rounds of touching make sense: the second is compared with the first.",
            ));
        }
        Ok(())
    }
}

/// What came of a program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Probed {
    /// The touches that were made.
    pub touches: Touches,
    /// Holes that could not be touched as asked, each with its sentence; a prober that only hands results back knows of
    /// none.
    pub missed: Vec<Refused>,
}

/// Whatever touches: a machine, an operator who hands files over, a simulation.
pub trait Prober {
    /// Touches what the program asks for. Fails where nothing can be touched at all; holes that go wrong are told in
    /// the answer.
    fn probe(&mut self, program: &Program, progress: &Progress) -> Result<Probed>;
}

/// A hole to begin with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// Where its drawing has it.
    pub nominal: NominalHole,
    /// Where the scan has it.
    pub scan: Place,
}

/// Round after round, for probers that need their time: ask for the program, hand over what came of it, and so on until
/// there is no program any more. A project can keep it between rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rounds {
    settings: Settings,
    convergence: Convergence,
    /// Rounds done.
    done: usize,
    comparison: Comparison,
}

impl Rounds {
    /// Before the first round; a sentence where settings make no sense.
    pub fn begin(holes: &[Started], settings: &Settings, convergence: &Convergence) -> Result<Self> {
        settings.check()?;
        convergence.check()?;
        let comparison = Comparison { rows: holes.iter().map(Row::begin).collect() };
        Ok(Self { settings: *settings, convergence: *convergence, done: 0, comparison })
    }

    /// The program of the next round, for all holes that are still open: from where the scan has them, then from where
    /// they were touched. `None` where no hole is open. A hole that cannot be touched is told in its row.
    ///
    /// Fails with a sentence where a hole has no name or two have one.
    pub fn program(&mut self) -> Result<Option<Program>> {
        // Planned among all holes, so that no touch of a sheet falls into one that stands still already.
        let all: Vec<NamedPlace> = self.comparison.rows.iter().map(Row::expected).collect();
        let mut plan = targets::plan(&all, &self.settings)?;
        let rows = &mut self.comparison.rows;
        for row in rows.iter_mut().filter(|row| row.is_open()) {
            row.note = plan.refused.iter().find(|own| own.name == row.name).map(|own| own.reason.clone());
        }
        plan.program.holes.retain(|hole| rows.iter().any(|row| row.is_open() && row.name == hole.name));
        Ok((!plan.program.holes.is_empty()).then_some(plan.program))
    }

    /// Takes over what came of the program. A hole that went wrong is told in its row and not touched again; one that
    /// nobody touched is asked for again, so that results may come in parts.
    pub fn take(&mut self, probed: &Probed, progress: &Progress) -> Result<()> {
        self.done += 1;
        let most = self.convergence.most_rounds;
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
                None => touched::evaluate(&row.expected(), &probed.touches, &self.settings, progress),
            };
            match found {
                Ok(found) => row.take(found, &self.convergence),
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => row.note = Some(error.sentence),
            }
            if let Some(change_mm) = row.change_mm.filter(|_| row.rounds >= most && row.is_open()) {
                row.note = Some(format!(
                    "Hole {}: its middle still moved {change_mm:.4} mm in its round {}; look for a loose part or a \
                     dirty ball.",
                    row.name, row.rounds
                ));
            }
        }
        Ok(())
    }

    /// Rounds done.
    pub fn done(&self) -> usize {
        self.done
    }

    /// How the holes are touched.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All that is known by now.
    pub fn comparison(&self) -> &Comparison {
        &self.comparison
    }
}

/// Touches the holes from where the scan has them, and again from where they were touched, until each stands still or
/// the rounds are up. One program serves all holes of a round. A hole that cannot be touched is told in its row.
///
/// Fails with a sentence where settings make no sense, a hole has no name of its own, or the prober gives up
/// altogether.
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
        // People hand results over in parts, and take their time; a prober that leaves a hole out does so for ever.
        let most = convergence.most_rounds;
        for row in rounds.comparison.rows.iter_mut().filter(|row| row.is_open() && row.passed_over >= most) {
            row.note = Some(format!("Hole {}: {most} results in succession held no touch of it.", row.name));
        }
    }
    Ok(rounds.comparison)
}

/// What tells the touches of a hole from others; `None` where there are none.
pub fn fingerprint(touches: &Touches, hole: &str) -> Option<String> {
    let mut hasher = blake3::Hasher::new();
    let mut any = false;
    for touched in touches.touched.iter().filter(|touched| touched.hole == hole) {
        any = true;
        touched.place.iter().for_each(|value| {
            hasher.update(&value.to_bits().to_le_bytes());
        });
    }
    any.then(|| hasher.finalize().to_hex().to_string())
}

impl Row {
    fn begin(hole: &Started) -> Self {
        Self {
            name: hole.nominal.name.clone(),
            nominal: Place::from(&hole.nominal),
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

    /// Whether it is still to be touched.
    pub fn is_open(&self) -> bool {
        !self.converged && self.note.is_none()
    }

    /// Where the next touches expect it.
    fn expected(&self) -> NamedPlace {
        NamedPlace { name: self.name.clone(), place: self.last.map_or(self.scan, |last| last.place) }
    }

    fn take(&mut self, found: TouchedHole, convergence: &Convergence) {
        self.rounds += 1;
        self.passed_over = 0;
        self.probe.get_or_insert(found.place);
        if let Some(before) = self.last.replace(found) {
            let change_mm = (found.place.centre - before.place.centre).norm();
            self.change_mm = Some(change_mm);
            self.converged = change_mm < convergence.tolerance_mm;
        }
    }
}
