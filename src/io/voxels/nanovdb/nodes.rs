//! The nodes of a level set: leaves of 8³ voxels, below lower nodes of 16³ entries, below upper ones of 32³ entries.

use std::collections::BTreeMap;
use std::io::Write;

use bytemuck::bytes_of;

use super::{BLOCK, BLOCK_VOXELS, Block, LevelSet, Tile};
use base::{Result, UserError};
use bytemuck::Zeroable;

/// Binary logarithm of the voxels per axis of a leaf, of a lower and of an upper node.
const LEAF_BITS: u32 = 3;
const LOWER_BITS: u32 = 7;
const UPPER_BITS: u32 = 12;

/// Sizes, bytes: the box, flags, masks, four statistics, padding and the table of each.
pub(super) const LEAF_BYTES: usize = 16 + BLOCK_VOXELS / 8 + 16 + 4 * BLOCK_VOXELS;
pub(super) const LOWER_BYTES: usize = node_bytes(LOWER_BITS - LEAF_BITS);
pub(super) const UPPER_BYTES: usize = node_bytes(UPPER_BITS - LOWER_BITS);

/// Size of a node of `2^bits` entries per axis; its table begins at a multiple of 32 bytes.
const fn node_bytes(bits: u32) -> usize {
    let entries: usize = 1 << (3 * bits);
    (32 + 2 * entries / 8 + 16).next_multiple_of(32) + 8 * entries
}

/// What a node holds of active voxels: its box, and their least and greatest values.
#[derive(Clone, Copy)]
struct Content {
    low: [i32; 3],
    high: [i32; 3],
    range: (f32, f32),
}

impl Content {
    const NONE: Self = Self { low: [i32::MAX; 3], high: [i32::MIN; 3], range: (f32::MAX, f32::MIN) };

    fn with(self, other: &Self) -> Self {
        let each = |a: [i32; 3], b: [i32; 3], of: fn(i32, i32) -> i32| {
            let ([a0, a1, a2], [b0, b1, b2]) = (a, b);
            [of(a0, b0), of(a1, b1), of(a2, b2)]
        };
        Self {
            low: each(self.low, other.low, i32::min),
            high: each(self.high, other.high, i32::max),
            range: (self.range.0.min(other.range.0), self.range.1.max(other.range.1)),
        }
    }
}

pub(super) struct Leaf<'a> {
    block: &'a Block,
    mask: [u64; BLOCK_VOXELS / 64],
    content: Content,
}

/// An inner node: its children by entry, and the entries without a child that are inside.
pub(super) struct Node {
    content: Content,
    /// Number of each child in its level, by entry.
    children: BTreeMap<u32, usize>,
    inside: Vec<bool>,
}

/// All nodes, each level in the order of its keys.
pub(super) struct Nodes<'a> {
    pub leaves: Vec<Leaf<'a>>,
    pub lowers: Vec<Node>,
    pub uppers: Vec<Node>,
    /// Entries of the root; those with a child in the order of the upper nodes.
    pub tiles: Vec<Tile>,
    pub active: u64,
    pub index_box: [i32; 6],
    pub range: (f32, f32),
}

/// The cube of `2^bits` voxels per axis that contains a voxel.
fn key([x, y, z]: [i32; 3], bits: u32) -> [i32; 3] {
    [x >> bits, y >> bits, z >> bits]
}

/// The entry of a node of `2^outer` voxels per axis that contains a voxel, given those of its children.
fn entry([x, y, z]: [i32; 3], outer: u32, inner: u32) -> u32 {
    let of = |index: i32| (index >> inner & ((1 << (outer - inner)) - 1)) as u32;
    let bits = outer - inner;
    of(x) << (2 * bits) | of(y) << bits | of(z)
}

impl<'a> Leaf<'a> {
    /// `None` without an active voxel.
    fn of(block: &'a Block, band_mm: f32) -> Option<Self> {
        let (mut mask, mut content) = ([0_u64; BLOCK_VOXELS / 64], Content::NONE);
        for (number, &value) in block.distances_mm.iter().enumerate().filter(|(_, value)| value.abs() < band_mm) {
            if let Some(word) = mask.get_mut(number / 64) {
                *word |= 1 << (number % 64);
            }
            let [x, y, z] = block.min;
            let own = number as i32;
            let voxel = [x + own / 64, y + own / 8 % 8, z + own % 8];
            content = content.with(&Content { low: voxel, high: voxel, range: (value, value) });
        }
        mask.iter().any(|word| *word != 0).then_some(Self { block, mask, content })
    }

