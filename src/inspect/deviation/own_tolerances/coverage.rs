//! How much of the faces of each own tolerance was measured: by the points on these faces alone, so that faces beside them
//! that lie flush do not count.

use rayon::prelude::*;

use super::super::DeviationMap;
use super::super::coverage::{Footprint, closest_point_on_facet, every_along_curve, is_covered, reach_mm};
use super::Measured;
use geometry::kd_tree::Neighbours;
use geometry::{Point, sampling, triangle};

/// Number of samples on the faces of an own tolerance.
const SAMPLES: usize = 1000;
/// Minimum number, where there are many own tolerances.
const MIN_SAMPLES: usize = 250;
/// Number of samples of all own tolerances above which each has fewer.
const MANY_SAMPLES: usize = 500_000;
/// Maximum number of points of an own tolerance; of more, every n-th is used.
const MAX_POINTS: usize = 100_000;

/// By own tolerance: share of the area of its faces with data, 0 to 1; 0 if it has no faces. `facets` are those on which
/// each holds, and `points` the compared points there.
pub(super) fn fractions(measured: &Measured<'_>, facets: &[Vec<u32>], points: &[Vec<u32>]) -> Vec<f64> {
    match measured.map {
        DeviationMap::Points(_) => {
            let count = (MANY_SAMPLES / facets.len().max(1)).clamp(MIN_SAMPLES, SAMPLES);
            facets.par_iter().zip(points).map(|(facets, points)| of_points(measured, facets, points, count)).collect()
        }
        DeviationMap::Facets { nominal, parents, values, .. } => {
            let mut areas_mm2 = vec![[0.0; 2]; facets.len()];
            for ((facet, &parent), value) in parents.iter().enumerate().zip(values.iter()) {
                let Some(own) = measured.limits.own_on(parent) else { continue };
                let area_mm2 = triangle::area_vector(&nominal.corners(facet)).norm();
                areas_mm2[own][0] += area_mm2;
                areas_mm2[own][1] += if value.value().is_some() { area_mm2 } else { 0.0 };
            }
            areas_mm2.into_iter().map(|[all, with_data]| if all > 0.0 { with_data / all } else { 0.0 }).collect()
        }
    }
}

fn of_points(measured: &Measured<'_>, facets: &[u32], points: &[u32], count: usize) -> f64 {
    let Measured { surface, compared, .. } = *measured;
    let stride = points.len().div_ceil(MAX_POINTS).max(1);
    let chosen = every_along_curve(points.to_vec(), measured.points, stride);
    let kept: Vec<u32> = chosen.iter().map(|&index| compared[index as usize].facet).collect();
    let foot = |(&index, &facet): (&u32, &u32)| -> Point {
        closest_point_on_facet(surface, &(measured.nominal_from_scan * measured.points[index as usize]), facet)
    };
    let feet = chosen.iter().zip(&kept).map(foot).collect::<Vec<_>>();
    let reach_mm = reach_mm(measured.spacing_mm * (stride as f64).sqrt(), surface);
    let footprint = Footprint::of_feet(kept, &feet, measured.spacing_mm, reach_mm);
    let samples = sampling::of_facets(surface.mesh(), facets, count, 0);
    let mut neighbours = Neighbours::default();
    let covered = samples.iter().filter(|sample| is_covered(sample, surface, &footprint, &mut neighbours)).count();
    covered as f64 / samples.len().max(1) as f64
}
