//! Calibrations from files, on the command line and by mouse in the window.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::dispatch::merge::MergeOptions;
use shadowgraph::dispatch::monitoring::Monitoring;
use shadowgraph::dispatch::{Calibrate, Command, Context, Dispatcher, Merge, Projects};
use shadowgraph::geometry::{Cloud, Point, Subset, transform};
use shadowgraph::inspect::alignment::multi_view;
use shadowgraph::inspect::calibration::artefacts::angled_slots::Region;
use shadowgraph::inspect::calibration::artefacts::angled_slots::drawing::Drawing;
use shadowgraph::inspect::calibration::trials::{self, Scene, Setting};
use shadowgraph::inspect::calibration::{ArtefactKind, Handedness, Measured};
use shadowgraph::inspect::simulation::sensor::Sensor;
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::write;
use shadowgraph::session::calibration::monitoring::CalibrationMonitoring;
use shadowgraph::session::calibration::{Instrument, Setup};

use super::support::{errors, pose_of_json, shadowgraph, text};
use super::window::{click_at, compare_picture, drop_file, lasso, open, save_picture, settle, show_step};

/// On the command line: a calibration that is not certified says so by its exit code, in its JSON and on paper, and names
/// the stylus tip radius; exchanged pairs are noticed by how the sensor would sit.
#[test]
fn a_calibration_that_is_not_certified_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let simulated =
        shadowgraph(&["simulate", "--artefact", "angled-slots", "--error-form", "tilt", "--out", text(folder.path())]);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let run = |cmm: &Path, radius: &str, more: &[&str]| {
        let (sensor, out, certificate) = (at("snapshot.ply"), at("calibration.json"), at("certificate.pdf"));
        let mut arguments = vec!["calibrate", "--sensor", text(&sensor), "--cmm", text(cmm), "--clip-sigmas", "3"];
        arguments.extend(["--probe-radius-mm", radius, "--out", text(&out), "--certificate", text(&certificate)]);
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    let record =
        || -> Value { serde_json::from_str(&std::fs::read_to_string(at("calibration.json")).unwrap()).unwrap() };
    let touches = at("touches.csv");
    let serials = ["--sensor-serial", "S-17", "--machine-serial", "M-4", "--artefact-serial", "A-2"];
    let sound = run(&touches, "1.5", &serials);
    assert_eq!(sound.status.code(), Some(0), "{}", errors(&sound));
    assert!(String::from_utf8_lossy(&sound.stdout).contains("Certified"));
    assert_eq!(record()["certified"], true);
    assert!(record()["reasons"].as_array().unwrap().is_empty());
    let named = ["sensor_serial", "machine_serial", "artefact_serial"].map(|key| record()[key].clone());
    assert_eq!(named, ["S-17", "M-4", "A-2"]);
    let valid_for_s = record()["valid_until_unix_s"].as_i64().unwrap() - record()["date_unix_s"].as_i64().unwrap();
    let why = record()["valid_because"].as_str().unwrap().to_owned();
    assert!(why.starts_with(&format!("{} hours after calibration", valid_for_s / 3600)), "{why}");
    assert!(record()["consistency"]["comparisons"].as_array().unwrap().len() >= 12);
    // A radius that is off by less than the artefact shows is within what is stated along Z, or not certified.
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(at("truth.json")).unwrap()).unwrap();
    let stated_z = || record()["uncertainty_k2"]["place_mm"][2].as_f64().unwrap();
    let right = pose_of_json(&truth["cmm_from_sensor"]);
    let unstated_mm = stated_z();
    for radius in ["1.4", "1.55"] {
        let off = run(&touches, radius, &[]);
        let found = pose_of_json(&record()["cmm_from_sensor"]);
        let middle = Point::new(0.0, 0.0, 250.0);
        let z_mm = (found * middle - right * middle).z.abs();
        assert!(z_mm > 0.03 && (off.status.code() == Some(4) || z_mm < stated_z()), "{radius}: {z_mm} {}", stated_z());
    }
    // Stated, it is no longer in doubt.
    let known = run(&touches, "1.5", &["--probe-radius-error-mm", "0.002"]);
    assert_eq!(known.status.code(), Some(0), "{}", errors(&known));
    assert!(stated_z() < unstated_mm, "{} {unstated_mm}", stated_z());
    let stylus_mm = record()["uncertainty_k2"]["place_stylus_mm"][2].as_f64().unwrap();
    assert!((stylus_mm - 0.002 * 2.0_f64.sqrt()).abs() < 1e-4, "{stylus_mm}");
    assert_eq!(record()["probe_radius_error_mm"], 0.002);
    let wrong = run(&touches, "0", &["--json"]);
    assert_eq!(wrong.status.code(), Some(4), "{}", errors(&wrong));
    assert!(errors(&wrong).contains("stylus tip radius"), "{}", errors(&wrong));
    assert_eq!(record()["certified"], false);
    assert!(std::fs::read(at("certificate.pdf")).unwrap().starts_with(b"%PDF"));
    // Edited until it says otherwise, it is refused where it would be used.
    let edited = std::fs::read_to_string(at("calibration.json")).unwrap().replacen("false", "true", 1);
    std::fs::write(at("calibration.json"), edited).unwrap();
    let said = shadowgraph::inspect::calibration::record::CalibrationRecord::read(&at("calibration.json"))
        .unwrap_err()
        .sentence;
    assert!(said.contains("digest"), "{said}");
    let table = std::fs::read_to_string(&touches).unwrap();
    let exchanged = [("LP", "RP"), ("LL", "LR"), ("SU", "SL")].iter().fold(table, |table, (one, other)| {
        let (one, other) = (format!("\n{one},"), format!("\n{other},"));
        table.replace(&one, "\n?,").replace(&other, &one).replace("\n?,", &other)
    });
    std::fs::write(at("exchanged.csv"), exchanged).unwrap();
    let turned = run(&at("exchanged.csv"), "1.5", &[]);
    assert_eq!(turned.status.code(), Some(4), "{}", errors(&turned));
    assert!(errors(&turned).contains("--any-mounting"), "{}", errors(&turned));
}

