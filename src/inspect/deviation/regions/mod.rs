//! Connected regions out of tolerance, and what in the scan does not belong to the part.
//!
//! Single noisy points are no defect: a region is looked for in deviations smoothed over a small neighbourhood, and its
//! peak is read off a paraboloid fitted around the worst point, so that neither one fly point nor the smoothing
//! decides it. Points beyond the largest distance take part: what they form is a region out of tolerance, or is told
//! apart as clutter (`clutter`).

mod clutter;
mod peak;
mod places;
mod supported;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::coverage::Footprint;
use super::{Beyond, DeviationMap, Parameters};
use base::{Progress, Result};
use clutter::Judge;
use compute::Backend;
use compute::point_deviation::PointDeviation;
use geometry::{Aabb, DisjointSets, Point, Pose, Surface, Vector};
use places::{Place, Places};
use supported::OutOfTolerance;

/// A connected region out of tolerance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Region {
    /// Its centre, nominal frame, mm.
    pub centre_mm: [f64; 3],
    /// Its area, mm².
    pub area_mm2: f64,
    /// Its robust peak, mm, signed.
    pub peak_mm: f64,
    /// Where the peak is, nominal frame, mm.
    pub peak_at_mm: [f64; 3],
    /// Points or facets in it.
    pub places: usize,
    /// Half the diagonal of its box, mm: how near a view must go.
    pub radius_mm: f64,
    /// Whether most of it lies beyond the largest distance, where the colours end: material that the nominal does not
    /// have at all, or that the part lacks.
    pub beyond_max_distance: bool,
}

/// What is in the scan and not on the part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Clutter {
    /// Points in connected groups that are explained as other things than the part.
    pub points: usize,
    /// The groups, largest first.
    pub groups: Vec<Region>,
    /// Points beyond the largest distance that form no surface.
    pub stray_points: usize,
}

/// Points out of tolerance that belong to no region.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outliers {
    /// How many.
    pub count: usize,
    /// The largest deviation among them by its size, mm, signed.
    pub largest_mm: f64,
}

/// What was found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Regions out of tolerance of at least the smallest area that counts, worst first.
    pub regions: Vec<Region>,
    /// What is not the part.
    pub clutter: Clutter,
    /// What is out of tolerance outside of regions.
    pub outliers: Outliers,
}

/// What regions are looked for in.
pub struct Request<'a> {
    /// Deviations of points or facets.
    pub map: &'a DeviationMap,
    /// Deviation of each point from the closest place of the nominal.
    pub closest: &'a [PointDeviation],
    /// Points farther than the largest distance.
    pub beyond: &'a Beyond,
    /// The nominal.
    pub surface: &'a Surface,
    /// The scan's points, scan frame, mm.
    pub points: &'a [Point],
    /// Moves the scan onto the nominal.
    pub nominal_from_scan: &'a Pose,
    /// Where the compared points lie on the nominal.
    pub footprint: &'a Footprint,
    /// Tolerance and smallest area.
    pub parameters: &'a Parameters,
}

/// Points that a region of a scan needs: fewer are strays, whatever area they stand for.
pub const MIN_POINTS: usize = 8;

/// Finds the regions.
pub fn find(backend: &dyn Backend, request: &Request<'_>, progress: &Progress) -> Result<Found> {
    let mut found = Found::default();
    if let DeviationMap::Facets { nominal, values, .. } = request.map {
        let places = Places::of_facets(nominal, values);
        let groups = connected(&sides(&places, request.parameters), &places);
        let mut in_regions = Membership::new(&places);
        let points = OutOfTolerance::new(request);
        for members in groups {
            let region = region_of(&places, &members, false);
            let is_large = region.area_mm2 >= request.parameters.min_region_mm2;
            if is_large && points.at(&places, &members, request) >= MIN_POINTS {
                in_regions.add(&members);
                found.regions.push(region);
            }
        }
        found.outliers = in_regions.outliers(places.len(), request.parameters);
    }
    among_points(backend, request, &mut found, progress)?;
    found.regions.sort_by(|a, b| b.peak_mm.abs().total_cmp(&a.peak_mm.abs()));
    found.clutter.groups.sort_by(|a, b| b.area_mm2.total_cmp(&a.area_mm2));
    Ok(found)
}

/// The points that are compared, then those beyond the largest distance.
struct Candidates {
    numbers: Vec<u32>,
    values_mm: Vec<f64>,
    facets: Vec<u32>,
    /// How many are compared.
    compared: usize,
}

impl Candidates {
    fn new(request: &Request<'_>) -> Self {
        let mut own = Self { numbers: Vec::new(), values_mm: Vec::new(), facets: Vec::new(), compared: 0 };
        if let DeviationMap::Points(deviations) = request.map {
            let all = (0..deviations.len().min(request.points.len()) as u32).into_par_iter();
            own.numbers = all.filter(|&i| deviations[i as usize].value().is_some()).collect();
            own.values_mm = own.numbers.par_iter().map(|&i| deviations[i as usize].deviation_mm).collect();
            own.facets = own.numbers.par_iter().map(|&i| deviations[i as usize].facet).collect();
        }
        own.compared = own.numbers.len();
        for (number, deviation) in request.beyond.numbers.iter().zip(&request.beyond.deviations) {
            own.numbers.push(*number);
            own.values_mm.push(deviation.deviation_mm);
            own.facets.push(deviation.facet);
        }
        own
    }
}

