//! The mesh around an offset volume, and its distance from what it should be.

use rayon::prelude::*;
use serde::Serialize;

use base::{Progress, Result};
use geometry::voxels::contour::{Crossing, contour};
use geometry::voxels::{Lattice, VoxelTree};
use geometry::{Mesh, Point, Sides, SolidSurface, SurfaceHit, Vector, triangle};

/// Deviation of the vertices of an offset mesh from the offset distance, measured against the part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct MeshError {
    /// Mean, mm: positive if the mesh lies too far out.
    pub mean_mm: f64,
    /// Root mean square, mm.
    pub rms_mm: f64,
    /// Greatest absolute value, mm.
    pub max_mm: f64,
    /// By how much they, and the middles of its facets, make its volume too large, mm³.
    pub volume_mm3: f64,
}

/// A surface and the offset distance at which it is meshed.
pub struct Offset<'a> {
    pub solid: &'a SolidSurface<'a>,
    pub distance_mm: f64,
    pub lattice: Lattice,
}

/// The distance of a point from the surface.
#[derive(Clone, Copy)]
pub(super) struct Measured {
    at: Point,
    signed_mm: f64,
    /// Direction in which the signed distance grows; zero if there is none.
    gradient: Vector,
    /// Closest point of the surface, and its facet.
    foot: Point,
    facet: u32,
}

/// Deviation from the distance at which a crossing is found, in voxels.
const FOUND: f64 = 1e-3;
/// Number of facets whose middles are measured for the error of a volume.
const VOLUME_FACETS: usize = 40_000;
/// Corrections of a crossing.
const CORRECTIONS: usize = 3;

