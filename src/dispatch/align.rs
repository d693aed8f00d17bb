//! Commands that align.

use std::sync::Arc;

use super::{Context, Edit, Watch, needs_both};
use base::{LengthUnit, Progress, Result, UserError, capitalised};
use compute::cpu::Cpu;
use compute::registration::Target;
use compute::{Backend, DeviceKind};
use geometry::Pose;
use inspect::alignment::automatic::{self, PreparedScan};
use inspect::alignment::{
    Alignment, Alternative, Method, best_fit, point_pairs, search_comparison, search_registration,
};
use session::{Actual, Document, Nominal};

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
            let found = start_and_fit(document, nominal, actual, context, progress, watch);
            check_unit(found, document, nominal, actual, context, progress)?
        }
    };
    let notes: Vec<String> = std::iter::once(words(&alignment)).chain(alignment.remarks()).collect();
    let alignment = Arc::new(alignment);
    Ok(Edit::new("Align", move |document| document.alignment = Some(alignment)).with_notes(notes))
}

fn words(alignment: &Alignment) -> String {
    format!(
        "Aligned: RMS {:.4} mm over {:.1} % of the points, {} iterations{}. {}.",
        alignment.rms_mm,
        100.0 * alignment.overlap,
        alignment.iterations,
        if alignment.converged { "" } else { " (stopped at the limit)" },
        capitalised(&alignment.information.weakest)
    )
}

/// Registers with every search, on the processor and on the device in use: from `start`, or from near the present pose.
pub(super) fn compare_searches(
    start: Option<Pose>,
    document: &Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
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
pub(super) fn choose(
    index: usize,
    document: &Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
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
    let note = words(&alignment);
    let alignment = Arc::new(alignment);
    Ok(Edit::new("Take the other pose", move |document| document.alignment = Some(alignment)).with_notes([note]))
}

fn problem<'a>(nominal: &'a Nominal, actual: &'a Actual) -> best_fit::Problem<'a> {
    best_fit::Problem {
        target: Target::Surface(&nominal.surface),
        bounds: *nominal.surface.bounds(),
        points: &actual.prepared.ordered,
        normals: &actual.prepared.normals,
        oriented: actual.prepared.oriented,
    }
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

fn start_and_fit(
    document: &Document,
    nominal: &Nominal,
    actual: &Actual,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Alignment> {
    automatic::run(
        context.backend.as_ref(),
        &nominal.surface,
        &actual.cloud,
        &actual.prepared,
        &document.settings.best_fit,
        progress,
        &mut |pose, rms_mm| watch(pose, rms_mm),
    )
}

/// Sizes that differ by more than this factor may be a mistaken unit; a small piece of a large part is as likely.
const SUSPICIOUS: f64 = 3.0;

/// Where the sizes hint at a mistaken unit, tries the hinted one: when only that aligns well, the sentence names it.
fn check_unit(
    found: Result<Alignment>,
    document: &Document,
    nominal: &Nominal,
    actual: &Actual,
    context: &Context,
    progress: &Progress,
) -> Result<Alignment> {
    let ratio = nominal.surface.bounds().diagonal() / actual.cloud.bounds().diagonal();
    if (1.0 / SUSPICIOUS..SUSPICIOUS).contains(&ratio) {
        return found;
    }
    let own_unit = actual.sources.first().and_then(|source| source.unit).unwrap_or_default();
    let relative = |alignment: &Alignment, size_mm: f64| alignment.rms_mm.max(1e-9 * size_mm) / size_mm;
    let given = found.as_ref().map(|alignment| relative(alignment, actual.cloud.bounds().diagonal()));
    for unit in LengthUnit::ALL.into_iter().filter(|unit| *unit != own_unit) {
        let factor = unit.in_mm() / own_unit.in_mm();
        // Only units that bring the sizes together.
        if !(1.0 / SUSPICIOUS..SUSPICIOUS).contains(&(ratio / factor)) {
            continue;
        }
        let mut cloud = actual.cloud.clone();
        cloud.scale(factor);
        let prepared = PreparedScan::new(&cloud);
        let tried = automatic::run(
            context.backend.as_ref(),
            &nominal.surface,
            &cloud,
            &prepared,
            &document.settings.best_fit,
            progress,
            &mut |_, _| (),
        );
        let fits_better = tried.is_ok_and(|alignment| {
            alignment.overlap > 0.5
                && given.as_ref().map_or(true, |given| relative(&alignment, cloud.bounds().diagonal()) < 0.2 * given)
        });
        if fits_better {
            let sentence = format!(
                "The scan does not fit the nominal as read in {}, but does in {}: open it again with that unit.",
                own_unit.symbol(),
                unit.symbol()
            );
            return Err(UserError { scan_unit: Some(unit), ..UserError::input(sentence) });
        }
    }
    found
}

pub(super) fn by_pairs(document: &Document) -> Result<Edit> {
    let fit = point_pairs::fit(&document.pairs)?;
    let note = format!("Aligned by point pairs: RMS {:.4} mm.", fit.rms_mm);
    let alignment = Arc::new(Alignment { rms_mm: fit.rms_mm, ..Alignment::given(fit.nominal_from_scan) });
    Ok(Edit::new("Align by point pairs", move |document| document.alignment = Some(alignment)).with_notes([note]))
}

pub(super) fn set_pose(pose: Pose) -> Edit {
    let alignment = Arc::new(Alignment::given(pose));
    Edit::new("Set the pose", move |document| document.alignment = Some(alignment))
}
