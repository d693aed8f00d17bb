//! Faces with own tolerances: in the window, in the report, from a table on the command line, and in a plan.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Command, Inspect, Parts, Report, Select};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point, Pose, mesh::shapes};
use shadowgraph::inspect::deviation::Verdict;
use shadowgraph::io::write;
use shadowgraph::session::Document;
use shadowgraph::session::selection::Selectable;
use shadowgraph::session::verdict;

use super::support::{errors, shadowgraph, text};
use super::window::{compare_picture, open, send, settle};

type Window = Harness<'static, App>;

/// The upper face of the part is this much too high.
const RAISED_MM: f64 = 0.15;

/// A block of 80 x 60 x 20 mm, and a scan of its faces at z = 20, which is `raised_mm` too high, and y = 60.
pub fn block(folder: &std::path::Path, raised_mm: f64) -> [std::path::PathBuf; 2] {
    let (cad, scan) = (folder.join("block.stl"), folder.join("scan.ply"));
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    let grid =
        |count: i32, across: i32| (0..count).map(move |i| (f64::from(i % across) + 0.5, f64::from(i / across) + 0.5));
    let top = grid(4800, 80).map(|(u, v)| Point::new(u, v, 20.0 + raised_mm));
    let back = grid(1600, 80).map(|(u, v)| Point::new(u, 60.0, v));
    write::cloud(&scan, &Cloud::from_points(top.chain(back).collect())).unwrap();
    [cad, scan]
}

fn document(window: &Window) -> Document {
    window.state().dispatcher().document.clone()
}

/// The overall verdict, and the number of own tolerances in the settings and in the comparison.
fn state(window: &Window) -> (Verdict, usize, usize) {
    let document = document(window);
    let judged = document.current_check().unwrap().own_tolerances.len();
    (verdict::overall(&document).unwrap().verdict, document.settings.deviation.own_tolerances.len(), judged)
}

fn click(window: &mut Window, label: &str) {
    window.get_by_label(label).click_accesskit();
    settle(window);
}

#[test]
fn the_selected_facets_get_limits_of_their_own_which_can_be_undone() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(block(folder.path(), RAISED_MM).to_vec(), None);
    settle(&mut window);
    // Two of its faces are scanned.
    let mut settings = document(&window).settings;
    settings.deviation.min_coverage = 0.2;
    send(&mut window, Inspect::SetSettings(Box::new(settings)));
    send(&mut window, Align::SetPose(Pose::identity()));
    send(&mut window, Inspect::Compare);
    assert_eq!(state(&window), (Verdict::Fail, 0, 0));
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    window.get_by_label("Own tolerances (0)").click();
    window.run_steps(20);
    assert!(window.query_by_label_contains("Select facets of the nominal").is_some());
    let nominal = document(&window).shared_nominal().unwrap();
    let mesh = nominal.surface.mesh();
    let top = (0..mesh.facets.len() as u32).filter(|facet| mesh.normal(*facet as usize).z > 0.9).collect();
    send(&mut window, Select::Numbers(Selectable::Facets, Subset::new(top), Combine::Replace));
    assert!(window.query_by_label_contains("2 facets of the nominal are selected").is_some());
    // With the limits of the part at first.
    click(&mut window, "Add own tolerance");
    assert_eq!(state(&window), (Verdict::Fail, 1, 1));
    assert_eq!(document(&window).settings.deviation.own_tolerances[0].name, "Face 1");
    let measurement = document(&window).current_check().unwrap().measurement.clone();
    window.get_by_role_and_label(egui::Role::SpinButton, "Upper limit of own tolerance 1").click();
    window.run_steps(3);
    window.event(egui::Event::Text("0.2".to_owned()));
    window.run_steps(3);
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert_eq!(state(&window), (Verdict::Pass, 1, 1));
    // Other limits measure nothing anew.
    assert!(std::sync::Arc::ptr_eq(&measurement, &document(&window).current_check().unwrap().measurement));
    compare_picture(&mut window, "compare-own-tolerances");
    let report = folder.path().join("report");
    send(&mut window, Report::Write { folder: report.clone() });
    let html = std::fs::read_to_string(report.join("report.html")).unwrap();
    for words in ["Faces with own tolerances", "Face 1", "; 1 face with an own tolerance", "4800 points; 100.00 %"] {
        assert!(html.contains(words), "{words} is not in the report");
    }
    // Its facets are found again by a click.
    send(&mut window, Select::Nothing);
    click(&mut window, "2 facets");
    assert_eq!(document(&window).facets.selected.len(), 2);
    send(&mut window, Command::Undo);
    send(&mut window, Command::Undo);
    send(&mut window, Command::Undo);
    assert_eq!(state(&window), (Verdict::Fail, 1, 1));
    send(&mut window, Command::Undo);
    assert_eq!(state(&window), (Verdict::Fail, 0, 0));
    send(&mut window, Command::Redo);
    send(&mut window, Command::Redo);
    assert_eq!(state(&window), (Verdict::Pass, 1, 1));
    click(&mut window, "Remove own tolerance 1");
    assert_eq!(state(&window), (Verdict::Fail, 0, 0));
    send(&mut window, Command::Undo);
    assert_eq!(state(&window), (Verdict::Pass, 1, 1));
    // A nominal beside the part has faces of its own.
    let other = folder.path().join("other.stl");
    write::mesh(&other, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 25.0))).unwrap();
    send(&mut window, Parts::AddNominal { path: other, unit: None });
    assert!(document(&window).settings.deviation.own_tolerances.is_empty());
}

