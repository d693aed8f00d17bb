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

// Code of the cell without children that contains a voxel; empty outside the domain.
__device__ inline u32 cell_at(const Tree& tree, int x, int y, int z) {
    u32 bits = tree.branching_bits * tree.height + tree.leaf_bits;
    if (((u32)x | (u32)y | (u32)z) >> (bits + tree.root_bits)) return cell_code(CELL_EMPTY, 0);
    u32 code = tree.levels[0][index_in(x, y, z, bits, tree.root_bits)];
    for (u32 level = 1; code >> 30 == CELL_BRANCH; level++) {
        bits -= tree.branching_bits;
        code = tree.levels[level][(code & CELL_INDEX) + index_in(x, y, z, bits, tree.branching_bits)];
    }
    return code;
}

// The column along z through a voxel [x, y] of a cell without children, within the extent of a leaf.
__device__ inline u32 column_in(const Tree& tree, u32 code, int x, int y) {
    u32 edge = 1u << tree.leaf_bits;
    if (code >> 30 == CELL_FULL) return (1u << edge) - 1;
    if (code >> 30 == CELL_EMPTY) return 0;
    return leaf_column(tree, code & CELL_INDEX, ((u32)y & (edge - 1)) << tree.leaf_bits | ((u32)x & (edge - 1)));
}

// The column along z that contains a voxel, within the extent of a leaf; zero outside the domain.
__device__ inline u32 column_of(const Tree& tree, int x, int y, int z) {
    return column_in(tree, cell_at(tree, x, y, z), x, y);
}

// Bit n of 16 bits at bit 2 n.
__device__ inline u32 spaced(u32 bits) {
    bits = (bits | bits << 8) & 0x00FF00FFu;
    bits = (bits | bits << 4) & 0x0F0F0F0Fu;
    bits = (bits | bits << 2) & 0x33333333u;
    return (bits | bits << 1) & 0x55555555u;
}

// Inverse of `spaced`; odd bits are ignored.
__device__ inline u32 gathered(u32 bits) {
    bits &= 0x55555555u;
    bits = (bits | bits >> 1) & 0x33333333u;
    bits = (bits | bits >> 2) & 0x0F0F0F0Fu;
    bits = (bits | bits >> 4) & 0x00FF00FFu;
    return (bits | bits >> 8) & 0x0000FFFFu;
}

// State of the cell without children that contains a voxel.
__device__ inline u32 state_at(const Tree& tree, int x, int y, int z) { return cell_at(tree, x, y, z) >> 30; }

// A walk through the cells below a root cell.
struct Descent {
    const Tree& tree;
    u32 code;               // of the cell that was reached last
    int3 min;               // its first voxel
    int edge;               // its voxels per axis
    u32 depth;              // of the cell whose children are being reached, and 1
    u32 first[MAX_LEVELS];  // its first child, by depth
    u32 done[MAX_LEVELS];   // its children reached
    int3 mins[MAX_LEVELS];  // its first voxel

    // `branch` is a root cell with children.
    __device__ inline Descent(const Tree& of, u32 branch, int3 corner) : tree(of), code(branch), min(corner), depth(0) {
        edge = 1 << (of.branching_bits * of.height + of.leaf_bits);
        enter();
    }

    // Goes on with the children of the cell reached last.
    __device__ inline void enter() {
        first[depth] = code & CELL_INDEX;
        done[depth] = 0;
        mins[depth] = min;
        depth++;
    }

    // Reaches the next cell, of the children of one those first that are on the side of `voxel`; false if there is none.
    __device__ inline bool next(int3 voxel) {
        u32 width = tree.branching_bits, mask = (1u << width) - 1;
        while (depth > 0 && done[depth - 1] >> 3 * width) depth--;
        if (depth == 0) return false;
        u32 level = depth - 1, own = done[level]++;
        edge = 1 << (width * (tree.height - depth) + tree.leaf_bits);
        int half = edge << width >> 1;
        int3 corner = mins[level];
        u32 x = own & mask, y = own >> width & mask, z = own >> 2 * width;
        if (voxel.x >= corner.x + half) x = mask - x;
        if (voxel.y >= corner.y + half) y = mask - y;
        if (voxel.z >= corner.z + half) z = mask - z;
        min = {corner.x + (int)x * edge, corner.y + (int)y * edge, corner.z + (int)z * edge};
        code = tree.levels[depth][first[level] + (x | y << width | z << 2 * width)];
        return true;
    }
};

// Whether a leaf has a voxel from `low` to before `high`; both may lie outside the domain.
__device__ inline bool has_leaf_in(const Tree& tree, int3 low, int3 high) {
    int bits = (int)(tree.branching_bits * tree.height + tree.leaf_bits), roots = 1 << tree.root_bits;
    int3 from = {max(low.x >> bits, 0), max(low.y >> bits, 0), max(low.z >> bits, 0)};
    int3 to = {min((high.x - 1) >> bits, roots - 1), min((high.y - 1) >> bits, roots - 1),
               min((high.z - 1) >> bits, roots - 1)};
    for (int z = from.z; z <= to.z; z++) {
        for (int y = from.y; y <= to.y; y++) {
            for (int x = from.x; x <= to.x; x++) {
                u32 code = tree.levels[0][(z * roots + y) * roots + x];
                if (code >> 30 == CELL_BOUNDARY) return true;
                if (code >> 30 != CELL_BRANCH) continue;
                Descent descent(tree, code, {x << bits, y << bits, z << bits});
                while (descent.next(low)) {
                    int3 min = descent.min;
                    int edge = descent.edge;
                    bool overlaps = min.x < high.x && min.x + edge > low.x && min.y < high.y && min.y + edge > low.y &&
                                    min.z < high.z && min.z + edge > low.z;
                    if (!overlaps) continue;
                    if (descent.code >> 30 == CELL_BOUNDARY) return true;
                    if (descent.code >> 30 == CELL_BRANCH) descent.enter();
                }
            }
        }
    }
    return false;
}
