//! Connected regions out of tolerance, and points of the scan that do not belong to the part.
//!
//! Single noisy points are no defect: regions are found in deviations smoothed over a small neighbourhood, and among
//! points that are linked and out of tolerance themselves where noise of the scan's own size would not make such a group
//! (`significance`): neighbours vote a narrow strip down, and a few points of a sparse scan. A region that noise about a
//! surface just at its limit would explain is in doubt. The peak of a region is taken from a paraboloid fitted around its
//! worst point, so that neither a single outlier nor the smoothing determines it. Points beyond the maximum distance are included: connected groups of them are regions out
//! of tolerance, or are classified as clutter (`clutter`).

mod candidates;
mod clutter;
mod edges;
mod outliers;
mod peak;
mod samples;
mod sides;
pub(super) mod significance;
mod supported;

use std::sync::Arc;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::coverage::Footprint;
use super::noise::{Deviating, ScanNoise, Scanned};
use super::{DeviationMap, DistantPoints, Limits, Parameters};
use base::{Progress, Result};
use candidates::Candidates;
use clutter::ClutterTest;
use compute::Backend;
use compute::point_deviation::PointDeviation;
use compute::smoothing;
use geometry::kd_tree::Neighbours;
use geometry::{Aabb, DisjointSets, Point, Pose, SearchablePoints, Surface, Vector};
use outliers::Membership;
pub use outliers::Outliers;
use samples::{MeasuredPoints, Sample, Samples};
use sides::Sides;
use significance::{ERROR_RATE, Evidence, MIN_GROUP, Significance, upper_quantile};
use supported::OutOfTolerance;

/// A connected region out of tolerance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Region {
    /// Area-weighted centroid, nominal frame, mm.
    pub centre_mm: [f64; 3],
    /// Area, mm².
    pub area_mm2: f64,
    /// Robust peak deviation, signed, mm.
    pub peak_mm: f64,
    /// Position of the peak, nominal frame, mm.
    pub peak_at_mm: [f64; 3],
    /// Number of points or facets.
    #[serde(rename = "places")]
    pub count: usize,
    /// How far its peak lies beyond the limit that holds there, mm.
    pub excess_mm: f64,
    /// Expanded uncertainty of its peak by the noise of the scan, mm: of the largest of as many peaks as the part has
    /// room for, with the probability 1 - `significance::ERROR_RATE`. `None` without an estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertainty_mm: Option<f64>,
    /// Half the diagonal of its bounding box, mm; for framing a view.
    pub radius_mm: f64,
    /// Whether most of it lies beyond the maximum distance: extra or missing material.
    pub beyond_max_distance: bool,
    /// Name of the own tolerance that its peak exceeds; `None` for that of the part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_tolerance: Option<String>,
}

/// Points of the scan that do not belong to the part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clutter {
    /// Number of points in connected groups that belong to other objects.
    pub points: usize,
    /// The groups, by decreasing area.
    pub groups: Vec<Region>,
    /// Number of points beyond the maximum distance that form no surface.
    pub stray_points: usize,
}

/// Result of the search for regions.
#[derive(Clone, Debug, Default)]
pub struct RegionSearch {
    /// Regions out of tolerance of at least the minimum area, worst first.
    pub regions: Vec<Region>,
    /// Regions that may be out of tolerance: noise about a surface at the limit would explain them. Worst first.
    pub doubtful: Vec<Region>,
    /// By own tolerance: number of regions of which enough lies on its faces to be one by itself.
    pub on_own: Vec<usize>,
    /// Points that do not belong to the part.
    pub clutter: Clutter,
    /// Points or facets out of tolerance outside regions.
    pub outliers: Outliers,
    /// Number of points out of tolerance by their closest points, where none could be measured along the direction.
    pub missed: usize,
}

