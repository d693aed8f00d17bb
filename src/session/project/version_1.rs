//! Projects of version 1: one nominal, one scan, one alignment and one comparison, and lists of features, slots and
//! constructions that named each other. They become elements of a plan.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::{KeptAlignment, KeptStage, Parts, Project};
use crate::Document;
use crate::plan::{ElementId, Plan};
use geometry::Subset;
use inspect::alignment::{Alignment, AlignmentRecipe, Refinement, Start};
use inspect::cleaning;
use inspect::deviation::ComparisonRecipe;
use inspect::features::constructions::Construction;
use inspect::features::fitting::Fitting;
use inspect::features::recipe::{self, FeatureRecipe, InPlane};
use inspect::features::weights::Weights;
use inspect::features::{Kind, Objective, Shape};
use inspect::parts::{NominalRecipe, NominalStep, ScanRecipe};
use inspect::selection::{ScanPoints, Selection};
use inspect::tolerances;
use io::SourceFile;

/// What a feature was fitted to, and how.
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

/// The project, and what of it could not be read.
pub(super) fn of(value: &Value) -> (Project, Vec<String>) {
    let mut parts = Parts::of(value);
    let mut project = Project::without_plan(&mut parts);
    let mut document = Document { settings: project.settings.clone(), ..Document::default() };
    let scans: Vec<SourceFile> = parts.take("scans", "list of scans");
    let outcome = elements(&mut document, &scans, &mut parts);
    let (mut made, alignments) = outcome.unwrap_or_else(|error: base::UserError| {
        parts.notes.push(error.sentence);
        Default::default()
    });
    made.sort_unstable();
    project.plan = document.plan;
    project.active = document.active;
    project.expected = BTreeMap::clone(&document.expected);
    let name = crate::Stage::name_of(&scans.iter().map(|source| source.path.clone()).collect::<Vec<_>>());
    project.stages = vec![KeptStage { name, sources: scans, record: None, made, alignments }];
    (project, parts.notes)
}

type Kept = (Vec<ElementId>, BTreeMap<ElementId, KeptAlignment>);

/// The elements in the order of the work; those that had been made, and how the scan was aligned.
fn elements(document: &mut Document, scans: &[SourceFile], parts: &mut Parts<'_>) -> base::Result<Kept> {
    let (mut made, mut alignments) = (Vec::new(), BTreeMap::new());
    let (plan, settings) = (&mut document.plan, &document.settings);
    if let Some(source) = parts.take::<Option<SourceFile>>("nominal", "nominal") {
        let mut steps: Vec<NominalStep> = parts.take("nominal_steps", "changes of the nominal");
        // As files once said it.
        if parts.value.get("winding_unified") == Some(&Value::Bool(true)) && steps.is_empty() {
            steps.push(NominalStep::UnifyWinding);
        }
        let name = source.name();
        let recipe = NominalRecipe { source, chord_mm: settings.chord_mm, angle_deg: settings.angle_deg, steps };
        document.active.nominal = Some(plan.add(&name, recipe.into())?);
    }
    if let Some(first) = scans.first() {
        let cleaning: Vec<cleaning::Step> = parts.take("cleaning", "list of cleaning steps");
        let recipe = ScanRecipe { unit: first.unit, columns: first.columns, cleaning };
        document.active.scan = Some(plan.add("Scan", recipe.into())?);
    }
    made.extend([document.active.nominal, document.active.scan].into_iter().flatten());
    if let (Some(nominal), Some(scan)) = (document.active.nominal, document.active.scan) {
        if let Some(alignment) = parts.take::<Option<Alignment>>("alignment", "alignment") {
            let start = Start::Pose(alignment.nominal_from_scan);
            let id =
                plan.add("Alignment", AlignmentRecipe { nominal, scan, start, refinement: Refinement::None }.into())?;
            document.active.alignment = Some(id);
            alignments.insert(id, KeptAlignment { alignment, is_current: true });
            made.push(id);
        }
        if parts.take::<bool>("checked", "check") {
            let (alignment, parameters) = (document.active.alignment, settings.deviation.clone());
            let recipe = ComparisonRecipe { nominal, scan, alignment, parameters, scale_mm: settings.scale_mm };
            let id = plan.add("Surface comparison", recipe.into())?;
            document.active.comparison = Some(id);
            made.push(id);
        }
    }
    let features: Vec<Feature> = parts.take("features", "list of features");
    let tolerancing: Tolerancing = parts.take("tolerancing", "constructed elements and tolerances");
    let (is_judged, asked) = (tolerancing.judged, tolerancing.plan);
    if let Some(scan) = document.active.scan {
        let of = Of { scan, hashes: scans.iter().map(|source| source.hash.clone()).collect() };
        of.add(plan, (features, tolerancing.slots, tolerancing.constructions), &mut made, parts)?;
    }
    document.ask(asked)?;
    made.extend(document.tolerances().filter(|_| is_judged).map(|(id, _)| id));
    Ok((made, alignments))
}

/// The scan that features are of.
struct Of {
    scan: ElementId,
    hashes: Vec<String>,
}

impl Of {
    fn selection(&self, numbers: Subset) -> Selection {
        Selection::Points(ScanPoints { numbers, of: self.hashes.clone(), among: None })
    }

    fn add(
        &self,
        plan: &mut Plan,
        (features, slots, constructions): (Vec<Feature>, Vec<Slot>, Vec<Constructed>),
        made: &mut Vec<ElementId>,
        parts: &mut Parts<'_>,
    ) -> base::Result<()> {
        let mut named: BTreeMap<String, ElementId> = BTreeMap::new();
        for own in features {
            let Feature { kind, objective, robust, clip_sigmas, weights, .. } = own;
            let recipe = FeatureRecipe {
                scan: self.scan,
                selection: self.selection(own.points),
                fitting: Fitting { kind, objective, robust, clip_sigmas, weights },
                plane: own.plane.map(InPlane::Fixed),
                parallel_to: own.parallel_to.into_iter().map(|points| self.selection(points)).collect(),
                nominal: None,
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
            };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        for own in constructions {
            let sources: Option<Vec<ElementId>> = own.sources.iter().map(|name| named.get(name).copied()).collect();
            let Some(sources) = sources else {
                parts.notes.push(format!("{} was left out, as what it was made from is missing.", own.name));
                continue;
            };
            let recipe = recipe::ConstructionRecipe { construction: own.construction, sources, nominal: None };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        made.extend(named.into_values());
        Ok(())
    }
}
