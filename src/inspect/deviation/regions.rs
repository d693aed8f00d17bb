//! Connected patches out of tolerance.
//!
//! Single noisy points are no defect: a patch is looked for in deviations smoothed over a small neighbourhood, and its
//! peak is read off a paraboloid fitted around the worst place, so that neither one fly point nor the smoothing
//! decides it.

use nalgebra::{DMatrix, DVector};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{DeviationMap, Parameters};
use crate::base::{Progress, Result};
use crate::compute::Backend;
use crate::compute::point_facet_matching::FacetDeviation;
use crate::compute::smoothing::{self, LINKS, NO_LINK, Smoothed};
use crate::geometry::{Aabb, Mesh, Point, Pose, SearchablePoints, Surface, Vector, topology, triangle};

/// A patch out of tolerance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// Its middle, nominal frame, mm.
    pub centre_mm: [f64; 3],
    /// Its area, mm².
    pub area_mm2: f64,
    /// Its robust peak, mm, signed.
    pub peak_mm: f64,
    /// Where the peak is, nominal frame, mm.
    pub peak_at_mm: [f64; 3],
    /// Places (points or facets) in it.
    pub places: usize,
    /// Half the diagonal of its box, mm: how near a view must go.
    pub radius_mm: f64,
}

/// Neighbours that the paraboloid is fitted to.
const PEAK_NEIGHBOURS: usize = 48;

/// One measured place.
#[derive(Clone, Copy)]
struct Place {
    point: Point,
    /// As measured.
    raw_mm: f64,
    /// Smoothed over its neighbours.
    deviation_mm: f64,
    area_mm2: f64,
}

/// The patches out of tolerance of at least `parameters.min_region_mm2`, worst first.
pub fn find(
    backend: &dyn Backend,
    map: &DeviationMap,
    surface: &Surface,
    points: &[Point],
    nominal_from_scan: &Pose,
    parameters: &Parameters,
    progress: &Progress,
) -> Result<Vec<Region>> {
    let places = match map {
        DeviationMap::Points(deviations) => {
            let known: Vec<u32> = (0..deviations.len().min(points.len()) as u32)
                .into_par_iter()
                .filter(|&i| deviations[i as usize].value().is_some())
                .collect();
            let of = |number: u32| (&deviations[number as usize], &points[number as usize]);
            let normals: Vec<Vector> =
                known.par_iter().map(|&i| surface.mesh().normal(of(i).0.facet as usize)).collect();
            Places::of_points(
                backend,
                known.par_iter().map(|&i| nominal_from_scan * of(i).1).collect(),
                known.par_iter().map(|&i| of(i).0.deviation_mm).collect(),
                &normals,
                progress,
            )?
        }
        DeviationMap::Facets { nominal, values } => Places::of_facets(nominal, values),
    };
    let side = |i: usize| match places.deviation_mm(i) {
        d if d > parameters.tolerance.high_mm => 1,
        d if d < parameters.tolerance.low_mm => -1,
        // No data compares with nothing.
        _ => 0,
    };
    let out: Vec<i8> = (0..places.len()).into_par_iter().map(side).collect();
    let mut regions: Vec<Region> = connected(&out, &places)
        .into_iter()
        .map(|members| region_of(&places, &members))
        .filter(|region| region.area_mm2 >= parameters.min_region_mm2)
        .collect();
    regions.sort_by(|a, b| b.peak_mm.abs().total_cmp(&a.peak_mm.abs()));
    Ok(regions)
}

/// Links of a place to its neighbours; unused ones are [`NO_LINK`].
type Links = [u32; LINKS];

/// All measured places. Of many points few are out of tolerance: those are made when they are asked for.
enum Places {
    /// Of a scan.
    Points {
        points: Vec<Point>,
        values_mm: Vec<f64>,
        smoothed: Vec<Smoothed>,
        /// Places that stand for more than this are no surface, mm².
        most_area_mm2: f64,
    },
    /// Of facets.
    Facets { places: Vec<Place>, links: Vec<Links> },
}

/// Neighbourhoods that tell the usual area.
const USUAL: usize = 100_000;
/// A neighbourhood this much larger in area than the usual one is no surface: stray points over unseen faces.
const SPARSE: f64 = 25.0;

/// The area that a point stands for, mm².
fn area_mm2(own: &Smoothed) -> f64 {
    std::f64::consts::PI * own.reach_mm2 / f64::from(own.neighbours.max(1))
}

impl Places {
    /// Smooths the deviations of points over neighbours that belong to the same face, and links each to its nearest.
    fn of_points(
        backend: &dyn Backend,
        points: Vec<Point>,
        values_mm: Vec<f64>,
        normals: &[Vector],
        progress: &Progress,
    ) -> Result<Self> {
        let searchable = SearchablePoints::new(&points);
        let request = smoothing::Request { points: &searchable, values: &values_mm, normals };
        let smoothed = backend.smooth(&request, progress)?;
        let stride = smoothed.len().div_ceil(USUAL).max(1);
        let mut areas: Vec<f64> = smoothed.iter().step_by(stride).map(area_mm2).collect();
        let middle = areas.len() / 2;
        let usual = if areas.is_empty() { 0.0 } else { *areas.select_nth_unstable_by(middle, f64::total_cmp).1 };
        Ok(Self::Points { points, values_mm, smoothed, most_area_mm2: SPARSE * usual })
    }

