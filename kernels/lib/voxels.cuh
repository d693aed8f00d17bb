// Voxel trees on the device. Counterpart of geometry/voxels.
#pragma once
#include "vec.cuh"

// Cubic voxels; voxel [i, j, k] is the cube from origin + [i, j, k] * voxel_mm.
struct Lattice {
    Vec3 origin;
    double voxel_mm;
};

// A distance beyond that of everything, mm.
#define FAR_MM 1e18

// Centre of a cube of `edge` voxels, mm.
__device__ inline Vec3 centre_of(const Lattice& lattice, uint4 cube, u32 edge) {
    double half = 0.5 * (double)edge;
    return {lattice.origin.x + ((double)cube.x + half) * lattice.voxel_mm,
            lattice.origin.y + ((double)cube.y + half) * lattice.voxel_mm,
            lattice.origin.z + ((double)cube.z + half) * lattice.voxel_mm};
}

// State of a cell, in the upper two bits of its code; the others are the index of its leaf, or of its first child in the
// next level.
enum CellState : u32 { CELL_EMPTY = 0, CELL_BOUNDARY = 1, CELL_FULL = 2, CELL_BRANCH = 3 };

// Levels of the deepest tree.
#define MAX_LEVELS 16
#define CELL_INDEX 0x3FFFFFFFu

__device__ inline u32 cell_code(u32 state, u32 index) { return state << 30 | index; }

// A tree whose leaves hold one bit per voxel: whether it is in the volume. Voxel [x, y, z] of a leaf of L voxels per
// axis is bit (y L + x) L + z.
struct Tree {
    const u32* levels[MAX_LEVELS];  // codes of the cells of each level, the root grid first
    const u32* bits;
    u32 root_bits;      // binary logarithm of the cells per axis of the root grid
    u32 branching_bits;
    u32 leaf_bits;
    u32 height;
};

// Column `column` of a leaf.
__device__ inline u32 leaf_column(const Tree& tree, u32 leaf, u32 column) {
    u32 edge = 1u << tree.leaf_bits;
    u64 first = ((u64)leaf << 2 * tree.leaf_bits | column) << tree.leaf_bits;
    return tree.bits[first / 32] >> first % 32 & ((1u << edge) - 1);
}

__device__ inline u32 index_in(int x, int y, int z, u32 bits, u32 width) {
    u32 mask = (1u << width) - 1;
    return ((u32)x >> bits & mask) | ((u32)y >> bits & mask) << width | ((u32)z >> bits & mask) << 2 * width;
}

// The column along z that contains a voxel, within the extent of a leaf; zero outside the domain.
__device__ inline u32 column_of(const Tree& tree, int x, int y, int z) {
    u32 bits = tree.branching_bits * tree.height + tree.leaf_bits;
    u32 edge = 1u << tree.leaf_bits;
    if (((u32)x | (u32)y | (u32)z) >> (bits + tree.root_bits)) return 0;
    u32 code = tree.levels[0][index_in(x, y, z, bits, tree.root_bits)];
    for (u32 level = 1; code >> 30 == CELL_BRANCH; level++) {
        bits -= tree.branching_bits;
        code = tree.levels[level][(code & CELL_INDEX) + index_in(x, y, z, bits, tree.branching_bits)];
    }
    if (code >> 30 == CELL_FULL) return (1u << edge) - 1;
    if (code >> 30 == CELL_EMPTY) return 0;
    return leaf_column(tree, code & CELL_INDEX, ((u32)y & (edge - 1)) << tree.leaf_bits | ((u32)x & (edge - 1)));
}

// Bit n of 16 bits at bit 2 n.
__device__ inline u32 spaced(u32 bits) {
    bits = (bits | bits << 8) & 0x00FF00FFu;
    bits = (bits | bits << 4) & 0x0F0F0F0Fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}
