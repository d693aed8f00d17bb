//! The calibration of the sensor as an element of the plan: a verdict does not stand without a valid one.

use std::path::Path;

use serde_json::{Value, json};
use shadowgraph::base::date::unix_now;
use shadowgraph::dispatch::{Calibrate, Elements, Inspect};
use shadowgraph::geometry::{Pose, transform};
use shadowgraph::inspect::calibration::record::with_digest;
use shadowgraph::inspect::verdict::Verdict;
use shadowgraph::session::verdict;

use egui_kittest::kittest::Queryable as _;

use super::support::{asset, bracket_pose, errors, shadowgraph, text};
use super::window::{open, settle};

/// A calibration record as `calibrate --out` writes it, as far as it is read.
fn record(made_h_ago: i64, certified: bool) -> Value {
    let made = unix_now() - 3600 * made_h_ago;
    with_digest(json!({
        "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [0.0, 0.0, 0.0],
        "cmm_from_sensor": transform::rows_of(&Pose::identity()), "date_unix_s": made,
        "valid_until_unix_s": made + 8 * 3600, "certified": certified,
        "uncertainty_k2": { "place_mm": [0.004, 0.0125, 0.007] },
    }))
}

fn summary(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn a_part_passes_only_under_a_valid_calibration() {
    let folder = tempfile::tempdir().unwrap();
    let (file, plan) = (folder.path().join("calibration.json"), folder.path().join("bracket.sgplan"));
    let (nominal, scan) = (asset("bracket.stl"), asset("bracket-scan.ply"));
    let pose = bracket_pose(folder.path());
    let inspected = |name: &str, written: &Value| {
        std::fs::write(&file, written.to_string()).unwrap();
        let out = folder.path().join(name);
        let mut words = vec!["inspect", "--nominal", text(&nominal), "--scan", text(&scan), "--no-pictures"];
        words.extend(["--align", "none", "--pose", text(&pose)]);
        words.extend(["--tolerance-mm", "-3,3", "--max-distance-mm", "8", "--fail-on-out-of-tolerance"]);
        words.extend(["--calibration", text(&file), "--save-plan", text(&plan), "--out", text(&out)]);
        let ended = shadowgraph(&words);
        (ended.status.code(), if out.exists() { summary(&out) } else { json!(errors(&ended)) })
    };
    let (code, valid) = inspected("valid", &record(1, true));
    assert_eq!((code, valid["verdict"].as_str()), (Some(0), Some("pass")), "{valid}");
    assert!(valid["remarks"].to_string().contains("certified, valid until"), "{}", valid["remarks"]);
    let html = std::fs::read_to_string(folder.path().join("valid/report.html")).unwrap();
    assert!(html.contains("positions ± 0.0125 mm (k = 2)"));
    let mut edited = record(1, true);
    edited["uncertainty_k2"]["place_mm"][0] = json!(0.001);
    for (name, written, said) in [
        ("expired", record(9, true), "expired on"),
        ("not-certified", record(1, false), "not certified"),
        ("edited", edited, "edited"),
        ("future", record(-1, true), "dated in the future"),
    ] {
        let (code, own) = inspected(name, &written);
        assert_eq!((code, own["verdict"].as_str()), (Some(6), Some("incomplete")), "{name}: {own}");
        assert!(own["components"].to_string().contains(said), "{name}: {}", own["components"]);
    }
    let (code, said) = inspected("none", &json!({}));
    assert_eq!(code, Some(3));
    assert!(said.to_string().contains("is not a calibration record"), "{said}");

    // The same in a plan that is moved with its calibration.
    inspected("again", &record(1, true));
    let away = folder.path().join("away");
    std::fs::create_dir(&away).unwrap();
    for own in [&plan, &file] {
        std::fs::rename(own, away.join(own.file_name().unwrap())).unwrap();
    }
    let measured = |name: &str| {
        let (plan, out) = (away.join("bracket.sgplan"), folder.path().join(name));
        let ended = shadowgraph(&["inspect", "--plan", text(&plan), text(&scan), "--json", "--out", text(&out)]);
        serde_json::from_slice::<Value>(&ended.stdout).unwrap_or_else(|_| json!(errors(&ended)))
    };
    let own = measured("series");
    assert_eq!(own["pass"], 1, "{own}");
    std::fs::write(away.join("calibration.json"), record(9, true).to_string()).unwrap();
    let own = measured("series-expired");
    assert_eq!((&own["pass"], &own["incomplete"]), (&json!(0), &json!(1)), "{own}");
    assert!(own["parts"][0]["headline"].as_str().unwrap().contains("expired on"), "{own}");
    std::fs::remove_file(away.join("calibration.json")).unwrap();
    assert!(measured("series-without").to_string().contains("calibration.json"));
}

#[test]
fn the_tree_shows_the_calibration_that_the_parts_rest_on() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("calibration.json");
    std::fs::write(&file, record(9, true).to_string()).unwrap();
    let mut window = open(vec![asset("bracket.stl"), asset("bracket-scan.ply")], None);
    settle(&mut window);
    window.state_mut().send(Inspect::AlignAndCompare);
    window.state_mut().send(Calibrate::Require(file.clone()));
    settle(&mut window);
    let overall = verdict::overall(&window.state().dispatcher().document).unwrap();
    assert!(overall.components.iter().any(|own| own.verdict == Verdict::Incomplete && own.reason.contains("expired")));
    window.get_by_label("Element Sensor calibration");
    std::fs::write(&file, record(1, true).to_string()).unwrap();
    window.state_mut().send(Elements::Update(None));
    settle(&mut window);
    let overall = verdict::overall(&window.state().dispatcher().document).unwrap();
    assert!(overall.components.iter().all(|own| !own.reason.contains("expired")), "{:?}", overall.components);
    // Asked for twice, it is required once.
    window.state_mut().send(Calibrate::Require(file));
    settle(&mut window);
    let elements = window.state().dispatcher().document.plan.elements();
    assert_eq!(elements.iter().filter(|own| own.name.starts_with("Sensor calibration")).count(), 1);
}
