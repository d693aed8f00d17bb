//! How much of the nominal's surface a scan shows, and which parts of it were not measured.
//!
//! The surface is sampled evenly by area; a sample is measured where a compared point lies within reach of it on the
//! same side. The reach follows the scan's own point spacing, but never exceeds a fiftieth of the part: a handful of
//! points does not speak for the surface between them.

use nalgebra::Unit;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::DeviationMap;
use compute::point_deviation::PointDeviation;
use geometry::kd_tree::Neighbours;
use geometry::sampling::{self, SurfaceSample};
use geometry::{Aabb, DisjointSets, KdTree, Point, Pose, Surface, Vector, triangle};

/// Samples of the nominal's surface.
const SAMPLES: usize = 40_000;
/// Compared points that coverage is read from; of more, every n-th.
const FEET: usize = 200_000;
/// Points that the spacing is read from.
const SPACING_POINTS: usize = 20_000;
/// Reach over the spacing: beyond this an even scatter of points leaves a gap with a probability below 1e-5.
const REACH: f64 = 2.0;
/// Largest reach as a share of the part's diagonal.
const MAX_REACH: f64 = 0.02;
/// Cosine of the largest angle between the normals of a sample and of the facet that a point was compared with.
const SAME_SIDE: f64 = 0.5;
/// Samples within this many sample spacings of each other belong to one unmeasured region.
const LINK: f64 = 2.0;
/// Smallest unmeasured region that is listed, as a share of the surface.
pub const LISTED_FRACTION: f64 = 0.002;

/// A connected part of the nominal's surface without data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnmeasuredRegion {
    /// Its centre, nominal frame, mm.
    pub centre_mm: [f64; 3],
    /// Its area, mm².
    pub area_mm2: f64,
    /// Half the diagonal of its box, mm.
    pub radius_mm: f64,
    /// Share of it that is in view of the sensor from some direction of the scan; `None` where directions are unknown.
    pub in_view_fraction: Option<f64>,
}

/// How much of the nominal's surface has data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Coverage {
    /// Share of the nominal's surface with data, 0 to 1.
    pub fraction: f64,
    /// Share of what the sensor had in view; `None` where the scan does not say from where it was taken.
    pub in_view_fraction: Option<f64>,
    /// Area of the nominal, mm².
    pub nominal_area_mm2: f64,
    /// Distance between neighbouring compared points, mm (90th percentile).
    pub spacing_mm: f64,
    /// Distance within which a point speaks for the surface, mm.
    pub reach_mm: f64,
    /// Unmeasured regions of at least [`LISTED_FRACTION`] of the surface, largest first.
    pub unmeasured: Vec<UnmeasuredRegion>,
    /// Samples of those regions, nominal frame, mm: for drawing.
    #[serde(skip)]
    pub unmeasured_points: Vec<Point>,
}

/// The compared points on the nominal: for each the closest point of the surface and its facet.
#[derive(Debug)]
pub struct Footprint {
    facets: Vec<u32>,
    tree: KdTree,
    /// Of all compared points, not only of those kept here.
    spacing_mm: f64,
    reach_mm: f64,
}

impl Footprint {
    /// Of the points that `deviations` compare, `points` in the scan frame.
    pub fn new(deviations: &[PointDeviation], surface: &Surface, points: &[Point], nominal_from_scan: &Pose) -> Self {
        let matched: Vec<u32> = (0..deviations.len().min(points.len()) as u32)
            .into_par_iter()
            .filter(|&i| deviations[i as usize].value().is_some())
            .collect();
        let stride = matched.len().div_ceil(FEET).max(1);
        let chosen: Vec<u32> = matched.into_iter().step_by(stride).collect();
        let facets: Vec<u32> = chosen.iter().map(|&i| deviations[i as usize].facet).collect();
        let feet: Vec<Point> = chosen
            .par_iter()
            .zip(&facets)
            .map(|(&i, &facet)| foot(surface, &(nominal_from_scan * points[i as usize]), facet))
            .collect();
        let tree = KdTree::new(&feet);
        let kept_spacing_mm = spacing_mm(&tree, &feet);
        let spacing_mm = kept_spacing_mm / (stride as f64).sqrt();
        let reach_mm = (REACH * kept_spacing_mm).min(MAX_REACH * surface.bounds().diagonal());
        Self { facets, tree, spacing_mm, reach_mm }
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        // Of each point its facet, its coordinates and its share of the tree.
        (self.facets.len() * 48) as u64
    }

    /// Distance between neighbouring compared points, mm.
    pub fn spacing_mm(&self) -> f64 {
        self.spacing_mm
    }

    /// Whether a compared point lies within reach of `place` on a face whose normal has a cosine of at least
    /// `min_cosine` with `direction`.
    pub fn covers(
        &self,
        surface: &Surface,
        place: &Point,
        direction: &Vector,
        min_cosine: f64,
        neighbours: &mut Neighbours,
    ) -> bool {
        // The nearest decide nearly always; all within reach are asked where those lie on another side.
        for k in [4, 64] {
            self.tree.k_nearest(place, k, self.reach_mm, neighbours);
            let faces = |facet: u32| surface.mesh().normal(facet as usize).dot(direction) > min_cosine;
            if neighbours.found.iter().any(|near| faces(self.facets[near.number as usize])) {
                return true;
            }
            if neighbours.found.len() < k {
                return false;
            }
        }
        false
    }
}

