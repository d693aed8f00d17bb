//! Triangle meshes with shared vertices and the CAD face of each facet.

use std::collections::{HashMap, HashSet};

use super::topology::{NO_NEIGHBOUR, Topology};
use super::{Aabb, OrderedPoints, Point, Subset, Vector, triangle};
use rayon::prelude::*;

/// A triangle mesh, mm. Facets wind counter-clockwise seen from outside.
#[derive(Clone, Debug, Default)]
pub struct Mesh {
    /// Shared vertices, mm.
    pub vertices: Vec<Point>,
    /// Three indices into `vertices` per facet.
    pub facets: Vec<[u32; 3]>,
    /// CAD face index of each facet; empty if the file has no CAD faces.
    pub cad_faces: Vec<u32>,
}

impl Mesh {
    /// Corners of facet `facet`.
    #[inline]
    pub fn corners(&self, facet: usize) -> [Point; 3] {
        self.facets[facet].map(|vertex| self.vertices[vertex as usize])
    }

    /// Unit normal of facet `facet`.
    pub fn normal(&self, facet: usize) -> Vector {
        triangle::normal(&self.corners(facet))
    }

    /// Bounding box of all vertices used by facets, mm.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(self.facets.iter().flatten().map(|&vertex| &self.vertices[vertex as usize]))
    }

    /// Centroids of the facets along a space-filling curve: whatever their order, consecutive ones are close together.
    pub fn facets_along_curve(&self) -> OrderedPoints {
        let facets = 0..self.facets.len();
        let centroids: Vec<Point> = facets.into_par_iter().map(|own| triangle::centroid(&self.corners(own))).collect();
        OrderedPoints::new(&centroids)
    }

    /// Area of a facet, mm².
    pub fn facet_area_mm2(&self, facet: usize) -> f64 {
        0.5 * triangle::area_vector(&self.corners(facet)).norm()
    }

    /// Total area of the facets, mm².
    pub fn area_mm2(&self) -> f64 {
        // The sum of nothing is -0.
        0.0 + (0..self.facets.len()).map(|facet| self.facet_area_mm2(facet)).sum::<f64>()
    }

    /// Signed volume, mm³: positive for a closed mesh with outward normals. Meaningful for closed meshes only.
    pub fn volume_mm3(&self) -> f64 {
        let centre = self.bounds().centre();
        let volume_mm3 = |facet| {
            let [a, b, c] = self.corners(facet).map(|corner| corner - centre);
            a.dot(&b.cross(&c)) / 6.0
        };
        0.0 + (0..self.facets.len()).map(volume_mm3).sum::<f64>()
    }

    /// Multiplies all coordinates by `factor` (change of unit).
    pub fn scale(&mut self, factor: f64) {
        if factor != 1.0 {
            self.vertices.iter_mut().for_each(|vertex| vertex.coords *= factor);
        }
    }

    /// Reverses the winding of every facet.
    pub fn flip(&mut self) {
        self.facets.iter_mut().for_each(|facet| facet.swap(1, 2));
    }

    /// Reverses the winding of the facets with the given indices.
    pub fn reverse(&mut self, facets: &[u32]) {
        facets.iter().for_each(|&facet| self.facets[facet as usize].swap(1, 2));
    }

    /// Allocated memory, bytes.
    pub fn bytes(&self) -> u64 {
        (self.vertices.capacity() * size_of::<Point>()
            + self.facets.capacity() * size_of::<[u32; 3]>()
            + self.cad_faces.capacity() * size_of::<u32>()) as u64
    }

    /// Submesh of the facets with the given indices, and the vertices that they use.
    pub fn part(&self, facets: &[u32]) -> Self {
        const UNUSED: u32 = u32::MAX;
        let mut new_index = vec![UNUSED; self.vertices.len()];
        let mut part = Self::default();
        for &facet in facets {
            let corners = self.facets[facet as usize].map(|vertex| {
                let index = &mut new_index[vertex as usize];
                if *index == UNUSED {
                    *index = part.vertices.len() as u32;
                    part.vertices.push(self.vertices[vertex as usize]);
                }
                *index
            });
            part.facets.push(corners);
        }
        if !self.cad_faces.is_empty() {
            part.cad_faces = facets.iter().map(|&facet| self.cad_faces[facet as usize]).collect();
        }
        part
    }

    /// The complete faces that contain the facets `seeds`: CAD faces where the mesh has them, otherwise the facets
    /// connected to the seeds across edges whose facet normals differ by at most `max_crease_rad`.
    pub fn whole_faces(&self, topology: &Topology, seeds: &Subset, max_crease_rad: f64) -> Subset {
        if !self.cad_faces.is_empty() {
            let wanted: HashSet<u32> = seeds.iter().map(|&facet| self.cad_faces[facet as usize]).collect();
            let is_wanted = |facet: &u32| wanted.contains(&self.cad_faces[*facet as usize]);
            return Subset::new((0..self.facets.len() as u32).filter(is_wanted).collect());
        }
        let mut is_included = vec![false; self.facets.len()];
        seeds.iter().for_each(|&seed| is_included[seed as usize] = true);
        Subset::new(self.grown(seeds.to_vec(), topology, max_crease_rad, &mut is_included))
    }

    /// The complete faces as by [`Self::whole_faces`], each by itself, in the order of their first seeds.
    pub fn single_faces(&self, topology: &Topology, seeds: &Subset, max_crease_rad: f64) -> Vec<Vec<u32>> {
        if !self.cad_faces.is_empty() {
            return self.single_cad_faces(seeds);
        }
        let mut is_included = vec![false; self.facets.len()];
        let mut faces = Vec::new();
        for &seed in seeds.iter() {
            if !std::mem::replace(&mut is_included[seed as usize], true) {
                faces.push(self.grown(vec![seed], topology, max_crease_rad, &mut is_included));
            }
        }
        faces
    }

    fn single_cad_faces(&self, seeds: &Subset) -> Vec<Vec<u32>> {
        let (mut faces, mut index_of) = (Vec::<Vec<u32>>::new(), HashMap::new());
        for &seed in seeds.iter() {
            index_of.entry(self.cad_faces[seed as usize]).or_insert_with(|| {
                faces.push(Vec::new());
                faces.len() - 1
            });
        }
        for (facet, cad_face) in (0..).zip(&self.cad_faces) {
            if let Some(index) = index_of.get(cad_face) {
                faces[*index].push(facet);
            }
        }
        faces
    }

    /// `facets` and those connected to them across edges whose facet normals differ by at most `max_crease_rad`, without
    /// what is included otherwise.
    fn grown(
        &self,
        mut facets: Vec<u32>,
        topology: &Topology,
        max_crease_rad: f64,
        is_included: &mut [bool],
    ) -> Vec<u32> {
        let min_cosine = max_crease_rad.cos();
        let mut next = 0;
        while let Some(&facet) = facets.get(next) {
            next += 1;
            let normal = self.normal(facet as usize);
            for neighbour in topology.neighbours[facet as usize] {
                if neighbour != NO_NEIGHBOUR
                    && !is_included[neighbour as usize]
                    && self.normal(neighbour as usize).dot(&normal) >= min_cosine
                {
                    is_included[neighbour as usize] = true;
                    facets.push(neighbour);
                }
            }
        }
        facets
    }

    /// Appends another mesh; its CAD faces are renumbered to follow those of this mesh.
    pub fn append(&mut self, other: &Self) {
        let offset = self.vertices.len() as u32;
        if !(self.cad_faces.is_empty() && other.cad_faces.is_empty()) {
            let faces_or_zero =
                |faces: &[u32], count: usize| if faces.is_empty() { vec![0; count] } else { faces.to_vec() };
            self.cad_faces = faces_or_zero(&self.cad_faces, self.facets.len());
            let next_face = self.cad_faces.iter().max().map_or(0, |face| face + 1);
            self.cad_faces
                .extend(faces_or_zero(&other.cad_faces, other.facets.len()).iter().map(|face| face + next_face));
        }
        self.vertices.extend_from_slice(&other.vertices);
        self.facets.extend(other.facets.iter().map(|facet| facet.map(|vertex| vertex + offset)));
    }
}

