//! The calibration of a sensor on a CMM: on simulated truth, on files, and by mouse in the window.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use serde_json::Value;
use shadowgraph::base::{Progress, random::Random};
use shadowgraph::compute::Backend;
use shadowgraph::compute::cpu::Cpu;
use shadowgraph::dispatch::merge::Wishes;
use shadowgraph::dispatch::{Command, Context, Dispatcher};
use shadowgraph::geometry::{Aabb, Cloud, KdTree, Mesh, Point, Pose, Subset, Surface, Vector, transform};
use shadowgraph::inspect::alignment::multi_view;
use shadowgraph::inspect::calibration::artefacts::Imperfect;
use shadowgraph::inspect::calibration::artefacts::angled_slots::Region;
use shadowgraph::inspect::calibration::artefacts::angled_slots::drawing::Drawing;
use shadowgraph::inspect::calibration::merging::{Merged, Seam, Snapshot, merge};
use shadowgraph::inspect::calibration::trials::{self, Mishap, Scene, Setting};
use shadowgraph::inspect::calibration::{ArtefactKind, Calibration, Handedness, Measured, Mounting};
use shadowgraph::inspect::features::holes::{self, NominalHole};
use shadowgraph::inspect::simulation::cmm::Cmm;
use shadowgraph::inspect::simulation::sensor::{Sensor, take};
use shadowgraph::inspect::simulation::systematic::SystematicErrorForm;
use shadowgraph::io::cad::CadReader;
use shadowgraph::io::{LoadOptions, load_nominal, write};
use shadowgraph::report::certificate::sealed;
use shadowgraph::session::calibrating::{Device, Setup};

use super::support::{asset, errors, pose_of_json, shadowgraph, text};
use super::window::{click_at, compare_picture, drop_file, lasso, open, save_picture, settle};

/// Regions of every artefact are found in whole snapshots of right- and left-handed sensors: the mounting comes out as
/// from regions taken by hand, but for the noise of a coarse sensor.
#[test]
fn regions_of_every_artefact_are_found() {
    for artefact in ArtefactKind::ALL {
        // Marks of half a millimetre need a fine image.
        let pitch_mm = if artefact == ArtefactKind::PenLines { [0.15, 0.15] } else { [0.25, 0.25] };
        let sensor = Sensor { pitch_mm, ..Sensor::default() };
        let setting = Setting { artefact, automatic: true, sensor, ..Setting::default() };
        let made = trials::Made::of(&setting);
        for number in 0..2 {
            let name = artefact.artefact().name();
            let trial = trials::trial(&setting, &made, number).unwrap_or_else(|error| panic!("{name}: {error}"));
            let (place, angles) = (trial.place_mm.map(f64::abs), trial.angles_rad.map(f64::abs));
            assert!(place.iter().all(|mm| *mm < 0.2), "{name} {number}: {place:?} mm");
            assert!(angles.iter().all(|rad| rad.to_degrees() < 0.15), "{name} {number}: {angles:?} rad");
        }
    }
}

/// Random mountings, whole snapshots, regions by hand and found: angles within 0.01 degrees and the measuring volume's
/// middle within 0.02 mm in 95 of 100. SHADOWGRAPH_MOUNTINGS=1000 tries that many, and holds the stated intervals to
/// cover the truth in 90 of 100 or more: they are stated for the worst form of the systematic error, so those of waves
/// cover more.
#[test]
fn random_mountings_are_found() {
    let count = std::env::var("SHADOWGRAPH_MOUNTINGS").ok().and_then(|text| text.parse().ok()).unwrap_or(6);
    for automatic in [false, true] {
        let setting = Setting { automatic, ..Setting::default() };
        let summary = trials::summary(&trials::trials(&setting, count).unwrap());
        println!("{summary:#}");
        let share = |key: &str| summary[key].as_f64().unwrap();
        // One of a few may be off.
        let allowed = 0.95_f64.min(1.0 - 1.0 / count as f64);
        assert!(share("both") >= allowed, "{summary:#}");
        if count >= 500 {
            for key in ["place_covered", "angles_covered"] {
                for covered in summary[key].as_array().unwrap() {
                    assert!(covered.as_f64().unwrap() >= 0.9, "{summary:#}");
                }
            }
        }
    }
}

