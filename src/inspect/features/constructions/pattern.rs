//! Patterns of features: a circle or a line through their centres.

use super::super::element::LEAST_LENGTH_MM;
use super::super::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::Point;

/// Maximum radius of a bolt circle as a multiple of the extent of its centres; beyond it they count as collinear.
const MAX_RELATIVE_RADIUS: f64 = 1e3;

/// The least-squares circle through at least three centres, mm (bolt circle).
pub fn circle(centres: &[Point], progress: &Progress) -> Result<Fit> {
    let found = fit_through(Kind::Circle, centres, progress)?;
    let Shape::Circle { radius, .. } = found.shape else {
        return Err(UserError::internal("The fitted circle is not a circle."));
    };
    let extent = extent(centres);
    if radius > MAX_RELATIVE_RADIUS * extent {
        return Err(UserError::input(format!(
            "The centres lie on a line: the radius of their circle is {radius:.0} mm over an extent of {extent:.1} mm; \
             the maximum is {:.0} mm. Choose centres distributed around the circle.",
            MAX_RELATIVE_RADIUS * extent
        )));
    }
    Ok(found)
}

/// The least-squares line through at least two centres, mm.
pub fn line(centres: &[Point], progress: &Progress) -> Result<Fit> {
    fit_through(Kind::Line, centres, progress)
}

fn fit_through(kind: Kind, centres: &[Point], progress: &Progress) -> Result<Fit> {
    let extent = extent(centres);
    if centres.len() >= kind.min_points() && !(extent > LEAST_LENGTH_MM) {
        return Err(UserError::input("The centres coincide; choose different features."));
    }
    fit(kind, centres, &[], &Options::default(), progress)
}

/// The maximum distance of a centre from the first one, mm.
fn extent(centres: &[Point]) -> f64 {
    let Some(first) = centres.first() else { return 0.0 };
    centres.iter().map(|centre| (centre - first).norm()).fold(0.0, f64::max)
}
