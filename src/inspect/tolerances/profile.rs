//! Profile of a surface: signed deviations from the nominal surface, against a zone about it.
//!
//! The zone of width t reaches u outside and t - u inside of the surface, so its middle lies u - t/2 outside. The value
//! is the width of the zone about that middle that just holds all deviations: twice the greatest distance from it. That
//! is t + 2 g for the growth g by which both sides must move outward (ASME Y14.5.1-2019; ISO 1660:2017 for profiles in
//! ISO. Neither text was available to check against).

use super::feature::Actual;
use super::{Measured, Scene, Tolerance, extents};
use crate::features::{Element, Kind, Shape};
use base::{Result, UserError};
use geometry::{Point, Vector};

/// A free motion that changes deviations by less than this, per mm or rad of it, does not matter.
const STILL: f64 = 1e-3;
/// Points that tell whether it does.
const TRIED: usize = 200;

/// Measures a profile; `outside_mm` is u, half of the width where `None`.
pub(super) fn measure(
    scene: &Scene<'_>,
    tolerance: &Tolerance,
    actual: &Actual<'_>,
    outside_mm: Option<f64>,
) -> Result<Measured> {
    let width_mm = tolerance.limit_mm;
    let outside_mm = outside_mm.unwrap_or(0.5 * width_mm);
    if !(0.0..=width_mm).contains(&outside_mm) {
        return Err(UserError::usage(format!(
            "The part of the zone outside, {outside_mm} mm, must be within 0 and its width of {width_mm} mm."
        )));
    }
    let middle_mm = outside_mm - 0.5 * width_mm;
    let (points, given) = (&actual.feature.points, &actual.feature.deviations_mm);
    let (deviations, origin) = if given.is_empty() {
        (from_nominal(scene, tolerance, actual)?, "from the nominal shape in the datum system")
    } else {
        (given.clone(), "as they were measured")
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
            "“{}” has a deviation that is no number; measure it again.",
            actual.name
        )));
    }
    let (worst, most) = extents::greatest(deviations.iter().map(|deviation| (deviation - middle_mm).abs()));
    let how = format!(
        "2 × {most:.4} mm, the greatest distance of the deviations ({origin}) from the middle of the zone, which lies \
         {middle_mm:+.4} mm outside the nominal surface"
    );
    Ok(Measured::new(2.0 * most, points.get(worst).copied(), how))
}

/// Deviations from the feature's nominal shape, brought to the part through both datum frames.
fn from_nominal(scene: &Scene<'_>, tolerance: &Tolerance, actual: &Actual<'_>) -> Result<Vec<f64>> {
    if tolerance.datums.is_empty() {
        return Err(
            actual.unfit("a profile without datums needs its deviations, measured after a best fit to the nominal")
        );
    }
    let surface = |shape: &Shape| !matches!(shape.kind(), Kind::Line | Kind::Circle);
    let nominal = match scene.nominal_in_datum_frame(tolerance, actual)? {
        Element::Shape(shape) if surface(&shape) => shape,
        _ => return Err(actual.unfit("its nominal is no surface; measure its deviations from the nominal part")),
    };
    let system = scene.system(tolerance)?;
    let places: Vec<Point> = actual.points(1)?.iter().map(|point| system.datum_from_part * point).collect();
    let mut open = system.free;
    for k in 0..3 {
        let axis = Vector::ith(k, 1.0);
        open.shift[k] &= changes(&nominal, &places, |_| axis);
        open.turn[k] &= changes(&nominal, &places, |place| axis.cross(&place.coords));
    }
    let names = open.names();
    if !names.is_empty() {
        return Err(UserError::usage(format!(
            "The datums {} leave {names} of their frame open, and the profile of “{}” changes with it. Name a further \
             datum that fixes it, or measure the deviations after a best fit.",
            system.name, actual.name
        )));
    }
    Ok(places.iter().map(|place| nominal.distance(place)).collect())
}

/// Whether a motion changes distances from the shape.
fn changes(shape: &Shape, places: &[Point], velocity: impl Fn(&Point) -> Vector) -> bool {
    let tried = places.iter().step_by(places.len().div_ceil(TRIED).max(1));
    tried.into_iter().any(|place| {
        let step = velocity(place) * 1e-4;
        (shape.distance(&(place + step)) - shape.distance(&(place - step))).abs() > 2e-4 * STILL
    })
}