/// Whatever form the sensor's systematic error has, the stated intervals hold the truth: forty mountings for each, as
/// they are at work (artefact with form error, probe with lobes, regions brushed by a hand), and sound ones are certified.
/// SHADOWGRAPH_MOUNTINGS=200 tries that many, and of every artefact; so does `bench calibration --only coverage`.
#[test]
fn intervals_hold_whatever_the_form_of_the_systematic_error() {
    let many: Option<usize> = std::env::var("SHADOWGRAPH_MOUNTINGS").ok().and_then(|text| text.parse().ok());
    let count = many.unwrap_or(40).max(40);
    // Marks are held to it by the bench and where all are asked for: they have not been shown to hold on so few mountings.
    let is_left_to_the_bench = |own: ArtefactKind| matches!(own, ArtefactKind::GreyscaleSlots | ArtefactKind::PenLines);
    for artefact in ArtefactKind::ALL.into_iter().filter(|own| many.is_some() || !is_left_to_the_bench(*own)) {
        // Angled slots by every form; the others by one after the other, unless all are asked for.
        let forms = SystematicErrorForm::ALL.into_iter().enumerate();
        let is_asked =
            |own: usize| many.is_some() || artefact == ArtefactKind::AngledSlots || own == artefact as usize % 6;
        for form in forms.filter(|(own, _)| is_asked(*own)).map(|(_, form)| form) {
            let mut setting = Setting::at_work(artefact, form);
            // Marks of half a millimetre need a fine image; the rest is as true of a coarse one.
            let pitch_mm = if artefact == ArtefactKind::PenLines { 0.15 } else { 0.3 };
            setting.sensor.pitch_mm = [pitch_mm, pitch_mm];
            let found =
                trials::trials(&setting, count).unwrap_or_else(|error| panic!("{artefact:?} {form:?}: {error}"));
            let [least, mean] = trials::coverage(&found);
            let certified = found.iter().filter(|trial| trial.certified).count();
            println!("{artefact:?} {form:?}: coverage {least:.3} at least, {mean:.3}; {certified} certified");
            // Of forty, four standard deviations of a share of 0.95 are 0.14.
            let allowed = if count >= 200 { 0.9 } else { 0.81 };
            assert!(least >= allowed, "{artefact:?} {form:?}: {:#}", trials::summary(&found));
            // Of sound mountings a single sphere refuses one in eight, square slots at this pitch two in five: that is
            // on the safe side, and open.
            let refuses = matches!(artefact, ArtefactKind::Sphere | ArtefactKind::SquareSlots);
            assert!(refuses || certified * 10 >= 9 * count, "{artefact:?} {form:?}: {:#}", trials::summary(&found));
        }
    }
}

/// Nothing that goes wrong at work is certified: another artefact, a stylus tip radius left at 0, names of all pairs
/// exchanged, touches turned over. What harms nothing, a tenth of flying points or scales of the CMM off by 1e-4, stays
/// within what is stated.
#[test]
fn mishaps_are_not_certified() {
    let many: Option<usize> = std::env::var("SHADOWGRAPH_MOUNTINGS").ok().and_then(|text| text.parse().ok());
    let count = many.unwrap_or(4);
    for artefact in ArtefactKind::ALL {
        let mut setting = Setting::at_work(artefact, SystematicErrorForm::Waves);
        let pitch_mm = if artefact == ArtefactKind::PenLines { 0.15 } else { 0.3 };
        setting.sensor.pitch_mm = [pitch_mm, pitch_mm];
        for mishap in Mishap::ALL.into_iter().filter(|mishap| mishap.shows_on(artefact)) {
            let found = trials::mishap_trials(&setting, mishap, count).unwrap();
            println!("{artefact:?} {mishap:?}: {found:?}");
            if mishap.is_wrong() {
                assert!(found.iter().all(|own| !own.certified), "{artefact:?} {mishap:?}: {found:?}");
            } else {
                let harmful = found.iter().filter(|own| own.certified && !own.holds).count();
                assert!(harmful * 4 <= count, "{artefact:?} {mishap:?}: {found:?}");
            }
        }
    }
}

