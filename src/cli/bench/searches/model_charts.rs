//! The published charts that compare parts, devices and iterations, from the rows of this run.

use std::path::Path;

use serde_json::Value;

use super::super::charts::{Axes, Series, bars, lines};
use super::models::Model;
use super::plots::{list, number, series, text};
use base::Result;

pub(super) fn write(folder: &Path, rows: &[Value]) -> Result<()> {
    searches_by_model(folder, rows)?;
    best_by_model(folder, rows)?;
    time_by_iteration(folder, rows)?;
    reached(folder, rows)?;
    error_by_distance(folder, rows)?;
    error_by_outliers(folder, rows)?;
    against_model(folder, rows, "search", "search_ms_per_iteration", |truth, sensed| sensed * truth.log2())?;
    against_model(folder, rows, "sums", "sums_ms_per_iteration", |_, sensed| sensed)
}

/// Rows of the searches on one part, all parts at the same number of points.
fn variants<'a>(rows: &'a [Value], model: &str) -> Vec<&'a Value> {
    let variants = || rows.iter().filter(|row| text(row, "kind") == "variant");
    let truth = variants().find(|row| text(row, "model") != Model::Cone.name()).and_then(|row| number(row, "truth"));
    variants().filter(|row| text(row, "model") == model && number(row, "truth") == truth).collect()
}

/// A device name as part of a file name.
fn file_name(device: &str) -> String {
    device.to_lowercase().replace(", ", "-").replace(' ', "-")
}

fn devices<'a>(rows: &[&'a Value]) -> Vec<&'a str> {
    let mut devices: Vec<&str> = Vec::new();
    for &row in rows {
        let device = text(row, "device");
        if !devices.contains(&device) {
            devices.push(device);
        }
    }
    devices
}

fn searches_by_model(folder: &Path, rows: &[Value]) -> Result<()> {
    for model in Model::ALL {
        let own = variants(rows, model.name());
        for device in devices(&own) {
            let of_device = own.iter().filter(|row| text(row, "device") == device);
            let values: Vec<(String, f64)> = of_device
                .filter_map(|row| Some((text(row, "search").to_owned(), number(row, "search_ms_per_iteration")?)))
                .collect();
            let title = format!("Searching in an iteration: {}, {device}", model.name());
            let axes = Axes { title: &title, x: "search", y: "ms", log: [false, false] };
            bars(folder, &format!("search-time-{}-{}", model.name(), file_name(device)), &axes, &values)?;
        }
    }
    Ok(())
}

/// The fastest exact search on each device, for the search alone and for complete iterations, and its speed-up over one
/// thread.
fn best_by_model(folder: &Path, rows: &[Value]) -> Result<()> {
    for (name, what, key) in [
        ("search", "Fastest exact search of an iteration", "search_ms_per_iteration"),
        ("iteration", "Fastest iteration by an exact search", "ms_per_iteration"),
    ] {
        let (mut times, mut speed_ups) = (Vec::new(), Vec::new());
        for model in Model::ALL {
            let own = variants(rows, model.name());
            let best = |device: &str| {
                let exact =
                    own.iter().filter(|row| text(row, "device") == device && !text(row, "search").contains("approx"));
                exact.filter_map(|row| number(row, key)).fold(f64::INFINITY, f64::min)
            };
            let devices = devices(&own);
            let Some(serial) = devices.first().map(|device| best(device)) else { continue };
            for (i, device) in devices.iter().enumerate() {
                times.push((format!("{}, {device}", model.name()), best(device)));
                if i > 0 {
                    speed_ups.push((format!("{}, {device}", model.name()), serial / best(device)));
                }
            }
        }
        let axes = |title, y| Axes { title, x: "part and device", y, log: [false, false] };
        bars(folder, &format!("best-{name}-by-model"), &axes(what, "ms"), &times)?;
        let title = format!("{what}: speed-up over one thread");
        bars(folder, &format!("best-{name}-speed-up-by-model"), &axes(&title, "times"), &speed_ups)?;
    }
    Ok(())
}

