//! Edges of the surface at the borders of leaves between voxels that are full and empty. In a tree of consistent skin
//! there are none; where the sides of a part contradict each other, they close its mesh.

use super::Edge;
use crate::voxels::{CellState, Voxel, VoxelTree, leaf};

/// The edges between full voxels and empty ones across the faces of a leaf. `origin` is its first voxel. Faces between two
/// leaves are those of both.
pub(super) fn seams(tree: &VoxelTree, number: u32, origin: [u32; 3]) -> Vec<Edge> {
    let size = tree.layout().leaf;
    let words = tree.leaf(number);
    let mut edges = Vec::new();
    for face in 0..6 {
        let (axis, is_upward) = (face / 2, face % 2 == 1);
        let mut beyond = origin.map(|index| index as i32);
        beyond[axis] += if is_upward { size as i32 } else { -1 };
        let outer = tree.terminal_cell(beyond);
        let outer_state = outer.map_or(CellState::Empty, |(cell, _)| cell.state);
        let outer_words = outer.filter(|_| outer_state == CellState::Boundary).map(|(cell, _)| tree.leaf(cell.index));
        for own in 0..size * size {
            let mut at = [0; 3];
            at[(axis + 1) % 3] = own % size;
            at[(axis + 2) % 3] = own / size;
            at[axis] = if is_upward { size - 1 } else { 0 };
            let mut across = at;
            across[axis] = size - 1 - at[axis];
            let inner = leaf::get(words, size, at);
            let outer = match (outer_words, outer_state) {
                (Some(words), _) => leaf::get(words, size, across),
                (None, CellState::Full) => Voxel::Full,
                _ => Voxel::Empty,
            };
            let voxel: [i32; 3] = std::array::from_fn(|axis| (origin[axis] + at[axis]) as i32);
            if (inner, outer) == (Voxel::Full, Voxel::Empty) {
                edges.push(Edge { voxel, axis, is_upward });
            } else if (inner, outer) == (Voxel::Empty, Voxel::Full) && outer_words.is_none() {
                // A full cell has no leaf of which this would be a face.
                let mut voxel = voxel;
                voxel[axis] += if is_upward { 1 } else { -1 };
                edges.push(Edge { voxel, axis, is_upward: !is_upward });
            }
        }
    }
    edges
}

/// As [`seams`], between a full cell without leaves, of `edge` voxels per axis, and empty ones.
pub(super) fn seams_of_cell(tree: &VoxelTree, min: [u32; 3], edge: u32) -> Vec<Edge> {
    let size = tree.layout().leaf;
    let patches = edge / size;
    let mut edges = Vec::new();
    for face in 0..6 {
        let (axis, is_upward) = (face / 2, face % 2 == 1);
        for patch in 0..patches * patches {
            let mut first = min.map(|index| index as i32);
            first[(axis + 1) % 3] += (patch % patches * size) as i32;
            first[(axis + 2) % 3] += (patch / patches * size) as i32;
            first[axis] += if is_upward { edge as i32 - 1 } else { 0 };
            let mut beyond = first;
            beyond[axis] += if is_upward { 1 } else { -1 };
            if tree.terminal_cell(beyond).is_some_and(|(cell, _)| cell.state != CellState::Empty) {
                continue;
            }
            edges.extend((0..size * size).map(|own| {
                let mut voxel = first;
                voxel[(axis + 1) % 3] += (own % size) as i32;
                voxel[(axis + 2) % 3] += (own / size) as i32;
                Edge { voxel, axis, is_upward }
            }));
        }
    }
    edges
}
