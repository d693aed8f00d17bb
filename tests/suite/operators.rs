//! What operators trip over: files that are no files, rows and facets without numbers, units, and what the window says.

use std::path::{Path, PathBuf};
use std::process::Command as Process;

use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use serde_json::Value;
use shadowgraph::app::{App, Options};
use shadowgraph::dispatch::{Command, Inspect, Parts};
use shadowgraph::geometry::mesh::shapes;
use shadowgraph::geometry::{Mesh, Point};
use shadowgraph::io::write;

use super::support::{asset, context, errors, shadowgraph, text};
use super::window::{open, settle};

fn said(arguments: &[&str]) -> String {
    let output = shadowgraph(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", errors(&output));
    String::from_utf8_lossy(&output.stdout).into_owned() + &errors(&output)
}

fn info(path: &Path) -> Value {
    let all: Value = serde_json::from_str(&said(&["info", text(path), "--json"])).unwrap();
    all["files"][0].clone()
}

fn notes(info: &Value) -> String {
    info["notes"].to_string()
}

/// A binary STL of a mesh, whose corners are moved by a function of their number.
fn stl(path: &Path, mesh: &Mesh, moved: impl Fn(usize, [f32; 3]) -> [f32; 3]) {
    let mut bytes = vec![0_u8; 80];
    bytes.extend((mesh.facets.len() as u32).to_le_bytes());
    for facet in 0..mesh.facets.len() {
        bytes.extend([0_u8; 12]);
        for (corner, point) in mesh.corners(facet).iter().enumerate() {
            let own = moved(3 * facet + corner, point.coords.cast::<f32>().into());
            own.iter().for_each(|value| bytes.extend(value.to_le_bytes()));
        }
        bytes.extend([0_u8; 2]);
    }
    std::fs::write(path, bytes).unwrap();
}

fn block() -> Mesh {
    shapes::cuboid(Point::new(0.1, 0.1, 0.1), Point::new(40.3, 30.7, 20.9))
}

/// A named pipe would wait for somebody to write into it: every command refuses it, and so does the window.
#[cfg(unix)]
#[test]
fn named_pipes_are_refused_as_scan_and_as_nominal() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("out");
    let pipe = |name: &str| {
        let path = folder.path().join(name);
        Process::new("mkfifo").arg(&path).status().is_ok_and(|status| status.success()).then_some(path)
    };
    let (Some(scan), Some(stl), Some(step)) = (pipe("scan.ply"), pipe("part.stl"), pipe("part.step")) else {
        eprintln!("skipped: there is no mkfifo");
        return;
    };
    let refuses = |arguments: &[&str]| {
        let output = shadowgraph(arguments);
        assert_eq!(output.status.code(), Some(3), "{arguments:?}: {}", errors(&output));
        assert!(errors(&output).contains("not a regular file"), "{}", errors(&output));
    };
    let (part, good) = (asset("bracket.stl"), asset("bracket-scan.ply"));
    for (nominal, scan) in [(&part, &scan), (&stl, &good), (&step, &good)] {
        refuses(&["inspect", "--nominal", text(nominal), "--scan", text(scan), "--no-pictures", "--out", text(&out)]);
        refuses(&["register", "--nominal", text(nominal), "--scan", text(scan)]);
    }
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    window.run_steps(3);
    window.event(egui::Event::Text(scan.display().to_string()));
    window.run_steps(3);
    window.key_press(egui::Key::Enter);
    settle(&mut window);
    assert!(window.query_all_by_label_contains("not a regular file").next().is_some());
}

#[test]
fn info_joins_corners_that_only_rounding_keeps_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block.stl");
    stl(&path, &block(), |number, corner| corner.map(|value| value + (number % 5) as f32 * 2e-6));
    let info = info(&path);
    assert_eq!((info["open_edges"].as_u64(), info["facets"].as_u64()), (Some(0), Some(12)), "{info}");
}

#[test]
fn rows_and_facets_without_numbers_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("block.stl");
    let mut mesh = block();
    mesh.facets.push(mesh.facets[0]);
    let count = 3 * mesh.facets.len();
    stl(&path, &mesh, |number, corner| if number == count - 1 { [f32::NAN; 3] } else { corner });
    assert!(notes(&info(&path)).contains("1 facet with non-finite coordinates was skipped"), "{}", info(&path));
    let rows = folder.path().join("points.xyz");
    let mut lines: String = (0..200).map(|i| format!("{} {} 5.0\n", i % 20, i / 20)).collect();
    lines += "nan 1 2\n3 nan 4\n5 6 nan\n";
    std::fs::write(&rows, lines).unwrap();
    assert!(notes(&info(&rows)).contains("3 points without finite coordinates were skipped"));
    let fit = said(&["fit", "plane", text(&rows)]);
    assert!(fit.contains("3 points without finite coordinates were skipped"), "{fit}");
}

