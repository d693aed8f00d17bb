//! Holes that a sensor and a touch probe measure together, on files and in the window.

use std::path::{Path, PathBuf};

use egui_kittest::kittest::Queryable as _;
use serde_json::{Value, json};
use shadowgraph::base::Progress;
use shadowgraph::base::random::Random;
use shadowgraph::dispatch::probe::Probe;
use shadowgraph::dispatch::{Command, Projects};
use shadowgraph::geometry::{Cloud, Point, Vector};
use shadowgraph::inspect::calibration::joint::CmmErrors;
use shadowgraph::inspect::probing::{HoleGeometry, Prober as _, SimulatedProber};
use shadowgraph::io::probing_csv::{ReportedPoint, read_targets, write_touches};
use shadowgraph::io::write;

use super::calibration_at_work::press;
use super::support::{errors, shadowgraph, text};
use super::window::{click_at, open, save_picture, settle, show_step};

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

/// The scan was corrected for a machine out of square and with scales of its own: what the machine is told, and tells, is in its own
/// coordinates, and the result in true ones.
#[test]
fn targets_and_touches_are_in_the_coordinates_of_a_machine_that_is_out_of_square() {
    let sheet = Sheet::scanned();
    let errors_of = CmmErrors { squareness_rad: 8.073e-4, scales: [2e-4, -1e-4, 5e-5] };
    let blake3 = shadowgraph::base::hash::file_hash(&sheet.at("merged.ply")).unwrap();
    let record = json!({ "schema": "shadowgraph.merged/1", "scan": { "blake3": blake3 }, "cmm_errors": errors_of });
    let begin = || sheet.begin("holes.csv", &["--probe-radius-mm", "1", "--search-mm", "1.5"]);
    let targets = || {
        let read = read_targets(&sheet.at("probing/targets.csv")).unwrap();
        read.into_iter().map(|own| [own.touch.start, own.touch.contact]).collect::<Vec<_>>()
    };
    assert!(errors(&begin()).contains("No record of a merge"));
    let truly = targets();
    std::fs::write(sheet.at("merged.json"), record.to_string()).unwrap();
    let begun = begin();
    assert!(errors(&begun).contains("in its own coordinates"), "{}", errors(&begun));
    for (told, truth) in targets().iter().flatten().zip(truly.iter().flatten()) {
        assert!((errors_of.corrected(told) - truth).norm() < 1e-9, "{told} {truth}");
        assert!((told - truth).norm() > 0.01, "{told} {truth}");
    }
    for round in 0..5 {
        let taken = sheet.take(&sheet.simulate(&format!("touches-{round}.csv"), &[]));
        let answer: Value = serde_json::from_slice(&taken.stdout).unwrap();
        if answer["open"] == 0 {
            break;
        }
    }
    let table = std::fs::read_to_string(sheet.at("probing/table.csv")).unwrap();
    let mut table = csv::Reader::from_reader(table.as_bytes());
    let titles = table.headers().unwrap().clone();
    for (row, [x, y, _]) in table.records().map(Result::unwrap).zip(TRUE) {
        for (title, truth) in [("converged_x_mm", x), ("converged_y_mm", y)] {
            let found: f64 = row[titles.iter().position(|own| own == title).unwrap()].parse().unwrap();
            assert!((found - truth).abs() < 0.003, "{title} {found} {truth}");
        }
    }
    // A record of another scan is none.
    std::fs::write(sheet.at("merged.json"), record.to_string().replace(&blake3, "0")).unwrap();
    assert!(errors(&begin()).contains("of another merge"));
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
    show_step(&mut harness, "6: Use");
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
    // A click on its label in the view leads to the results of a hole, from any workspace.
    harness.get_by_role_and_label(egui::Role::Button, "Offset").click();
    harness.run_steps(4);
    assert!(harness.query_by_label("Load probed points…").is_none());
    harness.get_by_label("Hole H1").click();
    harness.run_steps(30);
    assert!(harness.query_by_label("Load probed points…").is_some());
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
