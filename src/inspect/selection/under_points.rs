//! From brushed points to the facets beneath them, which makes a selection on one scan applicable to every part.

use std::collections::BTreeMap;

use super::{Anchors, FacetSelection, MIN_EDGE_ANGLE_RAD};
use crate::deviation::{self, Parameters};
use crate::parts::{Actual, Nominal, area_mm2};
use crate::recipe::ElementId;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Mesh, OrderedPoints, Pose, Subset};

/// Faces under less than this share of the points are under stray points only.
const MIN_POINT_SHARE: f64 = 0.01;
/// Minimum covered share of the faces' area for selecting the whole faces.
const MIN_COVERED_SHARE: f64 = 0.5;

impl FacetSelection {
    /// The facets under the points `numbers` of `actual`, which are mapped by `nominal_from_scan`; maximum distance and
    /// angle are those of `parameters`. If the points cover most of the faces that they lie on, the whole faces are
    /// selected. `narrow` may return a subset of these facets to select instead.
    ///
    /// Returns an error if less than half of the points lie on the nominal, and if the backend fails or the work is
    /// cancelled.
    pub fn under_points(
        numbers: &Subset,
        (nominal, nominal_id): (&Nominal, ElementId),
        actual: &Actual,
        (nominal_from_scan, alignment): (&Pose, ElementId),
        parameters: &Parameters,
        narrow: impl FnOnce(&Mesh, &Subset) -> Option<Subset>,
        backend: &dyn Backend,
        progress: &Progress,
    ) -> Result<Self> {
        let cloud = actual.cloud.select(numbers);
        let scan = deviation::Scan { cloud: &cloud, ordered: &OrderedPoints::new(&cloud.points), ..actual.scan() };
        let closest = deviation::closest(backend, &nominal.surface, &scan, nominal_from_scan, parameters, progress)?;
        let mut counts: BTreeMap<u32, usize> = BTreeMap::new();
        for point in closest.iter().filter(|point| point.value().is_some()) {
            *counts.entry(point.facet).or_default() += 1;
        }
        let matched: usize = counts.values().sum();
        if 2 * matched < numbers.len() || matched == 0 {
            return Err(UserError::input(format!(
                "Only {matched} of its {} points lie within {} mm of the nominal; align first, or increase the maximum \
                 distance.",
                numbers.len(),
                parameters.effective_max_distance_mm()
            )));
        }
        let mesh = nominal.surface.mesh();
        // Counted per face, since each facet of a fine mesh has few points.
        let mut faces: Vec<(Subset, usize)> = Vec::new();
        for (facet, count) in &counts {
            match faces.iter_mut().find(|(face, _)| face.contains(*facet)) {
                Some((_, sum)) => *sum += count,
                None => {
                    let seed = Subset::new(vec![*facet]);
                    faces.push((mesh.whole_faces(nominal.surface.topology(), &seed, MIN_EDGE_ANGLE_RAD), *count));
                }
            }
        }
        let min_count = MIN_POINT_SHARE * matched as f64;
        let face_facets: Vec<u32> = faces
            .iter()
            .filter(|(_, count)| *count as f64 > min_count)
            .flat_map(|(face, _)| face.iter().copied())
            .collect();
        let whole = Subset::new(face_facets);
        let covered = Subset::new(counts.keys().copied().filter(|facet| whole.contains(*facet)).collect());
        let covers_most = area_mm2(mesh, &covered) >= MIN_COVERED_SHARE * area_mm2(mesh, &whole);
        let selected = if covers_most { whole } else { covered };
        let facets = narrow(mesh, &selected).unwrap_or(selected);
        Ok(Self::of(facets, (nominal, nominal_id), alignment, parameters))
    }

    /// The points near `facets`; maximum distance and angle are those of `parameters`.
    pub fn of(
        facets: Subset,
        (nominal, nominal_id): (&Nominal, ElementId),
        alignment: ElementId,
        parameters: &Parameters,
    ) -> Self {
        Self {
            nominal: nominal_id,
            alignment,
            anchors: Anchors::of(&facets, nominal),
            facets,
            max_distance_mm: parameters.effective_max_distance_mm(),
            max_angle_deg: parameters.max_angle_deg,
        }
    }
}
