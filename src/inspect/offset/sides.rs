//! What is inside of a part, and its skin, with what a result then depends on.

use super::volume::Part;
use base::words::counted;
use geometry::{Sides, SolidSurface, Surface, exposed, winding};

/// A part prepared for distances from its skin.
pub(super) struct Prepared {
    /// What decides on the sides.
    pub sides: Sides,
    /// What the result depends on, one sentence each.
    pub notes: Vec<String>,
    /// What of shells that overlap or touch lies inside no other one; `None` for other parts.
    skin: Option<Surface>,
}

impl Prepared {
    /// For distances from `min_mm` on, negative inside, that matter to `detail_mm`.
    pub fn of(part: Part<'_>, min_mm: f64, detail_mm: f64) -> Self {
        let Part { surface, is_sheet } = part;
        let with = |sides, notes| Self { sides, notes, skin: None };
        if is_sheet {
            return with(Sides::Open, Vec::new());
        }
        let (reversed, orientation) = winding::examine(surface);
        let (is_closed, overlapping) = (surface.topology().is_closed(), orientation.undecided);
        let is_united = overlapping > 0 || orientation.touching_mm2 > 0.0;
        if is_closed && !is_united && reversed.is_empty() {
            return with(Sides::Normals, Vec::new());
        }
        let mut notes = Vec::new();
        // Where parts touch along edges, the mesh has edges of four facets, but no gap.
        if surface.topology().open_edges > 0 || (!is_closed && !is_united) {
            notes.push(
                "The part is not closed: where it has gaps, its inside was decided by how far its facets surround a \
                 point, and a part that surrounds nothing is offset as a sheet."
                    .to_owned(),
            );
        }
        if !reversed.is_empty() {
            let facets = counted(reversed.len(), "facet faces", "facets face");
            notes
                .push(format!("{facets} the wrong way, and the offset is wrong around them; unify the winding first."));
        }
        if !is_united {
            return with(Sides::WindingNumbers, notes);
        }
        if overlapping > 0 && min_mm < 0.0 {
            notes.push(format!(
                "{overlapping} shells overlap: they were taken as one part, without their faces inside each other."
            ));
        }
        let skin = exposed::skin(surface, detail_mm);
        let skin = (!skin.facets.is_empty()).then(|| Surface::new(skin));
        Self { sides: Sides::WindingNumbers, notes, skin }
    }

    /// The same sides, decided otherwise.
    pub fn decided_by(sides: Sides, notes: Vec<String>) -> Self {
        Self { sides, notes, skin: None }
    }

    /// The part, whose surface is `surface`.
    pub fn solid<'a>(&'a self, surface: &'a Surface) -> SolidSurface<'a> {
        match &self.skin {
            Some(skin) => SolidSurface::of_union(skin, surface),
            None => SolidSurface::new(surface, self.sides),
        }
    }
}
