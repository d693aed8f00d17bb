//! Machine-readable result of an inspection: `summary.json`, schema `shadowgraph.inspection/1`.

use std::sync::Arc;

use serde_json::{Value, json};

use super::Input;
use geometry::transform;
use inspect::alignment::Alignment;
use inspect::deviation::{DeviationMap, FaceResult};
use inspect::tolerances::measure::Measure;
use inspect::tolerances::recipe::ToleranceRecipe;
use io::SourceFile;
use session::Document;
use session::pipeline::State;
use session::plan::{Element, ElementId, Recipe};

/// The summary as JSON; units are stated in the keys.
pub fn of(input: &Input<'_>) -> Value {
    let check = input.check;
    let bounds = input.nominal.surface.bounds();
    let identity = Alignment::given(check.measurement.nominal_from_scan);
    let alignment = input.document.alignment().unwrap_or(&identity);
    let findings = &input.nominal.findings;
    json!({
        "schema": "shadowgraph.inspection/1",
        "software": super::software(),
        "backend": check.measurement.device,
        "nominal": {
            "path": input.nominal.source.path.to_string_lossy(),
            "blake3": input.nominal.source.hash,
            "facets": input.nominal.surface.mesh().facets.len(),
            "bounds_mm": [bounds.min.coords.as_slice(), bounds.max.coords.as_slice()],
            "findings": findings,
            "notes": input.nominal.notes,
        },
        "scan": {
            "files": input.actual.sources.iter().map(source).collect::<Vec<_>>(),
            "points": input.actual.cloud.points.len(),
            "findings": input.actual.findings,
            "notes": input.actual.notes,
            "cleaning": input.actual.cleaning,
        },
        "alignment": alignment_json(alignment),
        "deviation": {
            "method": check.parameters.method,
            "direction": check.parameters.effective_direction().map(|own| [own.x, own.y, own.z]),
            "in_plane": check.parameters.is_in_plane(),
            "count": check.statistics.count,
            "excluded": check.statistics.excluded,
            "excluded_by_reason": check.excluded,
            "mean_mm": check.statistics.mean_mm,
            "sigma_mm": check.statistics.sigma_mm,
            "rms_mm": check.statistics.rms_mm,
            "min_mm": check.statistics.min_mm,
            "max_mm": check.statistics.max_mm,
            "percentiles_mm": check.statistics.percentiles_mm,
            "in_tolerance_fraction": check.statistics.in_tolerance_fraction,
            "own_tolerances": check.own_tolerances.iter().map(own_tolerance).collect::<Vec<_>>(),
            "max_distance_mm": check.parameters.effective_max_distance_mm(),
            "max_angle_deg": check.parameters.max_angle_deg,
            "max_edge_mm": match check.measurement.map() {
                DeviationMap::Facets { max_edge_mm, .. } => Some(max_edge_mm),
                DeviationMap::Points(_) => None,
            },
        },
        "tolerance_mm": [check.parameters.tolerance.low_mm, check.parameters.tolerance.high_mm],
        "min_region_mm2": check.parameters.min_region_mm2,
        "detectable": check.resolution,
        "regions": check.regions,
        "regions_in_doubt": check.doubtful_regions,
        "clutter": check.clutter,
        "outliers": check.outliers,
        "coverage": check.measurement.coverage,
        "part_match": check.part_match,
        "tolerances": tolerances(input.document),
        "measures": measures(input.document),
        "verdict": input.overall.verdict,
        "headline": input.overall.headline(),
        "components": input.overall.components,
        "remarks": input.overall.remarks,
        "decision_rule": input.overall.decision_rule,
        "timings_ms": timings(input.timings_ms),
    })
}