#[test]
fn a_mounted_sensor_is_calibrated_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let simulated =
        shadowgraph(&["simulate", "--artefact", "angled-slots", "--handedness", "left", "--out", text(folder.path())]);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(at("truth.json")).unwrap()).unwrap();
    let run = |sensor: &Path, cmm: &Path, handedness: &str| {
        let radius = truth["probe_radius_mm"].to_string();
        shadowgraph(&[
            "calibrate",
            "--sensor",
            text(sensor),
            "--cmm",
            text(cmm),
            "--handedness",
            handedness,
            "--probe-radius-mm",
            &radius,
            "--clip-sigmas",
            "3",
            "--out",
            text(&at("calibration.json")),
            "--certificate",
            text(&at("certificate.pdf")),
            "--json",
        ])
    };
    let (snapshot, touches) = (at("snapshot.ply"), at("touches.csv"));
    let output = run(&snapshot, &touches, "left");
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let record: Value = serde_json::from_str(&std::fs::read_to_string(at("calibration.json")).unwrap()).unwrap();
    assert_eq!(record["schema"], "shadowgraph.calibration/1");
    let (found, right) = (pose_of_json(&record["cmm_from_sensor"]), pose_of_json(&truth["cmm_from_sensor"]));
    let (shift_mm, angle_rad) = transform::difference(&found, &right, &Point::new(0.0, 0.0, 250.0));
    assert!(shift_mm < 0.02 && angle_rad.to_degrees() < 0.01, "{shift_mm} mm, {} deg", angle_rad.to_degrees());
    assert!(std::fs::read(at("certificate.pdf")).unwrap().starts_with(b"%PDF"));
    // The wrong handedness is told with its evidence.
    let refused = run(&snapshot, &touches, "right");
    assert_eq!(refused.status.code(), Some(3));
    assert!(errors(&refused).contains("mirror image"), "{}", errors(&refused));
    // Exchanged names, a name that is none, another artefact.
    let table = std::fs::read_to_string(&touches).unwrap();
    let with = |name: &str, text: String| {
        std::fs::write(at(name), text).unwrap();
        at(name)
    };
    let swapped = table.replace("\nLL,", "\n?,").replace("\nLR,", "\nLL,").replace("\n?,", "\nLR,");
    let refused = run(&snapshot, &with("swapped.csv", swapped), "left");
    assert!(errors(&refused).contains("CMM") && errors(&refused).contains("exchanged"), "{}", errors(&refused));
    let refused = run(&snapshot, &with("named.csv", table.replace("SU", "XX")), "left");
    assert!(errors(&refused).contains("“XX” is no region"), "{}", errors(&refused));
}

