//! Coverage: how much of the nominal's surface was measured, and which regions were not.
//!
//! The surface is sampled evenly by area; a sample is covered if a compared point lies within reach of it on the same
//! side. The reach follows the scan's own point spacing, but never exceeds a fiftieth of the part's diagonal: a handful
//! of points does not cover the surface between them.

use nalgebra::Unit;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::DeviationMap;
use compute::point_deviation::PointDeviation;
use geometry::kd_tree::Neighbours;
use geometry::sampling::{self, SurfaceSample};
use geometry::{Aabb, DisjointSets, KdTree, OrderedPoints, Point, Pose, Surface, Vector, draw, triangle};

/// Number of samples of the nominal's surface.
const SURFACE_SAMPLES: usize = 40_000;
/// Maximum number of compared points in a footprint; of more, every n-th is used.
const MAX_FOOTPRINT_POINTS: usize = 200_000;
/// Maximum number of points that the spacing is computed from.
const SPACING_POINTS: usize = 20_000;
/// Reach in point spacings: a uniform random scatter of points leaves a larger gap with a probability below 1e-5.
const REACH_SPACINGS: f64 = 2.0;
/// Maximum reach as a share of the part's diagonal.
const MAX_REACH: f64 = 0.02;
/// Minimum cosine between the normals of a sample and of the facet that a point was compared with.
const MIN_NORMAL_COSINE: f64 = 0.5;
/// Maximum distance of adjacent samples of an unmeasured region, in sample spacings.
const LINK_SPACINGS: f64 = 2.0;
/// Minimum area of an unmeasured region to be listed, as a share of the surface.
pub const MIN_LISTED_FRACTION: f64 = 0.002;

/// A connected region of the nominal's surface without data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnmeasuredRegion {
    /// Centroid, nominal frame, mm.
    pub centre_mm: [f64; 3],
    /// Area, mm².
    pub area_mm2: f64,
    /// Half the diagonal of its bounding box, mm.
    pub radius_mm: f64,
    /// Share of its area in view of the sensor, 0 to 1; `None` if the scan has no directions to the sensor.
    pub in_view_fraction: Option<f64>,
}

/// Coverage of the nominal's surface.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Share of the nominal's surface with data, 0 to 1.
    pub fraction: f64,
    /// Share of the surface in view of the sensor that has data; `None` if the scan has no directions to the sensor.
    pub in_view_fraction: Option<f64>,
    /// Area of the nominal, mm².
    pub nominal_area_mm2: f64,
    /// Spacing of the compared points, mm (90th percentile).
    pub spacing_mm: f64,
    /// Radius of the surface that a point covers, mm.
    pub reach_mm: f64,
    /// Unmeasured regions of at least [`MIN_LISTED_FRACTION`] of the surface, largest first.
    pub unmeasured: Vec<UnmeasuredRegion>,
    /// Surface samples of those regions for display, nominal frame, mm.
    #[serde(skip)]
    pub unmeasured_points: Vec<Point>,
}

/// The compared points projected onto the nominal: closest point of the surface and its facet for each.
#[derive(Debug)]
pub struct Footprint {
    facets: Vec<u32>,
    tree: KdTree,
    /// Spacing of all compared points, not only of those kept here.
    spacing_mm: f64,
    reach_mm: f64,
}

impl Footprint {
    /// Footprint of the points with a deviation; `points` in the scan frame.
    pub fn new(deviations: &[PointDeviation], surface: &Surface, points: &[Point], nominal_from_scan: &Pose) -> Self {
        let matched: Vec<u32> = (0..deviations.len().min(points.len()) as u32)
            .into_par_iter()
            .filter(|&i| deviations[i as usize].value().is_some())
            .collect();
        let stride = matched.len().div_ceil(MAX_FOOTPRINT_POINTS).max(1);
        let chosen: Vec<u32> = every_along_curve(matched, points, stride);
        let facets: Vec<u32> = chosen.iter().map(|&i| deviations[i as usize].facet).collect();
        let projected: Vec<Point> = chosen
            .par_iter()
            .zip(&facets)
            .map(|(&i, &facet)| closest_point_on_facet(surface, &(nominal_from_scan * points[i as usize]), facet))
            .collect();
        let tree = KdTree::new(&projected);
        let kept_spacing_mm = spacing_mm(&tree, &projected);
        let spacing_mm = kept_spacing_mm / (stride as f64).sqrt();
        Self { facets, tree, spacing_mm, reach_mm: reach_mm(kept_spacing_mm, surface) }
    }

