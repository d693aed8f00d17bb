//! What holds a sensor and a machine together between calibrations: holes measured by both, the log of calibrations,
//! the sensor's acceptance; on files and in the window.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use serde_json::{Value, json};
use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::dispatch::probe::Probe;
use shadowgraph::dispatch::{Command, Projects, monitoring};
use shadowgraph::geometry::{Cloud, Point, Vector};
use shadowgraph::inspect::acceptance::AcceptanceTest;
use shadowgraph::inspect::acceptance::{Characteristic, Limit, Settings, Verdict};
use shadowgraph::inspect::calibration::record::with_digest;
use shadowgraph::inspect::probing::{HoleGeometry, Prober as _, SimulatedProber};
use shadowgraph::io::probing_csv::{ReportedPoint, write_touches};
use shadowgraph::io::write;
use shadowgraph::session::calibration::logged::CalibrationDetails;
use shadowgraph::session::calibration::monitoring::CalibrationMonitoring;

use super::calibration_at_work::press;
use super::support::{errors, shadowgraph, text};
use super::window::{click_at, open, save_picture, settle};

/// X, Y and R of two published holes: by their drawing, and as they are, mm.
const DRAWN: [[f64; 3]; 2] = [[112.012, -57.300, 5.000], [101.342, -80.086, 5.000]];
const TRUE: [[f64; 3]; 2] = [[111.882, -56.842, 4.957], [101.133, -79.785, 4.960]];
const TITLES: &str = "name,x_mm,y_mm,z_mm,axis_i,axis_j,axis_k,radius_mm\n";

struct Sheet {
    folder: tempfile::TempDir,
}

