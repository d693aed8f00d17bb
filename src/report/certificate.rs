//! The certificate of a calibration: what was measured, what came out, how sure it is, and whether it is certified; as
//! JSON and as PDF.
//!
//! The JSON carries a digest of its own content, so that a figure changed by hand does not go unnoticed. It tells a slip,
//! not a forger.

use std::path::Path;

use serde_json::{Value, json};

use super::date::Stamp;
use super::pdf;
use base::{Result, UserError};
use geometry::transform;
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::consistency::{Comparison, Consistency};
use inspect::calibration::{ArtefactFrame, Calibration, Mounting, light};
use session::calibrating::{InputFile, Made};

pub use inspect::calibration::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};

/// Where a record keeps the digest of the rest of it.
const DIGEST: &str = "digest_blake3";

/// The certificate as JSON, schema `shadowgraph.calibration/1`, with its digest. Uncertainties are expanded with k = 2.
pub fn record(calibration: &Calibration, made: &Made) -> Value {
    sealed(unsealed(calibration, made))
}

/// A record with the digest of its content.
pub fn sealed(mut record: Value) -> Value {
    let digest = digest(&record);
    if let Some(fields) = record.as_object_mut() {
        fields.insert(DIGEST.to_owned(), Value::from(digest));
    }
    record
}