    /// Footprint of points whose closest points, `feet`, lie on `facets`; each covers the surface within `reach_mm`.
    pub(super) fn of_feet(facets: Vec<u32>, feet: &[Point], spacing_mm: f64, reach_mm: f64) -> Self {
        Self { facets, tree: KdTree::new(feet), spacing_mm, reach_mm }
    }

    /// Memory in use, bytes.
    pub fn bytes(&self) -> u64 {
        // Per point: facet, coordinates and share of the tree.
        (self.facets.len() * 48) as u64
    }

    /// Spacing of the compared points, mm.
    pub fn spacing_mm(&self) -> f64 {
        self.spacing_mm
    }

    /// Whether a compared point lies within reach of `point` on a facet whose normal has a cosine above `min_cosine`
    /// with `direction` (unit length).
    pub fn covers(
        &self,
        surface: &Surface,
        point: &Point,
        direction: &Vector,
        min_cosine: f64,
        neighbours: &mut Neighbours,
    ) -> bool {
        // The nearest four nearly always suffice; more are checked if these lie on another side.
        for k in [4, 64] {
            self.tree.k_nearest(point, k, self.reach_mm, neighbours);
            let is_facing = |facet: u32| surface.mesh().normal(facet as usize).dot(direction) > min_cosine;
            if neighbours.found.iter().any(|near| is_facing(self.facets[near.number as usize])) {
                return true;
            }
            if neighbours.found.len() < k {
                return false;
            }
        }
        false
    }
}

/// Radius of the surface that a point covers, mm, where points have this spacing.
pub(super) fn reach_mm(spacing_mm: f64, surface: &Surface) -> f64 {
    (REACH_SPACINGS * spacing_mm).min(MAX_REACH * surface.bounds().diagonal())
}

/// The closest point of `facet` to `point`.
pub fn closest_point_on_facet(surface: &Surface, point: &Point, facet: u32) -> Point {
    triangle::closest_point(point, &surface.mesh().corners(facet as usize)).0
}

/// Every `stride`-th of some points along a curve: evenly spread, in whatever order a file holds them.
pub(super) fn every_along_curve(indices: Vec<u32>, points: &[Point], stride: usize) -> Vec<u32> {
    if stride <= 1 {
        return indices;
    }
    let positions: Vec<Point> = indices.iter().map(|&index| points[index as usize]).collect();
    OrderedPoints::new(&positions).numbers.iter().step_by(stride).map(|&own| indices[own as usize]).collect()
}

/// 90th percentile of the point spacing, mm.
pub(super) fn spacing_mm(tree: &KdTree, points: &[Point]) -> f64 {
    spacing_percentile_mm(tree, points, 90)
}

