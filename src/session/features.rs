//! Features, slots and constructed elements of a document, by their names.

use std::collections::BTreeSet;

use super::Document;
use super::plan::{ElementId, Recipe};
use geometry::{Point, Subset};
use inspect::features::Element;
use inspect::features::measured::MeasuredFeature;
use inspect::features::recipe::{ConstructionRecipe, FeatureRecipe, InPlane, SlotRecipe};

/// Points of a feature that are drawn from.
const SHOWN_POINTS: usize = 400;

/// An element of one kind, and what it came to on the shown part.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a, R> {
    /// Its number.
    pub id: ElementId,
    /// Its name.
    pub name: &'a str,
    /// How it is made.
    pub recipe: &'a R,
    /// What it came to, up to date or not.
    pub made: Option<&'a MeasuredFeature>,
}

impl Document {
    fn of_kind<'a, R: 'a>(&'a self, recipe: impl Fn(&'a Recipe) -> Option<&'a R>) -> Vec<Measured<'a, R>> {
        let elements = self.plan.elements().iter();
        let one = |own: &'a std::sync::Arc<super::plan::Element>| {
            let (id, name) = (own.id, own.name.as_str());
            Some(Measured { id, name, recipe: recipe(&own.recipe)?, made: self.result(Some(id)) })
        };
        elements.filter_map(one).collect()
    }

    /// Fitted features.
    pub fn features(&self) -> Vec<Measured<'_, FeatureRecipe>> {
        self.of_kind(|recipe| if let Recipe::Feature(own) = recipe { Some(&**own) } else { None })
    }

    /// Fitted slots.
    pub fn slots(&self) -> Vec<Measured<'_, SlotRecipe>> {
        self.of_kind(|recipe| if let Recipe::Slot(own) = recipe { Some(&**own) } else { None })
    }

    /// Elements made from others.
    pub fn constructions(&self) -> Vec<Measured<'_, ConstructionRecipe>> {
        self.of_kind(|recipe| if let Recipe::Construction(own) = recipe { Some(&**own) } else { None })
    }

    /// The feature, slot or constructed element of that name.
    pub fn feature_id(&self, name: &str) -> Option<ElementId> {
        self.plan.by_name(name).filter(|own| own.recipe.is_feature()).map(|own| own.id)
    }

    /// What the feature, slot or constructed element of that name came to.
    pub fn feature(&self, name: &str) -> Option<&MeasuredFeature> {
        self.result(self.feature_id(name))
    }

    /// The element of that name, scan frame; of a slot its mid-plane.
    pub fn element(&self, name: &str) -> Option<Element> {
        self.feature(name).map(|feature| feature.element)
    }

    /// Names of all features, slots and constructed elements, in this order.
    pub fn element_names(&self) -> Vec<String> {
        let fitted = self.features().into_iter().map(|own| own.name);
        let slots = self.slots().into_iter().map(|own| own.name);
        let made = self.constructions().into_iter().map(|own| own.name);
        fitted.chain(slots).chain(made).map(str::to_owned).collect()
    }

    /// What the feature of that name should be, nominal frame.
    pub fn nominal_of(&self, name: &str) -> Option<Element> {
        self.plan.by_name(name).and_then(|own| own.recipe.nominal())
    }

    /// `wanted`, or where that name is taken, with the first number from `number` on that makes it a new one.
    pub fn free_name(&self, wanted: &str, number: Option<usize>) -> String {
        let is_free = |name: &str| self.plan.by_name(name).is_none();
        if number.is_none() && is_free(wanted) {
            return wanted.to_owned();
        }
        // Nor does a new one get what another one of that name should be.
        let is_new = |name: &String| is_free(name) && !self.expected.contains_key(name);
        let mut names = (number.unwrap_or(2)..).map(|number| format!("{wanted} {number}"));
        names.find(is_new).unwrap_or_default()
    }

    /// The scan's points of those numbers, mm, scan frame.
    pub fn points_at(&self, numbers: &Subset) -> Vec<Point> {
        self.places(numbers.iter())
    }

    fn places<'a>(&self, numbers: impl Iterator<Item = &'a u32>) -> Vec<Point> {
        let Some(actual) = self.actual() else { return Vec::new() };
        numbers.filter_map(|&number| actual.cloud.points.get(number as usize).copied()).collect()
    }

    /// Some hundred points of that set, which show how far it reaches.
    pub fn some_points_at(&self, numbers: &Subset) -> Vec<Point> {
        if numbers.len() <= SHOWN_POINTS {
            return self.points_at(numbers);
        }
        // Golden sections of the set: even steps would meet the rows of a grid always in the same columns.
        let share = |i: usize| (i as f64 * 0.618_033_988_75).fract();
        self.places((0..SHOWN_POINTS).filter_map(|i| numbers.get((share(i) * numbers.len() as f64) as usize)))
    }

    /// Places that show how far a constructed element reaches, scan frame: points of the features that it was made
    /// from, places of other elements.
    pub fn reach_of(&self, recipe: &ConstructionRecipe) -> Vec<Point> {
        let reach = recipe.sources.iter().flat_map(|id| {
            let own = self.result::<MeasuredFeature>(Some(*id));
            let points = own.map(|own| self.some_points_at(&own.numbers)).unwrap_or_default();
            let place = own.filter(|_| points.is_empty()).map(|own| own.element.place());
            points.into_iter().chain(place)
        });
        reach.collect()
    }

    /// Removes elements with all that is made from them. Tolerances and datums stay and wait for a feature of that name;
    /// what lies in a plane that goes keeps that plane as it is. The sentences say what went beside.
    pub fn remove(&mut self, ids: &[ElementId]) -> Vec<String> {
        let mut gone: BTreeSet<ElementId> = ids.iter().copied().collect();
        let mut open = ids.to_vec();
        while let Some(id) = open.pop() {
            let plane = self.result::<MeasuredFeature>(Some(id)).and_then(|own| own.plane("").ok());
            for user in self.plan.users(id) {
                let Some(mut recipe) = self.plan.get(user).map(|own| own.recipe.clone()) else { continue };
                let is_let_go = match &mut recipe {
                    Recipe::Datum(own) => {
                        own.feature = None;
                        true
                    }
                    Recipe::Tolerance(own) => {
                        own.let_go(id);
                        true
                    }
                    Recipe::Feature(own) => is_fixed(&mut own.plane, id, plane),
                    Recipe::Slot(own) => is_fixed(&mut own.plane, id, plane),
                    _ => false,
                } && !recipe.inputs().contains(&id);
                if is_let_go && self.plan.set_recipe(user, recipe).is_ok() {
                    continue;
                }
                if gone.insert(user) {
                    open.push(user);
                }
            }
        }
        let names = |ids: &[ElementId]| ids.iter().map(|id| self.plan.name(*id)).collect::<Vec<_>>();
        let because = super::plan::quoted(&names(ids));
        let others: Vec<ElementId> = gone.iter().copied().filter(|id| !ids.contains(id)).collect();
        let notes =
            names(&others).iter().map(|name| format!("“{name}” went as well: it was made from {because}.")).collect();
        for id in gone {
            self.plan.remove_with_dependents(id);
        }
        notes
    }
}

/// Whether a feature lay in the plane of that element; it keeps the plane.
fn is_fixed(own: &mut Option<InPlane>, id: ElementId, plane: Option<inspect::features::Shape>) -> bool {
    let (Some(InPlane::Of(of)), Some(plane)) = (&own, plane) else { return false };
    let is_it = *of == id;
    if is_it {
        *own = Some(InPlane::Fixed(plane));
    }
    is_it
}
