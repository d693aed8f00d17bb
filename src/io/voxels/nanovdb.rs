//! Level sets as NanoVDB files (`.nvdb`, format 32.6, uncompressed, float): signed distances near the surface in blocks
//! of 8³ voxels, under two levels of nodes of 16³ and 32³ entries. The layout is that of the NanoVDB data structure
//! (Museth, "NanoVDB: a GPU-friendly and portable VDB data structure", SIGGRAPH 2021) as its headers publish it.

mod nodes;

use std::io::Write;
use std::path::Path;

use bytemuck::{Pod, Zeroable};

use crate::atomic;
use base::{Result, UserError};
use geometry::Point;
use geometry::voxels::Lattice;
use nodes::{LEAF_BYTES, LOWER_BYTES, Nodes, UPPER_BYTES};

/// Voxels per axis of a block.
pub const BLOCK: i32 = 8;
/// Voxels of a block.
pub const BLOCK_VOXELS: usize = 512;

/// Signed distances of the voxels of one block, mm.
pub struct Block {
    /// Its first voxel, a multiple of 8 in every coordinate.
    pub min: [i32; 3],
    /// Distances, z varies fastest; those beyond the band are the distance of the band.
    pub distances_mm: Box<[f32; BLOCK_VOXELS]>,
}

/// A level set: distances within a band around a surface, negative inside.
pub struct LevelSet<'a> {
    /// Name of the grid.
    pub name: &'a str,
    /// The voxels; distances are those of their centres.
    pub lattice: Lattice,
    /// Distance up to which distances are known, mm.
    pub band_mm: f32,
    /// The blocks that have a voxel within the band.
    pub blocks: Vec<Block>,
}