    fn write(&self, writer: &mut impl Write) -> std::io::Result<()> {
        let Content { low, high, range: (least, greatest) } = self.content;
        let ([a0, a1, a2], [b0, b1, b2]) = (low, high);
        writer.write_all(bytes_of(&low))?;
        // Bit 1: the box is set.
        writer.write_all(&[(b0 - a0) as u8, (b1 - a1) as u8, (b2 - a2) as u8, 2])?;
        writer.write_all(bytes_of(&self.mask))?;
        writer.write_all(bytes_of(&[least, greatest, 0.0, 0.0]))?;
        writer.write_all(bytemuck::cast_slice(self.block.distances_mm.as_slice()))
    }
}

impl Node {
    /// The nodes of a level above `children`, which are given with their keys in voxels, in the order of keys; with each
    /// its key.
    fn level(
        children: impl Iterator<Item = ([i32; 3], Content)>,
        outer: u32,
        inner: u32,
        is_inside: impl Fn([i32; 3]) -> bool,
    ) -> Vec<([i32; 3], Self)> {
        let mut nodes: BTreeMap<[i32; 3], Self> = BTreeMap::new();
        let entries = 1_usize << (3 * (outer - inner));
        for (number, (min, content)) in children.enumerate() {
            let node = nodes.entry(key(min, outer)).or_insert_with(|| Self {
                content: Content::NONE,
                children: BTreeMap::new(),
                inside: vec![false; entries],
            });
            node.content = node.content.with(&content);
            node.children.insert(entry(min, outer, inner), number);
        }
        for ([x, y, z], node) in &mut nodes {
            let (bits, mask) = (outer - inner, (1 << (outer - inner)) - 1);
            for (number, inside) in node.inside.iter_mut().enumerate() {
                let own = number as i32;
                let at = |corner: &i32, step: i32| (corner << outer) + ((step & mask) << inner);
                *inside = !node.children.contains_key(&(number as u32))
                    && is_inside([at(x, own >> (2 * bits)), at(y, own >> bits), at(z, own)]);
            }
        }
        nodes.into_iter().collect()
    }

    /// Writes the node; `offset_of` gives the distance of a child from it, bytes.
    fn write(&self, writer: &mut impl Write, band_mm: f32, offset_of: impl Fn(usize) -> i64) -> std::io::Result<()> {
        let Content { low, high, range: (least, greatest) } = self.content;
        writer.write_all(bytes_of(&[low, high]))?;
        writer.write_all(&[0; 8])?;
        // No entry is active by itself.
        writer.write_all(&vec![0; self.inside.len() / 8])?;
        let mut mask = vec![0_u8; self.inside.len() / 8];
        for number in self.children.keys() {
            if let Some(byte) = mask.get_mut(*number as usize / 8) {
                *byte |= 1 << (number % 8);
            }
        }
        writer.write_all(&mask)?;
        writer.write_all(bytes_of(&[least, greatest, 0.0, 0.0]))?;
        let before = 32 + 2 * mask.len() + 16;
        writer.write_all(&vec![0; before.next_multiple_of(32) - before])?;
        for (number, inside) in self.inside.iter().enumerate() {
            match self.children.get(&(number as u32)) {
                Some(child) => writer.write_all(bytes_of(&offset_of(*child)))?,
                None => {
                    let value = if *inside { -band_mm } else { band_mm };
                    writer.write_all(bytes_of(&[value.to_bits(), 0]))?;
                }
            }
        }
        Ok(())
    }
}

