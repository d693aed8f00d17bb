//! Welding: from separate triangles to a mesh with shared vertices.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::health::MeshFindings;
use super::{Mesh, Point, triangle};

/// Corners of one triangle of a non-indexed file (such as STL), in the unit of the file.
pub type LooseTriangle = [[f32; 3]; 3];

/// Merges corners with equal coordinates and drops facets that are degenerate or have non-finite coordinates. Returns
/// the mesh and the counts of what was dropped.
pub fn weld(triangles: &[LooseTriangle]) -> (Mesh, MeshFindings) {
    let mut findings = MeshFindings::default();
    let mut mesh = Mesh { facets: Vec::with_capacity(triangles.len()), ..Mesh::default() };
    let is_finite = |triangle: &LooseTriangle| triangle.iter().flatten().all(|value| value.is_finite());
    let first_corner = first_corners(triangles, is_finite);
    // Vertices are numbered in order of first use: the vertex of each corner, 3 per triangle.
    let mut vertex_of_corner = vec![0_u32; first_corner.len()];
    for (i, triangle) in triangles.iter().enumerate() {
        if !is_finite(triangle) {
            findings.not_finite_facets += 1;
            continue;
        }
        let facet = [0, 1, 2].map(|corner| {
            let corner_index = 3 * i + corner;
            let original = first_corner[corner_index].load(Relaxed) as usize;
            if original == corner_index {
                mesh.vertices.push(Point::from(nalgebra::Vector3::from(triangle[corner]).cast::<f64>()));
                vertex_of_corner[corner_index] = (mesh.vertices.len() - 1) as u32;
            } else {
                vertex_of_corner[corner_index] = vertex_of_corner[original];
            }
            vertex_of_corner[corner_index]
        });
        mesh.facets.push(facet);
    }
    mesh.vertices.shrink_to_fit();
    findings.degenerate_facets = drop_degenerate(&mut mesh);
    (mesh, findings)
}

/// Number of hash partitions of the corners, chosen so that each fits a processor cache.
const PARTITIONS: usize = 256;
/// Triangles per parallel task.
const TASK_TRIANGLES: usize = 1 << 14;

/// For each corner (3 per triangle), the first corner at the same position. Entries of excluded triangles are
/// meaningless.
fn first_corners(triangles: &[LooseTriangle], is_included: impl Fn(&LooseTriangle) -> bool + Sync) -> Vec<AtomicU32> {
    // Adding zero turns -0 into +0.
    let key = |corner: u32| triangles[corner as usize / 3][corner as usize % 3].map(|value| (value + 0.0).to_bits());
    let hasher = BuildHasherDefault::<CoordinateHasher>::default();
    let partition_chunk = |(chunk, triangles): (usize, &[LooseTriangle])| {
        let mut partitions = vec![Vec::<u32>::new(); PARTITIONS];
        for (i, _) in triangles.iter().enumerate().filter(|(_, triangle)| is_included(triangle)) {
            for corner in 3 * (chunk * TASK_TRIANGLES + i)..3 * (chunk * TASK_TRIANGLES + i) + 3 {
                // Bits of the hash that the maps below do not use.
                let partition = (hasher.hash_one(key(corner as u32)) >> 32) as usize % PARTITIONS;
                partitions[partition].push(corner as u32);
            }
        }
        partitions
    };
    let chunks: Vec<Vec<Vec<u32>>> = triangles.par_chunks(TASK_TRIANGLES).enumerate().map(partition_chunk).collect();
    let first: Vec<AtomicU32> = (0..3 * triangles.len()).map(|_| AtomicU32::new(0)).collect();
    (0..PARTITIONS).into_par_iter().for_each(|partition| {
        let count: usize = chunks.iter().map(|partitions| partitions[partition].len()).sum();
        let mut first_at: HashMap<[u32; 3], u32, BuildHasherDefault<CoordinateHasher>> =
            HashMap::with_capacity_and_hasher(count / 4 + 8, BuildHasherDefault::default());
        for &corner in chunks.iter().flat_map(|partitions| &partitions[partition]) {
            let original = *first_at.entry(key(corner)).or_insert(corner);
            first[corner as usize].store(original, Relaxed);
        }
    });
    first
}

