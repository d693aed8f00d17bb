//! The elements that the workspaces create: the nominal, the scan, the alignment and the comparison.

use std::path::PathBuf;
use std::sync::Arc;

use super::plan::{Class, Element, ElementId, Plan, Recipe};
use super::selection::{Selectable, SelectionState};
use super::{Active, Document, Stage};
use base::{LengthUnit, Result, UserError};
use geometry::Subset;
use inspect::alignment::{AlignmentRecipe, Method, Refinement, Start};
use inspect::deviation::ComparisonRecipe;
use inspect::features::fitting::Fitting;
use inspect::features::measured::{MeasuredBy, MeasuredFeature};
use inspect::features::recipe::FeatureRecipe;
use inspect::features::{Fit, Rejection};
use inspect::parts::{Actual, NominalRecipe, ScanRecipe};
use inspect::selection::{ScanPoints, Selection};
use io::SourceFile;
use io::xyz::Columns;

/// The error of a command that needs a nominal and a scan.
pub fn nominal_and_scan_required() -> UserError {
    UserError::usage("Load a nominal and a scan first.")
}

impl Document {
    /// Sets the recipe of element `id` if it exists, else adds an element called `name`.
    fn set_or_add(&mut self, id: Option<ElementId>, name: &str, recipe: Recipe) -> Result<ElementId> {
        match id.filter(|id| self.plan.get(*id).is_some()) {
            Some(id) => self.plan.set_recipe(id, recipe).map(|()| id),
            None => self.plan.add(name, recipe),
        }
    }

    /// Replaces the nominal. Alignments and comparisons with the previous one are discarded.
    pub fn set_nominal(&mut self, source: SourceFile) -> Result<ElementId> {
        // The file before tells what of it the next one states otherwise.
        self.recognise_pmi()?;
        let name = source.name();
        let before = match self.recipe(self.active.nominal) {
            Some(Recipe::Nominal(own)) => Some(own.source.name()),
            _ => None,
        };
        let recipe = self.nominal_recipe(source);
        let id = self.set_or_add(self.active.nominal, &name, recipe)?;
        if let Some(file) = before {
            self.retitle(id, || [file.clone(), name.clone()]);
        }
        self.active.nominal = Some(id);
        self.clear_facet_selections();
        if self.aligned_nominal().is_none_or(|own| own == id) {
            self.clear_alignment()?;
        } else {
            let outdated = self.plan.dependents(id);
            self.stages.shown_mut().results.remove(outdated);
        }
        Ok(id)
    }

    fn nominal_recipe(&self, source: SourceFile) -> Recipe {
        let (chord_mm, angle_deg) = (self.settings.chord_mm, self.settings.angle_deg);
        NominalRecipe { source, chord_mm, angle_deg, steps: Vec::new() }.into()
    }

    /// Adds a further nominal and shows it. The alignment stays, since all nominals are in the same frame.
    pub fn add_nominal(&mut self, source: SourceFile) -> Result<ElementId> {
        let name = source.name();
        let id = self.plan.add(&name, self.nominal_recipe(source))?;
        self.show(id)?;
        Ok(id)
    }

    /// Replaces the scan of the shown part. Features of points brushed on the previous scan are removed; the returned
    /// notes name what was removed with them.
    pub fn set_scan(
        &mut self,
        paths: &[PathBuf],
        unit: Option<LengthUnit>,
        columns: Option<Columns>,
    ) -> Result<(ElementId, Vec<String>)> {
        let recipe = ScanRecipe { unit, columns, cleaning: Vec::new() };
        let id = self.set_or_add(self.active.scan, &texts::name("Scan"), recipe.into())?;
        self.active.scan = Some(id);
        let before = self.stage();
        let same_part = before.sources.iter().map(|source| &source.path).eq(paths) || before.sources.is_empty();
        let serial = if same_part { before.serial.clone() } else { String::new() };
        *self.stages.shown_mut() =
            Stage { serial, results: before.results.clone(), ..Stage::of(Stage::name_of(paths), paths)? };
        let of_old_scan: Vec<ElementId> =
            self.plan.elements().iter().filter(|own| own.recipe.is_of_one_scan()).map(|own| own.id).collect();
        let notes = self.remove(&of_old_scan);
        self.clear_point_selections();
        self.clear_alignment()?;
        Ok((id, notes))
    }

    /// Clears selected and hidden points and the named selections of points.
    pub(super) fn clear_point_selections(&mut self) {
        self.points = SelectionState::default();
        self.selections.retain(|named| named.of != Selectable::Points);
    }

    /// Clears selected and hidden facets and the named selections of facets.
    pub(super) fn clear_facet_selections(&mut self) {
        self.facets = SelectionState::default();
        self.selections.retain(|named| named.of != Selectable::Facets);
    }

