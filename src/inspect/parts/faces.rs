//! Faces of the nominal: selected facets, and anchors to find them again after the nominal was revised or meshed anew.

use serde::{Deserialize, Serialize};

use super::Nominal;
use base::{Result, UserError};
use geometry::{Mesh, Point, Subset, Vector};

/// Edges with a smaller angle between the facets do not bound a face, rad; for files without faces.
pub const MIN_EDGE_ANGLE_RAD: f64 = 20.0 * std::f64::consts::PI / 180.0;
/// Maximum number of anchor points per selection.
const MAX_ANCHOR_POINTS: usize = 32;
/// Maximum distance of an anchor point from the revised nominal, as a share of the part's diagonal; at least
/// [`MAX_DISTANCE_MM`].
const MAX_DISTANCE: f64 = 1e-4;
/// Lower bound of that distance, mm: different meshes of one surface differ by about as much.
const MAX_DISTANCE_MM: f64 = 0.02;
/// Minimum cosine between the normals of an anchor point and of the revised nominal: about 5°.
const MIN_COSINE: f64 = 0.996;
/// Maximum relative difference in area of faces that are found again.
const AREA_TOLERANCE: f64 = 0.02;

/// Facets of a nominal that are found again on its revisions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Faces {
    /// The facets, by index in the nominal that `anchors` refer to.
    pub facets: Subset,
    /// Their positions, to find them on another revision of the nominal.
    pub anchors: Anchors,
}

impl Faces {
    /// The `facets` of `nominal`.
    pub fn of(facets: Subset, nominal: &Nominal) -> Self {
        Self { anchors: Anchors::of(&facets, nominal), facets }
    }

    /// The facets of `nominal` that they are.
    ///
    /// Returns an error if they are not found.
    pub fn on(&self, nominal: &Nominal) -> Result<Subset> {
        self.anchors.facets(&self.facets, nominal)
    }
}

/// Positions of selected facets of a nominal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchors {
    /// BLAKE3 of the nominal's file, hexadecimal.
    of: String,
    /// Number of facets of the nominal.
    among: usize,
    /// Whether the facets are whole faces: only then can they be found by anchor points.
    whole_faces: bool,
    /// Anchor points: centroids of some of the facets, mm, and their unit normals.
    #[serde(rename = "places")]
    points: Vec<(Point, Vector)>,
    /// Total area of the facets, mm².
    area_mm2: f64,
}

impl Anchors {
    /// Anchors of `facets` of `nominal`.
    pub fn of(facets: &Subset, nominal: &Nominal) -> Self {
        let mesh = nominal.surface.mesh();
        let stride = facets.len().div_ceil(MAX_ANCHOR_POINTS).max(1);
        let anchor = |facet: &u32| {
            let [a, b, c] = mesh.corners(*facet as usize);
            (Point::from((a.coords + b.coords + c.coords) / 3.0), mesh.normal(*facet as usize))
        };
        Self {
            of: nominal.source.hash.clone(),
            among: mesh.facets.len(),
            whole_faces: mesh.whole_faces(nominal.surface.topology(), facets, MIN_EDGE_ANGLE_RAD) == *facets,
            points: facets.iter().step_by(stride).map(anchor).collect(),
            area_mm2: area_mm2(mesh, facets),
        }
    }

    /// The facets on `nominal` that correspond to `facets` of the nominal of the selection.
    ///
    /// Returns an error if they are not found.
    pub fn facets(&self, facets: &Subset, nominal: &Nominal) -> Result<Subset> {
        let mesh = nominal.surface.mesh();
        if nominal.source.hash == self.of && mesh.facets.len() == self.among && facets.is_within(self.among) {
            return Ok(facets.clone());
        }
        if !self.whole_faces {
            return Err(self.lost("they were not whole faces", nominal));
        }
        let max_distance_mm = MAX_DISTANCE_MM.max(MAX_DISTANCE * nominal.surface.bounds().diagonal());
        let mut seeds = Vec::new();
        for (point, normal) in &self.points {
            let hit = nominal.surface.closest_point(point, max_distance_mm);
            let same = hit.filter(|hit| mesh.normal(hit.facet as usize).dot(normal) > MIN_COSINE);
            let Some(hit) = same else { return Err(self.lost("the surface there has changed", nominal)) };
            seeds.push(hit.facet);
        }
        let found = mesh.whole_faces(nominal.surface.topology(), &Subset::new(seeds), MIN_EDGE_ANGLE_RAD);
        if (area_mm2(mesh, &found) - self.area_mm2).abs() > AREA_TOLERANCE * self.area_mm2 {
            return Err(self.lost("the area of the faces there has changed", nominal));
        }
        Ok(found)
    }

    fn lost(&self, why: &str, nominal: &Nominal) -> UserError {
        UserError::input(format!(
            "Its facets were selected on another revision of the nominal and cannot be found on {}: {why}. Select them \
             again.",
            nominal.source.name()
        ))
    }
}

/// Total area of `facets`, mm².
pub(crate) fn area_mm2(mesh: &Mesh, facets: &Subset) -> f64 {
    let area = |facet: &u32| {
        let [a, b, c] = mesh.corners(*facet as usize);
        0.5 * (b - a).cross(&(c - a)).norm()
    };
    facets.iter().map(area).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::Surface;
    use geometry::mesh::shapes;

    fn nominal(hash: &str, mesh: Mesh) -> Nominal {
        let mut nominal = Nominal::in_memory("box", Surface::new(mesh));
        nominal.source.hash = hash.to_owned();
        nominal
    }

    fn cuboid(height_mm: f64) -> Mesh {
        shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, height_mm))
    }

    #[test]
    fn faces_are_found_on_a_revision_unless_they_changed() {
        let first = nominal("1", cuboid(10.0));
        let is_top = |facet: &u32| first.surface.mesh().normal(*facet as usize).z > 0.9;
        let top = Subset::new((0..12).filter(is_top).collect());
        let anchors = Anchors::of(&top, &first);
        assert_eq!(anchors.facets(&top, &first), Ok(top.clone()));
        // The same box with its facets in another order, and a second one beside it.
        let mut revised = shapes::cuboid(Point::new(50.0, 0.0, 0.0), Point::new(60.0, 10.0, 10.0));
        revised.append(&cuboid(10.0));
        let revised = nominal("2", revised);
        let found = anchors.facets(&top, &revised).unwrap();
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|facet| *facet >= 12 && revised.surface.mesh().normal(*facet as usize).z > 0.9));
        let higher = nominal("3", cuboid(11.0));
        assert!(anchors.facets(&top, &higher).unwrap_err().sentence.contains("surface there has changed"));
        let wider = nominal("4", shapes::cuboid(Point::origin(), Point::new(40.0, 20.0, 10.0)));
        assert!(anchors.facets(&top, &wider).unwrap_err().sentence.contains("area of the faces"));
    }
}
