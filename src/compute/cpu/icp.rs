//! Iterative closest point registration on the CPU. Sums run in fixed chunks and are added in order.

use std::time::Instant;

use nalgebra::Matrix3;
use rayon::prelude::*;

use super::CHUNK;
use super::order_statistic::OrderStatistics;
use crate::icp::{
    Answer, Filter, Iteration, Parameters, Problem, Search, Start, Stop, WALK_LENGTH_BINS, stop_after, undetermined,
};
use base::{Progress, Result};
use geometry::kd_tree::{Neighbour, Plain};
use geometry::{DelaunayGraph, KdTree, Point, Pose, Vector, closed_form};

/// Match of a sensed point: index of the truth point, number of vertices visited by the walk, and squared distance.
#[derive(Clone, Copy, Default)]
struct Match {
    index: u32,
    visited: u32,
    squared_mm2: f64,
}

pub(crate) fn run(problem: &Problem<'_>, parameters: &Parameters, progress: &Progress) -> Result<Answer> {
    let (truth, sensed) = (problem.truth, &problem.sensed.points);
    let search = Searcher::new(problem, parameters, progress)?;
    let mut matches = vec![Match::default(); sensed.len()];
    if let Some(previous) = &parameters.previous {
        matches.iter_mut().zip(previous).for_each(|(pair, &index)| pair.index = index);
    }
    let mut answer = Answer {
        truth_from_sensed: parameters.start,
        visits: [vec![0; WALK_LENGTH_BINS], vec![0; WALK_LENGTH_BINS]],
        stop: Stop::MaxIterations,
        ..Answer::default()
    };
    let (mut cutoff_mm, centre) = (f64::INFINITY, truth.centre());
    for iteration in 0..parameters.max_iterations {
        progress.report(iteration as f32 / parameters.max_iterations as f32, "Registering")?;
        let pose = answer.truth_from_sensed;
        let started = Instant::now();
        search.run(iteration, &pose, sensed, &mut matches, progress);
        progress.check()?;
        let searched = Instant::now();
        cutoff_mm = distance_cutoff(parameters.filter, iteration, &matches);
        let sums = Sums::of(truth.points(), sensed, &matches, cutoff_mm, &centre, &sensed[0]);
        let summed = Instant::now();
        let pose = sums.motion().ok_or_else(undetermined)?;
        let moved = Instant::now();
        let error_mm2 = error(truth.points(), sensed, &matches, cutoff_mm, &pose) / sums.count as f64;
        let ms = |from: Instant, to: Instant| (to - from).as_secs_f64() * 1e3;
        answer.timings.search_ms += ms(started, searched);
        answer.timings.sums_ms += ms(searched, summed) + ms(moved, Instant::now());
        answer.timings.solve_ms += ms(summed, moved);
        let visited = matches.iter().map(|pair| u64::from(pair.visited)).sum();
        if parameters.records_walk_lengths && matches!(parameters.search, Search::Walk(_)) {
            let counts = &mut answer.visits[iteration.min(1)];
            matches.iter().for_each(|pair| counts[(pair.visited as usize).min(WALK_LENGTH_BINS - 1)] += 1);
        }
        let before = answer.iterations.last().map(|last| last.error_mm2);
        answer.truth_from_sensed = pose;
        answer.iterations.push(Iteration { truth_from_sensed: pose, error_mm2, active: sums.count, visited });
        if let Some(stop) = stop_after(parameters, iteration, error_mm2, before) {
            answer.stop = stop;
            break;
        }
    }
    answer.active = matches.iter().map(|pair| pair.squared_mm2.sqrt() <= cutoff_mm).collect();
    answer.matches = matches.into_iter().map(|pair| pair.index).collect();
    Ok(answer)
}

