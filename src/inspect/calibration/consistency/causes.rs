//! Most likely cause of a pattern of disagreements.

use super::super::artefacts::Aspect;
use super::super::stylus::MAX_RADIUS_ERROR_MM;
use super::{COVERAGE, Comparison, Outcome, ShapeDeviation};

/// Maximum share of the weighted squares that a cause may leave unexplained.
const MAX_UNEXPLAINED_SHARE: f64 = 0.25;
/// Maximum scale error that is considered as a cause.
const MAX_SCALE_ERROR: f64 = 0.02;

/// Error of one parameter that would explain all differences, with its standard uncertainty.
struct Cause {
    value: f64,
    sigma: f64,
}

/// What disagrees, and why; empty if everything agrees.
pub(super) fn sentences(comparisons: &[Comparison], shape: &[ShapeDeviation], probe_radius_mm: f64) -> Vec<String> {
    let mut sentences = Vec::new();
    sentences.extend(shape_sentence(shape));
    let off: Vec<&Comparison> = comparisons.iter().filter(|own| own.outcome == Outcome::Disagrees).collect();
    let Some(worst) = off.iter().max_by(|a, b| a.normalised.total_cmp(&b.normalised)) else { return sentences };
    let judged: Vec<&Comparison> = comparisons.iter().filter(|own| own.is_compared()).collect();
    sentences.push(format!(
        "Sensor and CMM disagree on {} of {} quantities of the artefact. The largest disagreement is {}: {} by the \
         sensor and {} by the CMM, {:.1} times the expanded uncertainty of the difference.",
        off.len(),
        judged.len(),
        worst.quantity,
        worst.shown(worst.sensor),
        worst.shown(worst.cmm),
        worst.normalised
    ));
    sentences.push(cause(&judged, &off, probe_radius_mm));
    sentences
}

fn cause(judged: &[&Comparison], off: &[&Comparison], probe_radius_mm: f64) -> String {
    let radius_error = explaining(judged, |own| own.radius_sensitivity);
    if let Some(Cause { value, sigma }) = radius_error.filter(|own| own.value.abs() < MAX_RADIUS_ERROR_MM) {
        let radius_mm = probe_radius_mm + value;
        if radius_mm > -COVERAGE * sigma {
            return format!(
                "The most likely cause is the stylus tip radius: {probe_radius_mm:.4} mm was stated, but both \
                 instruments agree with {:.3} ± {:.3} mm.",
                radius_mm.max(0.0),
                COVERAGE * sigma
            );
        }
    }
    let length = |own: &Comparison| if own.aspect == Aspect::Distance { own.cmm } else { 0.0 };
    let scale_error = explaining(judged, length).filter(|own| own.value.abs() < MAX_SCALE_ERROR);
    if let Some(Cause { value, sigma }) = scale_error {
        return format!(
            "The most likely cause is a scale error: lengths measured by the sensor are {:.0} ± {:.0} µm/m longer than \
             those measured by the CMM.",
            1e6 * value,
            2e6 * sigma
        );
    }
    let common = common_parts(off);
    if off.iter().all(|own| own.quantity.contains("against all snapshots")) {
        return "The snapshots contradict each other: check the CMM position of each, and whether the artefact was \
             moved."
            .to_owned();
    }
    if let [single] = off
        && single.quantity.starts_with("Angle of the")
    {
        return "Only the angle between the two directions differs: X and Y of the CMM may be out of square (several \
             placements rotated by 90° would show that), or one region is brushed on a wrong face."
            .to_owned();
    }
    if !common.is_empty() && off.len() > 1 {
        return format!("All of them involve {}: check these points first.", common.join(", "));
    }
    if off.iter().any(|own| own.aspect.is_angle()) {
        return "Angles of the artefact differ: the two files do not show the same artefact, or regions are exchanged \
             or brushed on wrong faces."
            .to_owned();
    }
    "Lengths of the artefact differ but its angles do not: the two files do not show the same artefact, or a value of \
     the setup is wrong."
        .to_owned()
}

/// Value of a parameter that reduces all differences to chance; `sensitivity` is the derivative of a difference by it.
fn explaining(judged: &[&Comparison], sensitivity: impl Fn(&Comparison) -> f64) -> Option<Cause> {
    let weight = |own: &Comparison| own.sigma.powi(-2);
    let information: f64 = judged.iter().map(|own| weight(own) * sensitivity(own).powi(2)).sum();
    if !(information > 0.0) {
        return None;
    }
    let value = judged.iter().map(|own| weight(own) * sensitivity(own) * own.difference()).sum::<f64>() / information;
    let residual = |own: &Comparison| own.difference() - sensitivity(own) * value;
    let squares = |of: &dyn Fn(&Comparison) -> f64| judged.iter().map(|own| weight(own) * of(own).powi(2)).sum::<f64>();
    let is_chance = judged.iter().all(|own| residual(own).abs() <= own.limit * COVERAGE * own.sigma);
    let (before, after) = (squares(&Comparison::difference), squares(&residual));
    (is_chance && after < MAX_UNEXPLAINED_SHARE * before).then(|| Cause { value, sigma: information.powf(-0.5) })
}

/// Parts that all of the comparisons are derived from.
fn common_parts(off: &[&Comparison]) -> Vec<&'static str> {
    let first = off.first().map(|own| own.parts.clone()).unwrap_or_default();
    first.into_iter().filter(|part| off.iter().all(|own| own.parts.contains(part))).collect()
}

fn shape_sentence(shape: &[ShapeDeviation]) -> Option<String> {
    let deviation = |own: &&ShapeDeviation| (own.measured - own.nominal).abs();
    let off = shape.iter().filter(|own| own.outcome == Outcome::Disagrees);
    let worst = off.max_by(|a, b| deviation(a).total_cmp(&deviation(b)))?;
    Some(format!(
        "{} is {:.2}°, but the selected artefact has {:.0}°: this is another artefact. Use its CAD model if it is an \
         artefact of your own.",
        worst.quantity,
        worst.measured.to_degrees(),
        worst.nominal.to_degrees()
    ))
}
