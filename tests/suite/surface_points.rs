//! Surface points: picked in the window, from a table, in the report, on the next part and on the command line.

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::app::App;
use shadowgraph::dispatch::{Align, Inspect, Report, SurfacePoints as Commands};
use shadowgraph::geometry::{Cloud, Point, Pose, mesh::shapes};
use shadowgraph::inspect::deviation::Verdict;
use shadowgraph::inspect::surface_points::SurfacePoints;
use shadowgraph::io::write;
use shadowgraph::session::plan::{ElementId, Recipe};
use shadowgraph::session::verdict;

use super::support::{errors, shadowgraph, text};
use super::window::{click_at, compare_picture, open, send, settle};

type Window = Harness<'static, App>;

/// The upper face is this much too high, and falls by this slope along x.
const RAISED_MM: f64 = 0.12;
const SLOPE: f64 = 0.003;

/// A block of 80 x 60 x 20 mm, and a scan of its faces at z = 20, `raised_mm` too high in the middle and sloping, and
/// at y = 60.
fn block(folder: &std::path::Path, name: &str, raised_mm: f64) -> [std::path::PathBuf; 2] {
    let (cad, scan) = (folder.join("block.stl"), folder.join(format!("{name}.ply")));
    write::mesh(&cad, &shapes::cuboid(Point::origin(), Point::new(80.0, 60.0, 20.0))).unwrap();
    let grid =
        |count: i32, across: i32| (0..count).map(move |i| (f64::from(i % across) + 0.5, f64::from(i / across) + 0.5));
    let top = grid(4800, 80).map(|(u, v)| Point::new(u, v, 20.0 + raised_mm - SLOPE * (u - 40.0)));
    let back = grid(1600, 80).map(|(u, v)| Point::new(u, 60.0, v));
    write::cloud(&scan, &Cloud::from_points(top.chain(back).collect())).unwrap();
    [cad, scan]
}

fn element(window: &Window) -> ElementId {
    let plan = &window.state().dispatcher().document.plan;
    plan.elements().iter().find(|own| matches!(own.recipe, Recipe::SurfacePoints(_))).unwrap().id
}

fn made(window: &Window) -> SurfacePoints {
    window.state().dispatcher().document.result::<SurfacePoints>(Some(element(window))).unwrap().clone()
}

fn deviation_mm(made: &SurfacePoints, name: &str) -> f64 {
    made.points.iter().find(|own| own.name == name).unwrap().measured.as_ref().unwrap().0
}

