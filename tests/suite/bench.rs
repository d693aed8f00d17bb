//! The benches at small sizes: that they measure what they say.

use serde_json::Value;

use super::support::{errors, shadowgraph, text};

fn rows(arguments: &[&str]) -> Vec<Value> {
    let output = shadowgraph(&[&["bench"][..], arguments, &["--runs", "1", "--json"][..]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    value["rows"].as_array().unwrap().clone()
}

fn figure(row: &Value, key: &str) -> f64 {
    row[key].as_f64().unwrap_or_else(|| panic!("{key} of {row}"))
}

#[test]
fn searches_bring_all_125_starts_of_several_parts_to_the_truth() {
    let rows = rows(&["searches", "--only", "poses", "--scale", "0.01"]);
    for model in ["cone", "bracket", "blob", "wings"] {
        assert!(rows.iter().any(|row| row["model"] == model), "{model}");
    }
    for row in &rows {
        assert_eq!(figure(row, "starts"), 125.0);
        let others = figure(row, "settled_elsewhere") + figure(row, "still_moving");
        assert_eq!(figure(row, "reached") + others, 125.0, "{row}");
        assert!(row["whole_ms"]["median"].as_f64().unwrap() > 0.0);
        let is_search = !row["search"].as_str().unwrap().starts_with("best fit");
        if is_search && row["model"] == "cone" && row["search"] != "k-d tree, approximate" {
            assert!(figure(row, "reached_share") > 0.95, "{row}");
            assert!(figure(row, "exact_searches_apart_mm") < 1e-6, "{row}");
        }
    }
    assert!(rows.iter().any(|row| row["search"] == "best fit, distance to the true surface"));
}

#[test]
fn outliers_lie_inside_the_gate_and_filters_and_weights_take_them_out() {
    let rows = rows(&["searches", "--only", "outliers", "--scale", "0.1"]);
    let row = |case: &str| rows.iter().find(|row| row["case"] == case).unwrap_or_else(|| panic!("{case}"));
    for row in rows.iter().filter(|row| row["gate_mm"].is_number()) {
        assert_eq!(row["outliers"], row["outliers_inside_gate"], "{row}");
    }
    let (none, robust) = (row("10 % outliers, filter none"), row("10 % outliers, filter 6 robust sigma from 5"));
    assert!(figure(robust, "error_mm") < 0.2 * figure(none, "error_mm"), "{none} {robust}");
    assert!(figure(robust, "outliers_left_out") > 0.9 * figure(robust, "outliers"), "{robust}");
    assert!(figure(robust, "others_left_out") < 0.1 * figure(robust, "outliers"), "{robust}");
    let fit = |weights: &str| figure(row(&format!("10 % outliers, best fit on facets, {weights}")), "error_mm");
    assert!(fit("Tukey's weights") < 0.2 * fit("no weights"), "{} {}", fit("Tukey's weights"), fit("no weights"));
}

#[test]
fn charts_of_iterations_distance_and_model_are_drawn_without_a_gpu() {
    let folder = tempfile::tempdir().unwrap();
    let charts = |table: &str| {
        let own = folder.path().join(table);
        rows(&["searches", "--only", table, "--scale", "0.02", "--charts", text(&own)]);
        move |name: &str| assert!(own.join(format!("{name}.svg")).exists(), "{name}")
    };
    let drawn = charts("distance");
    drawn("distance-translation");
    drawn("distance-rotation");
    let iterations = rows(&["searches", "--only", "iterations", "--scale", "0.05"]);
    for row in &iterations {
        assert_eq!(row["iteration_ms"].as_array().unwrap().len(), 30, "{row}");
    }
    let drawn = charts("iterations");
    drawn("iterations-cone-cpu-1-thread");
    drawn("iterations-bracket-cpu-1-thread");
    let output = shadowgraph(&["bench", "searches", "--only", "nothing"]);
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
}

#[test]
fn published_tables_are_measured_again_beside_their_figures() {
    let folder = tempfile::tempdir().unwrap();
    let rows = rows(&["tables", "--scale", "0.005", "--charts", text(folder.path())]);
    assert_eq!(rows.len(), 15);
    for row in &rows {
        assert!(row["ms"]["1 thread"].as_f64().unwrap() > 0.0, "{row}");
        assert!(row["published_ms"]["one core"].as_f64().unwrap() > 0.0, "{row}");
    }
    let largest = rows.iter().find(|row| row["kind"] == "points" && row["published_ms"]["K40"] == 2098.0).unwrap();
    assert!((figure(largest, "published_times_as_fast") - 123.5).abs() < 0.1, "{largest}");
    for name in ["table-points", "table-facets-speed-up", "table-planes"] {
        assert!(folder.path().join(format!("{name}.svg")).exists(), "{name}");
    }
}

/// The campaign itself is for the command line; a few draws show that it runs and that its promises hold.
#[test]
fn a_few_draws_of_parts_with_and_without_defects_hold() {
    let rows = rows(&["defects", "--draws", "24"]);
    let all = rows.iter().find(|row| row["case"] == "all").unwrap();
    assert_eq!((figure(all, "draws"), figure(all, "detectable_passes")), (24.0, 0.0), "{all}");
    assert!(figure(all, "sound_passes") >= 22.0, "{all}");
    assert!(rows.iter().any(|row| row["case"] == "parts scanned from 12 directions, sound and with a dark hole"));
}