struct Files {
    scene: Scene,
    snapshot: PathBuf,
    touches: PathBuf,
}

/// A coarse snapshot, and touches without names.
fn files(folder: &Path) -> Files {
    let setting = Setting { sensor: Sensor { pitch_mm: [0.35, 0.35], ..Sensor::default() }, ..Setting::default() };
    let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Left, 3).unwrap();
    let (snapshot, touches) = (folder.join("snapshot.ply"), folder.join("touches.xyz"));
    write::cloud(&snapshot, &Cloud::from_points(scene.views[0].cloud.points.clone())).unwrap();
    let rows: String = scene.touches.iter().flatten().map(|p| format!("{} {} {}\n", p.x, p.y, p.z)).collect();
    std::fs::write(&touches, rows).unwrap();
    Files { scene, snapshot, touches }
}

/// Outlines of the regions in the artefact's frame, well inside; of touches, as wide as these lie.
fn outline(region: Region, widened_mm: f64) -> [[f64; 2]; 4] {
    let [x0, x1, y0, y1] = match region {
        Region::LP => [-27.0, -13.0, -55.0, -15.0],
        Region::RP => [13.0, 32.0, -55.0, -15.0],
        Region::LL => [-8.0, -2.0, -55.0, -15.0],
        Region::LR => [2.0, 8.0, -55.0, -15.0],
        Region::SU => [14.0, 28.0, 2.0, 8.0],
        Region::SL => [14.0, 28.0, -8.0, -2.0],
    };
    let w = widened_mm;
    [[x0 - w, y0 - w], [x1 + w, y0 - w], [x1 + w, y1 + w], [x0 - w, y1 + w]]
}

/// Scrolls a widget of the panel into view, and clicks it.
pub fn press(harness: &mut egui_kittest::Harness<'static, shadowgraph::app::App>, name: &str) {
    harness.get_by_label(name).scroll_to_me();
    harness.run_steps(4);
    harness.get_by_label(name).click();
    settle(harness);
}

