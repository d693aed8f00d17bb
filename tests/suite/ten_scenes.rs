//! Ten scenes as operators meet them, each as a picture of the window and of the first page of its report.

use std::path::{Path, PathBuf};

use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use shadowgraph::app::App;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Align, Inspect};
use shadowgraph::geometry::{Cloud, Mesh, Point, Pose, Surface, Vector, sampling};
use shadowgraph::inspect::deviation::Tolerance;
use shadowgraph::inspect::simulation::defects::Defect;
use shadowgraph::inspect::simulation::sensor::Sensor;
use shadowgraph::inspect::simulation::{self, Parameters};
use shadowgraph::io::{LoadOptions, load_nominal, write};

use super::support::asset;
use super::window::{compare_picture, open, send, settle};

type Window = Harness<'static, App>;

/// A part of the tests, and its mesh.
fn part(name: &str) -> (PathBuf, Surface) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/data/parts/{name}.stl"));
    let mesh = load_nominal(&path, &LoadOptions::default(), &Progress::silent()).unwrap().mesh;
    (path, Surface::new(mesh))
}

/// A simulated scan with `points` points and this noise, taken from `views` directions.
fn scan(part: &Surface, points: usize, range_sigma_mm: f64, views: usize, defects: Vec<Defect>) -> Cloud {
    // A coarser sensor: most of the points of a fine one would be thrown away again.
    let sensor = Sensor { range_sigma_mm, pitch_mm: [0.2; 2], ..Sensor::default() };
    let parameters = Parameters { sensor, views, points: Some(points), defects, ..Parameters::default() };
    simulation::run(part, &parameters, &Progress::silent()).unwrap().cloud
}

/// The window with a part and its scan.
fn opened(cad: PathBuf, scan: &Path) -> Window {
    let mut window = open(vec![cad, scan.to_owned()], None);
    settle(&mut window);
    assert!(window.state().dispatcher().document.actual().is_some());
    window
}

/// The scan lies in the CAD's frame already: compared there, within ± `limit_mm`.
fn compared(window: &mut Window, limit_mm: f64) {
    let mut settings = window.state().dispatcher().document.settings.clone();
    settings.deviation.tolerance = Tolerance { low_mm: -limit_mm, high_mm: limit_mm };
    settings.scale_mm = 3.0 * limit_mm;
    send(window, Inspect::SetSettings(Box::new(settings)));
    send(window, Align::SetPose(Pose::identity()));
    send(window, Inspect::Compare);
}

/// A scene of a comparison: the banner says `verdict`; both pictures are as they were.
fn is_as_pictured(window: &mut Window, name: &str, verdict: &str) {
    window.get_by_role_and_label(egui::Role::Button, "Compare").click();
    settle(window);
    let is_said = |verdict: &str| window.query_all_by_label(verdict).next().is_some();
    let said: Vec<_> = ["PASS", "FAIL", "INCOMPLETE"].into_iter().filter(|own| is_said(own)).collect();
    assert_eq!(said, [verdict], "{name}");
    window.hover_at(egui::pos2(640.0, 795.0));
    window.run_steps(4);
    compare_picture(window, &format!("scene-{name}"));
    window.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::R);
    settle(window);
    assert!(window.query_by_label("Page 1").is_some());
    window.hover_at(egui::pos2(640.0, 795.0));
    window.run_steps(4);
    compare_picture(window, &format!("scene-{name}-report"));
}

/// A part whose scan lies in its frame, compared.
fn scene(name: &str, part_name: &str, limit_mm: f64, verdict: &str, scan_of: impl Fn(&Surface) -> Cloud) {
    let folder = tempfile::tempdir().unwrap();
    let (cad, surface) = part(part_name);
    let path = folder.path().join(format!("{part_name}-scan.ply"));
    write::cloud(&path, &scan_of(&surface)).unwrap();
    let mut window = opened(cad, &path);
    compared(&mut window, limit_mm);
    is_as_pictured(&mut window, name, verdict);
}

#[test]
fn the_demo_fails() {
    let mut window = opened(asset("bracket.stl"), &asset("bracket-scan.ply"));
    send(&mut window, Inspect::AlignAndCompare);
    is_as_pictured(&mut window, "demo", "FAIL");
}