/// Input of the search for regions.
pub struct Request<'a> {
    /// Deviations of points or facets.
    pub map: &'a DeviationMap,
    /// Deviation of each scan point from the closest point of the nominal.
    pub closest: &'a [PointDeviation],
    /// Points beyond the maximum distance.
    pub beyond: &'a DistantPoints,
    /// Points beyond it along the direction only.
    pub beyond_along: &'a DistantPoints,
    /// Points that could not be measured along the direction, by their closest points.
    pub missed: &'a DistantPoints,
    /// The nominal.
    pub surface: &'a Surface,
    /// The scan's points, scan frame, mm.
    pub points: &'a [Point],
    /// Maps the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// The compared points, projected onto the nominal.
    pub footprint: &'a Footprint,
    /// The tolerance limits on each facet of the nominal.
    pub limits: &'a Limits,
    /// Minimum area and clutter distance.
    pub parameters: &'a Parameters,
}

/// Maximum number of points that may hang over the edge of a region, and of neighbours that are looked at for it.
const MAX_OVERHANG: usize = 16;
const BESIDE: usize = 24;
/// Minimum number of scan points in a region: fewer are stray points, whatever area they represent.
pub const MIN_POINTS: usize = 8;

/// Finds the regions out of tolerance.
///
/// Returns an error if the backend fails or the work is cancelled.
pub fn find(backend: &dyn Backend, request: &Request<'_>, progress: &Progress) -> Result<RegionSearch> {
    let mut found = RegionSearch { on_own: vec![0; request.limits.own().len()], ..RegionSearch::default() };
    if let DeviationMap::Facets { nominal, parents, values, .. } = request.map {
        let samples = Samples::of_facets(nominal, values);
        let sides = Sides { limits: request.limits, facets: parents };
        let groups = connected(&sides.of_all(&samples), &samples);
        let mut in_regions = Membership::new(&samples);
        let points = OutOfTolerance::new(request);
        let is_region = |members: &[u32]| {
            let is_large = samples.area_mm2(members) >= request.parameters.min_region_mm2.unwrap_or_default();
            is_large && points.supporting(&samples, &sides, members) >= MIN_POINTS
        };
        for members in groups.iter().filter(|members| is_region(members)) {
            in_regions.add(members);
            found.add(&samples, &sides, members, false, is_region, None);
        }
        found.outliers = in_regions.outliers(samples.len(), &sides, &[]);
    }
    among_points(backend, request, &mut found, progress)?;
    let severity = |own: &Region| (own.excess_mm, own.peak_mm.abs());
    for regions in [&mut found.regions, &mut found.doubtful] {
        regions.sort_by(|a, b| {
            let ((excess_mm, peak_mm), (other_excess_mm, other_peak_mm)) = (severity(a), severity(b));
            other_excess_mm.total_cmp(&excess_mm).then(other_peak_mm.total_cmp(&peak_mm))
        });
    }
    found.clutter.groups.sort_by(|a, b| b.area_mm2.total_cmp(&a.area_mm2));
    Ok(found)
}

impl RegionSearch {
    /// Adds a region; `members` are its samples, and `is_region` says whether some of them are one by themselves: a
    /// sample or two beyond the edge of a face neither fail the face beside it nor are the peak of the region. If nothing
    /// of it is a region on its limits alone, its peak decides which of them it fails.
    fn add(
        &mut self,
        samples: &Samples,
        sides: &Sides<'_>,
        members: &[u32],
        beyond_max_distance: bool,
        is_region: impl Fn(&[u32]) -> bool,
        uncertainty_mm: Option<f64>,
    ) {
        let mut by_own = sides.by_own(members);
        by_own.retain(|_, members| is_region(members));
        let worst = sides.worst(samples, by_own.values().flatten()).or_else(|| sides.worst(samples, members));
        by_own.keys().flatten().for_each(|&own| self.on_own[own] += 1);
        if let (true, Some(own)) = (by_own.is_empty(), worst.and_then(|index| sides.own(index))) {
            self.on_own[own] += 1;
        }
        let region = region_of(samples, sides, members, worst, beyond_max_distance);
        self.regions.push(Region { uncertainty_mm, ..region });
    }
}

