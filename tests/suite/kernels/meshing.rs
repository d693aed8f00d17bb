//! Meshing of points.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::{Backend, Compute, meshing};
use shadowgraph::geometry::{OrderedPoints, Point, Vector, mesh::shapes, sampling};

use super::{device, is_on_gpu};

/// A noisy torus that is sparse on one side, with a hole, places that are equal, and stray points.
fn points(count: usize, shift: f64) -> Vec<Point> {
    let mut random = Random::new(count as u64, 1);
    let mut points: Vec<Point> = sampling::by_area(&shapes::torus(30.0, 8.0, 80, 40), count, 3)
        .iter()
        .map(|sample| sample.point + sample.normal * 0.02 * random.normal())
        .collect();
    points.retain(|point| point.x < 10.0 || random.uniform() < 0.1);
    points.retain(|point| (point - Point::new(-30.0, 0.0, 8.0)).norm() > 3.0);
    points.extend_from_within(..count / 50);
    points.extend((0..count / 100).map(|_| Point::from(Vector::from_fn(|_, _| 40.0 * random.normal()))));
    points.iter().map(|point| point + Vector::repeat(shift)).collect()
}

#[test]
fn meshes_are_the_same_as_those_of_the_processor() {
    let cuda = device();
    let agree = |points: &[Point]| {
        let ordered = OrderedPoints::new(points);
        let request = meshing::Request { points: &ordered };
        let ours = cuda.compute(&request, &Progress::silent()).unwrap();
        let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(ours.normals, reference.normals, "{} points", points.len());
        assert_eq!(ours.corners.len(), reference.corners.len(), "{} points", points.len());
        assert_eq!(ours, reference, "{} points", points.len());
        ours.corners.len()
    };
    assert!(agree(&points(6000, 0.0)) > 6000);
    agree(&points(3000, 1e4));
    let grid = |i: u32| Point::new(f64::from(i % 60) * 0.1, f64::from(i / 60) * 0.1, 0.0);
    assert!(agree(&(0..3600).map(grid).collect::<Vec<_>>()) > 2 * 59 * 59 - 5);
    for count in [0, 1, 2, 3, 9, 40] {
        agree(&points(100, 0.0)[..count]);
    }
    agree(&[Point::new(1.0, 2.0, 3.0); 40]);
    agree(&(0..500).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect::<Vec<_>>());
    if is_on_gpu() {
        assert!(agree(&points(3_000_000, 0.0)) > 3_000_000);
    }
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
}
