//! Whether a calibration can be certified: every light that stands for or against it.

use serde::Serialize;

use super::consistency::{Consistency, Outcome, TouchesOnSnapshot};
use super::{ArtefactFrame, Calibration, Light, light};

/// Noise that a fit of the sensor's points is judged by, mm.
pub const EXPECTED_SENSOR_MM: f64 = 0.05;
/// And one of the CMM's touches.
pub const EXPECTED_CMM_MM: f64 = 0.005;

/// One of the lights.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedLight {
    /// What it stands for.
    pub name: &'static str,
    /// The light.
    pub light: Light,
    /// What there is to say.
    pub sentence: String,
}

/// All of them. A calibration with a red one is not certified.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Certification {
    /// The lights.
    pub lights: Vec<NamedLight>,
}

impl Certification {
    /// Whether no light is red.
    pub fn is_certified(&self) -> bool {
        self.lights.iter().all(|own| own.light != Light::Red)
    }

    /// Why it is not certified; nothing where it is.
    pub fn reasons(&self) -> Vec<String> {
        self.lights.iter().filter(|own| own.light == Light::Red).map(|own| own.sentence.clone()).collect()
    }
}

impl Calibration {
    /// The lights of this calibration.
    pub fn certification(&self) -> Certification {
        let consistency = &self.consistency;
        let mut lights = vec![
            fits("Fits of the sensor", &self.sensor, EXPECTED_SENSOR_MM),
            fits("Fits of the CMM", &self.cmm, EXPECTED_CMM_MM),
            agreement(consistency),
        ];
        if !consistency.shape.is_empty() {
            let (light, causes) = (consistency.shape_light(), &consistency.causes);
            let said = causes.first().filter(|_| light == Light::Red).cloned();
            let sentence = said.unwrap_or_else(|| "The artefact has the shape of its kind.".to_owned());
            lights.push(NamedLight { name: "Shape of the artefact", light, sentence });
        }
        if let Some(touches) = &consistency.touches {
            let (light, sentence) = (touches.light(), TouchesOnSnapshot::sentence(touches));
            lights.push(NamedLight { name: "Touches on the snapshot", light, sentence });
        }
        let mounted = &consistency.mounted;
        lights.push(NamedLight { name: "Mounting", light: mounted.light(), sentence: mounted.sentence() });
        Certification { lights }
    }
}

fn fits(name: &'static str, frame: &ArtefactFrame, expected_mm: f64) -> NamedLight {
    let lights = frame.parts.iter().map(|part| (light(&part.fit, expected_mm), part));
    let rough: Vec<&str> = lights.clone().filter(|(own, _)| *own == Light::Red).map(|(_, part)| part.name).collect();
    let sentence = if rough.is_empty() {
        format!("Standard deviations of the fits are near {expected_mm} mm or below.")
    } else {
        format!(
            "{name}: {} much rougher than the {expected_mm} mm that are expected; look at the residuals.",
            if let [one] = rough[..] { format!("{one} is") } else { format!("{} are", rough.join(", ")) }
        )
    };
    NamedLight { name, light: Light::worst(lights.map(|(own, _)| own)), sentence }
}

fn agreement(consistency: &Consistency) -> NamedLight {
    let light = consistency.agreement();
    let judged = consistency.comparisons.iter().filter(|own| own.outcome != Outcome::NotJudged);
    let worst = judged.clone().map(|own| own.normalised).fold(0.0, f64::max);
    let sentence = if light == Light::Red {
        // The shape, where it is off, comes first, and has a light of its own.
        let own = usize::from(consistency.shape_light() == Light::Red);
        consistency.causes.get(own..).unwrap_or_default().join(" ")
    } else {
        format!(
            "Both instruments agree on {} quantities of the artefact; the largest normalised deviation is {worst:.2} of \
             {:.2}.",
            judged.count(),
            consistency.limit
        )
    };
    NamedLight { name: "Agreement of both instruments", light, sentence }
}
