//! Holes in sheet metal, found around where they should be: the rim of the scan, projected on the sheet beside it.

use serde::{Deserialize, Serialize};

use super::{Fit, Kind, Options, Shape, fit};
use crate::base::{Progress, Result, UserError};
use crate::geometry::{KdTree, Point, Vector};

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

/// Sectors of the rim at least and at most.
const SECTORS: [usize; 2] = [16, 360];
/// Share of the sectors that must show a rim.
const SEEN: f64 = 0.6;
/// The middle is found again from sectors about the last one so often.
const ROUNDS: usize = 4;
/// A hole with more than this share of the sheet's density inside is none.
const CLOSED: f64 = 0.25;
/// Points of the sheet that a plane needs.
const SHEET: usize = 30;

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
    let named = |sentence: String| UserError::input(format!("Hole {}: {sentence}", nominal.name));
    let radius = nominal.radius_mm;
    if !(radius > 0.0 && search_mm > 0.0) {
        return Err(UserError::usage(format!("Hole {}: radius and search must be positive.", nominal.name)));
    }
    let ring_mm = (0.6 * radius).max(1.5 * search_mm);
    let mut near = Vec::new();
    tree.within_radius(&nominal.centre, radius + search_mm + ring_mm, |own| near.push(points[own.number as usize]));
    // What lies beyond where the rim can be is sheet, if it lies at the sheet's height.
    let beside = |point: &&Point| {
        let away = *point - nominal.centre;
        let height = away.dot(&nominal.axis);
        height.abs() < 2.0 * search_mm && (away - nominal.axis * height).norm() > radius + search_mm
    };
    let sheet: Vec<Point> = near.iter().filter(beside).copied().collect();
    if sheet.len() < SHEET {
        return Err(named(format!("only {} points of the sheet lie around it.", sheet.len())));
    }
    let options = Options { robust: true, clip_sigmas: Some(3.0), ..Options::default() };
    let sheet = fit(Kind::Plane, &sheet, &[], &options, progress)?;
    let normal = sheet.shape.direction().unwrap_or(nominal.axis);
    let axis = if normal.dot(&nominal.axis) < 0.0 { -normal } else { normal };
    let level = sheet.shape.place();
    let thick_mm = (4.0 * sheet.sigma_mm).max(1e-6);
    let flat: Vec<Point> = near
        .iter()
        .map(|point| (point, (point - level).dot(&axis)))
        .filter(|(_, height)| height.abs() < thick_mm)
        .map(|(point, height)| point - axis * height)
        .collect();
    // Along the ring the points of one sector must be enough to tell the first from a stray one.
    let count = ((flat.len() as f64 / 8.0) as usize).clamp(SECTORS[0], SECTORS[1]);
    let mut centre = nominal.centre - axis * (nominal.centre - level).dot(&axis);
    let mut rim = None;
    for _ in 0..ROUNDS {
        let edge = edge(&flat, &centre, &axis, count, radius - search_mm);
        if (edge.len() as f64) < SEEN * count as f64 {
            return Err(named(format!("its rim shows in {} of {count} directions only.", edge.len())));
        }
        let found = fit(Kind::Circle, &edge, &[], &Options { clip_sigmas: Some(3.0), ..Options::default() }, progress)?;
        centre = found.shape.place();
        rim = Some(found);
    }
    let rim = rim.ok_or_else(|| UserError::internal("A hole without a rim."))?;
    let Shape::Circle { centre, radius: radius_mm, .. } = rim.shape else {
        return Err(UserError::internal("A rim that is no circle."));
    };
    if closed_share(&flat, &centre, radius_mm, radius + search_mm + ring_mm) > CLOSED {
        return Err(named("the scan shows sheet where it should be.".to_owned()));
    }
    let shift = centre - nominal.centre;
    let lateral = (shift - axis * shift.dot(&axis)).norm();
    if lateral > search_mm || (radius_mm - radius).abs() > search_mm {
        return Err(named(format!(
            "what was found is {lateral:.3} mm off and has a radius of {radius_mm:.3} mm; look farther than \
             {search_mm} mm if that can be."
        )));
    }
    Ok(FoundHole { centre, axis, radius_mm, rim, sheet })
}

/// How dense points are inside a circle, compared with those beside it.
fn closed_share(flat: &[Point], centre: &Point, radius: f64, reach: f64) -> f64 {
    let inner = 0.85 * radius;
    let (mut inside, mut beside) = (0.0, 0.0);
    for point in flat {
        let away = (point - centre).norm();
        inside += f64::from(u8::from(away < inner));
        beside += f64::from(u8::from(away > radius && away < reach));
    }
    inside / (inner * inner) / (beside / (reach * reach - radius * radius)).max(1e-12)
}

/// The first point of the sheet in each direction from `centre`; strays inside are passed over.
fn edge(flat: &[Point], centre: &Point, axis: &Vector, count: usize, least_mm: f64) -> Vec<Point> {
    let x = axis.cross(&Vector::ith(axis.iamin(), 1.0)).normalize();
    let y = axis.cross(&x);
    let mut sectors: Vec<Vec<(f64, Point)>> = vec![Vec::new(); count];
    for point in flat {
        let away = point - centre;
        let angle = away.dot(&y).atan2(away.dot(&x)) / std::f64::consts::TAU + 0.5;
        let sector = ((angle * count as f64) as usize).min(count - 1);
        sectors[sector].push((away.norm(), *point));
    }
    let first = |sector: &mut Vec<(f64, Point)>| {
        sector.retain(|(distance, _)| *distance > least_mm);
        sector.sort_by(|a, b| a.0.total_cmp(&b.0));
        // A point of the sheet is followed by others; a stray one stands alone.
        let span = sector.last()?.0 - sector.first()?.0;
        let step = 4.0 * span / sector.len() as f64;
        let lone = |pair: &[(f64, Point)]| pair[1].0 - pair[0].0 > step;
        let strays = sector.windows(2).take_while(|pair| lone(pair)).count();
        sector.get(strays).map(|own| own.1)
    };
    sectors.iter_mut().filter(|sector| sector.len() >= 3).filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;

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
