//! Takes what the CAD file states of tolerances and dimensions into the plan.

use std::collections::BTreeMap;

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
    pub fn pmi_plan(&self) -> Option<&PmiPlan> {
        self.nominal().map(|nominal| &nominal.pmi_plan).filter(|plan| !plan.is_empty())
    }

    /// Adds features, datums, tolerances and measures that the nominal's file states and the plan does not hold yet.
    ///
    /// Tolerances of surfaces get a Gaussian filter of nesting index `filter_mm`.
    ///
    /// Returns an error if there are none that can be evaluated, if the scan is not aligned, and if a datum letter is
    /// taken by another feature.
    pub fn take_pmi(&mut self, filter_mm: Option<f64>) -> Result<TakenPmi> {
        let Some(stated) = self.pmi_plan().cloned().filter(|stated| stated.count() > 0) else {
            return Err(UserError::usage("The CAD file states no tolerance that can be evaluated."));
        };
        if self.alignment().is_none() {
            return Err(UserError::usage("Align first: tolerances are evaluated where the scan lies on the CAD."));
        }
        let (mut names, mut shapes) = (BTreeMap::new(), BTreeMap::new());
        for feature in stated.features {
            shapes.insert(feature.name.clone(), feature.nominal);
            let stated_name = feature.name.clone();
            names.insert(stated_name, self.feature_on_facets(feature)?);
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
        let is_in = |list: &[Tolerance], own: &Tolerance| {
            list.iter().any(|one| Tolerance { filter_mm: own.filter_mm, ..one.clone() } == *own)
        };
        let new: Vec<Tolerance> = tolerances.iter().filter(|own| !is_in(&asked.tolerances, own)).cloned().collect();
        let mut added = new.len();
        asked.tolerances.extend(new);
        self.ask(asked)?;
        let mut checks: Vec<ElementId> =
            self.tolerances().filter(|(_, own)| is_in(&tolerances, &own.asked)).map(|(id, _)| id).collect();
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
        let PmiFeature { name, kind, facets, nominal: shape } = feature;
        let is_same = |recipe: &FeatureRecipe| match &recipe.selection {
            Selection::Facets(own) => own.nominal == of && own.facets == facets && recipe.fitting.kind == kind,
            _ => false,
        };
        if let Some(own) = self.features().into_iter().find(|own| is_same(own.recipe)) {
            return Ok(own.name.to_owned());
        }
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

    /// Number of tolerances and measures of the CAD that stand in the plan, by their limits and kinds, and of those
    /// that it states.
    pub fn pmi_in_plan(&self) -> (usize, usize) {
        let Some(stated) = self.pmi_plan() else { return (0, 0) };
        let all = stated.count() + stated.unsupported.iter().filter(|own| !own.what.starts_with("Datum ")).count();
        let is_stated = |own: &Tolerance| {
            let is_same = |one: &&Tolerance| {
                one.characteristic == own.characteristic && one.limit_mm == own.limit_mm && one.datums == own.datums
            };
            stated.tolerances.iter().any(|one| is_same(&one))
        };
        let tolerances = self.tolerances().filter(|(_, own)| is_stated(&own.asked)).count();
        let measures = self.plan.elements().iter().filter(|own| match &own.recipe {
            Recipe::Measure(own) => stated
                .measures
                .iter()
                .any(|one| (one.quantity, one.lower, one.upper) == (own.quantity, own.lower, own.upper)),
            _ => false,
        });
        ((tolerances + measures.count()).min(stated.count()), all)
    }
}