#[test]
fn a_sensor_is_calibrated_by_mouse() {
    let folder = tempfile::tempdir().unwrap();
    let Files { scene, snapshot, touches } = files(folder.path());
    let mut harness = open(Vec::new(), None);
    harness.query_all_by_label("Calibrate").next().unwrap().click();
    harness.run_steps(3);
    save_picture(&mut harness, "calibrate-empty");
    // The set-up: a left-handed sensor, a ball of 1.5 mm.
    harness.get_by_label("Sensor frame").click();
    harness.run_steps(2);
    harness.get_by_label("Left-handed").click();
    harness.run_steps(3);
    let radius = |harness: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        harness.get_by_label("Stylus tip radius").rect().center()
    };
    let at = radius(&harness);
    click_at(&mut harness, at);
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.event(egui::Event::Text("1.5".into()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    settle(&mut harness);
    assert_eq!(harness.state().dispatcher().document.calibration.setup.probe_radius_mm, Some(1.5));

    let sensor_from_artefact = scene.cmm_from_sensor.inverse() * scene.cmm_from_artefact;
    let drawing = Drawing::default();
    for (instrument, file) in [(Instrument::Sensor, &snapshot), (Instrument::Cmm, &touches)] {
        show_step(&mut harness, if instrument == Instrument::Sensor { "2: Snapshot" } else { "3: Probing" });
        drop_file(&mut harness, file);
        let is_sensor = instrument == Instrument::Sensor;
        let pose = if is_sensor { sensor_from_artefact } else { scene.cmm_from_artefact };
        if !is_sensor {
            harness.get_by_label("Visible only").click();
        }
        for region in Region::ALL {
            harness.get_by_label(region.name().short).click();
            harness.run_steps(2);
            harness.get_by_label("Lasso").click();
            harness.run_steps(2);
            let place = |[x, y]: [f64; 2]| pose * Point::new(x, y, drawing.height_mm(x, y));
            let corners = outline(region, 0.0).map(|corner| harness.state_mut().screen_place(&place(corner)).unwrap());
            lasso(&mut harness, &corners);
        }
        let regions = harness.state().dispatcher().document.calibration.of(instrument).regions.clone();
        assert_eq!(regions.len(), 6);
        for (region, points) in Region::ALL.iter().zip(&regions) {
            assert!(points.len() >= if is_sensor { 300 } else { 3 }, "{instrument:?} {region:?}: {}", points.len());
        }
        if is_sensor {
            // A moment at rest, so that all points are drawn.
            std::thread::sleep(std::time::Duration::from_millis(250));
            harness.run_steps(4);
            compare_picture(&mut harness, "brushed");
        } else {
            save_picture(&mut harness, "touched");
        }
    }
    show_step(&mut harness, "4: Result");
    press(&mut harness, "Calibrate sensor");
    let calibration = &harness.state().dispatcher().document.calibration;
    let outcome = calibration.outcome.clone().unwrap_or_else(|| panic!("{:?}", harness.state().dispatcher().messages));
    let found = outcome.calibration.mounting.cmm_from_sensor;
    let (shift_mm, angle_rad) = transform::difference(&found, &scene.cmm_from_sensor, &Point::new(0.0, 0.0, 250.0));
    // Coarse and brushed in part: looser than a full snapshot.
    assert!(shift_mm < 0.08 && angle_rad.to_degrees() < 0.05, "{shift_mm} mm, {} deg", angle_rad.to_degrees());
    // The same figures are on the screen.
    let angle = format!("{:.4} ±", outcome.calibration.mounting.angles_rad()[1].to_degrees());
    assert!(harness.query_all_by(|node| node.value().is_some_and(|text| text.starts_with(&angle))).next().is_some());
    press(&mut harness, "Sensor");
    press(&mut harness, "Residual colours");
    // Its date changes: looked at, not compared.
    save_picture(&mut harness, "calibrated");

    let certificate = folder.path().join("certificate");
    let field = || egui_kittest::kittest::by().role(egui::Role::TextInput).label("Folder");
    harness.get(field()).focus();
    harness.run_steps(1);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.get(field()).type_text(certificate.to_str().unwrap());
    harness.run_steps(2);
    press(&mut harness, "Save certificate");
    assert!(std::fs::read(certificate.join("certificate.pdf")).unwrap().starts_with(b"%PDF"));
    let record: Value =
        serde_json::from_str(&std::fs::read_to_string(certificate.join("calibration.json")).unwrap()).unwrap();
    assert_eq!(record["handedness"], "left");

    // The same snapshot twice, the second one said to be where it was not.
    show_step(&mut harness, "6: Use");
    press(&mut harness, "Global registration of snapshots");
    save_picture(&mut harness, "calibrate-merge");
    let table = folder.path().join("positions.csv");
    std::fs::write(&table, "file,x,y,z\nsnapshot.ply,0,0,0\nsnapshot.ply,0.03,0,0.02\n").unwrap();
    let options = MergeOptions { reason: None, refine: Some(multi_view::Parameters::default()) };
    harness.state_mut().send(Merge { table, options });
    settle(&mut harness);
    let said = &harness.state().dispatcher().messages;
    assert!(said.iter().any(|message| message.text.contains("moved the snapshots by up to 0.018 mm")), "{said:?}");
    assert_eq!(harness.state().dispatcher().document.actual().unwrap().sources.len(), 1);

    // Kept by a project, whole.
    let project = folder.path().join("calibrated.shadowgraph");
    harness.state_mut().send(shadowgraph::dispatch::Projects::Save(project.clone()));
    settle(&mut harness);
    harness.state_mut().send(shadowgraph::dispatch::Projects::New);
    settle(&mut harness);
    harness.state_mut().send(shadowgraph::dispatch::Projects::Open(project));
    settle(&mut harness);
    let again = harness.state().dispatcher().document.calibration.outcome.clone().expect("a calibration");
    assert_eq!(again.calibration.mounting, outcome.calibration.mounting);
    assert_eq!(again.provenance, outcome.provenance);

    // A calibrated project opens with its result.
    harness.get_by_label("Calibrate sensor");

    // Found by the program instead, and taken back step by step.
    show_step(&mut harness, "2: Snapshot");
    press(&mut harness, "Find regions");
    assert!(harness.state().dispatcher().document.calibration.outcome.is_none());
    show_step(&mut harness, "4: Result");
    press(&mut harness, "Calibrate sensor");
    let found = harness.state().dispatcher().document.calibration.outcome.clone().expect("a calibration");
    let found = found.calibration.mounting.cmm_from_sensor;
    let (shift_mm, angle_rad) = transform::difference(&found, &scene.cmm_from_sensor, &Point::new(0.0, 0.0, 250.0));
    assert!(shift_mm < 0.05 && angle_rad.to_degrees() < 0.03, "{shift_mm} mm, {} deg", angle_rad.to_degrees());
    save_picture(&mut harness, "calibrate-found");
    // A log that is named only now gets this calibration too, once.
    let log = folder.path().join("calibrations.jsonl");
    let monitoring = CalibrationMonitoring { log: Some(log.clone()), ..CalibrationMonitoring::default() };
    harness.state_mut().send(Command::Monitoring(Monitoring::Set(Box::new(monitoring.clone()))));
    settle(&mut harness);
    show_step(&mut harness, "5: Verification");
    press(&mut harness, "Repeatability");
    harness.run_steps(30);
    press(&mut harness, "Add this calibration to the log");
    let lines = || std::fs::read_to_string(&log).map_or(0, |text| text.lines().count());
    assert_eq!(lines(), 1);
    assert!(harness.query_all_by_label("Add this calibration to the log").next().is_none());
    harness.state_mut().send(Command::Monitoring(Monitoring::AddToLog));
    settle(&mut harness);
    assert_eq!(lines(), 1);
    for _ in 0..2 {
        harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
        settle(&mut harness);
    }
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.calibration.outcome.is_none());
}

