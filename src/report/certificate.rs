//! Calibration certificate: measurements, result, uncertainties and certification status, as JSON and as PDF.

use serde_json::{Value, json};

use super::pdf;
use base::date::Stamp;
use base::{PageSize, Result};
use geometry::transform;
use inspect::calibration::artefacts::radius_biases;
use inspect::calibration::consistency::{Comparison, Consistency};
use inspect::calibration::record::with_digest;
use inspect::calibration::{ArtefactFrame, Calibration, light};
use session::calibration::{InputFile, Provenance};

pub use inspect::calibration::{EXPECTED_CMM_MM, EXPECTED_SENSOR_MM};

/// The certificate as JSON, schema `shadowgraph.calibration/1`, with its digest. Uncertainties under keys with `k2` are
/// expanded (k = 2).
pub fn record(calibration: &Calibration, provenance: &Provenance) -> Value {
    with_digest(body(calibration, provenance))
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
        "probe_radius_error_mm": calibration.stylus.and_then(|stylus| stylus.stated_mm),
        "probe_radius_limit_mm": calibration.stylus.map(|stylus| stylus.limit_mm),
        "sensor_bias_mm": calibration.bias_mm,
        "sensor_field_mm": calibration.field_mm,
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
            "place_stylus_mm": positions.iter().map(|part| 2.0 * part.stylus).collect::<Vec<_>>(),
            "angles_noise_deg": angles.iter().map(|part| (2.0 * part.noise).to_degrees()).collect::<Vec<_>>(),
            "angles_systematic_deg": angles.iter().map(|part| (2.0 * part.systematic).to_degrees()).collect::<Vec<_>>(),
            "angles_stylus_deg": angles.iter().map(|part| (2.0 * part.stylus).to_degrees()).collect::<Vec<_>>(),
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
            "known": joint.known,
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
        "limit": comparison.limit,
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

/// The certificate as PDF.
pub fn pdf(calibration: &Calibration, provenance: &Provenance, size: PageSize) -> Result<Vec<u8>> {
    pdf::of_certificate(&record(calibration, provenance), Stamp::of_unix(provenance.unix_s), size)
}
