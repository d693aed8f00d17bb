//! The command line on bores that were seen on an arc, on scattered points before a filter, on circles of three points
//! and on points of a line.

use std::path::PathBuf;

use shadowgraph::base::random::Random;

use super::super::support::{errors, shadowgraph, text};

/// A file of points in a folder that is kept while it is used.
fn file(folder: &tempfile::TempDir, name: &str, content: &str) -> PathBuf {
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    path
}

#[test]
fn bores_seen_on_70_degrees_are_undecided_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let plan = r#"{"datums": {}, "tolerances": [{"feature": "bore", "characteristic": "size", "lower_mm": 11.95, "upper_mm": 12.05}]}"#;
    let plan = file(&folder, "plan.json", plan);
    let mut random = Random::new(58, 40);
    for diameter in [12.0, 12.13] {
        let mut rows = "feature,x,y,z\n".to_owned();
        for _ in 0..1500 {
            let angle = random.range(0.0, 70.0_f64.to_radians());
            let radius = 0.5 * diameter + 0.02 * (3.0 * angle + 1.0).cos() + 0.012 * random.normal();
            let (x, y) = (40.0 + radius * angle.cos(), 30.0 + radius * angle.sin());
            rows.push_str(&format!("bore,{x:.6},{y:.6},{:.6}\n", random.range(0.0, 20.0)));
        }
        let points = file(&folder, "bore.csv", &rows);
        let run = shadowgraph(&[
            "tolerances",
            "--features",
            text(&points),
            "--plan",
            text(&plan),
            "--fit",
            "bore=cylinder",
            "--json",
        ]);
        let value: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(value["tolerances"][0]["words"], "undecided", "{diameter}: {}", errors(&run));
        assert!((value["features"][0]["fit"]["arc_deg"].as_f64().unwrap() - 70.0).abs() < 2.0);
    }
}

#[test]
fn half_of_scattered_lobes_at_the_cutoff_are_left_from_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let plan = r#"{"datums": {}, "tolerances": [{"feature": "c", "characteristic": "circularity", "limit_mm": 0.012, "filter_upr": 50}]}"#;
    let plan = file(&folder, "plan.json", plan);
    let (mut random, mut rows) = (Random::new(58, 41), "feature,x,y,z\n".to_owned());
    for _ in 0..4000 {
        let angle = random.range(0.0, std::f64::consts::TAU);
        let radius = 20.0 + 0.01 * (50.0 * angle).cos();
        rows.push_str(&format!("c,{:.6},{:.6},0\n", radius * angle.cos(), radius * angle.sin()));
    }
    let points = file(&folder, "filter.csv", &rows);
    let run =
        shadowgraph(&["tolerances", "--features", text(&points), "--plan", text(&plan), "--fit", "c=circle", "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let measured = value["tolerances"][0]["judged"]["measured_mm"].as_f64().unwrap();
    assert!((measured - 0.010).abs() < 4e-4, "{measured}: {}", errors(&run));
}

#[test]
fn what_points_do_not_determine_is_said_by_fit() {
    let folder = tempfile::tempdir().unwrap();
    let line: String = (0..5).map(|i| format!("{},{},{}\n", i, 2 * i, 3 * i)).collect();
    let run = shadowgraph(&["fit", "plane", text(&file(&folder, "line.csv", &line))]);
    assert_eq!(run.status.code(), Some(3));
    assert!(errors(&run).contains("they lie on a straight line"), "{}", errors(&run));
    let three = "10.0,-15.839748528,27.226499019\n5.618895374,-21.057259393,32.165207804\n13.646365661,-23.280301168,30.971412225\n";
    let three = file(&folder, "three.csv", three);
    let run = shadowgraph(&["fit", "circle", text(&three)]);
    let said = String::from_utf8_lossy(&run.stdout).into_owned();
    assert!(run.status.success() && said.contains("no uncertainty can be stated"), "{said}{}", errors(&run));
    // An infinite figure is none in JSON.
    let run = shadowgraph(&["fit", "circle", text(&three), "--json"]);
    let value: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert!(value["fit"]["uncertainty"]["position_mm"].is_null(), "{value}");
}