#[test]
fn a_thin_sheet_has_two_sides() {
    scene("sheet", "bent-sheet", 0.1, "PASS", |part| scan(part, 120_000, 0.01, 14, Vec::new()));
}

#[test]
fn a_casting_of_many_points() {
    // Warped as castings are, and rough.
    let warped = |part: &Surface| {
        let reach = part.bounds().diagonal();
        let points = sampling::by_area(part.mesh(), 800_000, 5);
        let wave = |at: &Point| 0.12 * (std::f64::consts::TAU * at.x / reach).sin() * (3.0 * at.y / reach).cos();
        Cloud::from_points(points.iter().map(|own| own.point + own.normal * wave(&own.point)).collect())
    };
    scene("casting", "manifold", 0.1, "FAIL", warped);
}

#[test]
fn a_scan_that_is_a_mesh() {
    let folder = tempfile::tempdir().unwrap();
    let (cad, surface) = part("impeller");
    let mesh = surface.mesh();
    let turned = |own: &Point| own + Vector::new(0.0, 0.0, 0.002 * own.coords.norm());
    let path = folder.path().join("impeller-scan.stl");
    write::mesh(&path, &Mesh { vertices: mesh.vertices.iter().map(turned).collect(), ..mesh.clone() }).unwrap();
    let mut window = open(vec![cad], None);
    settle(&mut window);
    send(&mut window, shadowgraph::dispatch::Parts::OpenScans { paths: vec![path], unit: None, columns: None });
    compared(&mut window, 0.15);
    is_as_pictured(&mut window, "mesh", "PASS");
}

#[test]
fn a_noisy_cloud() {
    scene("noisy", "clamp", 0.25, "PASS", |part| scan(part, 150_000, 0.12, 12, Vec::new()));
}

#[test]
fn a_part_scanned_all_around() {
    scene("closed", "shaft", 0.08, "PASS", |part| scan(part, 150_000, 0.008, 16, Vec::new()));
}

#[test]
fn a_part_scanned_from_above_alone() {
    let from_above = |part: &Surface| {
        let points = sampling::by_area(part.mesh(), 150_000, 3);
        let seen = points.iter().filter(|own| own.normal.z > 0.3);
        Cloud::from_points(seen.map(|own| own.point).collect())
    };
    // Its lower side was not seen: too little for a PASS.
    scene("open", "pillow-block", 0.1, "INCOMPLETE", from_above);
}

#[test]
fn a_scan_beside_its_part() {
    let folder = tempfile::tempdir().unwrap();
    let (cad, surface) = part("flange-keyed");
    let beside = Pose::new(Vector::new(150.0, 40.0, 0.0), Vector::new(0.2, 0.1, 0.9));
    let mut cloud = scan(&surface, 100_000, 0.01, 10, Vec::new());
    cloud.points.iter_mut().for_each(|point| *point = beside * *point);
    let path = folder.path().join("flange-scan.ply");
    write::cloud(&path, &cloud).unwrap();
    let mut window = opened(cad, &path);
    window.get_by_role_and_label(egui::Role::Button, "Align").click();
    settle(&mut window);
    window.hover_at(egui::pos2(640.0, 795.0));
    window.run_steps(4);
    compare_picture(&mut window, "scene-not-aligned");
}

#[test]
fn a_part_that_passes() {
    scene("pass", "housing", 0.1, "PASS", |part| scan(part, 200_000, 0.006, 16, Vec::new()));
}

#[test]
fn a_part_with_a_dent_and_a_bump() {
    let marred = |part: &Surface| {
        let samples = sampling::by_area(part.mesh(), 40, 8);
        let at = |own: &Point| [own.x, own.y, own.z];
        let size = 0.06 * part.bounds().diagonal();
        let defects = [(0, 260.0), (20, -300.0)].map(|(own, height_um)| Defect::Bump {
            centre_mm: at(&samples[own].point),
            radius_mm: size,
            height_um,
        });
        scan(part, 200_000, 0.008, 14, defects.to_vec())
    };
    scene("fail", "ribbed-plate", 0.1, "FAIL", marred);
}