/// Meshes of analytic shapes, for tests, the simulator and benchmarks. Facets face outward.
pub mod shapes {
    use super::{Mesh, Point};

    /// Box of 12 facets between opposite corners; two facets per CAD face.
    pub fn cuboid(min: Point, max: Point) -> Mesh {
        let vertices = super::Aabb { min, max }.corners().to_vec();
        let facets = vec![
            [0, 2, 3],
            [0, 3, 1],
            [4, 5, 7],
            [4, 7, 6],
            [0, 1, 5],
            [0, 5, 4],
            [2, 6, 7],
            [2, 7, 3],
            [0, 4, 6],
            [0, 6, 2],
            [1, 3, 7],
            [1, 7, 5],
        ];
        Mesh { vertices, facets, cad_faces: (0..12).map(|facet| facet / 2).collect() }
    }

    /// Grid of `nu` by `nv` quads over `at(u, v)` with u and v from 0 to 1: periodic in v and, if `closed_u`, in u.
    pub fn grid(nu: u32, nv: u32, closed_u: bool, at: impl Fn(f64, f64) -> Point) -> Mesh {
        let rows = if closed_u { nu } else { nu + 1 };
        let mut mesh = Mesh::default();
        for i in 0..rows {
            for j in 0..nv {
                mesh.vertices.push(at(f64::from(i) / f64::from(nu), f64::from(j) / f64::from(nv)));
            }
        }
        for i in 0..nu {
            for j in 0..nv {
                let (i1, j1) = ((i + 1) % rows, (j + 1) % nv);
                let [a, b, c, d] = [i * nv + j, i1 * nv + j, i1 * nv + j1, i * nv + j1];
                mesh.facets.push([a, b, c]);
                mesh.facets.push([a, c, d]);
            }
        }
        mesh
    }

