//! Takes what the CAD file states of tolerances and dimensions into the plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Document;
use super::plan::{ElementId, Recipe};
use super::rooms::nominal_and_scan_required;
use base::{Result, UserError};
use inspect::features::fitting::{Fitting, SPIKE_SIGMAS};
use inspect::features::recipe::FeatureRecipe;
use inspect::parts::Nominal;
use inspect::pmi::{PmiFeature, PmiMeasure, PmiPlan};
use inspect::selection::{FacetSelection, Selection};
use inspect::tolerances::Tolerance;
use inspect::tolerances::measure::MeasureRecipe;
use inspect::tolerances::recipe::ToleranceRecipe;

/// The elements that were taken from the CAD, or stood in the plan already.
#[derive(Clone, Debug, Default)]
pub struct TakenPmi {
    /// Tolerances and measures.
    pub checks: Vec<ElementId>,
    /// Number of those that were added.
    pub added: usize,
}

/// What the shown CAD file states of a tolerance or measure that was taken from an earlier one.
#[derive(Clone, Debug, PartialEq)]
pub enum Restated {
    /// Other values: the recipe by these.
    Changed(Box<Recipe>),
    /// Nothing.
    Gone,
}

impl Document {
    /// What the shown nominal's file states of tolerances and dimensions; `None` if it states nothing.
    pub fn pmi_plan(&self) -> Option<&Arc<PmiPlan>> {
        self.nominal().map(|nominal| &nominal.pmi_plan).filter(|plan| !plan.is_empty())
    }

    /// Adds features, datums, tolerances and measures that the nominal's file states and the plan does not hold yet.
    ///
    /// Tolerances of surfaces get a Gaussian filter of nesting index `filter_mm`.
    ///
    /// Returns an error if there are none that can be evaluated, if the scan is not aligned, and if a datum letter is
    /// taken by another feature.
    pub fn take_pmi(&mut self, filter_mm: Option<f64>) -> Result<TakenPmi> {
        let Some(stated) = self.pmi_plan().map(|stated| PmiPlan::clone(stated)).filter(|stated| stated.count() > 0)
        else {
            return Err(UserError::usage("The CAD file states no tolerance that can be evaluated."));
        };
        if self.alignment().is_none() {
            return Err(UserError::usage("Align first: tolerances are evaluated where the scan lies on the CAD."));
        }
        let (mut names, mut shapes) = (BTreeMap::new(), BTreeMap::new());
        for feature in stated.features {
            shapes.insert(feature.name.clone(), feature.nominal);
            names.insert(feature.name.clone(), self.feature_on_facets(feature)?);
        }
        let name_of = |stated: &String| names.get(stated).cloned().unwrap_or_default();
        let mut asked = self.asked();
        for (letter, feature) in &stated.datums {
            let feature = name_of(feature);
            let before = asked.datums.insert(letter.clone(), feature.clone());
            if let Some(before) = before.filter(|before| *before != feature) {
                return Err(UserError::usage(format!(
                    "Datum {letter} of the CAD is “{feature}”, but “{before}” has this letter; take it off first."
                )));
            }
        }
        let in_plan = |own: Tolerance| {
            let is_of_surface = shapes.get(&own.feature).is_some_and(|shape| own.is_of_surface(shape));
            Tolerance { feature: name_of(&own.feature), filter_mm: filter_mm.filter(|_| is_of_surface), ..own }
        };
        let tolerances: Vec<Tolerance> = stated.tolerances.into_iter().map(in_plan).collect();
        let mut added = 0;
        for own in &tolerances {
            let is_it = |one: &&mut Tolerance| one.feature == own.feature && is_same(one, own);
            match asked.tolerances.iter_mut().find(is_it) {
                // One that is filtered by undulations keeps its filter.
                Some(before) => before.filter_mm = own.filter_mm.filter(|_| before.filter_upr.is_none()),
                None => {
                    added += 1;
                    asked.tolerances.push(own.clone());
                }
            }
        }
        self.ask(asked)?;
        let is_stated = |own: &Tolerance| tolerances.iter().any(|one| one.feature == own.feature && is_same(one, own));
        let mut checks: Vec<ElementId> =
            self.tolerances().filter(|(_, own)| is_stated(&own.asked)).map(|(id, _)| id).collect();
        for id in &checks {
            self.change_recipe(*id, |recipe| {
                if let Recipe::Tolerance(own) = recipe {
                    own.of_cad = true;
                }
            })?;
        }
        for measure in stated.measures {
            let (id, is_new) = self.measure_between(measure, &name_of)?;
            checks.push(id);
            added += usize::from(is_new);
        }
        Ok(TakenPmi { checks, added })
    }