/// A percentile of the point spacing, mm, from the local density at each point; 0 without points.
pub(crate) fn spacing_percentile_mm(tree: &KdTree, points: &[Point], percent: usize) -> f64 {
    let mut spacings: Vec<f64> = draw::sample(points, SPACING_POINTS)
        .into_par_iter()
        .map_init(Neighbours::default, |neighbours, index| tree.local_spacing_mm(&points[index as usize], neighbours))
        .collect();
    if spacings.is_empty() {
        return 0.0;
    }
    let rank = (spacings.len() * percent / 100).min(spacings.len() - 1);
    *spacings.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// Measures coverage. `directions` point from the nominal to the sensor, nominal frame, unit length; empty if unknown.
pub fn measure(map: &DeviationMap, surface: &Surface, footprint: &Footprint, directions: &[Vector]) -> Coverage {
    let samples: Vec<(SurfaceSample, bool)> = match map {
        DeviationMap::Points(_) => of_points(surface, footprint),
        DeviationMap::Facets { nominal, values, .. } => {
            let has_data = |sample: &SurfaceSample| values[sample.facet as usize].value().is_some();
            let samples = sampling::by_area(nominal, SURFACE_SAMPLES, 0).into_iter();
            samples.map(|sample| (sample, has_data(&sample))).collect()
        }
    };
    let nominal_area_mm2 = surface.mesh().area_mm2();
    let missing: Vec<SurfaceSample> =
        samples.iter().filter(|(_, covered)| !covered).map(|(sample, _)| *sample).collect();
    let total = samples.len().max(1);
    let in_view = in_view(surface, &missing, directions);
    let missing_in_view = in_view.iter().filter(|in_view| **in_view).count();
    let covered = total - missing.len().min(total);
    let share = |part: usize, whole: usize| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    let (unmeasured, unmeasured_points) = regions(&missing, &in_view, nominal_area_mm2, total);
    Coverage {
        fraction: share(covered, total),
        in_view_fraction: (!directions.is_empty()).then(|| share(covered, covered + missing_in_view)),
        nominal_area_mm2,
        spacing_mm: footprint.spacing_mm,
        reach_mm: footprint.reach_mm,
        unmeasured,
        unmeasured_points,
    }
}

fn of_points(surface: &Surface, footprint: &Footprint) -> Vec<(SurfaceSample, bool)> {
    sampling::by_area(surface.mesh(), SURFACE_SAMPLES, 0)
        .into_par_iter()
        .map_init(Neighbours::default, |neighbours, sample| {
            (sample, is_covered(&sample, surface, footprint, neighbours))
        })
        .collect()
}

/// Whether a compared point lies within reach of `sample` on the same side.
pub(super) fn is_covered(
    sample: &SurfaceSample,
    surface: &Surface,
    footprint: &Footprint,
    neighbours: &mut Neighbours,
) -> bool {
    footprint.covers(surface, &sample.point, &sample.normal, MIN_NORMAL_COSINE, neighbours)
}

/// For each sample, whether it is in view from one of the directions: its normal is within 75° of the direction, and
/// the part does not occlude it. Empty if there are no directions.
fn in_view(surface: &Surface, samples: &[SurfaceSample], directions: &[Vector]) -> Vec<bool> {
    const MIN_VIEW_COSINE: f64 = 0.26;
    if directions.is_empty() {
        return Vec::new();
    }
    let length_mm = 2.0 * surface.bounds().diagonal();
    let clearance_mm = 1e-4 * length_mm;
    samples
        .par_iter()
        .map(|sample| {
            directions.iter().filter(|direction| direction.dot(&sample.normal) > MIN_VIEW_COSINE).any(|direction| {
                let start = sample.point + sample.normal * clearance_mm;
                surface.first_hit(&start, direction, 0.0, length_mm).is_none()
            })
        })
        .collect()
}

/// The distinct directions among `to_sensor`, unit length: the mean direction of each cell of about ten degrees that
/// holds more than a hundredth of them, most frequent first, at most 32.
pub fn view_directions(to_sensor: impl Iterator<Item = Vector>) -> Vec<Vector> {
    let mut cells: std::collections::BTreeMap<[i8; 3], (usize, Vector)> = std::collections::BTreeMap::new();
    let mut total = 0;
    for direction in to_sensor {
        let cell = cells.entry((direction * 6.0).map(|c| c.round() as i8).into()).or_insert((0, Vector::zeros()));
        cell.0 += 1;
        cell.1 += direction;
        total += 1;
    }
    let mut kept: Vec<(usize, Vector)> = cells.into_values().filter(|(count, _)| count * 100 > total).collect();
    kept.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    kept.truncate(32);
    kept.into_iter().filter_map(|(_, sum)| Unit::try_new(sum, 1e-9).map(Unit::into_inner)).collect()
}

/// The unmeasured regions to list, largest first, and their samples.
fn regions(
    missing: &[SurfaceSample],
    in_view: &[bool],
    nominal_area_mm2: f64,
    total: usize,
) -> (Vec<UnmeasuredRegion>, Vec<Point>) {
    let area_mm2 = nominal_area_mm2 / total as f64;
    let points: Vec<Point> = missing.iter().map(|sample| sample.point).collect();
    let tree = KdTree::new(&points);
    let mut sets = DisjointSets::new(points.len());
    let link_mm = LINK_SPACINGS * area_mm2.sqrt();
    for (i, sample) in missing.iter().enumerate() {
        tree.within_radius(&sample.point, link_mm, |near| {
            // The two sides of a thin sheet are separate regions.
            if missing[near.number as usize].normal.dot(&sample.normal) > -MIN_NORMAL_COSINE {
                sets.join(i as u32, near.number);
            }
        });
    }
    let mut groups = sets.groups(0..points.len() as u32);
    groups.retain(|members| members.len() as f64 >= (MIN_LISTED_FRACTION * total as f64).max(8.0));
    let mut regions: Vec<UnmeasuredRegion> = groups
        .iter()
        .map(|members| {
            let bounds = Aabb::of_points(members.iter().map(|&i| &points[i as usize]));
            let sum: Vector = members.iter().map(|&i| points[i as usize].coords).sum();
            let visible = members.iter().filter(|&&i| in_view.get(i as usize) == Some(&true)).count();
            UnmeasuredRegion {
                centre_mm: (sum / members.len() as f64).into(),
                area_mm2: members.len() as f64 * area_mm2,
                radius_mm: 0.5 * bounds.diagonal(),
                in_view_fraction: (!in_view.is_empty()).then(|| visible as f64 / members.len() as f64),
            }
        })
        .collect();
    regions.sort_by(|a, b| b.area_mm2.total_cmp(&a.area_mm2));
    (regions, groups.into_iter().flatten().map(|i| points[i as usize]).collect())
}
