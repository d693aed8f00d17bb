//! The inspection of a document done again on the next part.

use std::path::PathBuf;
use std::sync::Arc;

use super::pipeline::{self, Failure, Results};
use super::plan::{DocumentPlan, ElementId, Plan, Recipe};
use super::selection::{self, Feature, Marked, Selectable};
use super::slots::{SlotFeature, SlotRecipe};
use super::{Document, Stage};
use base::{LengthUnit, Progress, Result, UserError};
use inspect::alignment::Alignment;
use inspect::deviation::Check;
use inspect::features::Shape;
use inspect::features::measured::{MeasuredBy, MeasuredFeature};
use inspect::features::recipe::InPlane;
use inspect::parts::{Actual, NominalRecipe};
use inspect::recipe::Tools;

impl Document {
    /// The same inspection of another scan: cleaning, alignment, comparison, features on the faces that they lay on, and
    /// what is made from those. The sentences say what came out, and what could not be measured on this part.
    pub fn on_next_part(
        &self,
        paths: &[PathBuf],
        unit: Option<LengthUnit>,
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<(Self, Vec<String>)> {
        let mut own = Plan::of_document(self, tools.backend, &progress.part(0.0, 0.1))?;
        if let Some(Recipe::Scan(recipe)) = own.plan.get(own.scan).map(|element| element.recipe.clone()) {
            let recipe = inspect::parts::ScanRecipe { unit, ..*recipe };
            own.plan.set_recipe(own.scan, recipe.into())?;
        }
        let mut stage = Stage::of(String::new(), paths)?;
        let prints = own.plan.fingerprints(&stage.sources);
        if let (Some(nominal), Some(print)) = (&self.nominal, prints.get(&own.nominal)) {
            stage.results.give::<NominalRecipe>(own.nominal, *print, Arc::clone(nominal));
        }
        let results = pipeline::run(&own.plan, &stage, None, tools, &progress.part(0.1, 0.95))?;
        let mut next = self.clone();
        let mut notes = next.take_results(&own, &results)?;
        notes.extend(next.follow_features());
        if self.tolerancing.judgement.is_some() {
            let judgement = next.judged(&progress.part(0.95, 1.0))?;
            next.tolerancing.judgement = Some(Arc::new(judgement));
        }
        Ok((next, notes))
    }

    /// Takes over what the plan of another document came to.
    fn take_results(&mut self, own: &DocumentPlan, results: &Results) -> Result<Vec<String>> {
        let actual = needed::<Actual>(own.scan, results)?;
        let alignment = needed::<Alignment>(own.alignment, results)?;
        let check = needed::<Check>(own.comparison, results)?;
        let mut notes: Vec<String> = actual.sentences();
        notes.push(alignment.words());
        notes.extend(alignment.remarks());
        notes.extend(check.sentences());
        self.actual = Some(actual);
        self.alignment = Some(alignment);
        self.check = Some(check);
        self.points = Marked::default();
        self.selections.retain(|named| named.of != Selectable::Points);
        self.searches = None;
        self.pairs.clear();
        let mut measured = |name: &str| -> Option<(Arc<MeasuredFeature>, Option<Shape>)> {
            let id = *own.named.get(name)?;
            if let Some(Err(Failure::Failed(error))) = results.outcome(id).map(|outcome| &outcome.result) {
                notes.push(format!("“{name}” could not be measured on this part. {error}"));
            }
            let plane = match &own.plan.get(id)?.recipe {
                Recipe::Feature(recipe) => recipe.plane.as_ref(),
                Recipe::Slot(recipe) => recipe.plane.as_ref(),
                _ => None,
            };
            Some((results.get(id)?, plane.and_then(|plane| plane_of(plane, results))))
        };
        let features = std::mem::take(&mut self.features);
        let again = |own: Feature| {
            let (measured, plane) = measured(&own.recipe.name)?;
            let MeasuredBy::Fit(fit) = &measured.by else { return None };
            let (points, parallel_to) = (measured.numbers.clone(), measured.beside.clone());
            Some(Feature {
                recipe: selection::Recipe { points, parallel_to, plane, ..own.recipe },
                fit: Arc::clone(fit),
            })
        };
        self.features = features.into_iter().filter_map(again).collect();
        let slots = std::mem::take(&mut self.tolerancing.slots);
        let again = |own: SlotFeature| {
            let (measured, plane) = measured(&own.recipe.name)?;
            let MeasuredBy::Slot(fit) = &measured.by else { return None };
            let points = measured.numbers.clone();
            Some(SlotFeature { recipe: SlotRecipe { points, plane, ..own.recipe }, fit: Arc::clone(fit) })
        };
        self.tolerancing.slots = slots.into_iter().filter_map(again).collect();
        Ok(notes)
    }
}

/// The plane of another element on this part, or as it was fixed.
fn plane_of(plane: &InPlane, results: &Results) -> Option<Shape> {
    match plane {
        InPlane::Of(id) => results.get::<MeasuredFeature>(*id)?.plane("").ok(),
        InPlane::Fixed(plane) => Some(*plane),
    }
}

/// A result that nothing goes on without.
fn needed<T: std::any::Any + Send + Sync>(id: ElementId, results: &Results) -> Result<Arc<T>> {
    results.get(id).ok_or_else(|| {
        let failure = results.outcome(id).and_then(|outcome| outcome.result.as_ref().err());
        match failure {
            Some(Failure::Failed(error)) => error.clone(),
            _ => UserError::internal("The next part came without a result."),
        }
    })
}