    /// Name of the feature that is measured on these facets, which is added if there is none.
    fn feature_on_facets(&mut self, feature: PmiFeature) -> Result<String> {
        let (Some(nominal), Some(of), Some(scan), Some(alignment)) =
            (self.nominal(), self.active.nominal, self.active.scan, self.pre_alignment())
        else {
            return Err(nominal_and_scan_required());
        };
        if let Some(own) =
            self.features().into_iter().find(|own| self.is_of_facets(own.recipe, &feature, self.active.nominal))
        {
            return Ok(own.name.to_owned());
        }
        let PmiFeature { name, kind, facets, nominal: shape } = feature;
        let selection = FacetSelection::of(facets, (nominal, of), alignment, &self.settings.deviation);
        let recipe = FeatureRecipe {
            scan,
            selection: Selection::Facets(selection),
            fitting: Fitting { spike_sigmas: Some(SPIKE_SIGMAS), ..Fitting::of(kind) },
            plane: None,
            parallel_to: Vec::new(),
            nominal: Some(shape.into()),
            nominal_from: None,
        };
        let name = self.free_name(&name, None);
        self.plan.add(&name, recipe.into())?;
        Ok(name)
    }

    /// The measure between two features, and whether it was added.
    fn measure_between(
        &mut self,
        stated: PmiMeasure,
        name_of: &impl Fn(&String) -> String,
    ) -> Result<(ElementId, bool)> {
        let feature = |stated: &String| {
            let name = name_of(stated);
            self.feature_id(&name).ok_or_else(|| UserError::internal(format!("There is no feature “{name}”.")))
        };
        let PmiMeasure { name, quantity, from, to, lower, upper } = stated;
        let recipe = MeasureRecipe {
            quantity,
            from: feature(&from)?,
            to: feature(&to)?,
            lower,
            upper,
            min_coverage: None,
            of_cad: true,
        };
        let is_it = |own: &MeasureRecipe| MeasureRecipe { min_coverage: None, of_cad: true, ..own.clone() } == recipe;
        let known = self.plan.elements().iter().find_map(|own| {
            let measure = measure_of(&own.recipe).filter(|measure| is_it(measure))?;
            Some((own.id, measure.min_coverage))
        });
        if let Some((id, min_coverage)) = known {
            self.plan.set_recipe(id, MeasureRecipe { min_coverage, ..recipe }.into())?;
            return Ok((id, false));
        }
        let name = self.free_name(&name, None);
        Ok((self.plan.add(&name, recipe.into())?, true))
    }

    /// Number of tolerances and measures of the CAD that stand in the plan, and of those that it states.
    pub fn pmi_in_plan(&self) -> (usize, usize) {
        let Some(stated) = self.pmi_plan() else { return (0, 0) };
        let shown = self.active.nominal;
        let is_on = |id: Option<ElementId>, name: &str| self.is_on(id, name, stated, shown);
        let mut tolerances: Vec<&ToleranceRecipe> = self.tolerances().map(|(_, own)| own).collect();
        let mut measures: Vec<&MeasureRecipe> =
            self.plan.elements().iter().filter_map(|own| measure_of(&own.recipe)).collect();
        let mut found = 0;
        for own in &stated.tolerances {
            let is_it = |one: &&ToleranceRecipe| is_same(&one.asked, own) && is_on(one.feature, &own.feature);
            found += usize::from(tolerances.iter().position(is_it).map(|index| tolerances.remove(index)).is_some());
        }
        for own in &stated.measures {
            let is_it = |one: &&MeasureRecipe| {
                (one.lower, one.upper) == (own.lower, own.upper) && self.is_between(one, own, stated, shown)
            };
            found += usize::from(measures.iter().position(is_it).map(|index| measures.remove(index)).is_some());
        }
        (found, stated.count() + stated.unsupported.iter().map(|own| own.requirements).sum::<usize>())
    }