impl Offset<'_> {
    /// The mesh around the volume.
    pub fn mesh(&self, tree: &VoxelTree, progress: &Progress) -> Result<Mesh> {
        contour(tree, |last, inner, outer| self.crossing(last, inner, outer), progress)
    }

    /// Whether a point close to the offset surface lies within it. `last` becomes its measurement.
    pub fn is_in(&self, last: &mut Option<Measured>, at: Point) -> bool {
        *last = self.measure(at, last.map(|last| last.facet));
        last.is_some_and(|own| own.signed_mm <= self.distance_mm)
    }

    fn measure(&self, at: Point, facet: Option<u32>) -> Option<Measured> {
        let surface = self.solid.surface();
        let hit = surface.closest_point_from(&at, f64::INFINITY, facet)?;
        let is_inside = match self.solid.sides() {
            Sides::Open => false,
            // All points near the surface of an offset beyond two voxels lie on one side of the part.
            _ if self.distance_mm.abs() > 2.0 * self.lattice.voxel_mm => self.distance_mm < 0.0,
            _ => self.is_inside(&at, &hit),
        };
        let sign = if is_inside { -1.0 } else { 1.0 };
        // On the part itself, the direction to the closest point is lost to rounding.
        let gradient = if hit.distance_mm > 1e-6 * self.lattice.voxel_mm {
            (at - hit.point) * (sign / hit.distance_mm)
        } else {
            surface.pseudo_normal(hit.facet, hit.feature).try_normalize(0.0).unwrap_or_default()
        };
        Some(Measured { at, signed_mm: sign * hit.distance_mm, gradient, foot: hit.point, facet: hit.facet })
    }

    fn is_inside(&self, at: &Point, hit: &SurfaceHit) -> bool {
        match self.solid.sides() {
            Sides::Open => false,
            Sides::Normals => self.solid.surface().signed_distance_mm(at, hit) < 0.0,
            Sides::WindingNumbers => self.solid.contains(at),
        }
    }

    /// Signed distance of any point from the offset surface, mm, and the facet of the part that is closest to it. `facet`
    /// is one close to it.
    pub(super) fn signed_mm(&self, at: &Point, facet: Option<u32>) -> (f64, Option<u32>) {
        let Some(hit) = self.solid.surface().closest_point_from(at, f64::INFINITY, facet) else {
            return (f64::INFINITY, None);
        };
        let sign = if self.is_inside(at, &hit) { -1.0 } else { 1.0 };
        (sign * hit.distance_mm - self.distance_mm, Some(hit.facet))
    }

    /// Where the offset surface passes between a point inside and one outside. `last` is the measurement of the point
    /// inside, if that was asked for before.
    pub fn crossing(&self, last: &mut Option<Measured>, inner: Point, outer: Point) -> Crossing {
        let along = outer - inner;
        let halfway = Crossing { point: nalgebra::center(&inner, &outer), normal: along.normalize() };
        let facet = last.map(|last| last.facet);
        let Some(start) = last.filter(|last| last.at == inner).or_else(|| self.measure(inner, facet)) else {
            return halfway;
        };
        *last = Some(start);
        if start.signed_mm > self.distance_mm {
            // Inside by its winding number alone, across a gap of the part.
            return halfway;
        }
        let (mut low, mut high) = (0.0, 1.0);
        let mut share = self.first_share(&start, &along);
        let mut found = start;
        for _ in 0..=CORRECTIONS {
            let Some(own) = self.measure(inner + along * share, Some(found.facet)) else {
                return halfway;
            };
            found = own;
            let excess = found.signed_mm - self.distance_mm;
            if excess.abs() < FOUND * self.lattice.voxel_mm {
                break;
            }
            *(if excess > 0.0 { &mut high } else { &mut low }) = share;
            let slope = found.gradient.dot(&along);
            let next = share - excess / slope;
            share = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        Crossing { point: found.at, normal: found.gradient }
    }

    /// Share of the way out at which the distance from the closest point of its start is that of the offset.
    fn first_share(&self, start: &Measured, along: &Vector) -> f64 {
        let from_foot = start.at - start.foot;
        let (a, b) = (along.norm_squared(), from_foot.dot(along));
        let c = from_foot.norm_squared() - self.distance_mm * self.distance_mm;
        let root = (b * b - a * c).max(0.0).sqrt();
        let shares = [(-b - root) / a, (-b + root) / a];
        shares.into_iter().find(|share| (0.0..=1.0).contains(share)).unwrap_or(0.5)
    }

    /// Measures all vertices of a mesh, and its volume.
    pub fn error(&self, mesh: &Mesh) -> MeshError {
        let errors_mm = self.errors_mm(&mesh.vertices);
        let count = errors_mm.iter().flatten().count().max(1) as f64;
        let squares: f64 = errors_mm.iter().flatten().map(|own| own * own).sum();
        MeshError {
            mean_mm: errors_mm.iter().flatten().sum::<f64>() / count,
            rms_mm: (squares / count).sqrt(),
            max_mm: errors_mm.iter().flatten().fold(0.0, |max, own| max.max(own.abs())),
            volume_mm3: self.volume_error_mm3(mesh, &errors_mm),
        }
    }

    /// By how much points lie too far out, mm; `None` where nothing is near.
    fn errors_mm(&self, points: &[Point]) -> Vec<Option<f64>> {
        let of_chunk = |points: &[Point]| {
            let mut facet = None;
            let error = |point: &Point| {
                let own = self.measure(*point, facet)?;
                facet = Some(own.facet);
                Some(own.signed_mm - self.distance_mm)
            };
            points.iter().map(error).collect::<Vec<_>>()
        };
        points.par_chunks(1 << 12).flat_map_iter(of_chunk).collect()
    }

    /// The integral of the error over a mesh whose vertices have these errors: of a facet before a curved surface, the mean
    /// follows from its corners and its middle. Of many facets some are measured.
    fn volume_error_mm3(&self, mesh: &Mesh, errors_mm: &[Option<f64>]) -> f64 {
        let stride = mesh.facets.len().div_ceil(VOLUME_FACETS).max(1);
        let facets: Vec<usize> = (0..mesh.facets.len()).step_by(stride).collect();
        let middle = |&facet: &usize| triangle::centroid(&mesh.corners(facet));
        let middles_mm = self.errors_mm(&facets.iter().map(middle).collect::<Vec<_>>());
        let of_facet = |(&facet, middle_mm): (&usize, Option<f64>)| {
            let corners_mm: f64 = mesh.facets[facet].iter().filter_map(|&own| errors_mm[own as usize]).sum();
            0.5 * triangle::area_vector(&mesh.corners(facet)).norm()
                * (0.75 * middle_mm.unwrap_or_default() + corners_mm / 12.0)
        };
        facets.iter().zip(middles_mm).map(of_facet).sum::<f64>() * stride as f64
    }
}
