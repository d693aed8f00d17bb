//! `bench calibration`: accuracy of the calibration at random mountings of a simulated sensor.

use std::ops::RangeInclusive;

use serde_json::{Value, json};

use super::super::arguments::Bench;
use base::Result;
use inspect::calibration::ArtefactKind;
use inspect::calibration::artefacts::Imperfect;
use inspect::calibration::trials::{
    JointTrial, Mishap, Setting, coverage, joint_trials, mishap_trials, summary, trials,
};
use inspect::simulation::cmm::Cmm;
use inspect::simulation::sensor::Sensor;
use inspect::simulation::systematic::SystematicErrorForm;

/// Published squareness error of the CMM, rad.
const SQUARENESS_RAD: f64 = 8.073e-4;

/// The cases: name for `--only`, title, and setting.
fn cases() -> Vec<(&'static str, String, Setting)> {
    let usual = Setting::default();
    let mut cases = vec![
        ("brushed", "Angled slots, regions brushed".to_owned(), usual.clone()),
        ("found", "Angled slots, regions found".to_owned(), Setting { automatic: true, ..usual.clone() }),
    ];
    // Errors that the source names for each kind of artefact: rounded rims, unevenly glued plastic, quantised points.
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
    let is_usual = arguments.form.is_none() && arguments.artefact.is_none();
    let wanted = |name: &str| is_usual && arguments.only.as_ref().is_none_or(|only| only == name);
    for (_, case, setting) in cases().into_iter().filter(|(name, ..)| wanted(name)) {
        let started = std::time::Instant::now();
        let figures = summary(&trials(&setting, arguments.mountings)?);
        let seconds = started.elapsed().as_secs_f64();
        // Printed at once, so that an interrupted run leaves its results so far.
        eprintln!("{case}: {figures}");
        rows.push(json!({ "case": case, "figures": figures, "seconds": seconds }));
    }
    if wanted("sphere-bias") {
        rows.extend(super::sphere_bias::rows(arguments.mountings.clamp(1, 20) as u64)?);
    }
    if wanted("squareness") {
        rows.extend(squareness(arguments)?);
    }
    // Run only on request: they take as long as all the others together.
    let is_requested = |name: &str| arguments.only.as_deref() == Some(name);
    let mut holds = None;
    if is_requested("mishaps") {
        holds = Some(mishaps(arguments, &mut rows)?);
    } else if is_requested("coverage") || !is_usual {
        holds = Some(coverage_rows(arguments, &mut rows)?);
    }
    let mut value = json!({ "schema": "shadowgraph.bench/1", "suite": "calibration", "rows": rows });
    if let (Some(holds), Some(value)) = (holds, value.as_object_mut()) {
        value.insert("holds".to_owned(), json!(holds));
    }
    Ok(value)
}

/// Range of the fraction of trials in which intervals stated as 95 % must contain the true value, for every form of the
/// systematic error and every artefact, of the coordinate or angle that is covered least. The form of a sensor's error is
/// not known, so that an interval that holds for the worst holds more often for the others.
const COVERAGE: RangeInclusive<f64> = 0.93..=1.0;

fn artefacts(arguments: &Bench) -> impl Iterator<Item = ArtefactKind> {
    let only = arguments.artefact;
    ArtefactKind::ALL.into_iter().filter(move |kind| only.is_none_or(|only| only == *kind))
}

/// Realistic mountings, with every form of the systematic sensor error: how often the stated intervals contain the true
/// value. Returns whether they do about as often as stated.
fn coverage_rows(arguments: &Bench, rows: &mut Vec<Value>) -> Result<bool> {
    let mut all = true;
    let forms = SystematicErrorForm::ALL.into_iter().filter(|form| arguments.form.is_none_or(|only| only == *form));
    for (artefact, form) in artefacts(arguments).flat_map(|artefact| forms.clone().map(move |form| (artefact, form))) {
        let started = std::time::Instant::now();
        let found = trials(&Setting::at_work(artefact, form), arguments.mountings)?;
        let (case, [min, mean]) = (format!("{}, {}", artefact.artefact().name(), form.name()), coverage(&found));
        let holds = COVERAGE.contains(&min);
        all &= holds;
        let (figures, seconds) = (summary(&found), started.elapsed().as_secs_f64());
        eprintln!("{case}: coverage minimum {min:.3}, mean {mean:.3}; {figures}");
        rows.push(json!({
            "case": case,
            "artefact": artefact,
            "form": form,
            "coverage_least": min,
            "coverage_mean": mean,
            "holds": holds,
            "figures": figures,
            "seconds": seconds,
        }));
    }
    Ok(all)
}

/// Operating mistakes and faults. Returns whether none of them was certified, or only without harm.
fn mishaps(arguments: &Bench, rows: &mut Vec<Value>) -> Result<bool> {
    let mut all = true;
    for (artefact, mishap) in artefacts(arguments).flat_map(|artefact| Mishap::ALL.map(|mishap| (artefact, mishap))) {
        if !mishap.shows_on(artefact) {
            continue;
        }
        let found =
            mishap_trials(&Setting::at_work(artefact, SystematicErrorForm::Waves), mishap, arguments.mountings)?;
        let certified = found.iter().filter(|own| own.certified).count();
        let harmful = found.iter().filter(|own| own.certified && !own.holds).count();
        let holds = match mishap {
            _ if mishap.is_wrong() => certified == 0,
            Mishap::RadiusOff => harmful == 0,
            // By chance one in eight lies outside U (k = 2) of one of three angles.
            _ => harmful * 5 <= found.len(),
        };
        let worst = found.iter().filter(|own| own.certified).map(|own| own.error).fold(0.0, f64::max);
        all &= holds;
        let case = format!("{}, {mishap:?}", artefact.artefact().name());
        let refused = found.iter().filter(|own| own.refused).count();
        eprintln!(
            "{case}: {certified} of {} certified, {refused} refused, {harmful} certified and wrong (largest error {worst:.2} U)",
            found.len()
        );
        rows.push(json!({
            "case": case,
            "artefact": artefact,
            "mishap": mishap,
            "mountings": found.len(),
            "refused": refused,
            "certified": certified,
            "certified_and_wrong": harmful,
            "largest_certified_error": worst,
            "holds": holds,
        }));
    }
    Ok(all)
}

/// A CMM with a squareness error: calibrated from one placement of the artefact, and with the squareness estimated from
/// four.
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
