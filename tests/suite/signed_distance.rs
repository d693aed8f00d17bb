//! Signed distance on analytic shapes: the sign always right off the surface, the distance exact for the facets.

use shadowgraph::base::random::Random;
use shadowgraph::geometry::{Mesh, Point, Surface, Vector, mesh::shapes, triangle};

/// Distance to the facets by trying all of them.
fn brute_force(mesh: &Mesh, point: &Point) -> f64 {
    (0..mesh.facets.len())
        .map(|facet| (point - triangle::closest_point(point, &mesh.corners(facet)).0).norm())
        .fold(f64::INFINITY, f64::min)
}

/// Checks random places; `side` gives the true signed distance of the shape and how far its facets are off it.
#[track_caller]
fn check(mesh: Mesh, reach: f64, side: impl Fn(&Point) -> f64, chord: f64) {
    let surface = Surface::new(mesh);
    let size = surface.bounds().diagonal();
    let mut random = Random::new(21, 0);
    for i in 0..6000 {
        let place = |random: &mut Random| random.range(-reach, reach);
        let point = Point::new(place(&mut random), place(&mut random), place(&mut random));
        let hit = surface.closest_point(&point, f64::INFINITY).unwrap();
        let signed = surface.signed_distance_mm(&point, &hit);
        if i % 20 == 0 {
            assert!((signed.abs() - brute_force(surface.mesh(), &point)).abs() <= 1e-9 * size);
        }
        let truth = side(&point);
        if truth.abs() > chord {
            assert_eq!(signed > 0.0, truth > 0.0, "{point} {signed} {truth}");
        }
        assert!((signed - truth).abs() <= chord + 1e-9 * size, "{point} {signed} {truth}");
    }
}

#[test]
fn sphere() {
    // The chord error of an icosphere of five levels is under 0.1 % of its radius.
    check(shapes::sphere(20.0, 5), 30.0, |p| p.coords.norm() - 20.0, 0.02);
}

#[test]
fn torus() {
    let truth = |p: &Point| {
        let ring = (p.x.hypot(p.y) - 20.0).hypot(p.z);
        ring - 6.0
    };
    check(shapes::torus(20.0, 6.0, 240, 120), 32.0, truth, 0.01);
}

fn box_distance(p: &Point, half: Vector) -> f64 {
    let q = p.coords.abs() - half;
    q.map(|c| c.max(0.0)).norm() + q.max().min(0.0)
}

#[test]
fn box_of_twelve_facets() {
    let half = Vector::new(5.0, 8.0, 3.0);
    check(shapes::cuboid(Point::from(-half), Point::from(half)), 15.0, |p| box_distance(p, half), 0.0);
}

#[test]
fn thin_plate_keeps_its_sides_apart() {
    let half = Vector::new(20.0, 15.0, 0.05);
    check(shapes::cuboid(Point::from(-half), Point::from(half)), 24.0, |p| box_distance(p, half), 0.0);
    // Right between the two sides, a hair from the middle.
    let surface = Surface::new(shapes::cuboid(Point::from(-half), Point::from(half)));
    for z in [-0.0499, -1e-6, 1e-6, 0.0499, 0.0501, -0.0501] {
        let point = Point::new(3.0, 4.0, z);
        let hit = surface.closest_point(&point, 1.0).unwrap();
        assert!((surface.signed_distance_mm(&point, &hit) - (z.abs() - 0.05)).abs() < 1e-12);
    }
}

#[test]
fn coordinates_ten_metres_off_lose_nothing() {
    let half = Vector::new(5.0, 8.0, 3.0);
    let centre = Point::new(1e4, -1e4, 1e4);
    let surface = Surface::new(shapes::cuboid(centre - half, centre + half));
    let mut random = Random::new(5, 5);
    for _ in 0..2000 {
        let away = Vector::new(random.range(-12.0, 12.0), random.range(-12.0, 12.0), random.range(-12.0, 12.0));
        let point = centre + away;
        let hit = surface.closest_point(&point, f64::INFINITY).unwrap();
        let truth = box_distance(&Point::from(point - centre), half);
        assert!((surface.signed_distance_mm(&point, &hit) - truth).abs() < 1e-9);
    }
}

#[test]
fn an_open_surface_gives_no_side_beyond_its_rim() {
    use shadowgraph::base::Progress;
    use shadowgraph::compute::{Compute, cpu::Cpu, point_deviation};
    use shadowgraph::geometry::{OrderedPoints, Pose};
    let sheet = shapes::grid(10, 1, false, |u, _| Point::new(10.0 * u, 0.0, 0.0));
    assert!(sheet.facets.len() > 1);
    let square = Mesh {
        vertices: vec![
            Point::origin(),
            Point::new(10.0, 0.0, 0.0),
            Point::new(10.0, 10.0, 0.0),
            Point::new(0.0, 10.0, 0.0),
        ],
        facets: vec![[0, 1, 2], [0, 2, 3]],
        cad_faces: Vec::new(),
    };
    let surface = Surface::new(square);
    let points =
        [Point::new(5.0, 5.0, 0.3), Point::new(10.5, 5.0, 0.1), Point::new(10.0, 5.0, 0.4), Point::new(5.0, 5.0, -0.2)];
    let ordered = OrderedPoints::new(&points);
    let request = point_deviation::Request {
        surface: &surface,
        points: &ordered,
        normals: &[],
        oriented: false,
        nominal_from_scan: &Pose::identity(),
        max_distance_mm: 2.0,
        max_angle_rad: std::f64::consts::PI,
    };
    let answer = Cpu.compute(&request, &Progress::silent()).unwrap();
    let values: Vec<Option<f64>> = answer.iter().map(|a| a.value()).collect();
    assert_eq!(values, vec![Some(0.3), None, Some(0.4), Some(-0.2)]);
    assert_eq!(answer[1].state, point_deviation::MatchState::BeyondRim);
}
