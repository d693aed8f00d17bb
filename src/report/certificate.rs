//! Calibration certificate: measurements, result, uncertainties and certification status, as JSON and as PDF.
//!
//! The JSON contains a digest of its own content, which reveals accidental edits. It is not signed, so it does not
//! protect against forgery.

use std::path::Path;

use serde_json::{Value, json};

use super::date::Stamp;
use super::pdf;
use base::{Result, UserError};
use geometry::transform;
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::consistency::{Comparison, Consistency};
use inspect::calibration::{ArtefactFrame, Calibration, Mounting, light};
use session::calibration::{InputFile, Provenance};

pub use inspect::calibration::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};

/// Key of the digest in a calibration record.
const DIGEST_KEY: &str = "digest_blake3";

/// The certificate as JSON, schema `shadowgraph.calibration/1`, with its digest. Uncertainties under keys with `k2` are
/// expanded (k = 2).
pub fn record(calibration: &Calibration, provenance: &Provenance) -> Value {
    with_digest(body(calibration, provenance))
}

/// Adds the digest of its content to a record, or updates it.
pub fn with_digest(mut record: Value) -> Value {
    let digest = digest(&record);
    if let Some(fields) = record.as_object_mut() {
        fields.insert(DIGEST_KEY.to_owned(), Value::from(digest));
    }
    record
}

/// BLAKE3 digest of a record, hexadecimal, independent of field order and white space; excludes the digest itself.
fn digest(record: &Value) -> String {
    let mut text = String::new();
    canonical(record, true, &mut text);
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Appends `value` to `text` with sorted keys and without white space.
fn canonical(value: &Value, is_record: bool, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(name, _)| !(is_record && *name == DIGEST_KEY)).collect();
            fields.sort_by_key(|(name, _)| *name);
            text.push('{');
            for (name, value) in fields {
                *text += &Value::from(name.as_str()).to_string();
                text.push(':');
                canonical(value, false, text);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(values) => {
            text.push('[');
            for value in values {
                canonical(value, false, text);
                text.push(',');
            }
            text.push(']');
        }
        other => *text += &other.to_string(),
    }
}

/// The record without its digest.
fn body(calibration: &Calibration, provenance: &Provenance) -> Value {
    let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
    let expanded = |sigmas: [f64; 3]| sigmas.map(|sigma| 2.0 * sigma);
    let biases = radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm);
    let certification = calibration.certification();
    let contributions = uncertainty.contributions(mounting);
    let (positions, angles) = contributions.split_at(3);
    json!({
        "schema": "shadowgraph.calibration/1",
        "software": super::software(),
        "certified": certification.is_certified(),
        "reasons": certification.reasons(),
        "lights": certification.lights,
        "date": Stamp::of_unix(provenance.unix_s).to_string(),
        "date_unix_s": provenance.unix_s,
        "valid_until_unix_s": provenance.expires_unix_s(),
        "valid_until": Stamp::of_unix(provenance.expires_unix_s()).to_string(),
        "valid_because": format!(
            "{} hours after calibration, as set by the operator, or until the next restart of the CMM",
            provenance.valid_hours
        ),
        "operator": provenance.operator,
        "sensor_serial": provenance.serials.sensor,
        "machine_serial": provenance.serials.machine,
        "artefact_serial": provenance.serials.artefact,
        "artefact": calibration.artefact.artefact().name(),
        "handedness": mounting.handedness,
        "probe_radius_mm": calibration.probe_radius_mm,
        "sensor_bias_mm": calibration.bias_mm,
        "sensor_scale_error": calibration.scale,
        "cmm_probing_mm": calibration.probing_mm,
        "position_mm": mounting.position_mm.as_slice(),
        "cmm_from_sensor": transform::rows_of(&mounting.cmm_from_sensor),
        "translation_mm": mounting.cmm_from_sensor.translation.vector.as_slice(),
        "angles_deg": mounting.angles_rad().map(f64::to_degrees),
        "uncertainty_k2": {
            "reference_mm": uncertainty.reference_mm.coords.as_slice(),
            "place_mm": expanded(uncertainty.place_mm()),
            "angles_deg": expanded(uncertainty.angles_rad).map(f64::to_degrees),
            "place_noise_mm": positions.iter().map(|part| 2.0 * part.noise).collect::<Vec<_>>(),
            "place_systematic_mm": positions.iter().map(|part| 2.0 * part.systematic).collect::<Vec<_>>(),
            "angles_noise_deg": angles.iter().map(|part| (2.0 * part.noise).to_degrees()).collect::<Vec<_>>(),
            "angles_systematic_deg": angles.iter().map(|part| (2.0 * part.systematic).to_degrees()).collect::<Vec<_>>(),
            "systematic_forms": contributions.iter().map(|part| part.form.name()).collect::<Vec<_>>(),
        },
        "consistency": consistency(&calibration.consistency),
        "bootstrap_k2": calibration.bootstrap.map(|bootstrap| json!({
            "draws": bootstrap.draws,
            "place_mm": expanded(bootstrap.place_mm),
            "angles_deg": expanded(bootstrap.angles_rad).map(f64::to_degrees),
        })),
        "snapshots": calibration.snapshots,
        "more_files": provenance.more,
        "joint": calibration.joint.as_ref().map(|joint| json!({
            "misfit": joint.misfit,
            "squareness_rad": joint.faults.squareness_rad,
            "squareness_k2_rad": 2.0 * joint.faults_sigma[0],
            "scales": joint.faults.scales,
            "scales_k2": expanded([joint.faults_sigma[1], joint.faults_sigma[2], joint.faults_sigma[3]]),
            "residuals_mm_rad": joint.residuals,
        })),
        "radius_bias_mm": biases.iter().map(|(name, bias_mm)| json!({ "sphere": name, "bias_mm": bias_mm }))
            .collect::<Vec<_>>(),
        "sensor": instrument(&calibration.sensor, &provenance.sensor, EXPECTED_SENSOR_MM),
        "cmm": instrument(&calibration.cmm, &provenance.cmm, EXPECTED_CMM_MM),
    })
}