impl<'a> Nodes<'a> {
    pub fn of(set: &'a LevelSet<'_>, is_inside: impl Fn([i32; 3]) -> bool) -> Result<Self> {
        let mut leaves: Vec<Leaf<'_>> = set.blocks.iter().filter_map(|block| Leaf::of(block, set.band_mm)).collect();
        if leaves.len() > u32::MAX as usize {
            return Err(UserError::usage("This level set has more blocks than NanoVDB can number."));
        }
        let order = |min: [i32; 3]| (key(min, UPPER_BITS), key(min, LOWER_BITS), min);
        leaves.sort_by_key(|leaf| order(leaf.block.min));
        let keyed = leaves.iter().map(|leaf| (leaf.block.min, leaf.content));
        let mut lowers = Node::level(keyed, LOWER_BITS, LEAF_BITS, &is_inside);
        let first = |key: &[i32; 3], bits: u32| key.map(|index| index << bits);
        lowers.sort_by_key(|(key, _)| order(first(key, LOWER_BITS)));
        let keyed = lowers.iter().map(|(key, node)| (first(key, LOWER_BITS), node.content));
        let uppers = Node::level(keyed, UPPER_BITS, LOWER_BITS, &is_inside);
        let content = uppers.iter().fold(Content::NONE, |content, (_, node)| content.with(&node.content));
        let tiles = tiles(set, &uppers, &is_inside);
        let ([a0, a1, a2], [b0, b1, b2]) = (content.low, content.high);
        Ok(Self {
            active: leaves.iter().flat_map(|leaf| leaf.mask).map(|word| u64::from(word.count_ones())).sum(),
            leaves,
            lowers: lowers.into_iter().map(|(_, node)| node).collect(),
            uppers: uppers.into_iter().map(|(_, node)| node).collect(),
            tiles,
            index_box: [a0, a1, a2, b0, b1, b2],
            range: content.range,
        })
    }

    /// Writes all that follows the root, which takes `root_bytes` without its entries.
    pub fn write(&self, writer: &mut impl Write, set: &LevelSet<'_>, root_bytes: usize) -> std::io::Result<()> {
        let table = self.tiles.len() * size_of::<Tile>();
        let mut next = (root_bytes + table) as i64;
        for tile in &self.tiles {
            // A child is marked by any offset; its own follows from its index.
            let child = if tile.child != 0 { next } else { 0 };
            next += if tile.child != 0 { UPPER_BYTES as i64 } else { 0 };
            writer.write_all(bytes_of(&Tile { child, ..*tile }))?;
        }
        let below = |number: usize, count: usize, own: usize, children: usize| {
            let rest = ((count - number) * own) as i64;
            move |child: usize| rest + (child * children) as i64
        };
        for (number, node) in self.uppers.iter().enumerate() {
            let offset_of = below(number, self.uppers.len(), UPPER_BYTES, LOWER_BYTES);
            node.write(writer, set.band_mm, offset_of)?;
        }
        for (number, node) in self.lowers.iter().enumerate() {
            let offset_of = below(number, self.lowers.len(), LOWER_BYTES, LEAF_BYTES);
            node.write(writer, set.band_mm, offset_of)?;
        }
        self.leaves.iter().try_for_each(|leaf| leaf.write(writer))
    }
}

/// The entries of the root: the upper nodes, and where all of one lies inside, that side.
fn tiles(set: &LevelSet<'_>, uppers: &[([i32; 3], Node)], is_inside: impl Fn([i32; 3]) -> bool) -> Vec<Tile> {
    let has_node: BTreeMap<[i32; 3], ()> = uppers.iter().map(|(key, _)| (*key, ())).collect();
    let last = (set.lattice.voxels.max(1) - 1) as i32 >> UPPER_BITS;
    let mut tiles = Vec::new();
    for x in 0..=last {
        for y in 0..=last {
            for z in 0..=last {
                let has_child = has_node.contains_key(&[x, y, z]);
                if !has_child && !is_inside([x << UPPER_BITS, y << UPPER_BITS, z << UPPER_BITS]) {
                    continue;
                }
                let value = if has_child { 0.0 } else { -set.band_mm };
                let key = z as u64 | (y as u64) << 21 | (x as u64) << 42;
                tiles.push(Tile { key, child: i64::from(has_child), value, ..Tile::zeroed() });
            }
        }
    }
    tiles
}

const _: () = assert!(LEAF_BYTES == 2144 && LOWER_BYTES == 33_856 && UPPER_BYTES == 270_400 && BLOCK == 8);
