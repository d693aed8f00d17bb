//! Slots in sheet metal, found around where they should be.

use serde::{Deserialize, Serialize};

use super::super::Fit;
use super::super::rim::{Middle, Search};
use super::{Slot, SlotFit, fit_slot};
use base::{Progress, Result, UserError};
use geometry::{KdTree, Point};

/// The middle is found again from the rim about the last one so often.
const ROUNDS: usize = 4;
/// Rim points farther than this many robust standard deviations are strays.
const CLIP_SIGMAS: f64 = 3.0;

/// Where a slot should be.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NominalSlot {
    /// Its name.
    pub name: String,
    /// The slot on the upper face of the sheet; its normal points out of the sheet, towards whoever measures.
    pub slot: Slot,
}

/// A slot that was found.
#[derive(Clone, Debug, Serialize)]
pub struct FoundSlot {
    /// The slot on the sheet's plane, mm; of scans, longer and wider than the slot by part of the distance between
    /// points, since no point lies on the rim itself. Its direction and normal are on the side of the nominal ones.
    pub slot: Slot,
    /// The slot through the rim.
    pub rim: SlotFit,
    /// The sheet about the slot.
    pub sheet: Fit,
}

/// Finds the slot in `points`, whose tree is `tree`, with its rim up to `search_mm` from its nominal place.
///
/// Fails with a sentence where there is no sheet about it, or too little of the rim.
pub fn find(
    points: &[Point],
    tree: &KdTree,
    nominal: &NominalSlot,
    search_mm: f64,
    progress: &Progress,
) -> Result<FoundSlot> {
    found(points, tree, &nominal.slot, search_mm, progress)
        .map_err(|error| error.about(&format!("Slot {}", nominal.name)))
}

fn found(points: &[Point], tree: &KdTree, nominal: &Slot, search_mm: f64, progress: &Progress) -> Result<FoundSlot> {
    let is_slot = nominal.width_mm > 0.0 && nominal.length_mm > nominal.width_mm && nominal.length_mm.is_finite();
    if !(is_slot && search_mm > 0.0) {
        return Err(UserError::usage("width and search must be positive, and the length greater than the width."));
    }
    let middle = |slot: &Slot| Middle {
        centre: slot.centre,
        along: slot.direction,
        across: slot.normal.cross(&slot.direction),
        half_mm: 0.5 * (slot.length_mm - slot.width_mm),
    };
    let search = Search { middle: middle(nominal), axis: nominal.normal, radius_mm: 0.5 * nominal.width_mm, search_mm };
    let sheet = search.sheet(points, tree, progress)?;
    let (axis, level) = (sheet.axis, sheet.fit.shape.place());
    let mut slot = Slot {
        centre: nominal.centre - axis * (nominal.centre - level).dot(&axis),
        normal: axis,
        direction: (nominal.direction - axis * nominal.direction.dot(&axis)).normalize(),
        ..*nominal
    };
    let mut rim = None;
    for _ in 0..ROUNDS {
        let edge = search.rim(&sheet, &middle(&slot))?;
        let mut own = fit_slot(&edge, &sheet.fit.shape, Some(CLIP_SIGMAS), progress)?;
        let side = if own.slot.direction.dot(&nominal.direction) < 0.0 { -1.0 } else { 1.0 };
        own.slot = Slot { direction: own.slot.direction * side, normal: axis, ..own.slot };
        slot = own.slot;
        rim = Some(own);
    }
    let rim = rim.ok_or_else(|| UserError::internal("A slot without a rim."))?;
    search.require_open(&sheet, &middle(&slot), 0.5 * slot.width_mm)?;
    let shift = slot.centre - nominal.centre;
    let lateral = (shift - axis * shift.dot(&axis)).norm();
    // The rim itself, from side to side and end to end, may be off by the search at most.
    let larger = (slot.length_mm - nominal.length_mm).abs().max((slot.width_mm - nominal.width_mm).abs());
    if lateral > search_mm || larger > 2.0 * search_mm {
        return Err(UserError::input(format!(
            "what was found is {lateral:.3} mm off, {:.3} mm long and {:.3} mm wide; look farther than {search_mm} mm \
             if that can be.",
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

    /// A leaning sheet with a slot, scanned at 0.12 mm with noise, strays inside and a lip far below.
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
    fn a_slot_off_its_place_is_found() {
        let mut random = Random::new(17, 1);
        for _ in 0..6 {
            let (x, turn) = (random.range(-0.5, 0.5), random.range(-0.03, 0.03));
            let truth = Slot { centre: Point::new(x, random.range(-0.5, 0.5), 0.0), ..upright(0.0, 0.3 + turn) };
            let points = sheet(&truth, &mut random);
            let nominal = NominalSlot { name: "1".into(), slot: upright(0.0, 0.3) };
            let found = find(&points, &KdTree::new(&points), &nominal, 1.0, &Progress::silent()).unwrap();
            let off = found.slot.centre - Point::new(truth.centre.x, truth.centre.y, 0.05 * truth.centre.x);
            assert!(off.norm() < 0.03, "{off}");
            // No point lies on the rim itself: up to a step of the scan longer and wider.
            let (longer, wider) = (found.slot.length_mm - 24.0, found.slot.width_mm - 8.0);
            assert!((0.0..0.15).contains(&longer) && (0.0..0.12).contains(&wider), "{longer} {wider}");
            let lean = found.slot.direction.dot(&Vector::new(-truth.direction.y, truth.direction.x, 0.0));
            assert!(lean.abs() < 0.003 && found.slot.direction.dot(&truth.direction) > 0.99, "{lean}");
            assert!(found.slot.normal.dot(&Vector::new(-0.05, 0.0, 1.0).normalize()) > 0.9999);
        }
    }

    #[test]
    fn no_slot_and_no_sheet_are_sentences() {
        let mut random = Random::new(18, 1);
        let points = sheet(&upright(0.0, 0.0), &mut random);
        let tree = KdTree::new(&points);
        let at = |slot: Slot, search_mm: f64| {
            let nominal = NominalSlot { name: "7".into(), slot };
            find(&points, &tree, &nominal, search_mm, &Progress::silent()).unwrap_err().sentence
        };
        assert!(at(upright(200.0, 0.0), 1.0).contains("Slot 7: only 0 points"));
        let small = Slot { length_mm: 6.0, width_mm: 3.0, ..upright(0.0, 0.0) };
        let aside = Slot { centre: Point::new(0.0, 9.0, 0.0), ..small };
        assert!(at(aside, 1.0).contains("shows sheet where it should be"), "{}", at(aside, 1.0));
        assert!(at(Slot { width_mm: 30.0, ..upright(0.0, 0.0) }, 1.0).contains("greater than the width"));
        assert!(at(upright(0.0, 0.0), f64::NAN).contains("must be positive"));
    }
}
