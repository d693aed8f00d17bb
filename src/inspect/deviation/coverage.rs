//! Coverage: how much of the nominal's surface was measured, and which regions were not.
//!
//! The surface is sampled evenly by area, about as densely as the points lie, so that no gap between them escapes; a
//! sample is covered if a compared point lies within reach of it on the same side. The reach follows the scan's own point
//! spacing, but never exceeds a fiftieth of the part's diagonal: a handful of points does not cover the surface between
//! them. A gap that is measured all around on its own face is told from faces that the sensor did not reach: a hole
//! with dark walls leaves nothing else.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::DeviationMap;
use super::noise::{Deviating, ScanNoise, Scanned};
use super::sight::{self, SECTORS, Sight};
use crate::robust_scale::median;
use compute::point_deviation::PointDeviation;
use geometry::kd_tree::Neighbours;
use geometry::sampling::{self, SurfaceSample};
use geometry::stations::Station;
use geometry::{Aabb, DisjointSets, KdTree, OrderedPoints, Point, Pose, Surface, Vector, draw, transform, triangle};

/// Minimum and maximum number of samples of the nominal's surface: between them, as many as there are points.
const SURFACE_SAMPLES: [usize; 2] = [40_000, 200_000];
/// Maximum number of compared points in a footprint; of more, some are drawn.
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
/// Minimum number of samples of an unmeasured region to be listed: fewer may be chance.
const MIN_LISTED_SAMPLES: usize = 3;
/// Minimum cosine between the normals of an enclosed region and of the facets about it.
const MIN_FACE_COSINE: f64 = 0.8;
/// Spacings within which the points about an enclosed region lie, in addition to the reach.
const RIM_SPACINGS: f64 = 2.0;
/// Maximum spacing of these, in those of the scan, and minimum radius of the gap in their own: in a sparse part of a scan,
/// gaps are no holes. Points at random leave a gap of 2.6 spacings with a probability of 1e-9, and on a rim a point
/// has neighbours on one side alone.
const MAX_RIM_SPACING: f64 = 1.5;
const MIN_GAP_SPACINGS: f64 = 2.2;
/// The same of gaps that are not measured all around, and number of the nearest points of which one beside them is taken.
const MIN_OPEN_GAP_SPACINGS: f64 = 2.8;
const BESIDE_POINTS: usize = 16;
/// Diameter of the smallest gap that is always found, in spacings: twice the reach and the radius of three samples.
const GAP_SPACINGS: f64 = 8.5;
/// Number of samples of a region that are looked at from outside, and the share of these views that must be free.
const VIEWED_SAMPLES: usize = 16;
const MIN_FREE_VIEWS: f64 = 0.7;

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
    /// Whether it was measured all around on the same face, as densely as elsewhere, where the scan tells from where by a station
    /// that had it in view: a hole may be there.
    #[serde(default)]
    pub is_enclosed: bool,
    /// Whether nothing of the part stands before it, so that a sensor all around would have seen it.
    #[serde(default)]
    pub is_exposed: bool,
}

impl UnmeasuredRegion {
    /// Area of the gap between the points about it, mm²: what is nearer to a point than `reach_mm` counts as measured.
    pub fn gap_mm2(&self, reach_mm: f64) -> f64 {
        std::f64::consts::PI * gap_radius_mm(self.area_mm2, reach_mm).powi(2)
    }
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
    /// Unmeasured regions, those that are enclosed first, then the largest.
    pub unmeasured: Vec<UnmeasuredRegion>,
    /// Surface samples of those regions for display, nominal frame, mm.
    #[serde(skip)]
    pub unmeasured_points: Vec<Point>,
}

/// The compared points projected onto the nominal: closest point of the surface and its facet for each.
#[derive(Debug)]
pub struct Footprint {
    /// The points, by index in the scan.
    points: Vec<u32>,
    facets: Vec<u32>,
    feet: Vec<Point>,
    tree: KdTree,
    /// Spacing of all compared points, not only of those kept here.
    spacing_mm: f64,
    reach_mm: f64,
    /// Number of all compared points.
    count: usize,
    noise: ScanNoise,
}

