//! Whether both instruments measured one artefact, each rightly.
//!
//! The mounting alone cannot tell: whatever the two frames are, one is brought onto the other. But the same regions hold
//! more than a frame. Angles, depths, widths and distances of the artefact are the same in every frame, so what the
//! sensor says of them must be what the CMM says, as sure as both are. Where they differ, something is wrong that no fit
//! shows: another artefact, a wrong stylus tip radius, a region on a wrong face, axes out of square, a scale.
//!
//! Three more looks at the same data: whether the artefact has the shape that its kind implies (both instruments may agree
//! on another one), whether the touches lie on the surface that the snapshot shows, and whether the sensor sits as sensors
//! are mounted. An artefact that looks about the same turned by half has labels that can be turned by half; what is left
//! of its symmetry, the mounting tells.

mod causes;
mod mounted;
mod on_snapshot;
mod unseen;

use serde::Serialize;

pub use mounted::Mounted;
pub use on_snapshot::TouchesOnSnapshot;

use super::artefacts::{Aspect, Invariants};
use super::joint::Joint;
use super::solve::{Frames, Request};
use super::{ArtefactFrame, Light, Mounting, MountingUncertainty};
use base::Result;
use geometry::Point;

/// Chance that sound measurements are said to disagree in any of their quantities.
const FALSE_ALARM: f64 = 1e-3;
/// A comparison less sure than this (k = 2) tells nothing: mm, and rad.
const TELLING_MM: f64 = 0.5;
const TELLING_RAD: f64 = 0.5 * std::f64::consts::PI / 180.0;
/// An angle that the kind of artefact implies holds to this, rad.
const SHAPE_RAD: f64 = 2.0 * std::f64::consts::PI / 180.0;
/// Coverage factor of expanded uncertainties.
const COVERAGE: f64 = 2.0;

/// What a comparison says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The difference is within its uncertainty, as often as chance wants it.
    Agrees,
    /// It is not.
    Disagrees,
    /// The uncertainty is too large to tell.
    NotJudged,
}

/// A quantity of the artefact by both instruments.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// As people call it.
    pub quantity: String,
    /// What kind it is.
    pub aspect: Aspect,
    /// In which snapshot, from 0.
    pub snapshot: usize,
    /// By the sensor, mm or rad.
    pub sensor: f64,
    /// By the CMM; of what is left of a snapshot, 0.
    pub cmm: f64,
    /// Combined standard uncertainty of the difference.
    pub sigma: f64,
    /// Normalised deviation: the difference over its expanded uncertainty (k = 2); ISO/IEC 17043.
    pub normalised: f64,
    /// What that says.
    pub outcome: Outcome,
    /// Regions or parts that it is made of.
    #[serde(skip)]
    pub parts: Vec<&'static str>,
    /// By how much the CMM's value changes with the stylus tip radius, per mm.
    #[serde(skip)]
    pub by_radius: f64,
}

impl Comparison {
    /// Sensor less CMM.
    pub fn difference(&self) -> f64 {
        self.sensor - self.cmm
    }

    /// Green within the expanded uncertainty, amber within chance; also amber where it is not judged.
    pub fn light(&self) -> Light {
        match self.outcome {
            Outcome::Agrees if self.normalised <= 1.0 => Light::Green,
            Outcome::Agrees | Outcome::NotJudged => Light::Amber,
            Outcome::Disagrees => Light::Red,
        }
    }

    /// A value of it with its unit.
    pub fn shown(&self, value: f64) -> String {
        if self.aspect.is_angle() { format!("{:.4}°", value.to_degrees()) } else { format!("{value:.4} mm") }
    }

    /// Whether it has an uncertainty to hold its difference against.
    fn is_compared(&self) -> bool {
        self.sigma > 0.0 && self.normalised.is_finite()
    }

    fn new(quantity: String, aspect: Aspect, snapshot: usize, [sensor, cmm]: [f64; 2], sigma: f64) -> Self {
        let normalised = if sigma > 0.0 { (sensor - cmm).abs() / (COVERAGE * sigma) } else { 0.0 };
        let (outcome, parts) = (Outcome::NotJudged, Vec::new());
        Self { quantity, aspect, snapshot, sensor, cmm, sigma, normalised, outcome, parts, by_radius: 0.0 }
    }

    /// A difference beyond the limit is none of chance, however large the uncertainty; one within it says something only
    /// where that is small.
    fn judged(self, limit: f64) -> Self {
        let telling = if self.aspect.is_angle() { TELLING_RAD } else { TELLING_MM };
        let outcome = match self.is_compared() {
            true if self.normalised > limit => Outcome::Disagrees,
            true if COVERAGE * self.sigma <= telling => Outcome::Agrees,
            _ => Outcome::NotJudged,
        };
        Self { outcome, ..self }
    }
}

/// A quantity against what the kind of artefact implies.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShapeDeviation {
    /// As people call it.
    pub quantity: String,
    /// Implied, mm or rad.
    pub nominal: f64,
    /// By the CMM.
    pub measured: f64,
    /// Whether it is of that shape.
    pub outcome: Outcome,
}

/// All that was looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Consistency {
    /// Quantities of the artefact by both instruments, and what is left of each snapshot where there are several.
    pub comparisons: Vec<Comparison>,
    /// Normalised deviations up to this are chance among so many.
    pub limit: f64,
    /// The artefact against what its kind implies; empty where that implies nothing, or where its own CAD is used.
    pub shape: Vec<ShapeDeviation>,
    /// Touches on the snapshots; `None` where none could be looked at.
    pub touches: Option<TouchesOnSnapshot>,
    /// How the sensor sits.
    pub mounted: Mounted,
    /// Sentences on what disagrees, and on the most likely cause.
    pub causes: Vec<String>,
    /// Sentences on what these measurements cannot show, and what would.
    pub unseen: Vec<String>,
}

