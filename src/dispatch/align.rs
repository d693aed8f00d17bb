//! Commands that align.

use std::sync::Arc;

use super::edit::{Execution, needs_both};
use super::{Context, Edit, Watch, search_registration};
use base::{Progress, Result, UserError};
use compute::cpu::Cpu;
use compute::{Backend, DeviceKind};
use geometry::Pose;
use inspect::alignment::point_pairs::PointPair;
use inspect::alignment::recipe::{problem, run_automatic};
use inspect::alignment::search_registration::{self as by_search, Parameters as SearchParameters};
use inspect::alignment::{Alignment, Alternative, Method, best_fit, point_pairs, search_comparison};
use inspect::parts::{Actual, Nominal};
use session::Document;

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
                Execution::work("Aligning", move |progress, watch| run(method, &before, &context, progress, watch))
            }
            Self::ByPairs => Execution::Now(by_pairs(&before)?),
            Self::SetPose(pose) => Execution::Now(set_pose(pose)),
            Self::ChooseAlternative(index) => Execution::work("Taking the other pose", move |progress, watch| {
                choose(index, &before, &context, progress, watch)
            }),
            Self::CompareSearches { start } => Execution::work("Comparing searches", move |progress, _| {
                compare_searches(start, &before, &context, progress)
            }),
            Self::BySearch(parameters) => Execution::work("Registering", move |progress, _| {
                search_registration::run(*parameters, &before, &context, progress)
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

pub(super) fn run(
    method: Method,
    document: &Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
        return Err(needs_both());
    };
    let alignment = match method {
        Method::None => Alignment::given(document.nominal_from_scan()),
        Method::BestFit => fit(document, nominal, actual, context, progress, watch)?,
        Method::Auto => {
            let (parameters, backend) = (&document.settings.best_fit, context.backend.as_ref());
            run_automatic(nominal, actual, parameters, backend, progress, watch.as_ref())?
        }
    };
    let notes: Vec<String> = std::iter::once(alignment.words()).chain(alignment.remarks()).collect();
    let alignment = Arc::new(alignment);
    Ok(Edit::new("Align", move |document| document.alignment = Some(alignment)).with_notes(notes))
}

/// Registers with every search, on the processor and on the device in use: from `start`, or from near the present pose.
fn compare_searches(start: Option<Pose>, document: &Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
        return Err(needs_both());
    };
    let backend = context.backend.as_ref();
    let mut devices: Vec<&dyn Backend> = vec![&Cpu];
    if backend.device().kind != DeviceKind::Cpu {
        devices.push(backend);
    }
    let near = || search_comparison::turned(&document.nominal_from_scan(), nominal.surface.bounds());
    let (start, onto) = (start.unwrap_or_else(near), by_search::Nominal::Surface(&nominal.surface));
    let comparison = search_comparison::run(&devices, &onto, &actual.prepared.ordered, &start, progress)?;
    let note = comparison.agreement();
    let comparison = Arc::new(comparison);
    Ok(Edit::new("Compare searches", move |document| document.searches = Some(comparison)).with_notes([note]))
}

/// Fits from another of the poses that fit about as well; the present one takes its place in the list.
fn choose(index: usize, document: &Document, context: &Context, progress: &Progress, watch: &Watch) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
        return Err(needs_both());
    };
    let Some((present, chosen)) = document.alignment.as_ref().and_then(|a| Some((a, a.alternatives.get(index)?)))
    else {
        return Err(UserError::usage("There is no such pose any more; align again."));
    };
    let start = chosen.nominal_from_scan;
    let gate_mm = (10.0 * chosen.rms_mm).max(1e-3 * nominal.surface.bounds().diagonal());
    let problem = problem(nominal, actual);
    let mut alignment = best_fit::run_from_gate(
        context.backend.as_ref(),
        &problem,
        &start,
        &document.settings.best_fit,
        gate_mm,
        progress,
        &mut |pose, rms_mm| watch(pose, rms_mm),
    )?;
    let turned = |pose: &Pose| pose.rotation.angle_to(&alignment.nominal_from_scan.rotation);
    let before = Alternative {
        nominal_from_scan: present.nominal_from_scan,
        rms_mm: present.rms_mm,
        angle_rad: turned(&present.nominal_from_scan),
    };
    let others = present.alternatives.iter().enumerate().filter(|(i, _)| *i != index);
    let others = others.map(|(_, other)| Alternative { angle_rad: turned(&other.nominal_from_scan), ..other.clone() });
    alignment.alternatives = std::iter::once(before).chain(others).collect();
    let note = alignment.words();
    let alignment = Arc::new(alignment);
    Ok(Edit::new("Take the other pose", move |document| document.alignment = Some(alignment)).with_notes([note]))
}

fn fit(
    document: &Document,
    nominal: &Nominal,
    actual: &Actual,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Alignment> {
    best_fit::run(
        context.backend.as_ref(),
        &problem(nominal, actual),
        &document.nominal_from_scan(),
        &document.settings.best_fit,
        progress,
        &mut |pose, rms_mm| watch(pose, rms_mm),
    )
}

fn by_pairs(document: &Document) -> Result<Edit> {
    let fit = point_pairs::fit(&document.pairs)?;
    let note = format!("Aligned by point pairs: RMS {:.4} mm.", fit.rms_mm);
    let alignment = Arc::new(Alignment { rms_mm: fit.rms_mm, ..Alignment::given(fit.nominal_from_scan) });
    Ok(Edit::new("Align by point pairs", move |document| document.alignment = Some(alignment)).with_notes([note]))
}

fn set_pose(pose: Pose) -> Edit {
    let alignment = Arc::new(Alignment::given(pose));
    Edit::new("Set the pose", move |document| document.alignment = Some(alignment))
}
