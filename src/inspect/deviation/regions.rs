//! Connected patches out of tolerance.
//!
//! Single noisy points are no defect: a patch is looked for in deviations smoothed over a small neighbourhood, and its
//! peak is read off a paraboloid fitted around the worst place, so that neither one fly point nor the smoothing
//! decides it.

use nalgebra::{DMatrix, DVector};
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
    let (places, links) = match map {
        DeviationMap::Points(deviations) => {
            let known: Vec<Known> = deviations
                .iter()
                .zip(points)
                .filter_map(|(deviation, point)| {
                    Some(Known {
                        point: nominal_from_scan * point,
                        deviation_mm: deviation.value()?,
                        normal: surface.mesh().normal(deviation.facet as usize),
                    })
                })
                .collect();
            point_places(backend, &known, progress)?
        }
        DeviationMap::Facets { nominal, values } => facet_places(nominal, values),
    };
    let out: Vec<i8> = places
        .iter()
        .map(|place| match place.deviation_mm {
            d if d > parameters.tolerance.high_mm => 1,
            d if d < parameters.tolerance.low_mm => -1,
            // No data compares with nothing.
            _ => 0,
        })
        .collect();
    let mut regions: Vec<Region> = connected(&out, &links)
        .into_iter()
        .map(|members| region_of(&places, &members))
        .filter(|region| region.area_mm2 >= parameters.min_region_mm2)
        .collect();
    regions.sort_by(|a, b| b.peak_mm.abs().total_cmp(&a.peak_mm.abs()));
    Ok(regions)
}

/// A point with data.
struct Known {
    point: Point,
    deviation_mm: f64,
    /// Of the nominal's facet it was measured to.
    normal: Vector,
}

/// Links of a place to its neighbours; unused ones are [`NO_LINK`].
type Links = [u32; LINKS];

fn facet_places(nominal: &Mesh, values: &[FacetDeviation]) -> (Vec<Place>, Vec<Links>) {
    let topology = topology::Topology::new(nominal);
    let places = (0..values.len())
        .map(|facet| {
            let corners = nominal.corners(facet);
            let deviation_mm = values[facet].value().unwrap_or(f64::NAN);
            Place {
                point: triangle::centroid(&corners),
                raw_mm: deviation_mm,
                deviation_mm,
                area_mm2: 0.5 * triangle::area_vector(&corners).norm(),
            }
        })
        .collect();
    let links = |neighbours: &[u32; 3]| std::array::from_fn(|i| neighbours.get(i).copied().unwrap_or(NO_LINK));
    (places, topology.neighbours.iter().map(links).collect())
}

/// A neighbourhood this much larger in area than the usual one is no surface: stray points over unseen faces.
const SPARSE: f64 = 25.0;

/// Smooths the deviations of points over neighbours that belong to the same face, and links each to its nearest.
fn point_places(backend: &dyn Backend, known: &[Known], progress: &Progress) -> Result<(Vec<Place>, Vec<Links>)> {
    let points: Vec<Point> = known.iter().map(|known| known.point).collect();
    let values: Vec<f64> = known.iter().map(|known| known.deviation_mm).collect();
    let normals: Vec<Vector> = known.iter().map(|known| known.normal).collect();
    let points = SearchablePoints::new(&points);
    let smoothed =
        backend.smooth(&smoothing::Request { points: &points, values: &values, normals: &normals }, progress)?;
    let area = |own: &Smoothed| std::f64::consts::PI * own.reach_mm2 / f64::from(own.neighbours.max(1));
    let mut areas: Vec<f64> = smoothed.iter().map(area).collect();
    let middle = areas.len() / 2;
    let typical = if areas.is_empty() { 0.0 } else { *areas.select_nth_unstable_by(middle, f64::total_cmp).1 };
    let place = |(known, own): (&Known, &Smoothed)| {
        let area_mm2 = area(own);
        if area_mm2 > SPARSE * typical {
            let nothing =
                Place { point: known.point, raw_mm: known.deviation_mm, deviation_mm: f64::NAN, area_mm2: 0.0 };
            return (nothing, [NO_LINK; LINKS]);
        }
        let (raw_mm, deviation_mm) = (known.deviation_mm, own.value);
        (Place { point: known.point, raw_mm, deviation_mm, area_mm2 }, own.links)
    };
    Ok(known.iter().zip(&smoothed).map(place).unzip())
}

/// Groups of linked places on the same side out of tolerance.
fn connected(out: &[i8], links: &[Links]) -> Vec<Vec<u32>> {
    let mut parent: Vec<u32> = (0..out.len() as u32).collect();
    fn root(parent: &mut [u32], mut place: u32) -> u32 {
        while parent[place as usize] != place {
            parent[place as usize] = parent[parent[place as usize] as usize];
            place = parent[place as usize];
        }
        place
    }
    for (place, links) in links.iter().enumerate().filter(|(place, _)| out[*place] != 0) {
        for &other in links.iter().filter(|&&other| out.get(other as usize) == Some(&out[place])) {
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

fn region_of(places: &[Place], members: &[u32]) -> Region {
    let member = |number: &u32| &places[*number as usize];
    let bounds = Aabb::of_points(members.iter().map(|number| &member(number).point));
    let area_mm2: f64 = members.iter().map(|number| member(number).area_mm2).sum();
    let weighted: nalgebra::Vector3<f64> =
        members.iter().map(|number| member(number).point.coords * member(number).area_mm2).sum();
    let centre = if area_mm2 > 0.0 { weighted / area_mm2 } else { bounds.centre().coords };
    let worst = members
        .iter()
        .max_by(|a, b| member(a).deviation_mm.abs().total_cmp(&member(b).deviation_mm.abs()))
        .map_or_else(|| bounds.centre(), |number| member(number).point);
    Region {
        centre_mm: centre.into(),
        area_mm2,
        peak_mm: peak_mm(places, members, &worst),
        peak_at_mm: worst.coords.into(),
        places: members.len(),
        radius_mm: 0.5 * bounds.diagonal(),
    }
}

/// The height at `worst` of the paraboloid that fits the region's nearest places best.
fn peak_mm(places: &[Place], members: &[u32], worst: &Point) -> f64 {
    let mut near: Vec<(f64, u32)> =
        members.iter().map(|&number| ((places[number as usize].point - worst).norm_squared(), number)).collect();
    near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    near.truncate(PEAK_NEIGHBOURS);
    let extreme = places[near[0].1 as usize].deviation_mm;
    if near.len() < 12 {
        return extreme;
    }
    // Coordinates in the plane of the patch: its two widest directions.
    let offsets: Vec<_> = near.iter().map(|&(_, number)| places[number as usize].point - worst).collect();
    let spread = offsets.iter().fold(nalgebra::Matrix3::zeros(), |sum, away| sum + away * away.transpose());
    let eigen = nalgebra::SymmetricEigen::new(spread);
    let thin = eigen.eigenvalues.imin();
    let axes: Vec<_> = (0..3).filter(|&axis| axis != thin).map(|axis| eigen.eigenvectors.column(axis)).collect();
    let scale = near.last().map_or(1.0, |(squared, _)| squared.sqrt()).max(f64::MIN_POSITIVE);
    let rows = DMatrix::from_fn(near.len(), 6, |row, column| {
        let (u, v) = (offsets[row].dot(&axes[0]) / scale, offsets[row].dot(&axes[1]) / scale);
        [1.0, u, v, u * u, u * v, v * v][column]
    });
    let heights = DVector::from_fn(near.len(), |row, _| places[near[row].1 as usize].raw_mm);
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
