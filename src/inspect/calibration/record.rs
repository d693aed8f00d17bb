//! Calibration records as read: the JSON form of a certificate, with a digest of its own content that reveals accidental
//! edits. It is not signed, so it does not protect against forgery.

use std::path::Path;

use serde_json::Value;

use super::joint::CmmErrors;
use super::{Handedness, Mounting};
use base::date::Stamp;
use base::{Result, UserError};
use geometry::transform;

/// Key of the digest in a calibration record.
const DIGEST_KEY: &str = "digest_blake3";

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
    /// Expanded uncertainty (k = 2) of positions at the reference point, mm, along X, Y and Z of the CMM; `None` if not
    /// stated.
    pub place_k2_mm: Option<[f64; 3]>,
    /// Whether the digest is missing or does not match the content.
    pub edited: bool,
}

impl CalibrationRecord {
    /// Reads a file written by `calibrate --out`.
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

    /// Reads a file written by `calibrate --out` even if it was edited, see [`CalibrationRecord::edited`].
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

    /// Why the calibration must not be used at `unix_s` without a stated reason; `None` if it may.
    pub fn flaw(&self, unix_s: i64) -> Option<String> {
        if self.edited {
            return Some("The calibration was edited after it was issued".to_owned());
        }
        if !self.certified {
            return Some("The calibration is not certified, for the reasons stated in it".to_owned());
        }
        let is_expired = self.expires_unix_s < unix_s;
        is_expired.then(|| format!("The calibration expired on {}", Stamp::of_unix(self.expires_unix_s)))
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
                handedness: serde_json::from_value::<Handedness>(value.get("handedness")?.clone()).ok()?,
                position_mm: position.into(),
                cmm_errors: cmm_errors(&value)?,
            },
            unix_s: value.get("date_unix_s")?.as_i64()?,
            expires_unix_s: value.get("valid_until_unix_s")?.as_i64()?,
            certified: value.get("certified").and_then(Value::as_bool).unwrap_or(false),
            place_k2_mm: value
                .pointer("/uncertainty_k2/place_mm")
                .and_then(|stated| serde_json::from_value(stated.clone()).ok()),
            edited: value.get(DIGEST_KEY).and_then(Value::as_str) != Some(digest(&value).as_str()),
        })
    }
}

/// Geometric errors of the CMM that a record states; zero if it states none, `None` if they are damaged.
fn cmm_errors(record: &Value) -> Option<CmmErrors> {
    let Some(joint) = record.get("joint").filter(|joint| !joint.is_null()) else { return Some(CmmErrors::default()) };
    let stated = |key: &str| joint.get(key).filter(|value| !value.is_null()).cloned();
    Some(CmmErrors {
        squareness_rad: stated("squareness_rad").map_or(Some(0.0), |value| value.as_f64())?,
        scales: stated("scales").map_or(Some([0.0; 3]), |value| serde_json::from_value(value).ok())?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Pose;
    use serde_json::json;

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
