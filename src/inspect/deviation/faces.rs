//! Which face of the nominal each scan point belongs to, and how finely faces are divided: for matching over facets.
//!
//! The cylinder over a facet reaches past the edges of its face, where points of the neighbouring wall lie as deep as the
//! cylinder is high. They belong to the wall, since they are closest to it, and are not averaged into the facet.

use rayon::prelude::*;

use compute::point_deviation::{MatchState, PointDeviation};
use geometry::{Cloud, KdTree, OrderedPoints, Point, Pose, Surface, Vector};

/// A facet takes points whose closest place on the nominal leans from it by no more than this.
pub(super) const SAME_FACE_RAD: f64 = std::f64::consts::FRAC_PI_4;
/// Cosine beyond which a sensor cannot have seen a face: grazing views are let through, as directions are coarse.
const BEHIND: f64 = -0.1;
/// Points that the spacing is read from.
const SPACING_POINTS: usize = 100_000;
/// Longest edge over point spacing, and lateral radius: a handful of points counts for each facet, and curved walls are
/// flat over so little.
const EDGE_OVER_SPACING: f64 = 2.0;
const RADIUS_OVER_SPACING: f64 = 1.2;
/// Most facets that are made unasked.
const MOST_FACETS: f64 = 2e6;

/// By point number, the normal of the nominal where the point is closest to it, scan frame; zero for points that are
/// too far, face another way, or lie on a face that the sensor had behind it.
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
            let is_behind = cloud.direction_to_sensor(i).is_some_and(|sensor| sensor.dot(&normal) < BEHIND);
            if is_behind { Vector::zeros() } else { normal }
        })
        .collect()
}

/// Distance between neighbouring points of a scan, mm.
pub(super) fn spacing_mm(points: &OrderedPoints) -> f64 {
    let stride = points.points.len().div_ceil(SPACING_POINTS).max(1);
    let kept: Vec<Point> = points.points.iter().step_by(stride).copied().collect();
    super::coverage::spacing_mm(&KdTree::new(&kept), &kept) / (stride as f64).sqrt()
}

/// The longest edge that facets of a nominal of `area_mm2` are divided to unless the user says otherwise, mm.
pub(super) fn max_edge_mm(spacing_mm: f64, area_mm2: f64) -> f64 {
    // Halving edges leaves facets of about a fifth of the square of the longest.
    let finest_mm = (area_mm2 / (0.2 * MOST_FACETS)).sqrt();
    (EDGE_OVER_SPACING * spacing_mm).max(finest_mm)
}

/// The lateral radius of point-facet matching unless the user says otherwise, mm.
pub(super) fn radius_mm(spacing_mm: f64) -> f64 {
    RADIUS_OVER_SPACING * spacing_mm
}
