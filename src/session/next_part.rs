//! Repeats the inspection of a document on other parts.

use std::path::PathBuf;
use std::sync::Arc;

use super::pipeline::{Failure, State};
use super::plan::{ElementId, Plan, Recipe};
use super::series::{MeasuredSeries, PartRecord};
use super::stage::Stages;
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
        let notes = next.measure_shown(&self.nominals(), tools, &progress.part(0.1, 1.0))?;
        Ok((next, notes))
    }

    /// The document with the part at `index` shown and measured by the plan; with notes for the log.
    pub fn on_part(&self, index: usize, tools: &Tools<'_>, progress: &Progress) -> Result<(Self, Vec<String>)> {
        let mut shown = self.clone();
        shown.stages.show(index, self.record_of_shown(tools.backend)?);
        let notes = shown.measure_shown(&self.nominals(), tools, progress)?;
        Ok((shown, notes))
    }

    /// Adopts the plan and the parts of `series`, of which the one at `shown` is measured; with notes for the log.
    pub fn adopt_series(
        &mut self,
        series: Arc<MeasuredSeries>,
        shown: usize,
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<Vec<String>> {
        self.adopt_plan(series.plan.clone());
        self.stages = Stages::of(series.records.iter().map(Stage::of_record).collect(), shown);
        self.stages.shown_mut().record = None;
        self.series = Some(series);
        self.measure_shown(&[], tools, progress)
    }

    /// Whether it shows the parts of its series, measured by the plan of the series.
    pub fn shows_series(&self) -> bool {
        let parts = |series: &MeasuredSeries| {
            let names = series.records.iter().map(|record| &record.sources);
            names.eq(self.stages.all().iter().map(|stage| &stage.sources)) && series.plan == self.plan
        };
        self.series.as_deref().is_some_and(parts)
    }

    /// A document of one part that was measured by `plan`, with its results.
    pub fn of_measured(plan: &Plan, stage: &Stage) -> Self {
        let mut own = Self { stages: Stages::of(vec![stage.clone()], 0), ..Self::default() };
        own.adopt_plan(plan.clone());
        own.refresh();
        own
    }

    /// The nominals that are up to date.
    fn nominals(&self) -> Vec<(ElementId, Arc<Nominal>)> {
        let nominals = self.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Nominal(_)));
        let fresh = nominals.map(|own| own.id).filter(|id| self.state(*id) == State::Fresh);
        fresh.filter_map(|id| Some((id, self.shared::<Nominal>(Some(id))?))).collect()
    }

    /// Measures the part that is shown now; `nominals` are reused so that their files are not read again.
    fn measure_shown(
        &mut self,
        nominals: &[(ElementId, Arc<Nominal>)],
        tools: &Tools<'_>,
        progress: &Progress,
    ) -> Result<Vec<String>> {
        self.clear_point_selections();
        self.pairs.clear();
        self.searches = None;
        for (id, nominal) in nominals {
            self.store_result::<NominalRecipe>(*id, Arc::clone(nominal));
        }
        self.make_all(tools, progress)
    }

    /// The record of the shown part.
    pub fn record_of_shown(&self, backend: &dyn Backend) -> Result<PartRecord> {
        // No later run takes it over, so that no file has to be read again for it.
        Ok(PartRecord::of(&self.plan, self.stage(), "", &backend.device(), 0.0))
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
