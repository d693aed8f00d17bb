//! Whether points beyond the largest distance belong to the part or stand beside it.
//!
//! Inside the nominal's material there is nothing else to see: such points are the part. Outside they are the part's
//! own surface, displaced, where the surface below them was not measured: an added block hides what it stands on. A
//! table or a neighbouring part is nearest to places of the nominal that were measured as well, or stands far off.

use super::Request;
use super::places::Places;
use crate::deviation::coverage::{self, Footprint};
use geometry::kd_tree::Neighbours;
use geometry::{Surface, Vector};

/// Points of a group that are asked.
const ASKED: usize = 500;
/// Farther than this share of the part's diagonal a group is clutter, unless the parameters say otherwise.
const CLUTTER_DISTANCE: f64 = 0.1;

/// Tells clutter apart.
pub(super) struct Judge<'a> {
    surface: &'a Surface,
    footprint: &'a Footprint,
    is_closed: bool,
    clutter_distance_mm: f64,
}

impl<'a> Judge<'a> {
    pub fn new(request: &Request<'a>) -> Self {
        let surface = request.surface;
        Self {
            surface,
            footprint: request.footprint,
            is_closed: !surface.open_vertices().contains(&true),
            clutter_distance_mm: request
                .parameters
                .clutter_distance_mm
                .unwrap_or(CLUTTER_DISTANCE * surface.bounds().diagonal()),
        }
    }

    /// Whether the connected points `far` are the part's; `facets` are those that each place was measured to.
    pub fn belongs_to_part(&self, places: &Places, facets: &[u32], far: &[u32]) -> bool {
        let asked: Vec<u32> = far.iter().step_by(far.len().div_ceil(ASKED).max(1)).copied().collect();
        let mut deviations: Vec<f64> = asked.iter().map(|&i| places.raw_mm(i as usize)).collect();
        let middle = deviations.len() / 2;
        let median_mm = *deviations.select_nth_unstable_by(middle, f64::total_cmp).1;
        if median_mm < 0.0 && self.is_closed {
            return true;
        }
        if median_mm.abs() > self.clutter_distance_mm {
            return false;
        }
        let mut neighbours = Neighbours::default();
        let mut measured = |i: u32| {
            let place = places.place(i).point;
            let foot = coverage::foot(self.surface, &place, facets[i as usize]);
            // Towards the point, not along the facet's normal: beside a part the foot lies on an edge of two faces.
            let outward = (place - foot).try_normalize(0.0).unwrap_or_else(Vector::zeros);
            self.footprint.covers(self.surface, &foot, &outward, 0.0, &mut neighbours)
        };
        2 * asked.iter().filter(|&&i| measured(i)).count() < asked.len()
    }
}