    /// Marks tolerances and measures that are exactly what the shown nominal's file states, on the same faces, as taken from
    /// it. Plans made before these were marked do not tell them from the operator's own.
    pub(super) fn recognise_pmi(&mut self) -> Result<()> {
        let Some(stated) = self.pmi_plan().cloned() else { return Ok(()) };
        let shown = self.active.nominal;
        let is_stated = |recipe: &Recipe| match recipe {
            Recipe::Tolerance(own) if !own.of_cad => stated
                .tolerances
                .iter()
                .any(|one| is_same(&own.asked, one) && self.is_on(own.feature, &one.feature, &stated, shown)),
            Recipe::Measure(own) if !own.of_cad => stated.measures.iter().any(|one| {
                (own.lower, own.upper) == (one.lower, one.upper) && self.is_between(own, one, &stated, shown)
            }),
            _ => false,
        };
        let elements = self.plan.elements().iter().filter(|own| is_stated(&own.recipe));
        let found: Vec<ElementId> = elements.map(|own| own.id).collect();
        for id in found {
            self.change_recipe(id, |recipe| match recipe {
                Recipe::Tolerance(own) => own.of_cad = true,
                Recipe::Measure(own) => own.of_cad = true,
                _ => {}
            })?;
        }
        Ok(())
    }

