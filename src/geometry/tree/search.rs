//! Walks the tree: nearest boxes first within a shrinking limit, or all boxes that overlap a box.

use super::super::simd::Lanes;
use super::{LEAF_BIT, Tree};

/// What a walk does at a leaf. Implementations are `#[inline(always)]`.
pub trait Visitor {
    /// Looks at pack `pack`; may lower `limit`, the squared distance beyond which nothing matters any more.
    fn visit<L: Lanes>(&mut self, pack: usize, limit: &mut f32);
}

/// Children still to be looked at, with the squared distance of each; kept between queries to save allocations.
#[derive(Default)]
pub struct Stack {
    entries: Vec<(f32, u32)>,
}

/// Visits the leaves whose boxes lie within `limit` (squared) of `p`, nearest first.
///
/// `p` is about the tree's centre, and `limit` already widened by the f32 error.
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
        // The distance travels with the entry, so that a pruned one touches no memory.
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
            // Farthest deepest: insertion keeps the nearest on top.
            let entry = (distances[slot], code);
            let mut place = stack.entries.len();
            stack.entries.push(entry);
            while place > first && stack.entries[place - 1].0 < entry.0 {
                stack.entries[place] = stack.entries[place - 1];
                place -= 1;
            }
            stack.entries[place] = entry;
        }
    }
}

/// Visits every leaf whose box overlaps the box from `min` to `max` (about the tree's centre).
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
