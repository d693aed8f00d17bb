//! Consistency of a calibration: whether both instruments measured the same artefact, each correctly.
//!
//! The mounting alone cannot show this: any two frames can be aligned with each other. But the same regions determine
//! more than a frame. Angles, depths, widths and distances of the artefact are the same in every frame, so the values
//! of sensor and CMM must agree within their uncertainties. Where they differ, there is an error that no fit shows:
//! another artefact, a wrong stylus tip radius, a region on a wrong face, axes out of square, a scale error.
//!
//! Three further checks use the same data: whether the artefact has the shape that its kind implies (both instruments
//! may agree on a different one), whether the probed points lie on the surface that the snapshot shows, and whether the
//! sensor is mounted in the usual orientation. The labels of an artefact that is nearly symmetric under rotation by
//! 180° can be rotated by 180° as well; what the first two checks leave open, the mounting resolves.

mod causes;
mod mounting_check;
mod on_snapshot;
mod spread;
mod unseen;

use serde::Serialize;

pub use mounting_check::MountingCheck;
pub use on_snapshot::TouchesOnSnapshot;
pub use spread::Spread;

use super::artefacts::{Aspect, Invariants};
use super::joint::Joint;
use super::solve::{Frames, Request};
use super::{ArtefactFrame, Light, Mounting, MountingUncertainty};
use base::Result;
use geometry::Point;

/// Probability that correct measurements are reported to disagree in any of their quantities.
const FALSE_ALARM: f64 = 1e-3;
/// Maximum expanded uncertainty (k = 2) at which an agreement is judged, mm and rad.
const MAX_JUDGED_UNCERTAINTY_MM: f64 = 0.5;
const MAX_JUDGED_UNCERTAINTY_RAD: f64 = 0.5 * std::f64::consts::PI / 180.0;
/// Tolerance of the angles that the kind of artefact implies, rad.
const SHAPE_TOLERANCE_RAD: f64 = 2.0 * std::f64::consts::PI / 180.0;
/// Coverage factor of expanded uncertainties.
const COVERAGE: f64 = 2.0;

/// Outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The difference is explained by its uncertainty at the chosen significance level.
    Agrees,
    /// The difference is larger.
    Disagrees,
    /// The uncertainty is too large for a statement.
    NotJudged,
}

/// A quantity of the artefact as measured by both instruments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Name shown to the operator.
    pub quantity: String,
    /// Kind of quantity.
    pub aspect: Aspect,
    /// Index of the snapshot, from 0.
    pub snapshot: usize,
    /// Measured by the sensor, mm or rad.
    pub sensor: f64,
    /// Measured by the CMM, mm or rad; 0 for residuals of a snapshot.
    pub cmm: f64,
    /// Combined standard uncertainty of the difference, mm or rad.
    pub sigma: f64,
    /// What it consists of.
    #[serde(skip)]
    pub spread: Spread,
    /// Largest normalised deviation that chance and the stated systematic error explain.
    pub limit: f64,
    /// Normalised deviation: the difference divided by its expanded uncertainty (k = 2); ISO/IEC 17043.
    pub normalised: f64,
    /// Outcome of the comparison.
    pub outcome: Outcome,
    /// Short names of the regions or parts that it is derived from.
    #[serde(skip)]
    pub parts: Vec<&'static str>,
    /// Derivative of the CMM's value by the stylus tip radius, per mm.
    #[serde(skip)]
    pub radius_sensitivity: f64,
}

impl Comparison {
    /// Sensor minus CMM, mm or rad.
    pub fn difference(&self) -> f64 {
        self.sensor - self.cmm
    }

    /// Green within the expanded uncertainty, amber beyond it but within the limit for chance; also amber if not
    /// judged.
    pub fn light(&self) -> Light {
        match self.outcome {
            Outcome::Agrees if self.normalised <= 1.0 => Light::Green,
            Outcome::Agrees | Outcome::NotJudged => Light::Amber,
            Outcome::Disagrees => Light::Red,
        }
    }

    /// Formats a value of this quantity with its unit.
    pub fn shown(&self, value: f64) -> String {
        if self.aspect.is_angle() { format!("{:.4}°", value.to_degrees()) } else { format!("{value:.4} mm") }
    }

    /// Whether it has an uncertainty to compare the difference with.
    fn is_compared(&self) -> bool {
        self.sigma > 0.0 && self.normalised.is_finite()
    }

