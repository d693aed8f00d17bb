//! Deviations along one direction, and within planes: in the window, in the report and on the command line.

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::dispatch::{Align, Inspect};
use shadowgraph::geometry::Pose;

use super::own_tolerances::block;
use super::support::{errors, shadowgraph, text};
use super::window::{open, send, settle};

/// The upper face of the part is this much too high.
const RAISED_MM: f64 = 0.05;

#[test]
fn deviations_along_an_axis_are_chosen_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(block(folder.path(), RAISED_MM).to_vec(), None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    send(&mut window, Inspect::Compare);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    window.get_by_role_and_label(egui::Role::ComboBox, "Measured along").click();
    window.run_steps(3);
    window.get_by_label("own vector").click();
    settle(&mut window);
    let direction = |window: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        window.state().dispatcher().document.settings.deviation.direction_in_words()
    };
    assert_eq!(direction(&window).as_deref(), Some("(+0.577, +0.577, +0.577)"));
    // Other deviations have to be measured first.
    assert!(window.state().dispatcher().document.current_check().is_none());
    // The vector stays what it is, but is what planes are perpendicular to.
    let measured = |window: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        window.state().dispatcher().document.settings.deviation.measured_in_words()
    };
    for (name, says) in [
        ("perpendicular to own vector", "perpendicular to (+0.577, +0.577, +0.577)"),
        ("plane YZ", "perpendicular to X"),
    ] {
        window.get_by_role_and_label(egui::Role::ComboBox, "Measured along").click();
        window.run_steps(3);
        window.get_by_label(name).scroll_to_me();
        window.run_steps(4);
        window.get_by_label(name).click();
        settle(&mut window);
        assert_eq!(measured(&window).as_deref(), Some(says));
    }
    let mut settings = window.state().dispatcher().document.settings.clone();
    settings.deviation.in_plane = false;
    settings.deviation.direction = Some([0.0, 0.0, 2.0]);
    send(&mut window, Inspect::SetSettings(Box::new(settings)));
    send(&mut window, Inspect::Compare);
    assert_eq!(direction(&window).as_deref(), Some("Z"));
    let document = &window.state().dispatcher().document;
    let check = document.current_check().unwrap();
    assert_eq!((check.statistics.count, check.excluded.wrong_angle), (4800, 1600));
    assert!((check.statistics.mean_mm - RAISED_MM).abs() < 1e-5, "{:?}", check.statistics);
    // The back was seen, but not measured.
    assert!(check.measurement.coverage.fraction < 0.35, "{}", check.measurement.coverage.fraction);
}

#[test]
fn the_command_line_and_the_report_say_what_deviations_are_measured_along() {
    let folder = tempfile::tempdir().unwrap();
    let ([cad, scan], out) = (block(folder.path(), RAISED_MM), folder.path().join("out"));
    let run = |more: &[&str]| {
        let all = ["inspect", "--nominal", text(&cad), "--scan", text(&scan), "--align", "none", "--no-pictures"];
        shadowgraph(&[&all[..], &["--json", "--out", text(&out)][..], more].concat())
    };
    let along = run(&["--direction", "z"]);
    assert_eq!(along.status.code(), Some(0), "{}", errors(&along));
    let summary: Value = serde_json::from_slice(&along.stdout).unwrap();
    assert_eq!(summary["deviation"]["direction"], serde_json::json!([0.0, 0.0, 1.0]));
    assert_eq!(summary["deviation"]["count"], 4800);
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    for words in ["Deviation along Z", "deviations along Z; grey", "Deviations are measured along Z."] {
        assert!(html.contains(words), "{words} is not in the report");
    }
    // Planes parallel to the upper face show the back alone.
    let within = run(&["--in-plane", "z"]);
    let summary: Value = serde_json::from_slice(&within.stdout).unwrap();
    let deviation = &summary["deviation"];
    assert_eq!((&deviation["direction"], &deviation["in_plane"]), (&serde_json::json!([0.0, 0.0, 1.0]), &true.into()));
    assert_eq!((&deviation["count"], &deviation["excluded_by_reason"]["wrong_angle"]), (&1600.into(), &4800.into()));
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    for words in ["Deviation perpendicular to Z", "deviations perpendicular to Z; grey", "within planes: distance"] {
        assert!(html.contains(words), "{words} is not in the report");
    }
    let plain: Value = serde_json::from_slice(&run(&[]).stdout).unwrap();
    assert_eq!((&plain["deviation"]["direction"], &plain["deviation"]["count"]), (&Value::Null, &6400.into()));
    for (more, says) in [
        (&["--direction", "up"][..], "is not a number"),
        (&["--direction", "1,2"][..], "X, Y, Z or three numbers"),
        (&["--direction", "0,0,0"][..], "not all 0"),
        (&["--direction", "x", "--method", "point-facet"][..], "for the method “closest”"),
        (&["--in-plane", "x", "--method", "point-facet"][..], "for the method “closest”"),
        (&["--in-plane", "x", "--direction", "y"][..], "cannot be used with"),
    ] {
        let refused = run(more);
        assert_eq!(refused.status.code(), Some(2), "{more:?}: {}", errors(&refused));
        assert!(errors(&refused).contains(says), "{more:?}: {}", errors(&refused));
    }
}
