//! Errors that the measurements at hand cannot reveal, and what would reveal them.

use super::super::artefacts::{Aspect, ErrorForm};
use super::super::stylus::MAX_RADIUS_ERROR_MM;
use super::{COVERAGE, CheckInput, Comparison};
use crate::features::Shape;

/// Minimum detectable error of the scale above which such an error counts as not shown.
const MAX_DETECTABLE_SCALE: f64 = 1e-3;

/// One sentence for each error that cannot be revealed.
pub(super) fn sentences(input: &CheckInput<'_>, comparisons: &[Comparison]) -> Vec<String> {
    let judged: Vec<&Comparison> = comparisons.iter().filter(|own| own.is_compared()).collect();
    // Smallest detectable value of a parameter; `sensitivity` is the derivative of a difference by it.
    let detectable = |sensitivity: &dyn Fn(&Comparison) -> f64| {
        let max = judged.iter().map(|own| sensitivity(own).abs() / (own.limit * own.sigma)).fold(0.0, f64::max);
        COVERAGE / max
    };
    let mut sentences = Vec::new();
    let radius_mm = detectable(&|own| own.radius_sensitivity);
    // The centre of a sphere does not depend on it.
    let is_flat = |part: &super::super::artefacts::Part| matches!(part.fit.shape, Shape::Plane { .. });
    if input.frames.cmm.iter().flat_map(|frame| &frame.parts).any(is_flat) {
        sentences.push(if radius_mm < MAX_RADIUS_ERROR_MM {
            format!(
                "An error of the stylus tip radius below {radius_mm:.2} mm is not detected; it shifts the mounting \
                 perpendicular to the flat face by the same amount, which the uncertainties include as far as the radius \
                 is not stated to be known better."
            )
        } else {
            "This artefact does not show an error of the stylus tip radius, which shifts the mounting perpendicular to \
             the flat face by the same amount: state it, or measure a sphere or angled slots with the same stylus."
                .to_owned()
        });
    }
    let contribution = |form: ErrorForm| input.uncertainty.by_form(input.mounting, form).map(|sigma| COVERAGE * sigma);
    let scale = detectable(&|own| if own.aspect == Aspect::Distance { own.cmm } else { 0.0 });
    let [x, y, z, ..] = contribution(ErrorForm::Scale);
    let max_mm = x.max(y).max(z);
    // Several positions compare lengths measured by the sensor with travels of the CMM.
    let is_single = input.frames.sensor.len() == 1;
    if is_single && scale >= MAX_DETECTABLE_SCALE && max_mm > 0.0 {
        sentences.push(format!(
            "No length across the field is compared, so a scale error of the sensor or of the CMM is not detected; \
             that of the sensor is included as ± {max_mm:.4} mm of position, as far as its systematic error allows one. \
             Three spheres, or one sphere from several positions, would show it; a stated scale error or a stated \
             measuring field, if it is larger than the snapshot shows, reduces it."
        ));
    }
    let [.., a, b, c] = contribution(ErrorForm::Tilt);
    let max_deg = a.max(b).max(c).to_degrees();
    if is_single && max_deg > 0.0 {
        sentences.push(format!(
            "One snapshot does not separate a tilt of the sensor's systematic error from a rotation of the mounting; \
             it is included as ± {max_deg:.4}°. Snapshots from CMM positions 50 mm or more apart in height would show \
             it."
        ));
    }
    sentences.extend(input.request.artefact.artefact().unmodelled_note().map(str::to_owned));
    sentences
}
