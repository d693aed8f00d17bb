//! `bench calibration`: random mountings of a simulated sensor, and how well they are found.

use serde_json::{Value, json};

use super::super::arguments::Bench;
use crate::base::Result;
use crate::inspect::calibration::ArtefactKind;
use crate::inspect::calibration::artefacts::Imperfect;
use crate::inspect::calibration::trials::{JointTrial, Setting, joint_trials, summary, trials};
use crate::inspect::simulation::cmm::Cmm;
use crate::inspect::simulation::sensor::Sensor;

/// As published of the machine.
const SQUARENESS_RAD: f64 = 8.073e-4;

/// What is measured: a name for `--only`, what it is called, and how it differs from the usual.
fn cases() -> Vec<(&'static str, String, Setting)> {
    let usual = Setting::default();
    let mut cases = vec![
        ("brushed", "Angled slots, regions brushed".to_owned(), usual.clone()),
        ("found", "Angled slots, regions found".to_owned(), Setting { automatic: true, ..usual.clone() }),
    ];
    // What the source names as the errors of each kind: rounded rims, plastic glued unevenly, points in bins.
    let (rounded, uneven) = (
        Imperfect { rounding_mm: 0.5, ..Imperfect::default() },
        Imperfect { flatness_mm: 0.1, ..Imperfect::default() },
    );
    let (worn, glued) = (
        Imperfect { rounding_mm: 0.2, askew_mm: 0.6, ..Imperfect::default() },
        Imperfect { flatness_mm: 0.1, askew_mm: 0.2, ..Imperfect::default() },
    );
    let binned = Sensor { bin_mm: 0.1, ..Sensor::default() };
    let others = [
        ("frustum", ArtefactKind::Frustum, "", usual.clone()),
        ("three-spheres", ArtefactKind::ThreeSpheres, "", usual.clone()),
        ("sphere", ArtefactKind::Sphere, "", usual.clone()),
        ("square-slots", ArtefactKind::SquareSlots, "", usual.clone()),
        (
            "square-slots",
            ArtefactKind::SquareSlots,
            ", rims rounded by 0.5 mm",
            Setting { imperfect: rounded, ..usual.clone() },
        ),
        (
            "square-slots",
            ArtefactKind::SquareSlots,
            ", rims rounded by 0.2 mm at one end and 0.8 mm at the other",
            Setting { imperfect: worn, ..usual.clone() },
        ),
        ("greyscale-slots", ArtefactKind::GreyscaleSlots, "", usual.clone()),
        (
            "greyscale-slots",
            ArtefactKind::GreyscaleSlots,
            ", points in bins of 0.1 mm, flat to 0.1 mm",
            Setting { sensor: binned, imperfect: uneven, ..usual.clone() },
        ),
        (
            "greyscale-slots",
            ArtefactKind::GreyscaleSlots,
            ", points in bins of 0.1 mm, flat to 0.1 mm, the cover glued askew by 0.2 mm over a slot",
            Setting { sensor: binned, imperfect: glued, ..usual.clone() },
        ),
        ("pen-lines", ArtefactKind::PenLines, "", usual.clone()),
        (
            "pen-lines",
            ArtefactKind::PenLines,
            ", points in bins of 0.1 mm, flat to 0.1 mm",
            Setting { sensor: binned, imperfect: uneven, ..usual },
        ),
    ];
    cases.extend(others.map(|(name, artefact, how, setting)| {
        (name, format!("{}{how}", artefact.artefact().name()), Setting { artefact, ..setting })
    }));
    cases
}

/// Runs it.
pub fn run(arguments: &Bench) -> Result<Value> {
    let mut rows = Vec::new();
    let wanted = |name: &str| arguments.only.as_ref().is_none_or(|only| only == name);
    for (_, case, setting) in cases().into_iter().filter(|(name, ..)| wanted(name)) {
        let started = std::time::Instant::now();
        let figures = summary(&trials(&setting, arguments.mountings)?);
        let seconds = started.elapsed().as_secs_f64();
        // A long run that is cut off has said what it knew.
        eprintln!("{case}: {figures}");
        rows.push(json!({ "case": case, "figures": figures, "seconds": seconds }));
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