impl Footprint {
    /// Footprint of the points with a deviation; `points` in the scan frame.
    pub fn new(deviations: &[PointDeviation], surface: &Surface, points: &[Point], nominal_from_scan: &Pose) -> Self {
        let matched: Vec<u32> = (0..deviations.len().min(points.len()) as u32)
            .into_par_iter()
            .filter(|&i| deviations[i as usize].value().is_some())
            .collect();
        let count = matched.len();
        let chosen: Vec<u32> = if count > MAX_FOOTPRINT_POINTS {
            let candidates: Vec<Point> = matched.par_iter().map(|&i| points[i as usize]).collect();
            draw::sample(&candidates, MAX_FOOTPRINT_POINTS).into_iter().map(|k| matched[k as usize]).collect()
        } else {
            matched
        };
        let facets: Vec<u32> = chosen.iter().map(|&i| deviations[i as usize].facet).collect();
        let scanned: Vec<Point> = chosen.par_iter().map(|&i| points[i as usize]).collect();
        let projected: Vec<Point> = scanned
            .par_iter()
            .zip(&facets)
            .map(|(point, &facet)| closest_point_on_facet(surface, &(nominal_from_scan * point), facet))
            .collect();
        let tree = KdTree::new(&projected);
        let values_mm: Vec<f64> = chosen.iter().map(|&i| deviations[i as usize].deviation_mm).collect();
        let normals: Vec<Vector> = facets.par_iter().map(|&facet| surface.mesh().normal(facet as usize)).collect();
        let all = Deviating {
            tree: &tree,
            points: &projected,
            scanned: Scanned { points: &scanned, chosen: None },
            values_mm: &values_mm,
            normals: &normals,
            count: projected.len(),
        };
        let noise = ScanNoise::estimate(&all);
        let kept_spacing_mm = spacing_mm(&tree, &projected, &scanned);
        let spacing_mm = kept_spacing_mm * (chosen.len() as f64 / count.max(1) as f64).sqrt();
        let reach_mm = reach_mm(kept_spacing_mm, surface);
        Self { points: chosen, facets, feet: projected, tree, spacing_mm, reach_mm, count, noise }
    }

    /// Footprint of points whose closest points, `feet`, lie on `facets`; each covers the surface within `reach_mm`.
    pub(super) fn of_feet(facets: Vec<u32>, feet: &[Point], spacing_mm: f64, reach_mm: f64) -> Self {
        let count = feet.len();
        let (tree, noise) = (KdTree::new(feet), ScanNoise::default());
        Self { points: Vec::new(), facets, feet: feet.to_vec(), tree, spacing_mm, reach_mm, count, noise }
    }

    /// The points kept of those that were compared, by index in the scan.
    pub fn points(&self) -> &[u32] {
        &self.points
    }

    /// Number of compared points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Noise of the compared points.
    pub fn noise(&self) -> ScanNoise {
        self.noise
    }

    /// Noise of the compared points if it was estimated from all of them, so that neighbours are neighbours.
    pub(super) fn exact_noise(&self) -> Option<ScanNoise> {
        (self.count == self.facets.len()).then_some(self.noise)
    }

    /// Diameter of the smallest gap in a face that is always found, mm.
    pub fn gap_mm(&self) -> f64 {
        GAP_SPACINGS * self.kept_spacing_mm()
    }

    /// Memory in use, bytes.
    pub fn bytes(&self) -> u64 {
        // Per point: its index, facet, foot, coordinates and share of the tree.
        (self.facets.len() * 76) as u64
    }