/// The closest-point search with its data structures, which are built before the first iteration.
enum Searcher<'a> {
    Tree(&'a KdTree),
    Plain(&'a KdTree, Plain),
    Walk { start: Start, has_previous: bool, graph: &'a DelaunayGraph, tree: Option<&'a KdTree>, points: &'a [Point] },
}

impl<'a> Searcher<'a> {
    fn new(problem: &Problem<'a>, parameters: &Parameters, progress: &Progress) -> Result<Self> {
        let truth = problem.truth;
        Ok(match parameters.search {
            Search::KdTree => Self::Tree(truth.tree()),
            Search::BruteForce => Self::Plain(truth.tree(), Plain::AllLeaves),
            Search::ApproximateKdTree => Self::Plain(truth.tree(), Plain::OneLeaf),
            Search::Walk(start) => Self::Walk {
                start,
                has_previous: parameters.previous.is_some(),
                graph: truth.graph(progress)?,
                tree: matches!(start, Start::Leaf | Start::LeafThenPrevious).then(|| truth.tree()),
                points: truth.points(),
            },
        })
    }

    /// Searches for the matches of all points.
    fn run(&self, iteration: usize, pose: &Pose, sensed: &[Point], matches: &mut [Match], progress: &Progress) {
        let chunks = matches.par_chunks_mut(CHUNK).zip(sensed.par_chunks(CHUNK));
        chunks.for_each_init(
            || vec![None; CHUNK],
            |found, (matches, sensed)| {
                if !progress.is_cancelled() {
                    self.search_chunk(iteration, pose, sensed, &mut found[..sensed.len()], matches);
                }
            },
        );
    }

    fn search_chunk(
        &self,
        iteration: usize,
        pose: &Pose,
        sensed: &[Point],
        found: &mut [Option<Neighbour>],
        matches: &mut [Match],
    ) {
        match *self {
            Self::Tree(tree) => tree.nearest_in_order(pose, sensed, f64::INFINITY, found),
            Self::Plain(tree, which) => tree.reference_search(which, pose, sensed, found),
            Self::Walk { start, has_previous, graph, tree, points } => {
                let is_first = iteration == 0 && !has_previous;
                let leaves = tree.filter(|_| start == Start::Leaf || is_first);
                if let Some(tree) = leaves {
                    tree.reference_search(Plain::OneLeaf, pose, sensed, found);
                }
                for ((pair, leaf), point) in matches.iter_mut().zip(found).zip(sensed) {
                    let from = match (start, leaves) {
                        (_, Some(_)) => leaf.map_or(graph.central_point, |leaf| leaf.number),
                        (Start::Centre, _) => graph.central_point,
                        _ if is_first => graph.central_point,
                        _ => pair.index,
                    };
                    let walk = graph.walk(points, &(pose * point), from);
                    *pair = Match { index: walk.number, visited: walk.visited, squared_mm2: walk.squared_mm2 };
                }
                return;
            }
        }
        for (pair, neighbour) in matches.iter_mut().zip(found) {
            if let Some(neighbour) = neighbour {
                *pair = Match { index: neighbour.number, visited: 0, squared_mm2: neighbour.squared_mm2 };
            }
        }
    }
}

/// Maximum distance of the pairs that pass the filter, mm.
fn distance_cutoff(filter: Filter, iteration: usize, matches: &[Match]) -> f64 {
    if !filter.is_on(iteration) {
        return f64::INFINITY;
    }
    match filter {
        Filter::None => f64::INFINITY,
        Filter::Sigma { limit, .. } => {
            let mean_of = |value: &(dyn Fn(f64) -> f64 + Sync)| -> f64 {
                let chunks = matches.par_chunks(CHUNK);
                let partial: Vec<f64> =
                    chunks.map(|chunk| chunk.iter().map(|pair| value(pair.squared_mm2.sqrt())).sum()).collect();
                partial.iter().sum::<f64>() / matches.len() as f64
            };
            let mean = mean_of(&|distance| distance);
            let variance = mean_of(&|distance| (distance - mean) * (distance - mean));
            mean + limit * variance.sqrt()
        }
        Filter::Mad { limit, .. } => {
            let distances = OrderStatistics::new(matches, |pair| pair.squared_mm2.sqrt());
            limit * 1.4826 * distances.at_rank(distances.count().div_ceil(2))
        }
    }
}

/// Sums over the pairs that pass the filter, each cloud about its own reference point to limit cancellation.
#[derive(Clone, Copy)]
struct Sums {
    truth_about: Point,
    sensed_about: Point,
    sensed: Vector,
    truth: Vector,
    products: Matrix3<f64>,
    count: usize,
}

impl Sums {
    fn of(
        truth: &[Point],
        sensed: &[Point],
        matches: &[Match],
        cutoff_mm: f64,
        truth_about: &Point,
        sensed_about: &Point,
    ) -> Self {
        let empty = Self {
            truth_about: *truth_about,
            sensed_about: *sensed_about,
            sensed: Vector::zeros(),
            truth: Vector::zeros(),
            products: Matrix3::zeros(),
            count: 0,
        };
        let chunks = matches.par_chunks(CHUNK).zip(sensed.par_chunks(CHUNK));
        let partial: Vec<Self> = chunks
            .map(|(matches, sensed)| {
                let mut sums = empty;
                let kept = matches.iter().zip(sensed).filter(|(pair, _)| pair.squared_mm2.sqrt() <= cutoff_mm);
                for (pair, point) in kept {
                    let (p, y) = (point - sensed_about, truth[pair.index as usize] - truth_about);
                    sums.sensed += p;
                    sums.truth += y;
                    sums.products += p * y.transpose();
                    sums.count += 1;
                }
                sums
            })
            .collect();
        partial.iter().fold(empty, |mut total, sums| {
            total.sensed += sums.sensed;
            total.truth += sums.truth;
            total.products += sums.products;
            total.count += sums.count;
            total
        })
    }

    fn motion(&self) -> Option<Pose> {
        let (sensed, truth) = (self.sensed / self.count as f64, self.truth / self.count as f64);
        let covariance = self.products - sensed * truth.transpose() * self.count as f64;
        closed_form::rigid_motion(&(self.truth_about + truth), &(self.sensed_about + sensed), &covariance)
    }
}

/// Sum of the squared distances of the pairs that pass the filter, at the new pose, mm².
fn error(truth: &[Point], sensed: &[Point], matches: &[Match], cutoff_mm: f64, pose: &Pose) -> f64 {
    let chunks = matches.par_chunks(CHUNK).zip(sensed.par_chunks(CHUNK));
    let partial: Vec<f64> = chunks
        .map(|(matches, sensed)| {
            let kept = matches.iter().zip(sensed).filter(|(pair, _)| pair.squared_mm2.sqrt() <= cutoff_mm);
            kept.map(|(pair, point)| (pose * point - truth[pair.index as usize]).norm_squared()).sum()
        })
        .collect();
    partial.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Compute;
    use crate::cpu::Cpu;
    use crate::icp::{Request, Truth};
    use base::random::Random;
    use geometry::{OrderedPoints, mesh::shapes, sampling, transform};

    fn cloud(count: usize) -> Vec<Point> {
        let mut mesh = shapes::torus(30.0, 8.0, 60, 30);
        // Removes the symmetry.
        mesh.vertices.iter_mut().for_each(|vertex| vertex.coords.x *= 1.4 + 0.01 * vertex.coords.y);
        sampling::by_area(&mesh, count, 1).iter().map(|sample| sample.point).collect()
    }

    fn register(truth: &Truth, sensed: &[Point], parameters: &Parameters) -> Answer {
        let sensed = OrderedPoints::new(sensed);
        run(&Problem { truth, sensed: &sensed }, parameters, &Progress::silent()).unwrap()
    }

    #[test]
    fn every_search_finds_the_pose_of_points_on_the_model() {
        let points = cloud(4000);
        let truth = Truth::new(&points);
        let pose = Pose::new(Vector::new(1.0, -0.5, 0.7), Vector::new(0.08, -0.1, 0.12));
        let sensed: Vec<Point> = points.iter().step_by(3).map(|point| pose.inverse() * point).collect();
        for search in Search::ALL {
            let parameters = Parameters { change_limit_mm2: 1e-12, ..Parameters::new(search, &truth) };
            let answer = register(&truth, &sensed, &parameters);
            let (apart, angle) = transform::difference(&answer.truth_from_sensed, &pose, &Point::origin());
            // A few missed neighbours have little influence.
            let limit = if search.is_exact() { 1e-6 } else { 0.01 };
            assert!(apart < limit && angle.to_degrees() < limit, "{}: {apart} {angle}", search.name());
            if search.is_exact() {
                assert!(answer.iterations.windows(2).all(|pair| pair[1].error_mm2 <= pair[0].error_mm2 + 1e-12));
            }
            if search == Search::Walk(Start::LeafThenPrevious) {
                assert!(answer.mean_visited(1..) < 2.5, "{}", answer.mean_visited(1..));
            }
        }
    }

    #[test]
    fn filters_reject_outliers_and_readmit_points() {
        let points = cloud(4000);
        let truth = Truth::new(&points);
        let pose = Pose::new(Vector::new(0.5, -0.2, 0.3), Vector::new(0.02, -0.03, 0.02));
        let mut random = Random::new(3, 3);
        let mut sensed: Vec<Point> = points.iter().step_by(2).map(|point| pose.inverse() * point).collect();
        for point in sensed.iter_mut().step_by(10) {
            *point += Vector::new(3.0, 2.0, 4.0) * random.uniform();
        }
        let error = |filter| {
            let parameters = Parameters { filter, ..Parameters::new(Search::KdTree, &truth) };
            let answer = register(&truth, &sensed, &parameters);
            (transform::difference(&answer.truth_from_sensed, &pose, &Point::origin()).0, answer)
        };
        let (plain, all) = error(Filter::None);
        assert!(all.active.iter().all(|&active| active));
        let (robust, answer) = error(Filter::Mad { from: 5, limit: 6.0 });
        assert!(robust < plain / 5.0, "{robust} {plain}");
        assert!(answer.active.iter().filter(|active| !**active).count() > sensed.len() / 30);
        let (sigma, _) = error(Filter::Sigma { from: 5, limit: 2.0 });
        assert!(sigma < plain, "{sigma} {plain}");
        let (same, _) = error(Filter::Sigma { from: 0, limit: f64::INFINITY });
        assert_eq!(same, plain);
    }

    #[test]
    fn a_consecutive_scan_starts_from_the_matches_of_the_previous_one() {
        let points = cloud(4000);
        let truth = Truth::new(&points);
        let scan = |motion: f64| -> Vec<Point> {
            let pose = Pose::new(Vector::new(0.5, -0.2, 0.3) * motion, Vector::new(0.04, -0.06, 0.05) * motion);
            points.iter().step_by(2).map(|point| pose.inverse() * point).collect()
        };
        let parameters = Parameters::new(Search::Walk(Start::Previous), &truth);
        let silent = Progress::silent();
        let sensed = OrderedPoints::new(&scan(2.0));
        let first = run(&Problem { truth: &truth, sensed: &sensed }, &parameters, &silent).unwrap();
        // The same points, moved further, in the same order: matches are by index.
        let moved = scan(2.02);
        let points = sensed.numbers.iter().map(|&index| moved[index as usize]).collect();
        let sensed = OrderedPoints { points, numbers: sensed.numbers };
        let next = Parameters { start: first.truth_from_sensed, previous: Some(first.matches.clone()), ..parameters };
        let second = run(&Problem { truth: &truth, sensed: &sensed }, &next, &silent).unwrap();
        let (before, after) = (first.iterations.len(), second.iterations.len());
        assert!(2 * after <= before, "{before} {after}");
        assert!(second.error_mm2() < 1e-12 && second.mean_visited(0..1) < first.mean_visited(0..1) / 3.0);
    }

    #[test]
    fn too_few_and_collinear_points_are_an_error() {
        let truth = Truth::new(&cloud(50));
        let fails = |truth: &Truth, sensed: &[Point]| {
            let sensed = OrderedPoints::new(sensed);
            let parameters = Parameters::new(Search::KdTree, truth);
            let request = Request { problem: &Problem { truth, sensed: &sensed }, parameters: &parameters };
            Cpu.compute(&request, &Progress::silent()).unwrap_err().sentence
        };
        assert!(fails(&truth, &[Point::origin(); 2]).contains("three points"));
        let line: Vec<Point> = (0..9).map(|i| Point::new(f64::from(i), 0.0, 0.0)).collect();
        assert!(fails(&Truth::new(&line), &line).contains("collinear"));
    }
}
