//! A mesh prepared for searches: topology, pseudo-normals for the sign of distances, and a tree over its facets.

mod closest;
mod in_plane;
mod pack;
mod ray;
mod within;

use std::sync::OnceLock;

pub use closest::{ClosestQuery, LastFacet, Movement, NO_FACET, closest_from_last, closest_in_order};
pub use in_plane::PlanarHit;

use pack::FacetPack;

use super::topology::{NO_NEIGHBOUR, Topology, vertex_normals};
use super::tree::{PrimitiveBox, SplitRule, Tree, build};
use super::triangle::Feature;
use super::{Aabb, Mesh, Point, Vector, identifier};

/// An immutable mesh with its topology, vertex normals and search tree.
#[derive(Debug)]
pub struct Surface {
    id: u64,
    mesh: Mesh,
    topology: Topology,
    vertex_normals: Vec<Vector>,
    boundary_vertices: Vec<bool>,
    centre: Point,
    /// Largest coordinate relative to the centre, mm; scales the f32 rounding error.
    reach_mm: f64,
    bounds: Aabb,
    tree: Tree,
    packs: Vec<FacetPack>,
    has_overlaps: bool,
    facets_along_curve: OnceLock<Vec<u32>>,
}

/// The point of a surface closest to a query point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceHit {
    /// The closest point, mm, in the surface's frame.
    pub point: Point,
    /// Unsigned distance, mm.
    pub distance_mm: f64,
    /// Index of the facet hit; the lowest on ties.
    pub facet: u32,
    /// The feature of that facet on which the point lies.
    pub feature: Feature,
}

impl Surface {
    /// Prepares `mesh`, which must not have degenerate facets (the file readers drop them).
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
        let mut boundary_vertices = vec![false; mesh.vertices.len()];
        for (facet, neighbours) in topology.neighbours.iter().enumerate() {
            for edge in (0..3).filter(|&edge| neighbours[edge] == NO_NEIGHBOUR) {
                boundary_vertices[mesh.facets[facet][edge] as usize] = true;
                boundary_vertices[mesh.facets[facet][(edge + 1) % 3] as usize] = true;
            }
        }
        let id = identifier::next();
        let vertex_normals = normals;
        Self {
            id,
            mesh,
            topology,
            vertex_normals,
            boundary_vertices,
            centre,
            reach_mm,
            bounds,
            tree,
            packs,
            has_overlaps: false,
            facets_along_curve: OnceLock::new(),
        }
    }

    /// The surface, and whether shells of it overlap.
    #[must_use]
    pub fn with_overlaps(self, has_overlaps: bool) -> Self {
        Self { has_overlaps, ..self }
    }

    /// Whether shells of it are known to overlap: the normal at the closest point then does not tell every side.
    pub fn has_overlaps(&self) -> bool {
        self.has_overlaps
    }

    /// Indices of the facets by their centroids along a space-filling curve; found once.
    pub fn facets_along_curve(&self) -> &[u32] {
        self.facets_along_curve.get_or_init(|| self.mesh.facets_along_curve().numbers)
    }

    /// The mesh.
    pub fn mesh(&self) -> &Mesh {
        &self.mesh
    }

    /// Returns the mesh and discards the rest.
    pub fn into_mesh(self) -> Mesh {
        self.mesh
    }

    /// Identifier, unique within the process; key of data cached elsewhere for this surface.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Angle-weighted pseudo-normals of all vertices, not of unit length.
    pub fn vertex_normals(&self) -> &[Vector] {
        &self.vertex_normals
    }

    /// For each vertex, whether it lies on an edge without a neighbouring facet.
    pub fn boundary_vertices(&self) -> &[bool] {
        &self.boundary_vertices
    }

    /// Facet adjacency and edge counts.
    pub fn topology(&self) -> &Topology {
        &self.topology
    }

    /// Bounding box of the mesh, mm.
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Pseudo-normal of a feature of `facet`, not of unit length. Its dot product with the vector from a hit on that
    /// feature to the query point has the sign of the deviation, also on edges and vertices.
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

    /// Signed distance of `query`, whose closest point is `hit`, mm: positive outside the material, negative inside.
    ///
    /// Sign after Baerentzen and Aanaes, "Signed distance computation using the angle weighted pseudonormal" (2005).
    #[inline]
    pub fn signed_distance_mm(&self, query: &Point, hit: &SurfaceHit) -> f64 {
        let side = self.pseudo_normal(hit.facet, hit.feature).dot(&(query - hit.point));
        if side < 0.0 { -hit.distance_mm } else { hit.distance_mm }
    }

    /// Cosine of the angle between `direction` (unit) and the normal at `hit`. On an edge, the larger value of its two
    /// facets, so that the result does not depend on which of them was hit; at a vertex, the larger value of the facet
    /// normal and the vertex pseudo-normal.
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

    /// Whether `hit` lies on a boundary edge or vertex, so that the sign of a point beyond it is undefined.
    pub fn is_on_boundary(&self, hit: &SurfaceHit) -> bool {
        match hit.feature {
            Feature::Face => false,
            Feature::Edge(edge) => self.topology.neighbours[hit.facet as usize][edge as usize] == NO_NEIGHBOUR,
            Feature::Vertex(corner) => {
                self.boundary_vertices[self.mesh.facets[hit.facet as usize][corner as usize] as usize]
            }
        }
    }

    /// Angle between the line of the normal at `hit` and the direction to `query`, rad, from 0 to π/2: near 0 if the
    /// hit is in the interior of the surface, up to π/2 for points beyond its boundary.
    pub fn tilt_rad(&self, query: &Point, hit: &SurfaceHit) -> f64 {
        let normal = self.pseudo_normal(hit.facet, hit.feature);
        let offset = query - hit.point;
        normal.cross(&offset).norm().atan2(normal.dot(&offset).abs())
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        self.mesh.bytes()
            + self.tree.bytes()
            + (self.packs.capacity() * size_of::<FacetPack>()
                + self.vertex_normals.capacity() * size_of::<Vector>()
                + self.topology.neighbours.capacity() * 12
                + self.boundary_vertices.capacity()) as u64
    }

    /// The search tree over its facets.
    pub(crate) fn search_tree(&self) -> &Tree {
        &self.tree
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