/// A plate whose flanks lean by 45 degrees is not taken for one of a cutter of 120: it is not recognised, and brushed it is
/// not certified.
#[test]
fn a_plate_of_45_degrees_is_neither_recognised_nor_certified() {
    let setting = Setting { sensor: Sensor { pitch_mm: [0.25, 0.25], ..Sensor::default() }, ..Setting::default() };
    let steep = Drawing { flank_deg: 45.0, ..Drawing::default() };
    let made = trials::Made::drawn(Box::new(steep), &Imperfect::default());
    for number in 0..3 {
        let scene = trials::scene(&setting, &made, Handedness::Right, number).unwrap();
        let cloud = Cloud::from_points(scene.views[0].cloud.points.clone());
        let said = ArtefactKind::AngledSlots.artefact().find(&cloud, &Progress::silent()).unwrap_err().sentence;
        assert!(said.contains("not recognised") || said.contains("interpretations"), "{said}");
        let brushed = trials::calibrated(&setting, &scene).unwrap();
        let certification = brushed.certification();
        assert!(!certification.is_certified(), "{certification:#?}");
        assert!(certification.reasons().join(" ").contains("another artefact"), "{certification:#?}");
    }
}

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
    let sound = run(&touches, "1.5", &[]);
    assert_eq!(sound.status.code(), Some(0), "{}", errors(&sound));
    assert!(String::from_utf8_lossy(&sound.stdout).contains("Certified"));
    assert_eq!(record()["certified"], true);
    assert!(record()["reasons"].as_array().unwrap().is_empty());
    assert!(record()["consistency"]["comparisons"].as_array().unwrap().len() >= 12);
    let wrong = run(&touches, "0", &["--json"]);
    assert_eq!(wrong.status.code(), Some(4), "{}", errors(&wrong));
    assert!(errors(&wrong).contains("stylus tip radius"), "{}", errors(&wrong));
    assert_eq!(record()["certified"], false);
    assert!(std::fs::read(at("certificate.pdf")).unwrap().starts_with(b"%PDF"));
    // Edited until it says otherwise, it is refused where it would be used.
    let edited = std::fs::read_to_string(at("calibration.json")).unwrap().replacen("false", "true", 1);
    std::fs::write(at("calibration.json"), edited).unwrap();
    let said = shadowgraph::report::certificate::Issued::read(&at("calibration.json")).unwrap_err().sentence;
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

/// Regions that the simulated hand brushed are a calibration's input as well.
#[test]
fn regions_brushed_by_a_simulated_hand_calibrate() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let mut arguments =
        vec!["simulate", "--artefact", "frustum", "--hand", "--form-mm", "0.003", "--lobing-mm", "0.001"];
    arguments.extend(["--error-form", "mixed", "--error-mm", "0.008", "--out", text(folder.path())]);
    let simulated = shadowgraph(&arguments);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(at("truth.json")).unwrap()).unwrap();
    assert_eq!(truth["sensor"]["error_form"], "mixed");
    assert_eq!(truth["sensor"]["bias_mm"], 0.008);
    let (sensor, cmm) = (at("sensor-regions.csv"), at("touches.csv"));
    let mut arguments = vec!["calibrate", "--artefact", "frustum", "--sensor", text(&sensor), "--cmm", text(&cmm)];
    arguments.extend(["--probe-radius-mm", "1.5", "--clip-sigmas", "3", "--json"]);
    let output = shadowgraph(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    let (found, right) = (pose_of_json(&record["cmm_from_sensor"]), pose_of_json(&truth["cmm_from_sensor"]));
    let (shift_mm, angle_rad) = transform::difference(&found, &right, &Point::new(0.0, 0.0, 250.0));
    assert!(shift_mm < 0.05 && angle_rad.to_degrees() < 0.04, "{shift_mm} mm, {} deg", angle_rad.to_degrees());
}

