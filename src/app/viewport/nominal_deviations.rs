//! Deviations of points shown on the nominal: mapped to its facets, and these uploaded, on another thread once they are
//! wanted there.

use std::sync::Arc;

use super::same;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Point, triangle};
use inspect::deviation::{DeviationMap, Measurement, on_nominal};
use inspect::parts::{Actual, Nominal};
use render::{FacetsItem, Gpu};
use session::jobs::Job;

/// The deviations of a measurement of points on the facets of its nominal, as far as they are made.
#[derive(Default)]
pub(super) struct NominalDeviations {
    measurement: Option<Arc<Measurement>>,
    mapping: Option<Job<Made>>,
    /// Whether they were asked for; what failed is not tried again.
    is_begun: bool,
    made: Option<Made>,
    /// Why they are not made.
    error: Option<String>,
}

/// A map that is uploaded.
struct Made {
    map: DeviationMap,
    item: FacetsItem,
    /// Of a coarser map, to draw while the view moves, where all facets are too many for that.
    coarse: Option<FacetsItem>,
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
            let (gpu, budgets) = (gpu.clone(), [gpu.elements_per_frame(), gpu.moving_facets()]);
            let work = move |progress: &Progress| {
                let (map, coarse) = maps(backend.as_ref(), (&*nominal, &*actual), &measurement, budgets, progress)?;
                // Here rather than by the window, which millions of facets would hold up for a frame.
                let upload = |map: &DeviationMap| {
                    report::pictures::facets_of(&gpu, map)
                        .ok_or_else(|| UserError::internal("The deviations were mapped to no facets."))
                };
                Ok(Made { item: upload(&map)?, coarse: coarse.as_ref().map(upload).transpose()?, map })
            };
            let label = "Mapping deviations onto the nominal";
            self.mapping = Some(Job::start_aside(label, move || context.request_repaint(), work));
        }
        if let Some(mapped) = self.mapping.as_ref().and_then(Job::poll) {
            self.mapping = None;
            match mapped {
                Ok(made) => self.made = Some(made),
                // They stay on the scan.
                Err(error) => {
                    log::warn!("The deviations are not on the nominal: {error}");
                    self.error = Some(error.sentence);
                }
            }
        }
    }

    /// Why they are not on the nominal, in English; `None` if nothing failed.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// What is drawn, or what is drawn while the view moves.
    pub fn item(&self, moving: bool) -> Option<&FacetsItem> {
        let made = self.made.as_ref()?;
        Some(made.coarse.as_ref().filter(|_| moving).unwrap_or(&made.item))
    }

    /// Centroid and deviation of a facet of what is drawn in full.
    pub fn at(&self, facet: usize) -> Option<(Point, Option<f64>)> {
        match &self.made.as_ref()?.map {
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

/// The deviations on the facets of the nominal, as many as are drawn at rest; and coarser ones, if these are more than are
/// drawn while the view moves. `budgets`: numbers of facets of both.
fn maps(
    backend: &dyn Backend,
    parts: (&Nominal, &Actual),
    measurement: &Measurement,
    budgets: [usize; 2],
    progress: &Progress,
) -> Result<(DeviationMap, Option<DeviationMap>)> {
    let map = |budget, part: Progress| on_nominal(backend, parts, measurement, budget, &part);
    let fine = map(budgets[0], progress.part(0.0, 0.7))?;
    let coarse = (facet_count(&fine) > budgets[1]).then(|| map(budgets[1], progress.part(0.7, 1.0)));
    Ok((fine, coarse.transpose()?))
}

fn facet_count(map: &DeviationMap) -> usize {
    match map {
        DeviationMap::Facets { values, .. } => values.len(),
        DeviationMap::Points(_) => 0,
    }
}

impl Drop for NominalDeviations {
    fn drop(&mut self) {
        if let Some(mapping) = &self.mapping {
            mapping.cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Cloud, Pose, Surface};
    use inspect::deviation::{Parameters, measurement};

    #[test]
    fn a_coarser_map_is_made_only_if_a_moving_view_needs_one() {
        let block = shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 10.0));
        let nominal = Nominal::in_memory("block", Surface::new(block));
        let points = (0..1200).map(|i| Point::new(f64::from(i % 40) + 0.5, f64::from(i / 40) + 0.5, 10.1)).collect();
        let actual = Actual::in_memory("top", Cloud::from_points(points));
        let (parameters, silent) = (Parameters::default(), Progress::silent());
        let measurement = measurement::run(&Cpu, &nominal, &actual, &Pose::identity(), &parameters, &silent).unwrap();
        let counts = |budgets| {
            let (fine, coarse) = maps(&Cpu, (&nominal, &actual), &measurement, budgets, &silent).unwrap();
            (facet_count(&fine), coarse.as_ref().map(facet_count))
        };
        // The spacing of the points allows for no more facets than a moving view draws.
        let (all, coarse) = counts([60_000, 30_000]);
        assert!(all > 1000 && coarse.is_none(), "{all} {coarse:?}");
        let (fine, coarse) = counts([60_000, 500]);
        assert!(fine == all && coarse.is_some_and(|coarse| coarse < fine / 2), "{fine} {coarse:?}");
    }
}
