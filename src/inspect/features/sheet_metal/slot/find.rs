//! Slots in sheet metal, detected near their nominal position.

use serde::{Deserialize, Serialize};

use super::super::rim::{Midline, Search};
use super::{Slot, SlotFit, fit_slot};
use crate::features::Fit;
use base::{Progress, Result, UserError};
use geometry::{KdTree, Point};

/// Iterations of edge detection about the last midline.
const ITERATIONS: usize = 4;
/// Outlier limit for edge points in robust standard deviations.
const CLIP_SIGMAS: f64 = 3.0;

/// A nominal slot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NominalSlot {
    /// Name of the slot.
    pub name: String,
    /// The slot on the upper face of the sheet; its normal points out of the sheet, towards the sensor.
    pub slot: Slot,
}

/// A detected slot.
#[derive(Clone, Debug, Serialize)]
pub struct FoundSlot {
    /// The slot in the plane of the sheet, mm; for scans longer and wider than the slot by a fraction of the point
    /// spacing, since no point lies on the edge itself. Its direction and normal are on the side of the nominal ones.
    pub slot: Slot,
    /// The slot fitted to the edge points.
    pub rim: SlotFit,
    /// The plane fitted to the surrounding sheet.
    pub sheet: Fit,
}

/// Detects the slot in `points`, indexed by `tree`, with its edge within `search_mm` of its nominal position.
///
/// Returns an error that names the slot if there is no sheet around it or too little of its edge was measured.
pub fn find(
    points: &[Point],
    tree: &KdTree,
    nominal: &NominalSlot,
    search_mm: f64,
    progress: &Progress,
) -> Result<FoundSlot> {
    detect(points, tree, &nominal.slot, search_mm, progress)
        .map_err(|error| error.about(&format!("Slot “{}”", nominal.name)))
}

