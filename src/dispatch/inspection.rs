//! Commands on comparisons and parts.

use std::path::PathBuf;

use super::edit::Execution;
use super::saves::SavedState;
use super::selecting::selected;
use super::{Context, Edit, Watch};
use base::{LengthUnit, Progress, Result, UserError};
use inspect::deviation::own_tolerances::table;
use inspect::deviation::{FaceTolerance, Tolerance};
use inspect::parts::{Faces, Nominal};
use session::pipeline::State;
use session::plan::ElementId;
use session::rooms::nominal_and_scan_required;
use session::selection::Selectable;
use session::{Document, Settings};

/// Commands on comparisons and parts.
#[derive(Clone, Debug)]
pub enum Inspect {
    /// Compares the scan with the nominal.
    Compare,
    /// Aligns and compares with the current settings.
    AlignAndCompare,
    /// Adds the next part and repeats the inspection on it.
    Next {
        /// Its scan files.
        paths: Vec<PathBuf>,
        /// Its unit.
        unit: Option<LengthUnit>,
    },
    /// Changes settings.
    SetSettings(Box<Settings>),
    /// Gives the selected facets limits of their own in the comparison.
    AddOwnTolerance {
        /// Name of the own tolerance.
        name: String,
        /// Its limits.
        tolerance: Tolerance,
    },
    /// Gives the faces that a table names limits of their own in the comparison.
    OpenOwnTolerances(PathBuf),
    /// Adds a comparison with the current settings, and shows it.
    AddComparison,
    /// Shows a comparison, alignment or nominal.
    Show(ElementId),
    /// Shows one of the parts measured so far, by its index.
    ShowPart(usize),
    /// States the serial number of the shown part.
    IdentifyPart {
        /// The serial number; empty if unknown.
        serial: String,
    },
    /// Continues with the parts of the measured series, shows one of them and measures it.
    OpenSeries {
        /// Its index.
        shown: usize,
    },
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
            Self::SetSettings(settings) => set_settings("Change settings", *settings, before, context)?,
            Self::AddOwnTolerance { name, tolerance } => {
                let (facets, nominal) = (selected(Selectable::Facets, &before)?, nominal(&before)?);
                let added = FaceTolerance { name, faces: Faces::of(facets, nominal), tolerance };
                let mut settings = before.settings.clone();
                settings.deviation.own_tolerances.push(added);
                set_settings("Add an own tolerance", settings, before, context)?
            }
            Self::OpenOwnTolerances(path) => Execution::work("Reading own tolerances", move |progress, _| {
                let added = table::read(&path, nominal(&before)?, &progress.part(0.0, 0.5))?;
                open_own_tolerances(added, before, &context, &progress.part(0.5, 1.0))
            }),
            Self::AddComparison => Execution::Now(add_comparison(before)?),
            Self::Show(id) => Execution::Now(show(id, before)?),
            Self::ShowPart(index) => Execution::work("Measuring the part", move |progress, watch| {
                show_part(index, &before, &context, progress, watch)
            }),
            Self::IdentifyPart { serial } => Execution::Now(identify_part(&serial, before)),
            Self::OpenSeries { shown } => Execution::work("Measuring the part", move |progress, watch| {
                open_series(shown, before, &context, progress, watch)
            }),
        })
    }
}

/// Repeats the inspection on the next part. For the first part, the scan is opened, aligned and compared.
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
        // The plan may already define the alignment.
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
    let label = format!("Show “{}”", document.plan.name(id));
    document.show(id)?;
    Ok(Edit::replacing(label, document))
}

fn show_part(index: usize, document: &Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let Some(stage) = document.stages.all().get(index) else {
        return Err(UserError::usage("This part no longer exists."));
    };
    let label = format!("Show “{}”", stage.label());
    let (shown, notes) = document.on_part(index, &context.tools(watch.as_ref()), progress)?;
    Ok(Edit::replacing(label, shown).with_notes(notes))
}

fn identify_part(serial: &str, mut document: Document) -> Edit {
    document.stages.shown_mut().serial = serial.trim().to_owned();
    Edit::replacing("Change the serial number", document)
}

/// Starts an inspection with the plan and the parts of the measured series; their records are kept.
fn open_series(shown: usize, before: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let series = before.series.clone().ok_or_else(|| UserError::usage("Measure the parts first."))?;
    let record = series.records.get(shown).ok_or_else(|| UserError::usage("This part no longer exists."))?;
    if let Some(error) = &record.error {
        return Err(UserError::input(error.clone()));
    }
    let mut document = super::projects::blank(before);
    let notes = document.adopt_series(series, shown, &context.tools(watch.as_ref()), progress)?;
    Ok(Edit::inspection("Open the series", document, SavedState::Unsaved(None)).with_notes(notes))
}

fn nominal(document: &Document) -> Result<&Nominal> {
    document.nominal().ok_or_else(|| UserError::usage("Load a nominal first."))
}

/// Adds own tolerances; an existing comparison with unchanged deviations is judged by them.
fn open_own_tolerances(
    added: Vec<FaceTolerance>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let mut settings = document.settings.clone();
    settings.deviation.own_tolerances.extend(added);
    let mut notes = Vec::new();
    if let Some(id) = adopt(settings, &mut document)? {
        document.make_one(id, &context.quiet_tools(), progress)?;
        notes = document.sentences(id);
    }
    Ok(Edit::replacing("Add own tolerances", document).with_notes(notes))
}

/// Changes the settings; an existing comparison with unchanged deviations is judged again.
fn set_settings(label: &str, settings: Settings, mut after: Document, context: Context) -> Result<Execution> {
    let Some(id) = adopt(settings, &mut after)? else {
        return Ok(Execution::Now(Edit::replacing(label, after)));
    };
    let edit = Edit::replacing(label, after.clone());
    let judge = move |progress: &Progress, _: &Watch| judge(id, after, &context, progress);
    Ok(Execution::NowThen(edit, "Judging".to_owned(), Box::new(judge)))
}

/// Gives the document other settings; returns the comparison that is to be judged again by them: one whose deviations are
/// unchanged. Returns an error if a setting is out of range.
fn adopt(settings: Settings, document: &mut Document) -> Result<Option<ElementId>> {
    settings.check()?;
    document.settings = settings;
    let Some(id) = document.active.comparison else { return Ok(None) };
    document.ensure_comparison()?;
    document.refresh();
    let is_due = document.state(id) == State::Stale && document.current_measurement().is_some();
    Ok(is_due.then_some(id))
}

fn align_and_compare(mut document: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let alignment = document.align_by(document.settings.align)?;
    let comparison = document.ensure_comparison()?;
    document.make_one(comparison, &context.tools(watch.as_ref()), progress)?;
    document.recompute_stale(&context.quiet_tools(), &progress.part(0.95, 1.0))?;
    let notes: Vec<String> = [alignment, comparison].iter().flat_map(|id| document.sentences(*id)).collect();
    Ok(Edit::replacing("Align", document).with_notes(notes))
}

fn compare(mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    if document.nominal().is_none() || document.actual().is_none() {
        return Err(nominal_and_scan_required());
    }
    let id = document.ensure_comparison()?;
    Edit::making("Compare", id, document, context, progress)
}

/// Judges existing deviations again, by other limits.
fn judge(id: ElementId, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = document.sentences(id);
    let results = document.stage().results.clone();
    // Part of the change of settings, which is an undo step already.
    let apply = move |document: &mut Document| document.stages.shown_mut().results = results;
    Ok(Edit { label: None, ..Edit::new("", apply).with_notes(notes) })
}
