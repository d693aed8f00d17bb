//! Certification of a calibration: the checks that decide whether it can be certified, as traffic lights.

use serde::Serialize;

use super::consistency::{Consistency, Outcome, TouchesOnSnapshot};
use super::{ArtefactFrame, Calibration, Light, light};

/// Expected noise of a fit to the sensor's points, mm.
pub const EXPECTED_SENSOR_MM: f64 = 0.05;
/// Expected noise of a fit to the CMM's probed points, mm.
pub const EXPECTED_CMM_MM: f64 = 0.005;

/// The light of one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedLight {
    /// Name of the check.
    pub name: &'static str,
    /// Its result.
    pub light: Light,
    /// The result in a sentence.
    pub sentence: String,
}

/// The lights of all checks. A calibration with a red light is not certified.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certification {
    /// The lights, in the order of reports.
    pub lights: Vec<NamedLight>,
}

impl Certification {
    /// Whether no light is red.
    pub fn is_certified(&self) -> bool {
        self.lights.iter().all(|own| own.light != Light::Red)
    }

    /// The sentences of the red lights; empty if it is certified.
    pub fn reasons(&self) -> Vec<String> {
        self.lights.iter().filter(|own| own.light == Light::Red).map(|own| own.sentence.clone()).collect()
    }
}

impl Calibration {
    /// Evaluates all checks of this calibration.
    pub fn certification(&self) -> Certification {
        let consistency = &self.consistency;
        let mut lights = vec![
            fits("Fits of the sensor", &self.sensor, EXPECTED_SENSOR_MM),
            fits("Fits of the CMM", &self.cmm, EXPECTED_CMM_MM),
            agreement(consistency),
        ];
        if !consistency.shape.is_empty() {
            let (light, causes) = (consistency.shape_light(), &consistency.causes);
            let cause = causes.first().filter(|_| light == Light::Red).cloned();
            let sentence = cause.unwrap_or_else(|| "The artefact has the shape of its kind.".to_owned());
            lights.push(NamedLight { name: "Shape of the artefact", light, sentence });
        }
        if let Some(touches) = &consistency.touches {
            let (light, sentence) = (touches.light(), TouchesOnSnapshot::sentence(touches));
            lights.push(NamedLight { name: "Touches on the snapshot", light, sentence });
        }
        lights.extend(self.stylus.as_ref().map(|stylus| NamedLight {
            name: "Stylus tip radius",
            light: stylus.light(),
            sentence: stylus.sentence(),
        }));
        let mounted = &consistency.mounted;
        lights.push(NamedLight { name: "Mounting", light: mounted.light(), sentence: mounted.sentence() });
        Certification { lights }
    }
}

fn fits(name: &'static str, frame: &ArtefactFrame, expected_mm: f64) -> NamedLight {
    let lights = frame.parts.iter().map(|part| (light(&part.fit, expected_mm), part));
    let rough: Vec<&str> = lights.clone().filter(|(own, _)| *own == Light::Red).map(|(_, part)| part.name).collect();
    let sentence = if rough.is_empty() {
        format!("The standard deviations of the fits are about {expected_mm} mm or below.")
    } else {
        format!(
            "{name}: {} much rougher than the expected {expected_mm} mm; check the residuals.",
            if let [one] = rough[..] { format!("{one} is") } else { format!("{} are", rough.join(", ")) }
        )
    };
    NamedLight { name, light: Light::worst(lights.map(|(own, _)| own)), sentence }
}

fn agreement(consistency: &Consistency) -> NamedLight {
    let light = consistency.agreement();
    let judged = consistency.comparisons.iter().filter(|own| own.outcome != Outcome::NotJudged);
    let worst = judged.clone().max_by(|a, b| (a.normalised / a.limit).total_cmp(&(b.normalised / b.limit)));
    let (worst, limit) = worst.map_or((0.0, consistency.limit), |own| (own.normalised, own.limit));
    let sentence = if light == Light::Red {
        // A shape deviation is stated first, and has a light of its own.
        let own = usize::from(consistency.shape_light() == Light::Red);
        consistency.causes.get(own..).unwrap_or_default().join(" ")
    } else {
        format!(
            "Both instruments agree on {} quantities of the artefact; the largest normalised deviation is {worst:.2} \
             of {:.2}.",
            judged.count(),
            limit
        )
    };
    NamedLight { name: "Agreement of both instruments", light, sentence }
}
