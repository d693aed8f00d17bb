//! Time of a registration by problem size (tables 1 to 3), and one larger size.

use serde_json::{Value, json};

use super::super::gpu::time_resident;
use super::{Searches, merge, part, register, sensed, surface_cloud, time, with_fixed_iterations};
use base::{Progress, Result};
use compute::icp::{Parameters, Problem, Search, Start, Truth};
use geometry::{OrderedPoints, Vector};

/// Published sizes: points of the truth and of the scan.
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
    // A million points onto a million.
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
    // Built beforehand, as offline.
    truth.tree();
    truth.graph(&progress)?;
    for search in [Search::KdTree, Search::Walk(Start::Previous), Search::Walk(Start::LeafThenPrevious)] {
        let parameters = with_fixed_iterations(Parameters::new(search, &truth));
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
            let timings = answer.timings;
            let computing_ms = timings.search_ms + timings.sums_ms + timings.solve_ms;
            merge(
                &mut row,
                json!({
                    "kind": "size", "search": name, "device": device, "sensed": scan.len(), "truth": points.len(),
                    "search_share": timings.search_ms / computing_ms,
                    "search_ms_per_iteration": timings.search_ms / answer.iterations.len() as f64,
                    "sums_ms_per_iteration": timings.sums_ms / answer.iterations.len() as f64,
                    "stages": timings,
                    "mean_visited_after_first": answer.mean_visited(1..),
                }),
            );
            if search == Search::Walk(Start::LeafThenPrevious) && device != "CPU, 1 thread" {
                let ms = [
                    ("search", timings.search_ms),
                    ("sums", timings.sums_ms),
                    ("solve", timings.solve_ms),
                    ("transfer", timings.transfer_ms),
                ];
                let total = row.get("median_ms").and_then(Value::as_f64).unwrap_or(f64::NAN);
                let attributed_ms: f64 = ms.iter().map(|(_, ms)| ms).sum();
                let all = ms.into_iter().chain([("host", (total - attributed_ms).max(0.0))]);
                let shares: serde_json::Map<String, Value> =
                    all.map(|(step, ms)| (step.to_owned(), json!(ms / total.max(attributed_ms)))).collect();
                extra.push(json!({
                    "case": format!("steps of 30 iterations, {device} ({size})"),
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
