//! How the nominal's facets are coloured: in its own colour, or as the brush has left them.

use super::super::subject::Subject;
use super::{Viewport, address};
use geometry::Subset;
use render::Shade;
use session::selection::Selectable;

/// What the facets' shades were made from.
#[derive(Clone, Default)]
pub(super) struct FacetsShaded {
    /// Address of the nominal.
    of: usize,
    selected: Subset,
    hidden: Subset,
    /// Selections with names, by their numbers among all such; none are those of points.
    groups: Vec<Subset>,
}

impl FacetsShaded {
    /// Whether anything but the item's own colour is shown.
    pub(super) fn marks_any(&self) -> bool {
        !self.selected.is_empty() || !self.hidden.is_empty() || self.groups.iter().any(|group| !group.is_empty())
    }

    fn is_same(&self, other: &Self) -> bool {
        let pairs = || self.groups.iter().zip(&other.groups);
        self.of == other.of
            && self.selected.is_same(&other.selected)
            && self.hidden.is_same(&other.hidden)
            && self.groups.len() == other.groups.len()
            && pairs().all(|(own, others)| own.is_same(others) || (own.is_empty() && others.is_empty()))
    }
}

impl Viewport {
    /// Colours the nominal's facets where what decides their shades changed.
    pub(super) fn shade_facets(&mut self, subject: &Subject) {
        let Some(nominal) = &self.nominal else { return };
        let document = &subject.document;
        let wanted = FacetsShaded {
            of: address(Some(&nominal.of)),
            selected: document.facets.selected.clone(),
            hidden: document.facets.hidden.clone(),
            groups: super::shading::groups(document, Selectable::Facets),
        };
        if self.facets_shaded.as_ref().is_some_and(|shaded| shaded.is_same(&wanted)) {
            return;
        }
        if wanted.marks_any() {
            let mut shades = vec![Shade::Plain; nominal.item.facets];
            let mut mark = |facets: &Subset, shade: Shade| {
                for &facet in facets.iter() {
                    if let Some(own) = shades.get_mut(facet as usize) {
                        *own = shade;
                    }
                }
            };
            for (number, group) in wanted.groups.iter().enumerate() {
                mark(group, Shade::Group(super::shading::group_number(number)));
            }
            mark(&wanted.selected, Shade::Selected);
            mark(&wanted.hidden, Shade::Hidden);
            nominal.item.set_shades(self.scene.gpu(), |facet| shades.get(facet).copied().unwrap_or(Shade::Plain));
        }
        self.facets_shaded = Some(wanted);
    }
}