#[test]
fn a_table_gives_faces_their_limits_on_the_command_line_and_in_a_plan() {
    let folder = tempfile::tempdir().unwrap();
    let [cad, scan] = block(folder.path(), RAISED_MM);
    let (table, plan) = (folder.path().join("faces.csv"), folder.path().join("block.sgplan"));
    let out = folder.path().join("out");
    let run = |rows: &str, more: &[&str]| {
        std::fs::write(&table, rows).unwrap();
        let all = ["inspect", "--nominal", text(&cad), "--scan", text(&scan), "--align", "none", "--no-pictures"];
        let rest = [
            "--face-tolerances",
            text(&table),
            "--fail-on-out-of-tolerance",
            "--json",
            "--out",
            text(&out),
            "--min-coverage",
            "20",
        ];
        shadowgraph(&[&all[..], &rest[..], more].concat())
    };
    let wide = run("name,x,y,z,lower,upper\nTop,40,30,20,-0.2,0.2\n", &["--save-plan", text(&plan)]);
    assert_eq!(wide.status.code(), Some(0), "{}", errors(&wide));
    let summary: Value = serde_json::from_slice(&wide.stdout).unwrap();
    let own = &summary["deviation"]["own_tolerances"][0];
    assert_eq!((&own["name"], &own["facets"], &own["points"]), (&"Top".into(), &2.into(), &4800.into()));
    assert_eq!((&own["tolerance_mm"][1], &own["regions"], &own["verdict"]), (&0.2.into(), &0.into(), &"pass".into()));
    assert!((own["max_mm"].as_f64().unwrap() - RAISED_MM).abs() < 1e-4, "{own}");
    assert_eq!(summary["deviation"]["in_tolerance_fraction"], 1.0);

    let narrow = run("Top;40;30;20;-0,12;0,12\n", &["--language", "de"]);
    assert_eq!(narrow.status.code(), Some(4), "{}", errors(&narrow));
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    for words in ["Flächen mit eigenen Toleranzen", "4800 Punkte", "Spitze des schlechtesten Bereichs liegt auf „Top“"]
    {
        assert!(html.contains(words), "{words} is not in the report");
    }
    let unmeasured = run("Top,40,30,20,-0.2,0.2\nFloor,40,30,0,-0.05,0.05\n", &[]);
    assert_eq!(unmeasured.status.code(), Some(6), "{}", errors(&unmeasured));
    let summary: Value = serde_json::from_slice(&unmeasured.stdout).unwrap();
    assert!(summary["headline"].as_str().unwrap().contains("1 own tolerance was not judged"), "{summary}");
    assert_eq!(summary["deviation"]["own_tolerances"][1]["in_tolerance_fraction"], Value::Null);
    let refused = run("Top,40,30,25,-0.2,0.2\n", &[]);
    assert_eq!(refused.status.code(), Some(3), "{}", errors(&refused));
    assert!(errors(&refused).contains("more than 0.5 mm from the nominal"), "{}", errors(&refused));

    let parts = folder.path().join("parts");
    let by_plan =
        shadowgraph(&["inspect", "--plan", text(&plan), text(&scan), "--no-pictures", "--json", "--out", text(&parts)]);
    assert_eq!(by_plan.status.code(), Some(0), "{}", errors(&by_plan));
    let series: Value = serde_json::from_slice(&by_plan.stdout).unwrap();
    assert_eq!((&series["pass"], &series["fail"]), (&1.into(), &0.into()), "{series}");
}
