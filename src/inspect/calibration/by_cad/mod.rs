//! Regions of an artefact by its CAD model, from a snapshot aligned to it. In this way an artefact of the same kind but
//! with other dimensions than those built in is recognised as well.
//!
//! Named points on the CAD model mark the regions that they lie on, for example the points of a CMM's probing program.
//! A point of the snapshot belongs to a region if it lies on the same face as a named point of the region, and closer
//! to that than to any other named point; so one face, such as a plate, can contain two regions.

mod finding;

use super::artefacts::{Artefact, MIN_MATCHING_SHARE};
use base::{Result, UserError};
use compute::point_deviation::PointDeviation;
use geometry::{KdTree, Point, Pose, Subset, Surface};

pub use finding::find_regions;

/// Maximum distance of a named point from the CAD model, mm: a stylus tip radius, if tip centres are given.
const MAX_NAMED_POINT_DISTANCE_MM: f64 = 5.0;
/// Clearance of regions from the edges of faces, mm: near edges the sensor rounds off and produces stray points.
const MARGIN_MM: f64 = 1.0;
/// Minimum dihedral angle of an edge that bounds a face of a mesh, rad; CAD files define their faces.
const MIN_EDGE_ANGLE_RAD: f64 = 15.0 * std::f64::consts::PI / 180.0;

/// Maximum distance of the artefact's points from the CAD model, mm.
const MAX_DISTANCE_MM: f64 = 0.6;

/// Number of snapshot points that lie on the CAD model.
fn count_on_cad(matched: &[PointDeviation]) -> usize {
    matched.iter().filter(|point| point.value().is_some()).count()
}

/// The CAD model of an artefact, with its regions.
struct NominalArtefact<'a> {
    artefact: &'a dyn Artefact,
    surface: &'a Surface,
    /// Index of the face of each facet; [`NO_FACE`] if it has no region.
    face_of: Vec<u32>,
    faces: Vec<Face>,
}

/// A face with regions on it.
struct Face {
    /// Named points with the indices of their regions.
    named_points: Vec<(usize, Point)>,
    /// Closely spaced points along its edges; `None` if it has none.
    boundary: Option<KdTree>,
}

const NO_FACE: u32 = u32::MAX;

impl<'a> NominalArtefact<'a> {
    /// `named_points` are on the CAD model, in its axes, mm, with the indices of their regions.
    ///
    /// Returns an error if a region has no point, or if a point is not on the CAD model.
    pub fn new(artefact: &'a dyn Artefact, surface: &'a Surface, named_points: &[(usize, Point)]) -> Result<Self> {
        for (index, region) in artefact.regions().iter().enumerate() {
            if !named_points.iter().any(|(own, _)| *own == index) {
                return Err(UserError::input(format!(
                    "No point is named {} ({}): give one or more for every region.",
                    region.short, region.long
                )));
            }
        }
        let facets = surface.mesh().facets.len();
        let mut nominal = Self { artefact, surface, face_of: vec![NO_FACE; facets], faces: Vec::new() };
        for &(region, point) in named_points {
            nominal.add(region, point)?;
        }
        Ok(nominal)
    }

    fn add(&mut self, region: usize, point: Point) -> Result<()> {
        let Some(hit) = self.surface.closest_point(&point, MAX_NAMED_POINT_DISTANCE_MM) else {
            let name = self.artefact.regions().get(region).map_or("?", |region| region.short);
            return Err(UserError::input(format!(
                "The point {:.3}, {:.3}, {:.3} of {name} is not within {MAX_NAMED_POINT_DISTANCE_MM} mm of the CAD \
                 model: both must be in the same axes, in mm.",
                point.x, point.y, point.z
            )));
        };
        if self.face_of[hit.facet as usize] == NO_FACE {
            let seed = Subset::new(vec![hit.facet]);
            let facets = self.surface.mesh().whole_faces(self.surface.topology(), &seed, MIN_EDGE_ANGLE_RAD);
            facets.iter().for_each(|&facet| self.face_of[facet as usize] = self.faces.len() as u32);
            self.faces.push(Face { named_points: Vec::new(), boundary: boundary(self.surface, &facets) });
        }
        self.faces[self.face_of[hit.facet as usize] as usize].named_points.push((region, hit.point));
        Ok(())
    }

    /// Point indices of each region, from the points of a snapshot at `nominal_from_sensor` with their closest facets.
    ///
    /// Returns an error if too few points lie on the CAD model.
    pub fn regions(
        &self,
        points: &[Point],
        matched: &[PointDeviation],
        nominal_from_sensor: &Pose,
    ) -> Result<Vec<Subset>> {
        let mut regions = vec![Vec::new(); self.artefact.regions().len()];
        for ((index, point), deviation) in (0..).zip(points).zip(matched) {
            if deviation.value().is_none() {
                continue;
            }
            let face = self.face_of.get(deviation.facet as usize).and_then(|&face| self.faces.get(face as usize));
            if let Some(region) = face.and_then(|face| face.region_at(&(nominal_from_sensor * point))) {
                regions[region].push(index);
            }
        }
        let share = count_on_cad(matched) as f64 / points.len().max(1) as f64;
        if share < MIN_MATCHING_SHARE {
            return Err(UserError::input(format!(
                "Only {:.0} % of the snapshot lies within {MAX_DISTANCE_MM} mm of the artefact's CAD model: it is of \
                 another artefact, or shows too little of it.",
                100.0 * share
            )));
        }
        Ok(regions.into_iter().map(Subset::new).collect())
    }
}

impl Face {
    /// Region of a point on the face; `None` near its edges.
    fn region_at(&self, point: &Point) -> Option<usize> {
        let is_near_edge = self.boundary.as_ref().is_some_and(|boundary| boundary.nearest(point, MARGIN_MM).is_some());
        let nearest = || {
            let distance = |(_, own): &&(usize, Point)| (own - point).norm_squared();
            self.named_points.iter().min_by(|one, other| distance(one).total_cmp(&distance(other)))
        };
        if is_near_edge { None } else { nearest().map(|(region, _)| *region) }
    }
}

/// Points along the edges of a face, at most a fifth of the margin apart.
fn boundary(surface: &Surface, facets: &Subset) -> Option<KdTree> {
    let mut points = Vec::new();
    for &facet in facets.iter() {
        let corners = surface.mesh().corners(facet as usize);
        let across = surface.topology().neighbours[facet as usize];
        // The marker for a missing neighbour is in no face.
        for edge in (0..3).filter(|&edge| !facets.contains(across[edge])) {
            let (a, b) = (corners[edge], corners[(edge + 1) % 3]);
            let steps = ((b - a).norm() / (0.2 * MARGIN_MM)).ceil().max(1.0);
            points.extend((0..=steps as usize).map(|i| a + (b - a) * (i as f64 / steps)));
        }
    }
    (!points.is_empty()).then(|| KdTree::new(&points))
}
