//! Calibration with an artefact that the program does not know: its regions are found by its CAD.

use std::path::{Path, PathBuf};

use shadowgraph::base::{Progress, Result};
use shadowgraph::dispatch::{Calibrate, Command, Dispatcher};
use shadowgraph::geometry::{Point, Subset};
use shadowgraph::inspect::calibration::artefacts::angled_slots::drawing::{Drawing, Slot};
use shadowgraph::inspect::calibration::artefacts::{Drawn, Imperfect};
use shadowgraph::inspect::calibration::trials::{Made, Scene, Setting, scene};
use shadowgraph::inspect::calibration::{ArtefactKind, Handedness};
use shadowgraph::io::write;
use shadowgraph::session::calibration::{Instrument, NominalFiles, Setup};

use super::support::{context, errors, shadowgraph, text};

/// Narrower slots than those drawn in the program, on a smaller plate.
fn own() -> Drawing {
    let slot = |along_y, middle_mm, from_to_mm, half_width_mm| Slot { along_y, middle_mm, from_to_mm, half_width_mm };
    Drawing {
        least_mm: [-36.0, -66.0],
        greatest_mm: [44.0, 52.0],
        slots: [
            slot(true, 0.0, [-56.0, 42.0], 6.0),
            slot(false, 0.0, [-28.0, 36.0], 6.0),
            slot(true, 22.0, [14.0, 34.0], 3.0),
        ],
        ..Drawing::default()
    }
}

fn table<'a>(regions: impl Iterator<Item = (&'a str, Vec<Point>)>) -> String {
    let rows = regions.flat_map(|(name, places)| {
        places.into_iter().map(move |place| format!("{name},{},{},{}\n", place.x, place.y, place.z))
    });
    std::iter::once("region,x_mm,y_mm,z_mm\n".to_owned()).chain(rows).collect()
}

struct Files {
    folder: tempfile::TempDir,
    scene: Scene,
    setting: Setting,
}

