//! What a line of the log of calibrations keeps beside the six quantities: the fits, their residuals, and the
//! transforms that follow from them; so that an audit needs no other file. Lines of older versions have none of it.

use serde::{Deserialize, Serialize};

use super::calibrating::{InputFile, Outcome};
use geometry::transform;
use inspect::calibration::artefacts::Part;
use inspect::calibration::{ArtefactFrame, ArtefactKind, Handedness};
use inspect::features::Shape;

/// Residuals that are kept of a fit as they are; of more, so many evenly spaced ones by size.
const MAX_RESIDUALS: usize = 500;
/// Residuals are kept to a nanometre.
const PER_MM: f64 = 1e6;

/// A calibration as it was made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationDetails {
    /// Version of the software.
    pub software: String,
    /// With which artefact.
    pub artefact: ArtefactKind,
    /// Who calibrated.
    pub operator: String,
    /// The files of snapshots and touches.
    pub files: Vec<InputFile>,
    /// What the sensor reports in.
    pub handedness: Handedness,
    /// Where the CMM stood, mm.
    pub position_mm: [f64; 3],
    /// The probe's radius that was taken off, mm.
    pub probe_radius_mm: f64,
    /// Rows of the transform from the (right-handed) sensor frame to the CMM, mm.
    pub cmm_from_sensor: [[f64; 4]; 4],
    /// The artefact as the sensor saw it, in the first snapshot.
    pub sensor: FrameDetails,
    /// The artefact as the CMM touched it, as it lay first.
    pub cmm: FrameDetails,
    /// How far each of several snapshots is off: shift (mm) and turn (rad) in the artefact's frame.
    #[serde(default)]
    pub snapshot_residuals: Vec<[f64; 6]>,
}

/// An artefact's frame and the fits that it was made of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameDetails {
    /// Rows of the transform from the artefact to the device, mm.
    pub device_from_artefact: [[f64; 4]; 4],
    /// The fits.
    pub fits: Vec<FitDetails>,
}

/// A fit of a part of the artefact, in the device's frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FitDetails {
    /// The part.
    pub name: String,
    /// What was fitted.
    pub shape: Shape,
    /// Root of the mean square residual, mm.
    pub rms_mm: f64,
    /// Standard deviation of a residual, mm.
    pub sigma_mm: f64,
    /// Greatest less least residual, mm.
    pub form_error_mm: f64,
    /// Points used.
    pub used: usize,
    /// Points dropped as outliers.
    pub dropped: usize,
    /// Residuals of the points used, mm, in their order; of more than 500 as many quantiles from the least to the
    /// greatest, evenly spaced.
    pub residuals_mm: Vec<f64>,
}

impl CalibrationDetails {
    /// Of a calibration that was made.
    pub fn of(outcome: &Outcome) -> Self {
        let (calibration, made) = (&outcome.calibration, &outcome.made);
        let mounting = &calibration.mounting;
        Self {
            software: env!("CARGO_PKG_VERSION").to_owned(),
            artefact: calibration.artefact,
            operator: made.operator.clone(),
            files: [&made.sensor, &made.cmm].into_iter().chain(&made.more).cloned().collect(),
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
        let numbered = (0_u32..).zip(&fit.residuals_mm);
        let used = numbered.filter(|(number, _)| fit.dropped.binary_search(number).is_err());
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

/// See [`FitDetails::residuals_mm`].
fn thinned(mut residuals: Vec<f64>) -> Vec<f64> {
    if residuals.len() > MAX_RESIDUALS {
        residuals.sort_by(f64::total_cmp);
        let last = residuals.len() - 1;
        let quantile = |i: usize| residuals[i * last / (MAX_RESIDUALS - 1)];
        residuals = (0..MAX_RESIDUALS).map(quantile).collect();
    }
    residuals.iter_mut().for_each(|own| *own = (*own * PER_MM).round() / PER_MM);
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
