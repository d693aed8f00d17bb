//! The steps of a hybrid measurement: finding the holes in the scan, evaluating the probed points cycle by cycle, and
//! writing the files in between.

use std::path::{Path, PathBuf};

use super::{Probing, Setup, machine_axes};
use crate::calibration::InputFile;
use base::{ErrorKind, Progress, Result, UserError, file_name, hash};
use geometry::KdTree;
use inspect::features::sheet_metal::holes::{self, NominalHole};
use inspect::parts::Actual;
use inspect::probing::{HoleGeometry, Probed, Refused, Rounds, Started, fingerprint};
use io::probing_csv::{read_holes, read_touches, targets_of, write_targets};
use io::probing_program::NamedHole;
use io::{atomic, dmis};

fn input_file(path: &Path) -> Result<InputFile> {
    Ok(InputFile { name: file_name(path), blake3: hash::file_hash(path)? })
}

impl Probing {
    /// Starts a new measurement with the list of holes at `path` (CMM axes, mm); the settings are kept.
    pub fn open_holes(&self, path: &Path) -> Result<Self> {
        let nominal = |NamedHole { name, place }: NamedHole| {
            let HoleGeometry { centre, axis, radius_mm } = place;
            NominalHole { name, centre, axis, radius_mm }
        };
        let holes = read_holes(path)?.into_iter().map(nominal).collect();
        Ok(Self { setup: self.setup.clone(), list: Some(input_file(path)?), holes, ..Self::default() })
    }

    /// Finds the holes in a scan (CMM axes, mm) and plans the first probing cycle; with notes for the log. Returns an
    /// error if no hole is found.
    pub fn begin(&self, setup: Setup, actual: Option<&Actual>, progress: &Progress) -> Result<(Self, Vec<String>)> {
        let settings = setup.settings()?;
        if self.holes.is_empty() {
            return Err(UserError::usage("Open a list of holes first."));
        }
        let Some(actual) = actual else {
            return Err(UserError::usage("Load a scan in CMM axes first: merge snapshots by the calibration."));
        };
        let points = &actual.cloud.points;
        progress.report(0.0, "Preparing the scan for search")?;
        let tree = KdTree::new(points);
        let (mut started, mut missing) = (Vec::new(), Vec::new());
        for (index, nominal) in self.holes.iter().enumerate() {
            let fraction = |index: usize| 0.2 + 0.8 * index as f32 / self.holes.len() as f32;
            progress.report(fraction(index), "Searching for the holes")?;
            let part = progress.part(fraction(index), fraction(index));
            match holes::find(points, &tree, nominal, setup.search_mm, &part) {
                Ok(found) => started.push(Started { nominal: nominal.clone(), scan: HoleGeometry::from(&found) }),
                Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
                Err(error) => missing.push(Refused { name: nominal.name.clone(), reason: error.sentence }),
            }
        }
        if let (true, Some(first)) = (started.is_empty(), missing.first()) {
            return Err(UserError::input(format!(
                "None of the holes was found in the scan; is it in CMM axes? {}",
                first.reason
            )));
        }
        let mut rounds = Rounds::begin(&started, &settings, &setup.convergence)?;
        // Holes that cannot be probed get a note in their row.
        rounds.program()?;
        let (cmm_errors, of_axes) = machine_axes::of_scan(&actual.sources);
        let mut notes =
            vec![format!("{} of {} holes were found in the scan.", started.len(), self.holes.len()), of_axes];
        notes.extend(missing.iter().map(|own| own.reason.clone()));
        notes.extend(rounds.comparison().rows.iter().filter_map(|row| row.note.clone()));
        let probing = Self {
            setup,
            scan: actual.sources.iter().map(InputFile::of).collect(),
            cmm_errors,
            missing,
            rounds: Some(rounds),
            taken: Vec::new(),
            ..self.clone()
        };
        Ok((probing, notes))
    }