fn among_points(
    backend: &dyn Backend,
    request: &Request<'_>,
    found: &mut RegionSearch,
    progress: &Progress,
) -> Result<()> {
    let Candidates { indices, values_mm, facets, compared, within, near } = Candidates::new(request);
    if indices.is_empty() {
        return Ok(());
    }
    let values_mm: Arc<[f64]> = values_mm.into();
    let scanned = Scanned { points: request.points, chosen: Some(&indices) };
    let points: Arc<[Point]> =
        indices.par_iter().map(|&i| request.nominal_from_scan * request.points[i as usize]).collect::<Vec<_>>().into();
    let normals: Vec<Vector> = facets.par_iter().map(|&facet| request.surface.mesh().normal(facet as usize)).collect();
    let sides = Sides { limits: request.limits, facets: &facets };
    let is_out = |index: u32, value_mm: f64| sides.of(index, value_mm) != 0;
    found.missed = (compared..within).filter(|&i| is_out(i as u32, values_mm[i])).count();
    let searchable = SearchablePoints::new(&points);
    let measured =
        MeasuredPoints { points: Arc::clone(&points), scanned, values_mm: Arc::clone(&values_mm), normals: &normals };
    let mut samples = Samples::of_points(backend, measured, &searchable, is_out, progress)?;
    let over_edges = edges::within_faces(request, &samples, &sides);
    let outside = linked_outside(&samples, &sides, &over_edges);
    if outside.is_empty() {
        found.clutter.stray_points = indices.len() - within;
        found.outliers = Membership::new(&samples).outliers(within, &sides, &over_edges);
        return Ok(());
    }
    let clutter_test = ClutterTest::new(request);
    // Clutter is removed; its points within the maximum distance are grouped anew on their own.
    let (mut groups, mut near_clutter) = (Vec::new(), vec![0_i8; samples.len()]);
    let mut is_clutter = vec![false; samples.len()];
    let mut smoothed = sides.of_all(&samples);
    smoothed.iter_mut().zip(&over_edges).filter(|(_, is_over_edge)| **is_over_edge).for_each(|(side, _)| *side = 0);
    for members in connected(&smoothed, &samples) {
        // What lies near the nominal is part of it, however far it is along the direction.
        let (near, far) = members.split_at(members.partition_point(|&i| (i as usize) < near));
        if far.len() < MIN_POINTS || clutter_test.belongs_to_part(&samples, &facets, far) {
            groups.push(members);
            continue;
        }
        near.iter().for_each(|&i| near_clutter[i as usize] = sides.of(i, samples.deviation_mm(i as usize)));
        far.iter().for_each(|&i| is_clutter[i as usize] = true);
        found.clutter.points += far.len();
        let worst = sides.worst(&samples, far);
        found.clutter.groups.push(Region { own_tolerance: None, ..region_of(&samples, &sides, far, worst, true) });
    }
    if near_clutter.iter().any(|&side| side != 0) {
        groups.extend(connected(&near_clutter, &samples));
    }
    let tree = searchable.tree();
    let all = Deviating { tree, points: &points, scanned, values_mm: &values_mm, normals: &normals, count: within };
    let noise = request.footprint.exact_noise().unwrap_or_else(|| ScanNoise::estimate(&all));
    let significance = Significance::new(&samples, &sides, all, noise, &outside);
    let uncertainty = PeakUncertainty::new(noise, within);
    let min_mm2 = request.parameters.min_region_mm2.unwrap_or_default();
    groups.retain(|members| samples.area_mm2(members) >= min_mm2 && is_supported(&samples, &sides, members));
    let evidence = |members: &Vec<u32>| {
        let out = members.iter().copied().filter(|&i| is_out(i, samples.raw_mm(i as usize)));
        significance.of(&out.collect::<Vec<u32>>())
    };
    let evidences: Vec<Evidence> = groups.par_iter().map(evidence).collect();
    let mut taken = vec![false; samples.len()];
    groups.iter().flatten().for_each(|&i| taken[i as usize] = true);
    // Points out of tolerance that the medians of their neighbours vote down.
    let narrow = |members: &Vec<u32>| {
        let is_left = |i: &u32| !taken[*i as usize] && !is_clutter[*i as usize];
        let mut left: Vec<u32> = members.iter().copied().filter(is_left).collect();
        let from = left.partition_point(|&i| (i as usize) < near);
        if left.len() > from && !clutter_test.belongs_to_part(&samples, &facets, &left[from..]) {
            left.truncate(from);
        }
        let evidence = significance.of(&left);
        (evidence.is_significant && samples.area_mm2(&left) >= min_mm2).then_some((left, evidence))
    };
    let mut narrow: Vec<(Vec<u32>, Evidence)> = outside.par_iter().filter_map(narrow).collect();
    // What hangs over the edge of a region is closest to the face beside it, and is of that region.
    let is_beside = |members: &[u32]| {
        let mut neighbours = Neighbours::default();
        let mut is_near = |&member: &u32| {
            let side = sides.of(member, samples.raw_mm(member as usize));
            tree.k_nearest(&points[member as usize], BESIDE, samples.max_link_mm(), &mut neighbours);
            let mut found = neighbours.found.iter().map(|own| own.number);
            found.any(|other| taken[other as usize] && sides.of(other, samples.raw_mm(other as usize)) == side)
        };
        let near = members.iter().filter(|member| is_near(member)).count();
        members.len() <= MAX_OVERHANG && 2 * near > members.len()
    };
    narrow.retain(|(members, _)| !is_beside(members));
    narrow.iter().for_each(|(members, _)| samples.smooth_within(members));
    let samples = samples;
    let mut in_regions = Membership::new(&samples);
    let mut far_in_regions = 0;
    let wide = groups.iter().zip(evidences).map(|(members, evidence)| (members, evidence, true));
    for (members, evidence, is_wide) in wide.chain(narrow.iter().map(|(members, own)| (members, *own, false))) {
        let far = members.len() - members.partition_point(|&i| (i as usize) < within);
        far_in_regions += far;
        in_regions.add(members);
        let is_far = 2 * far > members.len();
        let uncertainty_mm = uncertainty.of(&evidence, members.len());
        let worst = sides.worst(&samples, members);
        let is_beyond = || {
            let region = region_of(&samples, &sides, members, worst, is_far);
            is_wide && region.excess_mm >= uncertainty_mm.unwrap_or_default()
        };
        if is_far || evidence.is_certain || is_beyond() {
            let is_region = |members: &[u32]| {
                let is_supported =
                    if is_wide { is_supported(&samples, &sides, members) } else { members.len() >= MIN_GROUP };
                samples.area_mm2(members) >= min_mm2 && is_supported
            };
            found.add(&samples, &sides, members, is_far, is_region, uncertainty_mm);
        } else {
            let region = region_of(&samples, &sides, members, worst, is_far);
            found.doubtful.push(Region { uncertainty_mm, ..region });
        }
    }
    found.clutter.stray_points = indices.len() - within - far_in_regions - found.clutter.points;
    if within > 0 {
        found.outliers = in_regions.outliers(within, &sides, &over_edges);
    }
    Ok(())
}

