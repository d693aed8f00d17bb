//! Main alignments in the document: what they start from, and what is measured in them.

use super::Document;
use super::plan::{ElementId, Recipe};
use super::rooms::nominal_and_scan_required;
use base::{Progress, Result, UserError};
use geometry::Pose;
use inspect::alignment::Alignment;
use inspect::main_alignment::{MainAlignmentRecipe, MainMethod};
use inspect::recipe::Tools;

impl Document {
    /// The pre-alignment: what the active alignment starts from if it is a main alignment, else the active one itself.
    pub fn pre_alignment(&self) -> Option<ElementId> {
        let mut id = self.active.alignment?;
        // A damaged file may hold a cycle.
        for _ in self.plan.elements() {
            match &self.plan.get(id)?.recipe {
                Recipe::MainAlignment(own) => id = own.before,
                _ => return Some(id),
            }
        }
        None
    }

    /// Pose of the pre-alignment, `nominal_from_scan`; the identity without one.
    pub fn pre_aligned_pose(&self) -> Pose {
        self.result::<Alignment>(self.pre_alignment()).map_or_else(Pose::identity, |own| own.nominal_from_scan)
    }

    /// The alignments, in the plan's order.
    pub fn alignments(&self) -> Vec<ElementId> {
        self.plan.elements().iter().filter(|own| own.recipe.is_alignment()).map(|own| own.id).collect()
    }

    /// Adds a main alignment, makes it the active one and binds the active comparison to it.
    ///
    /// Returns an error if the scan is not aligned yet, or an element it refers to is missing.
    pub fn add_main_alignment(&mut self, name: &str, to: MainMethod) -> Result<ElementId> {
        let (Some(nominal), Some(scan)) = (self.aligned_nominal(), self.active.scan) else {
            return Err(nominal_and_scan_required());
        };
        let before = self.pre_alignment().filter(|id| self.result::<Alignment>(Some(*id)).is_some());
        let before =
            before.ok_or_else(|| UserError::usage("Align the scan first: a main alignment starts from that."))?;
        let name = self.free_name(name, None);
        let id = self.plan.add(&name, MainAlignmentRecipe { nominal, scan, before, to }.into())?;
        self.measure_in(id)?;
        Ok(id)
    }

    /// Makes an alignment the active one and binds the active comparison to it. Returns an error for other elements.
    pub fn measure_in(&mut self, alignment: ElementId) -> Result<()> {
        if self.plan.get(alignment).is_none_or(|own| !own.recipe.is_alignment()) {
            return Err(UserError::usage(format!("“{}” is not an alignment.", self.plan.name(alignment))));
        }
        self.active.alignment = Some(alignment);
        let Some(comparison) = self.active.comparison else { return Ok(()) };
        self.change_recipe(comparison, |recipe| {
            if let Recipe::Comparison(own) = recipe {
                own.alignment = Some(alignment);
            }
        })
    }

    /// Computes the alignment `id`, and the active one if that starts from it. Returns the error of the former, and in
    /// notes why the latter could not be computed.
    pub fn make_alignment(&mut self, id: ElementId, tools: &Tools<'_>, progress: &Progress) -> Result<Vec<String>> {
        self.make_one(id, tools, &progress.part(0.0, 0.9))?;
        let Some(active) = self.active.alignment.filter(|active| *active != id) else { return Ok(Vec::new()) };
        self.make(&[active], tools, &progress.part(0.9, 1.0))?;
        let failure = self.failure(active).map(|error| format!("“{}”: {error}", self.plan.name(active)));
        Ok(failure.into_iter().collect())
    }

    /// Binds what is measured in a main alignment to what that starts from; other elements are left alone.
    pub(super) fn release_from_main_alignment(&mut self, id: ElementId) {
        let Some(Recipe::MainAlignment(own)) = self.plan.get(id).map(|own| own.recipe.clone()) else { return };
        for user in self.plan.users(id) {
            let Some(mut recipe) = self.plan.get(user).map(|own| own.recipe.clone()) else { continue };
            if let Some(alignment) = recipe.alignment_mut().filter(|alignment| **alignment == Some(id)) {
                *alignment = Some(own.before);
                // Refused for a cyclic element, which only a damaged file can hold; it is removed.
                let _ = self.plan.set_recipe(user, recipe);
            }
        }
        if self.active.alignment == Some(id) {
            self.active.alignment = Some(own.before);
        }
    }
}
