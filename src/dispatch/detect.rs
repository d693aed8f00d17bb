//! Commands on parts found in a scan.

use std::path::{Path, PathBuf};

use super::edit::Execution;
use super::series::{Reports, SeriesRequest, measuring};
use super::{Context, Edit, Watch};
use base::{Progress, Result, UserError};
use inspect::alignment::{Refinement, Start, best_fit};
use inspect::detection::start::FoundPart;
use inspect::detection::{self, Detection, DetectionRecipe, Found, Known, Parameters, Placed};
use inspect::parts::{Nominal, ScanRecipe};
use io::write;
use session::pipeline::State;
use session::plan::{ElementId, Plan, Recipe};
use session::rooms::nominal_and_scan_required;
use session::series::Part;
use session::{Document, Stage};

/// Commands on parts found in a scan.
#[derive(Clone, Debug)]
pub enum Detect {
    /// Looks for the nominal in the scan: anew, or again with other parameters.
    Find(Parameters),
    /// As [`Self::Find`], first where parts were in an earlier scan of the scene.
    Track(Parameters, Vec<Placed>),
    /// Aligns on a part found, by its index, and compares there.
    Use(ElementId, usize),
    /// Measures all parts found, each by itself: their scans, the plan and the results go into a folder.
    MeasureEach(ElementId, PathBuf),
    /// Says that a part found, by its index, is not there, and searches on.
    Refuse(ElementId, usize),
    /// Says that a possible candidate, by its index, is there, and searches on.
    Accept(ElementId, usize),
    /// Takes back what was said of parts, and searches anew.
    Forget(ElementId),
}

impl Detect {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Find(parameters) => looking(parameters, Vec::new(), before, context),
            Self::Track(parameters, last) => looking(parameters, last, before, context),
            Self::Refuse(id, index) => {
                let (mut known, found) = known_and_found(&before, id)?;
                let refused = found.detections.get(index).ok_or_else(no_longer_there)?.placed();
                known.accepted.retain(|own| *own != refused);
                known.last.retain(|own| *own != refused);
                known.refused.push(refused);
                again("Refuse a part", id, known, before, context)
            }
            Self::Accept(id, index) => {
                let (mut known, found) = known_and_found(&before, id)?;
                known.accepted.push(found.possible.get(index).ok_or_else(no_longer_there)?.placed());
                again("Accept a part", id, known, before, context)
            }
            Self::MeasureEach(id, folder) => Execution::work("Measuring the parts found", move |progress, _| {
                measure_each(id, &folder, &before, &context, progress)
            }),
            Self::Forget(id) => again("Search anew", id, Known::default(), before, context),
            Self::Use(id, index) => Execution::work("Aligning", move |progress, watch| {
                use_part(id, index, before, &context, progress, watch)
            }),
        })
    }
}

fn looking(parameters: Parameters, last: Vec<Placed>, before: Document, context: Context) -> Execution {
    Execution::work("Looking for the part", move |progress, _| find(parameters, last, before, &context, progress))
}

fn find(
    parameters: Parameters,
    last: Vec<Placed>,
    mut document: Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (Some(nominal), Some(scan)) = (document.active.nominal, document.active.scan) else {
        return Err(nominal_and_scan_required());
    };
    let before = document.plan.elements().iter().find_map(|own| match &own.recipe {
        Recipe::Detection(recipe) => Some((own.id, recipe)),
        _ => None,
    });
    // What was said of one nominal is not true of another, nor what was said of one scan.
    let of_same = before.as_ref().filter(|(_, recipe)| (recipe.nominal, recipe.scan) == (nominal, scan));
    let known = of_same.zip(document.actual()).map(|((_, recipe), scan)| recipe.known.of(scan)).unwrap_or_default();
    let id = before.map(|(id, _)| id);
    let recipe: Recipe = DetectionRecipe { nominal, scan, parameters, known: Known { last, ..known } }.into();
    let id = match id {
        Some(id) => document.plan.set_recipe(id, recipe).map(|()| id)?,
        None => document.plan.add(&texts::name("Parts in the scan"), recipe)?,
    };
    Edit::making("Look for the part", id, document, context, progress)
}

fn no_longer_there() -> UserError {
    UserError::usage("This part no longer exists; look for parts again.")
}

/// What is known of the scan of a detection, where parts were found in it among that; and what was found.
fn known_and_found(document: &Document, id: ElementId) -> Result<(Known, &Found)> {
    let (Some(Recipe::Detection(recipe)), Some(scan), Some(found)) =
        (document.plan.get(id).map(|own| &own.recipe), document.actual(), document.result::<Found>(Some(id)))
    else {
        return Err(no_longer_there());
    };
    let last = found.detections.iter().map(Detection::placed).collect();
    Ok((Known { scan: detection::hashes(scan), last, ..recipe.known.of(scan) }, found))
}

/// Searches again with what is known now: where parts were found before, they are looked for first.
fn again(label: &'static str, id: ElementId, known: Known, mut document: Document, context: Context) -> Execution {
    Execution::work("Looking for the part", move |progress, _| {
        let Some(Recipe::Detection(recipe)) = document.plan.get(id).map(|own| &own.recipe) else {
            return Err(no_longer_there());
        };
        let recipe = DetectionRecipe { known, ..DetectionRecipe::clone(recipe) };
        document.plan.set_recipe(id, recipe.into())?;
        Edit::making(label, id, document, &context, progress)
    })
}

