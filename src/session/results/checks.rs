//! Rows of checks: tolerances, measures, comparisons, sections with their dimensions, surface points and thickness.

use super::{ResultRow, RowVerdict, features};
use crate::Document;
use crate::plan::{Element, ElementId};
use geometry::Point;
use inspect::deviation::Check;
use inspect::features::measured::MeasuredFeature;
use inspect::features::measures::{self, UncertainElement};
use inspect::recipe::Product as _;
use inspect::section::dimension::MeasuredDimension;
use inspect::section::{PlanePoint, Section};
use inspect::surface_points::SurfacePoints;
use inspect::thickness::ThicknessMap;
use inspect::tolerances::measure::{Measure, MeasureRecipe, Quantity};
use inspect::tolerances::recipe::ToleranceRecipe;
use inspect::tolerances::{Characteristic, Conformity, Judged};
use inspect::verdict::Verdict;

type Rows = Option<Vec<ResultRow>>;

fn is_undecided(conformity: Option<Conformity>) -> bool {
    conformity == Some(Conformity::Undecided)
}

/// Why a row is not judged, if it is not, and how it was measured.
fn with_reason(incomplete: &str, how: &str) -> String {
    if incomplete.is_empty() { how.to_owned() } else { format!("{incomplete} {how}") }
}

/// Position of a feature, nominal frame.
fn position_of(document: &Document, feature: ElementId) -> Option<Point> {
    let own = document.result::<MeasuredFeature>(Some(feature))?;
    Some(own.element.moved(&document.nominal_from_scan()).position())
}

/// A tolerance; a size has the nominal of its feature.
pub(super) fn tolerance(document: &Document, element: &Element, recipe: &ToleranceRecipe) -> Rows {
    let judged = document.result::<Judged>(Some(element.id))?;
    let is_size = matches!(recipe.asked.characteristic, Characteristic::Size { .. });
    let feature = recipe.feature.and_then(|id| document.plan.get(id)).filter(|_| is_size);
    let nominal = feature.and_then(|own| features::nominal_size("Diameter", &own.recipe.nominal()?));
    let row = ResultRow::new(element, recipe.asked.characteristic.name(), "mm");
    Some(vec![ResultRow {
        lower: judged.lower_mm,
        upper: Some(judged.limit_mm),
        verdict: RowVerdict::of(judged.verdict(), is_undecided(judged.conformity) && !judged.is_incomplete()),
        why: with_reason(&judged.incomplete, &judged.how),
        at: judged
            .worst
            .map(|own| document.nominal_from_scan() * own)
            .or_else(|| position_of(document, recipe.feature?)),
        ..row.measured(nominal, Some(judged.measured_mm), judged.uncertainty_mm)
    }])
}

/// A distance or an angle; its nominal is that of the nominals of both features.
pub(super) fn measure(document: &Document, element: &Element, recipe: &MeasureRecipe) -> Rows {
    let own = document.result::<Measure>(Some(element.id))?;
    let figure = &own.figure;
    let row = ResultRow::new(element, figure.name.clone(), figure.unit);
    Some(vec![ResultRow {
        lower: figure.lower,
        upper: figure.upper,
        verdict: RowVerdict::of(own.verdict(), is_undecided(own.conformity) && own.incomplete.is_empty()),
        why: with_reason(&own.incomplete, &format!("{}.", own.how)),
        at: position_of(document, recipe.to),
        ..row.measured(nominal_measure(document, recipe), Some(figure.value), figure.uncertainty)
    }])
}

/// A distance, mm, or an angle, degrees, between the nominals of two features; `None` unless both have one.
fn nominal_measure(document: &Document, recipe: &MeasureRecipe) -> Option<f64> {
    let nominal = |id: ElementId| document.plan.get(id)?.recipe.nominal().map(UncertainElement::exact);
    let (from, to) = (nominal(recipe.from)?, nominal(recipe.to)?);
    match recipe.quantity {
        Quantity::Distance => Some(measures::distance(&from, &to).ok()?.distance_mm),
        Quantity::Angle(convention) => Some(measures::angle(&from, &to, convention).ok()?.angle_rad.to_degrees()),
    }
}

/// A surface comparison: the share in tolerance, with its verdict; the position is that of the worst region.
pub(super) fn comparison(document: &Document, element: &Element) -> Rows {
    let check = document.result::<Check>(Some(element.id))?;
    let row = ResultRow::new(element, "In tolerance", "%");
    Some(vec![ResultRow {
        verdict: RowVerdict::of(Some(check.verdict()), false),
        why: check.judgement.reason.clone(),
        at: check.regions.first().map(|region| Point::from(region.peak_at_mm)),
        ..row.measured(None, Some(100.0 * check.statistics.in_tolerance_fraction), None)
    }])
}