/// Expanded uncertainty of peaks by the noise of the scan.
struct PeakUncertainty {
    noise: ScanNoise,
    /// Of the largest of all peaks that the part has room for.
    coverage_factor: f64,
}

impl PeakUncertainty {
    fn new(noise: ScanNoise, count: usize) -> Self {
        let peaks = (count / smoothing::NEIGHBOURS).max(1) as f64;
        Self { noise, coverage_factor: upper_quantile(ERROR_RATE / peaks) }
    }

    /// That of the peak of `members` points, mm; `None` without an estimate of the noise.
    fn of(&self, evidence: &Evidence, members: usize) -> Option<f64> {
        let Self { noise, coverage_factor } = *self;
        let sigma_mm = if evidence.sigma_mm > 0.0 { evidence.sigma_mm } else { noise.sigma_mm };
        // A median has π/2 times the variance of a mean.
        let of_few = (std::f64::consts::FRAC_PI_2 / members.clamp(1, smoothing::NEIGHBOURS) as f64).sqrt();
        let of_many = noise.median_sigma_mm / noise.sigma_mm;
        let share = if of_many.is_finite() { of_many.max(of_few) } else { of_few };
        (noise.sigma_mm > 0.0).then_some(coverage_factor * share * sigma_mm)
    }
}

