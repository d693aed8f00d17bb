//! Commands that compare scan and nominal.

use std::path::PathBuf;

use super::edit::Execution;
use super::{Context, Edit, Watch};
use base::{LengthUnit, Progress, Result, UserError};
use session::pipeline::State;
use session::plan::ElementId;
use session::rooms::needs_both;
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
    /// Adds a comparison beside the others, with the settings of the shown one, and shows it.
    AddComparison,
    /// Shows that comparison, alignment or nominal.
    Show(ElementId),
    /// Shows the part of that number among those measured so far.
    ShowPart(usize),
}

impl Inspect {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Compare => Execution::work("Comparing", move |progress, _| compare(before, &context, progress)),
            Self::AlignAndCompare => Execution::work("Inspecting", move |progress, watch| {
                align_and_compare(before, &context, progress, watch)
            }),
            Self::Next { paths, unit } => Execution::work("Inspecting the next part", move |progress, watch| {
                next(&paths, unit, before, &context, progress, watch)
            }),
            Self::SetSettings(settings) => set_settings(*settings, before, context)?,
            Self::AddComparison => Execution::Now(add_comparison(before)?),
            Self::Show(id) => Execution::Now(show(id, before)?),
            Self::ShowPart(number) => Execution::work("Measuring the part", move |progress, watch| {
                show_part(number, &before, &context, progress, watch)
            }),
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
    let tools = context.tools(watch.as_ref());
    let (next, notes) = if before.actual().is_none() {
        let mut first = before;
        first.set_scan(paths, unit, None)?;
        // A plan says itself how its parts are aligned.
        if first.active.alignment.is_none() {
            first.align_by(first.settings.align)?;
        }
        first.ensure_comparison()?;
        let notes = first.make_all(&tools, progress)?;
        (first, notes)
    } else {
        before.on_next_part(paths, unit, &tools, progress)?
    };
    Ok(Edit::replacing("Inspect the next part", next).with_notes(notes))
}

fn add_comparison(mut document: Document) -> Result<Edit> {
    document.active.comparison = None;
    document.ensure_comparison()?;
    Ok(Edit::replacing("Add a comparison", document))
}

fn show(id: ElementId, mut document: Document) -> Result<Edit> {
    let label = format!("Show {}", document.plan.name(id));
    document.show(id)?;
    Ok(Edit::replacing(label, document))
}

fn show_part(
    number: usize,
    document: &Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let Some(stage) = document.stages.all().get(number) else {
        return Err(UserError::usage("There is no such part any more."));
    };
    let label = format!("Show {}", stage.name);
    let (shown, notes) = document.on_part(number, &context.tools(watch.as_ref()), progress)?;
    Ok(Edit::replacing(label, shown).with_notes(notes))
}

/// What settings change of a comparison that is there is judged anew with them.
fn set_settings(settings: Settings, mut after: Document, context: Context) -> Result<Execution> {
    settings.check()?;
    after.settings = settings;
    let Some(id) = after.active.comparison else {
        return Ok(Execution::Now(Edit::replacing("Change settings", after)));
    };
    after.ensure_comparison()?;
    after.refresh();
    let edit = Edit::replacing("Change settings", after.clone());
    if after.state(id) != State::Stale || after.current_measurement().is_none() {
        return Ok(Execution::Now(edit));
    }
    let judge = move |progress: &Progress, _: &Watch| judge(id, after, &context, progress);
    Ok(Execution::NowThen(edit, "Judging".to_owned(), Box::new(judge)))
}

fn align_and_compare(mut document: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let alignment = document.align_by(document.settings.align)?;
    let comparison = document.ensure_comparison()?;
    document.make_one(comparison, &context.tools(watch.as_ref()), progress)?;
    document.follow(&context.quiet_tools(), &progress.part(0.95, 1.0))?;
    let notes: Vec<String> = [alignment, comparison].iter().flat_map(|id| document.sentences(*id)).collect();
    Ok(Edit::replacing("Align", document).with_notes(notes))
}

fn compare(mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    if document.nominal().is_none() || document.actual().is_none() {
        return Err(needs_both());
    }
    let id = document.ensure_comparison()?;
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = document.sentences(id);
    Ok(Edit::replacing("Compare", document).with_notes(notes))
}

/// Judges anew what was measured: limits do not move points.
fn judge(id: ElementId, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = document.sentences(id);
    let results = document.stage().results.clone();
    // It belongs to the change of settings, which is a step already.
    let apply = move |document: &mut Document| document.stages.shown_mut().results = results;
    Ok(Edit { label: None, ..Edit::new("", apply).with_notes(notes) })
}
