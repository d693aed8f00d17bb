//! Takes what the CAD file states of tolerances and dimensions into the plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Document;
use super::plan::{ElementId, Recipe};
use super::rooms::nominal_and_scan_required;
use base::{Result, UserError};
use inspect::features::fitting::{Fitting, SPIKE_SIGMAS};
use inspect::features::recipe::FeatureRecipe;
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
                Some(before) => before.filter_mm = own.filter_mm,
                None => {
                    added += 1;
                    asked.tolerances.push(own.clone());
                }
            }
        }
        self.ask(asked)?;
        let mut checks: Vec<ElementId> =
            self.tolerances().filter(|(_, own)| tolerances.contains(&own.asked)).map(|(id, _)| id).collect();
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
        if let Some(own) = self.features().into_iter().find(|own| self.is_of_facets(own.recipe, &feature)) {
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
        let recipe = MeasureRecipe { quantity, from: feature(&from)?, to: feature(&to)?, lower, upper };
        let is_same = |own: &Recipe| matches!(own, Recipe::Measure(own) if **own == recipe);
        if let Some(own) = self.plan.elements().iter().find(|own| is_same(&own.recipe)) {
            return Ok((own.id, false));
        }
        let name = self.free_name(&name, None);
        Ok((self.plan.add(&name, recipe.into())?, true))
    }

    /// Number of tolerances and measures of the CAD that stand in the plan, and of those that it states.
    pub fn pmi_in_plan(&self) -> (usize, usize) {
        let Some(stated) = self.pmi_plan() else { return (0, 0) };
        let feature = |name: &str| stated.features.iter().find(|own| own.name == name);
        let is_on = |id: Option<ElementId>, name: &str| {
            let recipe = id.and_then(|id| self.plan.get(id)).map(|own| &own.recipe);
            matches!((recipe, feature(name)), (Some(Recipe::Feature(own)), Some(stated)) if self.is_of_facets(own, stated))
        };
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
                let same = (one.quantity, one.lower, one.upper) == (own.quantity, own.lower, own.upper);
                same && is_on(Some(one.from), &own.from) && is_on(Some(one.to), &own.to)
            };
            found += usize::from(measures.iter().position(is_it).map(|index| measures.remove(index)).is_some());
        }
        (found, stated.count() + stated.unsupported.iter().map(|own| own.requirements).sum::<usize>())
    }

    /// Whether a feature is measured on the facets of a stated one, as they lie on the nominal shown.
    fn is_of_facets(&self, recipe: &FeatureRecipe, stated: &PmiFeature) -> bool {
        let (Selection::Facets(own), Some(nominal)) = (&recipe.selection, self.nominal()) else { return false };
        Some(own.nominal) == self.active.nominal
            && recipe.fitting.kind == stated.kind
            && own.anchors.facets(&own.facets, nominal).is_ok_and(|facets| facets == stated.facets)
    }
}

fn measure_of(recipe: &Recipe) -> Option<&MeasureRecipe> {
    if let Recipe::Measure(own) = recipe { Some(own) } else { None }
}

/// Whether two tolerances ask for the same, whatever their features are called and their points filtered.
fn is_same(one: &Tolerance, other: &Tolerance) -> bool {
    let Tolerance { feature, filter_mm, name, .. } = other.clone();
    Tolerance { feature, filter_mm, name, ..one.clone() } == *other
}
