//! What depends on what.

use std::collections::{BTreeMap, BTreeSet};

use super::{ElementId, Plan};

impl Plan {
    /// All that is made from an element, at first or second hand.
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

    /// The numbers of all elements, each after its inputs, as near to the operator's order as that allows. What names a
    /// missing element comes all the same; what is in a circle, as only a damaged file has it, does not.
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
