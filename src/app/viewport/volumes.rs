//! Offset volumes on the GPU: the meshes around them, updated when their results change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use geometry::Aabb;
use inspect::offset::OffsetVolume;
use render::{FacetsItem, Gpu};
use session::Document;
use session::plan::{ElementId, Recipe};

/// A volume on the GPU, and the result that it shows.
struct VolumeItem {
    volume: Arc<OffsetVolume>,
    item: FacetsItem,
}

/// The visible volumes, by element.
#[derive(Default)]
pub(super) struct Volumes {
    shown: BTreeMap<ElementId, VolumeItem>,
    /// Number of changes.
    revision: u64,
}

impl Volumes {
    /// Number of changes so far.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// The volumes with their meshes on the GPU.
    pub(super) fn items(&self) -> impl Iterator<Item = (&OffsetVolume, &FacetsItem)> {
        self.shown.values().map(|own| (own.volume.as_ref(), &own.item))
    }

    /// Whether one of them lies inside the part.
    pub(super) fn are_inside(&self) -> bool {
        self.shown.values().any(|own| own.volume.parameters.distance_mm < 0.0)
    }

    /// Extent of all of them; empty if there are none.
    pub(super) fn bounds(&self) -> Aabb {
        self.shown.values().fold(Aabb::EMPTY, |bounds, own| bounds.union(&own.volume.mesh.bounds()))
    }

    /// Updates the items to the document, without hidden elements; returns whether anything has changed.
    pub(super) fn update(&mut self, gpu: &Gpu, document: &Document, hidden: &BTreeSet<ElementId>) -> bool {
        let is_shown = |id: ElementId| !hidden.contains(&id);
        let offsets = document.plan.elements().iter().filter(|own| matches!(own.recipe, Recipe::Offset(_)));
        let wanted: BTreeMap<ElementId, Arc<OffsetVolume>> = offsets
            .filter(|own| is_shown(own.id))
            .filter_map(|own| Some((own.id, document.shared::<OffsetVolume>(Some(own.id))?)))
            .filter(|(_, volume)| !volume.mesh.facets.is_empty())
            .collect();
        let count = self.shown.len();
        self.shown.retain(|id, own| wanted.get(id).is_some_and(|volume| Arc::ptr_eq(volume, &own.volume)));
        let mut has_changed = self.shown.len() != count;
        for (id, volume) in wanted {
            self.shown.entry(id).or_insert_with(|| {
                has_changed = true;
                VolumeItem { item: FacetsItem::new(gpu, &volume.mesh), volume }
            });
        }
        self.revision += u64::from(has_changed);
        has_changed
    }

    /// Removes all; returns whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        let had_any = !self.shown.is_empty();
        self.shown.clear();
        self.revision += u64::from(had_any);
        had_any
    }
}
