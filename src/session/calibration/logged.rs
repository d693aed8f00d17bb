//! Details that a line of the calibration log keeps besides the six mounting quantities: the fits, their residuals, and
//! the transforms that follow from them, so that an audit needs no other file. Lines of older versions have none of
//! them.

use serde::{Deserialize, Serialize};

use super::{InputFile, Outcome};
use geometry::transform;
use inspect::calibration::artefacts::Part;
use inspect::calibration::{ArtefactFrame, ArtefactKind, Handedness};
use inspect::features::Shape;

/// Up to this number the residuals of a fit are all kept; of more, this number of evenly spaced quantiles.
const MAX_RESIDUALS: usize = 500;
/// Residuals are rounded to 1 nm.
const ROUNDING_PER_MM: f64 = 1e6;

/// Details of one calibration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationDetails {
    /// Version of the software.
    pub software: String,
    /// The artefact.
    pub artefact: ArtefactKind,
    /// Name of the operator.
    pub operator: String,
    /// The files of snapshots and probed points.
    pub files: Vec<InputFile>,
    /// Handedness of the sensor's coordinate system.
    pub handedness: Handedness,
    /// CMM position at the snapshot, mm.
    pub position_mm: [f64; 3],
    /// Stylus tip radius that was compensated, mm.
    pub probe_radius_mm: f64,
    /// Rows of the transform from the (right-handed) sensor frame to the CMM, mm.
    pub cmm_from_sensor: [[f64; 4]; 4],
    /// The artefact in the first snapshot, sensor frame.
    pub sensor: FrameDetails,
    /// The artefact as probed in its first placement, CMM frame.
    pub cmm: FrameDetails,
    /// Residual of each of several snapshots: translation (mm) and rotation (rad) in the artefact frame.
    #[serde(default)]
    pub snapshot_residuals: Vec<[f64; 6]>,
}

/// An artefact frame and the fits it was derived from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameDetails {
    /// Rows of the transform from the artefact frame to the instrument frame, mm.
    pub device_from_artefact: [[f64; 4]; 4],
    /// The fits.
    pub fits: Vec<FitDetails>,
}

/// A fit to a region of the artefact, instrument frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitDetails {
    /// Name of the region.
    pub name: String,
    /// The fitted shape.
    pub shape: Shape,
    /// Root mean square of the residuals, mm.
    pub rms_mm: f64,
    /// Standard deviation of the residuals, mm.
    pub sigma_mm: f64,
    /// Form error: maximum minus minimum residual, mm.
    pub form_error_mm: f64,
    /// Number of points used.
    pub used: usize,
    /// Number of points dropped as outliers.
    pub dropped: usize,
    /// Residuals of the points used, mm, in their order; of more than 500, as many quantiles evenly spaced from minimum
    /// to maximum.
    pub residuals_mm: Vec<f64>,
}

impl CalibrationDetails {
    /// The details of a calibration result.
    pub fn of(outcome: &Outcome) -> Self {
        let (calibration, provenance) = (&outcome.calibration, &outcome.provenance);
        let mounting = &calibration.mounting;
        Self {
            software: base::software::version(),
            artefact: calibration.artefact,
            operator: provenance.operator.clone(),
            files: [&provenance.sensor, &provenance.cmm].into_iter().chain(&provenance.more).cloned().collect(),
            handedness: mounting.handedness,
            position_mm: mounting.position_mm.into(),
            probe_radius_mm: calibration.probe_radius_mm,
            cmm_from_sensor: transform::rows_of(&mounting.cmm_from_sensor),
            sensor: FrameDetails::of(&calibration.sensor),
            cmm: FrameDetails::of(&calibration.cmm),
            snapshot_residuals: calibration.joint.as_ref().map_or_else(Vec::new, |joint| joint.residuals.clone()),
        }
    }
}

impl FrameDetails {
    fn of(frame: &ArtefactFrame) -> Self {
        Self {
            device_from_artefact: transform::rows_of(&frame.device_from_artefact),
            fits: frame.parts.iter().map(FitDetails::of).collect(),
        }
    }
}

impl FitDetails {
    fn of(part: &Part) -> Self {
        let fit = &part.fit;
        let indexed = (0_u32..).zip(&fit.residuals_mm);
        let used = indexed.filter(|(index, _)| fit.dropped.binary_search(index).is_err());
        Self {
            name: part.name.to_owned(),
            shape: fit.shape,
            rms_mm: fit.rms_mm,
            sigma_mm: fit.sigma_mm,
            form_error_mm: fit.form_error_mm,
            used: fit.used,
            dropped: fit.dropped.len(),
            residuals_mm: thinned(used.map(|(_, residual)| *residual).collect()),
        }
    }
}

/// Rounds the residuals and reduces them to at most `MAX_RESIDUALS` quantiles.
fn thinned(mut residuals: Vec<f64>) -> Vec<f64> {
    if residuals.len() > MAX_RESIDUALS {
        residuals.sort_by(f64::total_cmp);
        let last = residuals.len() - 1;
        let quantile = |i: usize| residuals[i * last / (MAX_RESIDUALS - 1)];
        residuals = (0..MAX_RESIDUALS).map(quantile).collect();
    }
    residuals.iter_mut().for_each(|own| *own = (*own * ROUNDING_PER_MM).round() / ROUNDING_PER_MM);
    residuals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_residuals_are_kept_as_they_are_and_many_by_their_quantiles() {
        assert_eq!(thinned(vec![0.003, -0.001, 0.000_000_4]), [0.003, -0.001, 0.0]);
        let many: Vec<f64> = (0..100_000).map(|i| f64::from(i * 7919 % 100_000) * 1e-5).collect();
        let kept = thinned(many);
        assert_eq!(kept.len(), MAX_RESIDUALS);
        assert!(kept.is_sorted() && kept[0] == 0.0 && (kept[MAX_RESIDUALS - 1] - 0.99999).abs() < 1e-9);
        assert!((kept[MAX_RESIDUALS / 2] - 0.5).abs() < 0.01);
    }
}
