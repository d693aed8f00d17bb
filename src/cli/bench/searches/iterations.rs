//! Time of each iteration by every search: walks from the previous match become shorter as the pose converges.

use std::time::Instant;

use serde_json::{Value, json};

use super::models::{Model, scattered};
use super::{ITERATIONS, Searches, pools, register, sensed, with_fixed_iterations};
use base::{Progress, Result};
use compute::cpu::Cpu;
use compute::cuda::Cuda;
use compute::icp::{Parameters, Problem, Search, Truth};
use geometry::{OrderedPoints, Vector};

/// Points of the truth, as published.
const POINTS: usize = 8_000;

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    for model in [Model::Cone, Model::Bracket] {
        let points = scattered(&model.mesh(60_000)?, bench.scaled(POINTS), 6);
        let truth = Truth::new(&points);
        truth.tree();
        truth.graph(&Progress::silent())?;
        let (scan, _) = sensed(&points, points.len() / 2, 0.0, Vector::new(0.15, -0.1, 0.12));
        let scan = OrderedPoints::new(&scan);
        let problem = Problem { truth: &truth, sensed: &scan };
        let mut add = |search: Search, device: &str, label: &str, ms: Vec<f64>| {
            rows.push(json!({
                "case": format!("{label} in each iteration, {}, {device} ({}, {} on {})", search.name(), model.name(),
                    scan.points.len(), points.len()),
                "kind": "iteration", "search": search.name(), "device": device, "model": model.name(),
                "iteration_ms": ms,
            }));
        };
        for search in Search::ALL {
            for (threads, pool) in pools()? {
                let ms = median(bench.arguments.runs, || pool.install(|| search_times(&problem, search)))?;
                add(search, &format!("CPU, {threads}"), "searching", ms);
            }
            if let Some(cuda) = bench.cuda {
                let ms = median(bench.arguments.runs, || iteration_times(cuda, &problem, search))?;
                add(search, "GPU", "all steps", ms);
            }
        }
    }
    Ok(())
}

/// Time of the search in each iteration on the CPU, ms: one iteration per call, each starting where the previous one
/// ended.
fn search_times(problem: &Problem<'_>, search: Search) -> Result<Vec<f64>> {
    let usual = Parameters::new(search, problem.truth);
    let mut parameters = Parameters { max_iterations: 1, change_limit_mm2: -1.0, ..usual };
    let mut ms = Vec::with_capacity(ITERATIONS);
    for _ in 0..ITERATIONS {
        let answer = register(&Cpu, problem.truth, problem.sensed, &parameters)?;
        ms.push(answer.timings.search_ms);
        parameters.start = answer.truth_from_sensed;
        parameters.previous = search.uses_initial_matches().then_some(answer.matches);
    }
    Ok(ms)
}

/// Time of each iteration on a GPU, ms, including all steps and the host's wait.
fn iteration_times(cuda: &Cuda, problem: &Problem<'_>, search: Search) -> Result<Vec<f64>> {
    let parameters = with_fixed_iterations(Parameters::new(search, problem.truth));
    let job = cuda.prepare_icp(problem, &parameters, &Progress::silent())?;
    job.begin(&parameters)?;
    cuda.driver().synchronize()?;
    let mut ms = Vec::with_capacity(ITERATIONS);
    for iteration in 0..ITERATIONS {
        let started = Instant::now();
        job.launch(&parameters, iteration)?;
        cuda.driver().synchronize()?;
        ms.push(started.elapsed().as_secs_f64() * 1e3);
    }
    Ok(ms)
}

/// The median of each iteration over `runs` runs, after one warm-up.
fn median(runs: usize, mut work: impl FnMut() -> Result<Vec<f64>>) -> Result<Vec<f64>> {
    work()?;
    let all = (0..runs.max(1)).map(|_| work()).collect::<Result<Vec<Vec<f64>>>>()?;
    let of_iteration = |iteration: usize| {
        let mut own: Vec<f64> = all.iter().filter_map(|run| run.get(iteration).copied()).collect();
        own.sort_by(f64::total_cmp);
        own.get(own.len() / 2).copied().unwrap_or(f64::NAN)
    };
    Ok((0..ITERATIONS).map(of_iteration).collect())
}
