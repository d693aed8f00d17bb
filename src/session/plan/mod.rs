//! The inspection plan: a list of elements, each computed by a recipe that names its inputs by id.
//!
//! The elements are listed in the operator's order. Dependencies follow from the recipes alone and have no cycles.

pub(crate) mod file;
mod fingerprint;
mod for_other_parts;
mod graph;
mod recipe;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::presentation::Presentation;
use base::{Result, UserError};
pub use file::{FORMAT, VERSION};
use fingerprint::Digest;
pub use fingerprint::{Fingerprint, Fingerprints};
pub use inspect::recipe::{Class, ElementId};
pub use recipe::{ElementResult, Recipe, Unknown};

/// One element of a plan.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Its id; never changes.
    pub id: ElementId,
    /// Its name; unique in the plan.
    pub name: String,
    /// How it is computed.
    pub recipe: Recipe,
    /// Cached hash of the recipe.
    #[serde(skip)]
    digest: Digest,
}

/// An inspection plan, to be run on every part.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Shared with the copies kept for undo.
    elements: Vec<Arc<Element>>,
    /// How its results are shown.
    pub presentation: Presentation,
    /// The highest id assigned so far. Ids are never reused, so a stale reference cannot reach a new element.
    last: u32,
}

impl PartialEq for Plan {
    fn eq(&self, other: &Self) -> bool {
        self.elements == other.elements
    }
}

/// Most elements of a plan.
pub const MAX_ELEMENTS: usize = 100_000;

impl Plan {
    /// The elements, in the operator's order.
    pub fn elements(&self) -> &[Arc<Element>] {
        &self.elements
    }

    /// The element with this id.
    pub fn get(&self, id: ElementId) -> Option<&Element> {
        self.elements.iter().find(|element| element.id == id).map(Arc::as_ref)
    }

    /// The element with this name.
    pub fn by_name(&self, name: &str) -> Option<&Element> {
        self.elements.iter().find(|element| element.name == name).map(Arc::as_ref)
    }

    /// The name of an element; its id if the plan has none such.
    pub fn name(&self, id: ElementId) -> String {
        self.get(id).map_or_else(|| id.to_string(), |element| element.name.clone())
    }

    /// `wanted` if it is free, else `wanted` followed by the first free number from 2 on.
    pub fn free_name(&self, wanted: &str) -> String {
        let wanted = wanted.trim();
        let mut names = std::iter::once(wanted.to_owned()).chain((2..).map(|number| format!("{wanted} {number}")));
        names.find(|name| !name.is_empty() && self.by_name(name).is_none()).unwrap_or_default()
    }

    /// Appends an element, named `wanted` or the next free name like it. Returns an error if the plan is full or an
    /// input is missing.
    pub fn add(&mut self, wanted: &str, recipe: Recipe) -> Result<ElementId> {
        if self.elements.len() >= MAX_ELEMENTS {
            return Err(UserError::usage(format!("A plan holds at most {MAX_ELEMENTS} elements.")));
        }
        let id = ElementId(self.last + 1);
        self.check_inputs(id, &recipe)?;
        self.last += 1;
        self.elements.push(Arc::new(Element { id, name: self.free_name(wanted), recipe, digest: Digest::default() }));
        Ok(id)
    }

    /// Replaces the recipe of an element. Returns an error if an input is missing or depends on the element itself.
    pub fn set_recipe(&mut self, id: ElementId, recipe: Recipe) -> Result<()> {
        self.check_inputs(id, &recipe)?;
        self.find(id)?.recipe = recipe;
        Ok(())
    }

    /// Renames an element. Returns an error if the name is empty or taken.
    pub fn rename(&mut self, id: ElementId, name: &str) -> Result<()> {
        let name = name.trim();
        if name.is_empty() {
            return Err(UserError::usage("Give the element a name."));
        }
        if self.by_name(name).is_some_and(|other| other.id != id) {
            return Err(UserError::usage(format!("There is an element “{name}” already; choose another name.")));
        }
        name.clone_into(&mut self.find(id)?.name);
        Ok(())
    }

    /// Removes an element. Returns an error that names the elements depending on it, if there are any.
    pub fn remove(&mut self, id: ElementId) -> Result<()> {
        let users: Vec<String> = self.users(id).into_iter().map(|user| self.name(user)).collect();
        if !users.is_empty() {
            return Err(UserError::usage(format!(
                "“{}” is needed by {}: remove those first, or all together.",
                self.name(id),
                quoted(&users)
            )));
        }
        self.remove_with_dependents(id);
        Ok(())
    }

