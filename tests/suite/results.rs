//! The table of features and checks: sorted, filtered and followed in the window, in the report and as a file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Elements, Features, Inspect, Report, Select, SurfacePoints, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point, Pose, mesh::shapes};
use shadowgraph::inspect::deviation::{Tolerance as Limits, Verdict};
use shadowgraph::inspect::features::measures::AngleConvention;
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::tolerances::measure::{MeasureRecipe, Quantity};
use shadowgraph::inspect::tolerances::{Characteristic, Plan, Tolerance};
use shadowgraph::io::write;
use shadowgraph::session::selection::Selectable;

use super::window::{open, open_sized, send, settle};

type Window = Harness<'static, App>;

/// Points on the upper face of a block of 80 x 60 x 20 mm, and on its face at y = 60.
const TOP: u32 = 4800;
const BACK: u32 = 1600;

/// The block, and a scan whose upper face waves by 0.02 mm and is 0.2 mm too high beyond x = 60.
pub fn block(folder: &Path) -> Vec<PathBuf> {
    let (cad, scan) = (folder.join("block.stl"), folder.join("scan.ply"));
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    let grid = |count: u32| (0..count).map(|i| (f64::from(i % 80) + 0.5, f64::from(i / 80) + 0.5));
    let raised = |u: f64, v: f64| if u > 60.0 { 0.2 } else { 0.01 * (1.7 * u + 0.9 * v).sin() };
    let top = grid(TOP).map(|(u, v)| Point::new(u, v, 20.0 + raised(u, v)));
    let back = grid(BACK).map(|(u, v)| Point::new(u, 60.0 + 0.01 * (2.3 * u + v).sin(), v));
    write::cloud(&scan, &Cloud::from_points(top.chain(back).collect())).unwrap();
    vec![cad, scan]
}

fn plane(window: &mut Window, points: std::ops::Range<u32>) {
    send(window, Select::Numbers(Selectable::Points, Subset::new(points.collect()), Combine::Replace));
    let (kind, objective) = (Kind::Plane, Objective::Gaussian);
    send(window, Features::Fit { kind, objective, robust: false, clip_sigmas: None });
}

/// Two planes, an angle and a tolerance between them, and three surface points, one of them beyond its limits.
pub fn measured(window: &mut Window, folder: &Path) {
    settle(window);
    send(window, Align::SetPose(Pose::identity()));
    send(window, Inspect::Compare);
    plane(window, 0..TOP);
    plane(window, TOP..TOP + BACK);
    let id = |window: &Window, name: &str| window.state().dispatcher().document.plan.by_name(name).unwrap().id;
    let (from, to) = (id(window, "Plane 1"), id(window, "Plane 2"));
    let quantity = Quantity::Angle(AngleConvention::Acute);
    let recipe =
        MeasureRecipe { quantity, from, to, lower: Some(88.0), upper: Some(92.0), min_coverage: None, of_cad: false };
    send(window, Elements::Add("Corner".to_owned(), Box::new(recipe.into())));
    let flatness = Tolerance {
        name: String::new(),
        feature: "Plane 2".to_owned(),
        characteristic: Characteristic::Flatness {},
        limit_mm: 0.5,
        fit: None,
        datums: Vec::new(),
        maximum_material: None,
        expanded_uncertainty_mm: None,
        filter_mm: None,
        filter_upr: None,
        outlier_sigmas: None,
        min_coverage: None,
    };
    send(window, Tolerances::Set(Box::new(Plan { tolerances: vec![flatness], ..Plan::default() })));
    send(window, Tolerances::Judge);
    let table = folder.join("points.csv");
    std::fs::write(&table, "name,x,y,z\nP1,10,12,20\nP2,70,30,20\nP3,30,60,10\n").unwrap();
    send(window, SurfacePoints::Open(None, table));
}

/// Names of the rows in sight that contain a text, from above.
fn rows(window: &Window, text: &str) -> Vec<String> {
    let mut rows: Vec<(f32, String)> = window
        .query_all_by_label_contains("Result ")
        .filter_map(|node| Some((node.rect().top(), node.accesskit_node().label()?)))
        .filter(|(_, name)| name.starts_with("Result ") && name.contains(text))
        .collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0));
    rows.into_iter().map(|(_, name)| name).collect()
}

#[test]
fn results_are_sorted_filtered_and_lead_to_their_elements() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(block(folder.path()), None);
    measured(&mut window, folder.path());
    window.get_by_label("Show results").click();
    window.run_steps(4);
    assert!(!rows(&window, "Plane 1").is_empty(), "features have rows");
    window.get_by_label("Checks alone").click();
    window.run_steps(4);
    assert!(rows(&window, "Result Plane 1:").is_empty());
    let points = rows(&window, "Surface points · P");
    assert_eq!(points.len(), 3, "{points:?}");
    assert!(points[1].contains("P2: Deviation, mm; Nominal 0.0000; Actual 0.2000; Deviation +0.2000"), "{points:?}");
    // By what they measure, and the other way round.
    window.get_by_label("Sort by Actual").click();
    window.run_steps(4);
    assert!(rows(&window, "Surface points · P")[2].contains("P2"), "{:?}", rows(&window, ""));
    window.get_by_label("Sorted by Actual, ascending").click();
    window.run_steps(4);
    assert!(rows(&window, "Surface points · P")[0].contains("P2"), "{:?}", rows(&window, ""));
    window.get_by_label("Sorted by Actual, descending");
    // What fails alone: that point, and the comparison.
    window.get_by_label("Only what is not pass").click();
    window.run_steps(4);
    let open_rows = rows(&window, "");
    assert!(
        open_rows.iter().all(|own| own.contains("Verdict fail") || own.contains("in doubt")) && open_rows.len() == 2,
        "{open_rows:?}"
    );
    window.get_by_role_and_label(egui::Role::TextInput, "Filter").focus();
    window.run_steps(2);
    window.get_by_role_and_label(egui::Role::TextInput, "Filter").type_text("p2");
    window.run_steps(4);
    let left = rows(&window, "");
    assert_eq!(left.len(), 1, "{left:?}");
    // A click shows the element and where it lies.
    window.get_by_label("Features").click();
    window.run_steps(3);
    assert!(!window.state().shows_compare());
    window.get_by_label(&left[0]).click();
    settle(&mut window);
    window.run_steps(40);
    assert!(window.state().shows_compare() && window.query_by_label("Pick points").is_some());
    let view = window.get_by_label("3D viewport").rect();
    let at = window.state_mut().screen_place(&Point::new(70.0, 30.0, 20.0)).unwrap();
    assert!((at - view.center()).length() < 0.2 * view.height(), "{at} in {view}");
    window.get_by_label("Close results").click();
    window.run_steps(3);
    assert!(window.query_by_label("Copy rows").is_none() && window.query_by_label("Show results").is_some());
}