    /// Tolerances and measures that were taken from an earlier file of their nominal and that its file now states
    /// otherwise or no longer. Tolerances that the operator changed since count as his own.
    pub fn outdated_pmi(&self) -> Vec<(ElementId, Restated)> {
        let nominals = self.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Nominal(_)));
        nominals.flat_map(|own| self.outdated_pmi_of(own.id)).collect()
    }

    /// Those on facets of one nominal; none if it is not loaded, so that nobody knows what its file states.
    fn outdated_pmi_of(&self, nominal: ElementId) -> Vec<(ElementId, Restated)> {
        let Some(loaded) = self.result::<Nominal>(Some(nominal)) else { return Vec::new() };
        let (stated, of) = (&*loaded.pmi_plan, Some(nominal));
        let is_of_it = |id: ElementId| match self.plan.get(id).map(|own| &own.recipe) {
            Some(Recipe::Feature(own)) => matches!(&own.selection, Selection::Facets(own) if own.nominal == nominal),
            _ => false,
        };
        let (mut tolerances, mut measures): (Vec<&Tolerance>, Vec<&PmiMeasure>) =
            (stated.tolerances.iter().collect(), stated.measures.iter().collect());
        let (mut open_tolerances, mut open_measures) = (Vec::new(), Vec::new());
        for element in self.plan.elements() {
            match &element.recipe {
                Recipe::Tolerance(own) if own.of_cad && own.feature.is_some_and(is_of_it) => {
                    let is_it = |one: &&Tolerance| {
                        is_same(&own.asked, one) && self.is_on(own.feature, &one.feature, stated, of)
                    };
                    match tolerances.iter().position(is_it) {
                        Some(index) => {
                            tolerances.remove(index);
                        }
                        None => open_tolerances.push((element.id, own)),
                    }
                }
                Recipe::Measure(own) if own.of_cad && is_of_it(own.from) => {
                    let has_limits = |one: &PmiMeasure| (own.lower, own.upper) == (one.lower, one.upper);
                    let is_it = |one: &&PmiMeasure| has_limits(one) && self.is_between(own, one, stated, of);
                    match measures.iter().position(is_it) {
                        Some(index) => {
                            measures.remove(index);
                        }
                        None => open_measures.push((element.id, own)),
                    }
                }
                _ => {}
            }
        }
        let mut found = Vec::new();
        for (id, own) in open_tolerances {
            let kind = std::mem::discriminant(&own.asked.characteristic);
            let is_it = |one: &&Tolerance| {
                std::mem::discriminant(&one.characteristic) == kind && self.is_on(own.feature, &one.feature, stated, of)
            };
            let restated = match tolerances.iter().position(is_it).map(|index| tolerances.remove(index).clone()) {
                Some(one) => {
                    let Tolerance { feature, filter_mm, filter_upr, outlier_sigmas, min_coverage, .. } =
                        own.asked.clone();
                    let asked = Tolerance { feature, filter_mm, filter_upr, outlier_sigmas, min_coverage, ..one };
                    let recipe = ToleranceRecipe { feature: own.feature, of_cad: true, ..ToleranceRecipe::new(asked) };
                    Restated::Changed(Box::new(recipe.into()))
                }
                None => Restated::Gone,
            };
            found.push((id, restated));
        }
        for (id, own) in open_measures {
            let index = measures.iter().position(|one| self.is_between(own, one, stated, of));
            let restated = match index.map(|index| measures.remove(index)) {
                Some(one) => {
                    let recipe = MeasureRecipe { lower: one.lower, upper: one.upper, ..MeasureRecipe::clone(own) };
                    Restated::Changed(Box::new(recipe.into()))
                }
                None => Restated::Gone,
            };
            found.push((id, restated));
        }
        found
    }

    /// What [`Self::outdated_pmi`] finds, in a sentence; `None` if it finds nothing.
    pub fn outdated_pmi_note(&self) -> Option<String> {
        let outdated = self.outdated_pmi();
        let gone = outdated.iter().filter(|(_, own)| *own == Restated::Gone).count();
        let changed = outdated.len() - gone;
        (!outdated.is_empty()).then(|| {
            format!(
                "Of the tolerances and dimensions taken from an earlier CAD file, this one states {changed} otherwise and \
                 {gone} no longer; update them in Features."
            )
        })
    }

    /// Gives what [`Self::outdated_pmi`] finds the values of the CAD file now, and removes what that states no longer.
    /// Returns the updated elements and the names of those that were removed.
    pub fn follow_pmi(&mut self) -> Result<(Vec<ElementId>, Vec<String>)> {
        let (mut updated, mut removed) = (Vec::new(), Vec::new());
        for (id, restated) in self.outdated_pmi() {
            match restated {
                Restated::Changed(recipe) => {
                    let titles = match (self.plan.get(id).map(|own| &own.recipe), &*recipe) {
                        (Some(Recipe::Tolerance(before)), Recipe::Tolerance(now)) => {
                            Some([before.asked.title(), now.asked.title()])
                        }
                        _ => None,
                    };
                    self.plan.set_recipe(id, *recipe)?;
                    if let Some(titles) = titles {
                        self.retitle(id, || titles.each_ref().map(|own| texts::word(own).into_owned()));
                    }
                    updated.push(id);
                }
                Restated::Gone => {
                    removed.push(self.plan.name(id));
                    removed.extend(self.remove(&[id]));
                }
            }
        }
        self.refresh();
        Ok((updated, removed))
    }

    /// Whether a feature of the plan is measured on the facets of the one that the file of the nominal `of` calls `name`.
    fn is_on(&self, id: Option<ElementId>, name: &str, stated: &PmiPlan, of: Option<ElementId>) -> bool {
        let recipe = id.and_then(|id| self.plan.get(id)).map(|own| &own.recipe);
        let feature = stated.features.iter().find(|own| own.name == name);
        matches!((recipe, feature), (Some(Recipe::Feature(own)), Some(stated)) if self.is_of_facets(own, stated, of))
    }

    /// Whether a measure is that which `one` states, whatever its limits.
    fn is_between(&self, own: &MeasureRecipe, one: &PmiMeasure, stated: &PmiPlan, of: Option<ElementId>) -> bool {
        let is_on = |id: ElementId, name: &str| self.is_on(Some(id), name, stated, of);
        own.quantity == one.quantity && is_on(own.from, &one.from) && is_on(own.to, &one.to)
    }

    /// Whether a feature is measured on the facets of a stated one, as they lie on the nominal `of`.
    fn is_of_facets(&self, recipe: &FeatureRecipe, stated: &PmiFeature, of: Option<ElementId>) -> bool {
        let (Selection::Facets(own), Some(nominal)) = (&recipe.selection, self.result::<Nominal>(of)) else {
            return false;
        };
        Some(own.nominal) == of
            && recipe.fitting.kind == stated.kind
            && own.anchors.facets(&own.facets, nominal).is_ok_and(|facets| facets == stated.facets)
    }
}

fn measure_of(recipe: &Recipe) -> Option<&MeasureRecipe> {
    if let Recipe::Measure(own) = recipe { Some(own) } else { None }
}

/// Whether two tolerances ask for the same, whatever their features are called, their points pass before, and must be
/// seen of them.
pub(super) fn is_same(one: &Tolerance, other: &Tolerance) -> bool {
    let Tolerance { feature, filter_mm, filter_upr, outlier_sigmas, min_coverage, name, .. } = other.clone();
    Tolerance { feature, filter_mm, filter_upr, outlier_sigmas, min_coverage, name, ..one.clone() } == *other
}