#[test]
fn points_are_picked_flagged_judged_reported_and_measured_on_the_next_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = open(block(folder.path(), "first", RAISED_MM).to_vec(), None);
    settle(&mut window);
    send(&mut window, Align::SetPose(Pose::identity()));
    send(&mut window, Inspect::Compare);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    window.get_by_label("Points").click_accesskit();
    window.run_steps(3);
    window.get_by_label("Pick points").click_accesskit();
    window.run_steps(4);
    for at in [[10.0, 12.0, 20.0], [70.0, 14.0, 20.0], [42.0, 48.0, 20.0]] {
        let at = window.state_mut().screen_place(&Point::from(at)).unwrap();
        click_at(&mut window, at);
        settle(&mut window);
    }
    window.get_by_label("Stop picking").click_accesskit();
    window.run_steps(3);
    let found = made(&window);
    assert_eq!(found.points.len(), 3);
    for own in &found.points {
        let expected = RAISED_MM - SLOPE * (own.at.x - 40.0);
        assert!((own.measured.as_ref().unwrap().0 - expected).abs() < 1e-6, "{own:?}, expected {expected}");
    }
    assert_eq!(found.verdict(), Some(Verdict::Fail));
    compare_picture(&mut window, "compare-surface-points");
    window.get_by_label("Callout P1").click();
    settle(&mut window);
    compare_picture(&mut window, "compare-surface-points-flown-to");
    let id = Some(element(&window));
    // One picked where nothing was scanned is not measured, and makes the verdict no better.
    send(&mut window, Commands::Pick(id, Point::new(40.0, 0.0, 10.0)));
    let unmeasured = made(&window).points[3].measured.clone().unwrap_err();
    assert!(unmeasured.contains("“P4” was not measured"), "{unmeasured}");
    // Points of a table join them; a name that is there already is refused and changes nothing.
    let table = folder.path().join("points.csv");
    std::fs::write(&table, "name,x,y,z\nA,20,30,20\nB,40,60,10,y\n").unwrap();
    send(&mut window, Commands::Open(id, table.clone()));
    let found = made(&window);
    assert_eq!(found.points.len(), 6);
    assert!(deviation_mm(&found, "B").abs() < 1e-9);
    window.state_mut().send(Commands::Open(id, table));
    settle(&mut window);
    let said = window.state().dispatcher().messages.last().unwrap().clone();
    assert!(said.is_error && said.text.contains("Two surface points are called"), "{said:?}");
    assert_eq!(made(&window), found);
    // In the report, its table and the overall verdict.
    let report = folder.path().join("report");
    send(&mut window, Report::Write { folder: report.clone() });
    let html = std::fs::read_to_string(report.join("report.html")).unwrap();
    assert!(
        html.contains("Surface points") && html.contains("out of tolerance") && html.contains("“P4” was not measured")
    );
    let csv = std::fs::read_to_string(report.join("surface-points.csv")).unwrap();
    assert_eq!(csv, found.csv());
    let overall = verdict::overall(&window.state().dispatcher().document).unwrap();
    let of_points = overall.components.iter().find(|own| own.name == "Surface points").unwrap();
    assert_eq!(of_points.verdict, Verdict::Fail, "{of_points:?}");
    // Removed and undone.
    window.get_by_label("Remove surface point 4").click_accesskit();
    settle(&mut window);
    assert_eq!(made(&window).points.len(), 5);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut window);
    assert_eq!(made(&window), found);
    // The next part is measured at the same points.
    let [_, second] = block(folder.path(), "second", 0.5 * RAISED_MM);
    send(&mut window, Inspect::Next { paths: vec![second], unit: None });
    let next = made(&window);
    assert_eq!(next.points.len(), 6);
    // It was aligned by its two flat faces, which then lie on those of the nominal.
    assert!(deviation_mm(&next, "A").abs() < 1e-3 && deviation_mm(&next, "B").abs() < 1e-3, "{next:?}");
    assert_ne!(next, found);
}

#[test]
fn surface_points_of_a_table_are_measured_on_the_command_line_and_by_plans() {
    let folder = tempfile::tempdir().unwrap();
    let [cad, scan] = block(folder.path(), "first", RAISED_MM);
    let (table, out, plan) =
        (folder.path().join("points.csv"), folder.path().join("out"), folder.path().join("block.sgplan"));
    std::fs::write(&table, "P1;10,0;12;20\nP2;70;14;20;z\n").unwrap();
    let arguments = [
        "inspect",
        "--nominal",
        text(&cad),
        "--scan",
        text(&scan),
        "--align",
        "none",
        "--no-pictures",
        "--out",
        text(&out),
        "--surface-points",
        text(&table),
        "--save-plan",
        text(&plan),
    ];
    let output = shadowgraph(&arguments);
    assert!(output.status.success(), "{}", errors(&output));
    let csv = std::fs::read_to_string(out.join("surface-points.csv")).unwrap();
    let deviations: Vec<f64> =
        csv.lines().skip(1).map(|line| line.split(',').nth(5).unwrap().parse().unwrap()).collect();
    assert!((deviations[0] - 0.21).abs() < 1e-9 && (deviations[1] - 0.03).abs() < 1e-9, "{csv}");
    let summary: Value = serde_json::from_slice(&std::fs::read(out.join("summary.json")).unwrap()).unwrap();
    assert!(summary.to_string().contains("1 of 2 points in tolerance"), "{summary:#}");
    let saved: Value = serde_json::from_slice(&std::fs::read(&plan).unwrap()).unwrap();
    assert!(saved.to_string().contains("\"surface_points\""));
    // A table that cannot be read is refused before anything is written.
    std::fs::write(&table, "P1,10,12\n").unwrap();
    let refused = folder.path().join("refused");
    let mut again = arguments;
    again[9] = text(&refused);
    let output = shadowgraph(&again);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("Line 1: expected name"), "{}", errors(&output));
    assert!(!refused.join("summary.json").exists());
}
