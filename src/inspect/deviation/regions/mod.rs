//! Connected regions out of tolerance, and points of the scan that do not belong to the part.
//!
//! Single noisy points are no defect: regions are found in deviations smoothed over a small neighbourhood, and the peak
//! of a region is taken from a paraboloid fitted around its worst point, so that neither a single outlier nor the
//! smoothing determines it. Points beyond the maximum distance are included: connected groups of them are regions out
//! of tolerance, or are classified as clutter (`clutter`).

mod clutter;
mod peak;
mod samples;
mod sides;
mod supported;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::coverage::Footprint;
use super::{DeviationMap, DistantPoints, Limits, Parameters};
use base::{Progress, Result};
use clutter::ClutterTest;
use compute::Backend;
use compute::point_deviation::PointDeviation;
use geometry::{Aabb, DisjointSets, Point, Pose, Surface, Vector};
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

/// Points out of tolerance outside regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// Number of points or facets.
    pub count: usize,
    /// The deviation of largest magnitude among them, signed, mm.
    pub largest_mm: f64,
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
            found.add(region_of(&samples, &sides, members, false), &sides, members, is_region);
        }
        found.outliers = in_regions.outliers(samples.len(), &sides);
    }
    among_points(backend, request, &mut found, progress)?;
    found.regions.sort_by(|a, b| b.peak_mm.abs().total_cmp(&a.peak_mm.abs()));
    found.clutter.groups.sort_by(|a, b| b.area_mm2.total_cmp(&a.area_mm2));
    Ok(found)
}

impl RegionSearch {
    /// Adds a region; `members` are its samples, and `is_region` says whether some of them are one by themselves: a
    /// sample or two beyond the edge of a face do not fail the face beside it.
    fn add(&mut self, region: Region, sides: &Sides<'_>, members: &[u32], is_region: impl Fn(&[u32]) -> bool) {
        let on_own = sides.by_own(members).into_iter().filter(|(_, members)| is_region(members));
        on_own.for_each(|(own, _)| self.on_own[own] += 1);
        self.regions.push(region);
    }
}

/// The compared points, followed by those beyond the maximum distance.
struct Candidates {
    /// Indices in the scan.
    indices: Vec<u32>,
    values_mm: Vec<f64>,
    facets: Vec<u32>,
    /// Number of compared points.
    compared: usize,
    /// Number of those and of points that are near the nominal, but beyond the maximum distance along the direction.
    near: usize,
}

impl Candidates {
    fn new(request: &Request<'_>) -> Self {
        let mut own = Self { indices: Vec::new(), values_mm: Vec::new(), facets: Vec::new(), compared: 0, near: 0 };
        if let DeviationMap::Points(deviations) = request.map {
            let all = (0..deviations.len().min(request.points.len()) as u32).into_par_iter();
            own.indices = all.filter(|&i| deviations[i as usize].value().is_some()).collect();
            own.values_mm = own.indices.par_iter().map(|&i| deviations[i as usize].deviation_mm).collect();
            own.facets = own.indices.par_iter().map(|&i| deviations[i as usize].facet).collect();
        }
        own.compared = own.indices.len();
        own.near = own.compared + request.beyond_along.indices.len();
        let far = [request.beyond_along, request.beyond];
        for (index, deviation) in far.into_iter().flat_map(|far| far.indices.iter().zip(&far.deviations)) {
            own.indices.push(*index);
            own.values_mm.push(deviation.deviation_mm);
            own.facets.push(deviation.facet);
        }
        own
    }
}

