//! What the measurements at hand cannot show, and what would.

use super::super::artefacts::{Aspect, ErrorForm};
use super::{COVERAGE, Checked, Comparison};
use crate::features::Shape;

/// A stylus tip must be off by less than this, mm, to be said to be seen; a scale by less than this share.
const SEEN_RADIUS_MM: f64 = 1.0;
const SEEN_SCALE: f64 = 1e-3;

/// Sentences.
pub(super) fn sentences(checked: &Checked<'_>, comparisons: &[Comparison], limit: f64) -> Vec<String> {
    let judged: Vec<&Comparison> = comparisons.iter().filter(|own| own.is_compared()).collect();
    // The least value of a figure that would be noticed, where differences are `by` of 1 of it.
    let noticed = |by: &dyn Fn(&Comparison) -> f64| {
        let most = judged.iter().map(|own| by(own).abs() / own.sigma).fold(0.0, f64::max);
        limit * COVERAGE / most
    };
    let mut said = Vec::new();
    let radius_mm = noticed(&|own| own.by_radius);
    // The middle of a sphere does not move with it.
    let is_flat = |part: &super::super::artefacts::Part| matches!(part.fit.shape, Shape::Plane { .. });
    if checked.frames.cmm.iter().flat_map(|frame| &frame.parts).any(is_flat) {
        said.push(if radius_mm < SEEN_RADIUS_MM {
            format!(
                "An error of the stylus tip radius below {radius_mm:.2} mm is not seen; it moves the mounting across the \
                 flat face by as much."
            )
        } else {
            "This artefact does not show an error of the stylus tip radius, which moves the mounting across the flat face \
             by as much: measure a sphere or angled slots with the same stylus."
                .to_owned()
        });
    }
    let by = |form: ErrorForm| checked.uncertainty.by_form(checked.mounting, form).map(|sigma| COVERAGE * sigma);
    let scale = noticed(&|own| if own.aspect == Aspect::Distance { own.cmm } else { 0.0 });
    let [x, y, z, ..] = by(ErrorForm::Scale);
    let most_mm = x.max(y).max(z);
    // Several positions compare lengths of the sensor with ways of the machine.
    let is_single = checked.frames.sensor.len() == 1;
    if is_single && scale >= SEEN_SCALE && most_mm > 0.0 {
        said.push(format!(
            "No length across the field is compared, so a scale error of the sensor or of the CMM is not seen; the \
             sensor's is stated with ± {most_mm:.4} mm of place. Three spheres, or one sphere from several positions, \
             would show it."
        ));
    }
    let [.., a, b, c] = by(ErrorForm::Tilt);
    let most_deg = a.max(b).max(c).to_degrees();
    if is_single && most_deg > 0.0 {
        said.push(format!(
            "One snapshot does not tell a tilt of the sensor's systematic error from a turn of the mounting; it is stated \
             with ± {most_deg:.4}°. Snapshots from positions of the machine 50 mm or more apart in height would show it."
        ));
    }
    said.extend(checked.request.artefact.artefact().remark().map(str::to_owned));
    said
}