    /// Discards the alignment results and what was measured in them. A start pose belongs to the previous part, so the
    /// next alignment starts as the settings say.
    fn clear_alignment(&mut self) -> Result<()> {
        self.pairs.clear();
        self.searches = None;
        let alignment = self.pre_alignment();
        let roots = [alignment, self.active.nominal].into_iter().flatten();
        let mut outdated: Vec<ElementId> = roots.flat_map(|id| self.plan.dependents(id)).chain(alignment).collect();
        // What is made of the nominal alone does not depend on where the scan lies.
        outdated.retain(|id| self.plan.get(*id).is_none_or(|own| own.recipe.class() != Class::Nominal));
        self.stages.shown_mut().results.remove(outdated);
        let Some(id) = alignment else { return Ok(()) };
        if self.plan.users(id).is_empty() {
            self.plan.remove_with_dependents(id);
            self.active.alignment = None;
            return Ok(());
        }
        self.align_as_set().map(|_| ())
    }

    /// Sets the recipe of the pre-alignment to `method`; a best fit starts from its current pose.
    pub fn align_by(&mut self, method: Method) -> Result<ElementId> {
        let pose = Start::Pose(self.pre_aligned_pose());
        let best_fit = Refinement::BestFit { parameters: self.settings.best_fit.clone(), gate_mm: None };
        let (start, refinement) = match method {
            Method::None => (pose, Refinement::None),
            Method::BestFit => (pose, best_fit),
            Method::Auto => (Start::Automatic, best_fit),
        };
        self.set_alignment(start, refinement)
    }

    /// Sets the start and refinement of the pre-alignment, which is added if there is none; main alignments stay and
    /// start from it.
    pub fn set_alignment(&mut self, start: Start, refinement: Refinement) -> Result<ElementId> {
        // All nominals are in one frame: the scan stays aligned to the same one, whichever is shown.
        let nominal = self.aligned_nominal().or(self.active.nominal);
        let (Some(nominal), Some(scan)) = (nominal, self.active.scan) else {
            return Err(nominal_and_scan_required());
        };
        let recipe = AlignmentRecipe { nominal, scan, start, refinement };
        let id = self.set_or_add(self.pre_alignment(), &texts::name("Alignment"), recipe.into())?;
        self.active.alignment = self.active.alignment.or(Some(id));
        // Comparisons made without an alignment use this one from now on.
        for element in self.plan.clone().elements() {
            if let Recipe::Comparison(own) = &element.recipe
                && own.alignment.is_none()
            {
                let own = ComparisonRecipe { alignment: Some(id), ..ComparisonRecipe::clone(own) };
                self.plan.set_recipe(element.id, own.into())?;
            }
        }
        Ok(id)
    }

    /// A document that holds only a scan, computed elsewhere.
    pub fn of_scan(actual: Arc<Actual>) -> Self {
        let mut own = Self::default();
        if let Ok(id) = own.plan.add("Scan", ScanRecipe::default().into()) {
            own.active.scan = Some(id);
            own.store_result::<ScanRecipe>(id, actual);
        }
        own
    }

    /// Adds a feature of the scan fitted elsewhere, with the indices of its points.
    pub fn add_fitted(&mut self, name: &str, indices: Subset, fit: Arc<Fit>) -> Result<()> {
        let (Some(scan), Some(actual)) = (self.active.scan, self.actual()) else {
            return Err(nominal_and_scan_required());
        };
        let selection = Selection::Points(ScanPoints::of(indices.clone(), actual));
        let fitting = Fitting::of(fit.shape.kind());
        let recipe = FeatureRecipe {
            scan,
            selection,
            fitting,
            plane: None,
            parallel_to: Vec::new(),
            nominal: None,
            nominal_from: None,
        };
        let id = self.plan.add(name, recipe.into())?;
        let (element, by) = (fit.shape.into(), MeasuredBy::Fit(fit));
        let (parallel_sets, points) = (Vec::new(), Vec::new());
        let (rejection, coverage) = (Rejection::default(), None);
        let made = MeasuredFeature {
            element,
            by,
            numbers: indices,
            parallel_sets,
            points,
            rejection,
            coverage,
            nominal: None,
        };
        self.store_result::<FeatureRecipe>(id, Arc::new(made));
        Ok(())
    }

    /// Changes the recipe of an element; does nothing if there is no such element.
    pub fn change_recipe(&mut self, id: ElementId, change: impl FnOnce(&mut Recipe)) -> Result<()> {
        let Some(mut recipe) = self.plan.get(id).map(|own| own.recipe.clone()) else { return Ok(()) };
        change(&mut recipe);
        self.plan.set_recipe(id, recipe)
    }