/// Merges vertices with equal coordinates in an indexed mesh and drops degenerate and non-finite facets. Returns the
/// mesh and the counts of what was merged and dropped.
pub fn clean(mut mesh: Mesh) -> (Mesh, MeshFindings) {
    let mut findings = MeshFindings::default();
    let mut index_at: HashMap<[u64; 3], u32, BuildHasherDefault<CoordinateHasher>> = HashMap::default();
    let mut vertices = Vec::with_capacity(mesh.vertices.len());
    let new_index: Vec<u32> = mesh
        .vertices
        .iter()
        .map(|vertex| {
            let key = [vertex.x, vertex.y, vertex.z].map(|value| (value + 0.0).to_bits());
            *index_at.entry(key).or_insert_with(|| {
                vertices.push(*vertex);
                (vertices.len() - 1) as u32
            })
        })
        .collect();
    findings.merged_vertices = mesh.vertices.len() - vertices.len();
    mesh.vertices = vertices;
    mesh.facets.iter_mut().flatten().for_each(|vertex| *vertex = new_index[*vertex as usize]);
    let finite: Vec<bool> =
        mesh.vertices.iter().map(|vertex| vertex.coords.iter().all(|value| value.is_finite())).collect();
    findings.not_finite_facets =
        retain_facets(&mut mesh, |_, facet| facet.iter().all(|&vertex| finite[vertex as usize]));
    findings.degenerate_facets = drop_degenerate(&mut mesh);
    (mesh, findings)
}

/// Drops facets of zero area; returns their count.
pub(super) fn drop_degenerate(mesh: &mut Mesh) -> usize {
    retain_facets(mesh, |vertices, facet| {
        let corners = facet.map(|vertex| vertices[vertex as usize]);
        triangle::area_vector(&corners).norm_squared() > 0.0
    })
}

fn retain_facets(mesh: &mut Mesh, keep: impl Fn(&[Point], &[u32; 3]) -> bool) -> usize {
    let before = mesh.facets.len();
    let kept: Vec<bool> = mesh.facets.iter().map(|facet| keep(&mesh.vertices, facet)).collect();
    if kept.iter().all(|&keep| keep) {
        return 0;
    }
    let mut index = 0;
    mesh.facets.retain(|_| {
        index += 1;
        kept[index - 1]
    });
    let mut index = 0;
    mesh.cad_faces.retain(|_| {
        index += 1;
        kept[index - 1]
    });
    before - mesh.facets.len()
}

/// Fast hasher for coordinate keys. Not resistant to chosen collisions, which keys from coordinates do not require.
#[derive(Default)]
pub struct CoordinateHasher(u64);

impl Hasher for CoordinateHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 29)
    }
    fn write(&mut self, bytes: &[u8]) {
        bytes.chunks(8).for_each(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        });
    }
    fn write_u32(&mut self, value: u32) {
        self.write_u64(u64::from(value));
    }
    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0.rotate_left(23) ^ value).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
    fn write_i64(&mut self, value: i64) {
        self.write_u64(value as u64);
    }
    fn write_usize(&mut self, _length: usize) {
        // The length prefix of a fixed-size key carries no information.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_corners_are_merged_and_invalid_facets_are_counted() {
        let a = [0.0, 0.0, 0.0];
        let b = [1.0, 0.0, 0.0];
        let c = [0.0, 1.0, -0.0];
        let d = [1.0, 1.0, 0.0];
        let loose = [[a, b, c], [b, d, [0.0, 1.0, 0.0]], [a, a, b], [a, b, [f32::NAN, 0.0, 0.0]]];
        let (mesh, findings) = weld(&loose);
        assert_eq!((mesh.vertices.len(), mesh.facets.len()), (4, 2));
        assert_eq!((findings.degenerate_facets, findings.not_finite_facets), (1, 1));
        assert_eq!(mesh.facets[0][2], mesh.facets[1][2]);
    }
}