    fn new(quantity: String, aspect: Aspect, snapshot: usize, [sensor, cmm]: [f64; 2], spread: Spread) -> Self {
        let sigma = spread.sigma();
        let normalised = if sigma > 0.0 { (sensor - cmm).abs() / (COVERAGE * sigma) } else { 0.0 };
        Self {
            quantity,
            aspect,
            snapshot,
            sensor,
            cmm,
            sigma,
            spread,
            limit: 0.0,
            normalised,
            outcome: Outcome::NotJudged,
            parts: Vec::new(),
            radius_sensitivity: 0.0,
        }
    }

    /// A difference beyond the limit is significant, however large the uncertainty; agreement is stated only if the
    /// uncertainty is small. `sigmas`: limit of a normal variable, in standard deviations.
    fn judged(self, sigmas: f64) -> Self {
        let max_uncertainty =
            if self.aspect.is_angle() { MAX_JUDGED_UNCERTAINTY_RAD } else { MAX_JUDGED_UNCERTAINTY_MM };
        let limit = if self.sigma > 0.0 { self.spread.limit(sigmas) / (COVERAGE * self.sigma) } else { 0.0 };
        let outcome = match self.is_compared() {
            true if self.normalised > limit => Outcome::Disagrees,
            true if COVERAGE * self.sigma <= max_uncertainty => Outcome::Agrees,
            _ => Outcome::NotJudged,
        };
        Self { outcome, limit, ..self }
    }
}

/// A quantity of the artefact compared with the nominal value that its kind implies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapeDeviation {
    /// Name shown to the operator.
    pub quantity: String,
    /// Nominal value, mm or rad.
    pub nominal: f64,
    /// Measured by the CMM, mm or rad.
    pub measured: f64,
    /// Outcome of the comparison.
    pub outcome: Outcome,
}

/// Result of all consistency checks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consistency {
    /// Quantities of the artefact by both instruments, followed by the residuals of each snapshot if there are several.
    pub comparisons: Vec<Comparison>,
    /// Limit of the normalised deviation of a normal variable, adjusted for the number of comparisons; that of each
    /// comparison is at most this.
    pub limit: f64,
    /// Deviations from the shape implied by the kind of artefact; empty if it implies none, or if the user's own CAD
    /// model is used.
    pub shape: Vec<ShapeDeviation>,
    /// Probed points compared with the snapshots; `None` if none could be compared.
    pub touches: Option<TouchesOnSnapshot>,
    /// Orientation of the sensor on the CMM.
    pub mounted: MountingCheck,
    /// Sentences on what disagrees, and on the most likely cause.
    pub causes: Vec<String>,
    /// Sentences on errors that these measurements cannot reveal, and on what would reveal them.
    pub unseen: Vec<String>,
}

impl Consistency {
    /// Whether both instruments agree on the artefact; comparisons that are not judged are left out.
    pub fn agreement(&self) -> Light {
        let judged = self.comparisons.iter().filter(|own| own.outcome != Outcome::NotJudged);
        Light::worst(judged.map(Comparison::light))
    }

    /// Whether the artefact has the shape of its kind.
    pub fn shape_light(&self) -> Light {
        let is_off = self.shape.iter().any(|own| own.outcome == Outcome::Disagrees);
        if is_off { Light::Red } else { Light::Green }
    }

    /// The worst of all lights.
    pub fn light(&self) -> Light {
        let touches = self.touches.as_ref().map_or(Light::Green, TouchesOnSnapshot::light);
        Light::worst([self.agreement(), self.shape_light(), touches, self.mounted.light()])
    }
}

/// Input of the consistency checks.
pub(super) struct CheckInput<'a> {
    pub request: &'a Request<'a>,
    pub frames: &'a Frames,
    /// Whole snapshots, thinned, right-handed, mm; empty if only regions are known.
    pub surfaces: &'a [Vec<Point>],
    pub joint: Option<&'a Joint>,
    pub mounting: &'a Mounting,
    pub uncertainty: &'a MountingUncertainty,
}

