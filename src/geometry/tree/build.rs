//! Builds the tree top-down: ranges of primitives are split in two until they fit a leaf, and eight such ranges at a
//! time become the children of a node. Ranges are worked on in parallel; the result does not depend on it.

use super::{LEAF, LEAF_BIT, NO_CHILD, Node, PrimitiveBox, Tree};

/// How a range of primitives is split in two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitRule {
    /// Surface-area heuristic over 16 bins (Wald 2007): best for triangles of mixed sizes.
    SurfaceArea,
    /// Halves along the longest side, the k-d tree's rule: best for points.
    Median,
}

const BINS: usize = 16;
/// Ranges longer than this are split on two threads.
const PARALLEL_ABOVE: usize = 8192;
/// Below this depth only medians are taken, so that no input makes the tree deep.
const DEEPEST_HEURISTIC: u32 = 48;

/// Builds a tree over `boxes`, about the same centre as they are.
pub fn build(boxes: &[PrimitiveBox], rule: SplitRule) -> Tree {
    if boxes.is_empty() {
        return Tree::default();
    }
    let mut items: Vec<Item> =
        boxes.iter().enumerate().map(|(i, bounds)| Item { bounds: *bounds, number: i as u32 }).collect();
    let root = build_range(&mut items, rule, 0, 0);
    let mut tree = Tree {
        nodes: Vec::with_capacity(boxes.len() / 20 + 1),
        order: items.iter().map(|item| item.number).collect(),
        pack_starts: Vec::with_capacity(boxes.len() / 5 + 1),
    };
    match root {
        // A single leaf still gets a node, so that searches have one shape.
        Built::Leaf { .. } => flatten(vec![(bounds_of(&items), root)], &mut tree),
        Built::Node(children) => flatten(children, &mut tree),
    };
    tree.pack_starts.push(boxes.len() as u32);
    tree
}

#[derive(Clone, Copy)]
struct Item {
    bounds: PrimitiveBox,
    number: u32,
}

enum Built {
    Leaf { start: u32 },
    Node(Vec<(PrimitiveBox, Built)>),
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

fn build_range(items: &mut [Item], rule: SplitRule, start: usize, depth: u32) -> Built {
    if items.len() <= LEAF {
        // Leaves in number order make ties cheap to settle and memory order repeatable.
        items.sort_unstable_by_key(|item| item.number);
        return Built::Leaf { start: start as u32 };
    }
    let bounds = bounds_of(items);
    let mut ranges = vec![Range { items, start, bounds }];
    while ranges.len() < 8 {
        // The widest child first; a range that fits a leaf is never split further.
        let Some(widest) = (0..ranges.len())
            .filter(|&i| ranges[i].items.len() > LEAF)
            .max_by(|&a, &b| weight(&ranges[a], rule).total_cmp(&weight(&ranges[b], rule)))
        else {
            break;
        };
        let range = ranges.swap_remove(widest);
        let (left, right) = split(range, if depth < DEEPEST_HEURISTIC { rule } else { SplitRule::Median });
        ranges.push(left);
        ranges.push(right);
    }
    ranges.sort_by_key(|range| range.start);
    Built::Node(build_children(ranges, rule, depth))
}

fn weight(range: &Range<'_>, rule: SplitRule) -> f32 {
    match rule {
        SplitRule::SurfaceArea => range.bounds.half_area(),
        SplitRule::Median => range.items.len() as f32,
    }
}

fn build_children(mut ranges: Vec<Range<'_>>, rule: SplitRule, depth: u32) -> Vec<(PrimitiveBox, Built)> {
    let total: usize = ranges.iter().map(|range| range.items.len()).sum();
    if ranges.len() == 1 || total <= PARALLEL_ABOVE {
        return ranges.into_iter().map(|r| (r.bounds, build_range(r.items, rule, r.start, depth + 1))).collect();
    }
    let right = ranges.split_off(ranges.len() / 2);
    let (mut left, mut right) =
        rayon::join(|| build_children(ranges, rule, depth), || build_children(right, rule, depth));
    left.append(&mut right);
    left
}

fn split(range: Range<'_>, rule: SplitRule) -> (Range<'_>, Range<'_>) {
    let middle = match rule {
        SplitRule::SurfaceArea => partition_by_area(range.items).unwrap_or_else(|| halve(range.items)),
        SplitRule::Median => halve(range.items),
    };
    let (left, right) = range.items.split_at_mut(middle);
    let (left_bounds, right_bounds) = if left.len() + right.len() > PARALLEL_ABOVE {
        rayon::join(|| bounds_of(left), || bounds_of(right))
    } else {
        (bounds_of(left), bounds_of(right))
    };
    (
        Range { start: range.start, bounds: left_bounds, items: left },
        Range { start: range.start + middle, bounds: right_bounds, items: right },
    )
}

/// Box of the primitives' middles: what a split can separate.
fn middles(items: &[Item]) -> ([f32; 3], [f32; 3]) {
    let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
    for item in items {
        for axis in 0..3 {
            let middle = item.bounds.middle(axis);
            low[axis] = low[axis].min(middle);
            high[axis] = high[axis].max(middle);
        }
    }
    (low, high)
}

fn halve(items: &mut [Item]) -> usize {
    let (low, high) = middles(items);
    let extent: [f32; 3] = std::array::from_fn(|axis| high[axis] - low[axis]);
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b])).unwrap_or(0);
    // Whole leaves on the left, so that packs come out full.
    let half = (items.len() / 2).next_multiple_of(LEAF).min(items.len() - 1);
    items.select_nth_unstable_by(half, |a, b| {
        a.bounds.middle(axis).total_cmp(&b.bounds.middle(axis)).then(a.number.cmp(&b.number))
    });
    half
}

