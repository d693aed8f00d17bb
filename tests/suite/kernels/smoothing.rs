//! Values smoothed over neighbours.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::smoothing::Request;
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::{Point, SearchablePoints, Vector, mesh::shapes, sampling};

use super::{device, is_on_gpu};

fn agree(points: &[Point], normals: &[Vector]) {
    let mut random = Random::new(4, points.len() as u64);
    let values: Vec<f64> = points.iter().map(|_| random.normal()).collect();
    let points = SearchablePoints::new(points);
    // Some of them, and not in order.
    let wanted: Vec<u32> = (0..normals.len() as u32).rev().filter(|number| number % 3 != 1).collect();
    let request = Request { points: &points, values: &values, normals, wanted: &wanted };
    let cuda = device();
    let ours = cuda.compute(&request, &Progress::silent()).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
    for (number, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
        assert_eq!(ours, reference, "{number}");
    }
    assert_eq!(ours.len(), wanted.len());
}

#[test]
fn smoothing_agrees_with_the_processor_to_the_bit() {
    // A thin sheet, whose faces must not mix, and places that are equal.
    let sheet = shapes::cuboid(Point::origin(), Point::new(20.0, 15.0, 0.5));
    let samples = sampling::by_area(&sheet, 1500, 9);
    let (mut points, mut normals): (Vec<Point>, Vec<Vector>) = samples.iter().map(|s| (s.point, s.normal)).unzip();
    points.extend_from_within(..60);
    normals.extend_from_within(..60);
    agree(&points, &normals);
    if is_on_gpu() {
        let samples = sampling::by_area(&sheet, 300_000, 9);
        let (points, normals): (Vec<Point>, Vec<Vector>) = samples.iter().map(|s| (s.point, s.normal)).unzip();
        agree(&points, &normals);
    }
    for count in [0, 1, 2, 30] {
        agree(&points[..count], &normals[..count]);
    }
}
