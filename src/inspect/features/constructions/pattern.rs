//! Patterns of features: a circle or a line through their centres.

use super::super::element::LEAST_LENGTH_MM;
use super::super::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::Point;

/// A bolt circle larger than so many times the reach of its centres is a line.
const FLAT: f64 = 1e3;

/// The least-squares circle through at least three centres, mm: a bolt circle.
pub fn circle(centres: &[Point], progress: &Progress) -> Result<Fit> {
    let found = through(Kind::Circle, centres, progress)?;
    let Shape::Circle { radius, .. } = found.shape else {
        return Err(UserError::internal("A fitted circle that is none."));
    };
    let reach = reach(centres);
    if radius > FLAT * reach {
        return Err(UserError::input(format!(
            "The centres lie on a line: their circle has a radius of {radius:.0} mm over a reach of {reach:.1} mm, and \
             {:.0} mm is the most. Choose centres around the circle.",
            FLAT * reach
        )));
    }
    Ok(found)
}

/// The least-squares line through at least two centres, mm.
pub fn line(centres: &[Point], progress: &Progress) -> Result<Fit> {
    through(Kind::Line, centres, progress)
}

fn through(kind: Kind, centres: &[Point], progress: &Progress) -> Result<Fit> {
    let reach = reach(centres);
    if centres.len() >= kind.least_points() && !(reach > LEAST_LENGTH_MM) {
        return Err(UserError::input("The centres are all in one place; choose different features."));
    }
    fit(kind, centres, &[], &Options::default(), progress)
}

/// The greatest distance of a centre from the first, mm.
fn reach(centres: &[Point]) -> f64 {
    let Some(first) = centres.first() else { return 0.0 };
    centres.iter().map(|centre| (centre - first).norm()).fold(0.0, f64::max)
}