#[test]
fn points_of_pts_files_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scan.pts");
    let rows: String = (0..50).map(|i| format!("{} {} 1.5 120 10 20 30\n", i % 7, i / 7)).collect();
    std::fs::write(&path, format!("50\n{rows}")).unwrap();
    assert_eq!(info(&path)["points"].as_u64(), Some(50));
}

/// Half of all coordinates are wrong by a factor of 2.54 if an inch is taken for a centimetre.
#[test]
fn of_two_units_that_fit_the_better_is_offered() {
    let folder = tempfile::tempdir().unwrap();
    let scan = shadowgraph::io::load_scan(
        &asset("bracket-scan.ply"),
        &shadowgraph::io::LoadOptions::default(),
        &shadowgraph::base::Progress::silent(),
    );
    let cloud = scan.unwrap().cloud;
    let thinned: Vec<u32> = (0..cloud.points.len() as u32).step_by(40).collect();
    let mut cloud = cloud.select(&thinned);
    cloud.scale(1.0 / 25.4);
    let path = folder.path().join("scan.ply");
    write::cloud(&path, &cloud).unwrap();
    let part = asset("bracket.stl");
    let command = ["register", "--nominal", text(&part), "--scan", text(&path), "--json"];
    let output = shadowgraph(&command);
    let advice = "--scan-units inch";
    assert!(errors(&output).contains(advice), "{}", errors(&output));
    // Who follows it arrives.
    let followed: Vec<&str> = command.into_iter().chain(advice.split(' ')).collect();
    let output = shadowgraph(&followed);
    assert!(output.status.success(), "{}", errors(&output));
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(answer["alignment"]["rms_mm"].as_f64().unwrap() < 0.05, "{answer}");
}

#[test]
fn a_part_compared_with_itself_is_no_measured_part_and_is_not_said_to_be_aligned() {
    let folder = tempfile::tempdir().unwrap();
    let (part, out) = (asset("bracket.stl"), folder.path().join("out"));
    let said = said(&[
        "inspect",
        "--nominal",
        text(&part),
        "--scan",
        text(&part),
        "--align",
        "none",
        "--no-pictures",
        "--out",
        text(&out),
    ]);
    assert!(said.contains("the scan is the nominal's own file, so no part was measured"), "{said}");
    assert!(!said.contains("Aligned"), "{said}");
    let report = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(!report.contains("nominal_from_scan") && report.contains("UTC"), "{report}");
}

fn upper_limit(window: &Harness<'static, App>) -> f64 {
    window.state().dispatcher().document.settings.deviation.tolerance.high_mm
}

/// Of a press that slips by two pixels, nothing but the keyboard comes; a drag of thirty changes the number.
#[test]
fn a_drag_of_a_number_needs_intent() {
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    window.get_by_label("Compare").click();
    window.run_steps(3);
    let before = upper_limit(&window);
    let drag = |window: &mut Harness<'static, App>, by: f32| {
        let from = window.get_by_role_and_label(egui::Role::SpinButton, "Upper limit").rect().center();
        let button = |pos: egui::Pos2, pressed: bool| egui::Event::PointerButton {
            pos,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        };
        window.event(egui::Event::PointerMoved(from));
        window.run_steps(1);
        window.event(button(from, true));
        window.run_steps(1);
        for step in 1..=5 {
            window.event(egui::Event::PointerMoved(from + egui::vec2(by * step as f32 / 5.0, 0.0)));
            window.run_steps(1);
        }
        window.event(button(from + egui::vec2(by, 0.0), false));
        window.run_steps(3);
    };
    drag(&mut window, 2.0);
    assert_eq!(upper_limit(&window), before);
    window.key_press(egui::Key::Escape);
    window.run_steps(3);
    drag(&mut window, 30.0);
    assert!(upper_limit(&window) != before, "{before}");
}

#[test]
fn without_a_chooser_the_dialog_says_what_is_missing() {
    let reason = "Install zenity to browse.";
    let options = Options { context: context(), files: Vec::new(), state_folder: None, no_chooser: Some(reason) };
    let mut window =
        Harness::builder().with_size([1280.0, 800.0]).wgpu().build_eframe(move |creation| App::new(creation, options));
    window.run_steps(3);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    window.run_steps(3);
    assert!(window.query_all_by_label_contains(reason).next().is_some());
    assert!(window.get_by_label("Browse…").accesskit_node().is_disabled());
    // One dialog at a time: another cannot be opened behind it.
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::N);
    window.run_steps(3);
    assert_eq!(window.query_all_by_label("Browse…").count(), 1);
}

