//! From points that were brushed to the facets beneath them: so a selection of one scan becomes one of every part.

use std::collections::BTreeMap;

use super::{Anchors, FacetSelection, SMOOTH_RAD};
use crate::deviation::{self, Parameters};
use crate::parts::{Actual, Nominal};
use crate::recipe::ElementId;
use base::{Progress, Result, UserError};
use compute::Backend;
use geometry::{Mesh, OrderedPoints, Pose, Subset};

/// Facets under less than this share of the points are those of their stray ones.
const STRAYS: f64 = 0.01;
/// Of faces that the points cover at least so far, the whole is meant.
const WHOLE_FROM: f64 = 0.5;

impl FacetSelection {
    /// The facets under some points of `actual`, `numbers`, in `nominal_from_scan`; gates are those of `parameters`.
    /// Where the points cover most of the faces that they lie on, the whole faces are taken. `narrow` takes some of those
    /// facets, where it knows better.
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
                "Only {matched} of its {} points lie on the nominal within {} mm; align first, or allow a larger distance.",
                numbers.len(),
                parameters.effective_max_distance_mm()
            )));
        }
        let mesh = nominal.surface.mesh();
        // By faces, since facets of a fine mesh hold few points each.
        let mut faces: Vec<(Subset, usize)> = Vec::new();
        for (facet, count) in &counts {
            match faces.iter_mut().find(|(face, _)| face.contains(*facet)) {
                Some((_, sum)) => *sum += count,
                None => {
                    let seed = Subset::new(vec![*facet]);
                    faces.push((mesh.whole_faces(nominal.surface.topology(), &seed, SMOOTH_RAD), *count));
                }
            }
        }
        let least = STRAYS * matched as f64;
        let meant: Vec<u32> = faces
            .iter()
            .filter(|(_, count)| *count as f64 > least)
            .flat_map(|(face, _)| face.iter().copied())
            .collect();
        let whole = Subset::new(meant);
        let touched = Subset::new(counts.keys().copied().filter(|facet| whole.contains(*facet)).collect());
        let covers_most = area_mm2(mesh, &touched) >= WHOLE_FROM * area_mm2(mesh, &whole);
        let meant = if covers_most { whole } else { touched };
        let facets = narrow(mesh, &meant).unwrap_or(meant);
        Ok(Self {
            nominal: nominal_id,
            alignment,
            anchors: Anchors::of(&facets, nominal),
            facets,
            max_distance_mm: parameters.effective_max_distance_mm(),
            max_angle_deg: parameters.max_angle_deg,
        })
    }
}

/// Of some facets.
pub(super) fn area_mm2(mesh: &Mesh, facets: &Subset) -> f64 {
    let area = |facet: &u32| {
        let [a, b, c] = mesh.corners(*facet as usize);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    facets.iter().map(area).sum()
}