#[test]
fn a_sphere_calibrates_from_files_of_several_positions() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let simulated = shadowgraph(&["simulate", "--artefact", "sphere", "--seed", "4", "--out", text(folder.path())]);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(at("truth.json")).unwrap()).unwrap();
    let run = |more: &[&str]| {
        let radius = truth["probe_radius_mm"].to_string();
        let mut arguments = vec!["calibrate", "--artefact", "sphere", "--clip-sigmas", "3", "--json"];
        arguments.extend(["--probe-radius-mm", &radius]);
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    let output = run(&["--snapshots", text(&at("snapshots.csv"))]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (found, right) = (pose_of_json(&record["cmm_from_sensor"]), pose_of_json(&truth["cmm_from_sensor"]));
    let (shift_mm, angle_rad) = transform::difference(&found, &right, &Point::new(0.0, 0.0, 250.0));
    assert!(shift_mm < 0.04 && angle_rad.to_degrees() < 0.04, "{shift_mm} mm, {} deg", angle_rad.to_degrees());
    assert_eq!(record["snapshots"], 5);
    assert_eq!(record["radius_bias_mm"].as_array().unwrap().len(), 1);
    // One position is not enough, nor is one position several times; a torn table is named by its line.
    let alone = run(&["--sensor", text(&at("snapshot.ply")), "--cmm", text(&at("touches.csv"))]);
    assert!(errors(&alone).contains("three or more CMM positions"), "{}", errors(&alone));
    let with = |name: &str, text: &str| {
        std::fs::write(at(name), text).unwrap();
        at(name)
    };
    let row = "snapshot.ply,touches.csv,1,2,3\n";
    let same = with("same.csv", &row.repeat(3));
    let refused = run(&["--snapshots", text(&same)]);
    assert!(errors(&refused).contains("not on one line"), "{}", errors(&refused));
    let torn = with("torn.csv", &format!("{row}snapshot-2.ply,touches.csv,4,x,6\n"));
    let refused = run(&["--snapshots", text(&torn)]);
    assert!(errors(&refused).contains("line 2"), "{}", errors(&refused));
}

/// Snapshots set aside are steps that can be taken back, and a project keeps them.
#[test]
fn snapshots_set_aside_are_kept_by_a_project() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let simulated = shadowgraph(&["simulate", "--artefact", "sphere", "--seed", "5", "--out", text(folder.path())]);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let table = std::fs::read_to_string(at("snapshots.csv")).unwrap();
    let context = Context { backend: std::sync::Arc::new(Cpu), cad: CadReader::default(), hides_flags: false };
    let mut dispatcher = Dispatcher::new(context);
    let mut send = |command: Command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    let setup = Setup { artefact: ArtefactKind::Sphere, probe_radius_mm: Some(1.5), ..Setup::default() };
    send(Calibrate::SetUp(Box::new(setup.clone())).into());
    send(Calibrate::OpenMeasurement { instrument: Instrument::Cmm, path: at("touches.csv") }.into());
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let position_mm = [2, 3, 4].map(|k| fields[k].parse().unwrap());
        send(Calibrate::SetUp(Box::new(Setup { position_mm, ..setup.clone() })).into());
        send(Calibrate::OpenMeasurement { instrument: Instrument::Sensor, path: at(fields[0]) }.into());
        send(Calibrate::FindRegions.into());
        send(Calibrate::KeepSnapshot.into());
    }
    send(Calibrate::ForgetSnapshot(4).into());
    assert_eq!(dispatcher.document.calibration.set_aside.len(), 4);
    let mut send = |command: Command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    send(Calibrate::Run.into());
    let project = at("sphere.shadowgraph");
    send(Projects::Save(project.clone()).into());
    let outcome = dispatcher.document.calibration.outcome.clone().unwrap();
    assert_eq!(outcome.calibration.snapshots, 4);
    dispatcher.run_now(Projects::New, &Progress::silent()).unwrap();
    dispatcher.run_now(Projects::Open(project), &Progress::silent()).unwrap();
    let calibration = &dispatcher.document.calibration;
    assert_eq!(calibration.set_aside.len(), 4);
    assert_eq!(calibration.outcome.as_ref().unwrap().calibration.mounting, outcome.calibration.mounting);
    // The touches, read once, are one placement again.
    assert!(calibration.set_aside[1..].iter().all(|taken| taken.cmm.is_same(&calibration.set_aside[0].cmm)));
    // Setting aside what was not begun is told.
    let refused = dispatcher.run_now(Calibrate::KeepSnapshot, &Progress::silent()).unwrap_err();
    assert!(refused.sentence.contains("Assign every region"), "{}", refused.sentence);
}

