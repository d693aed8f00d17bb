// Dilations and erosions of voxel volumes by templates, a column of voxels at a time. Counterpart of
// compute/cpu/morphological_offset.rs, with the same voxels.
#include "lib/voxels.cuh"

struct Template {
    const int* voxels;  // x, y, z of each, from the voxel that is decided
    u32 count;
    u32 is_erosion;
    int reach;          // largest coordinate
    u32 pad;
};

// One bit a voxel from two: whether it is in the volume, for an erosion whether it is full. `count` words are written.
extern "C" __global__ void template_bits(const u32* words, u32 count, u32 is_erosion, u32* bits) {
    u32 i = thread_index();
    if (i >= count) return;
    u32 low = words[2 * i], high = words[2 * i + 1];
    low = is_erosion ? low >> 1 : low | low >> 1;
    high = is_erosion ? high >> 1 : high | high >> 1;
    bits[i] = gathered(low) | gathered(high) << 16;
}

// Codes of the cells of a level, without the indices of those that are divided; is_open[i] is 1 for those: leaves of the
// volume lie within reach of them.
extern "C" __global__ void template_cells(Tree tree, Template shape, const uint4* cubes, u32 count, u32 edge, u32* codes,
                                          u32* is_open) {
    u32 i = thread_index();
    if (i >= count) return;
    uint4 cube = cubes[i];
    u32 state = state_at(tree, (int)cube.x, (int)cube.y, (int)cube.z);
    // Erosion: the neighbours of its voxels decide whether they are skin.
    int reach = shape.reach + (shape.is_erosion && state == CELL_FULL ? 1 : 0);
    int3 low = {(int)cube.x - reach, (int)cube.y - reach, (int)cube.z - reach};
    int across = (int)edge + 2 * reach;
    u32 is_near = has_leaf_in(tree, low, {low.x + across, low.y + across, low.z + across});
    codes[i] = cell_code(is_near ? CELL_BRANCH : state, 0);
    is_open[i] = is_near;
}

// The bits of a column that begins at any voxel.
__device__ inline u32 window(const Tree& tree, int x, int y, int z) {
    int edge = 1 << tree.leaf_bits, above = z & (edge - 1), base = z - above;
    u32 low = column_of(tree, x, y, base);
    if (above == 0) return low;
    u32 high = column_of(tree, x, y, base + edge);
    return (low >> above | high << (edge - above)) & ((1u << edge) - 1);
}

// Moves the template over the voxels of leaves `first` to `first + count`, one thread per column.
extern "C" __global__ void template_filter(Tree tree, Template shape, const uint4* leaves, u32 first, u32 count,
                                           u32* bits) {
    u32 edge = 1u << tree.leaf_bits, columns = edge * edge;
    u32 i = thread_index(), column = i % columns;
    if (i / columns >= count) return;
    u32 leaf = first + i / columns;
    uint4 min = leaves[leaf];
    int x = (int)(min.x + column % edge), y = (int)(min.y + column / edge), z = (int)min.z;
    u32 all = (1u << edge) - 1;
    // An erosion is the dilation of what is not full.
    u32 flip = shape.is_erosion ? all : 0;
    u32 reached = column_of(tree, x, y, z) ^ flip;
    for (u32 k = 0; k < shape.count && reached != all; k++) {
        const int* voxel = shape.voxels + 3 * k;
        reached |= window(tree, x + voxel[0], y + voxel[1], z + voxel[2]) ^ flip;
    }
    u32 in_volume = reached ^ flip, at = leaf * columns + column;
    if (edge == 16) ((unsigned short*)bits)[at] = (unsigned short)in_volume;
    else ((u8*)bits)[at] = (u8)in_volume;
}

// Voxels along an edge of the region around a leaf that a small template reaches, and leaves: it may begin within one.
#define REGION 64u
#define REGION_LEAVES (REGION / 8u + 1u)
// Threads of a block of `template_filter_near`: the columns of the largest leaf.
#define NEAR_THREADS 256u
// Voxels of the template that each thread looks up in the tree; they decide on most leaves.
#define LOOKED_UP 4u

