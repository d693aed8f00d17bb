//! From loose triangles to a mesh with shared vertices.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::health::MeshFindings;
use super::{Mesh, Point, triangle};

/// A triangle as files without indices hold it, in the file's unit.
pub type LooseTriangle = [[f32; 3]; 3];

/// Joins corners with equal coordinates, and drops facets that are degenerate or not finite. All counted.
pub fn weld(triangles: &[LooseTriangle]) -> (Mesh, MeshFindings) {
    let mut findings = MeshFindings::default();
    let mut mesh = Mesh { facets: Vec::with_capacity(triangles.len()), ..Mesh::default() };
    let mut numbers: HashMap<[u32; 3], u32, BuildHasherDefault<CoordinateHasher>> =
        HashMap::with_capacity_and_hasher(triangles.len() / 2 + 8, BuildHasherDefault::default());
    for triangle in triangles {
        if !triangle.iter().flatten().all(|value| value.is_finite()) {
            findings.not_finite_facets += 1;
            continue;
        }
        let facet = triangle.map(|corner| {
            // Adding zero turns -0 into +0.
            let key = corner.map(|value| (value + 0.0).to_bits());
            *numbers.entry(key).or_insert_with(|| {
                mesh.vertices.push(Point::from(nalgebra::Vector3::from(corner).cast::<f64>()));
                (mesh.vertices.len() - 1) as u32
            })
        });
        mesh.facets.push(facet);
    }
    mesh.vertices.shrink_to_fit();
    findings.degenerate_facets = drop_degenerate(&mut mesh);
    (mesh, findings)
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
