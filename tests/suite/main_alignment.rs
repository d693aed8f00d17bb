//! Main alignments: in the window, on the command line, in the report, and again on the next part.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Command, Elements, Features, Inspect, Projects, Report, Select, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::geometry::{Cloud, Point, Pose, Vector, mesh::shapes};
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::main_alignment::{DatumAssociation, Main, MainMethod};
use shadowgraph::inspect::tolerances::Plan;
use shadowgraph::inspect::tolerances::recipe::DatumElements;
use shadowgraph::io::write;
use shadowgraph::session::Document;
use shadowgraph::session::pipeline::State;
use shadowgraph::session::plan::ElementId;
use shadowgraph::session::selection::Selectable;

use super::support::{errors, shadowgraph, text};
use super::window::{click_at, compare_picture, open, send, settle};

type Window = Harness<'static, App>;

/// The upper face of the part is this much too high, and falls by this slope along x.
const RAISED_MM: f64 = 0.12;
const SLOPE: f64 = 0.003;

fn document(window: &Window) -> Document {
    window.state().dispatcher().document.clone()
}

/// A block of 80 x 60 x 20 mm, and a scan of its faces at z = 20, y = 60 and x = 80, 4800, 1600 and 1200 points; the
/// upper one slopes.
fn block(folder: &std::path::Path, name: &str) -> [std::path::PathBuf; 2] {
    let (cad, scan) = (folder.join("block.stl"), folder.join(format!("{name}.ply")));
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    let grid =
        |count: i32, across: i32| (0..count).map(move |i| (f64::from(i % across) + 0.5, f64::from(i / across) + 0.5));
    let top = grid(4800, 80).map(|(u, v)| Point::new(u, v, 20.0 + RAISED_MM - SLOPE * (u - 40.0)));
    let back = grid(1600, 80).map(|(u, v)| Point::new(u, 60.0, v));
    let right = grid(1200, 60).map(|(u, v)| Point::new(80.0, u, v));
    write::cloud(&scan, &Cloud::from_points(top.chain(back).chain(right).collect())).unwrap();
    [cad, scan]
}

fn compared(folder: &std::path::Path) -> Window {
    let mut window = open(block(folder, "first").to_vec(), None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    send(&mut window, Inspect::Compare);
    window
}

/// Mean deviation of the points of the upper face in the shown comparison, mm.
fn mean_of_top(window: &Window) -> f64 {
    let document = document(window);
    let pose = document.nominal_from_scan();
    let points = &document.actual().unwrap().cloud.points[..4800];
    points.iter().map(|point| (pose * point).z - 20.0).sum::<f64>() / 4800.0
}

fn chosen(window: &mut Window, label: &str, entry: &str) {
    window.get_by_label(label).click();
    window.run_steps(3);
    window.get_by_label(entry).click();
    window.run_steps(3);
}

#[test]
fn reference_points_are_picked_held_and_measured_in() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = compared(folder.path());
    assert!((mean_of_top(&window) - RAISED_MM).abs() < 1e-3);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    window.run_steps(3);
    window.get_by_label("Pick points").click_accesskit();
    window.run_steps(4);
    let six = [[10.0, 10.0, 20.0], [70.0, 10.0, 20.0], [40.0, 50.0, 20.0], [80.0, 15.0, 10.0], [80.0, 45.0, 12.0]];
    for (count, at) in six.iter().enumerate() {
        let at = window.state_mut().screen_place(&Point::from(*at)).unwrap();
        click_at(&mut window, at);
        window.run_steps(3);
        let freedom = if count == 4 { "5 of 6 degrees" } else { "of 6 degrees" };
        assert!(window.query_by_label_contains(freedom).is_some(), "{count}");
    }
    compare_picture(&mut window, "align-reference-points");
    window.get_by_label("Align to these").click_accesskit();
    settle(&mut window);
    let aligned = document(&window);
    let alignment = aligned.alignment().unwrap().clone();
    let Some(Main::ReferencePoints { points, .. }) = &alignment.main else { panic!("{alignment:?}") };
    assert!(points.iter().all(|own| own.deviation_mm.abs() < 1e-6), "{points:?}");
    assert!((points[0].before_mm - RAISED_MM - SLOPE * 30.0).abs() < 0.01, "{points:?}");
    assert_eq!(alignment.as_before, ["translation along y"]);
    assert!(mean_of_top(&window).abs() < 1e-3, "{}", mean_of_top(&window));
    // The comparison was made again in it, and both say so together.
    let id = aligned.active.alignment.unwrap();
    let comparison = aligned.active.comparison.unwrap();
    assert_eq!(aligned.state(comparison), State::Fresh);
    assert!(aligned.current_measurement().is_some());
    compare_picture(&mut window, "align-reference-points-done");
    let report = folder.path().join("report");
    send(&mut window, Report::Write { folder: report.clone() });
    let html = std::fs::read_to_string(report.join("report.html")).unwrap();
    for words in ["5 reference points (RPS)", "R1, along normal", "translation along y", "given pose"] {
        assert!(html.contains(words), "{words} is not in the report");
    }
    // The pre-alignment is shown without colours of the other one, and measured in when asked.
    let before = aligned.pre_alignment().unwrap();
    send(&mut window, Inspect::Show(before));
    assert!(document(&window).check().is_none() && document(&window).alignment().unwrap().main.is_none());
    send(&mut window, Inspect::Show(id));
    assert_eq!(document(&window).active.comparison, Some(comparison));
    send(&mut window, Align::MeasureIn(before));
    assert!((mean_of_top(&window) - RAISED_MM).abs() < 1e-3);
    assert_eq!(document(&window).state(comparison), State::Fresh);
    send(&mut window, Command::Undo);
    assert!(mean_of_top(&window).abs() < 1e-3);
    // Aligning again changes the pre-alignment, and the main one follows.
    let moved = Pose::from_parts(Vector::new(0.02, -0.03, 0.01).into(), Default::default());
    send(&mut window, Align::SetPose(moved));
    let again = document(&window);
    assert_eq!((again.active.alignment, again.state(id)), (Some(id), State::Fresh));
    assert!(mean_of_top(&window).abs() < 1e-3);
    let centre = again.nominal_from_scan() * Point::new(40.0, 30.0, 10.0);
    assert!((centre.y - 29.97).abs() < 2e-3, "{centre}");
    // Kept in the project; gone, what was measured in it is measured in the pre-alignment.
    let project = folder.path().join("block.shadowgraph");
    send(&mut window, Projects::Save(project.clone()));
    let mut opened = open(vec![project], None);
    settle(&mut opened);
    assert_eq!(document(&opened).alignment(), again.alignment());
    send(&mut opened, Elements::Remove(id));
    let without = document(&opened);
    assert_eq!((without.active.alignment, without.active.comparison), (Some(before), Some(comparison)));
}