fn among_points(
    backend: &dyn Backend,
    request: &Request<'_>,
    found: &mut RegionSearch,
    progress: &Progress,
) -> Result<()> {
    let Candidates { indices, values_mm, facets, compared, near } = Candidates::new(request);
    if indices.is_empty() {
        return Ok(());
    }
    let points = indices.par_iter().map(|&i| request.nominal_from_scan * request.points[i as usize]).collect();
    let normals: Vec<Vector> = facets.par_iter().map(|&facet| request.surface.mesh().normal(facet as usize)).collect();
    let sides = Sides { limits: request.limits, facets: &facets };
    let is_out = |index: u32, value_mm: f64| sides.of(index, value_mm) != 0;
    let samples = Samples::of_points(backend, points, values_mm, &normals, is_out, progress)?;
    let far_of = |members: &[u32]| members.partition_point(|&i| (i as usize) < compared);
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
        found.clutter.groups.push(Region { own_tolerance: None, ..region_of(&samples, &sides, far, true) });
    }
    if near_clutter.iter().any(|&side| side != 0) {
        groups.extend(connected(&near_clutter, &samples));
    }
    let mut in_regions = Membership::new(&samples);
    let is_region = |members: &[u32]| {
        samples.area_mm2(members) >= request.parameters.min_region_mm2 && is_supported(&samples, &sides, members)
    };
    for members in groups.iter().filter(|members| is_region(members)) {
        let far = members.len() - far_of(members);
        far_in_regions += far;
        in_regions.add(members);
        found.add(region_of(&samples, &sides, members, 2 * far > members.len()), &sides, members, is_region);
    }
    found.clutter.stray_points = indices.len() - compared - far_in_regions - found.clutter.points;
    if compared > 0 {
        found.outliers = in_regions.outliers(compared, &sides);
    }
    Ok(())
}

/// Whether a group of points is a region if it is large enough: enough of its points, and most of them, are out of
/// tolerance themselves, not only after smoothing.
fn is_supported(samples: &Samples, sides: &Sides<'_>, members: &[u32]) -> bool {
    let out = members.iter().filter(|&&i| sides.of(i, samples.sample(i).raw_mm) != 0).count();
    out >= MIN_POINTS && 2 * out > members.len()
}

/// Membership of samples in regions.
struct Membership<'a> {
    samples: &'a Samples,
    inside: Vec<bool>,
}

impl<'a> Membership<'a> {
    fn new(samples: &'a Samples) -> Self {
        Self { samples, inside: vec![false; samples.len()] }
    }

    fn add(&mut self, members: &[u32]) {
        members.iter().for_each(|&i| self.inside[i as usize] = true);
    }

    /// The samples out of tolerance outside regions, among the first `count`.
    fn outliers(&self, count: usize, sides: &Sides<'_>) -> Outliers {
        let alone = |i: usize| {
            let raw_mm = self.samples.raw_mm(i);
            (!self.inside[i] && sides.of(i as u32, raw_mm) != 0).then_some(raw_mm)
        };
        let none = Outliers::default;
        (0..count).into_par_iter().filter_map(alone).fold(none, Outliers::with).reduce(none, Outliers::and)
    }
}

impl Outliers {
    fn with(self, raw_mm: f64) -> Self {
        self.and(Self { count: 1, largest_mm: raw_mm })
    }

    fn and(self, other: Self) -> Self {
        // Of equal magnitudes the positive one, regardless of order.
        let key = |own: &Self| (own.largest_mm.abs(), own.largest_mm);
        let largest_mm = if key(&other) > key(&self) { other.largest_mm } else { self.largest_mm };
        Self { count: self.count + other.count, largest_mm }
    }
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

fn region_of(samples: &Samples, sides: &Sides<'_>, members: &[u32], beyond_max_distance: bool) -> Region {
    let worst = members.iter().copied().max_by(|a, b| sides.compare(samples, *a, *b));
    let own_tolerance = worst.and_then(|index| sides.own_name(index));
    let area_mm2 = samples.area_mm2(members);
    let members: Vec<Sample> = members.iter().map(|&index| samples.sample(index)).collect();
    let bounds = Aabb::of_points(members.iter().map(|member| &member.point));
    let weighted: Vector = members.iter().map(|member| member.point.coords * member.area_mm2).sum();
    let centre = if area_mm2 > 0.0 { weighted / area_mm2 } else { bounds.centre().coords };
    let worst = worst.map_or_else(|| bounds.centre(), |index| samples.sample(index).point);
    Region {
        centre_mm: centre.into(),
        area_mm2,
        peak_mm: peak::of(&members, &worst),
        peak_at_mm: worst.coords.into(),
        count: members.len(),
        radius_mm: 0.5 * bounds.diagonal(),
        beyond_max_distance,
        own_tolerance,
    }
}

#[cfg(test)]
mod tests;
