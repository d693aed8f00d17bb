//! Commands of hybrid measuring.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Edit, Execution};
use base::{ErrorKind, Progress, Result, UserError, hash};
use geometry::KdTree;
use inspect::features::holes::{self, NominalHole};
use inspect::probing::{Place, Probed, Refused, Rounds, Started, fingerprint};
use io::probing_csv::{read_holes, read_touches, targets_of, write_targets};
use io::probing_program::NamedPlace;
use io::{atomic, dmis};
use session::Document;
use session::calibrating::InputFile;
use session::probing::{Probing, Setup};

/// What can be asked of hybrid measuring.
#[derive(Clone, Debug)]
pub enum Probe {
    /// Reads the list of holes.
    OpenHoles(PathBuf),
    /// Finds the holes in the scan and plans the first touches.
    Begin(Box<Setup>),
    /// Takes in what the machine touched.
    Take(PathBuf),
    /// Writes the next targets into a folder, or the table where nothing is left to touch.
    Write(PathBuf),
}

impl Probe {
    pub(super) fn execution(self, before: Document) -> Execution {
        match self {
            Self::OpenHoles(path) => Execution::work("Opening the list of holes", move |_, _| open(&path, &before)),
            Self::Begin(setup) => {
                Execution::work("Looking for the holes", move |progress, _| begin(*setup, &before, progress))
            }
            Self::Take(path) => {
                Execution::work("Taking the touches in", move |progress, _| take(&path, &before, progress))
            }
            Self::Write(folder) => Execution::work("Writing the targets", move |_, _| {
                let written = write(&before.probing, &folder)?;
                Ok(Edit::nothing(format!("Wrote {} into {}.", names(&written), folder.display())))
            }),
        }
    }
}

fn change(label: &str, probing: Probing) -> Edit {
    let probing = Arc::new(probing);
    Edit::new(label, move |document| document.probing = probing)
}