/// Drawing the points again says about the same as propagation, where the sensor has no smooth error.
#[test]
fn the_bootstrap_agrees_with_propagation() {
    let sensor = Sensor { bias_mm: 0.0, ..Sensor::default() };
    let setting = Setting { sensor, automatic: true, ..Setting::default() };
    let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Right, 21).unwrap();
    let found = trials::calibrated(&setting, &scene).unwrap();
    let drawn = found.bootstrap.expect("planes can be drawn again");
    assert!(drawn.draws > 250);
    let stated = found.uncertainty;
    let pairs = drawn.place_mm.iter().zip(stated.place_mm()).chain(drawn.angles_rad.iter().zip(stated.angles_rad));
    for (drawn, stated) in pairs {
        assert!((0.6..1.6).contains(&(drawn / stated)), "{drawn} beside {stated}");
    }
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
        harness.get_by_label("Probe radius").rect().center()
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
    for (device, file) in [(Device::Sensor, &snapshot), (Device::Cmm, &touches)] {
        harness.get_by_label(device.name()).click();
        harness.run_steps(3);
        drop_file(&mut harness, file);
        let is_sensor = device == Device::Sensor;
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
        let regions = harness.state().dispatcher().document.calibration.of(device).regions.clone();
        assert_eq!(regions.len(), 6);
        for (region, points) in Region::ALL.iter().zip(&regions) {
            assert!(points.len() >= if is_sensor { 300 } else { 3 }, "{device:?} {region:?}: {}", points.len());
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
    harness.get_by_label("Sensor").click();
    harness.run_steps(2);
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
    press(&mut harness, "Refine where they overlap");
    save_picture(&mut harness, "calibrate-merge");
    let table = folder.path().join("positions.csv");
    std::fs::write(&table, "file,x,y,z\nsnapshot.ply,0,0,0\nsnapshot.ply,0.03,0,0.02\n").unwrap();
    let wishes = Wishes { reason: None, refine: Some(multi_view::Parameters::default()) };
    harness.state_mut().send(Command::MergeSnapshots { table, wishes });
    settle(&mut harness);
    let said = &harness.state().dispatcher().messages;
    assert!(said.iter().any(|message| message.text.contains("moved by up to 0.018 mm")), "{said:?}");
    assert_eq!(harness.state().dispatcher().document.actual.as_ref().unwrap().sources.len(), 1);

    // Kept by a project, whole.
    let project = folder.path().join("calibrated.shadowgraph");
    harness.state_mut().send(shadowgraph::dispatch::Command::SaveProject(project.clone()));
    settle(&mut harness);
    harness.state_mut().send(shadowgraph::dispatch::Command::NewInspection);
    settle(&mut harness);
    harness.state_mut().send(shadowgraph::dispatch::Command::OpenProject(project));
    settle(&mut harness);
    let again = harness.state().dispatcher().document.calibration.outcome.clone().expect("a calibration");
    assert_eq!(again.calibration.mounting, outcome.calibration.mounting);
    assert_eq!(again.made, outcome.made);

    // Found by the program instead, and taken back step by step.
    press(&mut harness, "Find regions");
    assert!(harness.state().dispatcher().document.calibration.outcome.is_none());
    press(&mut harness, "Calibrate sensor");
    let found = harness.state().dispatcher().document.calibration.outcome.clone().expect("a calibration");
    let found = found.calibration.mounting.cmm_from_sensor;
    let (shift_mm, angle_rad) = transform::difference(&found, &scene.cmm_from_sensor, &Point::new(0.0, 0.0, 250.0));
    assert!(shift_mm < 0.05 && angle_rad.to_degrees() < 0.03, "{shift_mm} mm, {} deg", angle_rad.to_degrees());
    save_picture(&mut harness, "calibrate-found");
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert!(harness.state().dispatcher().document.calibration.outcome.is_none());
}

/// A sensor on a CMM that drives about a part: what it truly sees, and what its calibration makes of it.
struct Machine {
    sensor: Sensor,
    scene: Scene,
    calibration: Calibration,
}

impl Machine {
    fn calibrated(number: u64) -> Self {
        let setting = Setting { automatic: true, ..Setting::default() };
        let scene = trials::scene(&setting, &trials::Made::of(&setting), Handedness::Left, number).unwrap();
        let calibration = trials::calibrated(&setting, &scene).unwrap();
        Self { sensor: setting.sensor, scene, calibration }
    }

    /// The snapshot of a part that lies on the table, with the machine driven so that the volume's middle is at `over`
    /// (CMM frame).
    fn snapshot(&self, part: &Surface, cmm_from_part: &Pose, over: &Point, number: u64) -> Snapshot {
        let middle = Point::new(0.0, 0.0, self.sensor.working_distance_mm);
        let driven = over - self.scene.cmm_from_sensor * middle;
        let position_mm = self.scene.views[0].position_mm + driven;
        let cmm_from_sensor = Pose::translation(driven.x, driven.y, driven.z) * self.scene.cmm_from_sensor;
        let part_from_sensor = cmm_from_part.inverse() * cmm_from_sensor;
        let taken = take(part, &self.sensor, &part_from_sensor, 77, number, &Progress::silent()).unwrap();
        let reported = taken.points.iter().map(|point| self.scene.handedness.to_right(&point.measured)).collect();
        Snapshot { cloud: Cloud::from_points(reported), position_mm }
    }
}

impl Machine {
    /// The bracket, where it lies, and seven snapshots of it.
    fn seven(&self) -> (Surface, Pose, Vec<Snapshot>) {
        let loaded = load_nominal(&asset("bracket.stl"), &LoadOptions::default(), &Progress::silent()).unwrap();
        let bracket = Surface::new(loaded.mesh);
        let cmm_from_part = Pose::new(Vector::new(300.0, 200.0, 50.0), Vector::new(0.35, -0.3, 0.4));
        let bounds = Aabb::of_points(&bracket.bounds().corners().map(|corner| cmm_from_part * corner));
        let at = |u: f64, v: f64| {
            let share = |k: usize, t: f64| bounds.min[k] + t * (bounds.max[k] - bounds.min[k]);
            Point::new(share(0, u), share(1, v), share(2, 0.5))
        };
        let places = [(0.5, 0.5), (0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8), (0.5, 0.25), (0.5, 0.75)];
        let snapshots: Vec<Snapshot> = places
            .iter()
            .enumerate()
            .map(|(i, &(u, v))| self.snapshot(&bracket, &cmm_from_part, &at(u, v), i as u64))
            .collect();
        (bracket, cmm_from_part, snapshots)
    }
}

/// Snapshots whose positions were reported wrong are brought to agree, and are no worse where they were right.
#[test]
fn misplaced_snapshots_are_brought_to_agree() {
    let machine = Machine::calibrated(11);
    let (_, _, mut snapshots) = machine.seven();
    let mounting = &machine.calibration.mounting;
    let given = multi_view::Parameters::default();
    let run = |snapshots: &[Snapshot], refines: bool| {
        let refine = refines.then_some((&Cpu as &dyn Backend, &given));
        merge(mounting, snapshots, refine, &Progress::silent()).unwrap()
    };
    let (cmm_from_sensor, position_mm) = (machine.scene.cmm_from_sensor, machine.scene.views[0].position_mm);
    let truly = Mounting { cmm_from_sensor, position_mm, ..*mounting };
    let truth = merge(&truly, &snapshots, None, &Progress::silent()).unwrap();
    // How far the snapshots lie apart, root mean square, mm; what all have in common is no disagreement.
    let apart = |merged: &Merged| {
        let mut first = 0;
        let off = merged.counts.iter().map(|count| {
            let own = first..first + count;
            first += count;
            let off = merged.cloud.points[own.clone()].iter().zip(&truth.cloud.points[own]).map(|(one, two)| one - two);
            off.sum::<Vector>() / *count as f64
        });
        let off: Vec<Vector> = off.collect();
        let mean = off.iter().sum::<Vector>() / off.len() as f64;
        (off.iter().map(|own| (own - mean).norm_squared()).sum::<f64>() / off.len() as f64).sqrt()
    };
    let (plain, refined) = (run(&snapshots, false), run(&snapshots, true));
    println!("right positions: apart by {:.4} mm, refined {:.4} mm", apart(&plain), apart(&refined));
    println!("moved by {:.4?}", refined.refinement.as_ref().unwrap().shifts_mm);
    assert!(apart(&refined) < 0.015);
    let mut random = Random::new(31, 7);
    for snapshot in &mut snapshots {
        let wrong = Vector::new(random.normal(), random.normal(), random.normal());
        snapshot.position_mm += wrong * given.shift_sigma_mm;
    }
    let (plain, refined) = (run(&snapshots, false), run(&snapshots, true));
    println!("wrong positions: apart by {:.4} mm, refined {:.4} mm", apart(&plain), apart(&refined));
    assert!(apart(&refined) < 0.02 && apart(&refined) < 0.25 * apart(&plain));
    let worst = |seams: &[Seam]| seams.iter().map(|seam| seam.mean_mm.abs()).fold(0.0, f64::max);
    let refinement = refined.refinement.unwrap();
    println!("worst seam {:.4} mm, refined {:.4} mm", worst(&plain.seams), worst(&refined.seams));
    assert_eq!((refinement.far().count(), &plain.seams), (0, &refinement.seams_before));
    assert!(worst(&refined.seams) < 0.4 * worst(&plain.seams));
    // One that is far off is named.
    snapshots[3].position_mm.x += 0.4;
    let refined = run(&snapshots, true);
    assert_eq!(refined.refinement.unwrap().far().collect::<Vec<_>>(), [3]);
}

/// Seven snapshots of the bracket, merged by the calibration and compared with its CAD where it truly lies: 95 % of the
/// deviations are within the sensor's own uncertainty plus 0.05 mm, and neighbours agree in their seams.
#[test]
fn seven_snapshots_are_merged_by_the_calibration() {
    let machine = Machine::calibrated(11);
    let (bracket, cmm_from_part, snapshots) = machine.seven();
    let merged = merge(&machine.calibration.mounting, &snapshots, None, &Progress::silent()).unwrap();
    assert_eq!(merged.counts.len(), 7);
    assert!(merged.seams.len() >= 6, "{:?}", merged.seams);
    assert!(merged.seams.iter().all(|seam| seam.mean_mm.abs() < 0.02 && seam.sigma_mm < 0.2), "{:?}", merged.seams);
    let (mut inside, mut count) = (0_usize, 0_usize);
    let part_from_cmm = cmm_from_part.inverse();
    for (i, point) in merged.cloud.points.iter().enumerate().step_by(7) {
        let place = part_from_cmm * point;
        let hit = bracket.closest_point(&place, 10.0).unwrap();
        let outward = cmm_from_part.rotation * bracket.mesh().normal(hit.facet as usize);
        let cosine = outward.dot(&shadowgraph::geometry::cloud::vector(merged.cloud.to_sensor[i])).max(0.25);
        let own = 2.0 * machine.sensor.range_sigma_mm / cosine + machine.sensor.bias_mm;
        inside += usize::from(bracket.signed_distance_mm(&place, &hit).abs() <= own + 0.05);
        count += 1;
    }
    println!("{inside} of {count}");
    assert!(count > 20_000 && inside * 100 >= 95 * count, "{inside} of {count}");
    // The same points at the same position twice, and nothing at all, are sentences.
    let twice = [snapshots[0].clone(), snapshots[0].clone()];
    let said = merge(&machine.calibration.mounting, &twice, None, &Progress::silent()).unwrap_err().sentence;
    assert!(said.contains("same position"), "{said}");
    assert!(merge(&machine.calibration.mounting, &[], None, &Progress::silent()).is_err());
}

/// Axes out of square: uncorrected they turn the mounting, from four placements the fault is found.
#[test]
fn squareness_is_found_from_four_placements() {
    let cmm = Cmm { squareness_rad: 8.073e-4, ..Cmm::default() };
    let setting = Setting { cmm, ..Setting::default() };
    let trial = trials::joint_trial(&setting, &trials::Made::of(&setting), 4, 5).unwrap();
    assert!(trial.squareness_rad.abs() < 4.0 * trial.squareness_sigma_rad, "{trial:?}");
    assert!(trial.squareness_sigma_rad < 2e-4 && trial.misfit < 2.0, "{trial:?}");
    assert!(trial.alone_angle_rad.to_degrees() > 0.02 && trial.angle_rad.to_degrees() < 0.02, "{trial:?}");
    assert!(trial.alone_place_mm > 0.1 && trial.place_mm < 0.08, "{trial:?}");
}

/// Merging on the command line: a table of files and positions, a calibration that has expired, files that are not
/// there.
#[test]
fn snapshots_are_merged_from_files() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let grid: Vec<Point> =
        (0..10_000).map(|i| Point::new(f64::from(i % 100) * 0.2, f64::from(i / 100) * 0.2, 250.0)).collect();
    write::cloud(&at("a.ply"), &Cloud::from_points(grid.clone())).unwrap();
    let shifted = grid.iter().map(|p| p - Vector::x() * 10.0).collect();
    write::cloud(&at("b.ply"), &Cloud::from_points(shifted)).unwrap();
    std::fs::write(at("positions.csv"), "file,x,y,z\na.ply,0,0,0\nb.ply,10,0,0\n").unwrap();
    let calibration = |expires: i64| {
        let record = serde_json::json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [0.0, 0.0, 0.0],
            "cmm_from_sensor": transform::rows_of(&Pose::identity()), "date_unix_s": 0, "valid_until_unix_s": expires,
            "certified": true,
        });
        std::fs::write(at("calibration.json"), sealed(record).to_string()).unwrap();
    };
    let run = |positions: &str, more: &[&str]| {
        let (calibration, positions, out) = (at("calibration.json"), at(positions), at("merged.ply"));
        let mut arguments = vec!["merge", "--calibration", text(&calibration), "--positions", text(&positions)];
        arguments.extend(["--out", text(&out), "--json"]);
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    calibration(1 << 40);
    let output = run("positions.csv", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(value["points"], serde_json::json!([10_000, 10_000]));
    assert!(value["seams"][0]["mean_mm"].as_f64().unwrap().abs() < 1e-5, "{value}");
    assert!(at("merged.ply").exists() && at("merged.json").exists());
    let refined = run("positions.csv", &["--refine", "--placed-to-mm", "0.02", "--backend", "cpu"]);
    assert_eq!(refined.status.code(), Some(0), "{}", errors(&refined));
    let value: Value = serde_json::from_slice(&refined.stdout).unwrap();
    assert_eq!(value["refinement"]["given"]["shift_sigma_mm"], 0.02);
    assert!(value["refinement"]["shifts_mm"][1].as_f64().unwrap() < 1e-4, "{value}");
    assert!(std::fs::read_to_string(at("merged.json")).unwrap().contains("seams_before"));
    for wrong in [["--placed-to-mm", "1"], ["--backend", "cpu"]] {
        assert_eq!(run("positions.csv", &wrong).status.code(), Some(2));
    }
    assert!(errors(&run("positions.csv", &["--refine", "--turned-to-deg", "NaN"])).contains("10 degrees"));
    calibration(1000);
    let refused = run("positions.csv", &[]);
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("expired"), "{}", errors(&refused));
    let reason = ["--use-expired-because", "the machine was not restarted"];
    assert_eq!(run("positions.csv", &reason).status.code(), Some(0));
    assert!(std::fs::read_to_string(at("merged.json")).unwrap().contains("not restarted"));
    // Edited by hand, or not certified: refused without a reason, and the record says what was used.
    let written = std::fs::read_to_string(at("calibration.json")).unwrap();
    std::fs::write(at("calibration.json"), written.replacen("1000", "1099511627776", 1)).unwrap();
    let refused = run("positions.csv", &[]);
    assert!(refused.status.code() == Some(3) && errors(&refused).contains("digest"), "{}", errors(&refused));
    assert_eq!(run("positions.csv", &reason).status.code(), Some(0));
    let merged: Value = serde_json::from_str(&std::fs::read_to_string(at("merged.json")).unwrap()).unwrap();
    assert_eq!(merged["calibration"]["edited"], true);
    calibration(1 << 40);
    let mut record: Value = serde_json::from_str(&std::fs::read_to_string(at("calibration.json")).unwrap()).unwrap();
    record["certified"] = false.into();
    std::fs::write(at("calibration.json"), sealed(record).to_string()).unwrap();
    let refused = run("positions.csv", &[]);
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("not certified"), "{}", errors(&refused));
    calibration(1000);
    std::fs::write(at("missing.csv"), "gone.ply,0,0,0\n").unwrap();
    assert!(errors(&run("missing.csv", &reason)).contains("gone.ply"));
    std::fs::write(at("calibration.json"), "{}").unwrap();
    assert!(errors(&run("positions.csv", &[])).contains("no calibration"));
}

