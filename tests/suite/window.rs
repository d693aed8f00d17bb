//! The window, driven by the names of its widgets, on the software renderer.

use std::time::{Duration, Instant};

use egui_kittest::kittest::Queryable as _;
use egui_kittest::{Harness, SnapshotOptions};
use shadowgraph::app::{App, Options};
use shadowgraph::geometry::{Cloud, Point, mesh::shapes, sampling};
use shadowgraph::io::write;

use super::support::{asset, context};

pub fn open(files: Vec<std::path::PathBuf>, state_folder: Option<std::path::PathBuf>) -> Harness<'static, App> {
    open_sized([1280.0, 800.0], files, state_folder)
}

pub fn open_sized(
    size: [f32; 2],
    files: Vec<std::path::PathBuf>,
    state_folder: Option<std::path::PathBuf>,
) -> Harness<'static, App> {
    let options = Options { context: context(), files, state_folder, no_chooser: Some("Type the path.") };
    Harness::builder()
        .with_size(size)
        .with_theme(egui::Theme::Light)
        .with_step_dt(1.0 / 60.0)
        .wgpu()
        .build_eframe(move |creation| App::new(creation, options))
}

/// Runs frames until no job is left.
pub fn settle(harness: &mut Harness<'static, App>) {
    let started = Instant::now();
    // Frames take time from long jobs.
    let mut pause = Duration::from_millis(5);
    loop {
        harness.run_steps(2);
        if !harness.state().is_busy() && !harness.state().is_meshing() {
            break;
        }
        assert!(started.elapsed() < Duration::from_secs(120), "the job does not end");
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(80));
    }
    harness.run_steps(3);
}

/// Sends a command and waits for its end; it must not fail.
pub fn send(harness: &mut Harness<'static, App>, command: impl Into<shadowgraph::dispatch::Command>) {
    let before = harness.state().dispatcher().messages.len();
    harness.state_mut().send(command);
    settle(harness);
    let messages = &harness.state().dispatcher().messages[before..];
    assert!(!messages.iter().any(|message| message.is_error), "{messages:?}");
}

/// Goes to a step of the panel of Features or Calibrate, by its number and name: “2: Fit”.
pub fn show_step(harness: &mut Harness<'static, App>, step: &str) {
    harness.get_by_label(&format!("Step {step}")).click();
    harness.run_steps(4);
}

/// A moment at rest, so that the view is drawn completely.
fn rest(harness: &mut Harness<'static, App>) {
    std::thread::sleep(Duration::from_millis(250));
    harness.run_steps(3);
}

#[test]
fn deviations_are_shown_on_the_nominal_as_well() {
    let mut harness = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut harness);
    send(&mut harness, shadowgraph::dispatch::Inspect::AlignAndCompare);
    harness.key_press(egui::Key::D);
    settle(&mut harness);
    rest(&mut harness);
    compare_picture(&mut harness, "compare-on-nominal");
}

#[test]
fn the_whole_job_by_names() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.actual().is_some());
    compare_picture(&mut harness, "loaded");
    harness.get_by_label("Align and compare").click();
    settle(&mut harness);
    let check = harness.state().dispatcher().document.shared_check().expect("a check");
    assert_eq!(check.regions.len(), 4);
    assert!(harness.state().shows_compare());
    assert!(harness.query_all_by_label("FAIL").next().is_some());
    compare_picture(&mut harness, "compare");
    harness.get_by_label("Report").click();
    harness.run_steps(3);
    let report = folder.path().join("report");
    harness.get_by_role_and_label(egui::Role::TextInput, "Folder").focus();
    harness.run_steps(1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.get_by_role_and_label(egui::Role::TextInput, "Folder").type_text(report.to_str().unwrap());
    harness.run_steps(2);
    harness.get_by_label("Write report").click();
    settle(&mut harness);
    assert!(report.join("report.pdf").exists(), "{:?}", harness.state().dispatcher().messages);
}

/// Compares the window with its picture in tests/snapshots (UPDATE_SNAPSHOTS=1 takes new ones).
pub fn compare_picture(harness: &mut Harness<'static, App>, name: &str) {
    rest(harness);
    // On one release of the software renderer pictures are the same to the pixel, others differ by a few on edges; a word
    // that is added or moved changes more.
    let limit = if std::env::var_os("UPDATE_SNAPSHOTS").is_some() { 0 } else { 200 };
    let options = SnapshotOptions::new().threshold(1.5).max_failed_pixels(limit);
    harness.snapshot_options(name, &options);
}