fn consistency(consistency: &Consistency) -> Value {
    json!({
        "limit": consistency.limit,
        "comparisons": consistency.comparisons.iter().map(comparison).collect::<Vec<_>>(),
        "shape": consistency.shape.iter().map(|shape| json!({
            "quantity": shape.quantity,
            "nominal_deg": shape.nominal.to_degrees(),
            "measured_deg": shape.measured.to_degrees(),
            "outcome": shape.outcome,
        })).collect::<Vec<_>>(),
        "touches": consistency.touches,
        "mounted": consistency.mounted,
        "causes": consistency.causes,
        "unseen": consistency.unseen,
    })
}

/// A quantity measured by both instruments, mm or degrees; the uncertainty of the difference is expanded (k = 2).
fn comparison(comparison: &Comparison) -> Value {
    let in_unit = |value: f64| if comparison.aspect.is_angle() { value.to_degrees() } else { value };
    json!({
        "quantity": comparison.quantity,
        "unit": if comparison.aspect.is_angle() { "°" } else { "mm" },
        "snapshot": comparison.snapshot + 1,
        "sensor": in_unit(comparison.sensor),
        "cmm": in_unit(comparison.cmm),
        "difference": in_unit(comparison.difference()),
        "uncertainty_k2": in_unit(2.0 * comparison.sigma),
        "normalised": comparison.normalised,
        "outcome": comparison.outcome,
        "light": comparison.light(),
    })
}

/// Fits and artefact pose of one instrument; `expected_mm` is the standard deviation expected of its fits.
fn instrument(frame: &ArtefactFrame, file: &InputFile, expected_mm: f64) -> Value {
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

/// A calibration read from its certificate.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationRecord {
    /// Mounting of the sensor.
    pub mounting: Mounting,
    /// Date of calibration, Unix time, s.
    pub unix_s: i64,
    /// End of validity, Unix time, s.
    pub expires_unix_s: i64,
    /// Whether the calibration was certified.
    pub certified: bool,
    /// Whether the digest is missing or does not match the content.
    pub edited: bool,
}

impl CalibrationRecord {
    /// Reads a file written by [`record`].
    ///
    /// Returns an error if it cannot be read, is not a calibration record, or was edited.
    pub fn read(path: &Path) -> Result<Self> {
        let issued = Self::read_unverified(path)?;
        if issued.edited {
            return Err(UserError::input(format!(
                "{} was edited, or written by an earlier version: its content does not match its digest, or the digest \
                 is missing. Use the original file, or calibrate again.",
                path.display()
            )));
        }
        Ok(issued)
    }

    /// Reads a file written by [`record`] even if it was edited, see [`CalibrationRecord::edited`].
    ///
    /// Returns an error if it cannot be read or is not a calibration record.
    pub fn read_unverified(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
        Self::parse(&text).ok_or_else(|| {
            UserError::input(format!(
                "{} is not a calibration record; expected a JSON file written by “calibrate --out”.",
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
            certified: value.get("certified").and_then(Value::as_bool).unwrap_or(false),
            edited: value.get(DIGEST_KEY).and_then(Value::as_str) != Some(digest(&value).as_str()),
        })
    }
}

/// The certificate as PDF.
pub fn pdf(calibration: &Calibration, provenance: &Provenance) -> Result<Vec<u8>> {
    pdf::of_certificate(&record(calibration, provenance), Stamp::of_unix(provenance.unix_s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Pose;

    fn record() -> Value {
        with_digest(json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [0.1, -2e-9, 3.0],
            "cmm_from_sensor": transform::rows_of(&Pose::identity()), "date_unix_s": 0, "valid_until_unix_s": 1_i64 << 40,
            "certified": true, "nested": { "b": [1.0 / 3.0, 1e300, -0.0], "a": null },
        }))
    }

    /// An edited value is refused; other white space and another field order are accepted.
    #[test]
    fn an_edited_record_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.json");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let (compact, pretty) = (record().to_string(), format!("{:#}\n", record()));
        for text in [&compact, &pretty] {
            write(text);
            let issued = CalibrationRecord::read(&path).unwrap();
            assert!(issued.certified && !issued.edited);
        }
        let field = |(name, value): (&String, &Value)| format!("{}: {value}", Value::from(name.as_str()));
        let mut fields: Vec<String> = record().as_object().unwrap().iter().map(field).collect();
        fields.reverse();
        write(&format!("{{{}}}", fields.join(",\n")));
        assert!(CalibrationRecord::read(&path).is_ok());
        let edits = [
            ("0.1", "0.2"),
            ("true", "false"),
            ("\"right\"", "\"left\""),
            (DIGEST_KEY, "digest"),
            ("1e+300", "1e+301"),
        ];
        for (from, to) in edits {
            assert!(compact.contains(from), "{from} in {compact}");
            write(&compact.replacen(from, to, 1));
            let message = CalibrationRecord::read(&path).unwrap_err().sentence;
            assert!(message.contains("does not match its digest"), "{from}: {message}");
            assert!(CalibrationRecord::read_unverified(&path).unwrap().edited);
        }
        write("{}");
        assert!(CalibrationRecord::read(&path).unwrap_err().sentence.contains("is not a calibration record"));
    }
}
