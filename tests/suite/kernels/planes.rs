//! Weighted fits of parallel planes.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::{Compute, parallel_planes};
use shadowgraph::geometry::Point;

use super::device;

#[test]
fn parallel_planes_agree_with_the_processor() {
    let mut random = Random::new(5, 5);
    // Chunks that are full, partly full, single and missing; two sets.
    let planes = [20_000, 1, 8192, 0, 8193, 3];
    let points: Vec<[f32; 4]> = (0..planes.iter().sum())
        .map(|i| {
            let weight = if i % 50 == 7 { 0.0 } else { random.range(1.0, 2.0) };
            let height = if i % 50 == 7 { f64::NAN } else { 0.1 * random.normal() };
            [random.range(-50.0, 50.0) as f32, random.range(-50.0, 50.0) as f32, height as f32, weight as f32]
        })
        .collect();
    let origin = Point::new(1e4, 2.0, 3.0);
    let request = parallel_planes::Request { points: &points, origin, planes: &planes, sets: &[4, 2] };
    let cuda = device();
    let job = cuda.prepare_parallel_planes(&request).unwrap();
    let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
    for _ in 0..2 {
        job.launch().unwrap();
        for (ours, reference) in job.read().unwrap().iter().zip(&reference) {
            assert!((ours.normal.unwrap() - reference.normal.unwrap()).norm() < 1e-12);
            assert!((ours.moments_mm2[0] / reference.moments_mm2[0] - 1.0).abs() < 1e-9);
            for (ours, reference) in ours.planes.iter().zip(&reference.planes) {
                assert!((ours.weight - reference.weight).abs() <= 1e-12 * reference.weight);
                assert!(reference.weight == 0.0 || (ours.centroid - reference.centroid).norm() < 1e-9);
            }
        }
    }
}