// As `template_filter`, for templates that reach no farther than (REGION - L) / 2: each block holds the voxels around one
// leaf, a word per column. Groups of threads share the voxels of the template.
extern "C" __global__ void __launch_bounds__(NEAR_THREADS)
    template_filter_near(Tree tree, Template shape, const uint4* leaves, u32 first, u32* bits) {
    __shared__ u64 region[REGION * REGION];
    __shared__ u32 codes[REGION_LEAVES * REGION_LEAVES * REGION_LEAVES];
    __shared__ u32 reached[NEAR_THREADS];
    __shared__ u32 is_open;
    u32 edge = 1u << tree.leaf_bits, columns = edge * edge, all = (1u << edge) - 1;
    u32 leaf = first + blockIdx.x, groups = NEAR_THREADS / columns;
    u32 column = threadIdx.x % columns, group = threadIdx.x / columns;
    uint4 corner = leaves[leaf];
    int x = (int)(corner.x + column % edge), y = (int)(corner.y + column / edge), z = (int)corner.z;
    // An erosion is the dilation of what is not full.
    u32 flip = shape.is_erosion ? all : 0;
    if (group == 0) reached[column] = column_of(tree, x, y, z) ^ flip;
    if (threadIdx.x == 0) is_open = 0;
    __syncthreads();
    u32 own = 0, looked_up = min(shape.count, LOOKED_UP * groups);
    for (u32 k = group; k < looked_up; k += groups) {
        const int* voxel = shape.voxels + 3 * k;
        own |= window(tree, x + voxel[0], y + voxel[1], z + voxel[2]) ^ flip;
    }
    atomicOr(&reached[column], own);
    __syncthreads();
    if (reached[column] != all) is_open = 1;
    __syncthreads();
    if (is_open) {
        int span = (int)edge + 2 * shape.reach, leaf_bits = (int)tree.leaf_bits;
        int3 low = {(int)corner.x - shape.reach, (int)corner.y - shape.reach, (int)corner.z - shape.reach};
        int3 from = {low.x >> leaf_bits, low.y >> leaf_bits, low.z >> leaf_bits};
        u32 across = (u32)((low.x + span - 1) >> leaf_bits) - (u32)from.x + 1;
        for (u32 i = threadIdx.x; i < across * across * across; i += NEAR_THREADS) {
            int u = (int)(i % across), v = (int)(i / across % across), w = (int)(i / (across * across));
            codes[i] = cell_at(tree, (from.x + u) << leaf_bits, (from.y + v) << leaf_bits, (from.z + w) << leaf_bits);
        }
        __syncthreads();
        for (int i = (int)threadIdx.x; i < span * span; i += (int)NEAR_THREADS) {
            int u = low.x + i % span, v = low.y + i / span;
            u32 at = (u32)((v >> leaf_bits) - from.y) * across + (u32)((u >> leaf_bits) - from.x);
            u64 word = 0;
            int shift = (from.z << leaf_bits) - low.z;
            for (u32 w = 0; w < across; w++, shift += (int)edge) {
                u64 part = column_in(tree, codes[w * across * across + at], u, v) ^ flip;
                word |= shift < 0 ? part >> -shift : part << shift;
            }
            region[i] = word;
        }
        __syncthreads();
        own = reached[column];
        int start = (int)(column / edge + (u32)shape.reach) * span + (int)(column % edge) + shape.reach;
        for (u32 k = looked_up + group; k < shape.count && own != all; k += 4 * groups) {
            #pragma unroll
            for (u32 step = 0; step < 4; step++) {
                const int* voxel = shape.voxels + 3 * min(k + step * groups, shape.count - 1);
                own |= (u32)(region[start + voxel[1] * span + voxel[0]] >> (voxel[2] + shape.reach)) & all;
            }
        }
        atomicOr(&reached[column], own);
        __syncthreads();
    }
    if (group > 0) return;
    u32 in_volume = reached[column] ^ flip, at = leaf * columns + column;
    if (edge == 16) ((unsigned short*)bits)[at] = (unsigned short)in_volume;
    else ((u8*)bits)[at] = (u8)in_volume;
}
