//! The log of calibrations: control charts, drift, and whether the last calibration still holds; on files and in the window.

use std::path::Path;

use egui_kittest::kittest::Queryable as _;
use serde_json::{Value, json};
use shadowgraph::base::random::Random;
use shadowgraph::dispatch::{Command, monitoring};
use shadowgraph::inspect::calibration::record::with_digest;
use shadowgraph::session::calibration::logged::CalibrationDetails;
use shadowgraph::session::calibration::monitoring::CalibrationMonitoring;

use super::calibration_at_work::press;
use super::support::{errors, shadowgraph, text};
use super::window::{open, save_picture, settle, show_step};

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
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains("The shift along Z of the last calibration"), "{printed}");
    assert!(printed.contains("Failed: scatter against the stated uncertainty, shift along Z: "), "{printed}");
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
    assert_eq!(output.status.code(), Some(4), "{}", errors(&output));
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
    for kind in ["individuals", "runs", "moving_range", "drift", "scatter"] {
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

/// The same measurement calibrated twice is one in the log; two that agree repeat, and agree with their own certificate.
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
    let evaluate = || shadowgraph(&["repeatability", "--log", text(&log), "--certificate", text(&out), "--json"]);
    let output = evaluate();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("evaluate the same measurement as another: 1"), "{}", errors(&output));
    assert!(errors(&output).contains("there are 1"), "{}", errors(&output));
    // The first one as if of other files, a nanometre away.
    let lines = std::fs::read_to_string(&log).unwrap();
    let mut first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    first["details"]["files"][0]["blake3"] = "another".into();
    first["shift_mm"][0] = json!(first["shift_mm"][0].as_f64().unwrap() + 1e-6);
    std::fs::write(&log, format!("{first}\n{}\n", lines.lines().nth(1).unwrap())).unwrap();
    let output = evaluate();
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let value: Value = serde_json::from_slice(&output.stdout).unwrap();
    // Two are too few for a chart to show anything, and so to say that it holds.
    assert_eq!((&value["calibrations"], &value["in_control"]), (&json!(2), &Value::Null), "{value:#}");
    assert_eq!((&value["verdict"], &value["may_measure"]), (&json!("not_judged"), &json!(false)), "{value:#}");
    for own in value["repeatability"]["quantities"].as_array().unwrap() {
        assert!(own["agreement"]["normalised_error"].as_f64().unwrap() < 1e-6, "{own:#}");
        assert!(own["chart"]["standard_deviation"].as_f64().unwrap() < 1e-6, "{own:#}");
        assert!(own["scatter"]["ratio"].as_f64().unwrap() < 1e-3, "{own:#}");
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
            "unix_s": 1_700_000_000 + 7200 * i, "shift_mm": [12.0 + 0.003 * side, -7.0 + 1e-6 * f64::from(i * 7 % 5), 300.0 + 1e-6 * f64::from(i * 5 % 7)],
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
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    issue(12.0);
    let (code, printed) = run(&[]);
    assert!(printed.contains("The last calibration holds: it passed all 37 tests that were made."), "{printed}");
    assert_eq!(code, Some(0));
    // Less scatter than the calibrations state, and more than the operator allows.
    let (code, printed) = run(&["--max-scatter-mm", "0.001", "--max-scatter-deg", "0.01"]);
    assert!(
        printed.contains("Failed: scatter against the limit, shift along X: 1.532 µm, at most 1.000 µm."),
        "{printed}"
    );
    assert_eq!(code, Some(4));
    issue(24.7);
    let (code, printed) = run(&[]);
    assert!(printed.contains("The last calibration does not hold: it failed 1 of 37 tests."), "{printed}");
    assert_eq!(code, Some(4));
    assert!(printed.contains("Failed: agreement with the certificate, shift along X: En = 149"), "{printed}");
    let value: Value = serde_json::from_str(&run(&["--json"]).1).unwrap();
    assert_eq!((&value["verdict"], &value["in_control"]), (&json!("does_not_hold"), &json!(true)));
    let tests = value["tests"].as_array().unwrap();
    let failed: Vec<&Value> = tests.iter().filter(|own| own["outcome"] == "failed").collect();
    let [failed] = failed[..] else { panic!("{failed:#?}") };
    assert!(failed["quantity"] == "shift_x" && failed["limit"] == 1.0, "{failed:#}");
    assert!((failed["value"].as_f64().unwrap() - 1497.0).abs() < 2.0, "{failed:#}");
}

