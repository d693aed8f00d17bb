//! Alignment commands.

use std::sync::Arc;

use super::edit::Execution;
use super::{Context, Edit, Watch, main_alignment};
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::{Backend, DeviceKind};
use geometry::Pose;
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::search_registration::{self, Parameters as SearchParameters};
use inspect::alignment::{Alignment, Alternative, Method, Refinement, Start, point_pairs, search_comparison};
use inspect::main_alignment::MainMethod;
use session::Document;
use session::plan::ElementId;
use session::rooms::nominal_and_scan_required;

/// Alignment commands.
#[derive(Clone, Debug)]
pub enum Align {
    /// Aligns by the given method.
    Run(Method),
    /// Aligns by the enabled point pairs.
    ByPairs,
    /// Sets the pose `nominal_from_scan` directly.
    SetPose(Pose),
    /// Sets the pose `nominal_from_scan` to which the operator moved the scan.
    MoveByHand(Pose),
    /// Fits from an alternative pose that fits about as well, by its index in the list of alternatives.
    ChooseAlternative(usize),
    /// Registers with every correspondence search on the CPU and the device in use, for comparison.
    CompareSearches {
        /// Start pose of all searches; `None` starts near the current pose.
        start: Option<Pose>,
    },
    /// Registers point to point with a chosen search, from the current pose.
    BySearch(Box<SearchParameters>),
    /// Adds a picked point pair.
    AddPair(PointPair),
    /// Enables or disables the pair at an index.
    TogglePair(usize),
    /// Removes the pair at an index.
    RemovePair(usize),
    /// Removes all pairs.
    ClearPairs,
    /// Adds a main alignment, shows it and measures the shown comparison in it.
    AddMain(MainMethod),
    /// Changes what a main alignment aligns to.
    ChangeMain(ElementId, MainMethod),
    /// Shows an alignment and measures the shown comparison in it.
    MeasureIn(ElementId),
}

impl Align {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Run(method) => {
                Execution::work("Aligning", move |progress, watch| run(method, before, &context, progress, watch))
            }
            Self::ByPairs => Execution::Now(by_pairs(before, &context)?),
            Self::SetPose(pose) => Execution::Now(place_at_start("Set the pose", Start::Pose(pose), before, &context)?),
            Self::MoveByHand(pose) => {
                let start = Start::ByHand(pose);
                Execution::Now(place_at_start("Move the scan by hand", start, before, &context)?)
            }
            Self::ChooseAlternative(index) => {
                Execution::work("Fitting from the alternative pose", move |progress, watch| {
                    choose(index, before, &context, progress, watch)
                })
            }
            Self::CompareSearches { start } => Execution::work("Comparing searches", move |progress, _| {
                compare_searches(start, &before, &context, progress)
            }),
            Self::BySearch(parameters) => Execution::work("Registering", move |progress, watch| {
                by_search(*parameters, before, &context, progress, watch)
            }),
            Self::AddPair(pair) => {
                Execution::Now(Edit::new("Add a point pair", move |document| document.pairs.push(pair)))
            }
            Self::TogglePair(index) => Execution::Now(Edit::new("Enable or disable a point pair", move |document| {
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
            Self::AddMain(to) => {
                Execution::work("Aligning", move |progress, _| main_alignment::add(to, before, &context, progress))
            }
            Self::ChangeMain(id, to) => Execution::work("Aligning", move |progress, _| {
                main_alignment::change(id, to, before, &context, progress)
            }),
            Self::MeasureIn(id) => Execution::work("Comparing", move |progress, _| {
                main_alignment::measure_in(id, before, &context, progress)
            }),
        })
    }
}

fn run(method: Method, mut document: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let id = document.align_by(method)?;
    align_element("Align", id, document, context, progress, watch)
}

