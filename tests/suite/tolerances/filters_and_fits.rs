//! Filters, outliers and tolerance classes that a plan or an option states.

use serde_json::Value;

use super::super::support::errors;
use super::{Files, PLAN, files, judge, kinds_and};

/// A ring of 4000 points with 50 lobes of ±0.01 mm and 12 outliers: the filter leaves half of the lobes, by the plan and
/// by the command line, and without it all is as measured.
#[test]
fn roundness_is_judged_after_a_stated_filter() {
    let folder = tempfile::tempdir().unwrap();
    let (features, plan) = (folder.path().join("ring.csv"), folder.path().join("plan.json"));
    let mut rows = "feature,x_mm,y_mm,z_mm\n".to_owned();
    for i in 0..4000 {
        let angle = f64::from(i) * std::f64::consts::TAU / 4000.0;
        let radius = 20.0 + 0.01 * (50.0 * angle).cos() + if i % 333 == 100 { 0.5 } else { 0.0 };
        rows.push_str(&format!("ring,{},{},0\n", radius * angle.cos(), radius * angle.sin()));
    }
    std::fs::write(&features, rows).unwrap();
    let steps = "after a Gaussian filter (ISO 16610-21) of 50 UPR; 12 of 4000 points removed as outliers";
    let judged = |stated: &str, more: &[&str]| -> Value {
        let tolerance = format!(r#"{{"feature":"ring","characteristic":"circularity","limit_mm":0.015{stated}}}"#);
        std::fs::write(&plan, format!(r#"{{"tolerances":[{tolerance}]}}"#)).unwrap();
        let output = judge(&features, &plan, &[&["--fit", "ring=circle", "--json"][..], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["tolerances"][0].clone()
    };
    let in_plan = judged(r#","filter_upr":50,"outlier_sigmas":6"#, &[]);
    let by_options = judged("", &["--filter-upr", "50", "--outlier-sigmas", "6"]);
    for row in [&in_plan, &by_options] {
        let measured = row["judged"]["measured_mm"].as_f64().unwrap();
        // The least-squares circle is that of all points, outliers too.
        assert!((measured - 0.01).abs() < 1e-3 && row["judged"]["verdict"] == "in", "{row:#}");
        assert!(row["judged"]["preparation"].as_str().unwrap().starts_with(steps), "{row:#}");
        assert!(row["judged"]["how"].as_str().unwrap().contains(steps), "{row:#}");
        assert_eq!(row["tolerance"]["filter_upr"], 50.0);
    }
    // What the plan states counts more than the option.
    assert_eq!(judged(r#","filter_upr":15"#, &["--filter-upr", "50"])["tolerance"]["filter_upr"], 15.0);
    let plain = judged("", &[]);
    assert!(plain["judged"]["measured_mm"].as_f64().unwrap() > 0.5 && plain["judged"].get("preparation").is_none());
    assert!(plain["tolerance"].get("filter_upr").is_none() && plain["tolerance"].get("outlier_sigmas").is_none());
    let said = judge(&features, &plan, &["--fit", "ring=circle", "--filter-upr", "50"]);
    let said = String::from_utf8_lossy(&said.stdout).into_owned();
    assert!(said.contains("Circularity of “ring”: After a Gaussian filter (ISO 16610-21) of 50 UPR."), "{said}");
}

/// A ring with 50 lobes of ±0.01 mm that runs out by 0.02 mm about a spindle, whose size states a filter in vain.
#[test]
fn run_out_is_judged_after_a_filter_and_a_filter_in_vain_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let (features, plan) = (folder.path().join("ring.csv"), folder.path().join("plan.json"));
    let mut rows = "feature,x_mm,y_mm,z_mm\n".to_owned();
    let angle = |i: i32, count: i32| f64::from(i) * std::f64::consts::TAU / f64::from(count);
    for i in 0..4000 {
        let radius = 20.0 + 0.01 * (50.0 * angle(i, 4000)).cos();
        let (sin, cos) = angle(i, 4000).sin_cos();
        rows.push_str(&format!("ring,{},{},0\n", radius * cos, radius * sin));
    }
    for i in 0..360 {
        let (sin, cos) = angle(i, 36).sin_cos();
        rows.push_str(&format!("spindle,{},{},{}\n", 0.01 + 5.0 * cos, 5.0 * sin, -4.0 * f64::from(i / 36)));
    }
    std::fs::write(&features, rows).unwrap();
    let plan_text = r#"{ "datums": { "A": "spindle" }, "tolerances": [
        { "feature": "ring", "characteristic": "circular_run_out", "limit_mm": 0.035, "datums": ["A"], "filter_upr": 50 },
        { "feature": "spindle", "characteristic": "size", "lower_mm": 9.9, "upper_mm": 10.1, "filter_mm": 1 }
    ] }"#;
    std::fs::write(&plan, plan_text).unwrap();
    let output = judge(&features, &plan, &["--fit", "ring=circle", "--fit", "spindle=cylinder", "--json"]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    let said: Value = serde_json::from_slice(&output.stdout).unwrap();
    let judged = |index: usize| said["tolerances"][index]["judged"].clone();
    // Unfiltered it is 0.04 mm.
    let run_out = judged(0);
    assert!(
        (run_out["measured_mm"].as_f64().unwrap() - 0.03).abs() < 2e-4 && run_out["verdict"] == "in",
        "{run_out:#}"
    );
    assert_eq!(run_out["preparation"], "after a Gaussian filter (ISO 16610-21) of 50 UPR");
    let in_vain = "not filtered: a filter has no effect on this characteristic of this feature";
    assert_eq!(judged(1)["preparation"], in_vain);
}

#[test]
fn a_size_by_its_fit_is_judged_by_the_limits_of_the_fit() {
    let Files { folder, features, plan: _ } = files();
    let limits = r#""lower_mm": 9.95, "upper_mm": 10.05"#;
    let with = |fit: &str| {
        let plan = folder.path().join("fit.json");
        assert!(PLAN.contains(limits));
        std::fs::write(&plan, PLAN.replace(limits, &format!(r#""fit": "{fit}""#))).unwrap();
        judge(&features, &plan, &kinds_and(&["--json"]))
    };
    // The bore of 10.02 mm is too large for H7, 10 to 10.015 mm, and not for H9, to 10.036 mm; its nominal is 10 mm.
    for (fit, upper, verdict) in [("H7", 10.015, "out"), ("10 H9", 10.036, "in")] {
        let output = with(fit);
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", errors(&output)));
        let row = &answer["tolerances"][0];
        assert_eq!(row["judged"]["limit_mm"], upper, "{row:#}");
        assert_eq!(row["judged"]["verdict"], verdict, "{row:#}");
        let class = if fit.starts_with("10") { fit.to_owned() } else { format!("10 {fit}") };
        assert_eq!(row["tolerance"]["fit"], class);
        assert!(row["judged"]["how"].as_str().unwrap().contains(&format!("limits of “{class}” (ISO 286)")), "{row:#}");
    }
    let refused = with("10 j9");
    assert_ne!(refused.status.code(), Some(0));
    assert!(errors(&refused).contains("deviations of “j9” are not known here"), "{}", errors(&refused));
}
