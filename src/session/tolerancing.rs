//! Datum letters and tolerances as listed on a drawing, and the plan elements that represent them.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Document;
use super::pipeline::State;
use super::plan::{ElementId, Recipe};
use super::pmi::is_same;
use base::Result;
use inspect::features::Element;
use inspect::tolerances::common::{self, Member};
use inspect::tolerances::recipe::{DatumElements, DatumRecipe, ToleranceRecipe};
use inspect::tolerances::{DatumLetters, Judged, Plan as Asked, Tolerance};
use texts::Language;

/// Result of a tolerance, or the message that says why there is none.
pub type Judgement = std::result::Result<Judged, String>;

/// A title in the language of the thread.
fn in_words(english: String) -> String {
    texts::word(&english).into_owned()
}

impl Document {
    /// Datum letters, nominals of features and tolerances of the plan.
    pub fn asked(&self) -> Asked {
        let mut asked = Asked { nominals: BTreeMap::clone(&self.expected), ..Asked::default() };
        for element in self.plan.elements() {
            match &element.recipe {
                Recipe::Datum(own) => drop(asked.datums.insert(own.letter.clone(), own.name.clone())),
                Recipe::Tolerance(own) => asked.tolerances.push(own.asked.clone()),
                recipe => {
                    asked.nominals.extend(recipe.nominal().map(|nominal| (element.name.clone(), nominal)));
                }
            }
        }
        asked
    }

    /// The tolerances, in the plan's order.
    pub fn tolerances(&self) -> impl Iterator<Item = (ElementId, &ToleranceRecipe)> {
        self.plan.elements().iter().filter_map(|own| match &own.recipe {
            Recipe::Tolerance(recipe) => Some((own.id, &**recipe)),
            _ => None,
        })
    }

    /// Results of all tolerances, in the plan's order; `None` if there are none or any is stale or not computed yet.
    pub fn judgement(&self) -> Option<Vec<Judgement>> {
        let all: Option<Vec<Judgement>> = self.tolerances().map(|(id, _)| self.judgement_of(id)).collect();
        all.filter(|own| !own.is_empty())
    }

    /// Result of a tolerance; `None` if it is stale or not computed yet.
    pub fn judgement_of(&self, id: ElementId) -> Option<Judgement> {
        match self.state(id) {
            State::Fresh => Some(Ok(self.result::<Judged>(Some(id))?.clone())),
            State::Failed(sentence) => Some(Err(sentence)),
            State::Waits(on) => Some(Err(format!("Waiting for {}.", super::plan::quoted(&on)))),
            State::Stale | State::NotMade => None,
        }
    }

    /// Replaces datum letters, nominals and tolerances by `asked`. Entries that stay the same keep their element and
    /// its result.
    pub fn ask(&mut self, asked: Asked) -> Result<()> {
        let Asked { datums, mut nominals, tolerances } = asked;
        self.set_tolerances(tolerances)?;
        self.set_datums(datums)?;
        let features: Vec<(ElementId, String, Recipe)> = self
            .plan
            .elements()
            .iter()
            .filter(|own| own.recipe.is_feature())
            .map(|own| (own.id, own.name.clone(), own.recipe.clone()))
            .collect();
        for (id, name, mut recipe) in features {
            let wanted = nominals.remove(&name);
            if recipe.nominal() != wanted {
                recipe.set_nominal(wanted, None);
                self.plan.set_recipe(id, recipe)?;
            }
        }
        self.expected = Arc::new(nominals);
        self.refresh();
        Ok(())
    }

    fn set_tolerances(&mut self, tolerances: Vec<Tolerance>) -> Result<()> {
        let mut before: Vec<(ElementId, Tolerance)> =
            self.tolerances().map(|(id, recipe)| (id, recipe.asked.clone())).collect();
        let mut take = |matches: &dyn Fn(&Tolerance) -> bool| {
            let index = before.iter().position(|(_, own)| matches(own))?;
            Some(before.remove(index))
        };
        let same: Vec<Option<(ElementId, Tolerance)>> =
            tolerances.iter().map(|wanted| take(&|own| own == wanted)).collect();
        // The others were edited; they are matched in order.
        let kept: Vec<Option<(ElementId, Tolerance)>> =
            same.into_iter().map(|same| same.or_else(|| take(&|_| true))).collect();
        before.into_iter().map(|(id, _)| id).for_each(|id| drop(self.plan.remove_with_dependents(id)));
        let mut order = Vec::new();
        for (asked, kept) in tolerances.into_iter().zip(kept) {
            let title = asked.title();
            match kept {
                Some((id, own)) if own == asked => order.push(id),
                Some((id, own)) => {
                    let was_of_cad =
                        matches!(self.plan.get(id).map(|own| &own.recipe), Some(Recipe::Tolerance(own)) if own.of_cad);
                    let of_cad = was_of_cad && own.feature == asked.feature && is_same(&own, &asked);
                    self.plan.set_recipe(id, ToleranceRecipe { of_cad, ..ToleranceRecipe::new(asked) }.into())?;
                    self.retitle(id, || [own.title(), title.clone()].map(in_words));
                    order.push(id);
                }
                None => order.push(self.plan.add(&texts::name(&title), ToleranceRecipe::new(asked).into())?),
            }
        }
        self.plan.arrange(&order);
        Ok(())
    }