/// Computes an alignment and what depends on it, with notes for the log.
fn align_element(
    label: &str,
    id: ElementId,
    mut document: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let tools = context.tools(watch.as_ref());
    let failed = document.make_alignment(id, &tools, &progress.part(0.0, 0.9))?;
    document.recompute_stale(&tools, &progress.part(0.9, 1.0))?;
    let notes = document.sentences(id);
    Ok(Edit::replacing(label, document).with_notes(notes).with_notes(failed))
}

/// Aligns by the start alone, without refinement.
fn place_at_start(label: &str, start: Start, mut document: Document, context: &Context) -> Result<Edit> {
    let id = document.set_alignment(start, Refinement::None)?;
    let failed = document.make_alignment(id, &context.quiet_tools(), &Progress::silent())?;
    Ok(Edit::replacing(label, document).with_notes(failed))
}

/// Registers point to point with a chosen search, from the current pose.
fn by_search(
    parameters: SearchParameters,
    mut document: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let (search, pose) = (parameters.search, document.pre_aligned_pose());
    let id = document.set_alignment(Start::Pose(pose), Refinement::Search(parameters))?;
    let failed = document.make_alignment(id, &context.tools(watch.as_ref()), progress)?;
    let note = document.result::<Alignment>(Some(id)).map(|alignment| {
        format!(
            "Registered by search ({}): RMS {:.4} mm, {} iterations{}.",
            search.name(),
            alignment.rms_mm,
            alignment.iterations,
            if alignment.converged { "" } else { " (stopped at the limit)" }
        )
    });
    Ok(Edit::replacing("Register by search", document).with_notes(note).with_notes(failed))
}

/// Registers with every search, on the CPU and on the device in use, from `start` or from near the current pose.
fn compare_searches(start: Option<Pose>, document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (document.nominal(), document.actual()) else {
        return Err(nominal_and_scan_required());
    };
    let backend = context.backend.as_ref();
    let mut devices: Vec<&dyn Backend> = vec![&Cpu];
    if backend.device().kind != DeviceKind::Cpu {
        devices.push(backend);
    }
    let near_current = || search_comparison::rotated_start(&document.nominal_from_scan(), nominal.surface.bounds());
    let (start, target) = (start.unwrap_or_else(near_current), search_registration::Nominal::Surface(&nominal.surface));
    let comparison = search_comparison::run(&devices, &target, &actual.prepared.ordered, &start, progress)?;
    let note = comparison.agreement();
    let comparison = Arc::new(comparison);
    Ok(Edit::new("Compare searches", move |document| document.searches = Some(comparison)).with_notes([note]))
}

/// Fits from an alternative pose; the current pose takes its place in the list of alternatives.
fn choose(index: usize, mut document: Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let Some(nominal) = document.nominal() else { return Err(nominal_and_scan_required()) };
    let current = document.result::<Alignment>(document.pre_alignment());
    let Some((current, chosen)) = current.and_then(|own| Some((own, own.alternatives.get(index)?))) else {
        return Err(UserError::usage("This alternative pose no longer exists; align again."));
    };
    let gate_mm = (10.0 * chosen.rms_mm).max(1e-3 * nominal.surface.bounds().diagonal());
    let before = Alternative { nominal_from_scan: current.nominal_from_scan, rms_mm: current.rms_mm, angle_rad: 0.0 };
    let others = current.alternatives.iter().enumerate().filter(|(i, _)| *i != index).map(|(_, other)| other.clone());
    let start = Start::OneOf { chosen: chosen.clone(), others: std::iter::once(before).chain(others).collect() };
    let parameters = document.settings.best_fit.clone();
    let id = document.set_alignment(start, Refinement::BestFit { parameters, gate_mm: Some(gate_mm) })?;
    align_element("Choose the alternative pose", id, document, context, progress, watch)
}

fn by_pairs(document: Document, context: &Context) -> Result<Edit> {
    let note = format!("Aligned by point pairs: RMS {:.4} mm.", point_pairs::fit(&document.pairs)?.rms_mm);
    let start = Start::Pairs(document.pairs.clone());
    Ok(place_at_start("Align by point pairs", start, document, context)?.with_notes([note]))
}
