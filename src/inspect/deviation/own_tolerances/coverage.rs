//! How much of the faces of each own tolerance was measured.

use rayon::prelude::*;

use super::super::DeviationMap;
use super::super::coverage::{Footprint, is_covered};
use super::Limits;
use geometry::kd_tree::Neighbours;
use geometry::{Surface, sampling, triangle};

/// Number of samples on the faces of an own tolerance.
const SAMPLES: usize = 1000;
/// Minimum number, where there are many own tolerances.
const MIN_SAMPLES: usize = 100;
/// Number of samples of all own tolerances above which each has fewer.
const MANY_SAMPLES: usize = 200_000;

/// By own tolerance: share of the area of its faces with data, 0 to 1; 0 if it has no faces. `facets` are those on which
/// each holds.
pub(super) fn fractions(
    limits: &Limits,
    facets: &[Vec<u32>],
    map: &DeviationMap,
    surface: &Surface,
    footprint: &Footprint,
) -> Vec<f64> {
    match map {
        DeviationMap::Points(_) => {
            let count = (MANY_SAMPLES / facets.len().max(1)).clamp(MIN_SAMPLES, SAMPLES);
            facets.par_iter().map(|own| of_points(own, count, surface, footprint)).collect()
        }
        DeviationMap::Facets { nominal, parents, values, .. } => {
            let mut areas_mm2 = vec![[0.0; 2]; facets.len()];
            for ((facet, &parent), value) in parents.iter().enumerate().zip(values.iter()) {
                let Some(own) = limits.own_on(parent) else { continue };
                let area_mm2 = triangle::area_vector(&nominal.corners(facet)).norm();
                areas_mm2[own][0] += area_mm2;
                areas_mm2[own][1] += if value.value().is_some() { area_mm2 } else { 0.0 };
            }
            areas_mm2.into_iter().map(|[all, with_data]| if all > 0.0 { with_data / all } else { 0.0 }).collect()
        }
    }
}

fn of_points(facets: &[u32], count: usize, surface: &Surface, footprint: &Footprint) -> f64 {
    let samples = sampling::of_facets(surface.mesh(), facets, count, 0);
    let mut neighbours = Neighbours::default();
    let covered = samples.iter().filter(|sample| is_covered(sample, surface, footprint, &mut neighbours)).count();
    covered as f64 / samples.len().max(1) as f64
}