    /// Two rectangles that meet in a ridge along y, each falling by `slope` away from it.
    pub fn roof(half_x: f64, half_y: f64, slope: f64) -> Mesh {
        let at = |x: f64, y: f64| Point::new(x, y, -slope * x.abs());
        let vertices = [-half_x, 0.0, half_x].iter().flat_map(|&x| [at(x, -half_y), at(x, half_y)]).collect();
        let facets = vec![[0, 2, 3], [0, 3, 1], [2, 4, 5], [2, 5, 3]];
        Mesh { vertices, facets, cad_faces: vec![0, 0, 1, 1] }
    }

    /// Torus about z: major radius `ring_mm`, minor radius `tube_mm`.
    pub fn torus(ring_mm: f64, tube_mm: f64, nu: u32, nv: u32) -> Mesh {
        grid(nu, nv, true, |u, v| {
            let (a, b) = (u * std::f64::consts::TAU, v * std::f64::consts::TAU);
            let radius = ring_mm + tube_mm * b.cos();
            Point::new(radius * a.cos(), radius * a.sin(), tube_mm * b.sin())
        })
    }

    /// Sphere about the origin: an icosahedron subdivided `levels` times.
    pub fn sphere(radius_mm: f64, levels: u32) -> Mesh {
        let phi = (1.0 + 5.0_f64.sqrt()) / 2.0;
        let mut vertices = Vec::new();
        for (a, b) in [(1.0, phi), (-1.0, phi), (1.0, -phi), (-1.0, -phi)] {
            vertices.push(Point::new(a, b, 0.0));
            vertices.push(Point::new(0.0, a, b));
            vertices.push(Point::new(b, 0.0, a));
        }
        let mut mesh = Mesh { vertices, ..Mesh::default() };
        // Every three vertices at mutual distance 2 form a face of the icosahedron.
        let are_adjacent = |mesh: &Mesh, i: usize, j: usize| (mesh.vertices[i] - mesh.vertices[j]).norm() < 2.1;
        for i in 0..12 {
            for j in (i + 1)..12 {
                for k in (j + 1)..12 {
                    if are_adjacent(&mesh, i, j) && are_adjacent(&mesh, j, k) && are_adjacent(&mesh, i, k) {
                        let (a, b, c) = (mesh.vertices[i], mesh.vertices[j], mesh.vertices[k]);
                        let outward = (b - a).cross(&(c - a)).dot(&a.coords) > 0.0;
                        let (j, k) = if outward { (j, k) } else { (k, j) };
                        mesh.facets.push([i as u32, j as u32, k as u32]);
                    }
                }
            }
        }
        for _ in 0..levels {
            mesh = crate::refine::split_all_once(&mesh);
        }
        for vertex in &mut mesh.vertices {
            vertex.coords *= radius_mm / vertex.coords.norm();
        }
        mesh
    }
}
