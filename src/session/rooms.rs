//! The elements that the rooms of the window make: the nominal, the scan, the alignment and the comparison.

use std::path::PathBuf;
use std::sync::Arc;

use super::plan::{Element, ElementId, Plan, Recipe};
use super::selection::{Marked, Selectable};
use super::{Active, Document, Stage};
use base::{LengthUnit, Result, UserError};
use geometry::Subset;
use inspect::alignment::{AlignmentRecipe, Method, Refinement, Start};
use inspect::deviation::ComparisonRecipe;
use inspect::features::Fit;
use inspect::features::fitting::Fitting;
use inspect::features::measured::{MeasuredBy, MeasuredFeature};
use inspect::features::recipe::FeatureRecipe;
use inspect::parts::{Actual, NominalRecipe, ScanRecipe};
use inspect::selection::{ScanPoints, Selection};
use io::SourceFile;
use io::xyz::Columns;

/// What is told where a nominal and a scan are needed.
pub fn needs_both() -> UserError {
    UserError::usage("Load a nominal and a scan first.")
}

impl Document {
    /// The element of `id` with that recipe, or a new one of that name.
    fn set_or_add(&mut self, id: Option<ElementId>, name: &str, recipe: Recipe) -> Result<ElementId> {
        match id.filter(|id| self.plan.get(*id).is_some()) {
            Some(id) => self.plan.set_recipe(id, recipe).map(|()| id),
            None => self.plan.add(name, recipe),
        }
    }

    /// Puts another nominal in the place of the one before. What was aligned and compared with that one goes.
    pub fn set_nominal(&mut self, source: SourceFile) -> Result<ElementId> {
        let name = source.name();
        let before = match self.recipe(self.active.nominal) {
            Some(Recipe::Nominal(own)) => Some(own.source.name()),
            _ => None,
        };
        let (chord_mm, angle_deg) = (self.settings.chord_mm, self.settings.angle_deg);
        let recipe = NominalRecipe { source, chord_mm, angle_deg, steps: Vec::new() };
        let id = self.set_or_add(self.active.nominal, &name, recipe.into())?;
        if let Some(file) = before {
            self.retitle(id, &file, &name);
        }
        self.active.nominal = Some(id);
        self.forget_facets();
        self.forget_placement()?;
        Ok(id)
    }

    /// Puts another part in the place of the shown one. Features of points that were brushed on that one go; the
    /// sentences say so of what was made from them.
    pub fn set_scan(
        &mut self,
        paths: &[PathBuf],
        unit: Option<LengthUnit>,
        columns: Option<Columns>,
    ) -> Result<(ElementId, Vec<String>)> {
        let id =
            self.set_or_add(self.active.scan, "Scan", ScanRecipe { unit, columns, cleaning: Vec::new() }.into())?;
        self.active.scan = Some(id);
        *self.stages.shown_mut() =
            Stage { results: self.stage().results.clone(), ..Stage::of(Stage::name_of(paths), paths)? };
        let bare: Vec<ElementId> =
            self.plan.elements().iter().filter(|own| own.recipe.is_of_one_scan()).map(|own| own.id).collect();
        let notes = self.remove(&bare);
        self.forget_scan();
        self.forget_placement()?;
        Ok((id, notes))
    }

    /// Forgets what was brushed and picked on the scan.
    pub(super) fn forget_scan(&mut self) {
        self.points = Marked::default();
        self.selections.retain(|named| named.of != Selectable::Points);
    }

    /// Forgets what was brushed on the nominal.
    pub(super) fn forget_facets(&mut self) {
        self.facets = Marked::default();
        self.selections.retain(|named| named.of != Selectable::Facets);
    }

    /// Forgets where the scan lay on the nominal, and what was measured there. A pose that was given, or found from one,
    /// is one of the parts before: the next alignment begins as the settings say.
    fn forget_placement(&mut self) -> Result<()> {
        self.pairs.clear();
        self.searches = None;
        let on = [self.active.alignment, self.active.nominal].into_iter().flatten();
        let placed: Vec<ElementId> = on.flat_map(|id| self.plan.dependents(id)).chain(self.active.alignment).collect();
        self.stages.shown_mut().results.forget(placed);
        let Some(id) = self.active.alignment else { return Ok(()) };
        if self.plan.users(id).is_empty() {
            self.plan.remove_with_dependents(id);
            self.active.alignment = None;
            return Ok(());
        }
        self.align_as_set().map(|_| ())
    }

    /// Aligns as the method says from now on; best fits go on from the present pose.
    pub fn align_by(&mut self, method: Method) -> Result<ElementId> {
        let pose = Start::Pose(self.nominal_from_scan());
        let best_fit = Refinement::BestFit { parameters: self.settings.best_fit.clone(), gate_mm: None };
        let (start, refinement) = match method {
            Method::None => (pose, Refinement::None),
            Method::BestFit => (pose, best_fit),
            Method::Auto => (Start::Automatic, best_fit),
        };
        self.set_alignment(start, refinement)
    }

