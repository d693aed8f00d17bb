//! Points out of tolerance over an edge of the nominal that are in tolerance to each face beside it.
//!
//! A block 0.5 mm too large on all sides has corners 0.87 mm from those of its nominal. Where a zone of a profile comes to a
//! sharp corner, it extends to the intersection of its boundaries (ASME Y14.5M-1994, 6.5.3), and such points
//! are no region.

use rayon::prelude::*;

use super::Request;
use super::samples::Samples;
use super::sides::Sides;
use crate::deviation::coverage::closest_point_on_facet;
use geometry::{Point, Surface};

/// Facets as near to a closest point as this share of the part's diagonal meet there.
const MEETING: f64 = 1e-6;
/// Maximum number of facets that meet.
const MAX_FACETS: usize = 64;
/// Cosine between a point's deviation and a normal below which an edge is no bend of a curved face.
const EDGE_COSINE: f64 = 0.87;

/// By sample: whether it is out of tolerance, but to no face beside the edge that it lies over.
pub(super) fn within_faces(request: &Request<'_>, samples: &Samples, sides: &Sides<'_>) -> Vec<bool> {
    let is_within = |i: usize| {
        let raw_mm = samples.raw_mm(i);
        sides.of(i as u32, raw_mm) != 0
            && is_in_tolerance(request.surface, sides, &samples.sample(i as u32).point, sides.facets[i], raw_mm)
    };
    (0..samples.len()).into_par_iter().map(is_within).collect()
}

fn is_in_tolerance(surface: &Surface, sides: &Sides<'_>, point: &Point, facet: u32, raw_mm: f64) -> bool {
    let foot = closest_point_on_facet(surface, point, facet);
    let away = point - foot;
    let distance_mm = away.norm();
    let meeting_mm = MEETING * surface.bounds().diagonal();
    // Along a direction, the closest point says nothing.
    if (distance_mm - raw_mm.abs()).abs() > meeting_mm {
        return false;
    }
    let Some(meeting) = surface.facets_within(&foot, meeting_mm, MAX_FACETS) else { return false };
    let along_mm = |facet: u32| raw_mm.signum() * surface.mesh().normal(facet as usize).dot(&away).abs();
    let is_edge = meeting.iter().any(|(facet, _)| along_mm(*facet).abs() < EDGE_COSINE * distance_mm);
    is_edge && meeting.iter().all(|(facet, _)| sides.limits.on(*facet).side(along_mm(*facet)) == 0)
}