fn use_part(
    id: ElementId,
    index: usize,
    mut document: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let found = document.result::<Found>(Some(id));
    let Some((found, own)) = found.and_then(|found| Some((found, found.detections.get(index)?))) else {
        return Err(no_longer_there());
    };
    let start = Start::Found(FoundPart::new(own, found));
    let gate_mm = own.fit_gate_mm();
    let parameters = best_fit::Parameters { max_distance_mm: Some(gate_mm), ..document.settings.best_fit.clone() };
    let alignment = document.set_alignment(start, Refinement::BestFit { parameters, gate_mm: Some(gate_mm) })?;
    let comparison = document.ensure_comparison()?;
    document.make_one(comparison, &context.tools(watch.as_ref()), &progress.part(0.0, 0.95))?;
    document.recompute_stale(&context.quiet_tools(), &progress.part(0.95, 1.0))?;
    let notes: Vec<String> = [alignment, comparison].iter().flat_map(|id| document.sentences(*id)).collect();
    Ok(Edit::replacing("Align on a part found", document).with_notes(notes))
}

/// In the folder of parts that were found and measured: the plan that they are measured by, the list of their scans, and the
/// folder of these.
pub const PLAN_OF_FOUND: &str = "plan.sgplan";
/// See [`PLAN_OF_FOUND`].
pub const LIST_OF_FOUND: &str = "parts.txt";
const SCANS_OF_FOUND: &str = "scans";

fn measure_each(
    id: ElementId,
    folder: &Path,
    document: &Document,
    context: &Context,
    progress: &Progress,
) -> Result<Edit> {
    let (Some(Recipe::Detection(recipe)), Some(scan), Some(found)) =
        (document.plan.get(id).map(|own| &own.recipe), document.actual(), document.result::<Found>(Some(id)))
    else {
        return Err(no_longer_there());
    };
    if document.state(id) != State::Fresh {
        return Err(no_longer_there());
    }
    let Some(nominal) = document.result::<Nominal>(Some(recipe.nominal)).filter(|_| !found.detections.is_empty())
    else {
        return Err(UserError::usage("No part was found that could be measured."));
    };
    let (plan, notes) = plan_of_each(document, context, &progress.part(0.0, 0.05))?;
    let farthest_mm = plan.elements().iter().filter_map(|own| match &own.recipe {
        Recipe::Comparison(own) => Some(own.parameters.effective_max_distance_mm()),
        _ => None,
    });
    // Twice: points just beyond what is compared say that the surface goes on there.
    let reach_mm = 2.0 * farthest_mm.filter(|mm| mm.is_finite()).fold(0.0, f64::max);
    let (backend, surface) = (context.backend.as_ref(), &nominal.surface);
    let scans = detection::part_scans(
        backend,
        &[surface],
        &found.detections,
        &scan.cloud,
        reach_mm,
        &progress.part(0.05, 0.3),
    )?;
    base::folder::make(&folder.join(SCANS_OF_FOUND))?;
    let paths: Vec<PathBuf> = scan.sources.iter().map(|own| own.path.clone()).collect();
    // A list separates by these.
    let (stem, digits) = (Stage::name_of(&paths).replace([',', '#'], "-"), scans.len().to_string().len());
    let mut files = Vec::new();
    for (number, scan) in (1..).zip(&scans) {
        let file = Path::new(SCANS_OF_FOUND).join(format!("{stem}-{number:0digits$}.ply"));
        write::cloud(&folder.join(&file), scan)?;
        files.push(file);
    }
    plan.save(&folder.join(PLAN_OF_FOUND))?;
    let list: String = files.iter().map(|file| format!("{}\n", file.display())).collect();
    io::atomic::write_bytes(&folder.join(LIST_OF_FOUND), list.as_bytes())?;
    let parts = Part::of_files(&files.iter().map(|file| folder.join(file)).collect::<Vec<_>>());
    let request = SeriesRequest {
        plan: &plan,
        parts: &parts,
        folder,
        reports: Reports::None,
        info: &document.settings.report,
        pictures: true,
        resumes: true,
        at_once: None,
    };
    measuring("Measure the parts found", notes, &request, context, &progress.part(0.3, 1.0))
}

/// The plan of a document as it measures a scan of one part; with notes on what it cannot measure there.
fn plan_of_each(document: &Document, context: &Context, progress: &Progress) -> Result<(Plan, Vec<String>)> {
    let (Document { mut plan, active, .. }, notes) = document.for_other_parts(context.backend.as_ref(), progress)?;
    let of_scene: Vec<ElementId> =
        plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Detection(_))).map(|own| own.id).collect();
    of_scene.into_iter().for_each(|id| drop(plan.remove_with_dependents(id)));
    if let Some(id) = active.scan {
        // Its scans are written as they were cleaned, in mm.
        plan.set_recipe(id, ScanRecipe::default().into())?;
    }
    Ok((plan, notes))
}
