//! The plan of what was done by hand: a document's settings, alignment and features, to be done on other parts.

use std::collections::BTreeMap;

use super::{ElementId, Plan, Recipe};
use crate::Document;
use crate::selection::Feature;
use base::{ErrorKind, Progress, Result, UserError};
use compute::Backend;
use geometry::{Pose, Subset};
use inspect::alignment::{AlignmentRecipe, Method, Refinement, Start};
use inspect::deviation::ComparisonRecipe;
use inspect::features::recipe::{ConstructionRecipe, FeatureRecipe, InPlane, SlotRecipe};
use inspect::features::{Element as Geometry, Shape};
use inspect::parts::{Actual, Nominal, NominalRecipe, ScanRecipe};
use inspect::selection::{FacetSelection, ScanPoints, Selection};
use inspect::tolerances::recipe::{DatumRecipe, ToleranceRecipe};

/// A plan with the elements that stand for parts of the document.
pub struct DocumentPlan {
    /// The plan.
    pub plan: Plan,
    /// The nominal.
    pub nominal: ElementId,
    /// The scan.
    pub scan: ElementId,
    /// The alignment.
    pub alignment: ElementId,
    /// The comparison.
    pub comparison: ElementId,
    /// Features, slots and constructed elements by their names in the document.
    pub named: BTreeMap<String, ElementId>,
    /// What of it holds for the document's scan alone.
    pub notes: Vec<String>,
}

/// What the elements are made from.
struct Base<'a> {
    document: &'a Document,
    nominal: &'a Nominal,
    actual: &'a Actual,
    backend: &'a dyn Backend,
    ids: [ElementId; 4],
}

impl Plan {
    /// The plan of `document`. Points that were brushed become the facets beneath them.
    pub fn of_document(document: &Document, backend: &dyn Backend, progress: &Progress) -> Result<DocumentPlan> {
        let (Some(nominal), Some(actual)) = (&document.nominal, &document.actual) else {
            return Err(UserError::usage(
                "Load a nominal and a scan first: a plan is made of what is measured on them.",
            ));
        };
        let (mut plan, mut notes) = (Self::default(), Vec::new());
        let ids = plan.add_base(document, nominal, actual)?;
        let base = Base { document, nominal, actual, backend, ids };
        let mut named: BTreeMap<String, ElementId> = BTreeMap::new();
        let count = (document.features.len() + document.tolerancing.slots.len()).max(1) as f32;
        let mut done = 0.0;
        let mut part = || {
            done += 1.0;
            progress.part((done - 1.0) / count, done / count)
        };
        for feature in &document.features {
            let name = &feature.recipe.name;
            let recipe = base.feature(feature, &named, &mut notes, &part())?;
            named.insert(name.clone(), plan.add(name, recipe.into())?);
        }
        for slot in &document.tolerancing.slots {
            let own = &slot.recipe;
            let plane = own.plane.as_ref().map(|plane| base.in_plane(plane, &named));
            let recipe = SlotRecipe {
                scan: base.ids[1],
                selection: base.selection(&own.name, &own.points, plane.as_ref(), &mut notes, &part())?,
                plane,
                clip_sigmas: own.clip_sigmas,
                nominal: base.nominal_of(&own.name),
            };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        for element in &document.tolerancing.constructed {
            let own = &element.recipe;
            let sources: Option<Vec<ElementId>> = own.sources.iter().map(|name| named.get(name).copied()).collect();
            let Some(sources) = sources else { continue };
            let (construction, nominal) = (own.construction, base.nominal_of(&own.name));
            let recipe = ConstructionRecipe { construction, sources, nominal };
            named.insert(own.name.clone(), plan.add(&own.name, recipe.into())?);
        }
        base.add_tolerances(&mut plan, &named, &mut notes)?;
        let [nominal, scan, alignment, comparison] = ids;
        Ok(DocumentPlan { plan, nominal, scan, alignment, comparison, named, notes })
    }

    /// Nominal, scan, alignment and comparison.
    fn add_base(&mut self, document: &Document, nominal: &Nominal, actual: &Actual) -> Result<[ElementId; 4]> {
        let settings = &document.settings;
        let recipe = NominalRecipe {
            source: nominal.source.clone(),
            chord_mm: settings.chord_mm,
            angle_deg: settings.angle_deg,
            steps: nominal.steps.clone(),
        };
        let nominal = self.add(&nominal.source.name(), recipe.into())?;
        let source = actual.sources.first();
        let recipe = ScanRecipe {
            unit: source.and_then(|source| source.unit),
            columns: source.and_then(|source| source.columns),
            cleaning: actual.cleaning.clone(),
        };
        let scan = self.add("Scan", recipe.into())?;
        // From where this part ended up, unless a start is looked for each time.
        let pose = || Start::Pose(document.alignment.as_ref().map_or_else(Pose::identity, |own| own.nominal_from_scan));
        let best_fit = Refinement::BestFit { parameters: settings.best_fit.clone(), gate_mm: None };
        let (start, refinement) = match settings.align {
            Method::Auto => (Start::Automatic, best_fit),
            Method::BestFit => (pose(), best_fit),
            Method::None => (pose(), Refinement::None),
        };
        let alignment = self.add("Alignment", AlignmentRecipe { nominal, scan, start, refinement }.into())?;
        let (parameters, scale_mm) = (settings.deviation.clone(), settings.scale_mm);
        let recipe = ComparisonRecipe { nominal, scan, alignment: Some(alignment), parameters, scale_mm };
        let comparison = self.add("Surface comparison", recipe.into())?;
        Ok([nominal, scan, alignment, comparison])
    }
}

impl Base<'_> {
    fn feature(
        &self,
        feature: &Feature,
        named: &BTreeMap<String, ElementId>,
        notes: &mut Vec<String>,
        progress: &Progress,
    ) -> Result<FeatureRecipe> {
        let own = &feature.recipe;
        let plane = own.plane.as_ref().map(|plane| self.in_plane(plane, named));
        let mut selection = |points: &Subset| self.selection(&own.name, points, plane.as_ref(), notes, progress);
        let parallel_to = own.parallel_to.iter().map(&mut selection).collect::<Result<Vec<_>>>()?;
        Ok(FeatureRecipe {
            scan: self.ids[1],
            selection: selection(&own.points)?,
            fitting: own.fitting(),
            plane,
            parallel_to,
            nominal: self.nominal_of(&own.name),
        })
    }

