//! The published charts, from the rows of this run.

use std::path::Path;

use serde_json::Value;

use super::super::charts::{Axes, Series, bars, lines};
use super::{cost_model, model_charts};
use base::Result;

pub(super) fn write(folder: &Path, rows: &[Value]) -> Result<()> {
    base::folder::make(folder)?;
    model_charts::write(folder, rows)?;
    // The charts by size are of one part.
    let of_one: Vec<Value> = rows.iter().filter(|row| matches!(text(row, "model"), "" | "cone")).cloned().collect();
    let rows = of_one.as_slice();
    let points = "points of the scan";
    let log = [true, true];
    let times = series(rows, "size", "sensed", "median_ms");
    lines(folder, "time-by-size", &Axes { title: "30 iterations", x: points, y: "ms", log }, &times)?;
    lines(
        folder,
        "speed-up-by-size",
        &Axes {
            title: "Speed-up over one thread and a k-d tree, measured and by the cost model",
            x: points,
            y: "times",
            log,
        },
        &speed_ups(rows),
    )?;
    let by_search = series(rows, "variant", "truth", "search_ms_per_iteration");
    let of_truth = "points of the truth";
    for (name, device) in [("cpu", "CPU"), ("gpu", "GPU")] {
        let own: Vec<Series> = by_search.iter().filter(|(name, _)| name.contains(device)).cloned().collect();
        let title = format!("Searching in an iteration, {device}");
        let axes = Axes { title: &title, x: of_truth, y: "ms", log };
        lines(folder, &format!("search-time-{name}"), &axes, &own)?;
    }
    for row in rows.iter().filter(|row| row.get("kind").is_some_and(|kind| kind == "stages")) {
        let Some(shares) = row.get("stage_shares").and_then(Value::as_object) else { continue };
        let shares: Vec<(String, f64)> =
            shares.iter().map(|(step, share)| (step.clone(), 100.0 * share.as_f64().unwrap_or(0.0))).collect();
        let axes = Axes { title: text(row, "case"), x: "step", y: "% of the time", log: [false, false] };
        bars(folder, &format!("stages-{}", text(row, "name")), &axes, &shares)?;
    }
    for truth in truths(rows) {
        let of_size = |row: &&Value| number(row, "truth") == Some(truth) && !walks(row).is_empty();
        let counted = rows.iter().filter(of_size).filter(|row| text(row, "device") != "CPU, 1 thread");
        let walks: Vec<Series> = counted.map(|row| (text(row, "search").to_owned(), walks(row))).collect();
        let title = format!("Points visited by walks, {truth} points");
        let axes = Axes { title: &title, x: "points visited", y: "% of walks", log: [false, false] };
        lines(folder, &format!("walks-{truth}"), &axes, &walks)?;
    }
    let noise = |y| series(rows, "noise", "noise_mm", y);
    let axes = |title, y| Axes { title, x: "noise, mm", y, log };
    lines(folder, "noise-error", &axes("Error of the pose under noise", "mm"), &noise("error_mm"))?;
    lines(folder, "noise-time", &axes("Time under noise", "ms per iteration"), &noise("ms_per_iteration"))?;
    let growth: Vec<Series> = ["from_the_middle", "from_the_last_match"]
        .into_iter()
        .flat_map(|key| rows.iter().filter_map(move |row| Some((key, row.get("points")?, row.get(key)?))))
        .map(|(key, x, y)| (key.replace('_', " "), list(x).into_iter().zip(list(y)).collect()))
        .collect();
    let title = "Length of walks against the size of the graph";
    lines(folder, "walk-growth", &Axes { title, x: of_truth, y: "points visited", log }, &growth)
}

/// One line per search and device, from the rows of a kind.
pub(super) fn series(rows: &[Value], kind: &str, x: &str, y: &str) -> Vec<Series> {
    let mut lines: Vec<Series> = Vec::new();
    for row in rows.iter().filter(|row| text(row, "kind") == kind) {
        let (Some(x), Some(y)) = (number(row, x), number(row, y)) else { continue };
        let name = format!("{}, {}", text(row, "search"), text(row, "device"));
        match lines.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => points.push((x, y)),
            None => lines.push((name, vec![(x, y)])),
        }
    }
    lines
}

/// Measured speed-ups, and those of the cost model for 5000 processors.
fn speed_ups(rows: &[Value]) -> Vec<Series> {
    let times = series(rows, "size", "sensed", "median_ms");
    let of = |name: &str| times.iter().find(|(other, _)| other == name).map(|(_, points)| points.clone());
    let Some(serial) = of("k-d tree, CPU, 1 thread") else { return Vec::new() };
    let over = |points: &[(f64, f64)]| -> Vec<(f64, f64)> {
        let pairs = serial.iter().filter_map(|(x, slow)| Some((*x, slow / points.iter().find(|p| p.0 == *x)?.1)));
        pairs.collect()
    };
    let mut lines: Vec<Series> = times.iter().skip(1).map(|(name, points)| (name.clone(), over(points))).collect();
    let model = cost_model::published().map(|(truth, sensed)| (sensed, cost_model::speed_up(5000.0, truth, sensed)));
    lines.push(("model, 5000 processors".to_owned(), model.collect()));
    lines
}

fn truths(rows: &[Value]) -> Vec<f64> {
    let mut all: Vec<f64> =
        rows.iter().filter(|row| text(row, "kind") == "variant").filter_map(|row| number(row, "truth")).collect();
    all.dedup();
    all
}

/// Percentage of walks by length, after the first iteration.
fn walks(row: &Value) -> Vec<(f64, f64)> {
    let counts = row.get("walks_after_first").map(list).unwrap_or_default();
    let all: f64 = counts.iter().sum();
    if all == 0.0 {
        return Vec::new();
    }
    counts.iter().enumerate().map(|(length, count)| (length as f64, 100.0 * count / all)).collect()
}

pub(super) fn text<'a>(row: &'a Value, key: &str) -> &'a str {
    row.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(super) fn number(row: &Value, key: &str) -> Option<f64> {
    row.get(key).and_then(Value::as_f64)
}

pub(super) fn list(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}
