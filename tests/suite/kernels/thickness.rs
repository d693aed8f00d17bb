//! Wall thickness and gap width.

use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::thickness::{Between, Method, Request};
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Mesh, OrderedPoints, Point, Surface, Vector, sampling};

use super::device;

/// The kernel gives the processor's answers, to the bit.
fn agree(mesh: Mesh, count: usize, max_mm: f64) {
    let surface = Surface::new(mesh);
    let samples = sampling::by_area(surface.mesh(), count, 5);
    let points: Vec<Point> = samples.iter().map(|sample| sample.point).collect();
    let normals: Vec<Vector> = samples.iter().map(|sample| sample.normal).collect();
    let points = OrderedPoints::new(&points);
    for between in [Between::Material, Between::Air] {
        for method in [Method::Ball, Method::Ray] {
            let request = Request { surface: &surface, points: &points, normals: &normals, between, method, max_mm };
            let cuda = device();
            let ours = cuda.compute(&request, &Progress::silent()).unwrap();
            assert_eq!(cuda.take_notices(), Vec::<String>::new());
            let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
            for (i, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
                assert_eq!(ours.map(f64::to_bits), reference.map(f64::to_bits), "{i} {ours:?} {reference:?}");
            }
            assert!(reference.iter().filter(|own| own.is_some()).count() > count / 20, "{between:?} {method:?}");
        }
    }
}

#[test]
fn thickness_agrees_with_the_processor() {
    let mut parts = shapes::torus(30.0, 8.0, 40, 20);
    parts.append(&shapes::cuboid(Point::new(-60.0, -60.0, 9.0), Point::new(60.0, 60.0, 12.0)));
    agree(parts.clone(), 1500, 25.0);
    // Far from the origin, where f32 alone would lose the answer.
    parts.vertices.iter_mut().for_each(|vertex| vertex.coords.x += 10_000.0);
    agree(parts, 400, 25.0);
}
