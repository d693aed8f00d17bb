//! Holes in sheet metal, found around where they should be: the rim of the scan, projected on the sheet beside it.

use serde::{Deserialize, Serialize};

use super::rim::{Middle, Search};
use super::{Fit, Kind, Options, Shape, fit};
use base::{Progress, Result, UserError};
use geometry::{KdTree, Point, Vector};

/// Where a hole should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NominalHole {
    /// Its name.
    pub name: String,
    /// Its middle on the upper face of the sheet, mm.
    pub centre: Point,
    /// Out of the sheet, towards whoever measures; a unit vector.
    pub axis: Vector,
    /// Its radius, mm.
    pub radius_mm: f64,
}

/// A hole that was found.
#[derive(Clone, Debug, Serialize)]
pub struct FoundHole {
    /// Its middle on the sheet's plane, mm.
    pub centre: Point,
    /// Normal of the sheet there, towards whoever measures.
    pub axis: Vector,
    /// Its radius, mm; of scans, larger than the hole by part of the distance between points, since no point lies on
    /// the rim itself.
    pub radius_mm: f64,
    /// The circle through the rim.
    pub rim: Fit,
    /// The sheet about the hole.
    pub sheet: Fit,
}

/// The middle is found again from sectors about the last one so often.
const ROUNDS: usize = 4;

/// Finds the hole in `points`, whose tree is `tree`, up to `search_mm` from its nominal place.
///
/// Fails with a sentence where there is no sheet about it, or too little of the rim.
pub fn find(
    points: &[Point],
    tree: &KdTree,
    nominal: &NominalHole,
    search_mm: f64,
    progress: &Progress,
) -> Result<FoundHole> {
    found(points, tree, nominal, search_mm, progress).map_err(|error| error.about(&format!("Hole {}", nominal.name)))
}

fn found(
    points: &[Point],
    tree: &KdTree,
    nominal: &NominalHole,
    search_mm: f64,
    progress: &Progress,
) -> Result<FoundHole> {
    let radius = nominal.radius_mm;
    if !(radius > 0.0 && search_mm > 0.0) {
        return Err(UserError::usage("radius and search must be positive."));
    }
    let middle = Middle::round(nominal.centre, &nominal.axis);
    let search = Search { middle, axis: nominal.axis, radius_mm: radius, search_mm };
    let sheet = search.sheet(points, tree, progress)?;
    let axis = sheet.axis;
    let mut centre = nominal.centre - axis * (nominal.centre - sheet.fit.shape.place()).dot(&axis);
    let mut rim = None;
    for _ in 0..ROUNDS {
        let edge = search.rim(&sheet, &Middle::round(centre, &axis))?;
        let found = fit(Kind::Circle, &edge, &[], &Options { clip_sigmas: Some(3.0), ..Options::default() }, progress)?;
        centre = found.shape.place();
        rim = Some(found);
    }
    let rim = rim.ok_or_else(|| UserError::internal("A hole without a rim."))?;
    let Shape::Circle { centre, radius: radius_mm, .. } = rim.shape else {
        return Err(UserError::internal("A rim that is no circle."));
    };
    search.require_open(&sheet, &Middle::round(centre, &axis), radius_mm)?;
    let shift = centre - nominal.centre;
    let lateral = (shift - axis * shift.dot(&axis)).norm();
    if lateral > search_mm || (radius_mm - radius).abs() > search_mm {
        return Err(UserError::input(format!(
            "what was found is {lateral:.3} mm off and has a radius of {radius_mm:.3} mm; look farther than \
             {search_mm} mm if that can be."
        )));
    }
    Ok(FoundHole { centre, axis, radius_mm, rim, sheet: sheet.fit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    /// A sheet with a round hole, scanned at 0.12 mm with noise, strays inside and a lip far below.
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
    fn a_hole_off_its_place_is_found() {
        let mut random = Random::new(4, 4);
        for _ in 0..10 {
            let truth = Point::new(random.range(-0.5, 0.5), random.range(-0.5, 0.5), 0.0);
            let points = sheet(truth, 5.0, &mut random);
            let nominal = NominalHole { name: "1".into(), centre: Point::origin(), axis: Vector::z(), radius_mm: 5.0 };
            let found = find(&points, &KdTree::new(&points), &nominal, 1.0, &Progress::silent()).unwrap();
            let off = found.centre - Point::new(truth.x, truth.y, 0.1 * truth.x);
            assert!(off.norm() < 0.03, "{off}");
            // Round in its projection along z; on the leaning sheet it is a little longer one way.
            assert!((found.radius_mm - 5.0).abs() < 0.12, "{}", found.radius_mm);
            assert!(found.axis.dot(&Vector::new(-0.1, 0.0, 1.0).normalize()) > 0.9999);
        }
    }

    #[test]
    fn no_hole_and_no_sheet_are_sentences() {
        let mut random = Random::new(5, 4);
        let points = sheet(Point::new(0.0, 0.0, 0.0), 5.0, &mut random);
        let tree = KdTree::new(&points);
        let at = |x: f64, radius_mm: f64| {
            let nominal =
                NominalHole { name: "7".into(), centre: Point::new(x, 0.0, 0.1 * x), axis: Vector::z(), radius_mm };
            find(&points, &tree, &nominal, 1.0, &Progress::silent()).unwrap_err().sentence
        };
        assert!(at(100.0, 5.0).contains("Hole 7: only 0 points"));
        assert!(at(11.0, 2.0).contains("shows sheet where it should be"), "{}", at(11.0, 2.0));
    }
}
