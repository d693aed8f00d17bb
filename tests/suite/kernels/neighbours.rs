//! Neighbourhoods and thinning.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::Backend;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::thinning::Rule;
use shadowgraph::compute::{Compute, neighbourhoods, thinning};
use shadowgraph::geometry::{Point, SearchablePoints, Vector, mesh::shapes, sampling};

use super::{device, is_on_gpu};

/// A noisy torus, places that are equal, and lone points.
fn points(count: usize, shift: f64) -> Vec<Point> {
    let mut random = Random::new(count as u64, 1);
    let mut points: Vec<Point> = sampling::by_area(&shapes::torus(30.0, 8.0, 40, 20), count, 3)
        .iter()
        .map(|sample| sample.point + sample.normal * 0.05 * random.normal() + Vector::repeat(shift))
        .collect();
    points.extend_from_within(..count / 20);
    points.extend((0..count / 100).map(|_| Point::from(Vector::from_fn(|_, _| shift + 40.0 * random.normal()))));
    points
}

#[test]
fn neighbourhoods_agree_with_the_processor_to_the_bit() {
    let cuda = device();
    let agree = |points: &[Point], neighbours: usize| {
        let searchable = SearchablePoints::new(points);
        let request = neighbourhoods::Request { points: &searchable, neighbours };
        let ours = cuda.compute(&request, &Progress::silent()).unwrap();
        let reference = Cpu.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(ours.len(), points.len());
        for (number, (ours, reference)) in ours.iter().zip(&reference).enumerate() {
            assert_eq!(ours, reference, "{number} of {}", points.len());
        }
    };
    agree(&points(1500, 0.0), 20);
    agree(&points(700, 1e4), 64);
    for count in [0, 1, 2, 5] {
        agree(&points(100, 0.0)[..count], 16);
    }
    agree(&[Point::new(1.0, 2.0, 3.0); 40], 16);
    if is_on_gpu() {
        agree(&points(300_000, 1e4), 20);
    }
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
}

#[test]
fn thinning_keeps_the_same_points_as_the_processor() {
    let cuda = device();
    let agree = |points: &[Point], rule: Rule| {
        let searchable = SearchablePoints::new(points);
        let request = thinning::Request { points: &searchable, rule };
        let ours = cuda.compute(&request, &Progress::silent()).unwrap();
        assert_eq!(ours, Cpu.compute(&request, &Progress::silent()).unwrap(), "{rule:?} of {}", points.len());
        ours.len()
    };
    for shift in [0.0, 1e4] {
        let points = points(1500, shift);
        for rule in [Rule::Distance(3.0), Rule::Cells(3.0)] {
            let kept = agree(&points, rule);
            assert!((150..1200).contains(&kept), "{kept}");
        }
        for few in [0, 1, 2, 9] {
            agree(&points[..few], Rule::Distance(3.0));
            agree(&points[..few], Rule::Cells(3.0));
        }
        // All points in one cell, or all of them kept but the equal ones.
        assert_eq!(agree(&points, Rule::Cells(1e6)), 1);
        assert_eq!(agree(&points, Rule::Distance(1e-9)), points.len() - 1500 / 20);
    }
    if is_on_gpu() {
        let points = points(300_000, 0.0);
        agree(&points, Rule::Distance(0.5));
        agree(&points, Rule::Cells(0.5));
    }
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
}