/// Artefacts told by greyscale say what is missing.
#[test]
fn greyscale_is_asked_for_and_edges_that_do_not_show_are_named() {
    let setting = Setting { artefact: ArtefactKind::GreyscaleSlots, ..Setting::default() };
    let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Right, 3).unwrap();
    let view = &scene.views[0];
    let regions: Vec<Subset> = view.regions.iter().cloned().map(Subset::new).collect();
    let artefact = ArtefactKind::GreyscaleSlots.artefact();
    let blind = Cloud::from_points(view.cloud.points.clone());
    let refused = artefact.extract(&blind, &regions).unwrap_err();
    assert!(refused.sentence.contains("the snapshot has none"), "{}", refused.sentence);
    let mut mistaken = regions.clone();
    mistaken[2] = regions[0].clone();
    let refused = artefact.extract(&view.cloud, &mistaken).unwrap_err();
    assert!(refused.sentence.contains("LR (long slot, right edge) shows no edge"), "{}", refused.sentence);
    // Edges exchanged turn the artefact over.
    let mut exchanged = regions;
    exchanged.swap(1, 2);
    let points = artefact.extract(&view.cloud, &exchanged).unwrap();
    let measured = Measured { incidence_deg: Some(50.0), clip_sigmas: Some(3.0), ..Measured::default() };
    let refused = artefact.frame(&points, &measured, &Progress::silent()).unwrap_err();
    assert!(refused.sentence.contains("exchanged"), "{}", refused.sentence);
}