    fn set_datums(&mut self, mut datums: BTreeMap<String, String>) -> Result<()> {
        let before: Vec<(ElementId, DatumRecipe)> = self
            .plan
            .elements()
            .iter()
            .filter_map(|own| match &own.recipe {
                Recipe::Datum(recipe) => Some((own.id, DatumRecipe::clone(recipe))),
                _ => None,
            })
            .collect();
        for (id, own) in before {
            match datums.remove(&own.letter) {
                Some(name) if name == own.name => {}
                Some(name) => {
                    self.plan.set_recipe(id, DatumRecipe { feature: None, name, ..own }.into())?;
                }
                None => drop(self.remove(&[id])),
            }
        }
        for (letter, name) in datums {
            let title = format!("{} {letter}", texts::name("Datum"));
            self.plan.add(&title, DatumRecipe { letter, feature: None, name }.into())?;
        }
        Ok(())
    }

    /// Resolves references by name: a reference that waits for a feature of that name finds it, and a renamed feature
    /// passes on its new name.
    pub(super) fn resolve_names(&mut self) {
        let features: BTreeMap<String, ElementId> = self
            .plan
            .elements()
            .iter()
            .filter(|own| own.recipe.is_feature())
            .map(|own| (own.name.clone(), own.id))
            .collect();
        self.assign_expected_nominals(&features);
        let letters: BTreeMap<String, ElementId> = self
            .plan
            .elements()
            .iter()
            .filter_map(|own| match &own.recipe {
                Recipe::Datum(recipe) => Some((recipe.letter.clone(), own.id)),
                _ => None,
            })
            .collect();
        let changed: Vec<(ElementId, Recipe)> = self
            .plan
            .elements()
            .iter()
            .filter_map(|own| {
                let recipe: Recipe = match &own.recipe {
                    Recipe::Datum(recipe) => self.linked_datum(recipe, &features).into(),
                    Recipe::Tolerance(recipe) => self.linked_tolerance(recipe, &features, &letters).into(),
                    _ => return None,
                };
                (recipe != own.recipe).then_some((own.id, recipe))
            })
            .collect();
        for (id, recipe) in changed {
            if let (Some(Recipe::Tolerance(before)), Recipe::Tolerance(now)) =
                (self.plan.get(id).map(|own| &own.recipe), &recipe)
            {
                let (before, now) = (before.asked.title(), now.asked.title());
                self.retitle(id, || [before.clone(), now.clone()].map(in_words));
            }
            // Refused for a cyclic element, which only a damaged file can hold; it stays as it is.
            let _ = self.plan.set_recipe(id, recipe);
        }
    }

    /// Renames an element whose name starts with its old title, in the language that it was named in; one named by the
    /// operator keeps its name. `titles` are the old and the new one in the language of the thread.
    pub fn retitle(&mut self, id: ElementId, titles: impl Fn() -> [String; 2]) {
        let name = self.plan.name(id);
        let mut all = Language::ALL.into_iter().map(|language| texts::within(language, &titles));
        let Some([before, now]) = all.find(|[before, _]| name.starts_with(before.as_str())) else { return };
        if before != now {
            let name = self.plan.free_name(&now);
            // Renaming to a free name does not fail.
            let _ = self.plan.rename(id, &name);
        }
    }

    /// Gives features the nominals that were stated before they existed.
    fn assign_expected_nominals(&mut self, features: &BTreeMap<String, ElementId>) {
        let found: Vec<String> = self.expected.keys().filter(|name| features.contains_key(*name)).cloned().collect();
        for name in found {
            let Some(nominal) = Arc::make_mut(&mut self.expected).remove(&name) else { continue };
            let Some(mut recipe) = self.plan.by_name(&name).map(|own| own.recipe.clone()) else { continue };
            if recipe.nominal().is_none() {
                recipe.set_nominal(Some(nominal), None);
                let _ = self.plan.set_recipe(features[&name], recipe);
            }
        }
    }

    fn linked_datum(&self, own: &DatumRecipe, features: &BTreeMap<String, ElementId>) -> DatumRecipe {
        let feature = own.feature.filter(|id| self.plan.get(*id).is_some());
        let name = feature.map_or_else(|| own.name.clone(), |id| self.plan.name(id));
        DatumRecipe { letter: own.letter.clone(), feature: feature.or_else(|| features.get(&name).copied()), name }
    }

