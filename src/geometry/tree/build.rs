//! Top-down build: each range of primitives is split in two repeatedly into at most eight ranges, which become the
//! children of a node, until a range fits a leaf. Ranges are processed in parallel; the result does not depend on it.

use super::{LEAF, LEAF_BIT, NO_CHILD, Node, PrimitiveBox, Tree};

/// Rule for splitting a range of primitives in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// Surface-area heuristic over 16 bins (Wald 2007); for triangles of mixed sizes.
    SurfaceArea,
    /// Median along the longest extent, as in a k-d tree; for points.
    Median,
}

const BINS: usize = 16;
/// Ranges with more primitives than this are processed on two threads.
const PARALLEL_THRESHOLD: usize = 8192;
/// From this depth on, ranges are split at the median only, which bounds the depth for any input.
const MAX_HEURISTIC_DEPTH: u32 = 48;

/// Builds a tree over `boxes`; node boxes are relative to the same centre as `boxes`.
pub fn build(boxes: &[PrimitiveBox], rule: SplitRule) -> Tree {
    if boxes.is_empty() {
        return Tree::default();
    }
    let mut items: Vec<Item> =
        boxes.iter().enumerate().map(|(i, bounds)| Item { bounds: *bounds, index: i as u32 }).collect();
    let root = build_range(&mut items, rule, 0, 0);
    let mut tree = Tree {
        nodes: Vec::with_capacity(boxes.len() / 20 + 1),
        order: items.iter().map(|item| item.index).collect(),
        pack_starts: Vec::with_capacity(boxes.len() / 5 + 1),
    };
    match root {
        // A single leaf also gets a node, so that every search starts at a node.
        Subtree::Leaf { .. } => flatten(vec![(bounds_of(&items), root)], &mut tree),
        Subtree::Node(children) => flatten(children, &mut tree),
    };
    tree.pack_starts.push(boxes.len() as u32);
    tree
}

#[derive(Clone, Copy)]
struct Item {
    bounds: PrimitiveBox,
    index: u32,
}

enum Subtree {
    Leaf { start: u32 },
    Node(Vec<(PrimitiveBox, Subtree)>),
}

struct Range<'a> {
    items: &'a mut [Item],
    start: usize,
    bounds: PrimitiveBox,
}

fn bounds_of(items: &[Item]) -> PrimitiveBox {
    let mut bounds = PrimitiveBox::EMPTY;
    items.iter().for_each(|item| bounds.grow(&item.bounds));
    bounds
}

fn build_range(items: &mut [Item], rule: SplitRule, start: usize, depth: u32) -> Subtree {
    if items.len() <= LEAF {
        // Ascending indices within a leaf make ties cheap to resolve and the memory order reproducible.
        items.sort_unstable_by_key(|item| item.index);
        return Subtree::Leaf { start: start as u32 };
    }
    let bounds = bounds_of(items);
    let mut ranges = vec![Range { items, start, bounds }];
    while ranges.len() < 8 {
        // Split the heaviest range first; a range that fits a leaf is not split.
        let Some(heaviest) = (0..ranges.len())
            .filter(|&i| ranges[i].items.len() > LEAF)
            .max_by(|&a, &b| weight(&ranges[a], rule).total_cmp(&weight(&ranges[b], rule)))
        else {
            break;
        };
        let range = ranges.swap_remove(heaviest);
        let (left, right) = split(range, if depth < MAX_HEURISTIC_DEPTH { rule } else { SplitRule::Median });
        ranges.push(left);
        ranges.push(right);
    }
    ranges.sort_by_key(|range| range.start);
    Subtree::Node(build_children(ranges, rule, depth))
}

fn weight(range: &Range<'_>, rule: SplitRule) -> f32 {
    match rule {
        SplitRule::SurfaceArea => range.bounds.half_area(),
        SplitRule::Median => range.items.len() as f32,
    }
}

fn build_children(mut ranges: Vec<Range<'_>>, rule: SplitRule, depth: u32) -> Vec<(PrimitiveBox, Subtree)> {
    let total: usize = ranges.iter().map(|range| range.items.len()).sum();
    if ranges.len() == 1 || total <= PARALLEL_THRESHOLD {
        return ranges.into_iter().map(|r| (r.bounds, build_range(r.items, rule, r.start, depth + 1))).collect();
    }
    let right = ranges.split_off(ranges.len() / 2);
    let (mut left, mut right) =
        rayon::join(|| build_children(ranges, rule, depth), || build_children(right, rule, depth));
    left.append(&mut right);
    left
}

fn split(range: Range<'_>, rule: SplitRule) -> (Range<'_>, Range<'_>) {
    let split_index = match rule {
        SplitRule::SurfaceArea => partition_by_area(range.items).unwrap_or_else(|| halve(range.items)),
        SplitRule::Median => halve(range.items),
    };
    let (left, right) = range.items.split_at_mut(split_index);
    let (left_bounds, right_bounds) = if left.len() + right.len() > PARALLEL_THRESHOLD {
        rayon::join(|| bounds_of(left), || bounds_of(right))
    } else {
        (bounds_of(left), bounds_of(right))
    };
    (
        Range { start: range.start, bounds: left_bounds, items: left },
        Range { start: range.start + split_index, bounds: right_bounds, items: right },
    )
}

