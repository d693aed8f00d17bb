//! Profile of a surface: signed deviations from the nominal surface, relative to a zone about it.
//!
//! The zone of width t extends u outside and t - u inside of the surface, so its centre lies u - t/2 outside. The value
//! is the width of the zone about that centre that just contains all deviations: twice their maximum distance from it.
//! That is t + 2 g for the growth g by which both sides must move outward (ASME Y14.5.1-2019; ISO 1660:2017 for
//! profiles in ISO. Neither text was available to check against).

use super::feature::ActualFeature;
use super::{CheckContext, Measurement, Tolerance, extents};
use crate::features::{Element, Kind, Shape};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// Sensitivity of the deviations to a free motion, per mm or rad, below which the motion is irrelevant.
const MIN_SENSITIVITY: f64 = 1e-3;
/// Maximum number of points on which the sensitivity is evaluated.
const SAMPLE_POINTS: usize = 200;

/// Evaluates a profile; `outside_mm` is u, by default half of the width.
pub(super) fn measure(
    context: &CheckContext<'_>,
    tolerance: &Tolerance,
    actual: &ActualFeature<'_>,
    outside_mm: Option<f64>,
) -> Result<Measurement> {
    let width_mm = tolerance.limit_mm;
    let outside_mm = outside_mm.unwrap_or(0.5 * width_mm);
    if !(0.0..=width_mm).contains(&outside_mm) {
        return Err(UserError::usage(format!(
            "The part of the zone outside the surface, {outside_mm} mm, must be between 0 and the zone width of \
             {width_mm} mm."
        )));
    }
    let centre_mm = outside_mm - 0.5 * width_mm;
    let (points, measured) = (&actual.feature.points, &actual.feature.deviations_mm);
    let (deviations, origin) = if measured.is_empty() {
        (from_nominal(context, tolerance, actual)?, "from the nominal shape in the datum system")
    } else {
        (measured.clone(), "as measured")
    };
    if !points.is_empty() && points.len() != deviations.len() {
        return Err(UserError::input(format!(
            "“{}” has {} deviations for {} points; measure them again.",
            actual.name,
            deviations.len(),
            points.len()
        )));
    }
    if !deviations.iter().all(|deviation| deviation.is_finite()) {
        return Err(UserError::input(format!(
            "“{}” has a deviation that is not finite; measure it again.",
            actual.name
        )));
    }
    let (worst, max_mm) = extents::max_with_index(deviations.iter().map(|deviation| (deviation - centre_mm).abs()));
    let how = format!(
        "2 × {max_mm:.4} mm, the maximum distance of the deviations ({origin}) from the centre of the zone, which lies \
         {centre_mm:+.4} mm outside the nominal surface"
    );
    Ok(Measurement::new(2.0 * max_mm, points.get(worst).copied(), how))
}

/// Deviations of the measured points, transformed into the datum frame, from the feature's nominal shape in the nominal
/// datum frame, mm.
fn from_nominal(context: &CheckContext<'_>, tolerance: &Tolerance, actual: &ActualFeature<'_>) -> Result<Vec<f64>> {
    if tolerance.datums.is_empty() {
        return Err(
            actual.unfit("a profile without datums needs its deviations, measured after a best fit to the nominal")
        );
    }
    let is_surface = |shape: &Shape| !matches!(shape.kind(), Kind::Line | Kind::Circle);
    let nominal = match context.nominal_in_datum_frame(tolerance, actual)? {
        Element::Shape(shape) if is_surface(&shape) => shape,
        _ => return Err(actual.unfit("its nominal is not a surface; measure its deviations from the nominal part")),
    };
    let system = context.system(tolerance)?;
    let in_datum_frame: Vec<Point> = actual.points(1)?.iter().map(|point| system.datum_from_part * point).collect();
    let mut relevant = system.free;
    for k in 0..3 {
        let axis = Vector::ith(k, 1.0);
        relevant.shift[k] &= changes(&nominal, &in_datum_frame, |_| axis);
        relevant.turn[k] &= changes(&nominal, &in_datum_frame, |point| axis.cross(&point.coords));
    }
    let names = relevant.names();
    if !names.is_empty() {
        return Err(UserError::usage(format!(
            "The datums {} do not constrain {names} of their frame, on which the profile of “{}” depends. Add a datum \
             that does, or measure the deviations after a best fit.",
            system.name, actual.name
        )));
    }
    Ok(in_datum_frame.iter().map(|point| nominal.distance(point)).collect())
}

/// Whether a motion changes distances from the shape.
fn changes(shape: &Shape, points: &[Point], velocity: impl Fn(&Point) -> Vector) -> bool {
    let mut sample = points.iter().step_by(points.len().div_ceil(SAMPLE_POINTS).max(1));
    sample.any(|point| {
        let step = velocity(point) * 1e-4;
        (shape.distance(&(point + step)) - shape.distance(&(point - step))).abs() > 2e-4 * MIN_SENSITIVITY
    })
}