/// A sheet with round holes: every hole in a square of its own, the rest of the square meshed about it.
fn sheet_with_holes(holes: &[(Point, f64)], cell_mm: f64) -> Mesh {
    const SIDES: u32 = 128;
    let mut mesh = Mesh::default();
    for (k, (centre, radius)) in holes.iter().enumerate() {
        let middle = Point::new(cell_mm * k as f64, 0.0, 0.0);
        let first = mesh.vertices.len() as u32;
        for i in 0..SIDES {
            let (sin, cos) = (f64::from(i) / f64::from(SIDES) * std::f64::consts::TAU).sin_cos();
            let out = 0.5 * cell_mm / sin.abs().max(cos.abs());
            for z in [0.0, -1.5] {
                mesh.vertices.push(Point::new(centre.x + radius * cos, centre.y + radius * sin, z));
                mesh.vertices.push(Point::new(middle.x + out * cos, middle.y + out * sin, z));
            }
        }
        for i in 0..SIDES {
            let (a, b) = (first + 4 * i, first + 4 * ((i + 1) % SIDES));
            // The upper face, the lower one, and the wall of the hole.
            mesh.facets.extend([[a, a + 1, b + 1], [a, b + 1, b], [a + 2, b + 3, a + 3], [a + 2, b + 2, b + 3]]);
            mesh.facets.extend([[a, b, b + 2], [a, b + 2, a + 2]]);
        }
    }
    mesh
}