    /// The facets under the points; the points themselves, with a note, where they lie on none.
    fn selection(
        &self,
        name: &str,
        points: &Subset,
        plane: Option<&InPlane>,
        notes: &mut Vec<String>,
        progress: &Progress,
    ) -> Result<Selection> {
        let bare = || Selection::Points(ScanPoints::of(points.clone(), self.actual));
        if let Some(InPlane::Fixed(_)) = plane {
            notes.push(format!("“{name}” can be measured on this scan alone: the plane that it lies in is gone."));
            return Ok(bare());
        }
        let [nominal, _, alignment, _] = self.ids;
        let pose = self.document.nominal_from_scan();
        let found = FacetSelection::under_points(
            points,
            (self.nominal, nominal),
            self.actual,
            (&pose, alignment),
            &self.document.settings.deviation,
            self.backend,
            progress,
        );
        match found {
            Ok(facets) => Ok(Selection::Facets(facets)),
            Err(error) if error.kind == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                notes.push(format!("“{name}” can be measured on this scan alone. {error}"));
                Ok(bare())
            }
        }
    }

    /// The feature that lies in that plane, else the plane as it is.
    fn in_plane(&self, plane: &Shape, named: &BTreeMap<String, ElementId>) -> InPlane {
        let is_it = |(name, _): &(&String, &ElementId)| self.document.element(name) == Some(Geometry::Shape(*plane));
        named.iter().find(is_it).map_or(InPlane::Fixed(*plane), |(_, id)| InPlane::Of(*id))
    }

    fn nominal_of(&self, name: &str) -> Option<Geometry> {
        self.document.tolerancing.plan.nominals.get(name).copied()
    }

    fn add_tolerances(
        &self,
        plan: &mut Plan,
        named: &BTreeMap<String, ElementId>,
        notes: &mut Vec<String>,
    ) -> Result<()> {
        let [_, _, alignment, comparison] = self.ids;
        let asked = &self.document.tolerancing.plan;
        let mut datums: BTreeMap<String, ElementId> = BTreeMap::new();
        let letters = asked.datums.iter().map(|(letter, feature)| (letter.clone(), feature.clone()));
        // A tolerance may name a feature where others name a letter.
        let direct = asked.tolerances.iter().flat_map(|own| &own.datums).map(|name| (name.clone(), name.clone()));
        for (letter, name) in letters.chain(direct) {
            if let (Some(feature), false) = (named.get(&name), datums.contains_key(&letter)) {
                let recipe = DatumRecipe { letter: letter.clone(), feature: *feature };
                let id = plan.add(&format!("Datum {letter}"), Recipe::from(recipe))?;
                datums.insert(letter, id);
            }
        }
        for tolerance in &asked.tolerances {
            let feature = named.get(&tolerance.feature).copied();
            let own_datums: Option<Vec<ElementId>> =
                tolerance.datums.iter().map(|own| datums.get(own).copied()).collect();
            let (Some(feature), Some(own_datums)) = (feature, own_datums) else {
                notes.push(format!("“{}” names a feature that is not there and is left out.", tolerance.title()));
                continue;
            };
            let recipe = ToleranceRecipe {
                feature,
                datums: own_datums,
                alignment: (!asked.nominals.is_empty()).then_some(alignment),
                comparison: tolerance.is_of_deviations().then_some(comparison),
                asked: tolerance.clone(),
            };
            plan.add(&tolerance.title(), recipe.into())?;
        }
        Ok(())
    }
}
