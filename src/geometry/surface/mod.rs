//! A mesh ready for search: neighbours, pseudo-normals for the sign, and a tree over its facets.

mod closest;
mod pack;
mod ray;

pub use closest::{ClosestQuery, closest_in_order};

use std::sync::atomic::{AtomicU64, Ordering};

use pack::FacetPack;

use super::topology::{NO_NEIGHBOUR, Topology, vertex_normals};
use super::tree::{PrimitiveBox, SplitRule, Tree, build};
use super::triangle::Feature;
use super::{Aabb, Mesh, Point, Vector};

static NEXT_NUMBER: AtomicU64 = AtomicU64::new(1);

/// A mesh with everything that searches over it need. Immutable once made.
#[derive(Debug)]
pub struct Surface {
    number: u64,
    mesh: Mesh,
    topology: Topology,
    vertex_normals: Vec<Vector>,
    open_vertices: Vec<bool>,
    centre: Point,
    /// Largest coordinate about the centre, mm: what f32 rounding is relative to.
    reach_mm: f64,
    bounds: Aabb,
    tree: Tree,
    packs: Vec<FacetPack>,
}

/// The point of a surface that is closest to some place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceHit {
    /// The closest point, mm, in the surface's frame.
    pub point: Point,
    /// Unsigned distance, mm.
    pub distance_mm: f64,
    /// The facet hit; the lowest-numbered one on ties.
    pub facet: u32,
    /// The part of that facet.
    pub feature: Feature,
}

impl Surface {
    /// Prepares `mesh`. Facets must not be degenerate (the readers drop those).
    pub fn new(mesh: Mesh) -> Self {
        let bounds = mesh.bounds();
        let centre = bounds.centre();
        let reach_mm = 0.5 * bounds.size().max();
        let ((topology, normals), (tree, packs)) = rayon::join(
            || rayon::join(|| Topology::new(&mesh), || vertex_normals(&mesh)),
            || {
                let tree = build(&facet_boxes(&mesh, &centre), SplitRule::SurfaceArea);
                let packs = pack::fill(&tree, &mesh, &centre);
                (tree, packs)
            },
        );
        let mut open_vertices = vec![false; mesh.vertices.len()];
        for (facet, neighbours) in topology.neighbours.iter().enumerate() {
            for edge in (0..3).filter(|&edge| neighbours[edge] == NO_NEIGHBOUR) {
                open_vertices[mesh.facets[facet][edge] as usize] = true;
                open_vertices[mesh.facets[facet][(edge + 1) % 3] as usize] = true;
            }
        }
        let number = NEXT_NUMBER.fetch_add(1, Ordering::Relaxed);
        Self { number, mesh, topology, vertex_normals: normals, open_vertices, centre, reach_mm, bounds, tree, packs }
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// The mesh alone; what searches need goes.
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// A number that no other surface of this run has: what is kept about a surface elsewhere is found by it.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Angle-weighted normals of all vertices, not of unit length.
    pub fn vertex_normals(&self) -> &[Vector] {
        &self.vertex_normals
    }

    /// For each vertex, whether it lies on a rim.
    pub fn open_vertices(&self) -> &[bool] {
        &self.open_vertices
    }

    /// Neighbours and boundaries.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Box around the mesh, mm.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// The pseudo-normal of the feature that was hit, not of unit length: its dot product with the vector from the
    /// hit to the query has the sign of the deviation, on edges and corners too.
    pub fn pseudo_normal(&self, facet: u32, feature: Feature) -> Vector {
        match feature {
            Feature::Face => super::triangle::area_vector(&self.mesh.corners(facet as usize)),
            Feature::Edge(edge) => {
                let normal = self.mesh.normal(facet as usize);
                match self.topology.neighbours[facet as usize][edge as usize] {
                    NO_NEIGHBOUR => normal,
                    neighbour => normal + self.mesh.normal(neighbour as usize),
                }
            }
            Feature::Vertex(corner) => {
                let vertex = self.mesh.facets[facet as usize][corner as usize];
                self.vertex_normals[vertex as usize]
            }
        }
    }

    /// Signed distance of `query` whose closest point is `hit`, mm: + outside, - inside.
    ///
    /// Signs follow Baerentzen and Aanaes, "Signed distance computation using the angle weighted pseudonormal" (2005).
    #[inline]
    pub fn signed_distance_mm(&self, query: &Point, hit: &SurfaceHit) -> f64 {
        let side = self.pseudo_normal(hit.facet, hit.feature).dot(&(query - hit.point));
        if side < 0.0 { -hit.distance_mm } else { hit.distance_mm }
    }

    /// Cosine of the angle between `direction` (unit) and the normal at `hit`; on an edge that of the facet that is
    /// aligned best, so that it does not hang on which of the two was taken.
    pub fn aligned_cosine(&self, hit: &SurfaceHit, direction: &Vector) -> f64 {
        let own = self.mesh.normal(hit.facet as usize).dot(direction);
        match hit.feature {
            Feature::Face => own,
            Feature::Edge(edge) => match self.topology.neighbours[hit.facet as usize][edge as usize] {
                NO_NEIGHBOUR => own,
                neighbour => own.max(self.mesh.normal(neighbour as usize).dot(direction)),
            },
            Feature::Vertex(_) => {
                let mean = self.pseudo_normal(hit.facet, hit.feature);
                if mean.norm() > 0.0 { own.max(mean.normalize().dot(direction)) } else { own }
            }
        }
    }

    /// Whether a hit lies on an edge or corner where the mesh ends, so that a place beyond it has no side.
    pub fn is_open_at(&self, hit: &SurfaceHit) -> bool {
        match hit.feature {
            Feature::Face => false,
            Feature::Edge(edge) => self.topology.neighbours[hit.facet as usize][edge as usize] == NO_NEIGHBOUR,
            Feature::Vertex(corner) => {
                self.open_vertices[self.mesh.facets[hit.facet as usize][corner as usize] as usize]
            }
        }
    }

    /// Angle between the normal at `hit` and the direction to `query`, rad, folded to 0..π/2: near 0 on the surface's
    /// inside, up to π/2 for places beyond its rim.
    pub fn tilt_rad(&self, query: &Point, hit: &SurfaceHit) -> f64 {
        let normal = self.pseudo_normal(hit.facet, hit.feature);
        let away = query - hit.point;
        normal.cross(&away).norm().atan2(normal.dot(&away).abs())
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> u64 {
        self.mesh.bytes()
            + self.tree.bytes()
            + (self.packs.capacity() * size_of::<FacetPack>()
                + self.vertex_normals.capacity() * size_of::<Vector>()
                + self.topology.neighbours.capacity() * 12
                + self.open_vertices.capacity()) as u64
    }

    fn local(&self, point: &Point) -> [f32; 3] {
        (point - self.centre).cast::<f32>().into()
    }
}

fn facet_boxes(mesh: &Mesh, centre: &Point) -> Vec<PrimitiveBox> {
    use rayon::prelude::*;
    (0..mesh.facets.len())
        .into_par_iter()
        .map(|facet| {
            let corners = mesh.corners(facet).map(|corner| -> [f32; 3] { (corner - centre).cast::<f32>().into() });
            let pick = |choose: fn(f32, f32) -> f32| {
                std::array::from_fn(|axis| choose(choose(corners[0][axis], corners[1][axis]), corners[2][axis]))
            };
            PrimitiveBox { min: pick(f32::min), max: pick(f32::max) }
        })
        .collect()
}