#[test]
fn an_empty_window_says_what_to_do() {
    let mut harness = open(Vec::new(), None);
    harness.run_steps(3);
    harness.get_by_label("Open a file…");
    harness.get_by_label("No scan loaded.");
    compare_picture(&mut harness, "empty");
}

#[test]
fn the_smallest_window_cuts_nothing_off() {
    let folder = tempfile::tempdir().unwrap();
    let recent = [asset("bracket.stl"), asset("bracket.step"), asset("bracket-scan.ply")];
    let recent: String = recent.iter().map(|path| format!("{}\n", path.display())).collect();
    std::fs::write(folder.path().join("recent.txt"), recent).unwrap();
    let mut harness = open_sized([900.0, 600.0], Vec::new(), Some(folder.path().to_owned()));
    harness.run_steps(3);
    let rooms = ["Calibrate", "Align", "Compare", "Features", "Offset", "Detect", "Report", "Inspect next scan"];
    let mut right = 0.0;
    for name in ["File", "Edit", "Inspect", "View", "Help"].iter().chain(&rooms) {
        let rect = harness.query_all_by_role_and_label(egui::Role::Button, name).next().expect(name).rect();
        assert!(rect.left() >= right && rect.right() <= 900.0, "{name} at {rect}, after {right}");
        right = rect.right();
    }
    let view = harness.get_by_label("3D viewport").rect();
    for name in ["Open a file…", "Try the demo part"] {
        let rect = harness.get_by_label(name).rect();
        assert!(view.contains_rect(rect), "{name} at {rect} in {view}");
    }
    // Without recent files, whose paths differ from machine to machine.
    let mut harness = open_sized([900.0, 600.0], Vec::new(), None);
    harness.run_steps(3);
    compare_picture(&mut harness, "smallest");
}

#[test]
fn the_demo_is_one_click_from_an_empty_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut harness = open(Vec::new(), Some(folder.path().to_owned()));
    harness.run_steps(3);
    harness.get_by_label("Try the demo part").click();
    settle(&mut harness);
    let check = harness.state().dispatcher().document.shared_check().expect("a check");
    assert_eq!(check.regions.len(), 4);
    assert!(harness.state().shows_compare());
}

#[test]
fn recent_files_are_offered_in_an_empty_window() {
    let folder = tempfile::tempdir().unwrap();
    let gone = folder.path().join("gone.stl");
    let recent = format!("{}\n{}\n", asset("bracket.stl").display(), gone.display());
    std::fs::write(folder.path().join("recent.txt"), recent).unwrap();
    let mut harness = open(Vec::new(), Some(folder.path().to_owned()));
    harness.run_steps(3);
    assert!(harness.query_by_label_contains("gone.stl").is_none());
    harness.get_by_label_contains("bracket.stl").click();
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.nominal().is_some());
}

#[test]
fn the_view_cube_looks_from_faces_and_corners() {
    let mut harness = open(vec![asset("bracket.stl")], None);
    settle(&mut harness);
    let place = |harness: &mut Harness<'static, App>, x, y, z| {
        harness.run_steps(3);
        harness.state_mut().screen_place(&Point::new(x, y, z)).unwrap()
    };
    harness.get_by_label("Front").click();
    let (origin, right, up) =
        (place(&mut harness, 0.0, 0.0, 0.0), place(&mut harness, 30.0, 0.0, 0.0), place(&mut harness, 0.0, 0.0, 30.0));
    assert!(right.x > origin.x + 50.0 && (right.y - origin.y).abs() < 1.0, "{origin} {right}");
    assert!(up.y < origin.y - 50.0 && (up.x - origin.x).abs() < 1.0, "{origin} {up}");
    // The upper right corner of the front.
    let cube = harness.get_by_label("Front").rect().center();
    let corner = cube + egui::vec2(20.0, -20.0);
    harness.hover_at(corner);
    harness.run_steps(2);
    harness.drag_at(corner);
    harness.run_steps(1);
    harness.drop_at(corner);
    let (origin, x, y) =
        (place(&mut harness, 0.0, 0.0, 0.0), place(&mut harness, 30.0, 0.0, 0.0), place(&mut harness, 0.0, 30.0, 0.0));
    // From (1, -1, 1), x goes to the right and towards the eye, y to the right and away from it.
    assert!(x.x > origin.x + 20.0 && x.y > origin.y + 5.0, "{origin} {x}");
    assert!(y.x > origin.x + 20.0 && y.y < origin.y - 5.0, "{origin} {y}");
}