/// BLAKE3 of a record's content, whatever the order of its fields and the spaces between them; the digest itself is left
/// out.
fn digest(record: &Value) -> String {
    let mut text = String::new();
    canonical(record, true, &mut text);
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

fn canonical(value: &Value, is_record: bool, text: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().filter(|(name, _)| !(is_record && *name == DIGEST)).collect();
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

fn unsealed(calibration: &Calibration, made: &Made) -> Value {
    let (mounting, uncertainty) = (&calibration.mounting, &calibration.uncertainty);
    let twice = |sigmas: [f64; 3]| sigmas.map(|sigma| 2.0 * sigma);
    let biases = radius_biases(&calibration.sensor, &calibration.cmm, calibration.probe_radius_mm);
    let certification = calibration.certification();
    let contributions = uncertainty.contributions(mounting);
    let (places, angles) = contributions.split_at(3);
    json!({
        "schema": "shadowgraph.calibration/1",
        "software": super::software(),
        "certified": certification.is_certified(),
        "reasons": certification.reasons(),
        "lights": certification.lights,
        "date": Stamp::of_unix(made.unix_s).to_string(),
        "date_unix_s": made.unix_s,
        "valid_until_unix_s": made.expires_unix_s(),
        "valid_until": Stamp::of_unix(made.expires_unix_s()).to_string(),
        "valid_because": format!("{} hours after it was made, as set by the operator, or the next restart of the CMM", made.valid_hours),
        "operator": made.operator,
        "sensor_serial": made.serials.sensor,
        "machine_serial": made.serials.machine,
        "artefact_serial": made.serials.artefact,
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
            "place_mm": twice(uncertainty.place_mm()),
            "angles_deg": twice(uncertainty.angles_rad).map(f64::to_degrees),
            "place_noise_mm": places.iter().map(|own| 2.0 * own.noise).collect::<Vec<_>>(),
            "place_systematic_mm": places.iter().map(|own| 2.0 * own.systematic).collect::<Vec<_>>(),
            "angles_noise_deg": angles.iter().map(|own| (2.0 * own.noise).to_degrees()).collect::<Vec<_>>(),
            "angles_systematic_deg": angles.iter().map(|own| (2.0 * own.systematic).to_degrees()).collect::<Vec<_>>(),
            "systematic_forms": contributions.iter().map(|own| own.form.name()).collect::<Vec<_>>(),
        },
        "consistency": consistency(&calibration.consistency),
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

fn consistency(own: &Consistency) -> Value {
    json!({
        "limit": own.limit,
        "comparisons": own.comparisons.iter().map(compared).collect::<Vec<_>>(),
        "shape": own.shape.iter().map(|shape| json!({
            "quantity": shape.quantity,
            "nominal_deg": shape.nominal.to_degrees(),
            "measured_deg": shape.measured.to_degrees(),
            "outcome": shape.outcome,
        })).collect::<Vec<_>>(),
        "touches": own.touches,
        "mounted": own.mounted,
        "causes": own.causes,
        "unseen": own.unseen,
    })
}

/// A comparison in mm or degrees.
fn compared(own: &Comparison) -> Value {
    let shown = |value: f64| if own.aspect.is_angle() { value.to_degrees() } else { value };
    json!({
        "quantity": own.quantity,
        "unit": if own.aspect.is_angle() { "°" } else { "mm" },
        "snapshot": own.snapshot + 1,
        "sensor": shown(own.sensor),
        "cmm": shown(own.cmm),
        "difference": shown(own.difference()),
        "uncertainty_k2": shown(2.0 * own.sigma),
        "normalised": own.normalised,
        "outcome": own.outcome,
        "light": own.light(),
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
    /// Whether it was certified.
    pub certified: bool,
    /// Whether its content is not what its digest says.
    pub edited: bool,
}

impl Issued {
    /// Reads what [`record`] wrote, and refuses what was changed since.
    pub fn read(path: &Path) -> Result<Self> {
        let issued = Self::read_even_edited(path)?;
        if issued.edited {
            return Err(UserError::input(format!(
                "{} is not as it was written: its content does not match its digest, or it has none. It was edited, or is \
                 of an earlier version; calibrate again, or take the file that the program wrote.",
                path.display()
            )));
        }
        Ok(issued)
    }

    /// Reads what [`record`] wrote; [`Issued::edited`] says whether it was changed since.
    pub fn read_even_edited(path: &Path) -> Result<Self> {
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
            certified: value.get("certified").and_then(Value::as_bool).unwrap_or(false),
            edited: value.get(DIGEST).and_then(Value::as_str) != Some(digest(&value).as_str()),
        })
    }
}

/// The certificate as PDF.
pub fn pdf(calibration: &Calibration, made: &Made) -> Result<Vec<u8>> {
    pdf::of_certificate(&record(calibration, made), Stamp::of_unix(made.unix_s))
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Pose;

    fn record() -> Value {
        sealed(json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [0.1, -2e-9, 3.0],
            "cmm_from_sensor": transform::rows_of(&Pose::identity()), "date_unix_s": 0, "valid_until_unix_s": 1_i64 << 40,
            "certified": true, "nested": { "b": [1.0 / 3.0, 1e300, -0.0], "a": null },
        }))
    }

    /// A figure changed by hand is refused; other spaces and another order of the fields are not.
    #[test]
    fn a_record_edited_by_hand_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.json");
        let write = |text: &str| std::fs::write(&path, text).unwrap();
        let (short, long) = (record().to_string(), format!("{:#}\n", record()));
        for text in [&short, &long] {
            write(text);
            let issued = Issued::read(&path).unwrap();
            assert!(issued.certified && !issued.edited);
        }
        let turned = |(name, value): (&String, &Value)| format!("{}: {value}", Value::from(name.as_str()));
        let mut fields: Vec<String> = record().as_object().unwrap().iter().map(turned).collect();
        fields.reverse();
        write(&format!("{{{}}}", fields.join(",\n")));
        assert!(Issued::read(&path).is_ok());
        let edits =
            [("0.1", "0.2"), ("true", "false"), ("\"right\"", "\"left\""), (DIGEST, "digest"), ("1e+300", "1e+301")];
        for (from, to) in edits {
            assert!(short.contains(from), "{from} in {short}");
            write(&short.replacen(from, to, 1));
            let said = Issued::read(&path).unwrap_err().sentence;
            assert!(said.contains("does not match its digest"), "{from}: {said}");
            assert!(Issued::read_even_edited(&path).unwrap().edited);
        }
        write("{}");
        assert!(Issued::read(&path).unwrap_err().sentence.contains("no calibration of this program"));
    }
}