fn time_by_iteration(folder: &Path, rows: &[Value]) -> Result<()> {
    let all: Vec<&Value> = rows.iter().filter(|row| text(row, "kind") == "iteration").collect();
    for model in Model::ALL {
        for device in devices(&all) {
            let is_own = |row: &&&Value| text(row, "model") == model.name() && text(row, "device") == device;
            let own: Vec<Series> = all
                .iter()
                .filter(is_own)
                .map(|row| {
                    let ms = row.get("iteration_ms").map(list).unwrap_or_default();
                    let points = ms.into_iter().enumerate().map(|(i, ms)| ((i + 1) as f64, ms)).collect();
                    (text(row, "search").to_owned(), points)
                })
                .collect();
            let label = if device == "GPU" { "All steps of each iteration" } else { "Searching in each iteration" };
            let title = format!("{label}: {}, {device}", model.name());
            let axes = Axes { title: &title, x: "iteration", y: "ms", log: [false, true] };
            lines(folder, &format!("iterations-{}-{}", model.name(), file_name(device)), &axes, &own)?;
        }
    }
    Ok(())
}

/// The percentage of the 125 starts from which each search and best fit reaches the true pose.
fn reached(folder: &Path, rows: &[Value]) -> Result<()> {
    let all: Vec<&Value> = rows.iter().filter(|row| text(row, "kind") == "poses").collect();
    let mut cases: Vec<(&str, f64)> = Vec::new();
    for row in &all {
        let case = (text(row, "model"), number(row, "truth").unwrap_or(0.0));
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    for (model, truth) in cases {
        for device in devices(&all) {
            let own = all.iter().filter(|row| {
                text(row, "model") == model && number(row, "truth") == Some(truth) && text(row, "device") == device
            });
            let values: Vec<(String, f64)> = own
                .filter_map(|row| Some((text(row, "search").to_owned(), 100.0 * number(row, "reached_share")?)))
                .collect();
            let title = format!("Starts that reach the truth: {model}, {truth} points, {device}");
            let axes = Axes { title: &title, x: "search or best fit", y: "% of starts", log: [false, false] };
            bars(folder, &format!("reached-{model}-{truth}-{}", file_name(device)), &axes, &values)?;
        }
    }
    Ok(())
}

fn error_by_distance(folder: &Path, rows: &[Value]) -> Result<()> {
    for (name, key, y) in [("translation", "error_mm", "mm"), ("rotation", "error_deg", "degrees")] {
        let title = format!("Error of the {name} against the distance from the sensor");
        let axes = Axes { title: &title, x: "distance, mm", y, log: [true, true] };
        lines(folder, &format!("distance-{name}"), &axes, &series(rows, "distance", "distance_mm", key))?;
    }
    Ok(())
}

fn error_by_outliers(folder: &Path, rows: &[Value]) -> Result<()> {
    let title = "Error of the pose under outliers inside the gate";
    let axes = Axes { title, x: "outliers, %", y: "mm", log: [false, true] };
    lines(folder, "outliers-error", &axes, &series(rows, "outliers", "outliers_percent", "error_mm"))
}

/// The measured time of a step at the published sizes, and the time predicted by the operation count of the cost model,
/// scaled to agree at the largest size.
fn against_model(folder: &Path, rows: &[Value], step: &str, key: &str, operations: fn(f64, f64) -> f64) -> Result<()> {
    // The model describes the search in a tree.
    let of_tree: Vec<&Value> = rows
        .iter()
        .filter(|row| text(row, "kind") == "size" && text(row, "search") == "k-d tree" && number(row, key).is_some())
        .collect();
    let mut all: Vec<Series> = Vec::new();
    for device in devices(&of_tree) {
        let own = of_tree.iter().filter(|row| text(row, "device") == device);
        let measured: Vec<(f64, f64, f64)> = own
            .filter_map(|row| {
                let (truth, sensed) = (number(row, "truth")?, number(row, "sensed")?);
                // Larger sizes than the published ones would compress the chart.
                (sensed < 1e5).then_some((sensed, number(row, key)?, operations(truth, sensed)))
            })
            .collect();
        let Some(&(_, ms, largest)) = measured.last() else { continue };
        all.push((format!("{device}, measured"), measured.iter().map(|&(sensed, ms, _)| (sensed, ms)).collect()));
        let model = measured.iter().map(|&(sensed, _, operations)| (sensed, ms * operations / largest)).collect();
        all.push((format!("{device}, model"), model));
    }
    let title = format!("{step} of an iteration, measured and by the cost model");
    let axes = Axes { title: &title, x: "points of the scan", y: "ms", log: [true, true] };
    lines(folder, &format!("model-{step}"), &axes, &all)
}