#[test]
fn keys_and_mouse_are_listed_in_the_help() {
    let mut harness = open(Vec::new(), None);
    harness.run_steps(3);
    harness.key_press(egui::Key::F1);
    harness.run_steps(3);
    harness.get_by_label("Mouse in the view");
    assert!(harness.query_all_by_label("Ctrl+Shift+S").next().is_some());
    compare_picture(&mut harness, "help");
    harness.key_press(egui::Key::Escape);
    harness.run_steps(3);
    assert!(harness.query_by_label("Mouse in the view").is_none());
}

#[test]
fn undo_takes_back_each_step_and_redo_brings_it_again() {
    let mut harness = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut harness);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.actual().is_none());
    assert!(harness.state().dispatcher().document.nominal().is_some());
    harness.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::Z);
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.actual().is_some());
}

#[test]
fn a_bad_file_is_a_dismissible_sentence_and_leaves_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let bad = folder.path().join("bad.pcd");
    std::fs::write(&bad, b"# .PCD v0.7\nnonsense here\n").unwrap();
    let mut harness = open(vec![asset("bracket.stl"), bad], None);
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.nominal().is_some());
    assert!(harness.query_all_by_label_contains("not a PCD header line").next().is_some());
    harness.get_by_label("Dismiss").click();
    harness.run_steps(3);
    assert!(harness.query_by_label("Dismiss").is_none());
}

#[test]
fn a_killed_session_is_offered_again() {
    let folder = tempfile::tempdir().unwrap();
    {
        let mut harness = open(vec![asset("bracket.stl")], Some(folder.path().to_owned()));
        settle(&mut harness);
        std::thread::sleep(Duration::from_millis(2200));
        harness.run_steps(3);
    }
    // The process that wrote it is this one, which still lives: name it after one that cannot.
    let saved = folder.path().join(format!("autosave-{}.shadowgraph", std::process::id()));
    std::fs::rename(&saved, folder.path().join("autosave-4194305.shadowgraph")).unwrap();
    let mut harness = open(Vec::new(), Some(folder.path().to_owned()));
    harness.run_steps(3);
    harness.get_by_label("Restore").click();
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.nominal().is_some());
}

#[test]
fn another_pose_of_a_symmetric_part_is_taken_by_a_click() {
    let folder = tempfile::tempdir().unwrap();
    let (part, scan) = (folder.path().join("plate.stl"), folder.path().join("scan.ply"));
    let plate = shapes::cuboid([0.0, 0.0, 0.0].into(), [60.0, 30.0, 8.0].into());
    let points = sampling::by_area(&plate, 20_000, 1).iter().map(|sample| sample.point).collect();
    write::mesh(&part, &plate).unwrap();
    write::cloud(&scan, &Cloud::from_points(points)).unwrap();
    let mut harness = open(vec![part, scan], None);
    settle(&mut harness);
    harness.get_by_label("Align automatically").click();
    settle(&mut harness);
    let before = harness.state().dispatcher().document.alignment().cloned().expect("an alignment");
    assert_eq!(before.alternatives.len(), 3);
    harness.query_all_by_label_contains("Rotated by 180.0").next().expect("a button").click();
    settle(&mut harness);
    let after = harness.state().dispatcher().document.alignment().cloned().expect("an alignment");
    let turned = after.nominal_from_scan.rotation.angle_to(&before.nominal_from_scan.rotation);
    assert!((turned - std::f64::consts::PI).abs() < 0.01, "{turned}");
    assert_eq!(after.alternatives.len(), 3);
}

#[test]
fn searches_are_compared_by_a_click_and_find_one_pose() {
    let mut harness = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut harness);
    harness.get_by_label("Align automatically").click();
    settle(&mut harness);
    harness.get_by_label("Compare search methods").click();
    settle(&mut harness);
    let comparison = harness.state().dispatcher().document.searches.clone().expect("a comparison");
    assert!(comparison.spread().0 < 1e-6 && comparison.rows.len() == 8, "{:?}", comparison.spread());
    assert!(harness.query_all_by_label("Walk from leaf, then last match").count() >= 1);
    harness.get_by_label("Copy table");
    // Times differ from run to run: the picture is for the eye.
    save_picture(&mut harness, "searches");
}