/// Minimum and maximum of the primitives' doubled centres, the values that splits separate.
fn centre_bounds(items: &[Item]) -> ([f32; 3], [f32; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items {
        for axis in 0..3 {
            let doubled_centre = item.bounds.doubled_centre(axis);
            low[axis] = low[axis].min(doubled_centre);
            high[axis] = high[axis].max(doubled_centre);
        }
    }
    (low, high)
}

fn halve(items: &mut [Item]) -> usize {
    let (low, high) = centre_bounds(items);
    let extent: [f32; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
    // A multiple of the leaf size on the left, so that leaves are full.
    let half = (items.len() / 2).next_multiple_of(LEAF).min(items.len() - 1);
    items.select_nth_unstable_by(half, |a, b| {
        a.bounds.doubled_centre(axis).total_cmp(&b.bounds.doubled_centre(axis)).then(a.index.cmp(&b.index))
    });
    half
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: PrimitiveBox,
    count: u32,
}

/// Partitions at the bin boundary of lowest cost; `None` if no boundary separates the items. Returns the size of the
/// left part.
fn partition_by_area(items: &mut [Item]) -> Option<usize> {
    let (low, high) = centre_bounds(items);
    let scale: [f32; 3] = std::array::from_fn(|axis| {
        let extent = high[axis] - low[axis];
        // Slightly less than BINS, so that the highest centre falls into the last bin.
        if extent > 0.0 { (BINS as f32 * 0.999_99) / extent } else { 0.0 }
    });
    let mut bins = [[Bin { bounds: PrimitiveBox::EMPTY, count: 0 }; BINS]; 3];
    for item in items.iter() {
        for axis in 0..3 {
            let bin = &mut bins[axis][bin_of(item, axis, &low, &scale)];
            bin.bounds.grow(&item.bounds);
            bin.count += 1;
        }
    }
    let mut best: Option<(f32, usize, usize)> = None;
    for axis in (0..3).filter(|&axis| scale[axis] > 0.0 && scale[axis].is_finite()) {
        let mut right_cost = [0.0_f32; BINS];
        let (mut bounds, mut count) = (PrimitiveBox::EMPTY, 0);
        for boundary in (1..BINS).rev() {
            bounds.grow(&bins[axis][boundary].bounds);
            count += bins[axis][boundary].count;
            right_cost[boundary] = cost(&bounds, count);
        }
        let (mut bounds, mut count) = (PrimitiveBox::EMPTY, 0);
        for boundary in 1..BINS {
            bounds.grow(&bins[axis][boundary - 1].bounds);
            count += bins[axis][boundary - 1].count;
            let separates = count > 0 && (count as usize) < items.len();
            let total = cost(&bounds, count) + right_cost[boundary];
            if separates && best.is_none_or(|(cheapest, ..)| total < cheapest) {
                best = Some((total, axis, boundary));
            }
        }
    }
    let (_, axis, boundary) = best?;
    Some(partition(items, |item| bin_of(item, axis, &low, &scale) < boundary))
}

/// Half area times number of packs: a partly filled leaf costs as much as a full one.
fn cost(bounds: &PrimitiveBox, count: u32) -> f32 {
    bounds.half_area() * count.div_ceil(LEAF as u32) as f32
}

#[inline]
fn bin_of(item: &Item, axis: usize, low: &[f32; 3], scale: &[f32; 3]) -> usize {
    (((item.bounds.doubled_centre(axis) - low[axis]) * scale[axis]) as usize).min(BINS - 1)
}

fn partition(items: &mut [Item], is_left: impl Fn(&Item) -> bool) -> usize {
    let mut left = 0;
    let mut right = items.len();
    while left < right {
        if is_left(&items[left]) {
            left += 1;
        } else {
            right -= 1;
            items.swap(left, right);
        }
    }
    left
}

/// Appends a node with `children`, and all their descendants, to the tree; returns the index of the node.
fn flatten(children: Vec<(PrimitiveBox, Subtree)>, tree: &mut Tree) -> u32 {
    let index = tree.nodes.len();
    let mut node = Node { min: [[f32::INFINITY; 8]; 3], max: [[f32::NEG_INFINITY; 8]; 3], children: [NO_CHILD; 8] };
    for (slot, (bounds, _)) in children.iter().enumerate() {
        for axis in 0..3 {
            node.min[axis][slot] = bounds.min[axis];
            node.max[axis][slot] = bounds.max[axis];
        }
    }
    tree.nodes.push(node);
    for (slot, (_, child)) in children.into_iter().enumerate() {
        let code = match child {
            Subtree::Leaf { start } => {
                tree.pack_starts.push(start);
                LEAF_BIT | (tree.pack_starts.len() as u32 - 1)
            }
            Subtree::Node(grandchildren) => flatten(grandchildren, tree),
        };
        tree.nodes[index].children[slot] = code;
    }
    index as u32
}
