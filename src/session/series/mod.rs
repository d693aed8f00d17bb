//! Runs a plan on many parts, several in parallel. Each part leaves a record, from which tables are built and an
//! interrupted run is resumed.

mod list;
mod record;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::pipeline::{self, Failure, Results};
use super::plan::Plan;
use super::{Stage, jobs};
use base::{ErrorKind, Progress, Result, UserError};
use inspect::recipe::{ElementId, Tools};
pub use record::{ElementRecord, FigureRecord, PartRecord};

/// A part to be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its name or serial number: unique in the series and a valid folder name.
    pub name: String,
    /// Its scan files: snapshots in one frame.
    pub files: Vec<PathBuf>,
}

/// The parts that were measured by a plan.
#[derive(Clone, Debug)]
pub struct MeasuredSeries {
    /// The plan.
    pub plan: Plan,
    /// One record per part, in the order of the parts.
    pub records: Arc<Vec<PartRecord>>,
}

/// How a series is run.
pub struct SeriesRun<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// The parts.
    pub parts: &'a [Part],
    /// Number of parts measured in parallel.
    pub at_once: usize,
    /// Called with every part before it is measured, concurrently for several parts.
    pub starts: &'a (dyn Fn(&Part) -> Result<()> + Sync),
    /// Called with every measured part while its results are in memory, concurrently for several parts.
    pub measured: &'a (dyn Fn(&Stage, &PartRecord) -> Result<()> + Sync),
}

/// Runs the plan on all parts. `done` is called with each record, never concurrently. A part that cannot be measured
/// gets a record with the reason and does not stop the others.
pub fn run(
    run: &SeriesRun<'_>,
    tools: &Tools<'_>,
    progress: &Progress,
    done: impl FnMut(&Part, PartRecord) -> Result<()> + Send,
) -> Result<()> {
    let SeriesRun { plan, parts, at_once, .. } = *run;
    // Before what was kept of the files is parsed.
    let fingerprint = plan.content_hash()?;
    let shared = shared_results(plan, tools, &progress.part(0.0, 0.02))?;
    let (next, finished) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let stopped = Mutex::new(None);
    let stop = |error: UserError| {
        stopped.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        next.store(usize::MAX >> 1, Ordering::Relaxed);
    };
    let done = Mutex::new(done);
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            let outcome = match (run.starts)(part).and_then(|()| {
                jobs::catch_panic(|| measure(run, part, &shared, &fingerprint, tools, &progress.quiet()))
            }) {
                Err(error) if error.kind != ErrorKind::Cancelled => {
                    Ok((None, PartRecord::unusable(part, &fingerprint, &error)))
                }
                outcome => outcome.map(|(stage, record)| (Some(stage), record)),
            };
            let reported = outcome.and_then(|(stage, record)| {
                if let Some(stage) = stage {
                    jobs::catch_panic(|| (run.measured)(&stage, &record))?;
                }
                done.lock().unwrap_or_else(PoisonError::into_inner)(part, record)
            });
            let count = finished.fetch_add(1, Ordering::Relaxed) + 1;
            let fraction = 0.02 + 0.98 * count as f32 / parts.len() as f32;
            let message = format!("Part {count} of {}", parts.len());
            if let Err(error) = reported.and_then(|()| progress.report(fraction, &message)) {
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

/// Computes the results that are the same for every part: those that do not depend on its files. Returns an error if
/// one of them fails, since then no part can be measured.
fn shared_results(plan: &Plan, tools: &Tools<'_>, progress: &Progress) -> Result<Results> {
    let readers = plan.elements().iter().filter(|own| own.recipe.reads_sources()).map(|own| own.id);
    let per_part: std::collections::BTreeSet<ElementId> =
        readers.flat_map(|id| plan.dependents(id).into_iter().chain([id])).collect();
    let common: Vec<ElementId> = plan.elements().iter().map(|own| own.id).filter(|id| !per_part.contains(id)).collect();
    if per_part.is_empty() {
        return Err(UserError::input(
            "The plan has no scan element, so there is nothing to measure; add one in the window.",
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

fn measure(
    run: &SeriesRun<'_>,
    part: &Part,
    shared: &Results,
    fingerprint: &str,
    tools: &Tools<'_>,
    progress: &Progress,
) -> Result<(Stage, PartRecord)> {
    let started = std::time::Instant::now();
    let stage = Stage { results: shared.clone(), ..Stage::of(part.name.clone(), &part.files)? };
    let results = pipeline::run(run.plan, &stage, None, tools, progress)?;
    let seconds = started.elapsed().as_secs_f64();
    let stage = Stage { results, ..stage };
    let record = PartRecord::of(run.plan, &stage, fingerprint, &tools.backend.device(), seconds);
    Ok((stage, record))
}

impl Part {
    /// One part per file, named after it; of several files of one name all but the first get a number.
    pub fn of_files(files: &[PathBuf]) -> Vec<Self> {
        list::named(files.iter().map(|file| (None, vec![file.clone()])).collect())
    }
}
