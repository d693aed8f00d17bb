//! Iterative closest points.

use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::compute::icp::{Answer, Filter, Parameters, Problem, Request, Search, Start, Truth};
use shadowgraph::compute::{Backend, Compute};
use shadowgraph::geometry::{OrderedPoints, Point, Pose, Vector, mesh::shapes, sampling, transform};

use super::{device, sized};

/// A lopsided torus, and points near it that a small motion was applied to.
fn clouds(truth: usize, sensed: usize, noise_mm: f64) -> (Truth, OrderedPoints) {
    let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
    mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
    let points = |count, seed| sampling::by_area(&mesh, count, seed).into_iter().map(|sample| sample.point);
    let mut random = Random::new(2, 7);
    let pose = Pose::new(Vector::new(1.0, -0.5, 0.7), Vector::new(0.05, -0.06, 0.08));
    let moved: Vec<Point> = points(sensed, 2)
        .map(|point| pose * (point + Vector::new(random.normal(), random.normal(), random.normal()) * noise_mm))
        .collect();
    (Truth::new(&points(truth, 1).collect::<Vec<_>>()), OrderedPoints::new(&moved))
}

fn agree(truth: &Truth, sensed: &OrderedPoints, parameters: &Parameters) {
    let (problem, silent) = (Problem { truth, sensed }, Progress::silent());
    let cuda = device();
    let ours = cuda.compute(&Request { problem: &problem, parameters }, &silent).unwrap();
    assert_eq!(cuda.take_notices(), Vec::<String>::new());
    let reference = Cpu.compute(&Request { problem: &problem, parameters }, &silent).unwrap();
    let name = parameters.search.name();
    assert_eq!((ours.iterations.len(), ours.stop), (reference.iterations.len(), reference.stop), "{name}");
    for (ours, reference) in ours.iterations.iter().zip(&reference.iterations) {
        let (apart_mm, angle_rad) =
            transform::difference(&ours.truth_from_sensed, &reference.truth_from_sensed, &Point::origin());
        assert!(apart_mm < 1e-9 && angle_rad < 1e-11, "{name}: {apart_mm} {angle_rad}");
        assert!((ours.error_mm2 - reference.error_mm2).abs() < 1e-9 * (1.0 + reference.error_mm2), "{name}");
        assert_eq!(ours.active, reference.active, "{name}");
        // Leaves of the two trees differ, and walks from them with them.
        if !matches!(parameters.search, Search::Walk(Start::Leaf | Start::LeafThenPrevious)) {
            assert_eq!(ours.visited, reference.visited, "{name}");
        }
    }
    assert!(ours.active == reference.active, "{name}: others take part");
    assert!(ours.matches == reference.matches, "{name}: other matches");
    let walks = |visits: &[Vec<u32>; 2]| visits.iter().map(|counts| counts.iter().sum()).collect::<Vec<u32>>();
    assert_eq!(walks(&ours.visits), walks(&reference.visits), "{name}");
    let again = cuda.compute(&Request { problem: &problem, parameters }, &silent).unwrap();
    assert!(Answer { timings: ours.timings, ..again } == ours, "{name}: a repeat differs");
}

#[test]
fn exact_searches_agree_with_the_processor() {
    let (truth, sensed) = clouds(sized(1500, 500), sized(700, 250), 0.05);
    for search in Search::ALL.into_iter().filter(|search| search.is_exact()) {
        let parameters =
            Parameters { max_iterations: 5, records_walk_lengths: true, ..Parameters::new(search, &truth) };
        agree(&truth, &sensed, &parameters);
    }
}

#[test]
fn the_approximate_search_gets_near() {
    let (truth, sensed) = clouds(1500, 500, 0.0);
    let silent = Progress::silent();
    let problem = Problem { truth: &truth, sensed: &sensed };
    let pose = |search| {
        device()
            .compute(&Request { problem: &problem, parameters: &Parameters::new(search, &truth) }, &silent)
            .unwrap()
            .truth_from_sensed
    };
    let (exact, near) = (pose(Search::KdTree), pose(Search::ApproximateKdTree));
    let (apart_mm, angle_rad) = transform::difference(&exact, &near, &Point::origin());
    assert!(apart_mm > 0.0 && apart_mm < 0.5 && angle_rad < 0.02, "{apart_mm} {angle_rad}");
}