/// The name of a file without its folder.
pub(super) fn name_of(path: &Path) -> String {
    path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn input_file(path: &Path) -> Result<InputFile> {
    Ok(InputFile { name: name_of(path), blake3: hash::file_hash(path)? })
}

/// A list of its own begins anew.
fn open(path: &Path, document: &Document) -> Result<Edit> {
    let nominal = |NamedPlace { name, place }: NamedPlace| {
        let Place { centre, axis, radius_mm } = place;
        NominalHole { name, centre, axis, radius_mm }
    };
    let holes: Vec<NominalHole> = read_holes(path)?.into_iter().map(nominal).collect();
    let list = Some(input_file(path)?);
    let note = format!("{} holes in {}.", holes.len(), path.display());
    let setup = document.probing.setup.clone();
    Ok(change("Open a list of holes", Probing { setup, list, holes, ..Probing::default() }).with_notes([note]))
}

fn begin(setup: Setup, document: &Document, progress: &Progress) -> Result<Edit> {
    let before = &document.probing;
    let settings = setup.settings()?;
    if before.holes.is_empty() {
        return Err(UserError::usage("Open a list of holes first."));
    }
    let Some(actual) = document.actual() else {
        return Err(UserError::usage("Load a scan in the axes of the CMM first: merge snapshots by the calibration."));
    };
    let points = &actual.cloud.points;
    progress.report(0.0, "Preparing the scan for search")?;
    let tree = KdTree::new(points);
    let (mut started, mut missing) = (Vec::new(), Vec::new());
    for (number, nominal) in before.holes.iter().enumerate() {
        let share = |at: usize| 0.2 + 0.8 * at as f32 / before.holes.len() as f32;
        progress.report(share(number), "Looking for the holes")?;
        let part = progress.part(share(number), share(number));
        match holes::find(points, &tree, nominal, setup.search_mm, &part) {
            Ok(found) => started.push(Started { nominal: nominal.clone(), scan: Place::from(&found) }),
            Err(error) if error.kind == ErrorKind::Cancelled => return Err(error),
            Err(error) => missing.push(Refused { name: nominal.name.clone(), reason: error.sentence }),
        }
    }
    if let (true, Some(first)) = (started.is_empty(), missing.first()) {
        return Err(UserError::input(format!(
            "The scan shows none of the holes; is it in the axes of the CMM? {}",
            first.reason
        )));
    }
    let mut rounds = Rounds::begin(&started, &settings, &setup.convergence)?;
    // What cannot be touched is told in its row.
    rounds.program()?;
    let mut notes = vec![format!("The scan shows {} of {} holes.", started.len(), before.holes.len())];
    notes.extend(missing.iter().map(|own| own.reason.clone()));
    notes.extend(rounds.comparison().rows.iter().filter_map(|row| row.note.clone()));
    let probing = Probing {
        setup,
        scan: actual.sources.iter().map(InputFile::of).collect(),
        missing,
        rounds: Some(rounds),
        taken: Vec::new(),
        ..Probing::clone(before)
    };
    Ok(change("Find holes and plan", probing).with_notes(notes))
}

fn take(path: &Path, document: &Document, progress: &Progress) -> Result<Edit> {
    let before = &document.probing;
    let Some(mut rounds) = before.rounds.clone() else {
        return Err(UserError::usage("Find the holes in the scan and plan their touches first."));
    };
    let Some(program) = rounds.program()? else {
        return Err(UserError::usage("Nothing is left to touch: every hole has converged or went wrong."));
    };
    let mut touches = read_touches(path)?;
    let file = input_file(path)?;
    if let Some(round) = before.taken.iter().position(|own| own.blake3 == file.blake3) {
        return Err(UserError::input(format!(
            "{}: these touches were taken in already, in round {}; drive the program of round {} first.",
            path.display(),
            round + 1,
            rounds.done() + 1
        )));
    }
    // A file that grows from round to round holds the touches of rounds before, too.
    let mut old: Vec<&str> = Vec::new();
    for row in &rounds.comparison().rows {
        if row.evaluated.is_some() && fingerprint(&touches, &row.name) == row.evaluated {
            touches.touched.retain(|touched| touched.hole != row.name);
            old.push(&row.name);
        }
    }
    if touches.touched.is_empty() {
        return Err(UserError::input(format!(
            "{}: these touches of {} were taken in already; drive the program of round {} first.",
            path.display(),
            old.join(", "),
            rounds.done() + 1
        )));
    }
    let is_asked = |name: &str| program.holes.iter().any(|hole| hole.name == name);
    if !touches.touched.iter().any(|touched| is_asked(&touched.hole)) {
        let first = touches.touched.first().map_or("", |touched| &touched.hole);
        let wanted: Vec<&str> = program.holes.iter().map(|hole| hole.name.as_str()).collect();
        return Err(UserError::input(format!(
            "{}: holes to be touched are {}, but the touches are of “{first}”; check the names.",
            path.display(),
            wanted.join(", ")
        )));
    }
    let told = |rounds: &Rounds| rounds.comparison().rows.iter().filter_map(|row| row.note.clone()).collect::<Vec<_>>();
    let known = told(&rounds);
    let not_touched: Vec<&str> = (program.holes.iter().map(|hole| hole.name.as_str()))
        .filter(|name| !touches.touched.iter().any(|touched| touched.hole == *name))
        .collect();
    let passed_over =
        (!not_touched.is_empty()).then(|| format!("Not touched yet, and asked for again: {}.", not_touched.join(", ")));
    rounds.take(&Probed { touches, missed: Vec::new() }, progress)?;
    rounds.program()?;
    let mut notes: Vec<String> = told(&rounds).into_iter().filter(|note| !known.contains(note)).collect();
    notes.extend(passed_over);
    let mut probing = Probing { rounds: Some(rounds), ..Probing::clone(before) };
    probing.taken.push(file);
    notes.push(probing.standing());
    Ok(change("Take touches in", probing).with_notes(notes))
}

/// Writes targets.csv and program.dmi of the next round into `folder`, or table.csv where nothing is left to touch.
/// Returns what was written.
pub fn write(probing: &Probing, folder: &Path) -> Result<Vec<PathBuf>> {
    let Some(rounds) = &probing.rounds else {
        return Err(UserError::usage("Find the holes in the scan and plan their touches first."));
    };
    std::fs::create_dir_all(folder).map_err(|e| UserError::file("make the folder", folder, &e))?;
    let files = match probing.program()? {
        Some(program) => {
            let name = probing.list.as_ref().map_or("holes", |list| &list.name);
            let header = dmis::Header {
                name: format!("{name} round {}", rounds.done() + 1),
                sensor: probing.setup.sensor.clone(),
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

/// The names of files, for sentences.
pub fn names(files: &[PathBuf]) -> String {
    files.iter().map(|path| name_of(path)).collect::<Vec<_>>().join(" and ")
}
