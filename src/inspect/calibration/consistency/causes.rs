//! What a pattern of disagreements is most likely due to.

use super::super::artefacts::Aspect;
use super::{COVERAGE, Comparison, Outcome, ShapeDeviation};

/// A cause must leave less than this share of the weighted squares.
const EXPLAINED: f64 = 0.25;
/// A stylus tip farther off than this is no slip, mm, and neither is a scale, of lengths.
const MOST_RADIUS_MM: f64 = 3.0;
const MOST_SCALE: f64 = 0.02;

/// One figure that would explain all differences.
struct Cause {
    value: f64,
    sigma: f64,
}

/// What disagrees, and why; nothing where all is well.
pub(super) fn sentences(
    comparisons: &[Comparison],
    shape: &[ShapeDeviation],
    limit: f64,
    probe_radius_mm: f64,
) -> Vec<String> {
    let mut said = Vec::new();
    said.extend(of_shape(shape));
    let off: Vec<&Comparison> = comparisons.iter().filter(|own| own.outcome == Outcome::Disagrees).collect();
    let Some(worst) = off.iter().max_by(|a, b| a.normalised.total_cmp(&b.normalised)) else { return said };
    let judged: Vec<&Comparison> = comparisons.iter().filter(|own| own.is_compared()).collect();
    said.push(format!(
        "Sensor and CMM disagree on {} of {} quantities of the artefact, most on: {}, {} by the sensor and {} by the CMM, \
         {:.1} times the expanded uncertainty of the difference.",
        off.len(),
        judged.len(),
        worst.quantity,
        worst.shown(worst.sensor),
        worst.shown(worst.cmm),
        worst.normalised
    ));
    said.push(cause(&judged, &off, limit, probe_radius_mm));
    said
}

fn cause(judged: &[&Comparison], off: &[&Comparison], limit: f64, probe_radius_mm: f64) -> String {
    let radius = explaining(judged, limit, |own| own.by_radius);
    if let Some(Cause { value, sigma }) = radius.filter(|own| own.value.abs() < MOST_RADIUS_MM) {
        let fitting = probe_radius_mm + value;
        if fitting > -COVERAGE * sigma {
            return format!(
                "The most likely cause is the stylus tip radius: {probe_radius_mm:.4} mm was stated, and the artefact is \
                 the same for both with {:.3} ± {:.3} mm.",
                fitting.max(0.0),
                COVERAGE * sigma
            );
        }
    }
    let length = |own: &Comparison| if own.aspect == Aspect::Distance { own.cmm } else { 0.0 };
    let scale = explaining(judged, limit, length).filter(|own| own.value.abs() < MOST_SCALE);
    if let Some(Cause { value, sigma }) = scale {
        return format!(
            "The most likely cause is a scale: lengths are {:.0} ± {:.0} µm/m longer by the sensor than by the CMM.",
            1e6 * value,
            2e6 * sigma
        );
    }
    let common = common_parts(off);
    if off.iter().all(|own| own.quantity.contains("against all snapshots")) {
        return "Snapshots contradict each other: check where the CMM stood at each, and whether the artefact was moved."
            .to_owned();
    }
    if let [lone] = off
        && lone.quantity.starts_with("Angle of the")
    {
        return "Only the angle between both directions differs: X and Y of the CMM may be out of square (several \
                placements a quarter turn apart show that), or one region is brushed on a wrong face."
            .to_owned();
    }
    if !common.is_empty() && off.len() > 1 {
        return format!("All of them involve {}: look at these points first.", common.join(", "));
    }
    if off.iter().any(|own| own.aspect.is_angle()) {
        return "Angles of the artefact differ: the two files do not show the same artefact, or regions are exchanged or \
                brushed on wrong faces."
            .to_owned();
    }
    "Lengths of the artefact differ and its angles do not: the two files do not show the same artefact, or a figure of \
     the set-up is wrong."
        .to_owned()
}

/// The value of a figure that makes all differences chance, where differences are `by` of 1 of it.
fn explaining(judged: &[&Comparison], limit: f64, by: impl Fn(&Comparison) -> f64) -> Option<Cause> {
    let weight = |own: &Comparison| own.sigma.powi(-2);
    let information: f64 = judged.iter().map(|own| weight(own) * by(own).powi(2)).sum();
    if !(information > 0.0) {
        return None;
    }
    let value = judged.iter().map(|own| weight(own) * by(own) * own.difference()).sum::<f64>() / information;
    let left = |own: &Comparison| own.difference() - by(own) * value;
    let squares = |of: &dyn Fn(&Comparison) -> f64| judged.iter().map(|own| weight(own) * of(own).powi(2)).sum::<f64>();
    let is_chance = judged.iter().all(|own| left(own).abs() <= limit * COVERAGE * own.sigma);
    let (before, after) = (squares(&Comparison::difference), squares(&left));
    (is_chance && after < EXPLAINED * before).then(|| Cause { value, sigma: information.powf(-0.5) })
}

/// Parts that all of them are made of.
fn common_parts(off: &[&Comparison]) -> Vec<&'static str> {
    let first = off.first().map(|own| own.parts.clone()).unwrap_or_default();
    first.into_iter().filter(|part| off.iter().all(|own| own.parts.contains(part))).collect()
}

fn of_shape(shape: &[ShapeDeviation]) -> Option<String> {
    let apart = |own: &&ShapeDeviation| (own.measured - own.nominal).abs();
    let off = shape.iter().filter(|own| own.outcome == Outcome::Disagrees);
    let worst = off.max_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some(format!(
        "{} is {:.2}°, and the artefact of that name has {:.0}°: this is another artefact. One of your own is known by its \
         CAD.",
        worst.quantity,
        worst.measured.to_degrees(),
        worst.nominal.to_degrees()
    ))
}
