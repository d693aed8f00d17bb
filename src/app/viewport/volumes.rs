//! Offset and contact volumes, distance fields and the selected thickness map on the GPU, updated when their results change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use base::Result;
use geometry::Aabb;
use inspect::offset::{ContactVolumes, OffsetVolume, PartField};
use inspect::thickness::ThicknessMap;
use render::{FacetsItem, FieldItem, Gpu};
use session::Document;
use session::plan::ElementId;

/// A result on the GPU.
struct Item<T, I> {
    result: Arc<T>,
    item: I,
}

/// The passes that are shown, from 0.
#[derive(Clone, Copy)]
pub(super) struct ShownPasses {
    pub contact: usize,
    pub offset: usize,
}

/// The visible volumes and fields, by element.
#[derive(Default)]
pub(super) struct Volumes {
    /// After one pass of each.
    volumes: BTreeMap<ElementId, Item<OffsetVolume, (usize, FacetsItem)>>,
    /// `Err`: larger than the device can hold.
    fields: BTreeMap<ElementId, Item<PartField, Result<FieldItem>>>,
    maps: BTreeMap<ElementId, Item<ThicknessMap, FacetsItem>>,
    /// One pass of each.
    contacts: BTreeMap<ElementId, Item<ContactVolumes, (usize, FacetsItem)>>,
    /// Number of changes.
    revision: u64,
}

impl Volumes {
    /// Number of changes so far.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    /// The volumes with their meshes on the GPU.
    pub(super) fn volumes(&self) -> impl Iterator<Item = (&OffsetVolume, &FacetsItem)> {
        self.volumes.values().map(|own| (own.result.as_ref(), &own.item.1))
    }

    /// The meshes of contact volumes on the GPU.
    pub(super) fn contacts(&self) -> impl Iterator<Item = &FacetsItem> {
        self.contacts.values().map(|own| &own.item.1)
    }

    /// The distance fields on the GPU.
    pub(super) fn fields(&self) -> impl Iterator<Item = &FieldItem> {
        self.fields.values().filter_map(|own| own.item.as_ref().ok())
    }

    /// Why a field is not shown; `None` if all are.
    pub(super) fn error(&self) -> Option<&str> {
        self.fields.values().find_map(|own| own.item.as_ref().err()).map(|error| error.sentence.as_str())
    }

    /// The selected thickness map on the GPU; it is shown by itself.
    pub(super) fn map(&self) -> Option<(&Arc<ThicknessMap>, &FacetsItem)> {
        self.maps.values().next().map(|own| (&own.result, &own.item))
    }

    /// Whether one of them lies inside the part, given the distance at which fields are shown.
    pub(super) fn are_inside(&self, field_distance_mm: f64) -> bool {
        let is_inside = self.volumes.values().any(|own| own.result.parameters.distance_mm < 0.0);
        is_inside || (field_distance_mm < 0.0 && !self.fields.is_empty())
    }

    /// Extent of all of them; empty if there are none.
    pub(super) fn bounds(&self) -> Aabb {
        let meshes = self.volumes.values().map(|own| own.result.mesh.bounds());
        let meshes = meshes.chain(self.contacts.values().map(|own| own.result.stock));
        meshes.fold(Aabb::EMPTY, |bounds, mesh| bounds.union(&mesh))
    }

    /// Updates the items to the document, without hidden elements; returns whether anything has changed. If a thickness
    /// map is selected, it is the only one.
    pub(super) fn update(
        &mut self,
        gpu: &Gpu,
        document: &Document,
        hidden: &BTreeSet<ElementId>,
        (selected, passes): (Option<ElementId>, ShownPasses),
    ) -> bool {
        let mut volumes = results::<OffsetVolume>(document, hidden);
        volumes.retain(|_, volume| !volume.mesh.facets.is_empty());
        let mut fields = results::<PartField>(document, hidden);
        let mut maps = results::<ThicknessMap>(document, hidden);
        maps.retain(|id, _| Some(*id) == selected);
        let mut contacts = results::<ContactVolumes>(document, hidden);
        contacts.retain(|_, made| !made.passes.is_empty());
        if !maps.is_empty() {
            volumes.clear();
            fields.clear();
            contacts.clear();
        }
        let new_maps = follow(&mut self.maps, maps, |map| {
            let item = FacetsItem::new(gpu, &map.mesh);
            item.set_values(gpu, |facet| map.thickness_mm[facet]);
            item
        });
        let of_pass = |made: &ContactVolumes| passes.contact.min(made.passes.len() - 1);
        self.contacts.retain(|_, own| own.item.0 == of_pass(&own.result));
        let new_contacts = follow(&mut self.contacts, contacts, |made| {
            (of_pass(made), FacetsItem::new(gpu, &made.passes[of_pass(made)].mesh))
        });
        let after = |volume: &OffsetVolume| passes.offset.min(volume.earlier.len());
        self.volumes.retain(|_, own| own.item.0 == after(&own.result));
        let new_volumes = follow(&mut self.volumes, volumes, |volume| {
            (after(volume), FacetsItem::new(gpu, volume.after_pass(after(volume)).1))
        });
        let new_fields = follow(&mut self.fields, fields, |field| FieldItem::new(gpu, &field.field));
        let has_changed = new_volumes || new_fields || new_maps || new_contacts;
        self.revision += u64::from(has_changed);
        has_changed
    }

    /// Removes all; returns whether there were any.
    pub(super) fn clear(&mut self) -> bool {
        let had_volumes = !(self.volumes.is_empty() && self.fields.is_empty());
        let had_any = had_volumes || !(self.maps.is_empty() && self.contacts.is_empty());
        self.revision += u64::from(had_any);
        *self = Self { revision: self.revision, ..Self::default() };
        had_any
    }
}

/// The visible results of a type.
fn results<T: std::any::Any + Send + Sync>(
    document: &Document,
    hidden: &BTreeSet<ElementId>,
) -> BTreeMap<ElementId, Arc<T>> {
    let offsets = document.plan.elements().iter().filter(|own| own.recipe.is_offset() && !hidden.contains(&own.id));
    offsets.filter_map(|own| Some((own.id, document.shared::<T>(Some(own.id))?))).collect()
}

/// Updates items to the results that are wanted; returns whether anything has changed.
fn follow<T, I>(
    items: &mut BTreeMap<ElementId, Item<T, I>>,
    wanted: BTreeMap<ElementId, Arc<T>>,
    upload: impl Fn(&T) -> I,
) -> bool {
    let count = items.len();
    items.retain(|id, own| wanted.get(id).is_some_and(|result| Arc::ptr_eq(result, &own.result)));
    let mut has_changed = items.len() != count;
    for (id, result) in wanted {
        items.entry(id).or_insert_with(|| {
            has_changed = true;
            Item { item: upload(&result), result }
        });
    }
    has_changed
}