/// Six mountings of one sensor, each stated to micrometres: their charts are quiet, but they do not hold.
#[test]
fn six_mountings_do_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("calibrations.jsonl");
    let mountings = [
        ([5.869, -1.737, -253.408], [-3.138736, 0.022326, -0.046941]),
        ([-9.018, -6.177, -253.246], [3.126990, -0.035821, 0.017042]),
        ([6.991, -1.322, -253.381], [-3.137107, 0.027332, 0.024328]),
        ([-12.410, 9.774, -252.986], [-3.093186, -0.048986, 0.037457]),
        ([0.635, 8.716, -253.331], [-3.097503, 0.002338, 0.022132]),
        ([4.437, 4.871, -253.396], [-3.112616, 0.017605, 0.047098]),
    ];
    let line = |(i, (shift_mm, angles_rad)): (usize, ([f64; 3], [f64; 3]))| {
        json!({
            "unix_s": 1_796_003_011 + 17 * i, "shift_mm": shift_mm, "angles_rad": angles_rad,
            "shift_sigma_mm": [0.0056, 0.0075, 0.0233], "angles_sigma_rad": [1.04e-4, 1.83e-4, 8e-5],
        })
    };
    let lines: Vec<Value> = mountings.into_iter().enumerate().map(line).collect();
    let write = |lines: &[Value]| {
        std::fs::write(&log, lines.iter().map(|line| format!("{line}\n")).collect::<String>()).unwrap();
        let output = shadowgraph(&["repeatability", "--log", text(&log), "--json"]);
        (output.status.code(), serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default(), errors(&output))
    };
    let (code, value, said) = write(&lines);
    assert_eq!(code, Some(4), "{said}");
    assert_eq!((&value["verdict"], &value["in_control"]), (&json!("does_not_hold"), &json!(false)));
    let tests = value["tests"].as_array().unwrap();
    let scatter: Vec<&Value> = tests.iter().filter(|own| own["test"] == "scatter").collect();
    assert_eq!(scatter.len(), 6);
    assert!(scatter.iter().all(|own| own["outcome"] == "failed" && own["value"].as_f64() > Some(5.0)), "{scatter:#?}");
    let worst = scatter.iter().map(|own| own["value"].as_f64().unwrap()).fold(0.0, f64::max);
    assert!((1000.0..2000.0).contains(&worst), "{worst}");
    // The order of the lines changes nothing.
    let reversed: Vec<Value> = lines.iter().rev().cloned().collect();
    assert_eq!(write(&reversed).1["repeatability"], value["repeatability"]);
    // One of them seven times over is one calibration.
    let same: Vec<Value> = vec![lines[0].clone(); 7];
    let (code, _, said) = write(&same);
    assert!(
        code == Some(3) && said.contains("same measurement as another: 6") && said.contains("there are 1"),
        "{said}"
    );
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
    show_step(&mut harness, "5: Verification");
    press(&mut harness, "Repeatability");
    harness.run_steps(30);
    press(&mut harness, "Read log");
    assert!(harness.query_all_by_label("12 calibrations in the log.").next().is_some());
    assert!(harness.query_all_by_label("Does not hold").next().is_some());
    let failed = "Failed: control chart of individuals, shift along Z";
    assert!(harness.query_all_by_label_contains(failed).next().is_some());
    assert!(harness.query_all_by_label("Out of control").next().is_some());
    let failed = "Failed: scatter against the stated uncertainty, shift along Z";
    assert!(harness.query_all_by_label_contains(failed).next().is_some());
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