/// A section: the share of the measured contour in tolerance, if a scan was compared, and its dimensions.
pub(super) fn section(document: &Document, element: &Element) -> Rows {
    let section = document.result::<Section>(Some(element.id))?;
    let mut rows = Vec::new();
    if section.is_compared {
        let statistics = section.statistics();
        let share = 100.0 * statistics.in_tolerance_mm / statistics.measured_mm;
        rows.push(ResultRow {
            verdict: RowVerdict::of(section.verdict_of_contours(), false),
            why: section.sentences().into_iter().next().unwrap_or_default(),
            ..ResultRow::new(element, "In tolerance", "%").measured(None, Some(share), None)
        });
    }
    let row = |(item, own): (String, &MeasuredDimension)| ResultRow { item, ..dimension(section, element, own) };
    rows.extend(section.dimension_names().zip(&section.dimensions).map(row));
    Some(rows)
}

/// A dimension in a section. Its limits are those of its value, as its tolerance allows them about the nominal.
fn dimension(section: &Section, element: &Element, own: &MeasuredDimension) -> ResultRow {
    let nominal = own.nominal.as_ref().ok().copied();
    let measured = own.measured.as_ref();
    let bounds = own.dimension.tolerance.zip(nominal);
    let plane = section.planes.iter().find(|plane| plane.number == own.dimension.plane);
    let has_value = nominal.is_some() && measured.is_none_or(Result::is_ok);
    let kind = own.dimension.kind;
    ResultRow {
        lower: bounds.map(|(limits, nominal)| nominal + limits.low_mm),
        upper: bounds.map(|(limits, nominal)| nominal + limits.high_mm),
        verdict: RowVerdict::of(own.verdict().filter(|_| section.is_compared), is_undecided(own.conformity())),
        why: if has_value { String::new() } else { format!("{}.", base::capitalised(&own.words())) },
        at: plane.zip(middle(&own.line)).map(|(own, middle)| own.plane.outward(middle)),
        ..ResultRow::new(element, kind.name(), kind.unit()).measured(
            nominal,
            measured.and_then(|own| own.as_ref().ok().copied()),
            own.uncertainty,
        )
    }
}

/// Mean of the corners of a line; `None` without corners.
fn middle(line: &[PlanePoint]) -> Option<PlanePoint> {
    let count = line.len() as f64;
    (!line.is_empty()).then(|| [0, 1].map(|axis| line.iter().map(|own| own[axis]).sum::<f64>() / count))
}

/// A row for each surface point: its deviation, against 0.
pub(super) fn surface_points(document: &Document, element: &Element) -> Rows {
    let made = document.result::<SurfacePoints>(Some(element.id))?;
    let tolerance = made.parameters.tolerance;
    let rows = made.points.iter().map(|own| {
        let deviation_mm = own.measured.as_ref().ok().map(|(mm, _)| *mm);
        ResultRow {
            item: own.name.clone(),
            lower: Some(tolerance.low_mm),
            upper: Some(tolerance.high_mm),
            verdict: RowVerdict::of(Some(made.verdict_of(own)), is_undecided(made.conformity_of(own))),
            why: own.measured.as_ref().err().cloned().unwrap_or_default(),
            at: Some(own.at),
            ..ResultRow::new(element, "Deviation", "mm").measured(Some(0.0), deviation_mm, own.uncertainty_mm)
        }
    });
    Some(rows.collect())
}

/// The least thickness with its limit, and the greatest one where it has a limit.
pub(super) fn thickness(document: &Document, element: &Element) -> Rows {
    let map = document.result::<ThicknessMap>(Some(element.id))?;
    let (own, limits) = (&map.statistics, &map.parameters);
    let measured = |name: &'static str, mm: f64| {
        ResultRow::new(element, name, "mm").measured(None, (own.measured_mm2 > 0.0).then_some(mm), None)
    };
    let verdict = |own: Option<Verdict>| own.map_or(RowVerdict::NoLimits, |own| RowVerdict::of(Some(own), false));
    let least = ResultRow {
        lower: (limits.min_mm > 0.0).then_some(limits.min_mm),
        verdict: verdict(map.least_verdict()),
        why: map.sentences().join(" "),
        at: map.spots.first().map(|spot| spot.at),
        ..measured("Least thickness", own.min_mm)
    };
    let greatest = limits.max_thickness_mm.map(|limit_mm| ResultRow {
        upper: Some(limit_mm),
        verdict: verdict(map.greatest_verdict()),
        why: map.sentences().join(" "),
        at: map.thickest.map(|spot| spot.at),
        ..measured("Greatest thickness", own.max_mm)
    });
    Some(std::iter::once(least).chain(greatest).collect())
}