/// Performs all checks.
pub(super) fn check(input: &CheckInput<'_>) -> Result<Consistency> {
    let CheckInput { request, frames, .. } = input;
    // Geometric errors of the CMM that were determined are corrected first.
    let cmm_errors = input.joint.map(|joint| joint.faults).unwrap_or_default();
    let corrected = request.cmm_frames(&|point| cmm_errors.corrected(point))?;
    let mut comparisons = Vec::new();
    for (index, ((placement, _), sensor)) in request.views().zip(&frames.sensor).enumerate() {
        let stylus_mm = request.probe_radius_error_mm.unwrap_or(0.0);
        comparisons.extend(invariant_comparisons(
            &sensor.invariants,
            &corrected[placement].invariants,
            index,
            stylus_mm,
        ));
    }
    if let Some(joint) = input.joint.filter(|joint| joint.redundancy > 0) {
        comparisons.extend(residual_comparisons(joint));
    }
    let limit = critical_deviation(comparisons.iter().filter(|own| own.is_compared()).count());
    let sigmas = limit * COVERAGE;
    let comparisons: Vec<Comparison> = comparisons.into_iter().map(|own| own.judged(sigmas)).collect();
    let shape = if request.own_shape { Vec::new() } else { corrected.iter().flat_map(shape_deviations).collect() };
    let touches = on_snapshot::check(input, &corrected);
    let mounted = MountingCheck::of(input.mounting, frames.centroid, request.any_mounting);
    let causes = causes::sentences(&comparisons, &shape, request.probe_radius_mm);
    let unseen = unseen::sentences(input, &comparisons);
    Ok(Consistency { comparisons, limit, shape, touches, mounted, causes, unseen })
}

/// Comparisons of the artefact's quantities; an error of the stylus tip radius up to `stylus_mm`, as stated, is no
/// disagreement.
fn invariant_comparisons<'a>(
    sensor: &'a Invariants,
    cmm: &'a Invariants,
    snapshot: usize,
    stylus_mm: f64,
) -> impl Iterator<Item = Comparison> {
    sensor.quantities.iter().enumerate().filter_map(move |(k, own)| {
        let j = cmm.position(&own.name)?;
        let other = &cmm.quantities[j];
        let (noise, fixed, random) = sensor.parts_of_variance(k);
        let stylus = (other.radius_sensitivity * stylus_mm).abs();
        let spread = Spread { noise: noise + cmm.variance(j), fixed, random }.with_fixed(stylus);
        let compared = Comparison::new(own.name.clone(), own.aspect, snapshot, [own.value, other.value], spread);
        Some(Comparison { parts: own.parts.clone(), radius_sensitivity: other.radius_sensitivity, ..compared })
    })
}

/// Residuals of each snapshot after the joint solution.
fn residual_comparisons(joint: &Joint) -> impl Iterator<Item = Comparison> {
    const NAMES: [&str; 6] =
        ["Shift along X", "Shift along Y", "Shift along Z", "Rotation about X", "Rotation about Y", "Rotation about Z"];
    joint.residuals.iter().zip(&joint.residual_sigmas).enumerate().flat_map(|(index, (residual, sigmas))| {
        (0..6).filter(move |&k| sigmas[k] > 0.0).map(move |k| {
            let aspect = if k < 3 { Aspect::Distance } else { Aspect::Angle };
            let name = format!("{} against all snapshots", NAMES[k]);
            Comparison::new(name, aspect, index, [residual[k], 0.0], Spread::normal(sigmas[k]))
        })
    })
}

fn shape_deviations(cmm: &ArtefactFrame) -> Vec<ShapeDeviation> {
    let implied = cmm.invariants.quantities.iter().filter_map(|own| own.nominal.map(|nominal| (own, nominal)));
    implied
        .map(|(own, nominal)| {
            let is_off = (own.value - nominal).abs() > SHAPE_TOLERANCE_RAD;
            let outcome = if is_off { Outcome::Disagrees } else { Outcome::Agrees };
            ShapeDeviation { quantity: own.name.clone(), nominal, measured: own.value, outcome }
        })
        .collect()
}

/// Normalised deviation that the largest of `count` exceeds by chance with probability [`FALSE_ALARM`] (Bonferroni).
fn critical_deviation(count: usize) -> f64 {
    let each = FALSE_ALARM / count.max(1) as f64;
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let midpoint = 0.5 * (low + high);
        if two_sided_tail(midpoint) > each { low = midpoint } else { high = midpoint }
    }
    low / COVERAGE
}

/// Probability that a normal variable deviates from its mean by more than this many standard deviations, either way:
/// the complementary error function by a rational Chebyshev fit (Press et al., "Numerical Recipes", 6.2; relative error
/// 1.2e-7).
pub(super) fn two_sided_tail(sigmas: f64) -> f64 {
    const TERMS: [f64; 10] = [
        -1.265_512_23,
        1.000_023_68,
        0.374_091_96,
        0.096_784_18,
        -0.186_288_06,
        0.278_868_07,
        -1.135_203_98,
        1.488_515_87,
        -0.822_152_23,
        0.170_872_77,
    ];
    let x = sigmas * std::f64::consts::FRAC_1_SQRT_2;
    let t = 1.0 / (1.0 + 0.5 * x);
    t * (-x * x + TERMS.iter().rev().fold(0.0, |sum, term| sum * t + term)).exp()
}

#[cfg(test)]
mod tests;
