//! What the certificate of a calibration states of the six quantities that a log of calibrations follows.

use std::path::Path;

use serde_json::Value;

use super::certificate::Issued;
use base::{Result, UserError};
use geometry::Point;
use inspect::calibration::repeatability::Certificate;

/// Reads the JSON of a calibration. Its shift is stated for the place `reference_mm` of the sensor (right-handed frame,
/// mm), or for the certificate's own where a log names none.
///
/// A certificate holds no correlations: at a place away from its own the uncertainty of the shift is widened by the
/// largest turn that its angles allow, which is on the safe side.
pub fn quantities(path: &Path, reference_mm: Option<&Point>) -> Result<Certificate> {
    let issued = Issued::read(path)?;
    let text = std::fs::read_to_string(path).map_err(|e| UserError::file("read", path, &e))?;
    parse(&issued, &text, reference_mm).ok_or_else(|| {
        UserError::input(format!(
            "{} states no uncertainties to compare by: a JSON file of “calibrate --out” was expected.",
            path.display()
        ))
    })
}

fn parse(issued: &Issued, text: &str, reference_mm: Option<&Point>) -> Option<Certificate> {
    let value: Value = serde_json::from_str(text).ok()?;
    let stated = value.get("uncertainty_k2")?;
    let three = |key: &str| serde_json::from_value::<[f64; 3]>(stated.get(key)?.clone()).ok();
    let own = Point::from(three("reference_mm")?);
    let angles = three("angles_deg")?.map(f64::to_radians);
    let reference = reference_mm.copied().unwrap_or(own);
    let by_turn_mm = (reference - own).norm() * angles.into_iter().fold(0.0, f64::max);
    let mounting = &issued.mounting;
    Some(Certificate {
        shift_mm: (mounting.cmm_from_sensor * reference - mounting.position_mm).coords.into(),
        angles_rad: mounting.angles_rad(),
        shift_uncertainty_mm: three("place_mm")?.map(|place_mm| place_mm.hypot(by_turn_mm)),
        angles_uncertainty_rad: angles,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::sealed;
    use geometry::{Pose, Vector, transform};

    #[test]
    fn a_shift_is_stated_where_the_log_wants_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("calibration.json");
        let pose = Pose::new(Vector::new(10.0, 20.0, 30.0), Vector::new(0.0, 0.0, std::f64::consts::FRAC_PI_2));
        let mut record = sealed(serde_json::json!({
            "schema": "shadowgraph.calibration/1", "handedness": "right", "position_mm": [1.0, 2.0, 3.0],
            "cmm_from_sensor": transform::rows_of(&pose), "date_unix_s": 0, "valid_until_unix_s": 0,
            "uncertainty_k2": {
                "reference_mm": [0.0, 0.0, 100.0], "place_mm": [0.003, 0.004, 0.005], "angles_deg": [0.01, 0.02, 0.005],
            },
        }));
        std::fs::write(&path, record.to_string()).unwrap();
        let own = quantities(&path, None).unwrap();
        assert!((Vector::from(own.shift_mm) - Vector::new(9.0, 18.0, 127.0)).norm() < 1e-9);
        assert_eq!(own.shift_uncertainty_mm, [0.003, 0.004, 0.005]);
        assert!((own.angles_rad[2] - std::f64::consts::FRAC_PI_2).abs() < 1e-9);
        // Fifty millimetres away the turn counts.
        let away = quantities(&path, Some(&Point::new(50.0, 0.0, 100.0))).unwrap();
        assert!((Vector::from(away.shift_mm) - Vector::new(9.0, 68.0, 127.0)).norm() < 1e-9);
        let widened = 0.003_f64.hypot(50.0 * 0.02_f64.to_radians());
        assert!((away.shift_uncertainty_mm[0] - widened).abs() < 1e-9);
        record.as_object_mut().unwrap().remove("uncertainty_k2");
        std::fs::write(&path, record.to_string()).unwrap();
        assert!(quantities(&path, None).unwrap_err().sentence.contains("does not match its digest"));
        std::fs::write(&path, sealed(record).to_string()).unwrap();
        assert!(quantities(&path, None).unwrap_err().sentence.contains("states no uncertainties"));
    }
}
