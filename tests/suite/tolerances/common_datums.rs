//! Two features that are one datum.

use serde_json::Value;
use shadowgraph::base::Progress;
use shadowgraph::dispatch::{Command, Dispatcher, Features, Parts, Projects, Select, Tolerances};
use shadowgraph::geometry::subset::{Combine, Subset};
use shadowgraph::inspect::features::{Kind, Objective};
use shadowgraph::inspect::tolerances::Plan;
use shadowgraph::session::selection::Selectable;

use super::super::support::{context, errors};
use super::judge;

/// A shaft: two bearing seats about the z axis, a collar between them that stands 0.02 mm off, and a face.
fn shaft() -> String {
    let mut rows = "feature,x_mm,y_mm,z_mm\n".to_owned();
    for (name, x, radius, from) in
        [("seat 1", 0.0, 10.0, 0.0), ("seat 2", 0.0, 8.0, 80.0), ("collar", 0.02, 15.0, 40.0)]
    {
        for i in 0..36 * 9 {
            let (sin, cos) = (f64::from(i % 36) * 10.0_f64.to_radians()).sin_cos();
            let z = from + 2.5 * f64::from(i / 36);
            rows.push_str(&format!("{name},{},{},{z}\n", x + radius * cos, radius * sin));
        }
    }
    for i in 0..25 {
        rows.push_str(&format!("face,{},{},100\n", f64::from(i % 5) - 2.0, f64::from(i / 5) - 2.0));
    }
    rows
}

const SHAFT_PLAN: &str = r#"{
    "datums": { "A": "seat 1", "B": "seat 2", "C": "face" },
    "tolerances": [
        { "feature": "collar", "characteristic": "total_run_out", "limit_mm": 0.05, "datums": ["A-B"] },
        { "feature": "collar", "characteristic": "coaxiality", "limit_mm": 0.03, "datums": ["A-B"] },
        { "feature": "seat 1", "characteristic": "coaxiality", "limit_mm": 0.01, "datums": ["A-B"] }
    ]
}"#;

/// Two seats are one datum: on the command line, in a plan that is saved and opened, and as a choice in the window.
#[test]
fn the_axis_of_two_bearing_seats_is_a_common_datum() {
    let folder = tempfile::tempdir().unwrap();
    let (features, plan) = (folder.path().join("shaft.csv"), folder.path().join("plan.json"));
    std::fs::write(&features, shaft()).unwrap();
    std::fs::write(&plan, SHAFT_PLAN).unwrap();
    let kinds = ["seat 1=cylinder", "seat 2=cylinder", "collar=cylinder", "face=plane"];
    let fits: Vec<&str> = kinds.iter().flat_map(|kind| ["--fit", *kind]).collect();
    let output = judge(&features, &plan, &[&fits[..], &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = answer["tolerances"].as_array().unwrap();
    for (row, expected) in rows.iter().zip([0.04, 0.04, 0.0]) {
        let own = row["judged"]["measured_mm"].as_f64().unwrap_or_else(|| panic!("{row:#}"));
        assert!((own - expected).abs() < 1e-7, "{own} {row:#}");
        assert_eq!(row["tolerance"]["datums"], serde_json::json!(["A-B"]));
        assert!(row["judged"]["how"].as_str().unwrap().contains("common datum “A-B”: fitted to the points"), "{row:#}");
    }
    // The noise of both seats has its part in the uncertainty.
    assert!(rows[1]["judged"]["uncertainty_mm"].is_number() && rows[0]["judged"]["uncertainty_mm"].is_null());

    // A seat and a face are none, and nothing is judged instead.
    std::fs::write(&plan, SHAFT_PLAN.replace("A-B", "A-C")).unwrap();
    let output = judge(&features, &plan, &fits);
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    assert!(errors(&output).contains("“A” and “C” form no common datum"), "{}", errors(&output));
    std::fs::write(&plan, SHAFT_PLAN.replace("A-B", "A-X")).unwrap();
    let output = judge(&features, &plan, &fits);
    assert!(errors(&output).contains("There is no feature “A-X”"), "{}", errors(&output));

    let mut dispatcher = Dispatcher::new(context());
    let mut send = |command: Command| {
        dispatcher.run_now(command, &Progress::silent()).unwrap();
        dispatcher.document.clone()
    };
    let scan = folder.path().join("shaft.xyz");
    let points: String =
        shaft().lines().skip(1).map(|row| row.split_once(',').unwrap().1.replace(',', " ") + "\n").collect();
    std::fs::write(&scan, points).unwrap();
    send(Parts::OpenScans { paths: vec![scan], unit: None, columns: None }.into());
    for (name, kind, range) in [
        ("seat 1", Kind::Cylinder, 0..324),
        ("seat 2", Kind::Cylinder, 324..648),
        ("collar", Kind::Cylinder, 648..972),
        ("face", Kind::Plane, 972..997),
    ] {
        send(Select::Numbers(Selectable::Points, Subset::new(range.collect()), Combine::Replace).into());
        send(Select::Name(Selectable::Points, name.to_owned()).into());
        send(Features::Fit { kind, objective: Objective::Gaussian, robust: false, clip_sigmas: None }.into());
    }
    send(Tolerances::Set(Box::new(Plan::from_json(SHAFT_PLAN).unwrap())).into());
    let judged = send(Tolerances::Judge.into());
    let measured: Vec<f64> = judged.judgement().unwrap().into_iter().map(|own| own.unwrap().measured_mm).collect();
    assert!((measured[0] - 0.04).abs() < 1e-6 && measured[2] < 1e-6, "{measured:?}");
    // What the window offers beside the single letters.
    assert_eq!(judged.common_datums(&judged.asked().datums), [["A", "B"]]);
    let project = folder.path().join("shaft.shadowgraph");
    send(Projects::Save(project.clone()).into());
    let opened = send(Projects::Open(project).into());
    assert_eq!(opened.judgement(), judged.judgement());
    assert_eq!(opened.asked(), judged.asked());
    // Without its letter, the second seat is waited for.
    let mut asked = opened.asked();
    asked.datums.remove("B");
    let waiting = send(Tolerances::Set(Box::new(asked)).into());
    assert_eq!(waiting.asked().tolerances[0].datums, ["A-B"]);
    let mut asked = waiting.asked();
    asked.datums.insert("B".to_owned(), "seat 2".to_owned());
    send(Tolerances::Set(Box::new(asked)).into());
    let again = send(Tolerances::Judge.into());
    assert_eq!(again.judgement(), judged.judgement());
}