/// What is judged again has no revision of its own: the change of settings has.
#[test]
fn the_table_follows_limits_that_are_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(block(folder.path()), None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    send(&mut window, Inspect::Compare);
    window.get_by_label("Show results").click();
    window.run_steps(4);
    let compared = |window: &Window| rows(window, "In tolerance, %").concat();
    assert!(compared(&window).contains("Verdict fail"), "{}", compared(&window));
    let mut settings = window.state().dispatcher().document.settings.clone();
    settings.deviation.tolerance = Limits { low_mm: -0.25, high_mm: 0.25 };
    settings.deviation.min_coverage = 0.2;
    send(&mut window, Inspect::SetSettings(Box::new(settings)));
    window.run_steps(4);
    let (shown, document) = (compared(&window), &window.state().dispatcher().document);
    let check = document.current_check().unwrap();
    assert_eq!(check.verdict(), Verdict::Pass, "{:?}", check.judgement);
    assert!(shown.contains("Verdict pass") && shown.contains("Actual 100.00"), "{shown}");
}

#[test]
fn the_table_has_room_in_the_smallest_window() {
    let mut window = open_sized([900.0, 600.0], Vec::new(), None);
    window.run_steps(3);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::T);
    window.run_steps(4);
    for name in ["All rows", "Checks alone", "Only what is not pass", "Copy rows", "Save as CSV…", "Close results"] {
        let rect = window.get_by_label(name).rect();
        assert!(rect.left() >= 0.0 && rect.right() <= 900.0 && rect.bottom() <= 600.0, "{name} at {rect}");
    }
    assert!(window.query_by_label("Features and checks stand here once there are any.").is_some());
}

/// A number as the table has it; `None` for an empty cell.
fn number(row: &BTreeMap<String, String>, column: &str) -> Option<f64> {
    row[column].parse().ok()
}

#[test]
fn the_file_has_the_figures_of_the_summary_and_the_report_its_table() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(block(folder.path()), None);
    measured(&mut window, folder.path());
    let (out, saved) = (folder.path().join("report"), folder.path().join("saved.csv"));
    send(&mut window, Report::Write { folder: out.clone() });
    send(&mut window, Report::SaveResults(saved.clone()));
    let text = std::fs::read_to_string(out.join("results.csv")).unwrap();
    assert_eq!(std::fs::read_to_string(saved).unwrap(), text);
    assert!(
        text.starts_with("element,item,class,characteristic,nominal,actual,deviation,lower,upper,uncertainty,unit,")
    );
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let table: Vec<BTreeMap<String, String>> = reader.deserialize().map(Result::unwrap).collect();
    let of = |element: &str| table.iter().find(|row| row["element"] == element).unwrap();
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    for own in summary["measures"].as_array().unwrap() {
        let row = of(own["name"].as_str().unwrap());
        for (column, key) in
            [("actual", "value"), ("uncertainty", "expanded_uncertainty"), ("lower", "lower"), ("upper", "upper")]
        {
            assert_eq!(number(row, column), own[key].as_f64(), "{column} of {row:?}");
        }
        assert_eq!((row["unit"].as_str(), row["verdict"].as_str()), ("°", "pass"));
    }
    let tolerances = summary["tolerances"].as_array().unwrap();
    assert!(!tolerances.is_empty() && !summary["measures"].as_array().unwrap().is_empty());
    for own in tolerances {
        let (row, judged) = (of(own["name"].as_str().unwrap()), &own["judged"]);
        assert_eq!(number(row, "actual"), judged["measured_mm"].as_f64(), "{row:?}");
        assert_eq!(number(row, "upper"), judged["limit_mm"].as_f64(), "{row:?}");
        assert_eq!(number(row, "uncertainty"), judged["uncertainty_mm"].as_f64(), "{row:?}");
    }
    let compared = table.iter().find(|row| row["unit"] == "%").unwrap();
    let share = summary["deviation"]["in_tolerance_fraction"].as_f64().unwrap();
    assert_eq!((number(compared, "actual"), compared["verdict"].as_str()), (Some(100.0 * share), "fail"));
    let surface_points: Vec<_> = table.iter().filter(|row| row["element"] == "Surface points").collect();
    let verdicts: Vec<&str> = surface_points.iter().map(|row| row["verdict"].as_str()).collect();
    // The step beside it is a good part of what its uncertainty is estimated from.
    assert!(verdicts[0] == "pass" && verdicts[1] != "pass" && verdicts[2] == "pass", "{verdicts:?}");
    let html = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(html.contains("Features and checks, U with k = 2</h2>") && html.contains("<td>Surface points · P2</td>"));
    assert!(out.join("report.pdf").exists());
}
