// Distances of the active voxels of one volume from the nearest active voxels of another. Counterpart of
// compute/cpu/voxel_error.rs.
#include "lib/voxels.cuh"

// One bit for each active voxel. `count` words are written.
extern "C" __global__ void active_bits(const u32* words, u32 count, u32* bits) {
    u32 i = thread_index();
    if (i >= count) return;
    u32 low = words[2 * i], high = words[2 * i + 1];
    bits[i] = gathered(low & ~(low >> 1)) | gathered(high & ~(high >> 1)) << 16;
}

// Distance along an axis from a voxel to the voxels `min` to `min + edge - 1`.
__device__ inline u32 away(int voxel, int min, int edge) {
    return (u32)max(max(min - voxel, voxel - (min + edge - 1)), 0);
}

__device__ inline u64 away_squared(int3 voxel, int3 min, int edge) {
    u64 x = away(voxel.x, min.x, edge), y = away(voxel.y, min.y, edge), z = away(voxel.z, min.z, edge);
    return x * x + y * y + z * z;
}

__device__ inline void search_leaf(const Tree& tree, u32 leaf, int3 min, int3 voxel, u64& best) {
    int edge = 1 << tree.leaf_bits;
    for (int y = 0; y < edge; y++) {
        int v = min.y + y - voxel.y;
        if ((u64)(v * v) >= best) continue;
        for (int x = 0; x < edge; x++) {
            int u = min.x + x - voxel.x;
            u64 across = (u64)(u * u + v * v);
            if (across >= best) continue;
            for (u32 bits = leaf_column(tree, leaf, (u32)(y * edge + x)); bits; bits &= bits - 1) {
                int w = min.z + __ffs((int)bits) - 1 - voxel.z;
                u64 squared = across + (u64)(w * w);
                if (squared < best) best = squared;
            }
        }
    }
}

// Lowers `best` to the squared distance of the nearest active voxel in a root cell, if that is less.
__device__ inline void search_root(const Tree& tree, u32 code, int3 corner, int3 voxel, u64& best) {
    if (code >> 30 == CELL_BOUNDARY) search_leaf(tree, code & CELL_INDEX, corner, voxel, best);
    if (code >> 30 != CELL_BRANCH) return;
    Descent descent(tree, code, corner);
    while (descent.next(voxel)) {
        if (away_squared(voxel, descent.min, descent.edge) >= best) continue;
        u32 state = descent.code >> 30;
        if (state == CELL_BOUNDARY) search_leaf(tree, descent.code & CELL_INDEX, descent.min, voxel, best);
        if (state == CELL_BRANCH) descent.enter();
    }
}

// Squared distance of the nearest active voxel; `limit` if there is none nearer.
__device__ inline u64 nearest_squared(const Tree& tree, int3 voxel, u64 limit) {
    u64 best = limit;
    int edge = 1 << (tree.branching_bits * tree.height + tree.leaf_bits), roots = 1 << tree.root_bits;
    int reach = (int)ceil(sqrt((double)limit));
    int3 low = {max((voxel.x - reach) / edge, 0), max((voxel.y - reach) / edge, 0), max((voxel.z - reach) / edge, 0)};
    int3 high = {min((voxel.x + reach) / edge, roots - 1), min((voxel.y + reach) / edge, roots - 1),
                 min((voxel.z + reach) / edge, roots - 1)};
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            for (int x = low.x; x <= high.x; x++) {
                int3 corner = {x * edge, y * edge, z * edge};
                if (away_squared(voxel, corner, edge) >= best) continue;
                search_root(tree, tree.levels[0][(z * roots + y) * roots + x], corner, voxel, best);
            }
        }
    }
    return best;
}

// Counts the active voxels of leaves by their squared distance, those that have none within `limit` in the last bin;
// one thread per column. `limit` is the number of bins less one.
extern "C" __global__ void voxel_errors(Tree source, const uint4* leaves, const u32* active, u32 count, u32 limit,
                                        u32* counts) {
    u32 edge = 1u << source.leaf_bits, columns = edge * edge;
    u32 i = thread_index(), leaf = i / columns, column = i % columns;
    if (leaf >= count) return;
    u64 first = (u64)i << source.leaf_bits;
    u32 bits = active[first / 32] >> first % 32 & ((1u << edge) - 1);
    uint4 min = leaves[leaf];
    for (; bits; bits &= bits - 1) {
        int3 voxel = {(int)(min.x + column % edge), (int)(min.y + column / edge),
                      (int)min.z + __ffs((int)bits) - 1};
        atomicAdd(counts + nearest_squared(source, voxel, limit), 1u);
    }
}
