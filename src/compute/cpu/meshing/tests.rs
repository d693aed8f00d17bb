use std::collections::HashMap;

use super::*;
use base::random::Random;
use geometry::{OrderedPoints, Vector, triangle};

fn mesh(points: &[Point]) -> Facets {
    run(&Request { points: &OrderedPoints::new(points) }, &Progress::silent()).unwrap()
}

/// Numbers of edges with one, two and more facets.
fn edges(facets: &Facets) -> [usize; 3] {
    let mut all: HashMap<[u32; 2], usize> = HashMap::new();
    for &[a, b, c] in &facets.corners {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            *all.entry([from.min(to), from.max(to)]).or_default() += 1;
        }
    }
    let mut counts = [0; 3];
    all.values().for_each(|&facets| counts[facets.min(3) - 1] += 1);
    counts
}

fn corners(facets: &Facets, points: &[Point]) -> Vec<[Point; 3]> {
    facets.corners.iter().map(|corners| corners.map(|at| points[at as usize])).collect()
}

fn area_mm2(facets: &Facets, points: &[Point]) -> f64 {
    corners(facets, points).iter().map(|own| 0.5 * triangle::area_vector(own).norm()).sum()
}

fn sphere(count: usize, noise_mm: f64, random: &mut Random) -> Vec<Point> {
    (0..count).map(|_| Point::from(random.rotation() * Vector::z() * (50.0 + noise_mm * random.normal()))).collect()
}

/// Points spread at random over a square of 20 mm, where `is_kept`.
fn square(count: usize, random: &mut Random, is_kept: impl Fn(&Point) -> bool) -> Vec<Point> {
    let points = (0..count).map(|_| Point::new(random.range(0.0, 20.0), random.range(0.0, 20.0), 0.0));
    points.filter(is_kept).collect()
}

#[test]
fn a_regular_grid_is_covered_once() {
    let at = |i: u32| Point::new(f64::from(i % 200) * 0.1, f64::from(i / 200) * 0.1, 0.0);
    let points: Vec<Point> = (0..40_000).map(at).collect();
    let facets = mesh(&points);
    assert_eq!((facets.left_out, edges(&facets)[2]), (0, 0));
    // All quads, but for one in many at the border whose diagonals are as good in single precision.
    assert!((79_198..=79_202).contains(&facets.corners.len()), "{}", facets.corners.len());
    assert!((facets.spacing_mm - 0.1).abs() < 0.005, "{}", facets.spacing_mm);
}

#[test]
fn a_sphere_of_random_points_is_closed() {
    let mut random = Random::new(3, 0);
    for noise_mm in [0.0, 0.01, 0.05] {
        let points = sphere(60_000, noise_mm, &mut random);
        let facets = mesh(&points);
        let [one, two, more] = edges(&facets);
        assert!(1000 * one < two && more == 0, "{noise_mm}: {one} {two} {more}");
        // Points much nearer to another than usual are hidden by it.
        assert!(facets.left_out < 600, "{noise_mm}: {}", facets.left_out);
        // Euler: two facets for each point that is left, less four.
        let expected = 2 * (points.len() - facets.left_out) - 4;
        assert!(facets.corners.len() <= expected && facets.corners.len() > expected - expected / 500);
        let lean = |(point, normal): (&Point, &[f32; 3])| {
            let [x, y, z] = normal.map(f64::from);
            point.coords.normalize().cross(&Vector::new(x, y, z)).norm()
        };
        let worst = points.iter().zip(&facets.normals).map(lean).fold(0.0, f64::max);
        assert!(worst < 0.05 + 3.0 * noise_mm / facets.spacing_mm, "{noise_mm}: {worst}");
    }
}

#[test]
fn holes_stay_open_and_gaps_are_closed() {
    let mut random = Random::new(5, 0);
    // Spacing 0.1 mm: a hole of 1 mm across, and one of 0.3 mm.
    let points = square(40_000, &mut random, |point| {
        (point - Point::new(6.0, 10.0, 0.0)).norm() > 0.5 && (point - Point::new(14.0, 10.0, 0.0)).norm() > 0.15
    });
    let facets = mesh(&points);
    let covers = |x: f64| {
        corners(&facets, &points).iter().any(|[a, b, c]| {
            let side = |from: &Point, to: &Point| (to.x - from.x) * (10.0 - from.y) - (to.y - from.y) * (x - from.x);
            let sides = [side(a, b), side(b, c), side(c, a)];
            sides.iter().all(|own| *own >= 0.0) || sides.iter().all(|own| *own <= 0.0)
        })
    };
    assert!(!covers(6.0) && covers(14.0) && covers(3.0));
}

