//! Decimals by choice: in the window and in the printed report, while files for programs keep all figures.

use std::path::Path;

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::Command;

use super::pictures::inspected;
use super::support::{asset, bracket_pose, errors, shadowgraph, text};
use super::window::{send, settle};

/// The report, the deviations and the summary without times, of a run with these options.
fn written(folder: &Path, options: &[&str]) -> (String, Vec<u8>, serde_json::Value) {
    let [cad, scan, pose] = [asset("bracket.stl"), asset("bracket-scan.ply"), bracket_pose(folder.parent().unwrap())];
    let files = ["inspect", "--nominal", text(&cad), "--scan", text(&scan), "--pose", text(&pose)];
    let run = shadowgraph(&[&files[..], &["--no-pictures", "--out", text(folder)], options].concat());
    assert!(run.status.success(), "{}", errors(&run));
    let mut summary: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap();
    summary.as_object_mut().unwrap().retain(|name, _| !name.starts_with("timings") && name != "date");
    let page = std::fs::read_to_string(folder.join("report.html")).unwrap();
    (page, std::fs::read(folder.join("deviations.csv")).unwrap(), summary)
}

/// What the report says in the row of this name.
fn row<'a>(page: &'a str, name: &str) -> &'a str {
    let (_, rest) = page.split_once(&format!("<th>{name}</th><td>")).expect(name);
    rest.split_once("</td>").unwrap().0
}

#[test]
fn the_report_has_the_chosen_decimals_and_files_for_programs_all_figures() {
    let folder = tempfile::tempdir().unwrap();
    let (usual, deviations, summary) = written(&folder.path().join("usual"), &[]);
    let (three, ..) = written(&folder.path().join("three"), &["--decimals", "3"]);
    let (five, same_deviations, same_summary) = written(&folder.path().join("five"), &["--decimals", "5"]);
    assert_eq!(row(&usual, "Min, max"), row(&three, "Min, max"));
    let decimals = |row: &str| {
        let (_, after) = row.split_once('.').unwrap();
        after.chars().take_while(char::is_ascii_digit).count()
    };
    let of = |page: &str| ["Min, max", "RMS", "Tolerance"].map(|name| decimals(row(page, name)));
    assert_eq!((of(&usual), of(&five)), ([3, 4, 3], [5, 6, 5]));
    assert!(deviations == same_deviations && summary == same_summary, "files for programs differ");
    let refused = shadowgraph(&["inspect", "--nominal", "a.stl", "--scan", "b.ply", "--decimals", "9", "--out", "x"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(errors(&refused).contains("2 to 5 decimals"), "{}", errors(&refused));
}

/// Whether the window writes this somewhere.
fn shows(window: &Harness<'static, App>, written: &str) -> bool {
    window.query_all_by_label(written).next().is_some()
}

#[test]
fn the_window_shows_the_chosen_decimals_and_goes_back_by_undo() {
    let mut window = inspected();
    let rms = window.state().dispatcher().document.shared_check().unwrap().statistics.rms_mm;
    assert!(shows(&window, &format!("{rms:.4} mm")));
    window.get_by_label("View").click();
    window.run_steps(3);
    window.get_by_label("Decimals").click();
    window.run_steps(3);
    window.get_by_label("Decimals: 5").click();
    settle(&mut window);
    assert!(shows(&window, &format!("{rms:.6} mm")));
    assert!(!shows(&window, &format!("{rms:.4} mm")));
    send(&mut window, Command::Undo);
    window.run_steps(3);
    assert!(shows(&window, &format!("{rms:.4} mm")));
}