fn detect(points: &[Point], tree: &KdTree, nominal: &Slot, search_mm: f64, progress: &Progress) -> Result<FoundSlot> {
    let is_slot = nominal.width_mm > 0.0 && nominal.length_mm > nominal.width_mm && nominal.length_mm.is_finite();
    if !(is_slot && search_mm > 0.0) {
        return Err(UserError::usage(
            "width and search distance must be positive, and the length greater than the width.",
        ));
    }
    let midline = |slot: &Slot| Midline {
        centre: slot.centre,
        along: slot.direction,
        across: slot.normal.cross(&slot.direction),
        half_mm: 0.5 * (slot.length_mm - slot.width_mm),
    };
    let search =
        Search { midline: midline(nominal), axis: nominal.normal, radius_mm: 0.5 * nominal.width_mm, search_mm };
    let sheet = search.sheet(points, tree, progress)?;
    let (axis, level) = (sheet.axis, sheet.fit.shape.position());
    let mut slot = Slot {
        centre: nominal.centre - axis * (nominal.centre - level).dot(&axis),
        normal: axis,
        direction: (nominal.direction - axis * nominal.direction.dot(&axis)).normalize(),
        ..*nominal
    };
    let mut rim = None;
    for _ in 0..ITERATIONS {
        let edge = search.rim(&sheet, &midline(&slot))?;
        let mut own = fit_slot(&edge, &sheet.fit.shape, Some(CLIP_SIGMAS), progress)?;
        let side = if own.slot.direction.dot(&nominal.direction) < 0.0 { -1.0 } else { 1.0 };
        own.slot = Slot { direction: own.slot.direction * side, normal: axis, ..own.slot };
        slot = own.slot;
        rim = Some(own);
    }
    let rim = rim.ok_or_else(|| UserError::internal("No iteration of the slot detection ran."))?;
    search.require_open(&sheet, &midline(&slot), 0.5 * slot.width_mm)?;
    let shift = slot.centre - nominal.centre;
    let lateral = (shift - axis * shift.dot(&axis)).norm();
    // Each edge may be off by the search distance, so width and length by twice that.
    let size_error = (slot.length_mm - nominal.length_mm).abs().max((slot.width_mm - nominal.width_mm).abs());
    if lateral > search_mm || size_error > 2.0 * search_mm {
        return Err(UserError::input(format!(
            "the detected slot is {lateral:.3} mm off, {:.3} mm long and {:.3} mm wide; if that is plausible, \
             increase the search distance of {search_mm} mm.",
            slot.length_mm, slot.width_mm
        )));
    }
    Ok(FoundSlot { slot, rim, sheet: sheet.fit })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Vector;

    /// An inclined sheet with a slot, scanned at a spacing of 0.12 mm with noise and outliers inside the slot up to 1
    /// mm below.
    fn sheet(slot: &Slot, random: &mut Random) -> Vec<Point> {
        let mut points = Vec::new();
        for i in -200..200 {
            for j in -120..120 {
                let (x, y) = (0.12 * f64::from(i) + random.range(0.0, 0.05), 0.12 * f64::from(j));
                if slot.distance(&Point::new(x, y, 0.0)) > 0.0 {
                    points.push(Point::new(x, y, 0.05 * x + 0.02 * random.normal()));
                } else if random.uniform() < 0.002 {
                    points.push(Point::new(x, y, 0.05 * x - random.uniform()));
                }
            }
        }
        points
    }

    fn upright(x: f64, angle: f64) -> Slot {
        Slot {
            centre: Point::new(x, 0.0, 0.0),
            normal: Vector::z(),
            direction: Vector::new(angle.cos(), angle.sin(), 0.0),
            length_mm: 24.0,
            width_mm: 8.0,
        }
    }

    #[test]
    fn a_displaced_slot_is_detected() {
        let mut random = Random::new(17, 1);
        for _ in 0..6 {
            let (x, turn) = (random.range(-0.5, 0.5), random.range(-0.03, 0.03));
            let truth = Slot { centre: Point::new(x, random.range(-0.5, 0.5), 0.0), ..upright(0.0, 0.3 + turn) };
            let points = sheet(&truth, &mut random);
            let nominal = NominalSlot { name: "1".into(), slot: upright(0.0, 0.3) };
            let found = find(&points, &KdTree::new(&points), &nominal, 1.0, &Progress::silent()).unwrap();
            let off = found.slot.centre - Point::new(truth.centre.x, truth.centre.y, 0.05 * truth.centre.x);
            assert!(off.norm() < 0.03, "{off}");
            // No point lies on the edge itself: longer and wider by up to one point spacing.
            let (longer, wider) = (found.slot.length_mm - 24.0, found.slot.width_mm - 8.0);
            assert!((0.0..0.15).contains(&longer) && (0.0..0.12).contains(&wider), "{longer} {wider}");
            let lean = found.slot.direction.dot(&Vector::new(-truth.direction.y, truth.direction.x, 0.0));
            assert!(lean.abs() < 0.003 && found.slot.direction.dot(&truth.direction) > 0.99, "{lean}");
            assert!(found.slot.normal.dot(&Vector::new(-0.05, 0.0, 1.0).normalize()) > 0.9999);
        }
    }

    #[test]
    fn missing_slot_and_missing_sheet_are_errors() {
        let mut random = Random::new(18, 1);
        let points = sheet(&upright(0.0, 0.0), &mut random);
        let tree = KdTree::new(&points);
        let at = |slot: Slot, search_mm: f64| {
            let nominal = NominalSlot { name: "7".into(), slot };
            find(&points, &tree, &nominal, search_mm, &Progress::silent()).unwrap_err().sentence
        };
        assert!(at(upright(200.0, 0.0), 1.0).contains("Slot “7”: only 0 points"));
        let small = Slot { length_mm: 6.0, width_mm: 3.0, ..upright(0.0, 0.0) };
        let aside = Slot { centre: Point::new(0.0, 9.0, 0.0), ..small };
        assert!(at(aside, 1.0).contains("shows closed sheet at its position"), "{}", at(aside, 1.0));
        assert!(at(Slot { width_mm: 30.0, ..upright(0.0, 0.0) }, 1.0).contains("greater than the width"));
        assert!(at(upright(0.0, 0.0), f64::NAN).contains("must be positive"));
    }
}
