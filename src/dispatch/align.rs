//! Commands that align.

use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit, Watch};
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::{Backend, DeviceKind};
use geometry::Pose;
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::search_registration::{self, Parameters as SearchParameters};
use inspect::alignment::{Alternative, Method, Refinement, Start, point_pairs, search_comparison};
use session::Document;
use session::plan::ElementId;
use session::rooms::needs_both;

/// What can be asked of the alignment.
#[derive(Clone, Debug)]
pub enum Align {
    /// Aligns as the method says.
    Run(Method),
    /// Aligns by the enabled point pairs.
    ByPairs,
    /// Sets the pose outright.
    SetPose(Pose),
    /// Takes another of the poses that fit about as well, by its number among the alternatives.
    ChooseAlternative(usize),
    /// Registers with every search on every device, for comparison.
    CompareSearches {
        /// Where all of them start; `None` starts near the present pose.
        start: Option<Pose>,
    },
    /// Registers point to point with a chosen search, from the present pose.
    BySearch(Box<SearchParameters>),
    /// Adds a picked pair.
    AddPair(PointPair),
    /// Switches a pair on or off.
    TogglePair(usize),
    /// Removes a pair.
    RemovePair(usize),
    /// Removes all pairs.
    ClearPairs,
}

impl Align {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Run(method) => {
                Execution::work("Aligning", move |progress, watch| run(method, before, &context, progress, watch))
            }
            Self::ByPairs => Execution::Now(by_pairs(before, &context)?),
            Self::SetPose(pose) => Execution::Now(placed("Set the pose", Start::Pose(pose), before, &context)?),
            Self::ChooseAlternative(index) => Execution::work("Taking the other pose", move |progress, watch| {
                choose(index, before, &context, progress, watch)
            }),
            Self::CompareSearches { start } => Execution::work("Comparing searches", move |progress, _| {
                compare_searches(start, &before, &context, progress)
            }),
            Self::BySearch(parameters) => Execution::work("Registering", move |progress, watch| {
                by_search(*parameters, before, &context, progress, watch)
            }),
            Self::AddPair(pair) => {
                Execution::Now(Edit::new("Add a point pair", move |document| document.pairs.push(pair)))
            }
            Self::TogglePair(index) => Execution::Now(Edit::new("Switch a point pair", move |document| {
                if let Some(pair) = document.pairs.get_mut(index) {
                    pair.enabled = !pair.enabled;
                }
            })),
            Self::RemovePair(index) => Execution::Now(Edit::new("Remove a point pair", move |document| {
                if index < document.pairs.len() {
                    document.pairs.remove(index);
                }
            })),
            Self::ClearPairs => Execution::Now(Edit::new("Remove all point pairs", |document| document.pairs.clear())),
        })
    }
}

fn run(method: Method, mut document: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let id = document.align_by(method)?;
    aligned("Align", id, document, context, progress, watch)
}

/// Makes an alignment, and tells what it came to.
fn aligned(
    label: &str,
    id: ElementId,
    mut document: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let tools = context.tools(watch.as_ref());
    document.make_one(id, &tools, &progress.part(0.0, 0.9))?;
    document.follow(&tools, &progress.part(0.9, 1.0))?;
    let notes = document.sentences(id);
    Ok(Edit::replacing(label, document).with_notes(notes))
}

/// Aligns at once, where nothing is fitted.
fn placed(label: &str, start: Start, mut document: Document, context: &Context) -> Result<Edit> {
    let id = document.set_alignment(start, Refinement::None)?;
    document.make_one(id, &context.quiet_tools(), &Progress::silent())?;
    Ok(Edit::replacing(label, document))
}

/// Registers point to point with a chosen search, from the present pose.
fn by_search(
    parameters: SearchParameters,
    mut document: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let (search, pose) = (parameters.search, document.nominal_from_scan());
    let id = document.set_alignment(Start::Pose(pose), Refinement::Search(parameters))?;
    document.make_one(id, &context.tools(watch.as_ref()), progress)?;
    let note = document.alignment().map(|alignment| {
        format!(
            "Registered by search ({}): RMS {:.4} mm, {} iterations{}.",
            search.name(),
            alignment.rms_mm,
            alignment.iterations,
            if alignment.converged { "" } else { " (stopped at the limit)" }
        )
    });
    Ok(Edit::replacing("Register by search", document).with_notes(note))
}

/// Registers with every search, on the processor and on the device in use: from `start`, or from near the present pose.
fn compare_searches(start: Option<Pose>, document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (document.nominal(), document.actual()) else {
        return Err(needs_both());
    };
    let backend = context.backend.as_ref();
    let mut devices: Vec<&dyn Backend> = vec![&Cpu];
    if backend.device().kind != DeviceKind::Cpu {
        devices.push(backend);
    }
    let near = || search_comparison::turned(&document.nominal_from_scan(), nominal.surface.bounds());
    let (start, onto) = (start.unwrap_or_else(near), search_registration::Nominal::Surface(&nominal.surface));
    let comparison = search_comparison::run(&devices, &onto, &actual.prepared.ordered, &start, progress)?;
    let note = comparison.agreement();
    let comparison = Arc::new(comparison);
    Ok(Edit::new("Compare searches", move |document| document.searches = Some(comparison)).with_notes([note]))
}

/// Fits from another of the poses that fit about as well; the present one takes its place in the list.
fn choose(index: usize, mut document: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let Some(nominal) = document.nominal() else { return Err(needs_both()) };
    let Some((present, chosen)) = document.alignment().and_then(|a| Some((a, a.alternatives.get(index)?))) else {
        return Err(UserError::usage("There is no such pose any more; align again."));
    };
    let gate_mm = (10.0 * chosen.rms_mm).max(1e-3 * nominal.surface.bounds().diagonal());
    let before = Alternative { nominal_from_scan: present.nominal_from_scan, rms_mm: present.rms_mm, angle_rad: 0.0 };
    let others = present.alternatives.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, other)| other.clone());
    let start = Start::OneOf { chosen: chosen.clone(), others: std::iter::once(before).chain(others).collect() };
    let parameters = document.settings.best_fit.clone();
    let id = document.set_alignment(start, Refinement::BestFit { parameters, gate_mm: Some(gate_mm) })?;
    aligned("Take the other pose", id, document, context, progress, watch)
}

fn by_pairs(document: Document, context: &Context) -> Result<Edit> {
    let note = format!("Aligned by point pairs: RMS {:.4} mm.", point_pairs::fit(&document.pairs)?.rms_mm);
    let start = Start::Pairs(document.pairs.clone());
    Ok(placed("Align by point pairs", start, document, context)?.with_notes([note]))
}
