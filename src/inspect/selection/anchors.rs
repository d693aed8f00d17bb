//! Facets by where they are, so that they are found again where the nominal was revised or meshed anew.

use serde::{Deserialize, Serialize};

use super::under_points::area_mm2;
use crate::parts::Nominal;
use base::{Result, UserError};
use geometry::{Point, Subset, Vector};

/// Edges at which the surface turns by less are no edges to a face, where the file knows no faces, rad.
pub const SMOOTH_RAD: f64 = 20.0 * std::f64::consts::PI / 180.0;
/// Places that are kept of a selection.
const PLACES: usize = 32;
/// A place is on the revised nominal within this share of the part's diagonal, and not less than [`NEAR_MM`].
const NEAR: f64 = 1e-4;
/// Meshes of one surface differ by so much, mm.
const NEAR_MM: f64 = 0.02;
/// And where the normals lean apart by less than 5°: this is the cosine.
const SAME_DIRECTION: f64 = 0.996;
/// Faces found again have the same area within this share.
const SAME_AREA: f64 = 0.02;

/// Where some facets of a nominal are.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Anchors {
    /// BLAKE3 of the nominal's file, hexadecimal.
    of: String,
    /// How many facets it has.
    among: usize,
    /// Whether the facets are whole faces: then they can be found by some places on them.
    whole_faces: bool,
    /// Middles of some of the facets, mm, and their unit normals.
    places: Vec<(Point, Vector)>,
    /// Of all of the facets, mm².
    area_mm2: f64,
}

impl Anchors {
    /// Of `facets`, which are facets of `nominal`.
    pub fn of(facets: &Subset, nominal: &Nominal) -> Self {
        let mesh = nominal.surface.mesh();
        let every = facets.len().div_ceil(PLACES).max(1);
        let middle = |facet: &u32| {
            let [a, b, c] = mesh.corners(*facet as usize);
            (Point::from((a.coords + b.coords + c.coords) / 3.0), mesh.normal(*facet as usize))
        };
        Self {
            of: nominal.source.hash.clone(),
            among: mesh.facets.len(),
            whole_faces: mesh.whole_faces(nominal.surface.topology(), facets, SMOOTH_RAD) == *facets,
            places: facets.iter().step_by(every).map(middle).collect(),
            area_mm2: area_mm2(mesh, facets),
        }
    }

    /// The facets on `nominal`, which were `facets` when the selection was made; a sentence where they are not there.
    pub(super) fn facets(&self, facets: &Subset, nominal: &Nominal) -> Result<Subset> {
        let mesh = nominal.surface.mesh();
        if nominal.source.hash == self.of && mesh.facets.len() == self.among && facets.is_within(self.among) {
            return Ok(facets.clone());
        }
        if !self.whole_faces {
            return Err(self.lost("they were not whole faces", nominal));
        }
        let near_mm = NEAR_MM.max(NEAR * nominal.surface.bounds().diagonal());
        let mut seeds = Vec::new();
        for (place, normal) in &self.places {
            let hit = nominal.surface.closest_point(place, near_mm);
            let same = hit.filter(|hit| mesh.normal(hit.facet as usize).dot(normal) > SAME_DIRECTION);
            let Some(hit) = same else { return Err(self.lost("the surface there is another one", nominal)) };
            seeds.push(hit.facet);
        }
        let found = mesh.whole_faces(nominal.surface.topology(), &Subset::new(seeds), SMOOTH_RAD);
        if (area_mm2(mesh, &found) - self.area_mm2).abs() > SAME_AREA * self.area_mm2 {
            return Err(self.lost("the faces there have another size", nominal));
        }
        Ok(found)
    }

    fn lost(&self, why: &str, nominal: &Nominal) -> UserError {
        UserError::input(format!(
            "Its facets were selected on another revision of the nominal and are not found on {}: {why}. Select them again.",
            nominal.source.name()
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use geometry::mesh::shapes;
    use geometry::{Mesh, Surface};

    fn nominal(hash: &str, mesh: Mesh) -> Nominal {
        let mut nominal = Nominal::in_memory("box", Surface::new(mesh));
        nominal.source.hash = hash.to_owned();
        nominal
    }

    fn cuboid(height_mm: f64) -> Mesh {
        shapes::cuboid(Point::origin(), Point::new(30.0, 20.0, height_mm))
    }

    #[test]
    fn faces_are_found_again_on_a_revision_and_refused_where_they_changed() {
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
        assert!(anchors.facets(&top, &higher).unwrap_err().sentence.contains("another one"));
        let wider = nominal("4", shapes::cuboid(Point::origin(), Point::new(40.0, 20.0, 10.0)));
        assert!(anchors.facets(&top, &wider).unwrap_err().sentence.contains("another size"));
    }
}