fn among_points(backend: &dyn Backend, request: &Request<'_>, found: &mut Found, progress: &Progress) -> Result<()> {
    let Candidates { numbers, values_mm, facets, compared } = Candidates::new(request);
    if numbers.is_empty() {
        return Ok(());
    }
    let points = numbers.par_iter().map(|&i| request.nominal_from_scan * request.points[i as usize]).collect();
    let normals: Vec<Vector> = facets.par_iter().map(|&facet| request.surface.mesh().normal(facet as usize)).collect();
    let is_out = |value_mm: f64| side(value_mm, request.parameters) != 0;
    let places = Places::of_points(backend, points, values_mm, &normals, is_out, progress)?;
    let far_of = |members: &[u32]| members.partition_point(|&i| (i as usize) < compared);
    let judge = Judge::new(request);
    // What is explained as clutter leaves; what of it lies near the part is judged by itself.
    let (mut groups, mut near_clutter, mut far_in_regions) = (Vec::new(), vec![0_i8; places.len()], 0);
    for members in connected(&sides(&places, request.parameters), &places) {
        let (near, far) = members.split_at(far_of(&members));
        if far.len() < MIN_POINTS || judge.belongs_to_part(&places, &facets, far) {
            groups.push(members);
            continue;
        }
        near.iter().for_each(|&i| near_clutter[i as usize] = side(places.deviation_mm(i as usize), request.parameters));
        found.clutter.points += far.len();
        found.clutter.groups.push(region_of(&places, far, true));
    }
    if near_clutter.iter().any(|&side| side != 0) {
        groups.extend(connected(&near_clutter, &places));
    }
    let mut in_regions = Membership::new(&places);
    for members in groups {
        let far = members.len() - far_of(&members);
        let region = region_of(&places, &members, 2 * far > members.len());
        if counts(&places, &members, &region, request.parameters) {
            far_in_regions += far;
            in_regions.add(&members);
            found.regions.push(region);
        }
    }
    found.clutter.stray_points = numbers.len() - compared - far_in_regions - found.clutter.points;
    if compared > 0 {
        found.outliers = in_regions.outliers(compared, request.parameters);
    }
    Ok(())
}

/// Whether a group of points is enough to be a region: its area, and points that are out of tolerance themselves, not
/// only by the smoothing.
fn counts(places: &Places, members: &[u32], region: &Region, parameters: &Parameters) -> bool {
    let out = members.iter().filter(|&&i| side(places.place(i).raw_mm, parameters) != 0).count();
    region.area_mm2 >= parameters.min_region_mm2 && out >= MIN_POINTS && 2 * out > members.len()
}

/// Which places lie in regions.
struct Membership<'a> {
    places: &'a Places,
    inside: Vec<bool>,
}

impl<'a> Membership<'a> {
    fn new(places: &'a Places) -> Self {
        Self { places, inside: vec![false; places.len()] }
    }

    fn add(&mut self, members: &[u32]) {
        members.iter().for_each(|&i| self.inside[i as usize] = true);
    }

    /// What is out of tolerance outside of regions, among the first `count` places.
    fn outliers(&self, count: usize, parameters: &Parameters) -> Outliers {
        let alone = |i: usize| {
            let raw_mm = self.places.raw_mm(i);
            (!self.inside[i] && side(raw_mm, parameters) != 0).then_some(raw_mm)
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
        // Of equal sizes the positive one, whatever the order.
        let key = |own: &Self| (own.largest_mm.abs(), own.largest_mm);
        let largest_mm = if key(&other) > key(&self) { other.largest_mm } else { self.largest_mm };
        Self { count: self.count + other.count, largest_mm }
    }
}

/// 1 above the tolerance, -1 below it, 0 within; no data compares with nothing.
fn side(deviation_mm: f64, parameters: &Parameters) -> i8 {
    match deviation_mm {
        d if d > parameters.tolerance.high_mm => 1,
        d if d < parameters.tolerance.low_mm => -1,
        _ => 0,
    }
}

fn sides(places: &Places, parameters: &Parameters) -> Vec<i8> {
    (0..places.len()).into_par_iter().map(|i| side(places.deviation_mm(i), parameters)).collect()
}

/// Groups of linked places on the same side out of tolerance, each in ascending order.
fn connected(out: &[i8], places: &Places) -> Vec<Vec<u32>> {
    let mut sets = DisjointSets::new(out.len());
    for place in (0..out.len()).filter(|&place| out[place] != 0) {
        for &other in places.links(place).iter().filter(|&&other| out.get(other as usize) == Some(&out[place])) {
            sets.join(place as u32, other);
        }
    }
    sets.groups((0..out.len() as u32).filter(|&place| out[place as usize] != 0))
}

fn region_of(places: &Places, members: &[u32], beyond_max_distance: bool) -> Region {
    let members: Vec<Place> = members.iter().map(|&number| places.place(number)).collect();
    let bounds = Aabb::of_points(members.iter().map(|member| &member.point));
    let area_mm2: f64 = members.iter().map(|member| member.area_mm2).sum();
    let weighted: Vector = members.iter().map(|member| member.point.coords * member.area_mm2).sum();
    let centre = if area_mm2 > 0.0 { weighted / area_mm2 } else { bounds.centre().coords };
    let worst = members
        .iter()
        .max_by(|a, b| a.deviation_mm.abs().total_cmp(&b.deviation_mm.abs()))
        .map_or_else(|| bounds.centre(), |member| member.point);
    Region {
        centre_mm: centre.into(),
        area_mm2,
        peak_mm: peak::of(&members, &worst),
        peak_at_mm: worst.coords.into(),
        places: members.len(),
        radius_mm: 0.5 * bounds.diagonal(),
        beyond_max_distance,
    }
}

#[cfg(test)]
mod tests;