    /// Spacing of the points that were kept of them, mm.
    fn kept_spacing_mm(&self) -> f64 {
        self.spacing_mm * (self.count as f64 / self.facets.len().max(1) as f64).sqrt()
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

/// 90th percentile of the point spacing, mm; `scanned` are the points in the frame of the scan.
pub(super) fn spacing_mm(tree: &KdTree, points: &[Point], scanned: &[Point]) -> f64 {
    spacing_percentile_mm(tree, points, scanned, 90)
}

/// A percentile of the point spacing, mm, from the local density at each point; 0 without points. Of many, some are drawn
/// by where they are in the frame of the scan, `scanned`.
pub(crate) fn spacing_percentile_mm(tree: &KdTree, points: &[Point], scanned: &[Point], percent: usize) -> f64 {
    let mut spacings: Vec<f64> = draw::sample(scanned, SPACING_POINTS)
        .into_par_iter()
        .map_init(Neighbours::default, |neighbours, index| tree.local_spacing_mm(&points[index as usize], neighbours))
        .collect();
    if spacings.is_empty() {
        return 0.0;
    }
    let rank = (spacings.len() * percent / 100).min(spacings.len() - 1);
    *spacings.select_nth_unstable_by(rank, f64::total_cmp).1
}

/// Measures coverage; `sight` is that of the compared points.
pub fn measure(map: &DeviationMap, surface: &Surface, footprint: &Footprint, sight: &Sight) -> Coverage {
    let samples: Vec<(SurfaceSample, bool)> = match map {
        DeviationMap::Points(_) => of_points(surface, footprint),
        DeviationMap::Facets { nominal, values, .. } => {
            let has_data = |sample: &SurfaceSample| values[sample.facet as usize].value().is_some();
            let along_curve = nominal.facets_along_curve().numbers;
            let samples = sampling::of_facets(nominal, &along_curve, SURFACE_SAMPLES[0], 0).into_iter();
            samples.map(|sample| (sample, has_data(&sample))).collect()
        }
    };
    let nominal_area_mm2 = surface.mesh().area_mm2();
    let missing: Vec<SurfaceSample> =
        samples.iter().filter(|(_, covered)| !covered).map(|(sample, _)| *sample).collect();
    let total = samples.len().max(1);
    let in_view = sight.in_view(surface, &missing);
    let missing_in_view = in_view.iter().filter(|in_view| **in_view).count();
    let covered = total - missing.len().min(total);
    let share = |part: usize, whole: usize| if whole > 0 { part as f64 / whole as f64 } else { 0.0 };
    let gaps = Gaps { missing: &missing, in_view: &in_view, sample_mm2: nominal_area_mm2 / total as f64, sight };
    let (unmeasured, unmeasured_points) = gaps.regions(surface, footprint);
    Coverage {
        fraction: share(covered, total),
        in_view_fraction: sight.is_known().then(|| share(covered, covered + missing_in_view)),
        nominal_area_mm2,
        spacing_mm: footprint.spacing_mm,
        reach_mm: footprint.reach_mm,
        unmeasured,
        unmeasured_points,
    }
}

fn of_points(surface: &Surface, footprint: &Footprint) -> Vec<(SurfaceSample, bool)> {
    let [least, most] = SURFACE_SAMPLES;
    sampling::along_curve(surface, footprint.facets.len().clamp(least, most), 0)
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

/// Samples of the surface without data.
struct Gaps<'a> {
    missing: &'a [SurfaceSample],
    /// Whether each is in view of the sensor; empty if unknown.
    in_view: &'a [bool],
    /// Area that each stands for, mm².
    sample_mm2: f64,
    sight: &'a Sight,
}

impl Gaps<'_> {
    /// The unmeasured regions to list, and their samples.
    fn regions(&self, surface: &Surface, footprint: &Footprint) -> (Vec<UnmeasuredRegion>, Vec<Point>) {
        let points: Vec<Point> = self.missing.iter().map(|sample| sample.point).collect();
        let tree = KdTree::new(&points);
        let mut sets = DisjointSets::new(points.len());
        let link_mm = LINK_SPACINGS * self.sample_mm2.sqrt();
        for (i, sample) in self.missing.iter().enumerate() {
            tree.within_radius(&sample.point, link_mm, |near| {
                // The two sides of a thin sheet are separate regions.
                if self.missing[near.number as usize].normal.dot(&sample.normal) > -MIN_NORMAL_COSINE {
                    sets.join(i as u32, near.number);
                }
            });
        }
        let mut groups = sets.groups(0..points.len() as u32);
        groups.retain(|members| members.len() >= MIN_LISTED_SAMPLES);
        let listed: Vec<(Vec<u32>, UnmeasuredRegion)> = groups
            .into_par_iter()
            .map(|members| (self.region(&members, surface, footprint), members))
            .filter(|(region, members)| region.is_enclosed || !self.is_chance(members, surface, footprint))
            .map(|(region, members)| (members, region))
            .collect();
        let (groups, mut regions): (Vec<_>, Vec<_>) = listed.into_iter().unzip();
        regions.sort_by(|a, b| b.is_enclosed.cmp(&a.is_enclosed).then(b.area_mm2.total_cmp(&a.area_mm2)));
        (regions, groups.into_iter().flatten().map(|i| points[i as usize]).collect())
    }

    /// Whether points as sparse as those beside it leave such a gap by chance.
    fn is_chance(&self, members: &[u32], surface: &Surface, footprint: &Footprint) -> bool {
        let mut neighbours = Neighbours::default();
        let mut beside = |&i: &u32| {
            let sample = &self.missing[i as usize];
            footprint.tree.k_nearest(&sample.point, BESIDE_POINTS, f64::INFINITY, &mut neighbours);
            let facing = |facet: u32| surface.mesh().normal(facet as usize).dot(&sample.normal) > MIN_NORMAL_COSINE;
            let near = neighbours.found.iter().find(|near| facing(footprint.facets[near.number as usize]))?.number;
            Some(footprint.tree.local_spacing_mm(&footprint.feet[near as usize], &mut neighbours))
        };
        let stride = members.len().div_ceil(VIEWED_SAMPLES).max(1);
        let mut spacings_mm: Vec<f64> = members.iter().step_by(stride).filter_map(&mut beside).collect();
        let radius_mm = gap_radius_mm(members.len() as f64 * self.sample_mm2, footprint.reach_mm);
        median(&mut spacings_mm).is_some_and(|own| radius_mm < MIN_OPEN_GAP_SPACINGS * own)
    }

    fn region(&self, members: &[u32], surface: &Surface, footprint: &Footprint) -> UnmeasuredRegion {
        let all = || members.iter().map(|&i| &self.missing[i as usize]);
        let bounds = Aabb::of_points(all().map(|sample| &sample.point));
        let sum: Vector = all().map(|sample| sample.point.coords).sum();
        let visible = members.iter().filter(|&&i| self.in_view.get(i as usize) == Some(&true)).count();
        let samples: Vec<&SurfaceSample> = all().collect();
        UnmeasuredRegion {
            centre_mm: (sum / members.len() as f64).into(),
            area_mm2: members.len() as f64 * self.sample_mm2,
            radius_mm: 0.5 * bounds.diagonal(),
            in_view_fraction: (!self.in_view.is_empty()).then(|| visible as f64 / members.len() as f64),
            is_enclosed: is_enclosed(&samples, self.sample_mm2, surface, footprint, self.sight),
            is_exposed: is_exposed(&samples, surface),
        }
    }
}

/// Whether the face that these samples, each of an area of `sample_mm2`, lie on was measured in all directions about them, as
/// densely as elsewhere, by a station that had them in view.
fn is_enclosed(
    samples: &[&SurfaceSample],
    sample_mm2: f64,
    surface: &Surface,
    footprint: &Footprint,
    sight: &Sight,
) -> bool {
    let count = samples.len() as f64;
    let centre = Point::from(samples.iter().map(|own| own.point.coords).sum::<Vector>() / count);
    let normal = samples.iter().map(|own| own.normal).sum::<Vector>().try_normalize(0.0);
    let Some(normal) = normal.filter(|own| samples.iter().all(|sample| sample.normal.dot(own) > MIN_FACE_COSINE))
    else {
        return false;
    };
    let [u, v] = transform::perpendicular_axes(&normal);
    let polar = |point: &Point| {
        let offset = point - centre;
        let (x, y) = (offset.dot(&u), offset.dot(&v));
        (sight::sector([x, y]), x.hypot(y))
    };
    let mut farthest_mm = [0.0_f64; SECTORS];
    for sample in samples {
        let (sector, radius_mm) = polar(&sample.point);
        farthest_mm[sector] = farthest_mm[sector].max(radius_mm);
    }
    // A direction in which no sample happens to lie is as wide as those beside it.
    let own_mm = farthest_mm;
    for sector in (0..SECTORS).filter(|&sector| own_mm[sector] == 0.0) {
        farthest_mm[sector] = own_mm[(sector + 1) % SECTORS].max(own_mm[(sector + SECTORS - 1) % SECTORS]);
    }
    let beside_mm = footprint.reach_mm + RIM_SPACINGS * footprint.kept_spacing_mm();
    let around_mm = farthest_mm.iter().copied().fold(0.0, f64::max) + beside_mm;
    let (mut is_met, mut rim) = ([false; SECTORS], Vec::new());
    footprint.tree.within_radius(&centre, around_mm, |near| {
        let point = footprint.feet[near.number as usize];
        let facing = surface.mesh().normal(footprint.facets[near.number as usize] as usize).dot(&normal);
        let (sector, radius_mm) = polar(&point);
        if facing > MIN_FACE_COSINE && radius_mm <= farthest_mm[sector] + beside_mm {
            is_met[sector] = true;
            rim.push((near.number, sector));
        }
    });
    if is_met.contains(&false) {
        return false;
    }
    let mut neighbours = Neighbours::default();
    let mut spacings: Vec<f64> = rim
        .iter()
        .map(|(foot, _)| footprint.tree.local_spacing_mm(&footprint.feet[*foot as usize], &mut neighbours))
        .collect();
    let Some(rim_mm) = median(&mut spacings) else { return false };
    rim_mm <= MAX_RIM_SPACING * footprint.kept_spacing_mm()
        && gap_radius_mm(count * sample_mm2, footprint.reach_mm) >= MIN_GAP_SPACINGS * rim_mm
        && sight.looked_at(surface, samples, &rim)
}

/// Radius of the gap between the points about a region without data, mm: what is nearer to a point than the reach counts as
/// measured, up to about the middle between the points of its rim and the next ones.
fn gap_radius_mm(area_mm2: f64, reach_mm: f64) -> f64 {
    (area_mm2 / std::f64::consts::PI).sqrt() + 0.75 * reach_mm
}

/// Whether most views of these samples at up to 45° from their normals are free.
fn is_exposed(samples: &[&SurfaceSample], surface: &Surface) -> bool {
    let (mut free, mut views) = (0, 0);
    for sample in samples.iter().step_by(samples.len().div_ceil(VIEWED_SAMPLES).max(1)) {
        let [u, v] = transform::perpendicular_axes(&sample.normal);
        for direction in [Vector::zeros(), u, v, -u, -v] {
            let eye = Station::Towards((sample.normal + direction).normalize());
            views += 1;
            free += usize::from(sight::sees(&eye, surface, sample));
        }
    }
    free as f64 >= MIN_FREE_VIEWS * f64::from(views)
}
