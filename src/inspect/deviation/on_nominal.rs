//! Deviations of scan points on facets of the nominal: measured so by point-facet matching, or shown so of points that were
//! measured each by itself.

use std::sync::Arc;

use super::{DeviationMap, Measurement, Parameters, Scan, directional, faces};
use crate::parts::{Actual, Nominal};
use base::{Progress, Result};
use compute::point_deviation::PointDeviation;
use compute::point_facet_matching::{self, FacetDeviation};
use compute::{Backend, Compute};
use geometry::{Mesh, Pose, SearchablePoints, Surface, refine};

/// Shows the deviations of points in `measurement` on the facets of the nominal, refined to about `max_facets`: the mean
/// of the points over each, none where there are no points. They are for the eye; figures stay those of the points.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn on_nominal(
    backend: &dyn Backend,
    (nominal, actual): (&Nominal, &Actual),
    measurement: &Measurement,
    max_facets: usize,
    progress: &Progress,
) -> Result<DeviationMap> {
    let (surface, scan) = (&nominal.surface, actual.scan());
    let area_mm2 = surface.mesh().area_mm2();
    let coarse_mm = faces::edge_of_facets_mm(area_mm2, max_facets as f64);
    let max_edge_mm = faces::max_edge_mm(faces::spacing_mm(scan.ordered), area_mm2).max(coarse_mm);
    let (refined, parents) = refine::to_max_edge(surface.mesh(), max_edge_mm, progress)?;
    let refined = Arc::new(refined);
    let (pose, parameters) = (&measurement.nominal_from_scan, &measurement.parameters);
    let of_points = measurement.measured.closest();
    let radius_mm = faces::radius_of_edge_mm(max_edge_mm);
    let mut values = matched(backend, (surface, &refined), &scan, pose, parameters, of_points, radius_mm, progress)?;
    if let Some(direction) = parameters.effective_direction() {
        // A facet that lies off by so much along its normal lies off by more along the direction, or perpendicular to it.
        for (facet, value) in values.iter_mut().enumerate() {
            let normal = refined.normal(facet);
            let cosine =
                if parameters.is_in_plane() { normal.cross(&direction).norm() } else { normal.dot(&direction).abs() };
            let deviation_mm = value.deviation_mm / cosine;
            let is_seen = cosine >= directional::MIN_COSINE;
            *value = match is_seen && deviation_mm.abs() <= parameters.effective_max_distance_mm() {
                true => FacetDeviation { deviation_mm, ..*value },
                false => FacetDeviation::default(),
            };
        }
    }
    Ok(DeviationMap::Facets { nominal: refined, parents, values, max_edge_mm })
}

/// The mean deviation over each facet of `refined`, a refinement of the mesh of `surface`, of the points within `radius_mm`
/// beside it that belong to the same face; `of_points` are their deviations from `surface`.
pub(super) fn matched(
    backend: &dyn Backend,
    (surface, refined): (&Surface, &Mesh),
    scan: &Scan<'_>,
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    of_points: &[PointDeviation],
    radius_mm: f64,
    progress: &Progress,
) -> Result<Vec<FacetDeviation>> {
    backend.compute(
        &point_facet_matching::Request {
            nominal: refined,
            points: &SearchablePoints::new(&scan.cloud.points),
            directions: &faces::directions(of_points, surface, scan.cloud, nominal_from_scan),
            nominal_from_scan,
            radius_mm: Some(radius_mm),
            max_distance_mm: parameters.effective_max_distance_mm(),
            max_angle_rad: parameters.max_angle_deg.to_radians().min(faces::SAME_FACE_RAD),
        },
        progress,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::deviation::measurement;
    use compute::cpu::Cpu;
    use geometry::mesh::shapes;
    use geometry::{Cloud, Point, triangle};

    #[test]
    fn facets_have_the_mean_of_the_points_over_them_and_none_elsewhere() {
        let nominal =
            Nominal::in_memory("block", Surface::new(shapes::cuboid(Point::origin(), Point::new(40.0, 30.0, 10.0))));
        // The top is 0.1 mm too high, and measured where x is below 20 mm.
        let points = (0..80).flat_map(|i| (0..120).map(move |j| (f64::from(i), f64::from(j))));
        let points: Vec<Point> = points.map(|(i, j)| Point::new(0.25 * i, 0.25 * j + 0.1, 10.1)).collect();
        let actual = Actual::in_memory("top", Cloud::from_points(points));
        let (parameters, pose) = (Parameters::default(), Pose::identity());
        let silent = Progress::silent();
        let measurement = measurement::run(&Cpu, &nominal, &actual, &pose, &parameters, &silent).unwrap();
        for max_facets in [100_000, 2_000] {
            let map = on_nominal(&Cpu, (&nominal, &actual), &measurement, max_facets, &silent).unwrap();
            let DeviationMap::Facets { nominal: refined, values, max_edge_mm, .. } = &map else { panic!("of points") };
            let (mut with, mut without) = (0, 0);
            for (facet, value) in values.iter().enumerate() {
                let at = triangle::centroid(&refined.corners(facet));
                let is_measured = at.z > 9.999 && at.x < 19.5 - max_edge_mm && (1.0..29.0).contains(&at.y);
                let is_beside = at.z < 9.9 || at.x > 20.0 + max_edge_mm;
                if is_measured {
                    with += 1;
                    assert!((value.value().unwrap() - 0.1).abs() < 1e-9, "{at} {value:?}");
                } else if is_beside {
                    without += 1;
                    assert_eq!(value.value(), None, "{at}");
                }
            }
            assert!(with > 100 && without > 100 && values.len() < 2 * max_facets, "{with} {without} {}", values.len());
        }
    }
}