#[test]
fn the_device_is_chosen_in_the_window() {
    let mut harness = open(vec![asset("bracket.stl")], None);
    settle(&mut harness);
    harness.query_all_by_label_contains("threads").next().expect("the device").click();
    harness.run_steps(3);
    harness.query_all_by_label_contains("Compute on CPU").next().expect("the processor to choose");
    // The sentence says why there is no other where there is none.
    let (devices, reason) = shadowgraph::compute::devices();
    assert_eq!(devices.len() == 1, reason.is_some());
    let sentence = reason.unwrap_or_else(|| "Compute on CUDA".to_owned());
    assert!(harness.query_all_by_label_contains(&sentence).next().is_some());
    save_picture(&mut harness, "device");
}

#[test]
fn a_scan_is_cleaned_and_the_step_is_taken_back() {
    let mut harness = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut harness);
    let points = |harness: &Harness<'static, App>| {
        harness.state().dispatcher().document.actual().map_or(0, |actual| actual.cloud.points.len())
    };
    let before = points(&harness);
    harness.get_by_label("Clean scan").click();
    harness.run_steps(30);
    harness.get_by_label("Thin").click();
    settle(&mut harness);
    let after = points(&harness);
    assert!(after < before && after > before / 20, "{after} of {before}");
    assert!(harness.query_by_label("Thin the scan: done").is_some());
    save_picture(&mut harness, "cleaned");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(points(&harness), before);
}

#[test]
fn points_are_brushed_and_a_plane_is_fitted_to_them() {
    let folder = tempfile::tempdir().unwrap();
    // A flat top 20 mm high and a noisy floor, seen from above.
    let mut random = shadowgraph::base::random::Random::new(3, 3);
    let layer = |z: f64| (0..40_000).map(move |i| (f64::from(i % 200) * 0.4, f64::from(i / 200) * 0.3, z));
    let points = layer(0.0)
        .chain(layer(20.0).filter(|(x, ..)| *x < 40.0))
        .map(|(x, y, z)| shadowgraph::geometry::Point::new(x, y, z + 0.01 * random.normal()));
    let scan = folder.path().join("steps.ply");
    write::cloud(&scan, &Cloud::from_points(points.collect())).unwrap();
    let mut harness = open(vec![scan], None);
    settle(&mut harness);
    harness.get_by_label("Top").click();
    harness.run_steps(2);
    harness.get_by_label("Features").click();
    harness.run_steps(2);
    harness.get_by_label("Rectangle").click();
    harness.run_steps(2);
    let view = harness.get_by_label("3D viewport").rect();
    let (from, to) = (view.center() + egui::vec2(-130.0, -60.0), view.center() + egui::vec2(-50.0, 60.0));
    stroke(&mut harness, from, to, egui::Modifiers::NONE);
    let selected = |harness: &Harness<'static, App>| harness.state().dispatcher().document.points.selected.len();
    let visible = selected(&harness);
    assert!(visible > 1000, "{visible}");
    let all_on_top = |harness: &Harness<'static, App>| {
        let document = &harness.state().dispatcher().document;
        let cloud = &document.actual().unwrap().cloud;
        document.points.selected.iter().all(|&number| cloud.points[number as usize].z > 10.0)
    };
    assert!(all_on_top(&harness), "hidden points were taken");
    show_step(&mut harness, "2: Fit");
    harness.get_by_label("Plane").click();
    settle(&mut harness);
    assert_eq!(harness.state().dispatcher().document.features().len(), 1);
    let fit = harness.state().dispatcher().document.feature("Plane 1").unwrap().fit().unwrap().clone();
    assert!((fit.shape.position().z - 20.0).abs() < 0.005 && (fit.sigma_mm - 0.01).abs() < 0.001, "{fit:?}");
    save_picture(&mut harness, "features");
    // Through: twice as many, and none once Ctrl takes them away again.
    harness.get_by_label("Visible only").click();
    harness.run_steps(2);
    stroke(&mut harness, from, to, egui::Modifiers::NONE);
    assert!(!all_on_top(&harness) && selected(&harness) > visible * 19 / 10);
    stroke(&mut harness, from, to, egui::Modifiers::COMMAND);
    // The first stroke may have seen a taller viewport.
    assert!(selected(&harness) < visible / 20, "{}", selected(&harness));
    // One undo step for each stroke.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert!(selected(&harness) > visible);
    assert_eq!(harness.state().dispatcher().document.features().len(), 1);
}

