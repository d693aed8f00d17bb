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
