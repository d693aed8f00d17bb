//! Commands that compare scan and nominal.

use std::path::PathBuf;
use std::sync::Arc;

use super::edit::{Execution, chain, needs_both};
use super::{Context, Edit, Watch, align, parts};
use base::{LengthUnit, Progress, Result};
use inspect::deviation::check;
use inspect::recipe::Tools;
use session::{Document, Settings};

/// What can be asked of the comparison.
#[derive(Clone, Debug)]
pub enum Inspect {
    /// Compares scan and nominal.
    Compare,
    /// Aligns and compares with the current settings.
    AlignAndCompare,
    /// Replaces the scan and runs the saved alignment and comparison again.
    Next {
        /// The next scan.
        paths: Vec<PathBuf>,
        /// Its unit.
        unit: Option<LengthUnit>,
    },
    /// Changes settings.
    SetSettings(Box<Settings>),
}

impl Inspect {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Compare => Execution::work("Comparing", move |progress, _| compare(&before, &context, progress)),
            Self::AlignAndCompare => Execution::work("Inspecting", move |progress, watch| {
                align_and_compare(&before, &context, progress, watch)
            }),
            Self::Next { paths, unit } => Execution::work("Inspecting the next part", move |progress, watch| {
                next(&paths, unit, before, &context, progress, watch)
            }),
            Self::SetSettings(settings) => set_settings(*settings, before, context)?,
        })
    }
}

/// All that was done, done again. Without a part before, the scan is opened, aligned and compared.
fn next(
    paths: &[PathBuf],
    unit: Option<LengthUnit>,
    before: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    if before.actual.is_none() {
        let opened = parts::scans(paths, unit, None, context, &progress.part(0.0, 0.2))?;
        return chain(opened, before, |document| align_and_compare(document, context, &progress.part(0.2, 1.0), watch));
    }
    let tools = Tools { backend: context.backend.as_ref(), cad: &context.cad, watch: watch.as_ref() };
    let (next, notes) = before.on_next_part(paths, unit, &tools, progress)?;
    Ok(Edit::new("Inspect the next part", move |document| *document = next).with_notes(notes))
}

/// What settings change of a check that is there is judged anew with them.
fn set_settings(settings: Settings, before: Document, context: Context) -> Result<Execution> {
    settings.check()?;
    let after = Document { settings: settings.clone(), ..before };
    let edit = Edit::new("Change settings", move |document| document.settings = settings);
    let is_stale = after.check.as_ref().is_some_and(|check| after.is_stale(check));
    if !is_stale || after.current_measurement().is_none() {
        return Ok(Execution::Now(edit));
    }
    let judge = move |progress: &Progress, _: &Watch| judge(&after, &context, progress);
    Ok(Execution::NowThen(edit, "Judging".to_owned(), Box::new(judge)))
}

fn align_and_compare(document: &Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let method = document.settings.align;
    let aligned = align::run(method, document, context, &progress.part(0.0, 0.7), watch)?;
    chain(aligned, document.clone(), |document| compare(document, context, &progress.part(0.7, 1.0)))
}

pub(super) fn compare(document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
        return Err(needs_both());
    };
    let check = check::run(
        context.backend.as_ref(),
        nominal,
        actual,
        &document.nominal_from_scan(),
        &document.settings.deviation,
        document.settings.scale_mm,
        progress,
    )?;
    let notes = check.sentences();
    let check = Arc::new(check);
    Ok(Edit::new("Compare", move |document| document.check = Some(check)).with_notes(notes))
}

/// Judges anew what was measured: limits do not move points.
fn judge(document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual), Some(measurement)) =
        (&document.nominal, &document.actual, document.current_measurement())
    else {
        return Err(needs_both());
    };
    let (backend, settings) = (context.backend.as_ref(), &document.settings);
    let (parameters, scale_mm) = (&settings.deviation, settings.scale_mm);
    let check = check::judge(backend, nominal, actual, Arc::clone(measurement), parameters, scale_mm, progress)?;
    let notes = check.sentences();
    let check = Arc::new(check);
    // It belongs to the change of settings, which is a step already.
    Ok(Edit { label: None, ..Edit::new("", move |document| document.check = Some(check)).with_notes(notes) })
}
