//! Outlines of fitted features and constructed elements on the GPU, updated when their results change.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use geometry::Point;
use inspect::features::measured::MeasuredFeature;
use inspect::features::{Element, outline};
use render::{Gpu, LinesItem};
use session::Document;
use session::plan::ElementId;

/// An outline on the GPU, and the result that it shows.
struct FeatureOutline {
    result: Arc<dyn Any + Send + Sync>,
    item: LinesItem,
}

/// The visible outlines, by element.
#[derive(Default)]
pub(super) struct FeatureLines {
    shown: BTreeMap<ElementId, FeatureOutline>,
    /// Number of changes.
    revision: u64,
}

impl FeatureLines {
    /// Number of changes so far.
    pub(super) fn revision(&self) -> u64 {
        self.revision
    }

    pub(super) fn items(&self) -> impl Iterator<Item = &LinesItem> {
        self.shown.values().map(|outline| &outline.item)
    }

    /// Updates the outlines to the document, without hidden elements.
    pub(super) fn update(&mut self, gpu: &Gpu, document: &Document, hidden: &BTreeSet<ElementId>) {
        let wanted = wanted(document, hidden);
        let count = self.shown.len();
        self.shown.retain(|id, outline| wanted.get(id).is_some_and(|result| is_same(result, &outline.result)));
        let mut has_changed = self.shown.len() != count;
        let missing: Vec<ElementId> = wanted.keys().filter(|id| !self.shown.contains_key(id)).copied().collect();
        if !missing.is_empty() {
            let mut lines = outlines(document);
            for id in &missing {
                if let (Some(result), Some(lines)) = (wanted.get(id), lines.remove(id)) {
                    let item = LinesItem::new(gpu, &lines);
                    self.shown.insert(*id, FeatureOutline { result: Arc::clone(result), item });
                    has_changed = true;
                }
            }
        }
        self.revision += u64::from(has_changed);
    }
}

fn is_same(one: &Arc<dyn Any + Send + Sync>, other: &Arc<dyn Any + Send + Sync>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other))
}

/// The results whose outlines are visible.
fn wanted(document: &Document, hidden: &BTreeSet<ElementId>) -> BTreeMap<ElementId, Arc<dyn Any + Send + Sync>> {
    if document.actual().is_none() {
        return BTreeMap::new();
    }
    let elements = document.plan.elements().iter().filter(|own| own.recipe.is_feature() && !hidden.contains(&own.id));
    let result = |id| document.stage().results.made(id).map(|made| (id, Arc::clone(&made.output)));
    elements.filter_map(|own| result(own.id)).collect()
}

/// The outlines of all features in the scan frame, limited to the extent of their points.
fn outlines(document: &Document) -> BTreeMap<ElementId, Vec<Vec<Point>>> {
    let lines = |element: &Element, extent: &[Point]| match element {
        Element::Shape(shape) => outline::of(shape, extent),
        Element::Point(_) => Vec::new(),
    };
    let mut found = BTreeMap::new();
    for feature in document.features() {
        if let Some(made) = feature.made {
            found.insert(feature.id, lines(&made.element, &document.some_points_at(&made.numbers)));
        }
    }
    for slot in document.slots() {
        if let Some(fit) = slot.made.and_then(MeasuredFeature::slot) {
            found.insert(slot.id, vec![fit.slot.outline()]);
        }
    }
    for element in document.constructions() {
        if let Some(made) = element.made {
            found.insert(element.id, lines(&made.element, &document.reach_of(element.recipe)));
        }
    }
    found
}