/// Five holes off their places by as much as the published ones, found in the merged scan within 0.107 mm per axis.
#[test]
fn holes_are_found_in_the_merged_scan() {
    let machine = Machine::calibrated(12);
    let cell_mm = 34.0;
    let off = [[-0.131, 0.458], [-0.208, 0.301], [-0.169, 0.272], [-0.19, 0.346], [0.079, 0.36]];
    let radii = [4.957, 4.96, 4.95, 10.963, 4.971];
    let nominal_at = |k: usize| Point::new(cell_mm * k as f64, 0.0, 0.0);
    let holes: Vec<(Point, f64)> =
        (0..5).map(|k| (nominal_at(k) + Vector::new(off[k][0], off[k][1], 0.0), radii[k])).collect();
    let sheet = Surface::new(sheet_with_holes(&holes, cell_mm));
    let cmm_from_part = Pose::new(Vector::new(250.0, 320.0, 60.0), Vector::new(0.06, -0.05, 0.3));
    let snapshots: Vec<Snapshot> = (0..4)
        .map(|i| {
            let over = cmm_from_part * Point::new(cell_mm * (4.0 * f64::from(i) / 3.0), 0.0, 0.0);
            machine.snapshot(&sheet, &cmm_from_part, &over, u64::from(i as u32))
        })
        .collect();
    let merged = merge(&machine.calibration.mounting, &snapshots, None, &Progress::silent()).unwrap();
    let points = &merged.cloud.points;
    let tree = KdTree::new(points);
    for (k, nominal_mm) in [5.0, 5.0, 5.0, 11.0, 5.0].into_iter().enumerate() {
        let nominal = NominalHole {
            name: format!("{}", k + 1),
            centre: cmm_from_part * nominal_at(k),
            axis: cmm_from_part.rotation * Vector::z(),
            radius_mm: nominal_mm,
        };
        let found = holes::find(points, &tree, &nominal, 1.0, &Progress::silent()).unwrap();
        let error = cmm_from_part.inverse() * found.centre - holes[k].0;
        println!(
            "hole {}: off by {:+.3} {:+.3} mm, radius {:+.3} mm",
            k + 1,
            error.x,
            error.y,
            found.radius_mm - radii[k]
        );
        assert!(error.x.abs() < 0.107 && error.y.abs() < 0.107, "{error}");
        assert!((found.radius_mm - radii[k]).abs() < 0.24, "{}", found.radius_mm);
    }
}