    fn of_facets(nominal: &Mesh, values: &[FacetDeviation]) -> Self {
        let topology = topology::Topology::new(nominal);
        let place = |facet: usize| {
            let corners = nominal.corners(facet);
            let deviation_mm = values[facet].value().unwrap_or(f64::NAN);
            let area_mm2 = 0.5 * triangle::area_vector(&corners).norm();
            Place { point: triangle::centroid(&corners), raw_mm: deviation_mm, deviation_mm, area_mm2 }
        };
        let links = |neighbours: &[u32; 3]| std::array::from_fn(|i| neighbours.get(i).copied().unwrap_or(NO_LINK));
        Self::Facets {
            places: (0..values.len()).into_par_iter().map(place).collect(),
            links: topology.neighbours.par_iter().map(links).collect(),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Points { points, .. } => points.len(),
            Self::Facets { places, .. } => places.len(),
        }
    }

    /// Smoothed, where it is a surface that was measured; else NaN.
    fn deviation_mm(&self, i: usize) -> f64 {
        match self {
            Self::Points { smoothed, most_area_mm2, .. } => {
                if area_mm2(&smoothed[i]) > *most_area_mm2 {
                    f64::NAN
                } else {
                    smoothed[i].value
                }
            }
            Self::Facets { places, .. } => places[i].deviation_mm,
        }
    }

    fn links(&self, i: usize) -> &Links {
        match self {
            Self::Points { smoothed, .. } => &smoothed[i].links,
            Self::Facets { links, .. } => &links[i],
        }
    }

    fn place(&self, number: u32) -> Place {
        let i = number as usize;
        match self {
            Self::Points { points, values_mm, smoothed, .. } => Place {
                point: points[i],
                raw_mm: values_mm[i],
                deviation_mm: smoothed[i].value,
                area_mm2: area_mm2(&smoothed[i]),
            },
            Self::Facets { places, .. } => places[i],
        }
    }
}

/// Groups of linked places on the same side out of tolerance.
fn connected(out: &[i8], places: &Places) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..out.len() as u32).collect();
    fn root(parent: &mut [u32], mut place: u32) -> u32 {
        while parent[place as usize] != place {
            parent[place as usize] = parent[parent[place as usize] as usize];
            place = parent[place as usize];
        }
        place
    }
    for place in (0..out.len()).filter(|&place| out[place] != 0) {
        for &other in places.links(place).iter().filter(|&&other| out.get(other as usize) == Some(&out[place])) {
            let (a, b) = (root(&mut parent, place as u32), root(&mut parent, other));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut groups: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
    for place in (0..out.len()).filter(|&place| out[place] != 0) {
        groups.entry(root(&mut parent, place as u32)).or_default().push(place as u32);
    }
    groups.into_values().collect()
}

fn region_of(places: &Places, members: &[u32]) -> Region {
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
        peak_mm: peak_mm(&members, &worst),
        peak_at_mm: worst.coords.into(),
        places: members.len(),
        radius_mm: 0.5 * bounds.diagonal(),
    }
}

