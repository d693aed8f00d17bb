//! The command line on real files.

use std::process::{Command as Process, Stdio};

use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Projects};
use shadowgraph::geometry::{Point, transform};

use super::support::{asset, bracket_pose, context, errors, pose_of_json, shadowgraph, text};

fn demo_truth() -> Value {
    serde_json::from_str(&std::fs::read_to_string(asset("bracket-truth.json")).unwrap()).unwrap()
}

#[test]
fn the_demo_writes_every_file_and_finds_pose_and_defects() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("report");
    let output = shadowgraph(&["demo", "--no-window", "--json", "--out", text(&out)]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    // Of Mesa, where there is no desktop session.
    assert!(!errors(&output).contains("XDG_RUNTIME_DIR"), "{}", errors(&output));
    for name in ["summary.json", "deviations.csv", "colormap.ply", "report.html", "report.pdf"] {
        assert!(std::fs::metadata(out.join(name)).unwrap().len() > 1000, "{name}");
    }
    let summary: Value = serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap();
    assert_eq!(summary["schema"], "shadowgraph.inspection/1");
    assert_eq!(summary["verdict"], "fail");
    let truth = demo_truth();
    let (found, expected) =
        (pose_of_json(&summary["alignment"]["nominal_from_scan"]), pose_of_json(&truth["nominal_from_scan"]));
    let centre = Point::new(59.0, 39.0, 15.5);
    let (shift_mm, angle_rad) = transform::difference(&found, &expected, &expected.inverse_transform_point(&centre));
    assert!(shift_mm < 0.005 && angle_rad.to_degrees() < 0.005, "{shift_mm} mm {} deg", angle_rad.to_degrees());
    // The bumps are where and as high as they were made.
    let regions = summary["regions"].as_array().unwrap();
    assert_eq!(regions.len(), 4, "three defects, the bent corner seen on both sides");
    assert!(regions.iter().any(|region| region["centre_mm"][0].as_f64().unwrap() > 112.0), "the bent corner");
    for defect in truth["defects"].as_array().unwrap().iter().filter(|d| d["kind"] == "bump") {
        let at: [f64; 3] = serde_json::from_value(defect["centre_mm"].clone()).unwrap();
        let height_mm = defect["height_um"].as_f64().unwrap() / 1000.0;
        let found = regions.iter().find(|region| {
            let centre: [f64; 3] = serde_json::from_value(region["centre_mm"].clone()).unwrap();
            (Point::from(centre) - Point::from(at)).norm() < 1.5
        });
        let peak = found.expect("the defect is a region")["peak_mm"].as_f64().unwrap();
        assert!((peak - height_mm).abs() < 0.02, "{peak} {height_mm}");
    }
    let rows = std::fs::read_to_string(out.join("deviations.csv")).unwrap();
    assert!(rows.starts_with("x_mm,y_mm,z_mm,deviation_mm\n"));
    assert_eq!(rows.lines().count(), 150_001);
}

#[test]
fn out_of_tolerance_ends_with_code_4_only_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (nominal, scan) = (asset("bracket.stl"), asset("bracket-scan.ply"));
    let (pose, out) = (bracket_pose(folder.path()), folder.path().join("r"));
    let files = ["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--pose", text(&pose)];
    let base = [&files[..], &["--no-pictures", "--out", text(&out)]].concat();
    assert_eq!(shadowgraph(&base).status.code(), Some(0));
    let mut strict = base.clone();
    strict.push("--fail-on-out-of-tolerance");
    assert_eq!(shadowgraph(&strict).status.code(), Some(4));
    let mut wide = strict.clone();
    wide.extend(["--tolerance-mm", "-2,2"]);
    assert_eq!(shadowgraph(&wide).status.code(), Some(0));
}

