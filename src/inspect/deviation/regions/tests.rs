use super::*;
use crate::parts::Nominal;
use base::random::Random;
use compute::cpu::Cpu;
use compute::point_deviation::{MatchState, PointDeviation};

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
    let sheet = geometry::mesh::shapes::cuboid(Point::new(0.0, 0.0, -1.0), Point::new(60.0, 40.0, 0.0));
    let (nominal, pose) = (Nominal::in_memory("sheet", Surface::new(sheet)), Pose::identity());
    let surface = &nominal.surface;
    let DeviationMap::Points(deviations) = map else { panic!("points") };
    let footprint = Footprint::new(deviations, surface, points, &pose);
    let request = Request {
        map,
        closest: deviations,
        beyond: &DistantPoints::default(),
        beyond_along: &DistantPoints::default(),
        missed: &DistantPoints::default(),
        surface,
        points,
        nominal_from_scan: &pose,
        footprint: &footprint,
        limits: &Limits::new(parameters, &nominal).unwrap(),
        parameters,
    };
    find(&Cpu, &request, &Progress::silent()).unwrap().regions
}

#[test]
fn stray_points_over_unmeasured_faces_form_no_region() {
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
fn noise_alone_gives_no_region_and_a_bump_gives_one_of_the_right_height() {
    let parameters = Parameters { min_region_mm2: Some(1.0), ..Parameters::default() };
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
fn the_worst_region_is_the_one_that_exceeds_its_limit_most() {
    let tolerance = super::super::Tolerance { low_mm: -0.5, high_mm: 0.1 };
    let parameters = Parameters { min_region_mm2: Some(1.0), tolerance, ..Parameters::default() };
    // 0.1 mm below the lower limit, and 0.3 mm above the upper one.
    let steps = |x: f64, _| {
        if x < 20.0 {
            -0.6
        } else if x > 40.0 {
            0.4
        } else {
            0.0
        }
    };
    let (points, map) = flat_scan(steps);
    let regions = find_flat(&map, &points, &parameters);
    assert_eq!(regions.len(), 2, "{regions:?}");
    assert!((regions[0].peak_mm - 0.4).abs() < 0.05 && (regions[1].peak_mm + 0.6).abs() < 0.05, "{regions:?}");
    assert!((regions[0].excess_mm - (regions[0].peak_mm - 0.1)).abs() < 1e-12, "{regions:?}");
}

#[test]
fn opposite_signs_are_two_regions_even_when_they_touch() {
    let parameters = Parameters { min_region_mm2: Some(1.0), ..Parameters::default() };
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