/// The height at `worst` of the paraboloid that fits the region's nearest places best.
fn peak_mm(members: &[Place], worst: &Point) -> f64 {
    let away = |member: &Place| (member.point - worst).norm_squared();
    let mut near: Vec<(f64, usize)> = members.iter().map(away).zip(0..).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(PEAK_NEIGHBOURS);
    let extreme = members[near[0].1].deviation_mm;
    if near.len() < 12 {
        return extreme;
    }
    // Coordinates in the plane of the patch: its two widest directions.
    let offsets: Vec<_> = near.iter().map(|&(_, number)| members[number].point - worst).collect();
    let spread = offsets.iter().fold(nalgebra::Matrix3::zeros(), |sum, away| sum + away * away.transpose());
    let eigen = nalgebra::SymmetricEigen::new(spread);
    let thin = eigen.eigenvalues.imin();
    let axes: Vec<_> = (0..3).filter(|&axis| axis != thin).map(|axis| eigen.eigenvectors.column(axis)).collect();
    let scale = near.last().map_or(1.0, |(squared, _)| squared.sqrt()).max(f64::MIN_POSITIVE);
    let rows = DMatrix::from_fn(near.len(), 6, |row, column| {
        let (u, v) = (offsets[row].dot(&axes[0]) / scale, offsets[row].dot(&axes[1]) / scale);
        [1.0, u, v, u * u, u * v, v * v][column]
    });
    let heights = DVector::from_fn(near.len(), |row, _| members[near[row].1].raw_mm);
    // Two rounds of Tukey weights keep a fly point from tilting the paraboloid.
    let mut weights = DVector::repeat(near.len(), 1.0_f64);
    let mut height = extreme;
    for _ in 0..3 {
        let weighted = DMatrix::from_fn(near.len(), 6, |row, column| rows[(row, column)] * weights[row]);
        let Ok(fit) = weighted.svd(true, true).solve(&heights.component_mul(&weights), 1e-9) else {
            break;
        };
        if !fit[0].is_finite() {
            break;
        }
        height = fit[0];
        let residuals = &heights - &rows * &fit;
        let mut sizes: Vec<f64> = residuals.iter().map(|r| r.abs()).collect();
        let middle = sizes.len() / 2;
        let limit = 4.685 * 1.4826 * *sizes.select_nth_unstable_by(middle, f64::total_cmp).1;
        weights = residuals.map(|r| if limit > 0.0 { (1.0 - (r / limit).powi(2)).max(0.0) } else { 1.0 });
    }
    height
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::compute::cpu::Cpu;
    use crate::compute::point_deviation::{MatchState, PointDeviation};

    fn flat_scan(deviation: impl Fn(f64, f64) -> f64) -> (Vec<Point>, DeviationMap) {
        let mut random = Random::new(1, 0);
        let mut points = Vec::new();
        let mut deviations = Vec::new();
        for _ in 0..40_000 {
            let (x, y) = (random.range(0.0, 60.0), random.range(0.0, 40.0));
            points.push(Point::new(x, y, 0.0));
            let deviation_mm = deviation(x, y) + 0.02 * random.normal();
            deviations.push(PointDeviation { deviation_mm, facet: 0, state: MatchState::Matched });
        }
        (points, DeviationMap::Points(deviations))
    }

    fn find_flat(map: &DeviationMap, points: &[Point], parameters: &Parameters) -> Vec<Region> {
        let sheet = crate::geometry::mesh::shapes::cuboid(Point::new(0.0, 0.0, -1.0), Point::new(60.0, 40.0, 0.0));
        find(&Cpu, map, &Surface::new(sheet), points, &Pose::identity(), parameters, &Progress::silent()).unwrap()
    }

    #[test]
    fn stray_points_over_unseen_faces_make_no_region() {
        let parameters = Parameters::default();
        let (mut points, map) = flat_scan(|_, _| 0.0);
        let DeviationMap::Points(mut deviations) = map else { panic!("points") };
        let mut random = Random::new(2, 0);
        for _ in 0..300 {
            points.push(Point::new(random.range(0.0, 60.0), random.range(0.0, 40.0), -200.0));
            let deviation_mm = random.range(-2.0, 2.0);
            deviations.push(PointDeviation { deviation_mm, facet: 0, state: MatchState::Matched });
        }
        assert!(find_flat(&DeviationMap::Points(deviations), &points, &parameters).is_empty());
    }

    #[test]
    fn noise_alone_makes_no_region_and_a_bump_makes_one_of_the_right_height() {
        let parameters = Parameters { min_region_mm2: 1.0, ..Parameters::default() };
        let (points, map) = flat_scan(|_, _| 0.0);
        assert!(find_flat(&map, &points, &parameters).is_empty());
        let bump = |x: f64, y: f64| {
            let r = ((x - 20.0).powi(2) + (y - 15.0).powi(2)).sqrt() / 5.0;
            if r < 1.0 { 0.4 * (0.5 + 0.5 * (std::f64::consts::PI * r).cos()) } else { 0.0 }
        };
        let (points, map) = flat_scan(bump);
        let regions = find_flat(&map, &points, &parameters);
        assert_eq!(regions.len(), 1, "{regions:?}");
        assert!((regions[0].peak_mm - 0.4).abs() < 0.02, "{}", regions[0].peak_mm);
        assert!((regions[0].centre_mm[0] - 20.0).abs() < 0.3 && (regions[0].centre_mm[1] - 15.0).abs() < 0.3);
        // Above 0.1 the bump is a disc: cos(pi r) = -0.5 at r = 2/3.
        let truth = std::f64::consts::PI * (5.0_f64 * 2.0 / 3.0).powi(2);
        assert!((regions[0].area_mm2 / truth - 1.0).abs() < 0.1, "{} {truth}", regions[0].area_mm2);
    }

    #[test]
    fn opposite_signs_are_two_regions_even_when_they_touch() {
        let parameters = Parameters { min_region_mm2: 1.0, ..Parameters::default() };
        let step = |x: f64, _| {
            if (20.0..25.0).contains(&x) {
                0.3
            } else if (25.0..30.0).contains(&x) {
                -0.3
            } else {
                0.0
            }
        };
        let (points, map) = flat_scan(step);
        let regions = find_flat(&map, &points, &parameters);
        let mut peaks: Vec<f64> = regions.iter().map(|region| region.peak_mm.signum()).collect();
        peaks.sort_by(f64::total_cmp);
        assert_eq!(peaks, vec![-1.0, 1.0]);
    }
}
