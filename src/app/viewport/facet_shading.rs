//! Colours of the nominal's facets: plain, or by selection, visibility and named selection.

use super::super::subject::Subject;
use super::{Viewport, address};
use geometry::Subset;
use render::Mark;
use session::selection::Selectable;

/// Inputs of the facet colours.
#[derive(Clone, Default)]
pub(super) struct FacetShading {
    /// Address of the nominal.
    nominal: usize,
    selected: Subset,
    hidden: Subset,
    /// Named selections, by index; those of points are empty.
    groups: Vec<Subset>,
}

impl FacetShading {
    /// Whether any facet has a mark.
    pub(super) fn marks_any(&self) -> bool {
        !self.selected.is_empty() || !self.hidden.is_empty() || self.groups.iter().any(|group| !group.is_empty())
    }

    fn is_same(&self, other: &Self) -> bool {
        let pairs = || self.groups.iter().zip(&other.groups);
        self.nominal == other.nominal
            && self.selected.is_same(&other.selected)
            && self.hidden.is_same(&other.hidden)
            && self.groups.len() == other.groups.len()
            && pairs().all(|(own, others)| own.is_same(others) || (own.is_empty() && others.is_empty()))
    }
}

impl Viewport {
    /// Updates the colours of the nominal's facets if their inputs have changed.
    pub(super) fn shade_facets(&mut self, subject: &Subject) {
        let Some(nominal) = &self.nominal else { return };
        let document = &subject.document;
        let wanted = FacetShading {
            nominal: address(Some(&nominal.source)),
            selected: document.facets.selected.clone(),
            hidden: document.facets.hidden.clone(),
            groups: super::shading::groups(document, Selectable::Facets),
        };
        if self.facet_shading.as_ref().is_some_and(|current| current.is_same(&wanted)) {
            return;
        }
        // New items have no marks.
        if wanted.marks_any() || self.facet_shading.as_ref().is_some_and(FacetShading::marks_any) {
            let mut marks = vec![Mark::None; nominal.item.count];
            let mut set = |facets: &Subset, mark: Mark| {
                for &facet in facets.iter() {
                    if let Some(own) = marks.get_mut(facet as usize) {
                        *own = mark;
                    }
                }
            };
            for (index, group) in wanted.groups.iter().enumerate() {
                set(group, Mark::Group(super::shading::group_index(index)));
            }
            set(&wanted.selected, Mark::Selected);
            set(&wanted.hidden, Mark::Hidden);
            nominal.item.set_marks(self.scene.gpu(), |facet| marks.get(facet).copied().unwrap_or_default());
        }
        self.facet_shading = Some(wanted);
    }
}
