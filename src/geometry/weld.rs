//! From loose triangles to a mesh with shared vertices.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::health::MeshFindings;
use super::{Mesh, Point, triangle};

/// A triangle as files without indices hold it, in the file's unit.
pub type LooseTriangle = [[f32; 3]; 3];

/// Joins corners with equal coordinates, and drops facets that are degenerate or not finite. All counted.
pub fn weld(triangles: &[LooseTriangle]) -> (Mesh, MeshFindings) {
    let mut findings = MeshFindings::default();
    let mut mesh = Mesh { facets: Vec::with_capacity(triangles.len()), ..Mesh::default() };
    let is_finite = |triangle: &LooseTriangle| triangle.iter().flatten().all(|value| value.is_finite());
    let first = first_corners(triangles, is_finite);
    // Vertices are numbered as they come; of each corner the number, 3 a triangle.
    let mut numbers = vec![0_u32; first.len()];
    for (i, triangle) in triangles.iter().enumerate() {
        if !is_finite(triangle) {
            findings.not_finite_facets += 1;
            continue;
        }
        let facet = [0, 1, 2].map(|corner| {
            let own = 3 * i + corner;
            let before = first[own].load(Relaxed) as usize;
            if before == own {
                mesh.vertices.push(Point::from(nalgebra::Vector3::from(triangle[corner]).cast::<f64>()));
                numbers[own] = (mesh.vertices.len() - 1) as u32;
            } else {
                numbers[own] = numbers[before];
            }
            numbers[own]
        });
        mesh.facets.push(facet);
    }
    mesh.vertices.shrink_to_fit();
    findings.degenerate_facets = drop_degenerate(&mut mesh);
    (mesh, findings)
}

/// Corners are shared out by their hashes into so many parts, each small enough for a processor's cache.
const PARTS: usize = 256;
/// Triangles of one task.
const CHUNK: usize = 1 << 14;

/// Of each corner, 3 a triangle, the first one at its place; those of triangles that are left out mean nothing.
fn first_corners(triangles: &[LooseTriangle], is_taken: impl Fn(&LooseTriangle) -> bool + Sync) -> Vec<AtomicU32> {
    // Adding zero turns -0 into +0.
    let key = |corner: u32| triangles[corner as usize / 3][corner as usize % 3].map(|value| (value + 0.0).to_bits());
    let hasher = BuildHasherDefault::<CoordinateHasher>::default();
    let shared_out = |(chunk, triangles): (usize, &[LooseTriangle])| {
        let mut parts = vec![Vec::<u32>::new(); PARTS];
        for (i, _) in triangles.iter().enumerate().filter(|(_, triangle)| is_taken(triangle)) {
            for corner in 3 * (chunk * CHUNK + i)..3 * (chunk * CHUNK + i) + 3 {
                // Bits that the maps make no use of.
                let part = (hasher.hash_one(key(corner as u32)) >> 32) as usize % PARTS;
                parts[part].push(corner as u32);
            }
        }
        parts
    };
    let chunks: Vec<Vec<Vec<u32>>> = triangles.par_chunks(CHUNK).enumerate().map(shared_out).collect();
    let first: Vec<AtomicU32> = (0..3 * triangles.len()).map(|_| AtomicU32::new(0)).collect();
    (0..PARTS).into_par_iter().for_each(|part| {
        let count: usize = chunks.iter().map(|parts| parts[part].len()).sum();
        let mut found: HashMap<[u32; 3], u32, BuildHasherDefault<CoordinateHasher>> =
            HashMap::with_capacity_and_hasher(count / 4 + 8, BuildHasherDefault::default());
        for &corner in chunks.iter().flat_map(|parts| &parts[part]) {
            let own = *found.entry(key(corner)).or_insert(corner);
            first[corner as usize].store(own, Relaxed);
        }
    });
    first
}

/// Joins vertices with equal coordinates in an indexed mesh, and drops degenerate and non-finite facets.
pub fn clean(mut mesh: Mesh) -> (Mesh, MeshFindings) {
    let mut findings = MeshFindings::default();
    let mut numbers: HashMap<[u64; 3], u32, BuildHasherDefault<CoordinateHasher>> = HashMap::default();
    let mut kept = Vec::with_capacity(mesh.vertices.len());
    let renumbered: Vec<u32> = mesh
        .vertices
        .iter()
        .map(|vertex| {
            let key = [vertex.x, vertex.y, vertex.z].map(|value| (value + 0.0).to_bits());
            *numbers.entry(key).or_insert_with(|| {
                kept.push(*vertex);
                (kept.len() - 1) as u32
            })
        })
        .collect();
    findings.merged_vertices = mesh.vertices.len() - kept.len();
    mesh.vertices = kept;
    mesh.facets.iter_mut().flatten().for_each(|vertex| *vertex = renumbered[*vertex as usize]);
    let finite: Vec<bool> =
        mesh.vertices.iter().map(|vertex| vertex.coords.iter().all(|value| value.is_finite())).collect();
    findings.not_finite_facets =
        retain_facets(&mut mesh, |_, facet| facet.iter().all(|&vertex| finite[vertex as usize]));
    findings.degenerate_facets = drop_degenerate(&mut mesh);
    (mesh, findings)
}

/// Drops facets without area; returns how many.
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

/// Mixes whole words at once; the keys are coordinates, not an attacker's choice of collisions worth guarding.
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
        // The length prefix of arrays says nothing.
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_corners_join_and_broken_facets_are_counted() {
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