/// Every artefact, hand-brushed regions: the mounting is found as well as is stated of it.
#[test]
fn every_artefact_calibrates() {
    for artefact in ArtefactKind::ALL {
        // Bins and shadows at rims are not in what is stated: square slots are looked at in angle only.
        let setting = Setting { artefact, ..Setting::default() };
        let trial = trials::trial(&setting, &trials::Made::of(&setting), 7).unwrap();
        println!("{artefact:?} {trial:?}");
        for k in 0..3 {
            assert!(trial.angles_rad[k].abs() < 4.0 * trial.angles_sigma_rad[k], "{artefact:?} {trial:?}");
            assert!(trial.angles_rad[k].abs().to_degrees() < 0.15, "{artefact:?} {trial:?}");
            let is_shadowed = artefact == ArtefactKind::SquareSlots;
            let limit_mm = if is_shadowed { 0.15 } else { 4.0 * trial.place_sigma_mm[k] };
            assert!(trial.place_mm[k].abs() < limit_mm, "{artefact:?} {trial:?}");
        }
        assert_eq!(!trial.radius_bias_mm.is_empty(), artefact.artefact().name().to_lowercase().contains("sphere"));
        assert!(trial.radius_bias_mm.iter().all(|bias_mm| bias_mm.abs() < 0.15), "{trial:?}");
    }
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
    assert!(errors(&alone).contains("three or more positions"), "{}", errors(&alone));
    let with = |name: &str, text: &str| {
        std::fs::write(at(name), text).unwrap();
        at(name)
    };
    let row = "snapshot.ply,touches.csv,1,2,3\n";
    let same = with("same.csv", &row.repeat(3));
    let refused = run(&["--snapshots", text(&same)]);
    assert!(errors(&refused).contains("lie on no line"), "{}", errors(&refused));
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
    let context = Context { backend: std::sync::Arc::new(Cpu), cad: CadReader::default() };
    let mut dispatcher = Dispatcher::new(context);
    let mut send = |command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    let setup = Setup { artefact: ArtefactKind::Sphere, probe_radius_mm: Some(1.5), ..Setup::default() };
    send(Command::SetUpCalibration(Box::new(setup.clone())));
    send(Command::OpenMeasurement { device: Device::Cmm, path: at("touches.csv") });
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let position_mm = [2, 3, 4].map(|k| fields[k].parse().unwrap());
        send(Command::SetUpCalibration(Box::new(Setup { position_mm, ..setup.clone() })));
        send(Command::OpenMeasurement { device: Device::Sensor, path: at(fields[0]) });
        send(Command::FindRegions);
        send(Command::KeepSnapshot);
    }
    send(Command::ForgetSnapshot(4));
    assert_eq!(dispatcher.document.calibration.taken.len(), 4);
    let mut send = |command| dispatcher.run_now(command, &Progress::silent()).unwrap();
    send(Command::Calibrate);
    let project = at("sphere.shadowgraph");
    send(Command::SaveProject(project.clone()));
    let outcome = dispatcher.document.calibration.outcome.clone().unwrap();
    assert_eq!(outcome.calibration.snapshots, 4);
    dispatcher.run_now(Command::NewInspection, &Progress::silent()).unwrap();
    dispatcher.run_now(Command::OpenProject(project), &Progress::silent()).unwrap();
    let calibration = &dispatcher.document.calibration;
    assert_eq!(calibration.taken.len(), 4);
    assert_eq!(calibration.outcome.as_ref().unwrap().calibration.mounting, outcome.calibration.mounting);
    // The touches, read once, are one placement again.
    assert!(calibration.taken[1..].iter().all(|taken| taken.cmm.is_same(&calibration.taken[0].cmm)));
    // Setting aside what was not begun is told.
    let refused = dispatcher.run_now(Command::KeepSnapshot, &Progress::silent()).unwrap_err();
    assert!(refused.sentence.contains("Fill every region"), "{}", refused.sentence);
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
    assert!(refused.sentence.contains("carries none"), "{}", refused.sentence);
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
