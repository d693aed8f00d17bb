//! An artefact by its CAD: the regions of a snapshot that lies on it. So an artefact that is not the one drawn here, but
//! of the same kind, is recognised too.
//!
//! Places on the CAD carry the names of the regions they lie on, such as the touches that a machine was programmed for.
//! A point of the snapshot belongs to a region when it lies on the same face as a place of it, and nearer to that than to
//! any other; so a plate that is one face can hold two regions.

use super::artefacts::{Artefact, RECOGNISED};
use base::{Result, UserError};
use compute::point_deviation::PointDeviation;
use geometry::{KdTree, Point, Pose, Subset, Surface};

/// How far a place with a name may lie from the CAD, mm: a ball's radius, where it is one of its centre.
const PLACE_OFF_MM: f64 = 5.0;
/// Regions keep so far from the edges of faces, mm, where the sensor rounds and points fly.
const MARGIN_MM: f64 = 1.0;
/// Edges where a mesh turns by more than this end a face, rad; CAD files know their faces.
const EDGE_RAD: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// A point of a snapshot farther than this from the CAD is none of the artefact, mm.
pub const OFF_MM: f64 = 0.6;

/// How many of a snapshot's points lie on the CAD.
pub fn on_cad(matched: &[PointDeviation]) -> usize {
    matched.iter().filter(|point| point.value().is_some()).count()
}

/// The CAD of an artefact, and where its regions are.
pub struct NominalArtefact<'a> {
    artefact: &'a dyn Artefact,
    surface: &'a Surface,
    /// The face of each facet; [`NO_FACE`] where no region is.
    face_of: Vec<u32>,
    faces: Vec<Face>,
}

/// A face with regions on it.
struct Face {
    /// Places with the numbers of their regions.
    places: Vec<(usize, Point)>,
    /// Points along its edges, close together; empty where it has none.
    rim: Option<KdTree>,
}

const NO_FACE: u32 = u32::MAX;

impl<'a> NominalArtefact<'a> {
    /// `places` are on the CAD, in its axes, mm, with the numbers of their regions.
    ///
    /// Fails with a sentence where a region has no place, or a place is not on the CAD.
    pub fn new(artefact: &'a dyn Artefact, surface: &'a Surface, places: &[(usize, Point)]) -> Result<Self> {
        for (number, region) in artefact.regions().iter().enumerate() {
            if !places.iter().any(|(own, _)| *own == number) {
                return Err(UserError::input(format!(
                    "No place is named {} ({}): give one or more for every region.",
                    region.short, region.long
                )));
            }
        }
        let facets = surface.mesh().facets.len();
        let mut nominal = Self { artefact, surface, face_of: vec![NO_FACE; facets], faces: Vec::new() };
        for &(region, place) in places {
            nominal.add(region, place)?;
        }
        Ok(nominal)
    }

    fn add(&mut self, region: usize, place: Point) -> Result<()> {
        let Some(hit) = self.surface.closest_point(&place, PLACE_OFF_MM) else {
            let name = self.artefact.regions().get(region).map_or("?", |region| region.short);
            return Err(UserError::input(format!(
                "The place {:.3}, {:.3}, {:.3} of {name} is not within {PLACE_OFF_MM} mm of the CAD: both must be in the \
                 same axes, in mm.",
                place.x, place.y, place.z
            )));
        };
        if self.face_of[hit.facet as usize] == NO_FACE {
            let seed = Subset::new(vec![hit.facet]);
            let facets = self.surface.mesh().whole_faces(self.surface.topology(), &seed, EDGE_RAD);
            facets.iter().for_each(|&facet| self.face_of[facet as usize] = self.faces.len() as u32);
            self.faces.push(Face { places: Vec::new(), rim: rim(self.surface, &facets) });
        }
        self.faces[self.face_of[hit.facet as usize] as usize].places.push((region, hit.point));
        Ok(())
    }

    /// The points of each region, of those of a snapshot at `nominal_from_sensor` with their closest facets.
    ///
    /// Fails with a sentence where too few lie on the CAD.
    pub fn regions(
        &self,
        points: &[Point],
        matched: &[PointDeviation],
        nominal_from_sensor: &Pose,
    ) -> Result<Vec<Subset>> {
        let mut regions = vec![Vec::new(); self.artefact.regions().len()];
        for ((number, point), deviation) in (0..).zip(points).zip(matched) {
            if deviation.value().is_none() {
                continue;
            }
            let face = self.face_of.get(deviation.facet as usize).and_then(|&face| self.faces.get(face as usize));
            if let Some(region) = face.and_then(|face| face.region_at(&(nominal_from_sensor * point))) {
                regions[region].push(number);
            }
        }
        let share = on_cad(matched) as f64 / points.len().max(1) as f64;
        if share < RECOGNISED {
            return Err(UserError::input(format!(
                "Only {:.0} % of the snapshot lies within {OFF_MM} mm of the artefact's CAD: it is of another artefact, or \
                 shows too little of it.",
                100.0 * share
            )));
        }
        Ok(regions.into_iter().map(Subset::new).collect())
    }
}

impl Face {
    /// The region of a place on the face; `None` near its edges.
    fn region_at(&self, place: &Point) -> Option<usize> {
        let at_rim = self.rim.as_ref().is_some_and(|rim| rim.nearest(place, MARGIN_MM).is_some());
        let nearest = || {
            let away = |(_, own): &&(usize, Point)| (own - place).norm_squared();
            self.places.iter().min_by(|one, other| away(one).total_cmp(&away(other)))
        };
        if at_rim { None } else { nearest().map(|(region, _)| *region) }
    }
}

/// Points along the edges of a face, a fifth of the margin apart.
fn rim(surface: &Surface, facets: &Subset) -> Option<KdTree> {
    let mut places = Vec::new();
    for &facet in facets.iter() {
        let corners = surface.mesh().corners(facet as usize);
        let across = surface.topology().neighbours[facet as usize];
        // No neighbour is in no face.
        for edge in (0..3).filter(|&edge| !facets.contains(across[edge])) {
            let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
            let steps = ((b - a).norm() / (0.2 * MARGIN_MM)).ceil().max(1.0);
            places.extend((0..=steps as usize).map(|i| a + (b - a) * (i as f64 / steps)));
        }
    }
    (!places.is_empty()).then(|| KdTree::new(&places))
}
