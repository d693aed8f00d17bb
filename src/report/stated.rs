//! Quantities stated by a calibration certificate, for calibration monitoring: shift and angles with their expanded
//! uncertainties.

use std::path::Path;

use serde_json::Value;

use base::{Result, UserError};
use geometry::Point;
use inspect::calibration::record::CalibrationRecord;
use inspect::calibration::repeatability::Certificate;

/// Reads the JSON certificate of a calibration. The shift is evaluated at the point `reference_mm` (right-handed sensor
/// frame, mm), or at the certificate's own reference point for `None`. Uncertainties are expanded (k = 2).
///
/// A certificate contains no correlations. At another point, the uncertainty of the shift is therefore combined with
/// the distance times the largest uncertainty of the angles.
///
/// Returns an error if the file cannot be read, was edited, or states no uncertainties.
pub fn quantities(path: &Path, reference_mm: Option<&Point>) -> Result<Certificate> {
    let issued = CalibrationRecord::read(path)?;
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    parse(&issued, &text, reference_mm).ok_or_else(|| {
        UserError::input(format!(
            "{} states no uncertainties; expected a JSON file written by “calibrate --out”.",
            path.display()
        ))
    })
}

fn parse(issued: &CalibrationRecord, text: &str, reference_mm: Option<&Point>) -> Option<Certificate> {
    let value: Value = serde_json::from_str(text).ok()?;
    let uncertainty = value.get("uncertainty_k2")?;
    let three = |key: &str| serde_json::from_value::<[f64; 3]>(uncertainty.get(key)?.clone()).ok();
    let own_reference = Point::from(three("reference_mm")?);
    let angles = three("angles_deg")?.map(f64::to_radians);
    let reference = reference_mm.copied().unwrap_or(own_reference);
    let by_rotation_mm = (reference - own_reference).norm() * angles.into_iter().fold(0.0, f64::max);
    let mounting = &issued.mounting;
    Some(Certificate {
        shift_mm: mounting.relative_position_mm(&reference).coords.into(),
        angles_rad: mounting.angles_rad(),
        shift_uncertainty_mm: three("place_mm")?.map(|position_mm| position_mm.hypot(by_rotation_mm)),
        angles_uncertainty_rad: angles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::{Pose, Vector, transform};
    use inspect::calibration::record::with_digest;

    #[test]
    fn the_shift_is_evaluated_at_the_requested_point() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.json");
        let pose = Pose::new(Vector::new(10.0, 20.0, 30.0), Vector::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
        let mut record = with_digest(serde_json::json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [1.0, 2.0, 3.0],
            "cmm_from_sensor": transform::rows_of(&pose), "date_unix_s": 0, "valid_until_unix_s": 0,
            "uncertainty_k2": {
                "reference_mm": [0.0, 0.0, 100.0], "place_mm": [0.003, 0.004, 0.005], "angles_deg": [0.01, 0.02, 0.005],
            },
        }));
        std::fs::write(&path, record.to_string()).unwrap();
        let certificate = quantities(&path, None).unwrap();
        assert!((Vector::from(certificate.shift_mm) - Vector::new(9.0, 18.0, 127.0)).norm() < 1e-9);
        assert_eq!(certificate.shift_uncertainty_mm, [0.003, 0.004, 0.005]);
        assert!((certificate.angles_rad[2] - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
        // 50 mm away, the uncertainty of the angles contributes.
        let away = quantities(&path, Some(&Point::new(50.0, 0.0, 100.0))).unwrap();
        assert!((Vector::from(away.shift_mm) - Vector::new(9.0, 68.0, 127.0)).norm() < 1e-9);
        let widened = 0.003_f64.hypot(50.0 * 0.02_f64.to_radians());
        assert!((away.shift_uncertainty_mm[0] - widened).abs() < 1e-9);
        record.as_object_mut().unwrap().remove("uncertainty_k2");
        std::fs::write(&path, record.to_string()).unwrap();
        assert!(quantities(&path, None).unwrap_err().sentence.contains("does not match its digest"));
        std::fs::write(&path, with_digest(record).to_string()).unwrap();
        assert!(quantities(&path, None).unwrap_err().sentence.contains("states no uncertainties"));
    }
}
