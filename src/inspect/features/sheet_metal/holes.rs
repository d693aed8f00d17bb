//! Holes in sheet metal, detected near their nominal position from the edge in the scan, projected onto the surrounding
//! sheet.

use serde::{Deserialize, Serialize};

use super::rim::{Midline, Search};
use crate::features::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{KdTree, Point, Vector};

/// A nominal hole.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NominalHole {
    /// Name of the hole.
    pub name: String,
    /// Centre on the upper face of the sheet, mm.
    pub centre: Point,
    /// Unit normal out of the sheet, towards the sensor.
    pub axis: Vector,
    /// Radius, mm.
    pub radius_mm: f64,
}

/// A detected hole.
#[derive(Clone, Debug, Serialize)]
pub struct FoundHole {
    /// Centre in the plane of the sheet, mm.
    pub centre: Point,
    /// Unit normal of the surrounding sheet, towards the sensor.
    pub axis: Vector,
    /// Radius, mm; for scans larger than that of the hole by a fraction of the point spacing, since no point lies on
    /// the edge itself.
    pub radius_mm: f64,
    /// The circle fitted to the edge points.
    pub rim: Fit,
    /// The plane fitted to the surrounding sheet.
    pub sheet: Fit,
}

/// Iterations of edge detection about the last centre.
const ITERATIONS: usize = 4;

/// Detects the hole in `points`, indexed by `tree`, within `search_mm` of its nominal position.
///
/// Returns an error that names the hole if there is no sheet around it or too little of its edge was measured.
pub fn find(
    points: &[Point],
    tree: &KdTree,
    nominal: &NominalHole,
    search_mm: f64,
    progress: &Progress,
) -> Result<FoundHole> {
    detect(points, tree, nominal, search_mm, progress).map_err(|error| error.about(&format!("Hole “{}”", nominal.name)))
}

fn detect(
    points: &[Point],
    tree: &KdTree,
    nominal: &NominalHole,
    search_mm: f64,
    progress: &Progress,
) -> Result<FoundHole> {
    let radius = nominal.radius_mm;
    if !(radius > 0.0 && search_mm > 0.0) {
        return Err(UserError::usage("radius and search distance must be positive."));
    }
    let midline = Midline::round(nominal.centre, &nominal.axis);
    let search = Search { midline, axis: nominal.axis, radius_mm: radius, search_mm };
    let sheet = search.sheet(points, tree, progress)?;
    let axis = sheet.axis;
    let mut centre = nominal.centre - axis * (nominal.centre - sheet.fit.shape.position()).dot(&axis);
    let mut rim = None;
    for _ in 0..ITERATIONS {
        let edge = search.rim(&sheet, &Midline::round(centre, &axis))?;
        let found = fit(Kind::Circle, &edge, &[], &Options { clip_sigmas: Some(3.0), ..Options::default() }, progress)?;
        centre = found.shape.position();
        rim = Some(found);
    }
    let rim = rim.ok_or_else(|| UserError::internal("No iteration of the hole detection ran."))?;
    let Shape::Circle { centre, radius: radius_mm, .. } = rim.shape else {
        return Err(UserError::internal("A fitted circle is not a circle."));
    };
    search.require_open(&sheet, &Midline::round(centre, &axis), radius_mm)?;
    let shift = centre - nominal.centre;
    let lateral = (shift - axis * shift.dot(&axis)).norm();
    if lateral > search_mm || (radius_mm - radius).abs() > search_mm {
        return Err(UserError::input(format!(
            "the detected hole is {lateral:.3} mm off with a radius of {radius_mm:.3} mm; if that is plausible, \
             increase the search distance of {search_mm} mm."
        )));
    }
    Ok(FoundHole { centre, axis, radius_mm, rim, sheet: sheet.fit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// A sheet with a round hole, scanned at a spacing of 0.12 mm with noise and outliers inside the hole up to 1 mm
    /// below.
    fn sheet(centre: Point, radius: f64, random: &mut Random) -> Vec<Point> {
        let mut points = Vec::new();
        for i in -150..150 {
            for j in -150..150 {
                let (x, y) = (0.12 * f64::from(i) + random.range(0.0, 0.05), 0.12 * f64::from(j));
                if (x - centre.x).hypot(y - centre.y) > radius {
                    points.push(Point::new(x, y, 0.1 * x + 0.02 * random.normal()));
                } else if random.uniform() < 0.002 {
                    points.push(Point::new(x, y, 0.1 * x - random.uniform()));
                }
            }
        }
        points
    }

    #[test]
    fn a_displaced_hole_is_detected() {
        let mut random = Random::new(4, 4);
        for _ in 0..10 {
            let truth = Point::new(random.range(-0.5, 0.5), random.range(-0.5, 0.5), 0.0);
            let points = sheet(truth, 5.0, &mut random);
            let nominal = NominalHole { name: "1".into(), centre: Point::origin(), axis: Vector::z(), radius_mm: 5.0 };
            let found = find(&points, &KdTree::new(&points), &nominal, 1.0, &Progress::silent()).unwrap();
            let off = found.centre - Point::new(truth.x, truth.y, 0.1 * truth.x);
            assert!(off.norm() < 0.03, "{off}");
            // Circular in the projection along z; on the inclined sheet slightly elongated.
            assert!((found.radius_mm - 5.0).abs() < 0.12, "{}", found.radius_mm);
            assert!(found.axis.dot(&Vector::new(-0.1, 0.0, 1.0).normalize()) > 0.9999);
        }
    }

    #[test]
    fn missing_hole_and_missing_sheet_are_errors() {
        let mut random = Random::new(5, 4);
        let points = sheet(Point::new(0.0, 0.0, 0.0), 5.0, &mut random);
        let tree = KdTree::new(&points);
        let at = |x: f64, radius_mm: f64| {
            let nominal =
                NominalHole { name: "7".into(), centre: Point::new(x, 0.0, 0.1 * x), axis: Vector::z(), radius_mm };
            find(&points, &tree, &nominal, 1.0, &Progress::silent()).unwrap_err().sentence
        };
        assert!(at(100.0, 5.0).contains("Hole “7”: only 0 points"));
        assert!(at(11.0, 2.0).contains("shows closed sheet at its position"), "{}", at(11.0, 2.0));
    }
}
