//! Deviation of a scan from its nominal: the deviation map, its statistics, regions out of tolerance, coverage of the
//! nominal, and the verdict.

pub mod check;
mod colours;
pub mod coverage;
mod directional;
pub(crate) mod faces;
pub mod histogram;
pub mod judgement;
mod map;
pub mod measurement;
pub mod noise;
mod on_nominal;
pub mod overlaps;
pub mod own_scale;
pub mod own_tolerances;
mod parameters;
pub mod part_match;
mod planar;
mod recipe;
pub mod regions;
pub mod resolution;
mod sight;
pub mod statistics;
#[cfg(test)]
mod tessellations;
pub mod tolerance;
pub mod trials;

use std::cell::LazyCell;
use std::sync::Arc;

use rayon::prelude::*;

pub use crate::parts::Scan;
pub use crate::verdict::Verdict;
use base::{Progress, Result, UserError};
pub use check::Check;
pub use colours::Colours;
use compute::facet_facet_matching;
use compute::point_deviation::{self, MatchState, PointDeviation};
use compute::{Backend, Compute};
pub use coverage::Coverage;
use geometry::{OrderedPoints, Pose, Surface, Vector, refine};
pub use judgement::Judgement;
pub use map::{DeviationMap, Deviations, DistantPoints, Excluded};
pub use measurement::Measurement;
pub use noise::ScanNoise;
pub use on_nominal::on_nominal;
pub use own_scale::OwnScale;
pub use own_tolerances::{FaceResult, FaceTolerance, Limits};
pub use parameters::{DEFAULT_MIN_COVERAGE, Method, OutlierLimit, Parameters};
pub use part_match::PartMatch;
pub use recipe::ComparisonRecipe;
pub use resolution::Resolution;
pub use statistics::Statistics;
pub use tolerance::Tolerance;

/// Signed deviation of every point of `scan` from the closest point of `surface`, whatever the method of `parameters`.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn closest(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Vec<PointDeviation>> {
    // Angles are compared only if the file has normals.
    let normals: Vec<Vector> = scan.cloud.normals.iter().map(|n| geometry::cloud::vector(*n)).collect();
    let deviations = backend.compute(
        &point_deviation::Request {
            surface,
            points: scan.ordered,
            normals: &normals,
            oriented: scan.oriented,
            nominal_from_scan,
            max_distance_mm: parameters.effective_max_distance_mm(),
            max_angle_rad: parameters.max_angle_deg.to_radians(),
        },
        progress,
    )?;
    Ok(overlaps::without_open_signs(surface, scan.ordered, nominal_from_scan, deviations))
}

/// Measures the points that [`closest`] excluded as too far, without a maximum distance.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn beyond(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    closest: &[PointDeviation],
    progress: &Progress,
) -> Result<DistantPoints> {
    let is_far = |index: &u32| closest[*index as usize].state == MatchState::TooFar;
    let far: Vec<u32> = scan.ordered.numbers.par_iter().copied().filter(is_far).collect();
    if far.is_empty() {
        return Ok(DistantPoints::default());
    }
    // In the scan's order along the curve, so that the points need not be sorted again.
    let points = OrderedPoints {
        points: far.par_iter().map(|&index| scan.cloud.points[index as usize]).collect(),
        numbers: (0..far.len() as u32).collect(),
    };
    let normals: Vec<Vector> = match scan.cloud.normals.is_empty() {
        true => Vec::new(),
        false => far.iter().map(|&i| geometry::cloud::vector(scan.cloud.normals[i as usize])).collect(),
    };
    let deviations = backend.compute(
        &point_deviation::Request {
            surface,
            points: &points,
            normals: &normals,
            oriented: scan.oriented,
            nominal_from_scan,
            max_distance_mm: f64::INFINITY,
            max_angle_rad: parameters.max_angle_deg.to_radians(),
        },
        progress,
    )?;
    let deviations = overlaps::without_open_signs(surface, &points, nominal_from_scan, deviations);
    let mut found: Vec<(u32, PointDeviation)> =
        far.into_iter().zip(deviations).filter(|(_, deviation)| deviation.value().is_some()).collect();
    found.par_sort_unstable_by_key(|(index, _)| *index);
    let (indices, deviations) = found.into_iter().unzip();
    Ok(DistantPoints { indices, deviations })
}

/// Measures the deviations of `scan` from `surface`.
///
/// Returns an error if a parameter is out of range, if facet-facet matching lacks facets of the scan, and if the
/// backend fails or the work is cancelled.
pub fn measure(
    backend: &dyn Backend,
    surface: &Surface,
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Deviations> {
    parameters.check()?;
    let max_angle_rad = parameters.max_angle_deg.to_radians();
    let of_points = closest(backend, surface, scan, nominal_from_scan, parameters, progress)?;
    if let Some(direction) = parameters.effective_direction() {
        let max_distance_mm = parameters.effective_max_distance_mm();
        let closest = &of_points;
        let in_plane = parameters.is_in_plane();
        let request =
            directional::Request { surface, scan, nominal_from_scan, direction, in_plane, max_distance_mm, closest };
        let map = DeviationMap::Points(request.measure(progress)?);
        return Ok(Deviations { map, of_points: Some(of_points) });
    }
    if parameters.method == Method::Closest {
        return Ok(Deviations { map: DeviationMap::Points(of_points), of_points: None });
    }
    let spacing_mm = LazyCell::new(|| faces::spacing_mm(scan.ordered));
    let max_edge_mm =
        parameters.max_edge_mm.unwrap_or_else(|| faces::max_edge_mm(*spacing_mm, surface.mesh().area_mm2()));
    let (nominal, parents) = refine::to_max_edge(surface.mesh(), max_edge_mm, progress)?;
    let nominal = Arc::new(nominal);
    let values = if parameters.method == Method::PointFacet {
        let radius_mm = parameters.radius_mm.unwrap_or_else(|| faces::radius_mm(*spacing_mm));
        on_nominal::matched(
            backend,
            (surface, &nominal),
            scan,
            nominal_from_scan,
            parameters,
            &of_points,
            radius_mm,
            progress,
        )?
    } else {
        let Some(facets) = scan.facets else {
            return Err(UserError::input(
                "Facet-facet matching needs a scan with facets: a mesh file, or an organised snapshot that can be \
                 meshed. Use the closest-point or the point-facet method for a plain point cloud.",
            ));
        };
        backend.compute(
            &facet_facet_matching::Request {
                nominal: &nominal,
                scan: facets,
                nominal_from_scan,
                max_distance_mm: parameters.effective_max_distance_mm(),
                max_angle_rad,
            },
            progress,
        )?
    };
    let map = DeviationMap::Facets { nominal, parents, values, max_edge_mm };
    Ok(Deviations { map, of_points: Some(of_points) })
}