#[derive(Clone, Copy)]
struct Bin {
    bounds: PrimitiveBox,
    count: u32,
}

/// Partitions at the cheapest of the bins' borders; `None` where no border separates anything.
fn partition_by_area(items: &mut [Item]) -> Option<usize> {
    let (low, high) = middles(items);
    let scale: [f32; 3] = std::array::from_fn(|axis| {
        let extent = high[axis] - low[axis];
        // A hair under BINS keeps the highest middle in the last bin.
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
        for border in (1..BINS).rev() {
            bounds.grow(&bins[axis][border].bounds);
            count += bins[axis][border].count;
            right_cost[border] = cost(&bounds, count);
        }
        let (mut bounds, mut count) = (PrimitiveBox::EMPTY, 0);
        for border in 1..BINS {
            bounds.grow(&bins[axis][border - 1].bounds);
            count += bins[axis][border - 1].count;
            let both_sides = count > 0 && (count as usize) < items.len();
            let total = cost(&bounds, count) + right_cost[border];
            if both_sides && best.is_none_or(|(cheapest, ..)| total < cheapest) {
                best = Some((total, axis, border));
            }
        }
    }
    let (_, axis, border) = best?;
    Some(partition(items, |item| bin_of(item, axis, &low, &scale) < border))
}

/// Area times packs: a leaf costs one pack, however full it is.
fn cost(bounds: &PrimitiveBox, count: u32) -> f32 {
    bounds.half_area() * count.div_ceil(LEAF as u32) as f32
}

#[inline]
fn bin_of(item: &Item, axis: usize, low: &[f32; 3], scale: &[f32; 3]) -> usize {
    (((item.bounds.middle(axis) - low[axis]) * scale[axis]) as usize).min(BINS - 1)
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

/// Lays the children of one node, and all below them, into the tree; returns the node's number.
fn flatten(children: Vec<(PrimitiveBox, Built)>, tree: &mut Tree) -> u32 {
    let number = tree.nodes.len();
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
            Built::Leaf { start } => {
                tree.pack_starts.push(start);
                LEAF_BIT | (tree.pack_starts.len() as u32 - 1)
            }
            Built::Node(grandchildren) => flatten(grandchildren, tree),
        };
        tree.nodes[number].children[slot] = code;
    }
    number as u32
}