    /// Evaluates the points at `path`, probed by the CMM in the last cycle, and plans the next one; with notes for the
    /// log. Returns an error if the file was evaluated before or holds no point of a hole to be probed.
    pub fn take(&self, path: &Path, progress: &Progress) -> Result<(Self, Vec<String>)> {
        let Some(mut rounds) = self.rounds.clone() else {
            return Err(UserError::usage("Find the holes in the scan and plan their probing first."));
        };
        let Some(program) = rounds.program()? else {
            return Err(UserError::usage("Nothing is left to probe: every hole has converged or failed."));
        };
        let mut touches = read_touches(path)?;
        touches.touched.iter_mut().for_each(|own| own.place = self.cmm_errors.corrected(&own.place));
        let file = input_file(path)?;
        if let Some(cycle) = self.taken.iter().position(|own| own.blake3 == file.blake3) {
            return Err(UserError::input(format!(
                "{}: these points were already evaluated in probing cycle {}; run the program of cycle {} first.",
                path.display(),
                cycle + 1,
                rounds.done() + 1
            )));
        }
        // A file that grows from cycle to cycle also holds the points of previous cycles.
        let mut evaluated: Vec<&str> = Vec::new();
        for row in &rounds.comparison().rows {
            if row.evaluated.is_some() && fingerprint(&touches, &row.name) == row.evaluated {
                touches.touched.retain(|touched| touched.hole != row.name);
                evaluated.push(&row.name);
            }
        }
        if touches.touched.is_empty() {
            return Err(UserError::input(format!(
                "{}: these points of {} were already evaluated; run the program of probing cycle {} first.",
                path.display(),
                evaluated.join(", "),
                rounds.done() + 1
            )));
        }
        let is_due = |name: &str| program.holes.iter().any(|hole| hole.name == name);
        if !touches.touched.iter().any(|touched| is_due(&touched.hole)) {
            let first = touches.touched.first().map_or("", |touched| &touched.hole);
            let wanted: Vec<&str> = program.holes.iter().map(|hole| hole.name.as_str()).collect();
            return Err(UserError::input(format!(
                "{}: the holes to be probed are {}, but these points are of “{first}”; check the names.",
                path.display(),
                wanted.join(", ")
            )));
        }
        let notes_of =
            |rounds: &Rounds| rounds.comparison().rows.iter().filter_map(|row| row.note.clone()).collect::<Vec<_>>();
        let known = notes_of(&rounds);
        let not_probed: Vec<&str> = (program.holes.iter().map(|hole| hole.name.as_str()))
            .filter(|name| !touches.touched.iter().any(|touched| touched.hole == *name))
            .collect();
        let pending_note =
            (!not_probed.is_empty()).then(|| format!("Not probed yet, planned again: {}.", not_probed.join(", ")));
        rounds.take(&Probed { touches, missed: Vec::new() }, progress)?;
        rounds.program()?;
        let mut notes: Vec<String> = notes_of(&rounds).into_iter().filter(|note| !known.contains(note)).collect();
        notes.extend(pending_note);
        let mut probing = Self { rounds: Some(rounds), ..self.clone() };
        probing.taken.push(file);
        notes.push(probing.standing());
        Ok((probing, notes))
    }

    /// Writes targets.csv and program.dmi of the next probing cycle to `folder`, or table.csv if nothing is left to
    /// probe. Returns the paths written.
    pub fn write(&self, folder: &Path) -> Result<Vec<PathBuf>> {
        let Some(rounds) = &self.rounds else {
            return Err(UserError::usage("Find the holes in the scan and plan their probing first."));
        };
        base::folder::make(folder)?;
        let files = match self.program_for_machine()? {
            Some(program) => {
                let name = self.list.as_ref().map_or("holes", |list| &list.name);
                let header = dmis::Header {
                    name: format!("{name} cycle {}", rounds.done() + 1),
                    sensor: self.setup.sensor.clone(),
                };
                let targets = write_targets(&targets_of(&program))?;
                vec![("targets.csv", targets), ("program.dmi", dmis::text(&program, &header))]
            }
            None => vec![("table.csv", rounds.comparison().csv()?)],
        };
        let mut written = Vec::with_capacity(files.len());
        for (name, text) in files {
            let path = folder.join(name);
            atomic::write_bytes(&path, text.as_bytes())?;
            written.push(path);
        }
        Ok(written)
    }
}
