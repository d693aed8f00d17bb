//! Packs of eight facets in structure-of-arrays layout, and their squared f32 distances by vector instructions.

use rayon::prelude::*;

use super::super::simd::{Column, Lanes};
use super::super::tree::Tree;
use super::super::{Mesh, Point};

/// Up to eight facets of one leaf, f32 relative to the centre of the surface. Unused lanes are far away.
#[repr(C, align(32))]
#[derive(Clone, Debug)]
pub(super) struct FacetPack {
    corner: [Column; 3],
    edge1: [Column; 3],
    edge2: [Column; 3],
    /// Reciprocal squared lengths of edge 1, edge 2 and the edge between their ends; 0 for zero length.
    inverse_squared_length: [Column; 3],
    /// Mask of lanes that are never filtered out: needles, whose f32 normal is inaccurate.
    needles: u32,
    /// Facet indices; `u32::MAX` in unused lanes.
    pub(super) facets: [u32; 8],
}

const UNUSED: u32 = u32::MAX;
/// Ratio of longest edge to height above which a facet counts as a needle.
const MIN_NEEDLE_RATIO: f32 = 50.0;

pub(super) fn fill(tree: &Tree, mesh: &Mesh, centre: &Point) -> Vec<FacetPack> {
    (0..tree.packs())
        .into_par_iter()
        .map(|pack| {
            let mut out = FacetPack {
                corner: [[1e30; 8]; 3],
                edge1: [[0.0; 8]; 3],
                edge2: [[0.0; 8]; 3],
                inverse_squared_length: [[0.0; 8]; 3],
                needles: 0,
                facets: [UNUSED; 8],
            };
            for (lane, &facet) in tree.pack(pack).iter().enumerate() {
                let [a, b, c] = mesh.corners(facet as usize).map(|corner| (corner - centre).cast::<f32>());
                let (edge1, edge2) = (b - a, c - a);
                for axis in 0..3 {
                    out.corner[axis][lane] = a[axis];
                    out.edge1[axis][lane] = edge1[axis];
                    out.edge2[axis][lane] = edge2[axis];
                }
                for (i, edge) in [edge1, edge2, edge2 - edge1].iter().enumerate() {
                    let squared = edge.norm_squared();
                    out.inverse_squared_length[i][lane] = if squared > 0.0 { squared.recip() } else { 0.0 };
                }
                let longest = edge1.norm_squared().max(edge2.norm_squared()).max((edge2 - edge1).norm_squared());
                if longest > MIN_NEEDLE_RATIO * edge1.cross(&edge2).norm() {
                    out.needles |= 1 << lane;
                }
                out.facets[lane] = facet;
            }
            out
        })
        .collect()
}

impl FacetPack {
    /// Mask with bit i set if facet i may be within the squared distance `limit` of `p`.
    #[inline(always)]
    pub(super) fn within<L: Lanes>(&self, p: [f32; 3], limit: f32) -> u32 {
        L::le(self.squared_distances::<L>(p), L::splat(limit)) | self.needles
    }

    /// As [`Self::within`], with the squared distances; those of needles are 0, as they may be anything.
    #[inline(always)]
    pub(super) fn distances_within<L: Lanes>(&self, p: [f32; 3], limit: f32) -> (u32, [f32; 8]) {
        let squared = self.squared_distances::<L>(p);
        let mut distances = L::store(squared);
        let mut needles = self.needles;
        while needles != 0 {
            distances[needles.trailing_zeros() as usize] = 0.0;
            needles &= needles - 1;
        }
        (L::le(squared, L::splat(limit)) | self.needles, distances)
    }

    /// Squared distances of the facets from `p`; too small for needles.
    #[inline(always)]
    fn squared_distances<L: Lanes>(&self, p: [f32; 3]) -> L::F {
        let from_corner: [L::F; 3] = std::array::from_fn(|axis| L::sub(L::splat(p[axis]), L::load(&self.corner[axis])));
        let edge1 = self.edge1.each_ref().map(L::load);
        let edge2 = self.edge2.each_ref().map(L::load);
        let between: [L::F; 3] = std::array::from_fn(|axis| L::sub(edge2[axis], edge1[axis]));
        let from_end: [L::F; 3] = std::array::from_fn(|axis| L::sub(from_corner[axis], edge1[axis]));
        let edges = [
            to_segment::<L>(&from_corner, &edge1, L::load(&self.inverse_squared_length[0])),
            to_segment::<L>(&from_corner, &edge2, L::load(&self.inverse_squared_length[1])),
            to_segment::<L>(&from_end, &between, L::load(&self.inverse_squared_length[2])),
        ];
        let nearest_edge = L::min(L::min(edges[0], edges[1]), edges[2]);
        // Above the interior the distance to the plane applies; elsewhere it is an underestimate, which is safe in a
        // filter.
        let normal = cross::<L>(&edge1, &edge2);
        let squared = dot::<L>(&normal, &normal);
        let v = dot::<L>(&cross::<L>(&edge1, &from_corner), &normal);
        let u = dot::<L>(&cross::<L>(&from_corner, &edge2), &normal);
        let w = L::sub(L::sub(squared, u), v);
        let height = dot::<L>(&from_corner, &normal);
        let plane = L::div(L::mul(height, height), L::max(squared, L::splat(f32::MIN_POSITIVE)));
        L::select_non_negative([u, v, w], L::min(plane, nearest_edge), nearest_edge)
    }
}

#[inline(always)]
fn dot<L: Lanes>(a: &[L::F; 3], b: &[L::F; 3]) -> L::F {
    L::mul_add(a[2], b[2], L::mul_add(a[1], b[1], L::mul(a[0], b[0])))
}

#[inline(always)]
fn cross<L: Lanes>(a: &[L::F; 3], b: &[L::F; 3]) -> [L::F; 3] {
    std::array::from_fn(|axis| {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        L::sub(L::mul(a[i], b[j]), L::mul(a[j], b[i]))
    })
}

#[inline(always)]
fn to_segment<L: Lanes>(from_start: &[L::F; 3], along: &[L::F; 3], inverse_squared_length: L::F) -> L::F {
    let t = L::mul(dot::<L>(from_start, along), inverse_squared_length);
    let t = L::min(L::max(t, L::splat(0.0)), L::splat(1.0));
    let offset: [L::F; 3] = std::array::from_fn(|axis| L::sub(from_start[axis], L::mul(t, along[axis])));
    dot::<L>(&offset, &offset)
}