impl Consistency {
    /// Whether both instruments agree on the artefact.
    pub fn agreement(&self) -> Light {
        let judged = self.comparisons.iter().filter(|own| own.outcome != Outcome::NotJudged);
        Light::worst(judged.map(Comparison::light))
    }

    /// Whether the artefact has the shape of its kind.
    pub fn shape_light(&self) -> Light {
        let is_off = self.shape.iter().any(|own| own.outcome == Outcome::Disagrees);
        if is_off { Light::Red } else { Light::Green }
    }

    /// The worst of all.
    pub fn light(&self) -> Light {
        let touches = self.touches.as_ref().map_or(Light::Green, TouchesOnSnapshot::light);
        Light::worst([self.agreement(), self.shape_light(), touches, self.mounted.light()])
    }
}

/// What a consistency is made from.
pub(super) struct Checked<'a> {
    pub request: &'a Request<'a>,
    pub frames: &'a Frames,
    /// Whole snapshots, thinned, right-handed; empty where only regions are known.
    pub surfaces: &'a [Vec<Point>],
    pub joint: Option<&'a Joint>,
    pub mounting: &'a Mounting,
    pub uncertainty: &'a MountingUncertainty,
}

/// Looks at all of it.
pub(super) fn check(checked: &Checked<'_>) -> Result<Consistency> {
    let Checked { request, frames, .. } = checked;
    // Faults of the machine that were found are no disagreement.
    let faults = checked.joint.map(|joint| joint.faults).unwrap_or_default();
    let corrected = request.cmm_frames(&|place| faults.truth(place))?;
    let mut comparisons = Vec::new();
    for (number, ((placement, _), sensor)) in request.views().zip(&frames.sensor).enumerate() {
        comparisons.extend(compared(&sensor.invariants, &corrected[placement].invariants, number));
    }
    if let Some(joint) = checked.joint.filter(|joint| joint.redundancy > 0) {
        comparisons.extend(left(joint));
    }
    let limit = limit_of(comparisons.iter().filter(|own| own.is_compared()).count());
    let comparisons: Vec<Comparison> = comparisons.into_iter().map(|own| own.judged(limit)).collect();
    let shape = if request.own_shape { Vec::new() } else { corrected.iter().flat_map(of_shape).collect() };
    let touches = on_snapshot::check(checked, &corrected);
    let mounted = Mounted::of(checked.mounting, frames.middle, request.any_mounting);
    let causes = causes::sentences(&comparisons, &shape, limit, request.probe_radius_mm);
    let unseen = unseen::sentences(checked, &comparisons, limit);
    Ok(Consistency { comparisons, limit, shape, touches, mounted, causes, unseen })
}

fn compared<'a>(sensor: &'a Invariants, cmm: &'a Invariants, snapshot: usize) -> impl Iterator<Item = Comparison> {
    sensor.of.iter().enumerate().filter_map(move |(k, own)| {
        let j = cmm.position(&own.name)?;
        let other = &cmm.of[j];
        let sigma = (sensor.variance(k) + cmm.variance(j)).sqrt();
        let compared = Comparison::new(own.name.clone(), own.aspect, snapshot, [own.value, other.value], sigma);
        Some(Comparison { parts: own.parts.clone(), by_radius: other.by_radius, ..compared })
    })
}

/// What is left of each snapshot after all were solved together.
fn left(joint: &Joint) -> impl Iterator<Item = Comparison> {
    const NAMES: [&str; 6] =
        ["Shift along X", "Shift along Y", "Shift along Z", "Turn about X", "Turn about Y", "Turn about Z"];
    joint.residuals.iter().zip(&joint.residual_sigmas).enumerate().flat_map(|(number, (residual, sigmas))| {
        (0..6).filter(move |&k| sigmas[k] > 0.0).map(move |k| {
            let aspect = if k < 3 { Aspect::Distance } else { Aspect::Angle };
            let name = format!("{} against all snapshots", NAMES[k]);
            Comparison::new(name, aspect, number, [residual[k], 0.0], sigmas[k])
        })
    })
}

fn of_shape(cmm: &ArtefactFrame) -> Vec<ShapeDeviation> {
    let implied = cmm.invariants.of.iter().filter_map(|own| own.nominal.map(|nominal| (own, nominal)));
    implied
        .map(|(own, nominal)| {
            let is_off = (own.value - nominal).abs() > SHAPE_RAD;
            let outcome = if is_off { Outcome::Disagrees } else { Outcome::Agrees };
            ShapeDeviation { quantity: own.name.clone(), nominal, measured: own.value, outcome }
        })
        .collect()
}

/// The normalised deviation that the largest of `count` exceeds by chance as seldom as [`FALSE_ALARM`] (Bonferroni).
fn limit_of(count: usize) -> f64 {
    let each = FALSE_ALARM / count.max(1) as f64;
    let (mut low, mut high) = (0.0, 40.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if beyond(middle) > each { low = middle } else { high = middle }
    }
    low / COVERAGE
}

/// Chance that a normal variable is farther from its mean than so many standard deviations, either way: the
/// complementary error function by a rational Chebyshev fit (Press et al., "Numerical Recipes", 6.2; 1.2e-7 of itself).
fn beyond(sigmas: f64) -> f64 {
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
