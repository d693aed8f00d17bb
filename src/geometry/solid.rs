//! A surface as the skin of a solid: which side a point lies on, also of surfaces with faults.

use serde::{Deserialize, Serialize};

use super::winding_number::WindingNumbers;
use super::{Point, Surface};

/// What decides on which side of a surface a point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sides {
    /// The normal at the closest point: exact for closed surfaces of consistent orientation that do not overlap.
    Normals,
    /// Generalised winding numbers: for surfaces with gaps, doubled facets or overlapping shells.
    WindingNumbers,
    /// Nothing: the surface encloses nothing, distances are unsigned.
    Open,
}

/// Distance of a winding number from a whole number within which no gap of the surface is near.
const CLEAR: f64 = 0.05;

/// A surface with the rule for its sides.
pub struct SolidSurface<'a> {
    surface: &'a Surface,
    sides: Sides,
    winding: Option<WindingNumbers<'a>>,
    /// Otherwise winding numbers change where there is no facet, too.
    is_closed: bool,
}

impl<'a> SolidSurface<'a> {
    /// Prepares `surface`.
    pub fn new(surface: &'a Surface, sides: Sides) -> Self {
        let winding = (sides == Sides::WindingNumbers).then(|| WindingNumbers::new(surface));
        Self { surface, sides, winding, is_closed: surface.topology().is_closed() }
    }

    /// Shells that overlap, taken as one solid: distances are to `skin`, what of them lies inside no other one, and sides by
    /// the winding numbers of `whole`.
    pub fn of_union(skin: &'a Surface, whole: &'a Surface) -> Self {
        let winding = Some(WindingNumbers::new(whole));
        Self { surface: skin, sides: Sides::WindingNumbers, winding, is_closed: whole.topology().is_closed() }
    }

    /// The surface.
    pub fn surface(&self) -> &'a Surface {
        self.surface
    }

    /// The rule for its sides.
    pub fn sides(&self) -> Sides {
        self.sides
    }

    /// Whether `point` lies inside.
    pub fn contains(&self, point: &Point) -> bool {
        match &self.winding {
            Some(winding) => winding.at(point) > 0.5,
            None => {
                let hit = (self.sides == Sides::Normals).then(|| self.surface.closest_point(point, f64::INFINITY));
                hit.flatten().is_some_and(|hit| self.surface.signed_distance_mm(point, &hit) < 0.0)
            }
        }
    }

    /// As [`Self::contains`]; `None` near gaps of the surface, where neighbouring points may differ although no facet
    /// lies between them.
    pub fn contains_clearly(&self, point: &Point) -> Option<bool> {
        match &self.winding {
            Some(winding) => {
                let number = winding.at(point);
                let is_clear = (number - number.round()).abs() < CLEAR;
                is_clear.then_some(number > 0.5)
            }
            None => Some(self.contains(point)),
        }
    }

    /// Whether `point`, which is `distance_mm` from the surface, lies inside by its winding number, and the distance
    /// within which that holds for other points too, mm.
    pub fn side(&self, point: &Point, distance_mm: f64) -> (bool, f64) {
        let Some(winding) = &self.winding else {
            return (self.contains(point), 0.0);
        };
        let number = winding.at(point);
        if self.is_closed {
            return (number > 0.5, distance_mm);
        }
        // Winding numbers are harmonic off the surface: by Harnack's inequality, one this near to a whole number stays on
        // its side of a half within this share of the distance.
        let is_clear = (number - number.round()).abs() < 0.8 * CLEAR;
        (number > 0.5, if is_clear { 0.5 * distance_mm } else { 0.0 })
    }
}
