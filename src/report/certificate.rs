//! The certificate of a calibration: what was measured, what came out, how sure it is; as JSON and as PDF.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Value, json};

use super::date::Stamp;
use super::pdf;
use crate::base::{Result, UserError};
use crate::geometry::transform;
use crate::inspect::calibration::artefacts::radius_biases;
use crate::inspect::calibration::{ArtefactFrame, Calibration, Mounting, light};
use crate::session::calibrating::{InputFile, Made};

/// Noise that a fit of the sensor's points is judged by, mm.
pub const EXPECTED_SENSOR_MM: f64 = 0.05;
/// And one of the CMM's touches.
pub const EXPECTED_CMM_MM: f64 = 0.005;

/// The certificate as JSON, schema `shadowgraph.calibration/1`. Uncertainties are expanded with k = 2.
pub fn record(calibration: &Calibration, made: &Made) -> Value {
    let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
    let twice = |sigmas: [f64; 3]| sigmas.map(|sigma| 2.0 * sigma);
    let biases = radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm);
    json!({
        "schema": "shadowgraph.calibration/1",
        "software": super::software(),
        "date": Stamp::of_unix(made.unix_s).to_string(),
        "date_unix_s": made.unix_s,
        "valid_until_unix_s": made.expires_unix_s(),
        "valid_until": Stamp::of_unix(made.expires_unix_s()).to_string(),
        "operator": made.operator,
        "artefact": calibration.artefact.artefact().name(),
        "handedness": mounting.handedness,
        "probe_radius_mm": calibration.probe_radius_mm,
        "sensor_bias_mm": calibration.bias_mm,
        "position_mm": mounting.position_mm.as_slice(),
        "cmm_from_sensor": transform::rows_of(&mounting.cmm_from_sensor),
        "translation_mm": mounting.cmm_from_sensor.translation.vector.as_slice(),
        "angles_deg": mounting.angles_rad().map(f64::to_degrees),
        "uncertainty_k2": {
            "reference_mm": uncertainty.reference_mm.coords.as_slice(),
            "place_mm": twice(uncertainty.place_mm()),
            "angles_deg": twice(uncertainty.angles_rad).map(f64::to_degrees),
        },
        "bootstrap_k2": calibration.bootstrap.map(|own| json!({
            "draws": own.draws,
            "place_mm": twice(own.place_mm),
            "angles_deg": twice(own.angles_rad).map(f64::to_degrees),
        })),
        "snapshots": calibration.snapshots,
        "more_files": made.more,
        "joint": calibration.joint.as_ref().map(|joint| json!({
            "misfit": joint.misfit,
            "squareness_rad": joint.faults.squareness_rad,
            "squareness_k2_rad": 2.0 * joint.faults_sigma[0],
            "scales": joint.faults.scales,
            "scales_k2": twice([joint.faults_sigma[1], joint.faults_sigma[2], joint.faults_sigma[3]]),
            "residuals_mm_rad": joint.residuals,
        })),
        "radius_bias_mm": biases.iter().map(|(name, bias_mm)| json!({ "sphere": name, "bias_mm": bias_mm }))
            .collect::<Vec<_>>(),
        "sensor": device(&calibration.sensor, &made.sensor, EXPECTED_SENSOR_MM),
        "cmm": device(&calibration.cmm, &made.cmm, EXPECTED_CMM_MM),
    })
}

fn device(frame: &ArtefactFrame, file: &InputFile, expected_mm: f64) -> Value {
    let fits = frame.parts.iter().map(|part| {
        json!({
            "region": part.name,
            "fit": part.fit,
            "dropped": part.fit.dropped.len(),
            "light": light(&part.fit, expected_mm),
            "variance_shares": part.shares,
        })
    });
    json!({
        "file": file.name,
        "blake3": file.blake3,
        "device_from_artefact": transform::rows_of(&frame.device_from_artefact),
        "fits": fits.collect::<Vec<_>>(),
        "weakest": frame.weakest().map(|part| part.name),
    })
}

/// A calibration as it was handed over.
#[derive(Clone, Debug, PartialEq)]
pub struct Issued {
    /// How the sensor is mounted.
    pub mounting: Mounting,
    /// When it was made, seconds since 1970.
    pub unix_s: i64,
    /// When it ceases to hold.
    pub expires_unix_s: i64,
}

impl Issued {
    /// Reads what [`record`] wrote.
    pub fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
        Self::parse(&text).ok_or_else(|| {
            UserError::input(format!(
                "{} is no calibration of this program: a JSON file of “calibrate --out” was expected.",
                path.display()
            ))
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        if value.get("schema")?.as_str()? != "shadowgraph.calibration/1" {
            return None;
        }
        let rows: [[f64; 4]; 4] = serde_json::from_value(value.get("cmm_from_sensor")?.clone()).ok()?;
        let position: [f64; 3] = serde_json::from_value(value.get("position_mm")?.clone()).ok()?;
        Some(Self {
            mounting: Mounting {
                cmm_from_sensor: transform::from_rows(&rows).ok()?,
                handedness: serde_json::from_value(value.get("handedness")?.clone()).ok()?,
                position_mm: position.into(),
            },
            unix_s: value.get("date_unix_s")?.as_i64()?,
            expires_unix_s: value.get("valid_until_unix_s")?.as_i64()?,
        })
    }
}

/// The certificate as PDF.
pub fn pdf(calibration: &Calibration, made: &Made) -> Result<Vec<u8>> {
    let content = serde_json::to_vec(&record(calibration, made))
        .map_err(|e| UserError::internal(format!("The certificate cannot be written: {e}.")))?;
    pdf::typeset(include_str!("certificate.typ"), content, HashMap::new(), Stamp::of_unix(made.unix_s))
}