/// Drags the pointer from one place to another.
fn stroke(harness: &mut Harness<'static, App>, from: egui::Pos2, to: egui::Pos2, modifiers: egui::Modifiers) {
    let button =
        |pos, pressed| egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers };
    let mut send = |event| {
        harness.event_modifiers(event, modifiers);
        harness.step();
    };
    send(egui::Event::PointerMoved(from));
    send(button(from, true));
    for step in 1..=8 {
        send(egui::Event::PointerMoved(from + (to - from) * (step as f32 / 8.0)));
    }
    send(button(to, false));
    settle(harness);
}

/// Drags the pointer round these corners.
pub fn lasso(harness: &mut Harness<'static, App>, corners: &[egui::Pos2]) {
    let modifiers = egui::Modifiers::NONE;
    let button =
        |pos, pressed| egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers };
    let mut send = |event| {
        harness.event(event);
        harness.step();
    };
    send(egui::Event::PointerMoved(corners[0]));
    send(button(corners[0], true));
    for pair in corners.windows(2) {
        for step in 1..=5 {
            send(egui::Event::PointerMoved(pair[0] + (pair[1] - pair[0]) * (step as f32 / 5.0)));
        }
    }
    send(button(corners[corners.len() - 1], false));
    settle(harness);
}

#[derive(Debug)]
struct Dropped(std::path::PathBuf);

impl egui::DroppedFile for Dropped {
    fn path(&self) -> &std::path::Path {
        &self.0
    }
    fn bytes(&self) -> Result<Vec<u8>, String> {
        std::fs::read(&self.0).map_err(|error| error.to_string())
    }
}

/// Drops a file on the window.
pub fn drop_file(harness: &mut Harness<'static, App>, path: &std::path::Path) {
    harness.input_mut().dropped_files.push(std::sync::Arc::new(Dropped(path.to_owned())));
    settle(harness);
}

/// Clicks there.
pub fn click_at(harness: &mut Harness<'static, App>, pos: egui::Pos2) {
    harness.event(egui::Event::PointerMoved(pos));
    harness.step();
    for pressed in [true, false] {
        let modifiers = egui::Modifiers::NONE;
        harness.event(egui::Event::PointerButton { pos, button: egui::PointerButton::Primary, pressed, modifiers });
        harness.step();
    }
}

/// Saves the window's picture for the eye, where a folder is named.
pub fn save_picture(harness: &mut Harness<'static, App>, name: &str) {
    harness.run_steps(3);
    if let Ok(folder) = std::env::var("SHADOWGRAPH_PICTURES") {
        let path = std::path::Path::new(&folder).join(format!("{name}.png"));
        harness.render().unwrap().save(path).unwrap();
    }
}

/// Limits are typed with a comma as with a point, take effect at the end, and what is no number changes nothing.
#[test]
fn numbers_are_typed_in_either_custom() {
    let mut harness = open(Vec::new(), None);
    harness.run_steps(3);
    harness.get_by_label("Compare").click();
    harness.run_steps(3);
    let press = |harness: &mut Harness<'static, App>, text: &str, key: egui::Key| {
        harness.get_by_role_and_label(egui::Role::SpinButton, "Upper limit").click();
        harness.run_steps(3);
        harness.event(egui::Event::Text(text.to_owned()));
        harness.run_steps(3);
        let meanwhile = harness.state().dispatcher().document.settings.deviation.tolerance.high_mm;
        harness.key_press(key);
        harness.run_steps(4);
        (meanwhile, harness.state().dispatcher().document.settings.deviation.tolerance.high_mm)
    };
    assert_eq!(press(&mut harness, "0,15", egui::Key::Enter), (0.1, 0.15));
    assert_eq!(press(&mut harness, "1.234,56", egui::Key::Enter), (0.15, 0.15), "beyond the range of the field");
    assert_eq!(press(&mut harness, "0.838", egui::Key::Enter), (0.15, 0.838));
    assert_eq!(press(&mut harness, "5e-2", egui::Key::Enter), (0.838, 0.05));
    for nothing in ["abc", "", "0,1,2", &"9".repeat(400)] {
        assert_eq!(press(&mut harness, nothing, egui::Key::Enter), (0.05, 0.05), "{nothing}");
    }
    assert_eq!(press(&mut harness, "0.3", egui::Key::Escape), (0.05, 0.05), "refused by Escape");
}
