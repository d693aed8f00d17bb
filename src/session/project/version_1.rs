//! Projects of version 1: one nominal, one scan, one alignment and one comparison, and lists of features, slots and
//! constructions that refer to each other by name. They are converted to elements of a plan.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{Fields, Project, SavedAlignment, SavedStage};
use crate::Document;
use crate::plan::{ElementId, Plan};
use geometry::Subset;
use inspect::alignment::{Alignment, AlignmentRecipe, Refinement, Start};
use inspect::cleaning;
use inspect::deviation::ComparisonRecipe;
use inspect::features::constructions::Construction;
use inspect::features::fits::weights::Weights;
use inspect::features::fitting::Fitting;
use inspect::features::recipe::{self, FeatureRecipe, InPlane};
use inspect::features::{Kind, Objective, Shape};
use inspect::parts::{NominalRecipe, NominalStep, ScanRecipe};
use inspect::selection::{ScanPoints, Selection};
use inspect::tolerances;
use io::SourceFile;

/// A fitted feature: its points and fit parameters.
#[derive(Deserialize)]
struct Feature {
    name: String,
    kind: Kind,
    robust: bool,
    clip_sigmas: Option<f64>,
    #[serde(default)]
    objective: Objective,
    #[serde(default)]
    plane: Option<Shape>,
    #[serde(default)]
    weights: Weights,
    #[serde(default)]
    parallel_to: Vec<Subset>,
    points: Subset,
}

#[derive(Deserialize)]
struct Slot {
    name: String,
    #[serde(default)]
    plane: Option<Shape>,
    clip_sigmas: Option<f64>,
    points: Subset,
}

#[derive(Deserialize)]
struct Constructed {
    name: String,
    #[serde(flatten)]
    construction: Construction,
    sources: Vec<String>,
}

#[derive(Default, Deserialize)]
struct Tolerancing {
    #[serde(default)]
    slots: Vec<Slot>,
    #[serde(default)]
    constructions: Vec<Constructed>,
    #[serde(default)]
    plan: tolerances::Plan,
    #[serde(default)]
    judged: bool,
}

/// Converts a project file of version 1; with notes on what could not be read.
pub(super) fn of(value: &Value) -> (Project, Vec<String>) {
    let mut fields = Fields::of(value);
    let mut project = Project::without_plan(&mut fields);
    let mut document = Document { settings: project.settings.clone(), ..Document::default() };
    let scans: Vec<SourceFile> = fields.take("scans", "list of scans");
    let outcome = elements(&mut document, &scans, &mut fields);
    let (mut made, alignments) = outcome.unwrap_or_else(|error: base::UserError| {
        fields.notes.push(error.sentence);
        Default::default()
    });
    made.sort_unstable();
    project.plan = document.plan;
    project.active = document.active;
    project.expected = BTreeMap::clone(&document.expected);
    let name = crate::Stage::name_of(&scans.iter().map(|source| source.path.clone()).collect::<Vec<_>>());
    project.stages = vec![SavedStage { name, sources: scans, made, alignments, ..SavedStage::default() }];
    (project, fields.notes)
}

type MadeAndAlignments = (Vec<ElementId>, BTreeMap<ElementId, SavedAlignment>);

