//! Commands on parts found in a scan.

use super::edit::Execution;
use super::{Context, Edit, Watch};
use base::{Progress, Result, UserError};
use inspect::alignment::{Refinement, Start, best_fit};
use inspect::detection::{DetectionRecipe, Found, Parameters};
use session::Document;
use session::plan::{ElementId, Recipe};
use session::rooms::nominal_and_scan_required;

/// Commands on parts found in a scan.
#[derive(Clone, Debug)]
pub enum Detect {
    /// Looks for the nominal in the scan: anew, or again with other parameters.
    Find(Parameters),
    /// Aligns on a part found, by its index, and compares there.
    Use(ElementId, usize),
}

impl Detect {
    pub(super) fn execution(self, before: Document, context: Context) -> Result<Execution> {
        Ok(match self {
            Self::Find(parameters) => {
                Execution::work("Looking for the part", move |progress, _| find(parameters, before, &context, progress))
            }
            Self::Use(id, index) => Execution::work("Aligning", move |progress, watch| {
                use_part(id, index, before, &context, progress, watch)
            }),
        })
    }
}

fn find(parameters: Parameters, mut document: Document, context: &Context, progress: &Progress) -> Result<Edit> {
    let (Some(nominal), Some(scan)) = (document.active.nominal, document.active.scan) else {
        return Err(nominal_and_scan_required());
    };
    let recipe: Recipe = DetectionRecipe { nominal, scan, parameters }.into();
    let before = document.plan.elements().iter().find(|own| matches!(own.recipe, Recipe::Detection(_)));
    let id = match before.map(|own| own.id) {
        Some(id) => document.plan.set_recipe(id, recipe).map(|()| id)?,
        None => document.plan.add("Parts in the scan", recipe)?,
    };
    document.make_one(id, &context.quiet_tools(), progress)?;
    let notes = document.sentences(id);
    Ok(Edit::replacing("Look for the part", document).with_notes(notes))
}

fn use_part(
    id: ElementId,
    index: usize,
    mut document: Document,
    context: &Context,
    progress: &Progress,
    watch: &Watch,
) -> Result<Edit> {
    let found = document.result::<Found>(Some(id)).and_then(|found| found.detections.get(index));
    let Some(own) = found else {
        return Err(UserError::usage("This part no longer exists; look for parts again."));
    };
    let start = Start::Pose(own.scene_from_part.inverse());
    // The scene holds other parts, too: only what lies on this one may draw the fit.
    let gate_mm = own.tolerance_mm;
    let parameters = best_fit::Parameters { max_distance_mm: Some(gate_mm), ..document.settings.best_fit.clone() };
    let alignment = document.set_alignment(start, Refinement::BestFit { parameters, gate_mm: Some(gate_mm) })?;
    let comparison = document.ensure_comparison()?;
    document.make_one(comparison, &context.tools(watch.as_ref()), &progress.part(0.0, 0.95))?;
    document.recompute_stale(&context.quiet_tools(), &progress.part(0.95, 1.0))?;
    let notes: Vec<String> = [alignment, comparison].iter().flat_map(|id| document.sentences(*id)).collect();
    Ok(Edit::replacing("Align on a part found", document).with_notes(notes))
}
