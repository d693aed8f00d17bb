//! Opens a project, as far as its files allow.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Project, SavedAlignment, SavedStage};
use crate::pipeline::Failure;
use crate::plan::{Element, ElementId, Recipe};
use crate::stage::Stages;
use crate::{Document, Stage};
use base::{Progress, Result};
use inspect::alignment::AlignmentRecipe;
use inspect::features::Shape;
use inspect::features::measured::MeasuredFeature;
use inspect::features::recipe::InPlane;
use inspect::recipe::Tools;
use io::SourceFile;

/// An opened project.
pub struct Opened {
    /// The inspection without its calibration, which is restored separately.
    pub document: Document,
    /// Notes on what is missing or has changed.
    pub notes: Vec<String>,
}

impl Project {
    /// Recomputes the results of the shown part of the project.
    pub fn open(&self, tools: &Tools<'_>, progress: &Progress) -> Result<Opened> {
        let mut notes = Vec::new();
        let stage = |saved: &SavedStage| Stage {
            name: saved.name.clone(),
            serial: saved.serial.clone(),
            sources: saved.sources.clone(),
            record: saved.record.clone().map(Arc::new),
            ..Stage::default()
        };
        let mut document = Document {
            plan: self.plan.clone(),
            stages: Stages::of(self.stages.iter().map(stage).collect(), self.shown),
            active: self.active,
            expected: Arc::new(self.expected.clone()),
            settings: self.settings.clone(),
            pairs: self.pairs.clone(),
            selections: self.selections.clone(),
            probing: Arc::new(self.probing.clone()),
            monitoring: self.monitoring.clone(),
            ..Document::default()
        };
        document.plan.presentation = self.presentation.clone();
        document.points.hidden = self.hidden.clone();
        document.facets.hidden = self.hidden_facets.clone();
        notes.extend(document.update_sources());
        let saved = self.stages.get(document.stages.number()).cloned().unwrap_or_default();
        let is_alignment = |id: ElementId| self.plan.get(id).is_some_and(|own| own.recipe.is_alignment());
        for (id, SavedAlignment { alignment, is_current }) in saved.alignments {
            if !is_alignment(id) {
                continue;
            }
            let print = if is_current {
                document.fingerprints.get(&id).copied().unwrap_or_default()
            } else {
                Default::default()
            };
            document.stages.shown_mut().results.store_result::<AlignmentRecipe>(id, print, Arc::new(alignment));
        }
        document.make(&saved.made, tools, &progress.part(0.0, 0.9))?;
        if document.link_planes() {
            document.make(&saved.made, tools, &progress.part(0.9, 1.0))?;
        }
        let made: BTreeSet<ElementId> = saved.made.into_iter().collect();
        // Checks that fail are reported where they are judged.
        let is_check = |recipe: &Recipe| matches!(recipe, Recipe::Datum(_) | Recipe::Tolerance(_) | Recipe::Measure(_));
        let is_reported = |own: &&Arc<Element>| made.contains(&own.id) && !is_check(&own.recipe);
        for element in document.plan.elements().iter().filter(is_reported) {
            let outcome = document.stage().results.outcome(element.id).map(|own| &own.result);
            if let Some(Err(Failure::Failed(error))) = outcome {
                let is_file = matches!(element.recipe, Recipe::Nominal(_) | Recipe::Scan(_));
                let error = error.clone();
                notes.push(if is_file { error.sentence } else { error.about(&element.name).sentence });
            }
        }
        Ok(Opened { document, notes })
    }
}

impl Document {
    /// Updates the hashes of the files; the returned notes name those that have changed. Missing files are reported
    /// when they are read.
    fn update_sources(&mut self) -> Vec<String> {
        let mut notes = Vec::new();
        let now = |source: &SourceFile| SourceFile::of(&source.path, source.unit, source.columns).ok();
        for element in self.plan.clone().elements() {
            if let Recipe::Nominal(recipe) = &element.recipe
                && let Some(source) = now(&recipe.source).filter(|now| now.hash != recipe.source.hash)
            {
                notes.push(format!("{} has changed since the project was saved.", source.name()));
                let mut recipe = recipe.clone();
                recipe.source = source;
                let _ = self.plan.set_recipe(element.id, Recipe::Nominal(recipe));
            }
        }
        let mut is_changed = false;
        for source in &mut self.stages.shown_mut().sources {
            if let Some(now) = now(source).filter(|now| now.hash != source.hash) {
                (*source, is_changed) = (now, true);
            }
        }
        if is_changed {
            notes.push("A scan has changed since the project was saved.".to_owned());
        }
        self.refresh();
        notes
    }

    /// Features and slots that were fitted in a fixed plane refer instead to the feature that has this plane; returns
    /// whether there were any.
    fn link_planes(&mut self) -> bool {
        let planes: Vec<(ElementId, Shape)> = self
            .plan
            .elements()
            .iter()
            .filter(|own| own.recipe.is_feature())
            .filter_map(|own| Some((own.id, self.result::<MeasuredFeature>(Some(own.id))?.plane("").ok()?)))
            .collect();
        let mut is_changed = false;
        for element in self.plan.clone().elements() {
            let mut recipe = element.recipe.clone();
            let plane = match &mut recipe {
                Recipe::Feature(own) => &mut own.plane,
                Recipe::Slot(own) => &mut own.plane,
                _ => continue,
            };
            let Some(InPlane::Fixed(shape)) = plane else { continue };
            let Some((id, _)) = planes.iter().find(|(id, own)| *id != element.id && own == shape) else { continue };
            *plane = Some(InPlane::Of(*id));
            is_changed |= self.plan.set_recipe(element.id, recipe).is_ok();
        }
        is_changed
    }
}