    /// Removes an element and everything that depends on it; returns what was removed.
    pub fn remove_with_dependents(&mut self, id: ElementId) -> Vec<Arc<Element>> {
        let dependents = self.dependents(id);
        let (kept, removed) = std::mem::take(&mut self.elements)
            .into_iter()
            .partition(|own| own.id != id && !dependents.contains(&own.id));
        self.elements = kept;
        removed
    }

    /// Moves an element to position `index` in the operator's order; beyond the end, to the end.
    pub fn move_to(&mut self, id: ElementId, index: usize) -> Result<()> {
        let Some(from) = self.elements.iter().position(|own| own.id == id) else { return Err(missing(id)) };
        let element = self.elements.remove(from);
        self.elements.insert(index.min(self.elements.len()), element);
        Ok(())
    }

    /// Reorders the elements `ids` among the positions they occupy; all others stay.
    pub fn arrange(&mut self, ids: &[ElementId]) {
        let element = |id: &ElementId| self.elements.iter().find(|own| own.id == *id).cloned();
        let arranged: Vec<Arc<Element>> = ids.iter().filter_map(element).collect();
        let slots = self.elements.iter_mut().filter(|own| ids.contains(&own.id));
        slots.zip(arranged).for_each(|(slot, own)| *slot = own);
    }

    /// The elements that name `id` as an input.
    pub fn users(&self, id: ElementId) -> Vec<ElementId> {
        self.elements.iter().filter(|own| own.recipe.inputs().contains(&id)).map(|own| own.id).collect()
    }

    fn find(&mut self, id: ElementId) -> Result<&mut Element> {
        let element = self.elements.iter_mut().find(|own| own.id == id).map(Arc::make_mut);
        let element = element.ok_or_else(|| missing(id))?;
        element.digest = Digest::default();
        Ok(element)
    }

    /// Returns an error if an input of the recipe is missing or depends on `id`.
    fn check_inputs(&self, id: ElementId, recipe: &Recipe) -> Result<()> {
        let inputs = recipe.inputs();
        let dependents = if self.get(id).is_some() { self.dependents(id) } else { BTreeSet::new() };
        for input in inputs {
            if input == id || dependents.contains(&input) {
                return Err(UserError::usage(format!(
                    "“{}” depends on “{}”; it cannot be its input as well.",
                    self.name(input),
                    self.name(id)
                )));
            }
            self.get(input).ok_or_else(|| missing(input))?;
        }
        Ok(())
    }
}

fn missing(id: ElementId) -> UserError {
    UserError::usage(format!("The plan has no element {id} any more."))
}