/// Adds the elements to the plan of `document`, in the order of the workflow. Returns the ids of those that had been
/// computed, and the stored alignment.
fn elements(document: &mut Document, scans: &[SourceFile], fields: &mut Fields<'_>) -> base::Result<MadeAndAlignments> {
    let (mut made, mut alignments) = (Vec::new(), BTreeMap::new());
    let (plan, settings) = (&mut document.plan, &document.settings);
    if let Some(source) = fields.take::<Option<SourceFile>>("nominal", "nominal") {
        let mut steps: Vec<NominalStep> = fields.take("nominal_steps", "changes of the nominal");
        // Older files store this step as a flag.
        if fields.value.get("winding_unified") == Some(&Value::Bool(true)) && steps.is_empty() {
            steps.push(NominalStep::UnifyWinding);
        }
        let name = source.name();
        let recipe = NominalRecipe { source, chord_mm: settings.chord_mm, angle_deg: settings.angle_deg, steps };
        document.active.nominal = Some(plan.add(&name, recipe.into())?);
    }
    if let Some(first) = scans.first() {
        let cleaning: Vec<cleaning::Step> = fields.take("cleaning", "list of cleaning steps");
        let recipe = ScanRecipe { unit: first.unit, columns: first.columns, cleaning };
        document.active.scan = Some(plan.add("Scan", recipe.into())?);
    }
    made.extend([document.active.nominal, document.active.scan].into_iter().flatten());
    if let (Some(nominal), Some(scan)) = (document.active.nominal, document.active.scan) {
        if let Some(alignment) = fields.take::<Option<Alignment>>("alignment", "alignment") {
            let start = Start::Pose(alignment.nominal_from_scan);
            let id =
                plan.add("Alignment", AlignmentRecipe { nominal, scan, start, refinement: Refinement::None }.into())?;
            document.active.alignment = Some(id);
            alignments.insert(id, SavedAlignment { alignment, is_current: true });
            made.push(id);
        }
        if fields.take::<bool>("checked", "check") {
            let (alignment, parameters) = (document.active.alignment, settings.deviation.clone());
            let recipe = ComparisonRecipe { nominal, scan, alignment, parameters, scale_mm: settings.scale_mm };
            let id = plan.add("Surface comparison", recipe.into())?;
            document.active.comparison = Some(id);
            made.push(id);
        }
    }
    let features: Vec<Feature> = fields.take("features", "list of features");
    let tolerancing: Tolerancing = fields.take("tolerancing", "constructed elements and tolerances");
    let (is_judged, tolerance_plan) = (tolerancing.judged, tolerancing.plan);
    if let Some(scan) = document.active.scan {
        let feature_scan = FeatureScan { scan, hashes: scans.iter().map(|source| source.hash.clone()).collect() };
        feature_scan.add(plan, (features, tolerancing.slots, tolerancing.constructions), &mut made, fields)?;
    }
    document.ask(tolerance_plan)?;
    made.extend(document.tolerances().filter(|_| is_judged).map(|(id, _)| id));
    Ok((made, alignments))
}

/// The scan whose points features select.
struct FeatureScan {
    scan: ElementId,
    hashes: Vec<String>,
}

impl FeatureScan {
    fn selection(&self, indices: Subset) -> Selection {
        Selection::Points(ScanPoints { numbers: indices, of: self.hashes.clone(), among: None })
    }

    fn add(
        &self,
        plan: &mut Plan,
        (features, slots, constructions): (Vec<Feature>, Vec<Slot>, Vec<Constructed>),
        made: &mut Vec<ElementId>,
        fields: &mut Fields<'_>,
    ) -> base::Result<()> {
        let mut named: BTreeMap<String, ElementId> = BTreeMap::new();
        for own in features {
            let Feature { kind, objective, robust, clip_sigmas, weights, .. } = own;
            let recipe = FeatureRecipe {
                scan: self.scan,
                selection: self.selection(own.points),
                fitting: Fitting { kind, objective, robust, clip_sigmas, weights, spike_sigmas: None },
                plane: own.plane.map(InPlane::Fixed),
                parallel_to: own.parallel_to.into_iter().map(|points| self.selection(points)).collect(),
                nominal: None,
                nominal_from: None,
            };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        for own in slots {
            let recipe = recipe::SlotRecipe {
                scan: self.scan,
                selection: self.selection(own.points),
                plane: own.plane.map(InPlane::Fixed),
                clip_sigmas: own.clip_sigmas,
                nominal: None,
                nominal_from: None,
            };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        for own in constructions {
            let sources: Option<Vec<ElementId>> = own.sources.iter().map(|name| named.get(name).copied()).collect();
            let Some(sources) = sources else {
                fields.notes.push(format!("“{}” was left out because a source element is missing.", own.name));
                continue;
            };
            let recipe = recipe::ConstructionRecipe {
                construction: own.construction,
                sources,
                nominal: None,
                nominal_from: None,
            };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        made.extend(named.into_values());
        Ok(())
    }
}
