//! Deviations of points shown on the nominal: mapped to its facets on another thread once they are wanted there.

use std::sync::Arc;

use super::same;
use compute::Backend;
use compute::point_facet_matching::FacetDeviation;
use geometry::{Point, triangle};
use inspect::deviation::{DeviationMap, Measurement, on_nominal};
use inspect::parts::{Actual, Nominal};
use render::{FacetsItem, Gpu};
use session::jobs::Job;

/// The deviations of a measurement of points on the facets of its nominal, as far as they are made.
#[derive(Default)]
pub(super) struct NominalDeviations {
    measurement: Option<Arc<Measurement>>,
    /// Ends with a coarser map, too, to draw while the view moves.
    mapping: Option<Job<[DeviationMap; 2]>>,
    /// Whether they were asked for; what failed is not tried again.
    is_begun: bool,
    /// In full, and coarser.
    made: Option<[(DeviationMap, FacetsItem); 2]>,
}

impl NominalDeviations {
    /// Begins to map the deviations of `measurement`, if it is of points and they are wanted on the nominal, and takes them
    /// over once they are mapped.
    pub fn update(
        &mut self,
        (gpu, context): (&Gpu, &egui::Context),
        measurement: Option<&Arc<Measurement>>,
        parts: Option<(Arc<Nominal>, Arc<Actual>)>,
        backend: &Arc<dyn Backend>,
        is_wanted: bool,
    ) {
        if !same(self.measurement.as_ref(), measurement) {
            *self = Self::default();
            self.measurement = measurement.cloned();
        }
        let of_points = measurement.filter(|own| matches!(own.map(), DeviationMap::Points(_)));
        if let (Some(measurement), Some((nominal, actual)), true) = (of_points, parts, is_wanted)
            && !self.is_begun
        {
            self.is_begun = true;
            let (measurement, backend, context) = (Arc::clone(measurement), Arc::clone(backend), context.clone());
            let budgets = [gpu.elements_per_frame(), gpu.moving_facets()];
            let work = move |progress: &base::Progress| {
                let map = |facets, from, to| {
                    let (parts, part) = ((&*nominal, &*actual), progress.part(from, to));
                    on_nominal(backend.as_ref(), parts, &measurement, facets, &part)
                };
                Ok([map(budgets[0], 0.0, 0.7)?, map(budgets[1], 0.7, 1.0)?])
            };
            let label = "Mapping deviations onto the nominal";
            self.mapping = Some(Job::start_aside(label, move || context.request_repaint(), work));
        }
        if let Some(mapped) = self.mapping.as_ref().and_then(Job::poll) {
            self.mapping = None;
            // Without a map they stay on the scan.
            let Ok(maps) = mapped else { return };
            self.made = maps
                .map(|map| {
                    let item = item(gpu, &map)?;
                    Some((map, item))
                })
                .into_iter()
                .collect::<Option<Vec<_>>>()
                .and_then(|made| made.try_into().ok());
        }
    }

    /// What is drawn, or what is drawn while the view moves.
    pub fn item(&self, moving: bool) -> Option<&FacetsItem> {
        self.made.as_ref().map(|[fine, coarse]| if moving { &coarse.1 } else { &fine.1 })
    }

    /// Centroid and deviation of a facet of what is drawn in full.
    pub fn at(&self, facet: usize) -> Option<(Point, Option<f64>)> {
        match &self.made.as_ref()?[0].0 {
            DeviationMap::Facets { nominal, values, .. } => {
                let deviation = values.get(facet)?;
                Some((triangle::centroid(&nominal.corners(facet)), deviation.value()))
            }
            DeviationMap::Points(_) => None,
        }
    }

    pub fn is_mapping(&self) -> bool {
        self.mapping.is_some()
    }
}

/// The facets of a map with their deviations on the GPU; `None` if it is of points.
pub(super) fn item(gpu: &Gpu, map: &DeviationMap) -> Option<FacetsItem> {
    let DeviationMap::Facets { nominal, values, .. } = map else { return None };
    let item = FacetsItem::with_values(gpu, nominal, |index| values.get(index).and_then(FacetDeviation::value));
    Some(item)
}

impl Drop for NominalDeviations {
    fn drop(&mut self) {
        if let Some(mapping) = &self.mapping {
            mapping.cancel();
        }
    }
}
