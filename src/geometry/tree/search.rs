//! Tree traversal: nearest boxes first within a shrinking limit, or all boxes that overlap a query box.

use super::super::simd::Lanes;
use super::{LEAF_BIT, Tree};

/// Action of a traversal at a leaf. Implementations are `#[inline(always)]`.
pub trait Visitor {
    /// Processes pack `pack`; may lower `limit`, the squared distance beyond which boxes are pruned.
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32);
}

/// Traversal stack: pending children with their squared distances. Reused between queries to avoid allocations.
#[derive(Default)]
pub struct Stack {
    entries: Vec<(f32, u32)>,
}

/// Visits the leaves whose boxes lie within `limit` (squared distance) of `p`, nearest first.
///
/// `p` is relative to the centre of the tree; `limit` must include the f32 error.
#[inline(always)]
pub fn nearest_first<L: Lanes>(
    tree: &Tree,
    p: [f32; 3],
    limit: &mut f32,
    stack: &mut Stack,
    visitor: &mut impl Visitor,
) {
    if tree.nodes.is_empty() {
        return;
    }
    let query = p.map(L::splat);
    let zero = L::splat(0.0);
    stack.entries.clear();
    stack.entries.push((0.0, 0));
    while let Some((distance, code)) = stack.entries.pop() {
        // The stack holds the distance, so that pruning reads no node.
        if distance > *limit {
            continue;
        }
        if code & LEAF_BIT != 0 {
            visitor.visit::<L>((code & !LEAF_BIT) as usize, limit);
            continue;
        }
        let node = &tree.nodes[code as usize];
        let mut squared = zero;
        for axis in 0..3 {
            let below = L::sub(L::load(&node.min[axis]), query[axis]);
            let above = L::sub(query[axis], L::load(&node.max[axis]));
            let outside = L::max(L::max(below, above), zero);
            squared = L::mul_add(outside, outside, squared);
        }
        let mut hits = L::le(squared, L::splat(*limit));
        let distances = L::store(squared);
        let first = stack.entries.len();
        while hits != 0 {
            let slot = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            let code = node.children[slot];
            if code == super::NO_CHILD {
                continue;
            }
            // Insertion sort keeps the nearest child on top.
            let entry = (distances[slot], code);
            let mut position = stack.entries.len();
            stack.entries.push(entry);
            while position > first && stack.entries[position - 1].0 < entry.0 {
                stack.entries[position] = stack.entries[position - 1];
                position -= 1;
            }
            stack.entries[position] = entry;
        }
    }
}

/// Visits every leaf whose box overlaps the box from `min` to `max` (relative to the centre of the tree).
#[inline(always)]
pub fn overlapping<L: Lanes>(tree: &Tree, min: [f32; 3], max: [f32; 3], stack: &mut Stack, visitor: &mut impl Visitor) {
    if tree.nodes.is_empty() {
        return;
    }
    let (low, high) = (min.map(L::splat), max.map(L::splat));
    let mut limit = f32::INFINITY;
    stack.entries.clear();
    stack.entries.push((0.0, 0));
    while let Some((_, code)) = stack.entries.pop() {
        if code & LEAF_BIT != 0 {
            visitor.visit::<L>((code & !LEAF_BIT) as usize, &mut limit);
            continue;
        }
        let node = &tree.nodes[code as usize];
        let mut hits = (0..3).fold(0xFF, |hits, axis| {
            hits & L::le(L::load(&node.min[axis]), high[axis]) & L::le(low[axis], L::load(&node.max[axis]))
        });
        while hits != 0 {
            let slot = hits.trailing_zeros() as usize;
            hits &= hits - 1;
            if node.children[slot] != super::NO_CHILD {
                stack.entries.push((0.0, node.children[slot]));
            }
        }
    }
}
