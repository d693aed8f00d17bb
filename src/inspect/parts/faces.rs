//! Faces of the nominal: selected facets, and anchors to find them again after the nominal was revised or meshed anew.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::Nominal;
use base::{Result, UserError};
use geometry::{Mesh, Point, Subset, Vector, triangle};

/// Edges with a smaller angle between the facets do not bound a face, rad; for files without faces.
pub const MIN_EDGE_ANGLE_RAD: f64 = 20.0 * std::f64::consts::PI / 180.0;
/// Number of anchor points of a selection that are spread over its facets; each face without one of them has another.
const SPREAD_ANCHOR_POINTS: usize = 32;
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
    /// Anchor points: centroids of some of the facets, mm, and their unit normals; at least one on each face.
    #[serde(rename = "places")]
    points: Vec<(Point, Vector)>,
    /// Total area of the facets, mm².
    area_mm2: f64,
}

impl Anchors {
    /// Anchors of `facets` of `nominal`.
    pub fn of(facets: &Subset, nominal: &Nominal) -> Self {
        let mesh = nominal.surface.mesh();
        let stride = facets.len().div_ceil(SPREAD_ANCHOR_POINTS).max(1);
        let spread: HashSet<u32> = facets.iter().step_by(stride).copied().collect();
        let faces = mesh.single_faces(nominal.surface.topology(), facets, MIN_EDGE_ANGLE_RAD);
        let without_anchor = faces.iter().filter(|face| !face.iter().any(|facet| spread.contains(facet)));
        let chosen = without_anchor.filter_map(|face| largest(mesh, face)).chain(spread.iter().copied());
        let anchor = |facet: &u32| {
            let [a, b, c] = mesh.corners(*facet as usize);
            (Point::from((a.coords + b.coords + c.coords) / 3.0), mesh.normal(*facet as usize))
        };
        Self {
            of: nominal.source.hash.clone(),
            among: mesh.facets.len(),
            // They hold all of the selection, and no facet twice.
            whole_faces: faces.iter().map(Vec::len).sum::<usize>() == facets.len(),
            points: Subset::new(chosen.collect()).iter().map(anchor).collect(),
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

/// The facet with the largest area.
fn largest(mesh: &Mesh, facets: &[u32]) -> Option<u32> {
    let area_mm2 = |facet: u32| triangle::area_vector(&mesh.corners(facet as usize)).norm();
    facets.iter().copied().max_by(|one, other| area_mm2(*one).total_cmp(&area_mm2(*other)))
}

/// Total area of `facets`, mm².
pub(crate) fn area_mm2(mesh: &Mesh, facets: &Subset) -> f64 {
    facets.iter().map(|facet| 0.5 * triangle::area_vector(&mesh.corners(*facet as usize)).norm()).sum()
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

    /// Blocks side by side.
    fn blocks(numbers: impl Iterator<Item = u32>) -> Mesh {
        let mut mesh = Mesh::default();
        for number in numbers {
            let x = 10.0 * f64::from(number);
            mesh.append(&shapes::cuboid(Point::new(x, 0.0, 0.0), Point::new(x + 8.0, 8.0, 5.0)));
        }
        mesh
    }

    #[test]
    fn of_many_faces_each_is_found_again() {
        const COUNT: u32 = 150;
        for has_cad_faces in [true, false] {
            let part = |hash: &str, numbers: Vec<u32>| {
                let mut mesh = blocks(numbers.into_iter());
                if !has_cad_faces {
                    mesh.cad_faces.clear();
                }
                nominal(hash, mesh)
            };
            let first = part("1", (0..COUNT).collect());
            let is_top = |mesh: &Mesh, facet: u32| mesh.normal(facet as usize).z > 0.9;
            let tops = Subset::new((0..12 * COUNT).filter(|facet| is_top(first.surface.mesh(), *facet)).collect());
            let anchors = Anchors::of(&tops, &first);
            assert!(anchors.whole_faces && anchors.points.len() == COUNT as usize, "{}", anchors.points.len());
            // In another order, with more beside them.
            let revised = part("2", (0..COUNT + 20).rev().collect());
            let found = anchors.facets(&tops, &revised).unwrap();
            assert_eq!(found.len(), tops.len());
            assert!(found.iter().all(|facet| *facet >= 240 && is_top(revised.surface.mesh(), *facet)));
            let lacking = part("3", (0..COUNT).filter(|number| *number != 77).collect());
            let said = anchors.facets(&tops, &lacking).unwrap_err().sentence;
            assert!(said.contains("surface there has changed"), "{said}");
        }
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