impl Sheet {
    /// A scan of a sheet with both holes at 0.25 mm with noise, and tables of where the holes are and should be; a
    /// third hole is drawn where there is none.
    fn scanned() -> Self {
        let mut random = Random::new(3, 9);
        let mut points = Vec::new();
        for i in 0..180 {
            for j in 0..220 {
                let (x, y) = (86.0 + 0.25 * f64::from(i), -96.0 + 0.25 * f64::from(j) + random.range(0.0, 0.1));
                if TRUE.iter().all(|hole| (x - hole[0]).hypot(y - hole[1]) > hole[2]) {
                    points.push(Point::new(x, y, 0.03 * random.normal()));
                }
            }
        }
        let sheet = Self { folder: tempfile::tempdir().unwrap() };
        write::cloud(&sheet.at("merged.ply"), &Cloud::from_points(points)).unwrap();
        let rows = |holes: &[[f64; 3]]| -> String {
            (1..).zip(holes).map(|(n, [x, y, r])| format!("H{n},{x},{y},0,0,0,1,{r}\n")).collect()
        };
        std::fs::write(sheet.at("holes.csv"), format!("{TITLES}{}nowhere,96,-62,0,0,0,1,3\n", rows(&DRAWN))).unwrap();
        std::fs::write(sheet.at("true.csv"), format!("{TITLES}{}", rows(&TRUE))).unwrap();
        sheet
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn begin(&self, holes: &str, more: &[&str]) -> std::process::Output {
        let (scan, holes, out) = (self.at("merged.ply"), self.at(holes), self.at("probing"));
        let mut arguments = vec!["probe", "begin", "--scan", text(&scan), "--holes", text(&holes), "--out", text(&out)];
        arguments.extend(more);
        shadowgraph(&arguments)
    }

    fn simulate(&self, name: &str, more: &[&str]) -> PathBuf {
        let (rounds, holes, out) = (self.at("probing/rounds.json"), self.at("true.csv"), self.at(name));
        let mut arguments = vec!["probe", "simulate", "--rounds", text(&rounds), "--holes", text(&holes)];
        arguments.extend(["--sigma-mm", "0.0005", "--out", text(&out)]);
        arguments.extend(more);
        let output = shadowgraph(&arguments);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        out
    }

    fn take(&self, touches: &Path) -> std::process::Output {
        let rounds = self.at("probing/rounds.json");
        shadowgraph(&["probe", "take", "--rounds", text(&rounds), "--touches", text(touches), "--json"])
    }
}

#[test]
fn holes_are_measured_from_scan_to_converged_probe_on_files() {
    for surface in [false, true] {
        let sheet = Sheet::scanned();
        let begun = sheet.begin("holes.csv", &["--probe-radius-mm", "1", "--search-mm", "1.5"]);
        assert_eq!(begun.status.code(), Some(0), "{}", errors(&begun));
        let printed = String::from_utf8_lossy(&begun.stdout).into_owned();
        assert!(printed.contains("nominal X") && printed.contains("2 are to be probed"), "{printed}");
        assert!(errors(&begun).contains("Hole “nowhere”"), "{}", errors(&begun));
        assert!(std::fs::read_to_string(sheet.at("probing/program.dmi")).unwrap().starts_with("FILNAM/"));
        let targets = std::fs::read_to_string(sheet.at("probing/targets.csv")).unwrap();
        assert_eq!(targets.lines().count(), 1 + 2 * (3 + 7), "{targets}");
        let mut last = Value::Null;
        for round in 0..5 {
            let touches =
                sheet.simulate(&format!("touches-{round}.csv"), if surface { &["--surface"][..] } else { &[] });
            let taken = sheet.take(&touches);
            assert_eq!(taken.status.code(), Some(0), "{}", errors(&taken));
            if round == 0 {
                // A part of the same touches in another file is no new round.
                let all = std::fs::read_to_string(&touches).unwrap();
                let first: String =
                    all.lines().filter(|line| !line.contains("H2")).map(|line| format!("{line}\n")).collect();
                assert_ne!(first, all);
                std::fs::write(sheet.at("again.csv"), first).unwrap();
                let again = sheet.take(&sheet.at("again.csv"));
                assert!(
                    again.status.code() == Some(3) && errors(&again).contains("already evaluated"),
                    "{}",
                    errors(&again)
                );
            }
            last = serde_json::from_slice(&taken.stdout).unwrap();
            if last["open"] == 0 {
                break;
            }
        }
        assert_eq!((&last["converged"], &last["wrong"]), (&json!(2), &json!(0)), "{last:#}");
        let mut table = csv::Reader::from_path(sheet.at("probing/table.csv")).unwrap();
        let titles = table.headers().unwrap().clone();
        let rows: Vec<csv::StringRecord> = table.records().map(Result::unwrap).collect();
        assert_eq!(rows.len(), 2);
        for (row, [x, y, radius]) in rows.iter().zip(TRUE) {
            for (title, truth) in [("converged_x_mm", x), ("converged_y_mm", y), ("converged_radius_mm", radius)] {
                let column = titles.iter().position(|own| own == title).unwrap();
                let found: f64 = row[column].parse().unwrap();
                assert!((found - truth).abs() < 0.003, "{title} {found} {truth}");
            }
        }
        // Nothing is left to drive or to take.
        let again = sheet.take(&sheet.at("touches-0.csv"));
        assert!(again.status.code() == Some(2) && errors(&again).contains("Nothing is left"), "{}", errors(&again));
    }
}

#[test]
fn holes_and_slots_are_found_by_the_command_line() {
    let sheet = Sheet::scanned();
    // A slot of 24 x 8 mm at 30 degrees, 0.2 mm and -0.3 mm off its drawing.
    let (along, at) = ([0.5 * 3.0_f64.sqrt(), 0.5], [40.2, 29.7]);
    let mut random = Random::new(4, 9);
    let points = (0..320 * 240).filter_map(|i| {
        let (x, y) = (0.25 * f64::from(i % 320), 0.25 * f64::from(i / 320) + random.range(0.0, 0.1));
        let (dx, dy) = (x - at[0], y - at[1]);
        let (u, v) = (dx * along[0] + dy * along[1], dy * along[0] - dx * along[1]);
        let is_open = (u.abs() - 8.0).max(0.0).hypot(v) < 4.0;
        (!is_open).then(|| Point::new(x, y, 0.02 * random.normal()))
    });
    write::cloud(&sheet.at("slotted.ply"), &Cloud::from_points(points.collect())).unwrap();
    let titles = "name,x_mm,y_mm,z_mm,axis_i,axis_j,axis_k,along_i,along_j,along_k,length_mm,width_mm\n";
    let row = format!("S1,40,30,0,0,0,1,{},{},0,24,8\n", along[0], along[1]);
    std::fs::write(sheet.at("slots.csv"), format!("{titles}{row}")).unwrap();
    let (scan, slots, out) = (sheet.at("slotted.ply"), sheet.at("slots.csv"), sheet.at("found.csv"));
    let output = shadowgraph(&["holes", text(&scan), "--slots", text(&slots), "--out", text(&out), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let slot = &answer["openings"][0];
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{answer:#}"));
    assert!(
        (number(&slot["off_mm"][0]) - 0.2).abs() < 0.03 && (number(&slot["off_mm"][1]) + 0.3).abs() < 0.03,
        "{slot}"
    );
    // No point lies on the rim itself: wider by up to a step of the grid on either side.
    let grown = [("length_mm", 24.0), ("width_mm", 8.0)].map(|(name, mm)| number(&slot["found"][name]) - mm);
    assert!(grown.iter().all(|mm| (0.0..0.5).contains(mm)), "{grown:?}");
    let table = std::fs::read_to_string(&out).unwrap();
    assert!(table.starts_with("name,x_mm") && table.lines().nth(1).unwrap().ends_with(",found"), "{table}");

    let (scan, holes) = (sheet.at("merged.ply"), sheet.at("holes.csv"));
    let output = shadowgraph(&["holes", text(&scan), "--holes", text(&holes)]);
    assert!(output.status.code() == Some(3) && errors(&output).contains("Hole “nowhere”"), "{}", errors(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.lines().count() == 5 && printed.contains("-0.13"), "{printed}");
    assert_eq!(shadowgraph(&["holes", text(&scan)]).status.code(), Some(2));
    assert_eq!(
        shadowgraph(&["holes", text(&scan), "--holes", text(&holes), "--search-mm", "NaN"]).status.code(),
        Some(2)
    );
    assert!(errors(&shadowgraph(&["holes", text(&scan), "--slots", text(&holes)])).contains("along_i"));
}

#[test]
fn what_is_wrong_with_holes_and_touches_is_a_sentence_and_changes_nothing() {
    let sheet = Sheet::scanned();
    let refused = |output: std::process::Output, code: i32, says: &str| {
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        assert!(errors(&output).contains(says), "{says}: {}", errors(&output));
    };
    refused(sheet.begin("holes.csv", &[]), 2, "--probe-radius-mm");
    refused(sheet.begin("holes.csv", &["--probe-radius-mm", "NaN"]), 2, "stylus tip radius must be above 0");
    refused(sheet.begin("holes.csv", &["--probe-radius-mm", "1", "--clearance-mm", "1"]), 2, "clearance of 1 mm");
    refused(sheet.begin("holes.csv", &["--probe-radius-mm", "1", "--search-mm", "-2"]), 2, "above 0");
    let with = |name: &str, content: String| std::fs::write(sheet.at(name), content).unwrap();
    with("none.csv", TITLES.to_owned());
    refused(sheet.begin("none.csv", &["--probe-radius-mm", "1"]), 3, "no rows of values");
    with("nan.csv", format!("{TITLES}H1,NaN,0,0,0,0,1,5\n"));
    refused(sheet.begin("nan.csv", &["--probe-radius-mm", "1"]), 3, "Line 2: “NaN” in “x_mm”");
    with("far.csv", format!("{TITLES}H1,900,0,0,0,0,1,5\n"));
    refused(sheet.begin("far.csv", &["--probe-radius-mm", "1"]), 3, "None of the holes");
    assert!(!sheet.at("probing").exists());

    let begun = sheet.begin("holes.csv", &["--probe-radius-mm", "1", "--json"]);
    assert_eq!(begun.status.code(), Some(0), "{}", errors(&begun));
    let state = || std::fs::read_to_string(sheet.at("probing/rounds.json")).unwrap();
    let before = state();
    let touches = std::fs::read_to_string(sheet.simulate("touches.csv", &[])).unwrap();
    with("cut.csv", touches.trim_end()[..touches.trim_end().len() - 2].to_owned());
    refused(sheet.take(&sheet.at("cut.csv")), 3, "cut off");
    let second = touches.lines().nth(1).unwrap();
    let number = second.split(',').nth(1).unwrap();
    with("nan.csv", touches.replacen(second, &second.replacen(number, "nan", 1), 1));
    refused(sheet.take(&sheet.at("nan.csv")), 3, "Line 2: “nan”");
    with("others.csv", touches.replace("H1,", "A,").replace("H2,", "B,"));
    refused(sheet.take(&sheet.at("others.csv")), 3, "these points are of “");
    refused(sheet.take(&sheet.at("gone.csv")), 3, "does not exist");
    assert_eq!(state(), before);
    let taken = sheet.take(&sheet.at("touches.csv"));
    assert_eq!(taken.status.code(), Some(0), "{}", errors(&taken));
    refused(sheet.take(&sheet.at("touches.csv")), 3, "already evaluated in probing cycle 1");
    with("probing/rounds.json", before[..before.len() / 2].to_owned());
    refused(sheet.take(&sheet.at("touches.csv")), 3, "holds no probing cycles");
}

/// Holes in the window: planned by mouse, touched by a simulated machine, taken back, and kept by a project.
#[test]
fn holes_are_measured_in_the_window() {
    let sheet = Sheet::scanned();
    let mut harness = open(vec![sheet.at("merged.ply")], None);
    settle(&mut harness);
    harness.query_all_by_label("Calibrate").next().unwrap().click();
    harness.run_steps(3);
    press(&mut harness, "Hybrid measurement");
    harness.run_steps(30);
    // The command that the button “Hole list…” leads to once a file was chosen.
    harness.get_by_label("Hole list…");
    harness.state_mut().send(Probe::OpenHoles(sheet.at("holes.csv")));
    settle(&mut harness);
    // The last field of that name; the first is in the setup of the calibration.
    harness.query_all_by_label("Stylus tip radius").next_back().unwrap().scroll_to_me();
    harness.run_steps(4);
    let at = harness.query_all_by_label("Stylus tip radius").next_back().unwrap().rect().center();
    click_at(&mut harness, at);
    harness.run_steps(2);
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::A);
    harness.run_steps(1);
    harness.event(egui::Event::Text("1".into()));
    harness.run_steps(1);
    harness.key_press(egui::Key::Enter);
    settle(&mut harness);
    press(&mut harness, "Find holes and plan probing");
    let probing = |harness: &egui_kittest::Harness<'static, shadowgraph::app::App>| {
        std::sync::Arc::clone(&harness.state().dispatcher().document.probing)
    };
    let planned = probing(&harness);
    assert_eq!(planned.counts(), [0, 2, 0], "{:?}", harness.state().dispatcher().messages);
    assert_eq!((planned.missing.len(), planned.setup.probe_radius_mm), (1, Some(1.0)));
    press(&mut harness, "Features");
    save_picture(&mut harness, "hybrid_planned");
    press(&mut harness, "Calibrate");
    harness.run_steps(30);
    let place =
        |[x, y, radius_mm]: [f64; 3]| HoleGeometry { centre: Point::new(x, y, 0.0), axis: Vector::z(), radius_mm };
    for round in 0..5 {
        let folder = sheet.at("targets");
        harness.state_mut().send(Probe::Write(folder.clone()));
        settle(&mut harness);
        let Some(program) = probing(&harness).program().unwrap() else { break };
        assert!(folder.join("targets.csv").exists());
        let mut machine = SimulatedProber::new(TRUE.map(place).to_vec(), 0.0005, ReportedPoint::BallCentre, round);
        let touched = machine.probe(&program, &Progress::silent()).unwrap();
        let touches = sheet.at(&format!("touches-{round}.csv"));
        std::fs::write(&touches, write_touches(&touched.touches).unwrap()).unwrap();
        harness.state_mut().send(Probe::Take(touches));
        settle(&mut harness);
    }
    let done = probing(&harness);
    assert_eq!(done.counts(), [2, 0, 0], "{:?}", harness.state().dispatcher().messages);
    assert!(sheet.at("targets/table.csv").exists());
    for (row, truth) in done.rounds.as_ref().unwrap().comparison().rows.iter().zip(TRUE) {
        let settled = row.settled().unwrap();
        assert!((settled.centre - place(truth).centre).norm() < 0.003, "{settled:?}");
        // The same figure is on the screen.
        let shown = format!("{:.3}", settled.centre.y);
        assert!(harness.query_all_by_label(&shown).next().is_some(), "{shown}");
    }
    assert!(harness.query_all_by_label_contains("2 holes have converged").next().is_some());
    harness.get_by_label("Load probed points…").scroll_to_me();
    save_picture(&mut harness, "hybrid");
    press(&mut harness, "Features");
    save_picture(&mut harness, "hybrid_scan");
    press(&mut harness, "Calibrate");
    harness.run_steps(30);
    // Each file of touches is one step.
    harness.key_press_modifiers(egui::Modifiers::COMMAND, egui::Key::Z);
    settle(&mut harness);
    assert_eq!(probing(&harness).taken.len() + 1, done.taken.len());
    harness.key_press_modifiers(egui::Modifiers::COMMAND | egui::Modifiers::SHIFT, egui::Key::Z);
    settle(&mut harness);
    // Kept by a project, whole.
    let project = sheet.at("holes.shadowgraph");
    for command in [
        Command::Projects(Projects::Save(project.clone())),
        Command::Projects(Projects::New),
        Command::Projects(Projects::Open(project)),
    ] {
        harness.state_mut().send(command);
        settle(&mut harness);
    }
    assert_eq!(*probing(&harness), *done);
}

/// Twelve calibrations, the last of them off along Z.
fn log_with_an_outlier(path: &Path) {
    let mut random = Random::new(12, 4);
    let line = |i: i64, random: &mut Random| {
        let mut draw = |sigma: f64| sigma * random.normal();
        let off_mm = if i == 11 { 0.08 } else { 0.0 };
        json!({
            "unix_s": 1_700_000_000 + 7200 * i,
            "shift_mm": [12.0 + draw(0.003), -7.0 + draw(0.003), 300.0 + draw(0.003) + off_mm],
            "angles_rad": [0.01 + draw(3e-5), -0.02 + draw(3e-5), 3.1 + draw(3e-5)],
            "shift_sigma_mm": [0.003, 0.003, 0.003],
            "angles_sigma_rad": [3e-5, 3e-5, 3e-5],
        })
    };
    let lines: String = (0..12).map(|i| format!("{}\n", line(i, &mut random))).collect();
    std::fs::write(path, lines).unwrap();
}

#[test]
fn a_log_of_calibrations_names_the_one_that_left() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calibrations.jsonl");
    log_with_an_outlier(&log);
    let run = |more: &[&str]| {
        let mut arguments = vec!["repeatability", "--log", text(&log)];
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    let output = run(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("The shift along Z of the last calibration"), "{printed}");
    assert!(printed.contains("beyond three standard deviations"), "{printed}");
    assert!(printed.contains("only 12 calibrations"), "{printed}");
    // It is in time, but its charts are not quiet: it does not hold.
    assert!(printed.contains("The last calibration does not hold: it failed "), "{printed}");
    assert!(printed.contains("Failed: control chart of individuals, shift along Z: "), "{printed}");
    assert!(!printed.contains("The last calibration holds"), "{printed}");
    // A restart ends it; a line that is damaged is told and costs itself only.
    let whole = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, format!("{whole}rubbish\n")).unwrap();
    let output = run(&["--restarted-unix-s", "1700090000", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(errors(&output).contains("line 13"), "{}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&value["calibrations"], &value["in_control"]), (&json!(12), &json!(false)));
    assert_eq!(value["standing"]["state"]["state"], "restarted");
    assert_eq!((&value["may_measure"], &value["verdict"]), (&json!(false), &json!("does_not_hold")));
    let tests = value["tests"].as_array().unwrap();
    let of = |kind: &str| tests.iter().filter(|own| own["test"] == kind).collect::<Vec<_>>();
    let [restart] = of("restart")[..] else { panic!("{tests:#?}") };
    assert!(restart["value"].as_f64().unwrap() < 0.0 && restart["limit"] == 0.0, "{restart:#}");
    assert_eq!((&restart["outcome"], &restart["name"]), (&json!("failed"), &json!("restart of the CMM")));
    for kind in ["individuals", "runs", "moving_range", "drift"] {
        assert!(of(kind).len() == 6 && of(kind).iter().all(|own| own["value"].is_number()), "{tests:#?}");
    }
    assert_eq!(of("certificate")[0]["outcome"], "not_judged");
    let output = run(&["--valid-hours", "8"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("expired"), "{output:?}");
    let refused = run(&["--warm-up-minutes", "nan"]);
    assert!(refused.status.code() == Some(2) && errors(&refused).contains("warm-up"), "{}", errors(&refused));
    std::fs::write(&log, whole.lines().next().unwrap()).unwrap();
    let refused = run(&[]);
    assert!(refused.status.code() == Some(3) && errors(&refused).contains("at least two"), "{}", errors(&refused));
}

/// The same calibration twice in one log repeats to the bit, and agrees with its own certificate.
#[test]
fn calibrations_are_logged_and_held_against_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let simulated = shadowgraph(&["simulate", "--artefact", "angled-slots", "--out", text(folder.path())]);
    assert_eq!(simulated.status.code(), Some(0), "{}", errors(&simulated));
    let truth: Value = serde_json::from_str(&std::fs::read_to_string(at("truth.json")).unwrap()).unwrap();
    let radius = truth["probe_radius_mm"].to_string();
    let (snapshot, touches, out, log) =
        (at("snapshot.ply"), at("touches.csv"), at("calibration.json"), at("calibrations.jsonl"));
    let calibrate = |log: &Path| {
        let mut arguments = vec!["calibrate", "--sensor", text(&snapshot), "--cmm", text(&touches)];
        arguments.extend(["--probe-radius-mm", &radius, "--clip-sigmas", "3", "--out", text(&out), "--log", text(log)]);
        shadowgraph(&arguments)
    };
    for _ in 0..2 {
        let output = calibrate(&log);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    }
    let output = shadowgraph(&["repeatability", "--log", text(&log), "--certificate", text(&out), "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Two are too few for a chart to show anything, and so to say that it holds.
    assert_eq!((&value["calibrations"], &value["in_control"]), (&json!(2), &Value::Null), "{value:#}");
    assert_eq!((&value["verdict"], &value["may_measure"]), (&json!("not_judged"), &json!(false)), "{value:#}");
    for own in value["repeatability"]["quantities"].as_array().unwrap() {
        assert!(own["agreement"]["normalised_error"].as_f64().unwrap() < 1e-6, "{own:#}");
        assert_eq!(own["chart"]["standard_deviation"], 0.0);
    }
    // Each line keeps what was fitted, what that left over, and the transforms.
    let lines = std::fs::read_to_string(&log).unwrap();
    let line: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    let details: CalibrationDetails = serde_json::from_value(line["details"].clone()).unwrap();
    let issued: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    assert_eq!(json!(details.cmm_from_sensor), issued["cmm_from_sensor"]);
    for (frame, device) in [(&details.sensor, "sensor"), (&details.cmm, "cmm")] {
        assert_eq!(json!(frame.device_from_artefact), issued[device]["device_from_artefact"]);
        assert_eq!(frame.fits.len(), issued[device]["fits"].as_array().unwrap().len());
        for fit in &frame.fits {
            assert_eq!(fit.residuals_mm.len(), fit.used.min(500), "{}", fit.name);
            let rms_mm = (fit.residuals_mm.iter().map(|own| own * own).sum::<f64>() / fit.used.min(500) as f64).sqrt();
            assert!(rms_mm < 2.0 * fit.rms_mm + 1e-6 && fit.rms_mm < 2.0 * rms_mm + 1e-6, "{} {rms_mm}", fit.name);
        }
    }
    // As older versions wrote them: they read as before.
    let old: String = lines.lines().map(|line| format!("{}\n", without_details(line))).collect();
    std::fs::write(&log, old).unwrap();
    let again = shadowgraph(&["repeatability", "--log", text(&log), "--certificate", text(&out), "--json"]);
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again["repeatability"], value["repeatability"]);
    let refused = calibrate(&at("no folder/calibrations.jsonl"));
    assert!(refused.status.code() == Some(3) && errors(&refused).contains("Cannot write"), "{}", errors(&refused));
}

fn without_details(line: &str) -> Value {
    let mut line: Value = serde_json::from_str(line).unwrap();
    assert!(line.as_object_mut().unwrap().remove("details").is_some());
    line
}

/// A quiet log whose last calibration lies millimetres from its certificate was once said to hold, with En = 1,498.
#[test]
fn a_calibration_far_from_its_certificate_does_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (log, certificate) = (at("calibrations.jsonl"), at("certificate.json"));
    let line = |i: i32| {
        let side = if i % 2 == 0 { 0.5 } else { -0.5 };
        json!({
            "unix_s": 1_700_000_000 + 7200 * i, "shift_mm": [12.0 + 0.003 * side, -7.0, 300.0],
            "angles_rad": [1e-5 * side, 0.0, 0.0],
            "shift_sigma_mm": [0.003, 0.003, 0.003], "angles_sigma_rad": [3e-5, 3e-5, 3e-5],
        })
    };
    std::fs::write(&log, (0..24).map(|i| format!("{}\n", line(i))).collect::<String>()).unwrap();
    let issue = |x_mm: f64| {
        let issued = json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [0.0, 0.0, 0.0],
            "cmm_from_sensor": [
                [1.0, 0.0, 0.0, x_mm], [0.0, 1.0, 0.0, -7.0], [0.0, 0.0, 1.0, 300.0], [0.0, 0.0, 0.0, 1.0],
            ],
            "date_unix_s": 0, "valid_until_unix_s": 0,
            "uncertainty_k2": {
                "reference_mm": [0.0, 0.0, 0.0], "place_mm": [0.006, 0.006, 0.006], "angles_deg": [0.003, 0.003, 0.003],
            },
        });
        std::fs::write(&certificate, with_digest(issued).to_string()).unwrap();
    };
    let run = |more: &[&str]| {
        let arguments = ["repeatability", "--log", text(&log), "--certificate", text(&certificate)];
        let output = shadowgraph(&[&arguments[..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    issue(12.0);
    let printed = run(&[]);
    assert!(printed.contains("The last calibration holds: it passed all 31 tests that were made."), "{printed}");
    issue(24.7);
    let printed = run(&[]);
    assert!(printed.contains("The last calibration does not hold: it failed 1 of 31 tests."), "{printed}");
    assert!(printed.contains("Failed: agreement with the certificate, shift along X: En = 149"), "{printed}");
    let value: Value = serde_json::from_str(&run(&["--json"])).unwrap();
    assert_eq!((&value["verdict"], &value["in_control"]), (&json!("does_not_hold"), &json!(true)));
    let tests = value["tests"].as_array().unwrap();
    let failed: Vec<&Value> = tests.iter().filter(|own| own["outcome"] == "failed").collect();
    let [failed] = failed[..] else { panic!("{failed:#?}") };
    assert!(failed["quantity"] == "shift_x" && failed["limit"] == 1.0, "{failed:#}");
    assert!((failed["value"].as_f64().unwrap() - 1497.0).abs() < 2.0, "{failed:#}");
}

#[test]
fn control_charts_are_shown_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calibrations.jsonl");
    log_with_an_outlier(&log);
    let mut harness = open(Vec::new(), None);
    harness.query_all_by_label("Calibrate").next().unwrap().click();
    harness.run_steps(3);
    // As the field sends it once a path was typed or chosen.
    let set = monitoring::Monitoring::Set(Box::new(CalibrationMonitoring {
        log: Some(log),
        ..CalibrationMonitoring::default()
    }));
    harness.state_mut().send(Command::Monitoring(set));
    settle(&mut harness);
    press(&mut harness, "Repeatability");
    harness.run_steps(30);
    press(&mut harness, "Read log");
    assert!(harness.query_all_by_label("12 calibrations in the log.").next().is_some());
    assert!(harness.query_all_by_label("Does not hold").next().is_some());
    let failed = "Failed: control chart of individuals, shift along Z";
    assert!(harness.query_all_by_label_contains(failed).next().is_some());
    assert!(harness.query_all_by_label("Out of control").next().is_some());
    press(&mut harness, "Shift along Z");
    harness.run_steps(4);
    let says = "Calibration 12 lies beyond three standard deviations from the mean.";
    assert!(harness.query_all_by_label(says).next().is_some());
    save_picture(&mut harness, "repeatability");
    press(&mut harness, "CMM was restarted");
    harness.run_steps(4);
    assert!(harness.state().dispatcher().document.monitoring.machine.restarted_unix_s.is_some());
    assert!(harness.query_all_by_label("Invalidated by a CMM restart").next().is_some());
}

/// A ball bar as a sensor at the origin sees it: its balls too large and too far apart by known amounts.
fn bar(path: &Path, turn_rad: f64, balls: usize) {
    let mut random = Random::new(5, (100.0 * turn_rad) as u64);
    let middle = Point::new(20.0, -10.0, 900.0);
    let along = Vector::new(turn_rad.cos(), turn_rad.sin(), 0.1).normalize();
    let mut points = Vec::new();
    for side in [-1.0, 1.0].into_iter().take(balls) {
        let centre = middle + along * (side * 0.5 * 150.03);
        let towards = -centre.coords.normalize();
        while points.len() % 4000 < 3999 {
            let draw = Vector::new(random.normal(), random.normal(), random.normal()).normalize();
            if draw.dot(&towards) > 0.4 {
                points.push(centre + draw * (15.02 + 0.005 * random.normal()));
            }
        }
        points.push(centre + towards * 15.02);
    }
    write::cloud(path, &Cloud::from_points(points)).unwrap();
}

#[test]
fn a_sensor_is_judged_by_scans_of_a_ball_bar() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let (first, second, half, out) = (at("p1.ply"), at("p2.ply"), at("half.ply"), at("acceptance.json"));
    bar(&first, 0.0, 2);
    bar(&second, 0.9, 2);
    bar(&half, 0.0, 1);
    let run = |scans: &[&PathBuf], more: &[&str]| {
        let mut arguments = vec!["accept", "--bar"];
        arguments.extend(scans.iter().map(|path| text(path)));
        arguments.extend(more);
        shadowgraph(&arguments)
    };
    let usual = ["--sphere-radius-mm", "15", "--bar-length-mm", "150", "--json", "--fail-on-out-of-tolerance"];
    let with = |limits: &'static str| [&usual[..], &["--limits", limits, "--out", text(&out)]].concat();
    let output = run(&[&first, &second], &with("sphere_spacing=0.02:0.001,probing-form=0.1"));
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let record: Value = serde_json::from_str(&std::fs::read_to_string(&out).unwrap()).unwrap();
    let acceptance = &record["acceptance"];
    assert_eq!(acceptance["verdict"], "does_not_conform");
    for bar in acceptance["results"]["bars"].as_array().unwrap() {
        assert!((bar["error_mm"].as_f64().unwrap() - 0.03).abs() < 0.005, "{bar:#}");
    }
    let spheres = acceptance["results"]["spheres"].as_array().unwrap();
    assert_eq!(spheres.len(), 4);
    for sphere in spheres {
        assert!((sphere["size_error_mm"].as_f64().unwrap() - 0.04).abs() < 0.006, "{sphere:#}");
        assert!((sphere["form_sigma_mm"].as_f64().unwrap() - 0.005).abs() < 0.001, "{sphere:#}");
    }
    assert_eq!(record["scans"].as_array().unwrap().len(), 2);
    // Wide limits in too few positions prove nothing, and that is said.
    let output = run(&[&first], &with("sphere_spacing=0.2"));
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let record: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(record["acceptance"]["verdict"], "undecided");
    assert!(record["acceptance"]["notes"][0].as_str().unwrap().contains("1 positions; 7"), "{record:#}");
    let output = run(&[&first], &["--sphere-radius-mm", "15", "--bar-length-mm", "150"]);
    assert!(String::from_utf8_lossy(&output.stdout).contains("sphere-spacing error"), "{output:?}");
    // What cannot be judged.
    let refused = |output: std::process::Output, code: i32, says: &str| {
        assert!(output.status.code() == Some(code) && errors(&output).contains(says), "{}", errors(&output));
    };
    refused(run(&[&half], &usual), 3, "half.ply: Only one sphere");
    refused(run(&[&first], &["--sphere-radius-mm", "15"]), 2, "--bar-length-mm");
    refused(run(&[&first], &with("roundness=0.1")), 2, "“roundness” is not a characteristic");
    refused(run(&[&first], &with("sphere_spacing=-1")), 2, "limit above 0");
    refused(shadowgraph(&["accept"]), 2, "--bar");
}

#[test]
fn a_sensor_is_judged_by_flats_in_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new(31, 7);
    let planes: Vec<std::path::PathBuf> = (0..3).map(|i| folder.path().join(format!("flat{i}.ply"))).collect();
    for path in &planes {
        // Bent by 0.06 mm from the middle to the corners, with little noise.
        let place = |i: u32, random: &mut Random| {
            let (x, y) = (f64::from(i % 120) / 60.0 - 1.0, f64::from(i / 120) / 60.0 - 1.0);
            let bend = 0.03 * (x * x + y * y);
            Point::new(60.0 * x, 60.0 * y, 300.0 + bend + 0.001 * random.normal())
        };
        let points = (0..14_400).map(|i| place(i, &mut random)).collect();
        shadowgraph::io::write::cloud(path, &Cloud::from_points(points)).unwrap();
    }
    let mut harness = open(Vec::new(), None);
    harness.query_all_by_label("Calibrate").next().unwrap().click();
    harness.run_steps(3);
    press(&mut harness, "Sensor acceptance test");
    harness.run_steps(30);
    let limit = Limit { mpe_mm: 0.05, test_sigma_mm: 0.001 };
    let accept = AcceptanceTest {
        bars: Vec::new(),
        planes,
        unit: None,
        sphere_radius_mm: 0.0,
        bar_length_mm: 0.0,
        within_mm: 0.1,
        settings: Settings::default(),
        limits: [(Characteristic::Flatness, limit)].into_iter().collect(),
    };
    harness.state_mut().send(Command::Accept(Box::new(accept)));
    settle(&mut harness);
    let acceptance = harness.state().dispatcher().document.acceptance.clone().unwrap();
    assert_eq!(acceptance.verdict, Some(Verdict::DoesNotConform));
    let flatness = &acceptance.figures[0];
    assert!((flatness.worst_mm - 0.06).abs() < 0.01, "{flatness:?}");
    // As the section says it.
    let shown = format!("{:+.4} mm", flatness.worst_mm);
    assert!(harness.query_all_by_label(&shown).next().is_some(), "{shown}");
    harness.get_by_label("Add flat scan…").scroll_to_me();
    save_picture(&mut harness, "flats");
}