/// “A”, “B” and “C”.
pub(crate) fn quoted(names: &[impl AsRef<str>]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("“{}”", name.as_ref())).collect();
    match quoted.as_slice() {
        [rest @ .., last] if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        all => all.concat(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use geometry::Pose;
    use inspect::alignment::{AlignmentRecipe, Refinement, Start};
    use inspect::parts::ScanRecipe;

    /// `count` alignments, each starting from the previous one, with one scan standing in for the nominal as well.
    fn chain(count: u32) -> Plan {
        let mut plan = Plan::default();
        let scan = plan.add("Scan", ScanRecipe::default().into()).unwrap();
        for number in 0..count {
            let start = if number == 0 { Start::Pose(Pose::identity()) } else { Start::After(ElementId(number + 1)) };
            let recipe = AlignmentRecipe { nominal: scan, scan, start, refinement: Refinement::None };
            plan.add("Alignment", recipe.into()).unwrap();
        }
        plan
    }

    #[test]
    fn names_are_kept_apart_and_renaming_breaks_nothing() {
        let mut plan = chain(3);
        let names: Vec<&str> = plan.elements().iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names, ["Scan", "Alignment", "Alignment 2", "Alignment 3"]);
        let inputs = |plan: &Plan| plan.by_name("Alignment 3").unwrap().recipe.inputs();
        let before = inputs(&plan);
        plan.rename(ElementId(3), " Datum fit ").unwrap();
        assert_eq!((inputs(&plan), plan.name(ElementId(3)).as_str()), (before, "Datum fit"));
        assert!(plan.rename(ElementId(2), "Datum fit").unwrap_err().sentence.contains("already"));
        assert!(plan.rename(ElementId(2), "  ").is_err());
    }

    #[test]
    fn cycles_are_refused_and_no_element_is_removed_while_others_depend_on_it() {
        let mut plan = chain(3);
        let (scan, first, last) = (ElementId(1), ElementId(2), ElementId(4));
        let circular =
            |after| AlignmentRecipe { nominal: scan, scan, start: Start::After(after), refinement: Refinement::None };
        for after in [first, last] {
            assert!(plan.set_recipe(first, circular(after).into()).unwrap_err().sentence.contains("depends on"));
        }
        assert!(plan.set_recipe(first, circular(ElementId(9)).into()).unwrap_err().sentence.contains("no element"));
        let refused = plan.remove(first).unwrap_err().sentence;
        assert!(refused.contains("“Alignment” is needed by “Alignment 2”"), "{refused}");
        plan.remove(last).unwrap();
        let removed = plan.remove_with_dependents(first);
        assert_eq!((removed.len(), plan.elements().len()), (2, 1));
        // An id is never reused.
        let recipe = AlignmentRecipe { start: Start::Pose(Pose::identity()), ..circular(scan) };
        assert_eq!(plan.add("New", recipe.into()), Ok(ElementId(5)));
    }

    #[test]
    fn inputs_come_first_whatever_the_operators_order() {
        let mut plan = chain(4);
        plan.move_to(ElementId(5), 0).unwrap();
        plan.move_to(ElementId(1), 9).unwrap();
        let order = plan.in_order();
        let position = |id: ElementId| order.iter().position(|own| *own == id).unwrap();
        assert_eq!(order.len(), 5);
        for element in plan.elements() {
            assert!(element.recipe.inputs().iter().all(|input| position(*input) < position(element.id)));
        }
    }

    #[test]
    fn ten_thousand_elements_are_no_burden() {
        let started = Instant::now();
        let mut plan = Plan::default();
        let scan = plan.add("Scan", ScanRecipe::default().into()).unwrap();
        for number in 0..10_000 {
            let start = Start::Pose(Pose::translation(f64::from(number), 0.0, 0.0));
            let recipe = AlignmentRecipe { nominal: scan, scan, start, refinement: Refinement::None };
            plan.add(&format!("Alignment {number}"), recipe.into()).unwrap();
        }
        assert_eq!(plan.fingerprints(&[]).len(), 10_001);
        let text = serde_json::to_string(&plan).unwrap();
        assert_eq!(serde_json::from_str::<Plan>(&text).unwrap(), plan);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }

    #[test]
    fn what_a_newer_version_wrote_is_kept_and_saved_unharmed() {
        let text = r#"[
            {"id": 1, "name": "Scan", "recipe": {"type": "scan"}},
            {"id": 2, "name": "Glow", "recipe": {"type": "thermography", "band_um": [8, 14]}},
            {"id": 3, "name": "Scan", "recipe": {"type": "scan"}},
            {"id": 4, "name": "Fit", "recipe": {"type": "alignment", "nominal": 9, "scan": 1}},
            {"id": 2, "name": "Twin", "recipe": {"type": "scan"}},
            {"id": 5, "name": "Round", "recipe": {"type": "construction", "construction": "middle", "sources": [6, 1]}},
            {"id": 6, "name": "Trip", "recipe": {"type": "construction", "construction": "middle", "sources": [5, 7]}},
            17
        ]"#;
        let values: Vec<serde_json::Value> = serde_json::from_str(text).unwrap();
        let (plan, notes) = Plan::salvage(values.clone());
        let names: Vec<&str> = plan.elements().iter().map(|own| own.name.as_str()).collect();
        assert_eq!(names, ["Scan", "Glow", "Scan 2", "Fit", "Round", "Trip"]);
        let notes = notes.join("\n");
        for said in [
            "“thermography”",
            "“Scan” is now called “Scan 2”",
            "“Fit” is kept, but not run. This alignment cannot be read: missing field `start`",
            "Element 5 has the id of another element",
            "“Trip” needs element #7, which is missing",
            "“Round” depends on itself",
            "Element 8 could not be read",
        ] {
            assert!(notes.contains(said), "{said} is not in:\n{notes}");
        }
        let again = serde_json::to_value(&plan).unwrap();
        assert_eq!(again[1], values[1], "an element of a newer version is saved as it came");
        assert_eq!(again[3], values[3]);
    }
}