/// The upper face, the back and the right side as datums A, B and C, on faces of the nominal.
fn with_datums(window: &mut Window) -> [ElementId; 3] {
    for (name, range) in [("top", 0..4800), ("back", 4800..6400), ("right", 6400..7600)] {
        send(window, Select::Numbers(Selectable::Points, Subset::new(range.collect()), Combine::Replace));
        send(window, Select::Name(Selectable::Points, name.into()));
        let (kind, objective) = (Kind::Plane, Objective::Gaussian);
        send(window, Features::Fit { kind, objective, robust: false, clip_sigmas: None });
        let id = document(window).feature_id(name).unwrap();
        send(window, Features::OnFaces(id));
    }
    let asked = r#"{ "datums": { "A": "top", "B": "back", "C": "right" }, "nominals": {
        "top": { "shape": { "kind": "plane", "point": [40, 30, 20], "normal": [0, 0, 1] } },
        "back": { "shape": { "kind": "plane", "point": [40, 60, 10], "normal": [0, 1, 0] } },
        "right": { "shape": { "kind": "plane", "point": [80, 30, 10], "normal": [1, 0, 0] } } },
        "tolerances": [] }"#;
    send(window, Tolerances::Set(Box::new(Plan::from_json(asked).unwrap())));
    ["Datum A", "Datum B", "Datum C"].map(|name| document(window).plan.by_name(name).unwrap().id)
}

#[test]
fn a_datum_system_is_aligned_to_on_every_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = compared(folder.path());
    with_datums(&mut window);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    window.run_steps(3);
    window.get_by_label("Datum system").click_accesskit();
    window.run_steps(3);
    for (label, entry) in [("Primary datum", "Datum A"), ("Secondary datum", "Datum B"), ("Tertiary datum", "Datum C")]
    {
        chosen(&mut window, label, entry);
    }
    compare_picture(&mut window, "align-datum-system");
    window.get_by_label("Align to these").click_accesskit();
    settle(&mut window);
    let aligned = document(&window);
    let id = aligned.active.alignment.unwrap();
    assert_eq!(aligned.plan.name(id), "Datum system A B C");
    let held = |window: &Window| {
        let document = document(window);
        let (pose, points) = (document.nominal_from_scan(), document.actual().unwrap().cloud.points.clone());
        let high = |range: std::ops::Range<usize>, axis: usize| {
            points[range].iter().map(|own| (pose * own)[axis]).fold(f64::NEG_INFINITY, f64::max)
        };
        [high(0..4800, 2) - 20.0, high(4800..6400, 1) - 60.0, high(6400..7600, 0) - 80.0]
    };
    assert!(held(&window).iter().all(|mm| mm.abs() < 1e-9), "{:?}", held(&window));
    // Fitted planes lie in the middle; with form errors they do not touch.
    let datums = ["Datum A", "Datum B", "Datum C"]
        .map(|name| DatumElements::Single(aligned.plan.by_name(name).unwrap().id))
        .to_vec();
    let association = DatumAssociation::Fitted;
    send(&mut window, Align::ChangeMain(id, MainMethod::DatumSystem { datums, association }));
    assert!(document(&window).alignment().unwrap().method_name().ends_with("as fitted"));
    send(&mut window, Command::Undo);
    // The next part, clamped elsewhere.
    let [_, next] = block(folder.path(), "second");
    send(&mut window, Inspect::Next { paths: vec![next], unit: None });
    assert_eq!(document(&window).active.alignment, Some(id));
    assert!(held(&window).iter().all(|mm| mm.abs() < 1e-9), "{:?}", held(&window));
    // A datum that is missing is named, and nothing is aligned.
    let messages = window.state().dispatcher().messages.len();
    let back = document(&window).feature_id("back").unwrap();
    window.state_mut().send(Elements::Remove(back));
    settle(&mut window);
    window.state_mut().send(Elements::Update(Some(id)));
    settle(&mut window);
    let said = &window.state().dispatcher().messages[messages..];
    assert!(said.iter().any(|own| own.text.contains("no feature “back”")), "{said:?}");
}

