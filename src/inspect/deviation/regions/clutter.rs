//! Whether connected points beyond the maximum distance belong to the part or to other objects (clutter).
//!
//! Points inside the material of a closed nominal can only belong to the part. Points outside belong to the part,
//! displaced, if the nominal's surface below them was not measured: an added block hides what it stands on. A table or
//! a neighbouring part is closest to surface that was measured as well, or is far away.

use super::Request;
use super::samples::Samples;
use crate::deviation::coverage::{self, Footprint};
use geometry::kd_tree::Neighbours;
use geometry::{Surface, Vector};

/// Maximum number of points evaluated per group.
const SAMPLE_POINTS: usize = 500;
/// Default distance beyond which a group is clutter, as a share of the part's diagonal.
const CLUTTER_DISTANCE: f64 = 0.1;

/// Classifies groups of points as part or clutter.
pub(super) struct ClutterTest<'a> {
    surface: &'a Surface,
    footprint: &'a Footprint,
    is_closed: bool,
    clutter_distance_mm: f64,
}

impl<'a> ClutterTest<'a> {
    pub fn new(request: &Request<'a>) -> Self {
        let surface = request.surface;
        Self {
            surface,
            footprint: request.footprint,
            is_closed: !surface.boundary_vertices().contains(&true),
            clutter_distance_mm: request
                .parameters
                .clutter_distance_mm
                .unwrap_or(CLUTTER_DISTANCE * surface.bounds().diagonal()),
        }
    }

    /// Whether the connected samples `far` belong to the part; `facets`: closest facet of each sample.
    pub fn belongs_to_part(&self, samples: &Samples, facets: &[u32], far: &[u32]) -> bool {
        let tested: Vec<u32> = far.iter().step_by(far.len().div_ceil(SAMPLE_POINTS).max(1)).copied().collect();
        let mut deviations: Vec<f64> = tested.iter().map(|&i| samples.raw_mm(i as usize)).collect();
        let middle = deviations.len() / 2;
        let median_mm = *deviations.select_nth_unstable_by(middle, f64::total_cmp).1;
        if median_mm < 0.0 && self.is_closed {
            return true;
        }
        if median_mm.abs() > self.clutter_distance_mm {
            return false;
        }
        let mut neighbours = Neighbours::default();
        let mut is_covered = |i: u32| {
            let point = samples.sample(i).point;
            let foot = coverage::closest_point_on_facet(self.surface, &point, facets[i as usize]);
            // Towards the point, not along the facet's normal: beside a part the foot lies on an edge of two faces.
            let outward = (point - foot).try_normalize(0.0).unwrap_or_else(Vector::zeros);
            self.footprint.covers(self.surface, &foot, &outward, 0.0, &mut neighbours)
        };
        2 * tested.iter().filter(|&&i| is_covered(i)).count() < tested.len()
    }
}