impl Files {
    fn written() -> Self {
        let setting = Setting { seed: 11, ..Setting::default() };
        let made = Made::drawn(Box::new(own()), &Imperfect::default());
        let scene = scene(&setting, &made, Handedness::Right, 3).unwrap();
        let files = Self { folder: tempfile::tempdir().unwrap(), scene, setting };
        write::cloud(&files.at("snapshot.ply"), &files.scene.views[0].cloud).unwrap();
        write::mesh(&files.at("own.stl"), &Drawn::mesh(&own(), &Imperfect::default())).unwrap();
        let names = ArtefactKind::AngledSlots.artefact().regions().iter().map(|region| region.short);
        let touches = table(names.clone().zip(files.scene.touches.iter().cloned()));
        let places = |region| own().touches(region, 9).into_iter().map(|(place, _)| place).collect();
        let places = table(names.enumerate().map(|(number, name)| (name, places(number))));
        std::fs::write(files.at("touches.csv"), touches).unwrap();
        std::fs::write(files.at("places.csv"), places).unwrap();
        files
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Opens both instruments' files and looks for the regions.
    fn found(&self, setup: Setup) -> (Dispatcher, Result<()>) {
        let mut dispatcher = Dispatcher::new(context());
        let progress = Progress::silent();
        let probe_radius_mm = Some(self.setting.cmm.probe_radius_mm);
        let setup = Setup { probe_radius_mm, ..setup };
        let open =
            |instrument, name: &str| Command::Calibrate(Calibrate::OpenMeasurement { instrument, path: self.at(name) });
        let commands = [
            Command::Calibrate(Calibrate::SetUp(Box::new(setup))),
            open(Instrument::Sensor, "snapshot.ply"),
            open(Instrument::Cmm, "touches.csv"),
        ];
        for command in commands {
            dispatcher.run_now(command, &progress).unwrap();
        }
        let found = dispatcher.run_now(Calibrate::FindRegions, &progress);
        (dispatcher, found)
    }

    fn by_cad(&self, cad: &str, places: &str) -> Setup {
        let nominal = NominalFiles { cad: Some(self.at(cad)), regions: Some(self.at(places)) };
        Setup { nominal, ..Setup::default() }
    }
}

#[test]
fn regions_of_an_own_artefact_are_found_by_its_cad() {
    let files = Files::written();
    let brushed = &files.scene.views[0].regions;
    let least_share = |regions: &[Subset]| {
        let share = |(own, brushed): (&Subset, &Vec<u32>)| {
            brushed.iter().filter(|&&point| own.contains(point)).count() as f64 / brushed.len() as f64
        };
        regions.iter().zip(brushed).map(share).fold(1.0, f64::min)
    };
    // By the drawing in the program it is not found, or not well.
    let (by_drawing, found) = files.found(Setup::default());
    assert!(found.is_err() || least_share(&by_drawing.document.calibration.sensor.regions) < 0.5);
    let (mut dispatcher, found) = files.found(files.by_cad("own.stl", "places.csv"));
    found.unwrap();
    let regions = &dispatcher.document.calibration.sensor.regions;
    // Hands keep another distance from edges than the program does.
    assert!(least_share(regions) > 0.8, "{}", least_share(regions));
    for (number, own) in regions.iter().enumerate() {
        for (other, points) in brushed.iter().enumerate().filter(|(other, _)| *other != number) {
            let strays = points.iter().filter(|&&point| own.contains(point)).count();
            // Where the plate goes on beyond the long slot, nothing but the places parts its left from its right.
            let allowed = if number.max(other) < 2 { points.len() / 10 } else { 0 };
            assert!(strays <= allowed, "{strays} of {} of region {other} in {number}", points.len());
        }
    }
    dispatcher.run_now(Calibrate::Run, &Progress::silent()).unwrap();
    let outcome = dispatcher.document.calibration.outcome.clone().unwrap();
    let mounting = outcome.calibration.mounting.cmm_from_sensor;
    let truth = files.scene.cmm_from_sensor;
    assert!(mounting.rotation.angle_to(&truth.rotation).to_degrees() < 0.02);
    let centre = Point::new(0.0, 0.0, files.setting.sensor.working_distance_mm);
    assert!((mounting * centre - truth * centre).norm() < 0.03);
}

#[test]
fn what_does_not_fit_the_cad_is_said() {
    let files = Files::written();
    let refused = |setup: Setup, says: &str| {
        let sentence = files.found(setup).1.unwrap_err().sentence;
        assert!(sentence.contains(says), "{sentence}");
    };
    let left = Setup { handedness: Handedness::Left, ..files.by_cad("own.stl", "places.csv") };
    refused(left, "the other handedness");
    let places = std::fs::read_to_string(files.at("places.csv")).unwrap();
    let with = |name: &str, text: String| std::fs::write(files.at(name), text).unwrap();
    let few: String = places.lines().filter(|line| !line.starts_with("SU")).map(|line| format!("{line}\n")).collect();
    with("few.csv", few);
    refused(files.by_cad("own.stl", "few.csv"), "No point is named SU");
    with("far.csv", format!("{places}LP,0,0,90\n"));
    refused(files.by_cad("own.stl", "far.csv"), "is not within 5 mm of the CAD");
    with("other.csv", format!("{places}XY,0,0,0\n"));
    refused(files.by_cad("own.stl", "other.csv"), "“XY” is no region");
    refused(files.by_cad("gone.stl", "places.csv"), "gone.stl");
    let alone = NominalFiles { cad: Some(files.at("own.stl")), regions: None };
    refused(Setup { nominal: alone, ..Setup::default() }, "Name both");
    let marks = Setup { artefact: ArtefactKind::PenLines, ..files.by_cad("own.stl", "places.csv") };
    let mut dispatcher = Dispatcher::new(context());
    let open = Command::Calibrate(Calibrate::OpenMeasurement {
        instrument: Instrument::Sensor,
        path: files.at("snapshot.ply"),
    });
    for command in [Command::Calibrate(Calibrate::SetUp(Box::new(marks))), open] {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
    }
    let said = dispatcher.run_now(Calibrate::FindRegions, &Progress::silent()).unwrap_err().sentence;
    assert!(said.contains("edges and marks"), "{said}");
}

/// The simulator hands over the CAD of what it simulates, and `calibrate` takes it.
#[test]
fn a_simulated_artefact_is_calibrated_by_its_cad() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let simulated = shadowgraph(&["simulate", "--artefact", "frustum", "--out", text(folder.path())]);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let read =
        |path: &Path| -> serde_json::Value { serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap() };
    let truth = read(&at("truth.json"));
    let radius = truth["probe_radius_mm"].to_string();
    let (snapshot, touches, cad, places) =
        (at("snapshot.ply"), at("touches.csv"), at("artefact.stl"), at("artefact-regions.csv"));
    let out = at("calibration.json");
    let usual = ["calibrate", "--artefact", "frustum", "--sensor", text(&snapshot), "--cmm", text(&touches)];
    let mut arguments = usual.to_vec();
    arguments.extend(["--probe-radius-mm", &radius, "--clip-sigmas", "3", "--out", text(&out)]);
    arguments.extend(["--artefact-cad", text(&cad)]);
    let lone = shadowgraph(&arguments);
    assert!(lone.status.code() == Some(2) && errors(&lone).contains("--artefact-regions"), "{}", errors(&lone));
    arguments.extend(["--artefact-regions", text(&places)]);
    let output = shadowgraph(&arguments);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let angles = |value: &serde_json::Value| -> Vec<f64> {
        value["angles_deg"].as_array().unwrap().iter().map(|angle| angle.as_f64().unwrap()).collect()
    };
    for (found, true_deg) in angles(&read(&out)).into_iter().zip(angles(&truth)) {
        let off = (found - true_deg + 180.0).rem_euclid(360.0) - 180.0;
        assert!(off.abs() < 0.05, "{found} {true_deg}");
    }
}