#[test]
fn where_points_are_sparse_facets_are_larger() {
    let mut random = Random::new(6, 0);
    let mut points = square(40_000, &mut random, |point| point.x < 10.0);
    points.extend(square(2500, &mut random, |point| point.x >= 10.0));
    let area_mm2 = area_mm2(&mesh(&points), &points);
    assert!((388.0..=400.0).contains(&area_mm2), "{area_mm2}");
}

#[test]
fn both_sides_of_a_thin_sheet_stay_apart_and_fly_points_are_left_out() {
    let mut random = Random::new(7, 0);
    let mut points = square(40_000, &mut random, |_| true);
    let other: Vec<Point> = points.iter().map(|point| point + Vector::new(0.03, -0.02, 0.3)).collect();
    points.extend(other);
    let count = points.len();
    points.extend(
        (0..300).map(|_| Point::new(random.range(0.0, 20.0), random.range(0.0, 20.0), random.range(1.0, 30.0))),
    );
    let facets = mesh(&points);
    let is_across = |[a, b, c]: &[Point; 3]| (a.z - b.z).abs() + (b.z - c.z).abs() > 0.1;
    assert_eq!(corners(&facets, &points).iter().filter(|own| is_across(own)).count(), 0);
    assert!(facets.corners.iter().flatten().all(|&corner| (corner as usize) < count));
    assert!(facets.left_out >= 300);
    let area_mm2 = area_mm2(&facets, &points);
    assert!((790.0..=800.0).contains(&area_mm2), "{area_mm2}");
}

#[test]
fn a_box_is_closed_at_its_edges() {
    let mut random = Random::new(8, 0);
    let points: Vec<Point> = (0..60_000)
        .map(|i| {
            let mut point = Point::new(random.range(0.0, 20.0), random.range(0.0, 20.0), random.range(0.0, 20.0));
            point[i % 3] = if i / 3 % 2 == 0 { 0.0 } else { 20.0 };
            point + Vector::new(random.normal(), random.normal(), random.normal()) * 0.01
        })
        .collect();
    let facets = mesh(&points);
    let ([one, two, more], area_mm2) = (edges(&facets), area_mm2(&facets, &points));
    assert!(more == 0 && 100 * one < two, "{one} {two} {more}");
    assert!((area_mm2 / 2400.0 - 1.0).abs() < 0.01, "{area_mm2}");
}

#[test]
fn the_answer_is_the_same_far_from_the_origin_and_again() {
    let mut random = Random::new(9, 0);
    let points = sphere(20_000, 0.01, &mut random);
    let facets = mesh(&points);
    assert_eq!(mesh(&points), facets);
    let far: Vec<Point> = points.iter().map(|point| point + Vector::new(1e5, -1e5, 1e5)).collect();
    let difference = mesh(&far).corners.len().abs_diff(facets.corners.len());
    assert!(difference < 20, "{difference}");
}

#[test]
fn degenerate_points_are_no_fault() {
    let line: Vec<Point> = (0..5000).map(|i| Point::new(f64::from(i) * 0.1, 0.0, 0.0)).collect();
    let mut twice = square(2000, &mut Random::new(1, 0), |_| true);
    twice.extend(twice.clone());
    let fly = [line.clone(), vec![Point::new(1e9, 0.0, 1e9), Point::new(-1e9, 3.0, 0.0)]].concat();
    for (points, least) in [(vec![], 0), (vec![Point::origin(); 500], 0), (line, 0), (fly, 0), (twice, 3900)] {
        let facets = mesh(&points);
        assert!(facets.corners.len() >= least, "{}", facets.corners.len());
        assert_eq!(facets.normals.len(), points.len());
        assert!(facets.left_out <= points.len() && edges(&facets)[2] == 0);
    }
}

#[test]
fn normals_are_those_of_the_eigenvectors() {
    let mut random = Random::new(2, 0);
    for spectrum in [[1e-6, 1.0, 3.0], [0.0, 1.0, 1.0], [0.3, 1.0, 1.1], [0.01, 0.02, 1.0], [1e-4, 2.0, 2.0]] {
        for _ in 0..200 {
            let rotation = random.rotation().to_rotation_matrix().into_inner();
            let m = rotation * nalgebra::Matrix3::from_diagonal(&Vector::from(spectrum)) * rotation.transpose();
            let packed = [m[(0, 0)], m[(0, 1)], m[(0, 2)], m[(1, 1)], m[(1, 2)], m[(2, 2)]].map(|own| own as f32);
            let [x, y, z] = plane::normal(packed).map(f64::from);
            let across = rotation.column(0).cross(&Vector::new(x, y, z)).norm();
            assert!(across < 1e-3, "{spectrum:?} {across}");
        }
    }
    assert_eq!(plane::normal([1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), [0.0; 3]);
    assert_eq!(plane::normal([0.0; 6]), [0.0; 3]);
}
