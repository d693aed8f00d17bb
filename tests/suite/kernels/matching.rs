//! Point-facet and facet-facet matching.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::cuda::{PublishedJob, PublishedStep};
use shadowgraph::compute::point_facet_matching::FacetDeviation;
use shadowgraph::compute::{Backend, Compute, facet_facet_matching, point_facet_matching};
use shadowgraph::geometry::{Mesh, Point, Pose, SearchablePoints, Surface, Vector, mesh::shapes, sampling};

use super::device;

/// Point-facet matching on the device counts what the processor counts, and its means agree to rounding.
fn point_facets_agree(nominal: &Mesh, points: &[Point], directions: &[Vector], pose: &Pose, radius_mm: Option<f64>) {
    let points = SearchablePoints::new(points);
    let request = point_facet_matching::Request {
        nominal,
        points: &points,
        directions,
        nominal_from_scan: pose,
        radius_mm,
        max_distance_mm: 0.7,
        max_angle_rad: 1.2,
    };
    let cuda = device();
    let ours = cuda.compute(&request, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
    for (facet, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
        assert_eq!(ours.matches, reference.matches, "{facet}");
        let apart = ours.value().unwrap_or_default() - reference.value().unwrap_or_default();
        assert!(apart.abs() < 1e-12, "{facet}: {ours:?} {reference:?}");
    }
}

#[test]
fn point_facet_matching_agrees_with_the_processor() {
    let mut random = Random::new(8, 8);
    for offset_mm in [0.0, 10_000.0] {
        let mut nominal = shapes::torus(30.0, 8.0, 60, 30);
        nominal.vertices.iter_mut().for_each(|vertex| vertex.coords.x += offset_mm);
        let pose = Pose::from_parts(Vector::new(5.0, -3.0, 2.0).into(), random.rotation());
        let samples = sampling::by_area(&nominal, 6000, 2);
        let away = |random: &mut Random| random.range(-1.0, 1.0);
        let points: Vec<Point> =
            samples.iter().map(|s| pose.inverse() * (s.point + s.normal * away(&mut random))).collect();
        let directions: Vec<Vector> = samples.iter().map(|s| pose.inverse() * s.normal).collect();
        point_facets_agree(&nominal, &points, &[], &pose, None);
        point_facets_agree(&nominal, &points, &directions, &pose, Some(0.9));
        // Few points; all points the same.
        point_facets_agree(&nominal, &points[..1], &[], &pose, Some(2.0));
        point_facets_agree(&nominal, &points[..3], &[], &pose, Some(2.0));
        point_facets_agree(&nominal, &vec![points[0]; 500], &[], &pose, Some(2.0));
        point_facets_agree(&nominal, &[], &[], &pose, None);
        point_facets_agree(&Mesh::default(), &points, &[], &pose, None);
    }
}

#[test]
fn facet_facet_matching_agrees_with_the_processor_to_the_bit() {
    let mut random = Random::new(9, 9);
    for offset_mm in [0.0, 10_000.0] {
        let mut nominal = shapes::torus(30.0, 8.0, 50, 24);
        nominal.vertices.iter_mut().for_each(|vertex| vertex.coords.x += offset_mm);
        let pose = Pose::from_parts(Vector::new(5.0, -3.0, 2.0).into(), random.rotation());
        let mut scan = shapes::torus(30.1, 8.05, 70, 31);
        scan.vertices.iter_mut().for_each(|vertex| {
            let noise = random.rotation() * Vector::z() * random.range(0.0, 0.1);
            vertex.coords.x += offset_mm;
            *vertex = pose.inverse() * (*vertex + noise);
        });
        for facets in [scan.facets.len(), 900, 3, 1, 0] {
            let mut part = scan.clone();
            part.facets.truncate(facets);
            let scan = Surface::new(part);
            let request = facet_facet_matching::Request {
                nominal: &nominal,
                scan: &scan,
                nominal_from_scan: &pose,
                max_distance_mm: 1.0,
                max_angle_rad: 1.2,
            };
            let cuda = device();
            let ours = cuda.compute(&request, &Progress::silent()).unwrap();
            assert_eq!(cuda.take_notices(), Vec::<String>::new());
            let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
            let bits = |answers: &[FacetDeviation]| -> Vec<Option<u64>> {
                answers.iter().map(|answer| answer.value().map(f64::to_bits)).collect()
            };
            assert_eq!(bits(&ours), bits(&reference), "{facets} facets, {offset_mm} mm off");
            assert!(facets < 900 || ours.iter().filter(|answer| answer.value().is_some()).count() > 300);
        }
    }
}

#[test]
fn the_published_steps_find_what_ours_finds() {
    let mut random = Random::new(10, 10);
    let (nominal, pose, cuda) = (shapes::torus(30.0, 8.0, 50, 24), Pose::identity(), device());
    let mut scan = shapes::torus(30.0, 8.0, 61, 31);
    scan.vertices.iter_mut().for_each(|vertex| *vertex += random.rotation() * Vector::z() * 0.05);
    let places: Vec<Point> = sampling::by_area(&scan, 5000, 2).iter().map(|sample| sample.point).collect();
    let agree = |job: &PublishedJob, ours: &[FacetDeviation], step: PublishedStep| {
        job.launch(step, &pose).unwrap();
        let theirs = job.read().unwrap();
        let matched = ours.iter().filter(|answer| answer.matches > 0).count();
        // In f32, points on the rim of a cylinder fall to either side.
        let same = ours.iter().zip(&theirs).filter(|(a, b)| a.matches == b.matches);
        let apart =
            |a: &FacetDeviation, b: &FacetDeviation| (a.value().unwrap_or(0.0) - b.value().unwrap_or(0.0)).abs();
        assert!(same.clone().all(|(a, b)| apart(a, b) < 1e-4), "{step:?}");
        assert!(matched > 1000 && same.count() + 5 > ours.len(), "{step:?}: {matched} matched");
    };
    let points = SearchablePoints::new(&places);
    let request = point_facet_matching::Request {
        nominal: &nominal,
        points: &points,
        directions: &[],
        nominal_from_scan: &pose,
        radius_mm: Some(1.5),
        max_distance_mm: 1.0,
        max_angle_rad: std::f64::consts::PI,
    };
    let (ours, job) = (cuda.compute(&request, &Progress::silent()).unwrap(), cuda.prepare_published_points(&request));
    PublishedStep::ALL.iter().for_each(|&step| agree(job.as_ref().unwrap(), &ours, step));
    let scan = Surface::new(scan);
    let request = facet_facet_matching::Request {
        nominal: &nominal,
        scan: &scan,
        nominal_from_scan: &pose,
        max_distance_mm: 1.0,
        max_angle_rad: std::f64::consts::FRAC_PI_2,
    };
    let (ours, job) = (cuda.compute(&request, &Progress::silent()).unwrap(), cuda.prepare_published_facets(&request));
    PublishedStep::ALL.iter().for_each(|&step| agree(job.as_ref().unwrap(), &ours, step));
}