/// Groups of linked points that are out of tolerance on the same side themselves and not only `over_edges`, each in
/// ascending order.
fn linked_outside(samples: &Samples, sides: &Sides<'_>, over_edges: &[bool]) -> Vec<Vec<u32>> {
    let is_looked_at = |i: usize| samples.is_surface(i) && !over_edges[i];
    let side = |i: usize| if is_looked_at(i) { sides.of(i as u32, samples.raw_mm(i)) } else { 0 };
    let of_all: Vec<i8> = (0..samples.len()).into_par_iter().map(side).collect();
    let mut sets = DisjointSets::new(of_all.len());
    for i in (0..of_all.len()).filter(|&i| of_all[i] != 0) {
        for other in samples.near_links(i).filter(|&other| of_all.get(other as usize) == Some(&of_all[i])) {
            sets.join(i as u32, other);
        }
    }
    sets.groups((0..of_all.len() as u32).filter(|&i| of_all[i as usize] != 0))
}

/// Whether a group of points is a region if it is large enough: enough of its points, and most of them, are out of
/// tolerance themselves, not only after smoothing.
fn is_supported(samples: &Samples, sides: &Sides<'_>, members: &[u32]) -> bool {
    let out = members.iter().filter(|&&i| sides.of(i, samples.sample(i).raw_mm) != 0).count();
    out >= MIN_POINTS && 2 * out > members.len()
}

/// Groups of linked samples on the same side out of tolerance (`sides`, see [`Sides::of`]), each in ascending order.
fn connected(sides: &[i8], samples: &Samples) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::new(sides.len());
    for i in (0..sides.len()).filter(|&i| sides[i] != 0) {
        for &other in samples.links(i).iter().filter(|&&other| sides.get(other as usize) == Some(&sides[i])) {
            sets.join(i as u32, other);
        }
    }
    sets.groups((0..sides.len() as u32).filter(|&i| sides[i as usize] != 0))
}

/// The region of `members`, whose peak is at the sample `worst`.
fn region_of(
    samples: &Samples,
    sides: &Sides<'_>,
    members: &[u32],
    worst: Option<u32>,
    beyond_max_distance: bool,
) -> Region {
    let own_tolerance = worst.and_then(|index| sides.own_name(index));
    let area_mm2 = samples.area_mm2(members);
    let members: Vec<Sample> = members.iter().map(|&index| samples.sample(index)).collect();
    let bounds = Aabb::of_points(members.iter().map(|member| &member.point));
    let weighted: Vector = members.iter().map(|member| member.point.coords * member.area_mm2).sum();
    let centre = if area_mm2 > 0.0 { weighted / area_mm2 } else { bounds.centre().coords };
    let peak_at = worst.map_or_else(|| bounds.centre(), |index| samples.sample(index).point);
    let peak_mm = peak::of(&members, &peak_at);
    Region {
        centre_mm: centre.into(),
        area_mm2,
        peak_mm,
        peak_at_mm: peak_at.coords.into(),
        count: members.len(),
        excess_mm: worst.map_or(0.0, |index| sides.excess_mm(index, peak_mm)),
        uncertainty_mm: None,
        radius_mm: 0.5 * bounds.diagonal(),
        beyond_max_distance,
        own_tolerance,
    }
}

#[cfg(test)]
mod tests;
