//! `bench calibration`: random mountings of a simulated sensor, and how well they are found.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use crate::base::Result;
use crate::inspect::calibration::trials::{JointTrial, Setting, joint_trials, summary, trials};
use crate::inspect::simulation::cmm::Cmm;

/// As published of the machine.
const SQUARENESS_RAD: f64 = 8.073e-4;

/// Runs it, with regions as by hand and as the program finds them.
pub fn run(arguments: &Bench) -> Result<Value> {
    let mut rows = Vec::new();
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| only == name);
    for (regions, automatic) in [("brushed", false), ("found", true)].into_iter().filter(|(name, _)| wanted(name)) {
        let setting = Setting { automatic, ..Setting::default() };
        let started = std::time::Instant::now();
        let figures = summary(&trials(&setting, arguments.mountings)?);
        let seconds = started.elapsed().as_secs_f64();
        rows.push(
            json!({ "case": format!("angled slots, regions {regions}"), "figures": figures, "seconds": seconds }),
        );
    }
    if wanted("squareness") {
        rows.extend(squareness(arguments)?);
    }
    Ok(json!({ "schema": "shadowgraph.bench/1", "suite": "calibration", "rows": rows }))
}

/// A machine whose axes are out of square: one placement of the artefact, and the squareness found from four.
fn squareness(arguments: &Bench) -> Result<[Value; 2]> {
    let setting = Setting { cmm: Cmm { squareness_rad: SQUARENESS_RAD, ..Cmm::default() }, ..Setting::default() };
    let found = joint_trials(&setting, arguments.mountings.div_ceil(4), 4)?;
    let rms = |of: &dyn Fn(&JointTrial) -> f64| {
        (found.iter().map(|trial| of(trial).powi(2)).sum::<f64>() / found.len().max(1) as f64).sqrt()
    };
    let alone = json!({
        "case": "angled slots, axes out of square by 8.073e-4 rad, one placement, uncorrected",
        "mountings": found.len(),
        "angle_rms_deg": rms(&|trial| trial.alone_angle_rad.to_degrees()),
        "place_rms_mm": rms(&|trial| trial.alone_place_mm),
    });
    let corrected = json!({
        "case": "the same, squareness found from four placements",
        "mountings": found.len(),
        "angle_rms_deg": rms(&|trial| trial.angle_rad.to_degrees()),
        "place_rms_mm": rms(&|trial| trial.place_mm),
        "squareness_rms_rad": rms(&|trial| trial.squareness_rad),
        "squareness_stated_sigma_rad": rms(&|trial| trial.squareness_sigma_rad),
        "misfit": rms(&|trial| trial.misfit),
    });
    Ok([alone, corrected])
}