    /// Makes a comparison (with its parameters), an alignment or a nominal the active one. Returns an error for other
    /// elements.
    pub fn show(&mut self, id: ElementId) -> Result<()> {
        let before = self.active;
        match self.plan.get(id).map(|own| &own.recipe) {
            Some(Recipe::Comparison(_)) => {
                self.active.comparison = Some(id);
                self.adopt_comparison_settings();
            }
            Some(recipe) if recipe.is_alignment() => {
                self.active.alignment = Some(id);
                let is_in_it =
                    |own: &&Element| matches!(&own.recipe, Recipe::Comparison(own) if own.alignment == Some(id));
                let shown = self.active.comparison;
                let all: Vec<ElementId> = self.comparisons().filter(is_in_it).map(|own| own.id).collect();
                if shown.is_none_or(|own| !all.contains(&own)) {
                    self.active.comparison = all.first().copied();
                    self.adopt_comparison_settings();
                }
            }
            Some(Recipe::Nominal(_)) => {
                self.active.nominal = Some(id);
                if self.compared_nominal() != Some(id) {
                    self.active.comparison = self.comparison_with(id);
                    self.adopt_comparison_settings();
                }
                if self.active.comparison.is_none() && before.nominal != Some(id) {
                    // Their faces are those of the other nominal.
                    self.settings.deviation.own_tolerances.clear();
                }
            }
            _ => {
                return Err(UserError::usage(format!(
                    "“{}” is always shown; only comparisons, alignments and nominals can be switched.",
                    self.plan.name(id)
                )));
            }
        }
        self.active = self.active.within(&self.plan);
        if self.active.nominal != before.nominal {
            self.clear_facet_selections();
        }
        if self.active.scan != before.scan {
            self.clear_point_selections();
        }
        Ok(())
    }

    /// The nominal of the active alignment.
    pub(super) fn aligned_nominal(&self) -> Option<ElementId> {
        match self.recipe(self.pre_alignment()) {
            Some(Recipe::Alignment(own)) => Some(own.nominal),
            _ => None,
        }
    }

    /// The nominal of the active comparison.
    fn compared_nominal(&self) -> Option<ElementId> {
        match self.recipe(self.active.comparison) {
            Some(Recipe::Comparison(own)) => Some(own.nominal),
            _ => None,
        }
    }

    /// The first comparison with a nominal.
    fn comparison_with(&self, nominal: ElementId) -> Option<ElementId> {
        let is_with = |own: &&Element| matches!(&own.recipe, Recipe::Comparison(recipe) if recipe.nominal == nominal);
        self.comparisons().find(is_with).map(|own| own.id)
    }

    fn recipe(&self, id: Option<ElementId>) -> Option<Recipe> {
        self.plan.get(id?).map(|own| own.recipe.clone())
    }

    /// Copies the parameters of the active comparison to the settings of its workspace.
    fn adopt_comparison_settings(&mut self) {
        if let Some(Recipe::Comparison(own)) = self.recipe(self.active.comparison) {
            (self.settings.deviation, self.settings.scale_mm) = (own.parameters, own.scale_mm);
            (self.active.nominal, self.active.scan) = (Some(own.nominal), Some(own.scan));
            self.active.alignment = own.alignment.or(self.active.alignment);
        }
    }

    /// Replaces the plan by one that was opened, and copies its parameters to the settings of the workspaces.
    pub fn adopt_plan(&mut self, plan: Plan) {
        self.active = Active::of(&plan);
        self.plan = plan;
        self.adopt_comparison_settings();
        if let Some(Recipe::Nominal(own)) = self.recipe(self.active.nominal) {
            (self.settings.chord_mm, self.settings.angle_deg) = (own.chord_mm, own.angle_deg);
        }
        if let Some(Recipe::Alignment(own)) = self.recipe(self.pre_alignment()) {
            let is_automatic = matches!(own.start, Start::Automatic | Start::After(_));
            self.settings.align = match own.refinement {
                Refinement::BestFit { parameters, .. } => {
                    self.settings.best_fit = parameters;
                    if is_automatic { Method::Auto } else { Method::BestFit }
                }
                Refinement::None | Refinement::Search(_) => Method::None,
            };
        }
    }

    /// The surface comparisons, in the plan's order.
    pub fn comparisons(&self) -> impl Iterator<Item = &Element> {
        let is_comparison = |own: &&Arc<Element>| matches!(own.recipe, Recipe::Comparison(_));
        self.plan.elements().iter().filter(is_comparison).map(Arc::as_ref)
    }

    /// Sets the active comparison to the current settings, adding one if there is none.
    pub fn ensure_comparison(&mut self) -> Result<ElementId> {
        let (Some(nominal), Some(scan)) = (self.active.nominal, self.active.scan) else {
            return Err(nominal_and_scan_required());
        };
        let (parameters, scale_mm) = (self.settings.deviation.clone(), self.settings.scale_mm);
        let recipe = match self.recipe(self.active.comparison) {
            Some(Recipe::Comparison(own)) => ComparisonRecipe { parameters, scale_mm, ..*own },
            _ => ComparisonRecipe { nominal, scan, alignment: self.active.alignment, parameters, scale_mm },
        };
        let id = self.set_or_add(self.active.comparison, &texts::name("Surface comparison"), recipe.into())?;
        self.active.comparison = Some(id);
        Ok(id)
    }
}