    fn linked_tolerance(
        &self,
        own: &ToleranceRecipe,
        features: &BTreeMap<String, ElementId>,
        letters: &BTreeMap<String, ElementId>,
    ) -> ToleranceRecipe {
        let existing = |id: Option<ElementId>| id.and_then(|id| self.plan.get(id));
        let mut linked = own.clone();
        if let Some(feature) = existing(own.feature) {
            linked.asked.feature.clone_from(&feature.name);
        }
        linked.feature = existing(own.feature).map(|own| own.id).or_else(|| features.get(&own.asked.feature).copied());
        if linked.asked.datums.len() < own.datums.len() {
            linked.asked.datums.resize(own.datums.len(), String::new());
        }
        let known = |name: &str| letters.get(name).or_else(|| features.get(name)).copied();
        let before = own.datums.iter().map(Some).chain(std::iter::repeat(None));
        linked.datums = before
            .zip(&mut linked.asked.datums)
            .map(|(datum, stated)| self.linked_reference(datum, stated, &known))
            .collect();
        let has_nominal = |id: &ElementId| match self.plan.get(*id).map(|own| &own.recipe) {
            Some(Recipe::Datum(datum)) => {
                datum.feature.and_then(|id| self.plan.get(id)).is_some_and(|own| own.recipe.nominal().is_some())
            }
            Some(recipe) => recipe.nominal().is_some(),
            None => false,
        };
        let datums = linked.datums.iter().flat_map(|own| own.all().iter().flatten());
        let is_aligned = linked.feature.iter().chain(datums).any(has_nominal);
        let keep = |id: Option<ElementId>| existing(id).map(|own| own.id);
        linked.alignment = keep(own.alignment).or(self.active.alignment).filter(|_| is_aligned);
        linked.comparison = keep(own.comparison).or(self.active.comparison).filter(|_| own.asked.is_of_deviations());
        linked
    }

    /// The elements of a datum as `stated`, which gets their letters and names now: those that it had as far as they still
    /// exist, else those that are `known` by what it states.
    fn linked_reference(
        &self,
        before: Option<&DatumElements<Option<ElementId>>>,
        stated: &mut String,
        known: &impl Fn(&str) -> Option<ElementId>,
    ) -> DatumElements<Option<ElementId>> {
        let existing = |id: Option<ElementId>| id.and_then(|id| self.plan.get(id));
        let before = before.filter(|own| own.all().iter().any(|id| existing(*id).is_some()));
        let (ids, mut names) = match before {
            Some(own) => (own.all().to_vec(), own.names_in(stated)),
            None => {
                let names = common::members(stated, |name| known(name).is_some());
                (vec![None; names.len()], names.into_iter().map(str::to_owned).collect())
            }
        };
        let mut linked = Vec::with_capacity(ids.len());
        for (id, name) in ids.into_iter().zip(&mut names) {
            linked.push(match existing(id).map(|own| (&own.recipe, &own.name)) {
                Some((Recipe::Datum(datum), _)) => {
                    name.clone_from(&datum.letter);
                    id
                }
                Some((_, feature)) => {
                    name.clone_from(feature);
                    id
                }
                None => known(name),
            });
        }
        *stated = common::joined(&names);
        DatumElements::of(linked)
    }

    /// The common datums of two or three that datums can form, such as A-B, by their letters. `letters` gives the name of
    /// each datum's feature.
    pub fn common_datums(&self, letters: &DatumLetters) -> Vec<Vec<String>> {
        let member = |(letter, name): (&String, &String)| -> Option<(String, Element, Option<Element>)> {
            // It is fitted to the points of its features, which those that are constructed and slots do not have.
            if self.feature(name).is_some_and(|own| own.fit().is_none()) {
                return None;
            }
            let nominal = self.nominal_of(name);
            let element = self.element(name).or(nominal)?;
            Some((letter.clone(), element, nominal))
        };
        let all: Vec<(String, Element, Option<Element>)> = letters.iter().filter_map(member).collect();
        let forms_one = |indices: &[usize]| {
            let chosen = indices.iter().map(|&index| {
                let (letter, element, nominal) = &all[index];
                Member { letter, element: *element, nominal: *nominal, points: &[], has_sides: false }
            });
            common::arrangement(&chosen.collect::<Vec<_>>()).is_ok()
        };
        let pairs = (0..all.len()).flat_map(|one| (one + 1..all.len()).map(move |other| vec![one, other]));
        let pairs: Vec<Vec<usize>> = pairs.filter(|own| forms_one(own)).collect();
        let with_third = |pair: &Vec<usize>| {
            let after = pair.last().map_or(0, |last| last + 1);
            (after..all.len()).map(|third| [&pair[..], &[third]].concat()).collect::<Vec<_>>()
        };
        let triples: Vec<Vec<usize>> = pairs.iter().flat_map(with_third).filter(|own| forms_one(own)).collect();
        let letters_of = |own: &Vec<usize>| -> Vec<String> { own.iter().map(|&index| all[index].0.clone()).collect() };
        pairs.iter().chain(&triples).map(letters_of).collect()
    }
}
