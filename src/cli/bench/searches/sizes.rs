//! Time of a registration by size (tables 1 to 3), and one beyond them.

use serde_json::{Value, json};

use super::super::gpu::time_resident;
use super::{Searches, fixed, merge, part, register, sensed, surface_cloud, time};
use base::{Progress, Result};
use compute::icp::{Parameters, Problem, Search, Start, Truth};
use geometry::{OrderedPoints, Vector};

/// Points of the truth, and of the scan.
pub(super) const PUBLISHED: [(usize, usize); 7] = [
    (5_053, 1_915),
    (5_053, 2_507),
    (5_053, 3_445),
    (5_053, 4_941),
    (10_106, 7_681),
    (15_159, 13_703),
    (40_424, 30_696),
];

pub(super) fn run(bench: &Searches<'_>, rows: &mut Vec<Value>) -> Result<()> {
    for (truth, scan) in PUBLISHED {
        let points = surface_cloud(bench.scaled(truth), 1);
        one(bench, &points, bench.scaled(scan).min(points.len()), rows)?;
    }
    // A million points on a million.
    let mesh = part::cone(400_000);
    let points: Vec<_> =
        geometry::sampling::by_area(&mesh, bench.scaled(1_000_000), 1).into_iter().map(|s| s.point).collect();
    one(bench, &points, points.len(), rows)
}

fn one(bench: &Searches<'_>, points: &[geometry::Point], scan: usize, rows: &mut Vec<Value>) -> Result<()> {
    let truth = Truth::new(points);
    let (scan, _) = sensed(points, scan, 0.02, Vector::new(0.05, -0.08, 0.06));
    let sensed = OrderedPoints::new(&scan);
    let size = format!("{} on {}", scan.len(), points.len());
    let progress = Progress::silent();
    // Made before, as offline.
    truth.tree();
    truth.graph(&progress)?;
    for search in [Search::KdTree, Search::Walk(Start::Previous), Search::Walk(Start::LeafThenPrevious)] {
        let parameters = fixed(Parameters::new(search, &truth));
        let name = search.name();
        let is_large = truth.points().len() > 100_000;
        let mut extra = Vec::new();
        let timed = bench.on_each(|device, backend| {
            if is_large && device == "CPU, 1 thread" {
                return Ok(Value::Null);
            }
            let runs = if device == "GPU" && !is_large { bench.arguments.runs } else { 1 };
            let case = format!("30 iterations, {name}, {device} ({size})");
            let (answer, mut row) = time(&case, runs, || register(backend, &truth, &sensed, &parameters))?;
            let stages = answer.stages;
            let computing_ms = stages.search_ms + stages.sums_ms + stages.solve_ms;
            merge(
                &mut row,
                json!({
                    "kind": "size", "search": name, "device": device, "sensed": scan.len(), "truth": points.len(),
                    "search_share": stages.search_ms / computing_ms,
                    "search_ms_per_iteration": stages.search_ms / answer.iterations.len() as f64,
                    "sums_ms_per_iteration": stages.sums_ms / answer.iterations.len() as f64,
                    "stages": stages,
                    "mean_visited_after_first": answer.mean_visited(1..),
                }),
            );
            if search == Search::Walk(Start::LeafThenPrevious) && device != "CPU, 1 thread" {
                let ms = [
                    ("search", stages.search_ms),
                    ("sums", stages.sums_ms),
                    ("solve", stages.solve_ms),
                    ("transfer", stages.transfer_ms),
                ];
                let total = row.get("median_ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
                let known: f64 = ms.iter().map(|(_, ms)| ms).sum();
                let all = ms.into_iter().chain([("host", (total - known).max(0.0))]);
                let shares: serde_json::Map<String, Value> =
                    all.map(|(stage, ms)| (stage.to_owned(), json!(ms / total.max(known)))).collect();
                extra.push(json!({
                    "case": format!("stages of 30 iterations, {device} ({size})"),
                    "kind": "stages",
                    "name": format!("{}-{}", scan.len(), device.get(..3).unwrap_or(device).to_lowercase()),
                    "stage_shares": shares,
                }));
            }
            Ok(row)
        })?;
        rows.extend(timed.into_iter().filter(|row| !row.is_null()));
        rows.append(&mut extra);
        if let Some(cuda) = bench.cuda {
            let job = cuda.prepare_icp(&Problem { truth: &truth, sensed: &sensed }, &parameters, &progress)?;
            let case = format!("30 iterations, {name}, GPU, resident ({size})");
            let mut row = time_resident(&case, bench.arguments, cuda, || {
                job.begin(&parameters)?;
                (0..=parameters.max_iterations).try_for_each(|iteration| job.launch(&parameters, iteration))
            })?;
            merge(
                &mut row,
                json!({
                    "kind": "size", "search": name, "device": "GPU, resident", "sensed": scan.len(), "truth": points.len(),
                }),
            );
            rows.push(row);
        }
    }
    Ok(())
}