#[test]
fn filters_and_stops_agree_with_the_processor() {
    let (truth, mut sensed) = clouds(sized(1500, 500), sized(600, 200), 0.02);
    sensed.points.iter_mut().step_by(9).for_each(|point| *point += Vector::new(2.0, 1.0, 3.0));
    let base = Parameters { max_iterations: 5, ..Parameters::new(Search::KdTree, &truth) };
    for filter in [Filter::Sigma { from: 2, limit: 1.5 }, Filter::Mad { from: 3, limit: 4.0 }] {
        agree(&truth, &sensed, &Parameters { filter, ..base.clone() });
    }
    agree(&truth, &sensed, &Parameters { error_limit_mm2: 3.0, ..base.clone() });
    agree(&truth, &sensed, &Parameters { change_limit_mm2: 0.1, ..base.clone() });
    agree(&truth, &sensed, &Parameters { change_limit_mm2: 1e9, ..base.clone() });
    agree(&truth, &sensed, &Parameters { max_iterations: 1, ..base.clone() });
    // The scan after this one starts where it ended.
    let problem = Problem { truth: &truth, sensed: &sensed };
    let before = Cpu.compute(&Request { problem: &problem, parameters: &base }, &Progress::silent()).unwrap();
    let search = Search::Walk(Start::Previous);
    let next = Parameters { search, start: before.truth_from_sensed, previous: Some(before.matches), ..base };
    agree(&truth, &sensed, &next);
}

#[test]
fn ties_few_points_and_far_offsets_are_no_special_cases() {
    // Queries exactly between two points, and between eight.
    let grid: Vec<Point> =
        (0..343).map(|i| Point::new(f64::from(i % 7), f64::from(i / 7 % 7), f64::from(i / 49))).collect();
    let truth = Truth::new(&grid);
    let between: Vec<Point> = grid
        .iter()
        .enumerate()
        .map(|(i, point)| {
            point + Vector::new(0.5, if i % 2 == 0 { 0.5 } else { 0.0 }, if i % 3 == 0 { 0.5 } else { 0.0 })
        })
        .collect();
    let sensed = OrderedPoints::new(&between);
    for search in [Search::BruteForce, Search::KdTree] {
        agree(&truth, &sensed, &Parameters { max_iterations: 3, ..Parameters::new(search, &truth) });
    }
    // Walks end at any of those that are equally near: all must end.
    for start in [Start::Centre, Start::Leaf, Start::Previous, Start::LeafThenPrevious] {
        let parameters = Parameters { max_iterations: 3, ..Parameters::new(Search::Walk(start), &truth) };
        let problem = Problem { truth: &truth, sensed: &sensed };
        let answer =
            device().compute(&Request { problem: &problem, parameters: &parameters }, &Progress::silent()).unwrap();
        assert_eq!(answer.iterations[0].active, between.len());
    }
    let few = Truth::new(&grid[..3]);
    let three = OrderedPoints::new(&[Point::new(0.1, 0.0, 0.0), Point::new(1.2, 0.1, 0.0), Point::new(2.1, 0.5, 0.1)]);
    let parameters = Parameters::new(Search::KdTree, &few);
    let problem = Problem { truth: &few, sensed: &three };
    let request = Request { problem: &problem, parameters: &parameters };
    let error = device().compute(&request, &Progress::silent());
    assert!(error.unwrap_err().sentence.contains("collinear"));
    // What is no place is refused before any device sees it.
    let lost = OrderedPoints { points: vec![Point::new(f64::NAN, 0.0, 0.0); 5], numbers: (0..5).collect() };
    let problem = Problem { truth: &truth, sensed: &lost };
    let parameters = Parameters::new(Search::KdTree, &truth);
    for backend in [&device() as &dyn Backend, &Cpu] {
        let refused =
            backend.compute(&Request { problem: &problem, parameters: &parameters }, &Progress::silent()).unwrap_err();
        assert!(refused.sentence.contains("finite points"), "{refused:?}");
    }
    // Ten metres off.
    let (near, moved) = clouds(sized(1500, 500), sized(700, 250), 0.01);
    let shift = Vector::new(1e4, -1e4, 5e3);
    let off = |points: &[Point]| points.iter().map(|point| point + shift).collect::<Vec<_>>();
    let (truth, sensed) = (Truth::new(&off(near.points())), OrderedPoints::new(&off(&moved.points)));
    for search in [Search::KdTree, Search::Walk(Start::Previous)] {
        agree(&truth, &sensed, &Parameters { max_iterations: 6, ..Parameters::new(search, &truth) });
    }
}
