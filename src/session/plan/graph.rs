//! The dependency graph of a plan's elements.

use std::collections::{BTreeMap, BTreeSet};

use super::{ElementId, Plan};

impl Plan {
    /// All elements that depend on `id`, directly or indirectly; without `id` itself.
    pub fn dependents(&self, id: ElementId) -> BTreeSet<ElementId> {
        let mut users: BTreeMap<ElementId, Vec<ElementId>> = BTreeMap::new();
        for element in self.elements() {
            for input in element.recipe.inputs() {
                users.entry(input).or_default().push(element.id);
            }
        }
        let (mut found, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(next) = open.pop() {
            for &user in users.get(&next).into_iter().flatten() {
                if found.insert(user) {
                    open.push(user);
                }
            }
        }
        found
    }

    /// The ids of all elements in topological order, as close to the operator's order as that allows. An element with a
    /// missing input is included; elements of a cycle, which only a damaged file can hold, are not.
    pub fn in_order(&self) -> Vec<ElementId> {
        let inputs: BTreeMap<ElementId, Vec<ElementId>> =
            self.elements().iter().map(|own| (own.id, own.recipe.inputs())).collect();
        let mut order = Vec::with_capacity(inputs.len());
        let (mut done, mut entered) = (BTreeSet::new(), BTreeSet::new());
        for element in self.elements() {
            let mut open = vec![(element.id, false)];
            while let Some((id, inputs_done)) = open.pop() {
                let Some(own) = inputs.get(&id) else { continue };
                if inputs_done {
                    if own.iter().all(|input| done.contains(input) || !inputs.contains_key(input)) && done.insert(id) {
                        order.push(id);
                    }
                } else if entered.insert(id) {
                    open.push((id, true));
                    open.extend(own.iter().rev().map(|input| (*input, false)));
                }
            }
        }
        order
    }
}
