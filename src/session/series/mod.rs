//! A plan run on many parts, several at a time; each leaves a record, from which tables are made and a killed run goes on.

mod list;
mod record;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::pipeline::{self, Failure, Results};
use super::plan::Plan;
use super::{Stage, jobs};
use base::{ErrorKind, Progress, Result, UserError};
use inspect::recipe::{ElementId, Tools};
pub use record::{ElementRecord, FigureRecord, PartRecord};

/// A part to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name or serial number; no two of a series have one, and it can be the name of a folder.
    pub name: String,
    /// Snapshots of it in one frame.
    pub files: Vec<PathBuf>,
}

/// Runs `plan` on every part that has no record yet, `at_once` of them at a time. `done` is called with each record, on
/// one thread at a time. A part that cannot be measured has a record that says why, and does not stop the others.
pub fn run(
    plan: &Plan,
    parts: &[Part],
    at_once: usize,
    tools: &Tools<'_>,
    progress: &Progress,
    done: impl FnMut(&Part, PartRecord) -> Result<()> + Send,
) -> Result<()> {
    let shared = of_all_parts(plan, tools, &progress.part(0.0, 0.02))?;
    let fingerprint = PartRecord::fingerprint(plan)?;
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stopped = Mutex::new(None);
    let stop = |error: UserError| {
        stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        next.store(usize::MAX >> 1, Ordering::Relaxed);
    };
    let done = Mutex::new(done);
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = match jobs::guarded(|| one(plan, part, &shared, &fingerprint, tools, &progress.quiet())) {
                Err(error) if error.kind != ErrorKind::Cancelled => {
                    Ok(PartRecord::unusable(part, &fingerprint, &error))
                }
                outcome => outcome,
            };
            let told = outcome.and_then(|record| done.lock().unwrap_or_else(PoisonError::into_inner)(part, record));
            let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
            let fraction = 0.02 + 0.98 * count as f32 / parts.len() as f32;
            let words = format!("Part {count} of {}", parts.len());
            if let Err(error) = told.and_then(|()| progress.report(fraction, &words)) {
                stop(error);
            }
        }
    };
    std::thread::scope(|scope| {
        (0..at_once.clamp(1, parts.len().max(1))).for_each(|_| {
            scope.spawn(work);
        });
    });
    match stopped.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// What is the same on every part: all that does not hang on its files. A sentence where that cannot be made, since
/// then no part can be measured.
fn of_all_parts(plan: &Plan, tools: &Tools<'_>, progress: &Progress) -> Result<Results> {
    let readers = plan.elements().iter().filter(|own| own.recipe.reads_sources()).map(|own| own.id);
    let by_part: std::collections::BTreeSet<ElementId> =
        readers.flat_map(|id| plan.dependents(id).into_iter().chain([id])).collect();
    let common: Vec<ElementId> = plan.elements().iter().map(|own| own.id).filter(|id| !by_part.contains(id)).collect();
    if by_part.is_empty() {
        return Err(UserError::input(
            "The plan reads no scan, so that there is nothing to measure; add one in the window.",
        ));
    }
    let results = pipeline::run(plan, &Stage::default(), Some(&common), tools, progress)?;
    for id in common {
        if let Some(Err(Failure::Failed(error))) = results.outcome(id).map(|own| &own.result) {
            return Err(error.clone().about(&plan.name(id)));
        }
    }
    Ok(results)
}

fn one(
    plan: &Plan,
    part: &Part,
    shared: &Results,
    fingerprint: &str,
    tools: &Tools<'_>,
    progress: &Progress,
) -> Result<PartRecord> {
    let started = std::time::Instant::now();
    let stage = Stage { results: shared.clone(), ..Stage::of(part.name.clone(), &part.files)? };
    let results = pipeline::run(plan, &stage, None, tools, progress)?;
    let seconds = started.elapsed().as_secs_f64();
    Ok(PartRecord::of(plan, &Stage { results, ..stage }, fingerprint, &tools.backend.device(), seconds))
}

impl Part {
    /// One part a file, called like it; of several files of one name all but the first get a number.
    pub fn of_files(files: &[PathBuf]) -> Vec<Self> {
        list::named(files.iter().map(|file| (None, vec![file.clone()])).collect())
    }
}
