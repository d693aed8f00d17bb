//! Lookup of features, slots and constructed elements by name.

use std::collections::BTreeSet;

use super::Document;
use super::plan::{ElementId, Recipe};
use geometry::{Point, Subset};
use inspect::features::Element;
use inspect::features::measured::MeasuredFeature;
use inspect::features::recipe::{ConstructionRecipe, FeatureRecipe, InPlane, SlotRecipe};

/// Most points by which the extent of a feature is drawn.
const MAX_EXTENT_POINTS: usize = 400;

/// An element with recipe type `R` and its result on the shown part.
#[derive(Clone, Copy, Debug)]
pub struct Measured<'a, R> {
    /// Its id in the plan.
    pub id: ElementId,
    /// Its name, unique in the plan.
    pub name: &'a str,
    /// Its recipe.
    pub recipe: &'a R,
    /// Its result, up to date or not; `None` if it was not or could not be computed.
    pub made: Option<&'a MeasuredFeature>,
}

impl Document {
    fn elements_with<'a, R: 'a>(&'a self, recipe: impl Fn(&'a Recipe) -> Option<&'a R>) -> Vec<Measured<'a, R>> {
        let elements = self.plan.elements().iter();
        let one = |own: &'a std::sync::Arc<super::plan::Element>| {
            let (id, name) = (own.id, own.name.as_str());
            Some(Measured { id, name, recipe: recipe(&own.recipe)?, made: self.result(Some(id)) })
        };
        elements.filter_map(one).collect()
    }

    /// All fitted features, in the plan's order.
    pub fn features(&self) -> Vec<Measured<'_, FeatureRecipe>> {
        self.elements_with(|recipe| if let Recipe::Feature(own) = recipe { Some(&**own) } else { None })
    }

    /// All fitted slots, in the plan's order.
    pub fn slots(&self) -> Vec<Measured<'_, SlotRecipe>> {
        self.elements_with(|recipe| if let Recipe::Slot(own) = recipe { Some(&**own) } else { None })
    }

    /// All constructed elements, in the plan's order.
    pub fn constructions(&self) -> Vec<Measured<'_, ConstructionRecipe>> {
        self.elements_with(|recipe| if let Recipe::Construction(own) = recipe { Some(&**own) } else { None })
    }

    /// The id of the feature, slot or constructed element called `name`.
    pub fn feature_id(&self, name: &str) -> Option<ElementId> {
        self.plan.by_name(name).filter(|own| own.recipe.is_feature()).map(|own| own.id)
    }

    /// The result of the feature, slot or constructed element called `name` on the shown part.
    pub fn feature(&self, name: &str) -> Option<&MeasuredFeature> {
        self.result(self.feature_id(name))
    }

    /// The measured geometry of the element called `name`, scan frame; for a slot its mid-plane.
    pub fn element(&self, name: &str) -> Option<Element> {
        self.feature(name).map(|feature| feature.element)
    }

    /// Names of all features, then slots, then constructed elements.
    pub fn element_names(&self) -> Vec<String> {
        let fitted = self.features().into_iter().map(|own| own.name);
        let slots = self.slots().into_iter().map(|own| own.name);
        let made = self.constructions().into_iter().map(|own| own.name);
        fitted.chain(slots).chain(made).map(str::to_owned).collect()
    }

    /// The nominal geometry of the feature called `name`, nominal frame.
    pub fn nominal_of(&self, name: &str) -> Option<Element> {
        self.plan.by_name(name).and_then(|own| own.recipe.nominal())
    }

    /// `wanted` if it is free and `number` is `None`; else `wanted` followed by the first free number from `number`
    /// (default 2) on.
    pub fn free_name(&self, wanted: &str, number: Option<usize>) -> String {
        let is_free = |name: &str| self.plan.by_name(name).is_none();
        if number.is_none() && is_free(wanted) {
            return wanted.to_owned();
        }
        // A new feature must not inherit the nominal expected for another feature of that name.
        let is_new = |name: &String| is_free(name) && !self.expected.contains_key(name);
        let mut names = (number.unwrap_or(2)..).map(|number| format!("{wanted} {number}"));
        names.find(is_new).unwrap_or_default()
    }

    /// Points of the scan at `indices`, mm, scan frame; indices out of range are skipped.
    pub fn points_at(&self, indices: &Subset) -> Vec<Point> {
        self.points_by_index(indices.iter())
    }

    fn points_by_index<'a>(&self, indices: impl Iterator<Item = &'a u32>) -> Vec<Point> {
        let Some(actual) = self.actual() else { return Vec::new() };
        indices.filter_map(|&index| actual.cloud.points.get(index as usize).copied()).collect()
    }

    /// At most 400 points of the subset, spread over it: enough to draw its extent.
    pub fn some_points_at(&self, indices: &Subset) -> Vec<Point> {
        if indices.len() <= MAX_EXTENT_POINTS {
            return self.points_at(indices);
        }
        // Golden-ratio sampling: even steps through the rows of a grid would always hit the same columns.
        let fraction = |i: usize| (i as f64 * 0.618_033_988_75).fract();
        self.points_by_index(
            (0..MAX_EXTENT_POINTS).filter_map(|i| indices.get((fraction(i) * indices.len() as f64) as usize)),
        )
    }

    /// Points that span the extent of a constructed element, scan frame: sampled points of the features it is
    /// constructed from, or the position of a source without points.
    pub fn reach_of(&self, recipe: &ConstructionRecipe) -> Vec<Point> {
        let extent = recipe.sources.iter().flat_map(|id| {
            let own = self.result::<MeasuredFeature>(Some(*id));
            let points = own.map(|own| self.some_points_at(&own.numbers)).unwrap_or_default();
            let position = own.filter(|_| points.is_empty()).map(|own| own.element.position());
            points.into_iter().chain(position)
        });
        extent.collect()
    }

    /// Removes elements and everything computed from them. Tolerances and datums stay and wait for a feature of that
    /// name; a feature fitted in the plane of a removed element keeps that plane as a fixed one. The returned notes
    /// name what was removed besides `ids`.
    pub fn remove(&mut self, ids: &[ElementId]) -> Vec<String> {
        let mut removed_ids: BTreeSet<ElementId> = ids.iter().copied().collect();
        let mut open = ids.to_vec();
        while let Some(id) = open.pop() {
            let plane = self.result::<MeasuredFeature>(Some(id)).and_then(|own| own.plane("").ok());
            self.release_from_main_alignment(id);
            for user in self.plan.users(id) {
                let Some(mut recipe) = self.plan.get(user).map(|own| own.recipe.clone()) else { continue };
                let is_detached = match &mut recipe {
                    Recipe::Datum(own) => {
                        own.feature = None;
                        true
                    }
                    Recipe::Tolerance(own) => {
                        own.let_go(id);
                        true
                    }
                    Recipe::Feature(own) => fix_plane(&mut own.plane, id, plane),
                    Recipe::Slot(own) => fix_plane(&mut own.plane, id, plane),
                    _ => false,
                } && !recipe.inputs().contains(&id);
                if is_detached && self.plan.set_recipe(user, recipe).is_ok() {
                    continue;
                }
                if removed_ids.insert(user) {
                    open.push(user);
                }
            }
        }
        let names = |ids: &[ElementId]| ids.iter().map(|id| self.plan.name(*id)).collect::<Vec<_>>();
        let removed = super::plan::quoted(&names(ids));
        let others: Vec<ElementId> = removed_ids.iter().copied().filter(|id| !ids.contains(id)).collect();
        let notes = names(&others)
            .iter()
            .map(|name| format!("“{name}” was removed as well: it was computed from {removed}."))
            .collect();
        for id in removed_ids {
            self.plan.remove_with_dependents(id);
        }
        notes
    }
}

/// Replaces a reference to the plane of element `id` by that plane itself; returns whether it was one.
fn fix_plane(own: &mut Option<InPlane>, id: ElementId, plane: Option<inspect::features::Shape>) -> bool {
    let (Some(InPlane::Of(of)), Some(plane)) = (&own, plane) else { return false };
    let is_reference = *of == id;
    if is_reference {
        *own = Some(InPlane::Fixed(plane));
    }
    is_reference
}