#[test]
fn the_last_folder_is_where_the_next_file_is_looked_for() {
    let folder = tempfile::tempdir().unwrap();
    let parts = folder.path().join("parts");
    std::fs::create_dir(&parts).unwrap();
    let part: PathBuf = parts.join("block.stl");
    write::mesh(&part, &block()).unwrap();
    let state = folder.path().join("state");
    std::fs::create_dir(&state).unwrap();
    {
        let mut window = open(Vec::new(), Some(state.clone()));
        window.run_steps(3);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
        window.run_steps(3);
        window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
        window.run_steps(1);
        window.event(egui::Event::Text(part.display().to_string()));
        window.run_steps(3);
        window.key_press(egui::Key::Enter);
        settle(&mut window);
        assert!(window.state().dispatcher().document.nominal().is_some());
    }
    let mut window = open(Vec::new(), Some(state));
    window.run_steps(3);
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::O);
    window.run_steps(3);
    let field = window.get_by_role_and_label(egui::Role::TextInput, "File");
    assert!(field.value().unwrap_or_default().starts_with(&parts.display().to_string()), "{:?}", field.value());
}

#[test]
fn mechanical_alignment_is_grey_until_it_has_sources() {
    let mut window = open(Vec::new(), None);
    window.run_steps(3);
    window.get_by_label("Inspect").click();
    window.run_steps(3);
    for entry in ["Start mechanical alignment", "Stop mechanical alignment"] {
        assert!(window.get_by_label(entry).accesskit_node().is_disabled(), "{entry}");
    }
}

/// A ring with the region's number is drawn on what was flown to, and points close their gaps there.
#[test]
fn what_is_flown_to_wears_a_ring_and_points_close_their_gaps() {
    let mut window = open(vec![asset("bracket.stl")], None);
    settle(&mut window);
    let path = asset("bracket-scan.ply");
    for command in [
        Command::Parts(Parts::OpenScans { paths: vec![path], unit: None, columns: None }),
        Inspect::AlignAndCompare.into(),
    ] {
        window.state_mut().send(command);
        settle(&mut window);
    }
    window.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Num3);
    window.run_steps(3);
    // Each region has a button in the list and a flag in the view.
    let is_region = |node: &egui_kittest::Node<'_>| {
        node.accesskit_node().label().is_some_and(|label| label.starts_with("1 ") && label.contains(" mm²"))
    };
    assert!(window.query_all_by_role(egui::Role::Button).into_iter().any(|node| is_region(&node)));
    window.get_by_label("Callout 1").click();
    // The flight takes some frames.
    for _ in 0..60 {
        window.run_steps(1);
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    window.run_steps(6);
    let view = window.get_by_label("3D viewport").rect();
    let picture = window.render().unwrap();
    let at = |x: f32, y: f32| picture.get_pixel(x as u32, y as u32).0.map(i32::from);
    let centre = view.center();
    let mut coloured = 0;
    for y in -40..40 {
        for x in -40..40 {
            let [r, g, b, _] = at(centre.x + x as f32, centre.y + y as f32);
            coloured += i32::from(r.max(g).max(b) - r.min(g).min(b) > 60);
        }
    }
    let share = f64::from(coloured) / 6400.0;
    // The ring is round about the middle, in the accent of the program: along every ray from there.
    let is_ring = |[r, g, b, _]: [i32; 4]| (r - 38).abs() + (g - 118).abs() + (b - 214).abs() < 24;
    let rays = (0..32).filter(|ray| {
        let angle = f32::from(*ray as u8) * std::f32::consts::TAU / 32.0;
        (12..300).any(|reach| is_ring(at(centre.x + reach as f32 * angle.cos(), centre.y + reach as f32 * angle.sin())))
    });
    let rays = rays.count();
    assert!(rays >= 28, "the ring crosses {rays} of 32 rays");
    assert!(share > 0.6, "only {share} of the middle is covered by coloured points");
}

/// The README's command installs what a fresh machine needs: whatever the checks install, but for the tests alone.
#[test]
fn the_readme_installs_every_package_that_the_program_needs() {
    let read = |name: &str| std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap();
    let (readme, checks) = (read("README.md"), read(".ci/run"));
    let command = readme.lines().find(|line| line.contains("apt-get install")).unwrap();
    assert!(command.contains("cargo build --release") && command.contains("shadowgraph demo"), "{command}");
    assert!(!command.contains("sudo ") || command.contains("$(command -v sudo)"), "root has no sudo: {command}");
    let packages = checks.split("packages=\"").nth(1).unwrap().split('"').next().unwrap();
    for package in packages.split_whitespace() {
        let is_of_tests = ["xvfb", "xdotool", "imagemagick", "python3-venv", "poppler-utils"].contains(&package);
        assert!(is_of_tests || command.contains(package), "{package} is missing in: {command}");
    }
}