    /// Aligns from that start in that way from now on.
    pub fn set_alignment(&mut self, start: Start, refinement: Refinement) -> Result<ElementId> {
        let (Some(nominal), Some(scan)) = (self.active.nominal, self.active.scan) else { return Err(needs_both()) };
        let recipe = AlignmentRecipe { nominal, scan, start, refinement };
        let id = self.set_or_add(self.active.alignment, "Alignment", recipe.into())?;
        self.active.alignment = Some(id);
        // What was compared before there was an alignment is compared in it from now on.
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

    /// A scan alone, as it was made elsewhere.
    pub fn of_scan(actual: Arc<Actual>) -> Self {
        let mut own = Self::default();
        if let Ok(id) = own.plan.add("Scan", ScanRecipe::default().into()) {
            own.active.scan = Some(id);
            own.give::<ScanRecipe>(id, actual);
        }
        own
    }

    /// Adds a feature of the scan that was fitted elsewhere.
    pub fn add_fitted(&mut self, name: &str, numbers: Subset, fit: Arc<Fit>) -> Result<()> {
        let (Some(scan), Some(actual)) = (self.active.scan, self.actual()) else { return Err(needs_both()) };
        let selection = Selection::Points(ScanPoints::of(numbers.clone(), actual));
        let fitting = Fitting::of(fit.shape.kind());
        let recipe = FeatureRecipe { scan, selection, fitting, plane: None, parallel_to: Vec::new(), nominal: None };
        let id = self.plan.add(name, recipe.into())?;
        let (element, by) = (fit.shape.into(), MeasuredBy::Fit(fit));
        let (beside, points) = (Vec::new(), Vec::new());
        let made = MeasuredFeature { element, by, numbers, beside, points, nominal: None };
        self.give::<FeatureRecipe>(id, Arc::new(made));
        Ok(())
    }

    /// Changes the recipe of an element.
    pub fn change_recipe(&mut self, id: ElementId, change: impl FnOnce(&mut Recipe)) -> Result<()> {
        let Some(mut recipe) = self.plan.get(id).map(|own| own.recipe.clone()) else { return Ok(()) };
        change(&mut recipe);
        self.plan.set_recipe(id, recipe)
    }

    /// Shows another comparison with its parameters, another alignment, or another nominal.
    pub fn show(&mut self, id: ElementId) -> Result<()> {
        let before = self.active;
        match self.plan.get(id).map(|own| &own.recipe) {
            Some(Recipe::Comparison(_)) => {
                self.active.comparison = Some(id);
                self.settings_of_comparison();
            }
            Some(Recipe::Alignment(_)) => self.active.alignment = Some(id),
            Some(Recipe::Nominal(_)) => self.active.nominal = Some(id),
            _ => {
                return Err(UserError::usage(format!(
                    "“{}” is always shown; only comparisons, alignments and nominals take turns.",
                    self.plan.name(id)
                )));
            }
        }
        self.active = self.active.within(&self.plan);
        if self.active.nominal != before.nominal {
            self.forget_facets();
        }
        if self.active.scan != before.scan {
            self.forget_scan();
        }
        Ok(())
    }

    fn recipe(&self, id: Option<ElementId>) -> Option<Recipe> {
        self.plan.get(id?).map(|own| own.recipe.clone())
    }

    /// Takes the parameters of the shown comparison as those of its room.
    fn settings_of_comparison(&mut self) {
        if let Some(Recipe::Comparison(own)) = self.recipe(self.active.comparison) {
            (self.settings.deviation, self.settings.scale_mm) = (own.parameters, own.scale_mm);
            (self.active.nominal, self.active.scan) = (Some(own.nominal), Some(own.scan));
            self.active.alignment = own.alignment.or(self.active.alignment);
        }
    }

    /// Works on the elements of a plan that was opened, with their parameters as those of the rooms.
    pub fn take_plan(&mut self, plan: Plan) {
        self.active = Active::of(&plan);
        self.plan = plan;
        self.settings_of_comparison();
        if let Some(Recipe::Nominal(own)) = self.recipe(self.active.nominal) {
            (self.settings.chord_mm, self.settings.angle_deg) = (own.chord_mm, own.angle_deg);
        }
        if let Some(Recipe::Alignment(own)) = self.recipe(self.active.alignment) {
            let is_sought = matches!(own.start, Start::Automatic | Start::After(_));
            self.settings.align = match own.refinement {
                Refinement::BestFit { parameters, .. } => {
                    self.settings.best_fit = parameters;
                    if is_sought { Method::Auto } else { Method::BestFit }
                }
                Refinement::None | Refinement::Search(_) => Method::None,
            };
        }
    }

    /// The surface comparisons, in the plan's order.
    pub fn comparisons(&self) -> impl Iterator<Item = &Element> {
        let is_one = |own: &&Arc<Element>| matches!(own.recipe, Recipe::Comparison(_));
        self.plan.elements().iter().filter(is_one).map(Arc::as_ref)
    }

    /// The comparison of the Compare room, made where there is none.
    pub fn ensure_comparison(&mut self) -> Result<ElementId> {
        let (Some(nominal), Some(scan)) = (self.active.nominal, self.active.scan) else { return Err(needs_both()) };
        let (parameters, scale_mm) = (self.settings.deviation.clone(), self.settings.scale_mm);
        let recipe = match self.recipe(self.active.comparison) {
            Some(Recipe::Comparison(own)) => ComparisonRecipe { parameters, scale_mm, ..*own },
            _ => ComparisonRecipe { nominal, scan, alignment: self.active.alignment, parameters, scale_mm },
        };
        let id = self.set_or_add(self.active.comparison, "Surface comparison", recipe.into())?;
        self.active.comparison = Some(id);
        Ok(id)
    }
}
