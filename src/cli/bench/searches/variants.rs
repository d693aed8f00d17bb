//! All searches from the same starts: times, poses and walk lengths.

use serde_json::{Value, json};

use super::models::{Model, scattered};
use super::{Searches, errors, register, sensed};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::icp::{Answer, Parameters, Search, Start, Truth, WALK_LENGTH_BINS};
use geometry::{OrderedPoints, Point, Pose, Vector};

/// Points of the truth: for the cone that other tables use, and for the other parts.
const SIZES: [usize; 4] = [4_000, 8_000, 31_000, 62_000];
const OTHER_SIZES: [usize; 1] = [8_000];
/// Rotations of the starts, degrees about x, y, z.
const STARTS: [[f64; 3]; 4] = [[20.0, -10.0, 0.0], [-10.0, 20.0, 10.0], [0.0, 10.0, -20.0], [-20.0, -20.0, 20.0]];

/// What all searches of one size share: scans, their true poses, and the poses found with the k-d tree.
struct Case {
    model: Model,
    points: Vec<Point>,
    truth: Truth,
    scans: Vec<(OrderedPoints, Pose, Pose)>,
}

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    for model in Model::ALL {
        let sizes: &[usize] = if model == Model::Cone { &SIZES } else { &OTHER_SIZES };
        let mesh = model.mesh(60_000)?;
        for &count in sizes {
            let points = scattered(&mesh, bench.scaled(count), 2);
            let truth = Truth::new(&points);
            truth.graph(&Progress::silent())?;
            let mut scans = Vec::new();
            for angles in STARTS {
                let (scan, pose) = sensed(&points, points.len() / 2, 0.0, Vector::from(angles.map(f64::to_radians)));
                let scan = OrderedPoints::new(&scan);
                let reference = register(&Cpu, &truth, &scan, &Parameters::new(Search::KdTree, &truth))?;
                scans.push((scan, pose, reference.truth_from_sensed));
            }
            let case = Case { model, points, truth, scans };
            for search in Search::ALL {
                rows.extend(one(bench, &case, search)?);
            }
        }
    }
    Ok(())
}

fn one(bench: &Searches<'_>, case: &Case, search: Search) -> Result<Vec<Value>> {
    let truth = &case.truth;
    let is_large = case.points.len() > 10_000;
    let rows = bench.on_each(|device, backend| {
        let is_cpu = device.starts_with("CPU");
        // The published reference is the walk from the previous match on the CPU, so it runs with one thread too.
        let is_slow = match search {
            Search::BruteForce => is_cpu,
            Search::Walk(Start::Previous | Start::LeafThenPrevious) => false,
            _ => device == "CPU, 1 thread",
        };
        if is_large && is_slow {
            return Ok(Value::Null);
        }
        let (mut answers, mut ms): (Vec<Answer>, f64) = (Vec::new(), 0.0);
        let (mut worst, mut spread): ((f64, f64), (f64, f64)) = ((0.0, 0.0), (0.0, 0.0));
        for (scan, pose, reference) in &case.scans {
            // Counting is cheap on the CPU.
            let parameters = Parameters { records_walk_lengths: is_cpu, ..Parameters::new(search, truth) };
            let started = std::time::Instant::now();
            let answer = register(backend, truth, scan, &parameters)?;
            ms += started.elapsed().as_secs_f64() * 1e3;
            let (distance_mm, angle_deg) = errors(&answer, pose, truth);
            worst = (worst.0.max(distance_mm), worst.1.max(angle_deg));
            let own = errors(&answer, reference, truth);
            spread = (spread.0.max(own.0), spread.1.max(own.1));
            answers.push(answer);
        }
        let iterations = answers.iter().map(|answer| answer.iterations.len()).sum::<usize>().max(1) as f64;
        let search_ms: f64 = answers.iter().map(|answer| answer.timings.search_ms).sum();
        let histogram = |visits: fn(&[Vec<u32>; 2]) -> &Vec<u32>| -> Vec<u32> {
            let mut total = vec![0; WALK_LENGTH_BINS];
            for answer in &answers {
                total.iter_mut().zip(visits(&answer.visits)).for_each(|(total, own)| *total += own);
            }
            let longest = total.iter().rposition(|&walks| walks > 0).unwrap_or(0);
            total.truncate(longest + 1);
            total
        };
        let mean = |value: fn(&Answer) -> f64| answers.iter().map(value).sum::<f64>() / answers.len() as f64;
        Ok(json!({
            "case": format!(
                "{}, {device} ({}, {} on {})",
                search.name(), case.model.name(), case.points.len() / 2, case.points.len()
            ),
            "kind": "variant", "search": search.name(), "device": device, "model": case.model.name(),
            "truth": case.points.len(),
            "starts": answers.len(),
            "iterations": iterations,
            "ms_per_iteration": ms / iterations,
            "search_ms_per_iteration": search_ms / iterations,
            "worst_error_mm": worst.0,
            "worst_error_deg": worst.1,
            "apart_from_kd_tree_mm": spread.0,
            "apart_from_kd_tree_deg": spread.1,
            "mean_visited_first": mean(|answer| answer.mean_visited(0..1)),
            "mean_visited_after_first": mean(|answer| answer.mean_visited(1..)),
            "walks_first": histogram(|[first, _]| first),
            "walks_after_first": histogram(|[_, after]| after),
        }))
    })?;
    Ok(rows.into_iter().filter(|row| !row.is_null()).collect())
}
