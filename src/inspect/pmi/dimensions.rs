//! Dimensions of a CAD file: sizes, distances and angles with limits.

use super::PmiMeasure;
use super::features::{FeatureTable, Refusal};
use crate::features::measures::{AngleConvention, UncertainElement, angle, distance};
use crate::features::{Kind, Shape};
use crate::tolerances::measure::Quantity;
use crate::tolerances::{Characteristic, Tolerance};
use io::cad::pmi::Dimension;

/// Largest difference of a stated nominal value from that of the faces: 1e-4 of it, or this, mm or degrees. More says
/// that the dimension means something else.
const MAX_DIFFERENCE: f64 = 0.01;

/// A dimension that can be evaluated.
pub(super) enum Judgeable {
    Size(Tolerance),
    Measure(PmiMeasure),
}

/// A dimension in words, e.g. “Diameter 10 mm”.
pub(super) fn title(own: &Dimension) -> String {
    let unit = if own.kind == "angle" { "°" } else { " mm" };
    let value = own.nominal.map(|value| format!(" {}{unit}", rounded(value))).unwrap_or_default();
    let limits = match (own.lower.map(rounded), own.upper.map(rounded)) {
        (None, None) => String::new(),
        (Some(lower), None) => format!(", at least {lower}{unit}"),
        (None, Some(upper)) => format!(", at most {upper}{unit}"),
        (Some(lower), Some(upper)) => format!(", {lower} to {upper}{unit}"),
    };
    let kind = if own.kind.is_empty() { "dimension" } else { &own.kind };
    format!("{}{value}{limits}", base::capitalised(kind))
}

/// A value without the digits of the computation.
pub(super) fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}

/// Diameters per unit of a size of this kind; `None` for other dimensions.
pub(super) fn diameters_per_unit(kind: &str) -> Option<f64> {
    match kind {
        "diameter" | "spherical diameter" => Some(1.0),
        "radius" | "spherical radius" => Some(2.0),
        _ => None,
    }
}

/// The dimension, if it can be evaluated.
pub(super) fn of(own: &Dimension, table: &mut FeatureTable<'_>) -> Refusal<Judgeable> {
    if own.unread_bounds {
        return Err("its limits could not be read".to_owned());
    }
    // A class alone does not do: Open CASCADE writes other grades than it was given.
    if !own.fit.is_empty() {
        return Err(format!("the limits of its tolerance class {} are not in the file", own.fit));
    }
    if own.lower.is_none() && own.upper.is_none() {
        return Err("it has no limits".to_owned());
    }
    if let Some(modifier) = own.modifiers.first() {
        return Err(format!("its modifier “{modifier}” is not evaluated"));
    }
    if let Some(factor) = diameters_per_unit(&own.kind).filter(|_| !own.is_location) {
        return size(own, factor, table).map(Judgeable::Size);
    }
    let ends = if own.is_location {
        [&own.first[..], &own.second[..]]
    } else if let ("thickness", [one, other]) = (own.kind.as_str(), &own.first[..]) {
        [std::slice::from_ref(one), std::slice::from_ref(other)]
    } else {
        return Err("dimensions of this kind are not evaluated".to_owned());
    };
    between(own, ends, table).map(Judgeable::Measure)
}

fn size(own: &Dimension, factor: f64, table: &mut FeatureTable<'_>) -> Refusal<Tolerance> {
    let feature = table.feature(&own.first, None)?;
    let (Shape::Cylinder { radius, .. } | Shape::Sphere { radius, .. }) = feature.nominal else {
        return Err(format!("it is stated of a {}", feature.kind.name().to_lowercase()));
    };
    agrees(own.nominal.map(|value| value * factor), 2.0 * radius, "mm")?;
    let upper = own.upper.ok_or_else(|| "it has no upper limit".to_owned())?;
    Ok(Tolerance {
        name: String::new(),
        feature: feature.name.clone(),
        characteristic: Characteristic::Size { lower_mm: own.lower.map(|lower| rounded(lower * factor)) },
        limit_mm: rounded(upper * factor),
        datums: Vec::new(),
        maximum_material: None,
        expanded_uncertainty_mm: None,
        filter_mm: None,
        filter_upr: None,
        outlier_sigmas: None,
        min_coverage: None,
        fit: None,
    })
}

/// A distance or angle between two features.
fn between(own: &Dimension, ends: [&[u32]; 2], table: &mut FeatureTable<'_>) -> Refusal<PmiMeasure> {
    let from = table.feature(ends[0], None)?.clone();
    let to = table.feature(ends[1], None)?.clone();
    let [one, other] = [&from, &to].map(|end| UncertainElement::exact(end.nominal));
    let is_planes = from.kind == Kind::Plane && to.kind == Kind::Plane;
    let (mut lower, mut upper) = (own.lower, own.upper);
    let quantity = if own.kind == "angle" {
        let nominal = own.nominal.ok_or_else(|| "it has no nominal value".to_owned())?;
        let measured = angle(&one, &other, AngleConvention::Acute).map_err(|error| error.sentence)?;
        agrees(Some(nominal.min(180.0 - nominal)), measured.angle_rad.to_degrees(), "°")?;
        (lower, upper) = acute_limits(nominal, lower, upper)?;
        Quantity::Angle(AngleConvention::Acute)
    } else if own.kind == "thickness"
        || own.kind == "linear distance"
        || (is_planes && own.kind.starts_with("linear distance"))
    {
        let measured = distance(&one, &other).map_err(|_| "there is no distance between its faces".to_owned())?;
        agrees(own.nominal, measured.distance_mm, "mm")?;
        Quantity::Distance
    } else {
        return Err("dimensions of this kind are not evaluated".to_owned());
    };
    let limit = |limit: Option<f64>| limit.map(rounded);
    let what = if matches!(quantity, Quantity::Distance) { "Distance" } else { "Angle" };
    Ok(PmiMeasure {
        name: format!("{what} {} – {}", from.name, to.name),
        quantity,
        from: from.name,
        to: to.name,
        lower: limit(lower),
        upper: limit(upper),
    })
}

/// Limits of the acute angle, which is what is measured of an angle of `nominal` degrees. Returns the reason if they reach
/// past a right angle on one side: then an angle cannot be told from its supplement.
fn acute_limits(nominal: f64, lower: Option<f64>, upper: Option<f64>) -> Refusal<(Option<f64>, Option<f64>)> {
    let (lower, upper) = match nominal > 90.0 + MAX_DIFFERENCE {
        true => (upper.map(|upper| 180.0 - upper), lower.map(|lower| 180.0 - lower)),
        false => (lower, upper),
    };
    match (lower, upper) {
        (_, Some(upper)) if upper < 90.0 => Ok((lower, Some(upper))),
        (Some(lower), Some(upper)) if (upper + lower - 180.0).abs() < 1e-6 => Ok((Some(lower), None)),
        _ => Err("its limits at a right angle cannot be told from their supplements".to_owned()),
    }
}

/// Whether a stated value is that of the faces.
fn agrees(stated: Option<f64>, of_faces: f64, unit: &str) -> Refusal<()> {
    let Some(stated) = stated else { return Ok(()) };
    if (stated - of_faces).abs() <= MAX_DIFFERENCE.max(1e-4 * stated.abs()) {
        return Ok(());
    }
    Err(format!("its faces give {of_faces:.3} {unit}, not {}", rounded(stated)))
}
