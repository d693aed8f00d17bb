//! How the surface crosses a cube between eight voxel centres: which of the crossed edges belong to one patch.
//!
//! Dual marching cubes after Nielson (2004); faces that could be crossed in two ways after Wenger, "Isosurfaces"
//! (2013), so that no edge of the mesh is shared by more than two facets.

/// The cube's corners are numbered by the bits x, y, z. Edge `4 a + u + 2 v` runs along axis a at position u of axis
/// a + 1 and v of axis a + 2.
pub(super) const EDGES: usize = 12;

/// Marks an edge that the surface does not cross.
pub(super) const NOT_CROSSED: u8 = u8::MAX;

/// The patches of a cube.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Patches {
    /// Per edge its patch.
    pub of_edge: [u8; EDGES],
    /// Number of patches, at most four.
    pub count: u8,
    /// Bit per face: both crossings of a face that is crossed twice are in one patch.
    pub doubled: u8,
}

/// Corner of a face: face `2 a` lies at 0 of axis a, face `2 a + 1` at 1; corners go round by 0, 1, 2, 3.
fn corner_of_face(face: usize, step: usize) -> usize {
    let (axis, side) = (face / 2, face % 2);
    let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
    let (at_u, at_v) = [(0, 0), (1, 0), (1, 1), (0, 1)][step % 4];
    side << axis | at_u << u | at_v << v
}

/// The edge between two corners that differ in one axis.
fn edge_between(a: usize, b: usize) -> usize {
    let axis = (a ^ b).trailing_zeros() as usize;
    let at = |other: usize| a >> (other % 3) & 1;
    4 * axis + at(axis + 1) + 2 * at(axis + 2)
}

/// The patches of a cube whose corners in the solid are the bits of `inside`. A face whose corners alternate is crossed
/// twice: around its corners inside, or around those outside for the faces of `joined`.
pub(super) fn patches(inside: u8, joined: u8) -> Patches {
    let is_in = |corner: usize| inside >> corner & 1 == 1;
    let mut next: [[u8; 2]; EDGES] = [[NOT_CROSSED; 2]; EDGES];
    let mut link = |a: usize, b: usize| {
        for (from, to) in [(a, b), (b, a)] {
            let slot = usize::from(next[from][0] != NOT_CROSSED);
            next[from][slot] = to as u8;
        }
    };
    let mut twice: [Option<[usize; 2]>; 6] = [None; 6];
    for face in 0..6 {
        let corners: [usize; 4] = std::array::from_fn(|step| corner_of_face(face, step));
        let edges: [usize; 4] = std::array::from_fn(|step| edge_between(corners[step], corners[(step + 1) % 4]));
        let is_crossed = |step: usize| is_in(corners[step]) != is_in(corners[(step + 1) % 4]);
        let crossed: Vec<usize> = (0..4).filter(|&step| is_crossed(step)).collect();
        match crossed[..] {
            [a, b] => link(edges[a], edges[b]),
            [..] if crossed.len() == 4 => {
                // Edge `step` ends at corner `step + 1`, around which the crossing runs.
                let is_around_inside = joined >> face & 1 == 0;
                let first = if is_in(corners[1]) == is_around_inside { 0 } else { 1 };
                link(edges[first], edges[first + 1]);
                link(edges[first + 2], edges[(first + 3) % 4]);
                twice[face] = Some([edges[first], edges[first + 2]]);
            }
            _ => {}
        }
    }
    let mut patches = Patches { of_edge: [NOT_CROSSED; EDGES], count: 0, doubled: 0 };
    for first in 0..EDGES {
        if next[first][0] == NOT_CROSSED || patches.of_edge[first] != NOT_CROSSED {
            continue;
        }
        let mut pending = vec![first];
        while let Some(edge) = pending.pop() {
            if patches.of_edge[edge] == NOT_CROSSED {
                patches.of_edge[edge] = patches.count;
                pending.extend(next[edge].iter().map(|&other| other as usize));
            }
        }
        patches.count += 1;
    }
    for (face, edges) in twice.iter().enumerate() {
        if edges.is_some_and(|[a, b]| patches.of_edge[a] == patches.of_edge[b]) {
            patches.doubled |= 1 << face;
        }
    }
    patches
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_crossed_edge_is_in_a_patch_and_no_other() {
        for inside in 0..=255_u8 {
            for joined in [0, 0b11_1111] {
                let found = patches(inside, joined);
                for axis in 0..3 {
                    for at in 0..4 {
                        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                        let low = (at & 1) << u | (at >> 1) << v;
                        let is_crossed = (inside >> low ^ inside >> (low | 1 << axis)) & 1 == 1;
                        assert_eq!(found.of_edge[4 * axis + at] != NOT_CROSSED, is_crossed);
                    }
                }
                assert!(found.count <= 4 && (found.count == 0) == (inside == 0 || inside == 255));
            }
        }
        // Two opposite corners of a cube, or of a face, are cut off apart; joined over the face, they are one patch.
        assert_eq!(patches(0b1000_0001, 0).count, 2);
        assert_eq!(patches(0b0000_1001, 0).count, 2);
        assert_eq!(patches(0b0000_1001, 0b11_1111).count, 1);
        assert_eq!(patches(0b0110_1001, 0).count, 4);
    }
}