#[test]
fn faces_alone_are_fitted_and_limits_are_kept() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = compared(folder.path());
    let nominal = document(&window).shared_nominal().unwrap();
    let mesh = nominal.surface.mesh();
    let top = (0..mesh.facets.len() as u32).filter(|facet| mesh.normal(*facet as usize).z > 0.9).collect();
    send(&mut window, Select::Numbers(Selectable::Facets, Subset::new(top), Combine::Replace));
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num2);
    window.run_steps(3);
    window.get_by_label("Selected faces").click_accesskit();
    window.run_steps(3);
    assert!(window.query_by_label_contains("2 facets of the nominal are selected").is_some());
    window.get_by_label("Align to these").click_accesskit();
    settle(&mut window);
    let fitted = document(&window);
    let alignment = fitted.alignment().unwrap();
    assert_eq!(alignment.main, Some(Main::OnFaces { facets: 2, points: 4800 }));
    // A plane says nothing of three degrees of freedom.
    assert_eq!(alignment.information.open.len(), 3, "{:?}", alignment.information.open);
    assert!(mean_of_top(&window).abs() < 1e-3, "{}", mean_of_top(&window));
    window.get_by_label("Within tolerance").click_accesskit();
    window.run_steps(3);
    compare_picture(&mut window, "align-within-tolerance");
    window.get_by_label("Add as new alignment").click_accesskit();
    settle(&mut window);
    let kept = document(&window);
    let Some(Main::WithinTolerance { points_beyond, is_moved, .. }) = kept.alignment().unwrap().main else {
        panic!("{:?}", kept.alignment())
    };
    assert!(points_beyond == 0 && is_moved);
    assert_eq!(kept.current_check().unwrap().statistics.in_tolerance_fraction, 1.0);
    assert_eq!(kept.alignments().len(), 3);
}

#[test]
fn reference_points_of_a_file_are_aligned_to_on_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let [cad, scan] = block(folder.path(), "first");
    let (list, out) = (folder.path().join("rps.csv"), folder.path().join("out"));
    let run = |lines: &str| {
        std::fs::write(&list, lines).unwrap();
        shadowgraph(&[
            "inspect",
            "--nominal",
            text(&cad),
            "--scan",
            text(&scan),
            "--align",
            "none",
            "--reference-points",
            text(&list),
            "--no-pictures",
            "--json",
            "--out",
            text(&out),
        ])
    };
    let six = "name;x;y;z;direction\nR1;10;10;20,0;z\nR2;70;10;20;z\nR3;40;50;20;z\nR4;20;60;10;y\nR5;60;60;10;y\n\
               R6;80;30;10;normal\n";
    let output = run(six);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = summary["alignment"]["main"]["reference_points"]["points"].as_array().unwrap();
    assert_eq!(points.len(), 6);
    assert!(points.iter().all(|own| own["deviation_mm"].as_f64().unwrap().abs() < 1e-6), "{points:?}");
    assert!((points[0]["before_mm"].as_f64().unwrap() - RAISED_MM - SLOPE * 30.0).abs() < 1e-3);
    // Points on an edge hold two directions each.
    let four = "R1;10;60;20;yz\nR2;70;60;20;y+z\nR3;40;10;20;z\nR4;80;30;10;x\n";
    let output = run(four);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let summary: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let points = summary["alignment"]["main"]["reference_points"]["points"].as_array().unwrap();
    assert!(points.len() == 6 && points.iter().all(|own| own["deviation_mm"].as_f64().unwrap().abs() < 1e-6));
    assert!(points[1]["name"] == "R1" && points[1]["direction"] == "z", "{points:?}");
    for (lines, code, says) in [
        ("R1;10;10;20;z\nR2;70;10", 3, "Line 2: expected name"),
        ("R1;10;10;25;z", 2, "“R1” is more than 0.5 mm from the nominal"),
        ("R1;40;0;10;y", 3, "“R1” was not measured"),
        ("", 3, "no reference points"),
    ] {
        let output = run(lines);
        assert_eq!(output.status.code(), Some(code), "{lines}: {}", errors(&output));
        assert!(errors(&output).contains(says), "{lines}: {}", errors(&output));
    }
}
