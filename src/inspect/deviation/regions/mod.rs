//! Connected regions out of tolerance, and points of the scan that do not belong to the part.
//!
//! Single noisy points are no defect: regions are found in deviations smoothed over a small neighbourhood, and the peak
//! of a region is taken from a paraboloid fitted around its worst point, so that neither a single outlier nor the
//! smoothing determines it. Points beyond the maximum distance are included: connected groups of them are regions out
//! of tolerance, or are classified as clutter (`clutter`).

mod candidates;
mod clutter;
mod outliers;
mod peak;
mod samples;
mod sides;
mod supported;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::coverage::Footprint;
use super::{DeviationMap, DistantPoints, Limits, Parameters};
use base::{Progress, Result};
use candidates::Candidates;
use clutter::ClutterTest;
use compute::Backend;
use compute::point_deviation::PointDeviation;
use geometry::{Aabb, DisjointSets, Point, Pose, Surface, Vector};
use outliers::Membership;
pub use outliers::Outliers;
use samples::{Sample, Samples};
use sides::Sides;
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
            let is_large = samples.area_mm2(members) >= request.parameters.min_region_mm2;
            is_large && points.supporting(&samples, &sides, members) >= MIN_POINTS
        };
        for members in groups.iter().filter(|members| is_region(members)) {
            in_regions.add(members);
            found.add(&samples, &sides, members, false, is_region);
        }
        found.outliers = in_regions.outliers(samples.len(), &sides);
    }
    among_points(backend, request, &mut found, progress)?;
    let severity = |own: &Region| (own.excess_mm, own.peak_mm.abs());
    found.regions.sort_by(|a, b| {
        let ((excess_mm, peak_mm), (other_excess_mm, other_peak_mm)) = (severity(a), severity(b));
        other_excess_mm.total_cmp(&excess_mm).then(other_peak_mm.total_cmp(&peak_mm))
    });
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
    ) {
        let mut by_own = sides.by_own(members);
        by_own.retain(|_, members| is_region(members));
        let worst = sides.worst(samples, by_own.values().flatten()).or_else(|| sides.worst(samples, members));
        by_own.keys().flatten().for_each(|&own| self.on_own[own] += 1);
        if let (true, Some(own)) = (by_own.is_empty(), worst.and_then(|index| sides.own(index))) {
            self.on_own[own] += 1;
        }
        self.regions.push(region_of(samples, sides, members, worst, beyond_max_distance));
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
    let points = indices.par_iter().map(|&i| request.nominal_from_scan * request.points[i as usize]).collect();
    let normals: Vec<Vector> = facets.par_iter().map(|&facet| request.surface.mesh().normal(facet as usize)).collect();
    let sides = Sides { limits: request.limits, facets: &facets };
    let is_out = |index: u32, value_mm: f64| sides.of(index, value_mm) != 0;
    found.missed = (compared..within).filter(|&i| is_out(i as u32, values_mm[i])).count();
    let samples = Samples::of_points(backend, points, values_mm, &normals, is_out, progress)?;
    let within_of = |members: &[u32]| members.partition_point(|&i| (i as usize) < within);
    let clutter_test = ClutterTest::new(request);
    // Clutter is removed; its points within the maximum distance are grouped anew on their own.
    let (mut groups, mut near_clutter, mut far_in_regions) = (Vec::new(), vec![0_i8; samples.len()], 0);
    for members in connected(&sides.of_all(&samples), &samples) {
        // What lies near the nominal is part of it, however far it is along the direction.
        let (near, far) = members.split_at(members.partition_point(|&i| (i as usize) < near));
        if far.len() < MIN_POINTS || clutter_test.belongs_to_part(&samples, &facets, far) {
            groups.push(members);
            continue;
        }
        near.iter().for_each(|&i| near_clutter[i as usize] = sides.of(i, samples.deviation_mm(i as usize)));
        found.clutter.points += far.len();
        let worst = sides.worst(&samples, far);
        found.clutter.groups.push(Region { own_tolerance: None, ..region_of(&samples, &sides, far, worst, true) });
    }
    if near_clutter.iter().any(|&side| side != 0) {
        groups.extend(connected(&near_clutter, &samples));
    }
    let mut in_regions = Membership::new(&samples);
    let is_region = |members: &[u32]| {
        samples.area_mm2(members) >= request.parameters.min_region_mm2 && is_supported(&samples, &sides, members)
    };
    for members in groups.iter().filter(|members| is_region(members)) {
        let far = members.len() - within_of(members);
        far_in_regions += far;
        in_regions.add(members);
        found.add(&samples, &sides, members, 2 * far > members.len(), is_region);
    }
    found.clutter.stray_points = indices.len() - within - far_in_regions - found.clutter.points;
    if within > 0 {
        found.outliers = in_regions.outliers(within, &sides);
    }
    Ok(())
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
        radius_mm: 0.5 * bounds.diagonal(),
        beyond_max_distance,
        own_tolerance,
    }
}

#[cfg(test)]
mod tests;