/// The closest point of `facet` to `place`.
pub fn foot(surface: &Surface, place: &Point, facet: u32) -> Point {
    triangle::closest_point(place, &surface.mesh().corners(facet as usize)).0
}

/// Distance between neighbours where it is wide (90th percentile), mm, from the density about each point.
pub(super) fn spacing_mm(tree: &KdTree, feet: &[Point]) -> f64 {
    let stride = feet.len().div_ceil(SPACING_POINTS).max(1);
    let mut spacings: Vec<f64> = feet
        .par_iter()
        .step_by(stride)
        .map_init(Neighbours::default, |neighbours, foot| tree.spacing_about_mm(foot, neighbours))
        .collect();
    if spacings.is_empty() {
        return 0.0;
    }
    let place = (spacings.len() * 9 / 10).min(spacings.len() - 1);
    *spacings.select_nth_unstable_by(place, f64::total_cmp).1
}

/// Measures coverage. `directions` point from the nominal to where the sensor stood, nominal frame, unit length; empty
/// where unknown.
pub fn measure(map: &DeviationMap, surface: &Surface, footprint: &Footprint, directions: &[Vector]) -> Coverage {
    let samples: Vec<(SurfaceSample, bool)> = match map {
        DeviationMap::Points(_) => of_points(surface, footprint),
        DeviationMap::Facets { nominal, values, .. } => {
            let has_data = |sample: &SurfaceSample| values[sample.facet as usize].value().is_some();
            let samples = sampling::by_area(nominal, SAMPLES, 0).into_iter();
            samples.map(|sample| (sample, has_data(&sample))).collect()
        }
    };
    let nominal_area_mm2 = surface.mesh().area_mm2();
    let missing: Vec<SurfaceSample> =
        samples.iter().filter(|(_, covered)| !covered).map(|(sample, _)| *sample).collect();
    let total = samples.len().max(1);
    let in_view = in_view(surface, &missing, directions);
    let seen_missing = in_view.iter().filter(|seen| **seen).count();
    let covered = total - missing.len().min(total);
    let share = |part: usize, whole: usize| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    let (unmeasured, unmeasured_points) = regions(&missing, &in_view, nominal_area_mm2, total);
    Coverage {
        fraction: share(covered, total),
        in_view_fraction: (!directions.is_empty()).then(|| share(covered, covered + seen_missing)),
        nominal_area_mm2,
        spacing_mm: footprint.spacing_mm,
        reach_mm: footprint.reach_mm,
        unmeasured,
        unmeasured_points,
    }
}

fn of_points(surface: &Surface, footprint: &Footprint) -> Vec<(SurfaceSample, bool)> {
    sampling::by_area(surface.mesh(), SAMPLES, 0)
        .into_par_iter()
        .map_init(Neighbours::default, |neighbours, sample| {
            (sample, footprint.covers(surface, &sample.point, &sample.normal, SAME_SIDE, neighbours))
        })
        .collect()
}

/// For each sample, whether some direction of the scan sees it: it faces that way, less than 75° off, and the part
/// does not stand in the way. Empty where there are no directions.
fn in_view(surface: &Surface, samples: &[SurfaceSample], directions: &[Vector]) -> Vec<bool> {
    const GRAZING: f64 = 0.26;
    if directions.is_empty() {
        return Vec::new();
    }
    let length_mm = 2.0 * surface.bounds().diagonal();
    let clearance_mm = 1e-4 * length_mm;
    samples
        .par_iter()
        .map(|sample| {
            directions.iter().filter(|direction| direction.dot(&sample.normal) > GRAZING).any(|direction| {
                let start = sample.point + sample.normal * clearance_mm;
                surface.first_hit(&start, direction, 0.0, length_mm).is_none()
            })
        })
        .collect()
}

/// The distinct directions among `to_sensor`: one for each cell of about ten degrees that more than a hundredth of
/// them fall into, at most 32.
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

/// The regions that are listed, largest first, and their samples.
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
    let link_mm = LINK * area_mm2.sqrt();
    for (i, sample) in missing.iter().enumerate() {
        tree.within_radius(&sample.point, link_mm, |near| {
            // The two sides of a thin sheet are two regions.
            if missing[near.number as usize].normal.dot(&sample.normal) > -SAME_SIDE {
                sets.join(i as u32, near.number);
            }
        });
    }
    let mut groups = sets.groups(0..points.len() as u32);
    groups.retain(|members| members.len() as f64 >= (LISTED_FRACTION * total as f64).max(8.0));
    let mut regions: Vec<UnmeasuredRegion> = groups
        .iter()
        .map(|members| {
            let bounds = Aabb::of_points(members.iter().map(|&i| &points[i as usize]));
            let sum: Vector = members.iter().map(|&i| points[i as usize].coords).sum();
            let seen = members.iter().filter(|&&i| in_view.get(i as usize) == Some(&true)).count();
            UnmeasuredRegion {
                centre_mm: (sum / members.len() as f64).into(),
                area_mm2: members.len() as f64 * area_mm2,
                radius_mm: 0.5 * bounds.diagonal(),
                in_view_fraction: (!in_view.is_empty()).then(|| seen as f64 / members.len() as f64),
            }
        })
        .collect();
    regions.sort_by(|a, b| b.area_mm2.total_cmp(&a.area_mm2));
    (regions, groups.into_iter().flatten().map(|i| points[i as usize]).collect())
}
