//! Colour scales of the operator's own: from a file, in the window, and wherever deviations have colours.

use std::collections::BTreeSet;
use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use shadowgraph::dispatch::{Command, Inspect, Present};
use shadowgraph::inspect::deviation::own_scale::{BoundaryUnit, Stop};
use shadowgraph::inspect::deviation::{Colours, OwnScale};
use shadowgraph::session::plan::Plan;
use shadowgraph::session::project::Project;

use super::support::{asset, bracket_pose, errors, shadowgraph, text};
use super::window::{open, send, settle};

const LOW: [u8; 3] = [0, 0, 200];
const INSIDE: [u8; 3] = [235, 235, 230];
const HIGH: [u8; 3] = [200, 0, 100];

fn scale() -> OwnScale {
    let stops = [(-3.0, LOW), (-1.0, INSIDE), (1.0, HIGH)].map(|(at, colour)| Stop { at, colour }).to_vec();
    OwnScale { name: "Three bands".to_owned(), unit: BoundaryUnit::Tolerance, is_stepped: true, stops }
}

/// The colours of the points of a colour map.
fn colours(path: &Path) -> BTreeSet<[u8; 3]> {
    let bytes = std::fs::read(path).unwrap();
    let end = b"end_header\n";
    let begin = bytes.windows(end.len()).position(|own| own == end).unwrap() + end.len();
    // Three coordinates of eight bytes, then the colour.
    bytes[begin..].chunks_exact(27).map(|point| [point[24], point[25], point[26]]).collect()
}

#[test]
fn a_scale_from_a_file_colours_map_and_report_and_goes_into_plan_and_project() {
    let folder = tempfile::tempdir().unwrap();
    let [file, out, plan] = ["bands.json", "out", "a.sgplan"].map(|name| folder.path().join(name));
    scale().save(&file).unwrap();
    let [cad, scan] = [asset("bracket.stl"), asset("bracket-scan.ply")];
    let pose = bracket_pose(folder.path());
    let files = ["inspect", "--nominal", text(&cad), "--scan", text(&scan), "--pose", text(&pose)];
    let given = [&files[..], &["--no-pictures", "--colours", text(&file)]].concat();
    let run = shadowgraph(&[&given[..], &["--save-plan", text(&plan), "--out", text(&out)]].concat());
    assert!(run.status.success(), "{}", errors(&run));
    let grey = shadowgraph::render::colour_scale::NO_DATA;
    let found = colours(&out.join("colormap.ply"));
    assert!(found.contains(&INSIDE) && found.contains(&HIGH), "{found:?}");
    assert!(found.iter().all(|own| [LOW, INSIDE, HIGH, grey].contains(own)), "{found:?}");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(report.contains("#c80064") && !report.contains("#4caf50") && report.contains("Three bands"));
    assert_eq!(Plan::load(&plan).unwrap().0.presentation.colours, Some(scale()));
    let (project, notes) = Project::load(&out.join("inspection.shadowgraph")).unwrap();
    assert_eq!((project.presentation.colours, notes.len()), (Some(scale()), 0));
    // A damaged file is refused before anything is measured.
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap().replace("-1.0", "-9.0")).unwrap();
    let run = shadowgraph(&[&given[..], &["--out", text(&out)]].concat());
    assert_eq!(run.status.code(), Some(3));
    assert!(errors(&run).contains("Boundary 2 of the colour scale lies below the one before"), "{}", errors(&run));
    let run =
        shadowgraph(&["inspect", "--nominal", text(&cad), "--scan", text(&scan), "--colours", "rainbow", "--out", "x"]);
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn own_colours_begin_with_those_in_use_are_undone_and_offered_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], Some(folder.path().to_owned()));
    settle(&mut window);
    send(&mut window, Inspect::AlignAndCompare);
    let check = window.state().dispatcher().document.shared_check().unwrap();
    let own = |window: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        window.state().dispatcher().document.plan.presentation.colours.clone()
    };
    window.get_by_role_and_label(egui::Role::ComboBox, "Colours").click();
    window.run_steps(3);
    window.get_by_label("Own colours…").click();
    settle(&mut window);
    let begun = own(&window).expect("own colours");
    assert!(begun.stops.len() == 10 && begun.unit == BoundaryUnit::Tolerance && !begun.is_stepped, "{begun:?}");
    assert!(begun.stops.iter().any(|stop| stop.at == 1.0) && begun.stops.iter().any(|stop| stop.at == -1.0));
    window.get_by_label("Remove colour 10").click();
    settle(&mut window);
    assert_eq!(own(&window).unwrap().stops, begun.stops[..9]);
    send(&mut window, Command::Undo);
    assert_eq!(own(&window), Some(begun.clone()));
    let after = window.state().dispatcher().document.shared_check().unwrap();
    assert!(std::sync::Arc::ptr_eq(&check, &after), "colours judge nothing anew");
    send(&mut window, Present::SetColours(Colours::Bands, Some(scale())));
    window.run_steps(3);
    window.get_by_label("Keep").click();
    window.run_steps(3);
    window.get_by_role_and_label(egui::Role::ComboBox, "Colours").click();
    window.run_steps(3);
    window.get_by_label("bands").click();
    settle(&mut window);
    assert!(own(&window).is_none());
    assert_eq!(window.state().dispatcher().document.settings.colours, Colours::Bands);
    // Another window offers what was kept.
    let mut other = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], Some(folder.path().to_owned()));
    settle(&mut other);
    send(&mut other, Inspect::AlignAndCompare);
    other.get_by_role_and_label(egui::Role::ComboBox, "Colours").click();
    other.run_steps(3);
    other.get_by_label("Three bands").click();
    settle(&mut other);
    assert_eq!(own(&other), Some(scale()));
}