#[test]
fn points_over_facets_find_the_regions_that_closest_points_find() {
    let folder = tempfile::tempdir().unwrap();
    let (bracket, scan, pose) = (asset("bracket.stl"), asset("bracket-scan.ply"), bracket_pose(folder.path()));
    let regions = ["closest", "point-facet"].map(|method| {
        let out = folder.path().join(method);
        let files = ["inspect", "--nominal", text(&bracket), "--scan", text(&scan), "--pose", text(&pose)];
        let more = ["--method", method, "--no-pictures", "--json", "--out", text(&out)];
        let output = shadowgraph(&[&files[..], &more[..]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut regions: Vec<(i64, f64)> = summary["regions"]
            .as_array()
            .unwrap()
            .iter()
            .map(|own| (own["centre_mm"][0].as_f64().unwrap().round() as i64, own["peak_mm"].as_f64().unwrap()))
            .collect();
        regions.sort_by_key(|(x, _)| *x);
        regions
    });
    assert_eq!(regions[0].len(), regions[1].len(), "{regions:?}");
    for (one, other) in regions[0].iter().zip(&regions[1]) {
        assert!((one.0 - other.0).abs() <= 1 && (one.1.abs() - other.1.abs()).abs() < 0.1, "{regions:?}");
    }
}

#[test]
fn facet_methods_and_a_given_pose_work() {
    let folder = tempfile::tempdir().unwrap();
    let truth = demo_truth();
    let pose_file = folder.path().join("pose.txt");
    std::fs::write(&pose_file, transform::pose_text(&pose_of_json(&truth["nominal_from_scan"]))).unwrap();
    let out = folder.path().join("r");
    let output = shadowgraph(&[
        "inspect",
        "--nominal",
        text(&asset("bracket.stl")),
        "--scan",
        text(&asset("bracket-scan.ply")),
        "--align",
        "none",
        "--pose",
        text(&pose_file),
        "--method",
        "point-facet",
        "--max-edge-mm",
        "1",
        "--no-pictures",
        "--json",
        "--out",
        text(&out),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(summary["deviation"]["method"], "point-facet");
    assert!(summary["deviation"]["count"].as_u64().unwrap() > 40_000);
    let rows = std::fs::read_to_string(out.join("deviations.csv")).unwrap();
    assert!(rows.starts_with("facet,x_mm,y_mm,z_mm,deviation_mm,matches\n"));
}

#[test]
fn wrong_usage_ends_with_code_2_and_help_has_examples() {
    assert_eq!(shadowgraph(&["inspect"]).status.code(), Some(2));
    assert_eq!(shadowgraph(&["--fly"]).status.code(), Some(2));
    assert_eq!(shadowgraph(&["inspct"]).status.code(), Some(2));
    let scan = asset("bracket-scan.ply");
    let output =
        shadowgraph(&["inspect", "--nominal", "a.stl", "--scan", text(&scan), "--out", "x", "--tolerance-mm", "1,-1"]);
    assert_eq!(output.status.code(), Some(2));
    for command in [
        "demo",
        "inspect",
        "register",
        "simulate",
        "convert",
        "info",
        "bench",
        "probe",
        "repeatability",
        "accept",
        "fit",
    ] {
        let help = shadowgraph(&[command, "--help"]);
        assert_eq!(help.status.code(), Some(0));
        let said = String::from_utf8_lossy(&help.stdout).into_owned();
        assert!(said.contains("Example") && !said.contains("[`"), "{command}: {said}");
    }
}

#[test]
fn simulate_convert_and_info_pass_files_on() {
    let folder = tempfile::tempdir().unwrap();
    let sim = folder.path().join("sim");
    let stl = asset("bracket.stl");
    let arguments = ["simulate", "--nominal", text(&stl), "--views", "1", "--points", "3000", "--out", text(&sim)];
    let output = shadowgraph(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let (scan, csv) = (sim.join("scan.ply"), folder.path().join("scan.csv"));
    assert_eq!(shadowgraph(&["convert", text(&scan), text(&csv)]).status.code(), Some(0));
    let info = shadowgraph(&["info", "--json", text(&csv)]);
    let value: Value = serde_json::from_slice(&info.stdout).unwrap();
    assert_eq!(value["files"][0]["points"], 3000);
    assert_eq!(value["files"][0]["columns"], serde_json::json!([1, 2, 3]));
}

#[test]
fn a_cad_file_becomes_the_part_it_describes() {
    if cfg!(not(feature = "cad")) {
        return;
    }
    let info = shadowgraph(&["info", "--json", text(&asset("bracket.step"))]);
    let value: Value = serde_json::from_slice(&info.stdout).unwrap();
    let file = &value["files"][0];
    assert_eq!(file["cad_faces"], 41);
    assert_eq!(file["open_edges"], 0);
    // The volume that the CAD system gave for the solid; facets cut its rounds by a little.
    assert!((file["volume_mm3"].as_f64().unwrap() / 18_432.805 - 1.0).abs() < 1e-3);
}

#[test]
fn a_scan_is_cleaned_before_it_is_compared_and_so_again_when_the_project_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    let (nominal, scan, out) = (asset("bracket.stl"), asset("bracket-scan.ply"), folder.path().join("r"));
    let thin = ["--remove-outliers", "3", "--thin-mm", "0.5", "--normals", "--no-pictures", "--json"];
    let mut arguments = vec!["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--out", text(&out)];
    arguments.extend(thin);
    let output = shadowgraph(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let summary: Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = summary["scan"]["points"].as_u64().unwrap();
    assert!((20_000..150_000).contains(&points), "{points}");
    assert_eq!(summary["scan"]["cleaning"].as_array().unwrap().len(), 3);
    assert_eq!(summary["regions"].as_array().unwrap().len(), 4);
    let mut dispatcher = Dispatcher::new(context());
    let project = Command::Projects(Projects::Open(out.join("inspection.shadowgraph")));
    dispatcher.run_now(project, &Progress::silent()).unwrap();
    let actual = dispatcher.document.actual().unwrap();
    assert_eq!(actual.cloud.points.len() as u64, points);
    assert_eq!(actual.cloud.normals.len() as u64, points);
    let refused = shadowgraph(&["convert", text(&scan), text(&out.join("x.ply")), "--thin-mm", "0"]);
    assert_eq!(refused.status.code(), Some(2), "{}", errors(&refused));
    assert!(errors(&refused).contains("above 0 mm"));
}

/// A reader that has seen enough ends the program quietly, a full disk with a sentence.
#[cfg(target_os = "linux")]
#[test]
fn a_closed_pipe_ends_quietly_and_a_full_disk_with_a_sentence() {
    let stl = asset("bracket.stl");
    for arguments in
        [vec!["info", text(&stl)], vec!["info", "--json", text(&stl)], vec!["bench", "planes", "--scale", "0.01"]]
    {
        let program = || {
            let mut program = Process::new(env!("CARGO_BIN_EXE_shadowgraph"));
            program.args(&arguments).stderr(Stdio::piped());
            program
        };
        let mut child = program().stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
        assert!(!errors(&output).contains("panicked"), "{}", errors(&output));
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = program().stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains("Standard output cannot be written"), "{}", errors(&output));
    }
}

/// A named pipe would wait for somebody to write into it.
#[cfg(unix)]
#[test]
fn a_named_pipe_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("scan.ply");
    if !Process::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()) {
        eprintln!("skipped: there is no mkfifo");
        return;
    }
    let output = shadowgraph(&["info", text(&pipe)]);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("not a regular file"), "{}", errors(&output));
}
