//! How each command is carried out: which room does it, at once or on another thread.

use std::sync::Arc;

use super::edit::{Plan, Work};
use super::saves::Kept;
use super::{
    Command, Context, Edit, Outputs, Watch, accept, align, artefact_regions, calibrate, features, merge, open, output,
    parallel_planes, probe, search_registration, selecting, tolerances, upkeep,
};
use base::{Progress, Result, UserError};
use geometry::Subset;
use inspect::alignment::Method;
use inspect::features::Objective;
use render::selecting::Brushed;
use session::selection::Selectable;
use session::{Check, Document, Settings, check};

pub(super) fn plan(
    command: Command,
    document: &Document,
    context: &Context,
    timings_ms: &[(String, f64)],
) -> Result<Plan> {
    let outputs = Outputs { timings_ms: timings_ms.to_vec(), ..Outputs::default() };
    let now = |edit: Edit| Ok(Plan::Now(edit));
    let work = |label: &str, work: Work| Ok(Plan::Work(label.to_owned(), work));
    let (before, context) = (document.clone(), context.clone());
    match command {
        Command::OpenNominal { path, unit } => work(
            "Opening the nominal",
            Box::new(move |progress, _| open::nominal(&path, unit, &before.settings, &context, progress)),
        ),
        Command::OpenScans { paths, unit, columns } => work(
            "Opening the scan",
            Box::new(move |progress, _| open::scans(&paths, unit, columns, &[], &context, progress)),
        ),
        Command::InspectNext { paths, unit } => work(
            "Inspecting the next part",
            Box::new(move |progress, watch| {
                // The same columns; and, unless a start is looked for each time, the same pose to start from.
                let columns = before.actual.as_ref().and_then(|actual| actual.sources.first()?.columns);
                let kept = before.alignment.clone().filter(|_| before.settings.align != Method::Auto);
                let steps = before.actual.as_ref().map(|actual| actual.cleaning.clone()).unwrap_or_default();
                let opened = open::scans(&paths, unit, columns, &steps, &context, &progress.part(0.0, 0.2))?
                    .then(Edit::new("Keep the pose", move |document| document.alignment = kept));
                chain(opened, before, |document| align_and_compare(document, &context, &progress.part(0.2, 1.0), watch))
            }),
        ),
        Command::Align(method) => {
            work("Aligning", Box::new(move |progress, watch| align::run(method, &before, &context, progress, watch)))
        }
        Command::AlignByPairs => now(align::by_pairs(document)?),
        Command::SetPose(pose) => now(align::set_pose(pose)),
        Command::ChooseAlternative(index) => work(
            "Taking the other pose",
            Box::new(move |progress, watch| align::choose(index, &before, &context, progress, watch)),
        ),
        Command::Compare => work("Comparing", Box::new(move |progress, _| compare(&before, &context, progress))),
        Command::Inspect => {
            work("Inspecting", Box::new(move |progress, watch| align_and_compare(&before, &context, progress, watch)))
        }
        Command::CompareSearches { start } => work(
            "Comparing searches",
            Box::new(move |progress, _| align::compare_searches(start, &before, &context, progress)),
        ),
        Command::RegisterBySearch(parameters) => work(
            "Registering",
            Box::new(move |progress, _| search_registration::run(*parameters, &before, &context, progress)),
        ),
        Command::AddPair(pair) => now(Edit::new("Add a point pair", move |document| document.pairs.push(pair))),
        Command::TogglePair(index) => now(Edit::new("Switch a point pair", move |document| {
            if let Some(pair) = document.pairs.get_mut(index) {
                pair.enabled = !pair.enabled;
            }
        })),
        Command::RemovePair(index) => now(Edit::new("Remove a point pair", move |document| {
            if index < document.pairs.len() {
                document.pairs.remove(index);
            }
        })),
        Command::ClearPairs => now(Edit::new("Remove all point pairs", |document| document.pairs.clear())),
        Command::Brush { stroke: found @ Brushed::Points(_), how } => now(selecting::brush(&found, how, document)?),
        Command::Brush { stroke, how } => {
            work("Selecting", Box::new(move |_, _| selecting::brush(&stroke, how, &before)))
        }
        Command::Select(of, stroke, how) => now(selecting::select(of, &stroke, how, document)?),
        Command::BrushFacets { stroke, how } => {
            work("Selecting", Box::new(move |_, _| selecting::brush_facets(&stroke, how, &before)))
        }
        Command::SelectWholeFaces => now(selecting::whole_faces(document)?),
        Command::SelectPointsOnFacets => work(
            "Selecting the points on facets",
            Box::new(move |progress, _| selecting::points_on_facets(&before, &context, progress)),
        ),
        Command::RemoveFacets => work("Removing facets", Box::new(move |_, _| open::remove_facets(&before))),
        Command::SelectNothing => now(Edit::new("Select nothing", |document| {
            Selectable::ALL.into_iter().for_each(|of| document.marked_mut(of).selected = Subset::default());
        })),
        Command::InvertSelection(of) => now(selecting::invert(of, document)?),
        Command::Show(of, which) => now(selecting::show(of, which, document)?),
        Command::ExportSelection(of, path) => {
            work("Exporting the selection", Box::new(move |_, _| selecting::export(of, &path, &before)))
        }
        Command::NameSelection(of, name) => now(selecting::name(of, &name, document)?),
        Command::RemoveSelection(index) => now(Edit::new("Forget a selection", move |document| {
            if index < document.selections.len() {
                document.selections.remove(index);
            }
        })),
        Command::FitFeature { kind, objective, robust, clip_sigmas } => work(
            "Fitting",
            Box::new(move |progress, _| {
                features::fit((kind, objective), None, robust, clip_sigmas, &before, &context, progress)
            }),
        ),
        Command::FitParallelPlanes { planes, weights, clip_sigmas } => work(
            "Fitting parallel planes",
            Box::new(move |progress, _| {
                parallel_planes::fit(&planes, weights, clip_sigmas, &before, &context, progress)
            }),
        ),
        Command::RemoveFeature(index) => now(Edit::new("Remove a feature", move |document| {
            if index < document.features.len() {
                document.features.remove(index);
            }
        })),
        Command::NominalFromFacets(name) => work(
            "Fitting to the facets",
            Box::new(move |progress, _| features::nominal_from_facets(&name, &before, progress)),
        ),
        Command::ForgetNominal(name) => now(features::forget_nominal(name)),
        Command::FitInPlane { kind, plane, robust, clip_sigmas } => work(
            "Fitting",
            Box::new(move |progress, _| {
                let what = (kind, Objective::Gaussian);
                features::fit(what, Some(&plane), robust, clip_sigmas, &before, &context, progress)
            }),
        ),
        Command::FitSlot { plane, clip_sigmas } => work(
            "Fitting",
            Box::new(move |progress, _| features::fit_slot(plane.as_deref(), clip_sigmas, &before, progress)),
        ),
        Command::RemoveSlot(index) => now(Edit::new("Remove a slot", move |document| {
            if index < document.tolerancing.slots.len() {
                document.tolerancing.slots.remove(index);
            }
        })),
        Command::Construct { construction, sources } => now(tolerances::construct(construction, sources, document)?),
        Command::RemoveConstruction(index) => now(tolerances::remove(index)),
        Command::SetTolerancePlan(plan) => now(tolerances::set(*plan)),
        Command::JudgeTolerances => {
            work("Judging the tolerances", Box::new(move |progress, _| tolerances::judge(&before, progress)))
        }
        Command::OpenTolerancePlan(path) => {
            work("Opening the tolerances", Box::new(move |_, _| tolerances::open(&path)))
        }
        Command::SaveTolerancePlan(path) => {
            work("Saving the tolerances", Box::new(move |_, _| tolerances::save(&before, &path)))
        }
        Command::OpenMeasurement { device, path } => work(
            "Opening the measurement",
            Box::new(move |progress, _| calibrate::open(device, &path, &before, progress)),
        ),
        Command::SetUpCalibration(setup) => now(calibrate::set_up(*setup, document)?),
        Command::BrushRegion { device, region, stroke: found @ Brushed::Points(_), how } => {
            now(calibrate::brush((device, region), &found, how, document)?)
        }
        Command::BrushRegion { device, region, stroke, how } => {
            work("Selecting", Box::new(move |_, _| calibrate::brush((device, region), &stroke, how, &before)))
        }
        Command::ClearRegion(device, region) => now(calibrate::clear(device, region)),
        Command::KeepSnapshot => now(calibrate::keep(document)?),
        Command::ForgetSnapshot(number) => now(calibrate::forget(number)),
        Command::FindRegions => work(
            "Looking for the regions",
            Box::new(move |progress, _| artefact_regions::find(&before, &context, progress)),
        ),
        Command::Calibrate => work("Calibrating", Box::new(move |progress, _| calibrate::run(&before, progress))),
        Command::WriteCertificate(folder) => {
            work("Writing the certificate", Box::new(move |_, _| calibrate::write_certificate(&folder, &before)))
        }
        Command::MergeSnapshots { table, wishes } => work(
            "Merging the snapshots",
            Box::new(move |progress, _| merge::run(&table, &wishes, &before, &context, progress)),
        ),
        Command::Probe(probe) => Ok(probe::plan(probe, before)),
        Command::Accept(accept) => Ok(accept::plan(*accept, context)),
        Command::Upkeep(request) => upkeep::plan(request, before),
        Command::CleanScan(step) => {
            work("Cleaning the scan", Box::new(move |progress, _| open::clean(&step, &before, &context, progress)))
        }
        Command::UnifyWinding => work("Unifying the winding", Box::new(move |_, _| open::unify_winding(&before))),
        Command::SetSettings(settings) => {
            settings.check()?;
            let after = Document { settings: Settings::clone(&settings), ..before };
            let edit = Edit::new("Change settings", move |document| document.settings = *settings);
            let is_stale = after.check.as_ref().is_some_and(|check| after.is_stale(check));
            if !is_stale || after.current_measurement().is_none() {
                return now(edit);
            }
            let judge: Work = Box::new(move |progress, _| judge(&after, &context, progress));
            Ok(Plan::NowThen(edit, "Judging".to_owned(), judge))
        }
        Command::WriteReport { folder } => work(
            "Writing the report",
            Box::new(move |progress, _| output::write_report(&before, &folder, &outputs, progress)),
        ),
        Command::SaveProject(path) => work("Saving the project", Box::new(move |_, _| open::save(&before, path))),
        Command::OpenProject(path) => {
            work("Opening the project", Box::new(move |progress, _| open::project(path, false, &context, progress)))
        }
        Command::RestoreAutosave(path) => work(
            "Bringing the inspection back",
            Box::new(move |progress, _| open::project(path, true, &context, progress)),
        ),
        Command::NewInspection => {
            let blank = Document { settings: before.settings, upkeep: before.upkeep, ..Document::default() };
            now(Edit::inspection("Begin a new inspection", blank, Kept::Empty))
        }
        Command::UseDevice(id) => work(
            "Opening the device",
            Box::new(move |_, _| {
                let backend = compute::open_device(id)?;
                let device = backend.device();
                let note = format!("Computing on {}, {}.", device.kind.name(), device.device);
                Ok(Edit { backend: Some(backend), ..Edit::nothing(note) })
            }),
        ),
        Command::Undo | Command::Redo | Command::Mechanical(_) => now(Edit::nothing("")),
    }
}

/// Applies `first` to a copy of `before`, and runs what follows on the result; both become one step.
fn chain(first: Edit, mut before: Document, then: impl FnOnce(&Document) -> Result<Edit>) -> Result<Edit> {
    // The change is made twice: here on a copy for the work that follows, and at the end on the document itself.
    let notes = first.notes;
    (first.apply)(&mut before);
    let changed = before.clone();
    let next = then(&before)?;
    let label = first.label;
    let swap = Edit { label, notes, ..Edit::new("", move |document| *document = changed) };
    Ok(swap.then(next))
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
    let notes = notes_of(&check);
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
    let notes = notes_of(&check);
    let check = Arc::new(check);
    // It belongs to the change of settings, which is a step already.
    Ok(Edit { label: None, ..Edit::new("", move |document| document.check = Some(check)).with_notes(notes) })
}

fn notes_of(check: &Check) -> Vec<String> {
    let judgement = &check.judgement;
    std::iter::once(format!("{}. {}", judgement.headline(), judgement.reason))
        .chain(judgement.remarks.iter().cloned())
        .collect()
}

pub(super) fn needs_both() -> UserError {
    UserError::usage("Load a nominal and a scan first.")
}