const MAGIC: u64 = u64::from_le_bytes(*b"NanoVDB0");
const GRID_MAGIC: u64 = u64::from_le_bytes(*b"NanoVDB1");
/// 32.6.0: eleven, eleven and ten bits.
const VERSION: u32 = 32 << 21 | 6 << 10;
/// Type float, class level set.
const FLOAT: u32 = 1;
const LEVEL_SET: u32 = 1;
/// Nodes have boxes, least and greatest values, and lie level by level.
const FLAGS: u32 = 1 << 1 | 1 << 2 | 1 << 5;
const NAME_BYTES: usize = 256;

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct FileHeader {
    magic: u64,
    version: u32,
    grids: u16,
    codec: u16,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct FileGrid {
    grid_bytes: u64,
    file_bytes: u64,
    name_key: u64,
    voxels: u64,
    kind: u32,
    class: u32,
    world_box: [f64; 6],
    index_box: [i32; 6],
    voxel_size: [f64; 3],
    name_bytes: u32,
    nodes: [u32; 4],
    tiles: [u32; 3],
    codec: u16,
    blind: u16,
    version: u32,
}

/// Index space to world space: matrix, its inverse, translation, taper.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Map {
    matrix: [f32; 9],
    inverse: [f32; 9],
    translation: [f32; 3],
    taper: f32,
    matrix_f64: [f64; 9],
    inverse_f64: [f64; 9],
    translation_f64: [f64; 3],
    taper_f64: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Grid {
    magic: u64,
    checksum: u64,
    version: u32,
    flags: u32,
    index: u32,
    count: u32,
    bytes: u64,
    name: [u8; NAME_BYTES],
    map: Map,
    world_box: [f64; 6],
    voxel_size: [f64; 3],
    class: u32,
    kind: u32,
    blind_offset: u64,
    blind: u32,
    unused: u32,
    values: u64,
    grid_magic: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Tree {
    /// Of leaves, lower and upper nodes and the root, from here.
    offsets: [u64; 4],
    /// Of leaves, lower and upper nodes.
    nodes: [u32; 3],
    tiles: [u32; 3],
    active: u64,
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Root {
    index_box: [i32; 6],
    tiles: u32,
    background: f32,
    least: f32,
    greatest: f32,
    mean: f32,
    deviation: f32,
    unused: [u32; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Tile {
    key: u64,
    child: i64,
    state: u32,
    value: f32,
    unused: u64,
}

/// Writes a level set. `is_inside` tells of a voxel without a block whether it is inside; voxels of one block that has no
/// distances are on one side. Returns an error if there are no blocks, or more than the format can number.
pub fn write(path: &Path, set: &LevelSet<'_>, is_inside: impl Fn([i32; 3]) -> bool) -> Result<()> {
    if set.blocks.is_empty() {
        return Err(UserError::usage(format!("{}: there is no surface to write.", path.display())));
    }
    let nodes = Nodes::of(set, is_inside)?;
    let [leaves, lowers, uppers] = [nodes.leaves.len(), nodes.lowers.len(), nodes.uppers.len()];
    let root_bytes = size_of::<Root>() + nodes.tiles.len() * size_of::<Tile>();
    let of_root = size_of::<Tree>();
    let of_uppers = of_root + root_bytes;
    let of_lowers = of_uppers + uppers * UPPER_BYTES;
    let of_leaves = of_lowers + lowers * LOWER_BYTES;
    let grid_bytes = (size_of::<Grid>() + of_leaves + leaves * LEAF_BYTES) as u64;
    let tree = Tree {
        offsets: [of_leaves, of_lowers, of_uppers, of_root].map(|offset| offset as u64),
        nodes: [leaves, lowers, uppers].map(|count| count as u32),
        tiles: [0; 3],
        active: nodes.active,
    };
    let bytes = name_bytes(set.name);
    let (name, length) = (&bytes, bytes.iter().position(|byte| *byte == 0).unwrap_or(NAME_BYTES) + 1);
    let index_box = nodes.index_box;
    let grid = grid(set, grid_bytes, *name, &index_box);
    let head = FileHeader { magic: MAGIC, version: VERSION, grids: 1, codec: 0 };
    let meta = FileGrid {
        grid_bytes,
        file_bytes: grid_bytes,
        name_key: name_key(name),
        voxels: nodes.active,
        kind: FLOAT,
        class: LEVEL_SET,
        world_box: grid.world_box,
        index_box,
        voxel_size: grid.voxel_size,
        name_bytes: length as u32,
        nodes: [leaves, lowers, uppers, 1].map(|count| count as u32),
        tiles: [0; 3],
        codec: 0,
        blind: 0,
        version: VERSION,
    };
    let root = Root {
        index_box,
        tiles: nodes.tiles.len() as u32,
        background: set.band_mm,
        least: nodes.range.0,
        greatest: nodes.range.1,
        ..Root::zeroed()
    };
    atomic::write(path, |writer| {
        writer.write_all(bytemuck::bytes_of(&head))?;
        writer.write_all(bytemuck::bytes_of(&meta))?;
        writer.write_all(name.get(..length).unwrap_or(name))?;
        writer.write_all(bytemuck::bytes_of(&grid))?;
        writer.write_all(bytemuck::bytes_of(&tree))?;
        writer.write_all(bytemuck::bytes_of(&root))?;
        nodes.write(writer, set, size_of::<Root>())
    })
}

fn grid(set: &LevelSet<'_>, bytes: u64, name: [u8; NAME_BYTES], index_box: &[i32; 6]) -> Grid {
    let (lattice, size) = (set.lattice, set.lattice.voxel_mm);
    let diagonal = |value: f64| [value, 0.0, 0.0, 0.0, value, 0.0, 0.0, 0.0, value];
    // Indices of NanoVDB are those of samples, which are the centres of our voxels.
    let first: [f64; 3] = lattice.centre([0; 3]).into();
    let map = Map {
        matrix: diagonal(size).map(|value| value as f32),
        inverse: diagonal(1.0 / size).map(|value| value as f32),
        translation: first.map(|value| value as f32),
        taper: 1.0,
        matrix_f64: diagonal(size),
        inverse_f64: diagonal(1.0 / size),
        translation_f64: first,
        taper_f64: 1.0,
    };
    let [low, high] = box_ends(index_box);
    let corner = |voxel: [i32; 3], more: f64| -> Point {
        lattice.centre([0; 3]) + geometry::Vector::from(voxel.map(|index| (f64::from(index) + more) * size))
    };
    let (from, to) = (corner(low, 0.0), corner(high, 1.0));
    Grid {
        magic: MAGIC,
        checksum: u64::MAX,
        version: VERSION,
        flags: FLAGS,
        index: 0,
        count: 1,
        bytes,
        name,
        map,
        world_box: [from.x, from.y, from.z, to.x, to.y, to.z],
        voxel_size: [size; 3],
        class: LEVEL_SET,
        kind: FLOAT,
        blind_offset: bytes,
        blind: 0,
        unused: 0,
        values: 0,
        grid_magic: GRID_MAGIC,
    }
}

/// First and last voxel of a box.
fn box_ends(ends: &[i32; 6]) -> [[i32; 3]; 2] {
    let [a, b, c, d, e, f] = *ends;
    [[a, b, c], [d, e, f]]
}

/// A name of at most 255 bytes, zeros after it.
fn name_bytes(name: &str) -> [u8; NAME_BYTES] {
    let mut bytes = [0; NAME_BYTES];
    let length = (0..NAME_BYTES).rev().find(|&length| name.is_char_boundary(length)).unwrap_or(0);
    bytes.iter_mut().zip(name.bytes().take(length)).for_each(|(to, from)| *to = from);
    bytes
}

/// The key by which files are searched for a name.
fn name_key(name: &[u8]) -> u64 {
    name.iter()
        .take_while(|byte| **byte != 0)
        .fold(0_u64, |key, &byte| key.wrapping_mul(67).wrapping_add(u64::from(byte) + (key >> 56)))
}

#[cfg(test)]
mod tests;
