//! Text files that do not say which of their columns hold coordinates, in the window and on the command line.

use egui_kittest::kittest::Queryable as _;

use super::support::{case, errors, shadowgraph, text};
use super::window::{drop_file, open, save_picture, settle};

/// Column 1 may number the points or hold x.
const UNCLEAR: &str = "1 50 70 9\n2 60 70 9\n3 50 60 9\n4 55 60 8\n";

#[test]
fn columns_that_a_file_does_not_state_are_asked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.xyz");
    std::fs::write(&path, UNCLEAR).unwrap();
    let told = shadowgraph(&["info", text(&path)]);
    assert_eq!(told.status.code(), Some(3));
    assert!(
        errors(&told).contains("may number the points") && errors(&told).contains("--columns"),
        "{}",
        errors(&told)
    );

    let mut harness = open(Vec::new(), None);
    harness.run_steps(3);
    drop_file(&mut harness, &path);
    assert!(harness.state().dispatcher().document.actual().is_none());
    assert!(harness.query_by_label_contains("Choose the columns of x, y and z.").is_some());
    save_picture(&mut harness, "columns-asked");
    harness.get_by_label("Open").click();
    settle(&mut harness);
    let points = &harness.state().dispatcher().document.actual().unwrap().cloud.points;
    assert_eq!((points.len(), points[0].x), (4, 50.0));
}

#[test]
fn a_table_of_nominal_and_measured_values_opens_without_a_question() {
    let mut harness = open(Vec::new(), None);
    harness.run_steps(3);
    drop_file(&mut harness, &case("readers/e_nom_act.csv.gz"));
    let points = &harness.state().dispatcher().document.actual().unwrap().cloud.points;
    assert_eq!((points.len(), points[0].x), (5200, -0.5));
}

/// The block is 0.5 mm too large: compared with its measured columns it fails, and limits with a comma are asked about.
#[test]
fn measured_columns_are_compared_with_the_limits_that_were_meant() {
    let folder = tempfile::tempdir().unwrap();
    let [nominal, scan] = ["readers/e_block.stl", "readers/e_nom_act.csv.gz"].map(case);
    let inspect = |limits: &str| {
        let parts = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--align", "none", "--json"];
        shadowgraph(&[&parts[..], &["--no-pictures", "--tolerance-mm", limits, "--out", text(folder.path())]].concat())
    };
    let told = inspect("0.1");
    let found: serde_json::Value = serde_json::from_slice(&told.stdout).unwrap_or_else(|_| panic!("{}", errors(&told)));
    assert_eq!(found["verdict"], "fail");
    assert!((found["regions"][0]["peak_mm"].as_f64().unwrap() - 0.5).abs() < 1e-6, "{}", found["regions"][0]);
    let refused = inspect("0,02");
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("can be read as 0.02 and as the limits 0.0 and 2.0"), "{}", errors(&refused));
}
