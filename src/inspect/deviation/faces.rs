//! For the facet methods: which face of the nominal each scan point belongs to, and the resolution of the facets.
//!
//! The search cylinder of a facet extends past the edges of its face, where points of an adjacent wall may lie anywhere
//! along its height. These belong to the wall, as they are closest to it, and are not averaged into the facet.

use rayon::prelude::*;

use compute::point_deviation::{MatchState, PointDeviation};
use geometry::{Cloud, KdTree, OrderedPoints, Point, Pose, Surface, Vector};

/// Maximum angle between a facet and the facet closest to a point for the point to count, rad.
pub(super) const SAME_FACE_RAD: f64 = std::f64::consts::FRAC_PI_4;
/// Minimum cosine between a facet normal and the direction to the sensor for the facet to be visible; below 0 to admit
/// grazing views, as the directions are coarse.
const MIN_VIEW_COSINE: f64 = -0.1;
/// Maximum number of points that the spacing is computed from.
const SPACING_POINTS: usize = 100_000;
/// Maximum edge length in point spacings: a handful of points per facet, and curved walls are nearly flat over it.
const EDGE_SPACINGS: f64 = 1.6;
/// Lateral radius of point-facet matching in point spacings.
const RADIUS_SPACINGS: f64 = 1.2;
/// Maximum number of facets with the default edge length.
const MAX_FACETS: f64 = 2e6;

/// By point index: unit normal of the nominal at the closest point, scan frame; zero for points without a match and for
/// facets that face away from the sensor.
pub(super) fn directions(
    closest: &[PointDeviation],
    surface: &Surface,
    cloud: &Cloud,
    nominal_from_scan: &Pose,
) -> Vec<Vector> {
    let scan_from_nominal = nominal_from_scan.rotation.inverse();
    closest
        .par_iter()
        .enumerate()
        .map(|(i, point)| {
            if point.state != MatchState::Matched {
                return Vector::zeros();
            }
            let normal = scan_from_nominal * surface.mesh().normal(point.facet as usize);
            let is_behind = cloud.direction_to_sensor(i).is_some_and(|sensor| sensor.dot(&normal) < MIN_VIEW_COSINE);
            if is_behind { Vector::zeros() } else { normal }
        })
        .collect()
}

/// Point spacing of a scan, mm (90th percentile).
pub(crate) fn spacing_mm(points: &OrderedPoints) -> f64 {
    let stride = points.points.len().div_ceil(SPACING_POINTS).max(1);
    let kept: Vec<Point> = points.points.iter().step_by(stride).copied().collect();
    super::coverage::spacing_mm(&KdTree::new(&kept), &kept, &kept) / (stride as f64).sqrt()
}

/// Default maximum edge length of the facets of a nominal of `area_mm2`, mm.
pub(super) fn max_edge_mm(spacing_mm: f64, area_mm2: f64) -> f64 {
    (EDGE_SPACINGS * spacing_mm).max(edge_of_facets_mm(area_mm2, MAX_FACETS))
}

/// Maximum edge length that refines `area_mm2` to about `facets`, mm.
pub(super) fn edge_of_facets_mm(area_mm2: f64, facets: f64) -> f64 {
    // Refined facets have an area of about a third of the squared maximum edge.
    (area_mm2 / (0.33 * facets)).sqrt()
}

/// Default lateral radius of point-facet matching, mm.
pub(super) fn radius_mm(spacing_mm: f64) -> f64 {
    RADIUS_SPACINGS * spacing_mm
}

/// The radius that covers facets of this maximum edge length as the defaults cover each other, mm.
pub(super) fn radius_of_edge_mm(max_edge_mm: f64) -> f64 {
    RADIUS_SPACINGS / EDGE_SPACINGS * max_edge_mm
}
