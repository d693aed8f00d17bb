//! Repeats the inspection of a document on other parts.

use std::path::PathBuf;
use std::sync::Arc;

use super::pipeline::Failure;
use super::plan::{ElementId, Recipe};
use super::series::PartRecord;
use super::{Document, Stage};
use base::{LengthUnit, Progress, Result};
use compute::Backend;
use inspect::parts::{Nominal, NominalRecipe, ScanRecipe};
use inspect::recipe::Tools;

impl Document {
    /// The document with another part added and measured: the plan is generalised (see [`Document::for_other_parts`])
    /// and run on the scans at `paths`. The returned notes give the results and what could not be measured on this
    /// part.
    pub fn on_next_part(
        &self,
        paths: &[PathBuf],
        unit: Option<LengthUnit>,
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<(Self, Vec<String>)> {
        let (mut next, _) = self.for_other_parts(tools.backend, &progress.part(0.0, 0.1))?;
        if let Some((id, Recipe::Scan(recipe))) =
            next.active.scan.and_then(|id| Some((id, next.plan.get(id)?.recipe.clone())))
        {
            next.plan.set_recipe(id, ScanRecipe { unit, ..*recipe }.into())?;
        }
        let record = self.record_of_shown(tools.backend)?;
        next.stages.push(Stage::of(Stage::name_of(paths), paths)?, record);
        let notes = next.measure_shown(self.shared_nominal(), tools, &progress.part(0.1, 1.0))?;
        Ok((next, notes))
    }

    /// The document with the part at `index` shown and measured by the plan; with notes for the log.
    pub fn on_part(&self, index: usize, tools: &Tools<'_>, progress: &Progress) -> Result<(Self, Vec<String>)> {
        let mut shown = self.clone();
        shown.stages.show(index, self.record_of_shown(tools.backend)?);
        let notes = shown.measure_shown(self.shared_nominal(), tools, progress)?;
        Ok((shown, notes))
    }

    /// Measures the part that is shown now; `nominal` is reused so that its file is not read again.
    fn measure_shown(
        &mut self,
        nominal: Option<Arc<Nominal>>,
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<Vec<String>> {
        self.clear_point_selections();
        self.pairs.clear();
        self.searches = None;
        if let (Some(id), Some(nominal)) = (self.active.nominal, nominal) {
            self.store_result::<NominalRecipe>(id, nominal);
        }
        self.make_all(tools, progress)
    }

    /// The record of the shown part.
    pub fn record_of_shown(&self, backend: &dyn Backend) -> Result<PartRecord> {
        let fingerprint = PartRecord::fingerprint(&self.plan)?;
        Ok(PartRecord::of(&self.plan, self.stage(), &fingerprint, &backend.device(), 0.0))
    }

    /// The records of all parts measured so far, in their order.
    pub fn records(&self, backend: &dyn Backend) -> Result<Vec<PartRecord>> {
        let shown = self.stages.number();
        let record = |(index, stage): (usize, &Stage)| match &stage.record {
            Some(record) if index != shown => Ok(PartRecord::clone(record)),
            _ => self.record_of_shown(backend),
        };
        self.stages.all().iter().enumerate().map(record).collect()
    }

    /// Computes all elements on the shown part. Returns an error if its nominal, scan, alignment or comparison cannot
    /// be computed, else notes for the log.
    pub fn make_all(&mut self, tools: &Tools<'_>, progress: &Progress) -> Result<Vec<String>> {
        self.run(None, tools, progress)?;
        let main = [self.active.nominal, self.active.scan, self.active.alignment, self.active.comparison];
        let main: Vec<ElementId> = main.into_iter().flatten().collect();
        if let Some(error) = main.iter().find_map(|id| self.failure(*id)) {
            return Err(error);
        }
        let mut notes: Vec<String> = main.iter().skip(1).flat_map(|id| self.sentences(*id)).collect();
        notes.extend(self.plan.elements().iter().filter_map(|own| {
            match self.stage().results.outcome(own.id)?.result.as_ref().err()? {
                Failure::Failed(error) => Some(format!("“{}” could not be measured on this part. {error}", own.name)),
                Failure::Waits(_) => None,
            }
        }));
        Ok(notes)
    }
}