/// An alignment as JSON, as in the summary and in the JSON output of `register`.
pub fn alignment_json(alignment: &Alignment) -> Value {
    json!({
        "method": alignment.method,
        "nominal_from_scan": transform::rows_of(&alignment.nominal_from_scan),
        "by_hand": alignment.by_hand,
        "rms_mm": alignment.rms_mm,
        "iterations": alignment.iterations,
        "overlap": alignment.overlap,
        "converged": alignment.converged,
        "stop": alignment.stop,
        "information": alignment.information.matrix,
        "information_pivot_mm": alignment.information.pivot.map(|pivot| [pivot.x, pivot.y, pivot.z]),
        "weakest": alignment.information.weakest,
        "rivals": alignment.rivals,
        "explained": alignment.explained,
        "among_others": alignment.among_others,
        "uniform_offset": alignment.uniform_offset,
        "main": alignment.main,
        "undetermined": alignment.information.open,
        "as_in_the_pre_alignment": alignment.as_before,
        "remarks": alignment.remarks(),
        "alternatives": alignment.alternatives.iter().map(|alternative| json!({
            "nominal_from_scan": transform::rows_of(&alternative.nominal_from_scan),
            "rms_mm": alternative.rms_mm,
            "angle_deg": alternative.angle_rad.to_degrees(),
        })).collect::<Vec<_>>(),
    })
}

/// The result of an own tolerance; null where nothing was measured.
fn own_tolerance(own: &FaceResult) -> Value {
    json!({
        "name": own.name,
        "facets": own.facets,
        "tolerance_mm": [own.tolerance.low_mm, own.tolerance.high_mm],
        "points": own.points,
        "coverage_fraction": own.coverage,
        "in_tolerance_fraction": own.in_tolerance_fraction(),
        "min_mm": own.range_mm.map(|[min_mm, _]| min_mm),
        "max_mm": own.range_mm.map(|[_, max_mm]| max_mm),
        "regions": own.regions,
        "verdict": own.verdict,
    })
}

/// The tolerances with their results; `error` says why there is none.
fn tolerances(document: &Document) -> Vec<Value> {
    let one = |(id, recipe): (ElementId, &ToleranceRecipe)| {
        let (name, asked) = (document.plan.name(id), &recipe.asked);
        match document.judgement_of(id) {
            Some(Ok(judged)) => json!({ "name": name, "tolerance": asked, "words": judged.words(), "judged": judged }),
            other => {
                let error = other.and_then(Result::err).unwrap_or_else(|| "It was not evaluated.".to_owned());
                json!({ "name": name, "tolerance": asked, "words": "not judged", "error": error })
            }
        }
    };
    document.tolerances().map(one).collect()
}

/// The measured distances and angles.
fn measures(document: &Document) -> Vec<Value> {
    let one = |element: &Arc<Element>| {
        let Recipe::Measure(recipe) = &element.recipe else { return None };
        let fresh = document.result::<Measure>(Some(element.id)).filter(|_| document.state(element.id) == State::Fresh);
        let [from, to] = [recipe.from, recipe.to].map(|id| document.plan.name(id));
        Some(json!({
            "name": element.name,
            "quantity": recipe.quantity,
            "from": from,
            "to": to,
            "unit": fresh.map(|own| own.figure.unit),
            "value": fresh.map(|own| own.figure.value),
            "expanded_uncertainty": fresh.and_then(|own| own.figure.uncertainty),
            "lower": recipe.lower,
            "upper": recipe.upper,
            "words": fresh.map_or(Some("not judged"), Measure::words),
            "incomplete": fresh.map(|own| own.incomplete.as_str()).filter(|own| !own.is_empty()),
        }))
    };
    document.plan.elements().iter().filter_map(one).collect()
}

fn source(file: &SourceFile) -> Value {
    json!({ "path": file.path.to_string_lossy(), "blake3": file.hash, "unit": file.unit })
}

fn timings(timings_ms: &[(String, f64)]) -> Value {
    timings_ms.iter().map(|(name, ms)| (name.clone(), json!(ms))).collect::<serde_json::Map<_, _>>().into()
}
