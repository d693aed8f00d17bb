// Offsets by exact distance: from the root grid down to voxels, cubes that bounds on the distance cannot decide are
// divided. Counterpart of compute/cpu/distance_offset.rs and compute/cpu/level_set.rs, with the same decision at every
// voxel.
#include "lib/surface.cuh"
#include "lib/voxels.cuh"

// Relative and absolute widening of bounds on distances, against rounding; ROUNDING of level_set.rs.
#define ROUNDING 1e-9

// The volume within a distance of a surface.
struct Offset {
    Lattice lattice;
    double distance_mm;
    u32 is_open;  // whether the surface encloses nothing
    u32 low[3];   // the voxels that are wanted: from here
    u32 high[3];  // to before here
    u32 pad;
};

// Cubes of one size: a level of the tree, or parts of its leaves.
struct Cubes {
    const uint4* cubes;     // first voxel; w: number of the leaf that a part is of
    const double* known;    // signed distance of the centre of the cube that each was divided from, mm; null for none
    double* signed_mm;      // of their centres
    u32 count;
    u32 edge;               // voxels per axis
    u32 outer_edge;         // of the cubes that they were divided from
    u32 pad;
};

// Greatest distance of the surface that the known one allows.
__device__ inline double limit_of(const Offset& offset, const Cubes& cubes, u32 i, Vec3 centre) {
    if (!cubes.known) return FAR_MM;
    uint4 cube = cubes.cubes[i];
    u32 mask = ~(cubes.outer_edge - 1);
    uint4 outer = {cube.x & mask, cube.y & mask, cube.z & mask, 0};
    Vec3 away = centre - centre_of(offset.lattice, outer, cubes.outer_edge);
    return (fabs(cubes.known[i]) + norm(away)) * (1.0 + ROUNDING) + ROUNDING;
}

extern "C" __global__ void offset_candidates(Surface surface, Offset offset, Cubes cubes, Candidates candidates) {
    u32 i = thread_index();
    if (i >= cubes.count) return;
    Vec3 centre = centre_of(offset.lattice, cubes.cubes[i], cubes.edge);
    list_candidates<PER_THREAD>(surface, centre, limit_of(offset, cubes, i, centre), i, candidates);
}

// Searches again where the candidates did not fit.
extern "C" __global__ void offset_settle(Surface surface, Offset offset, Cubes cubes, Candidates candidates) {
    u32 i = thread_index();
    if (i >= cubes.count || candidates.counts[i] != OVERFLOWED) return;
    Vec3 centre = centre_of(offset.lattice, cubes.cubes[i], cubes.edge);
    search_exactly(surface, centre, limit_of(offset, cubes, i, centre), i, candidates);
}

extern "C" __global__ void offset_distances(Surface surface, Offset offset, Cubes cubes, Candidates candidates) {
    u32 i = thread_index();
    if (i >= cubes.count) return;
    Vec3 centre = centre_of(offset.lattice, cubes.cubes[i], cubes.edge);
    double limit = limit_of(offset, cubes, i, centre);
    Hit hit = closest_hit(surface, centre, limit, i, candidates);
    double distance = limit;
    if (hit.facet != NONE) {
        distance = sqrt(hit.squared);
        bool is_inside = !offset.is_open && dot(pseudo_normal(surface, hit), centre - hit.point) < 0.0;
        if (is_inside) distance = -distance;
    }
    cubes.signed_mm[i] = distance;
}

enum Decision : u32 { OUT = 0, IN = 1, OPEN = 2 };

// What is known of the points within `reach_mm` of a centre.
__device__ inline u32 decision(const Offset& offset, double signed_mm, double reach_mm) {
    double above = signed_mm - offset.distance_mm;
    double margin = reach_mm * (1.0 + ROUNDING) + ROUNDING * offset.lattice.voxel_mm;
    return fabs(above) > margin ? (above < 0.0 ? IN : OUT) : OPEN;
}

// Greatest distance of a voxel centre of a cube from its centre.
__device__ inline double reach_of(const Offset& offset, u32 edge) {
    return 0.5 * sqrt(3.0) * (double)(edge - 1) * offset.lattice.voxel_mm;
}

// Whether a cube has neither a voxel that is wanted nor a neighbour of one.
__device__ inline bool is_unwanted(const Offset& offset, uint4 cube, u32 edge) {
    return cube.x + edge < offset.low[0] || cube.x > offset.high[0] || cube.y + edge < offset.low[1] ||
           cube.y > offset.high[1] || cube.z + edge < offset.low[2] || cube.z > offset.high[2];
}

// Codes of the cells of a level, without the indices of those that are divided; is_open[i] is 1 for those.
extern "C" __global__ void offset_cells(Offset offset, Cubes cubes, u32* codes, u32* is_open) {
    u32 i = thread_index();
    if (i >= cubes.count) return;
    // The neighbours of its voxels decide whether they are skin.
    double reach = reach_of(offset, cubes.edge) + offset.lattice.voxel_mm;
    u32 decided = decision(offset, cubes.signed_mm[i], reach);
    if (is_unwanted(offset, cubes.cubes[i], cubes.edge)) decided = OUT;
    codes[i] = cell_code(decided == IN ? CELL_FULL : decided == OUT ? CELL_EMPTY : CELL_BRANCH, 0);
    is_open[i] = decided == OPEN;
}

// The next level: the children of the open cells, one thread each; `known` may be null. `ranks` are the scanned flags
// of `offset_cells`. At the lowest level, `branching` is 1: each open cell is a leaf and its own only child.
extern "C" __global__ void offset_children(Cubes cubes, u32* codes, const u32* is_open, const u32* ranks,
                                           u32 branching, uint4* children, double* known) {
    u32 child = thread_index(), per_cell = branching * branching * branching;
    u32 i = child / per_cell, own = child % per_cell;
    if (i >= cubes.count || !is_open[i]) return;
    u32 rank = ranks[i], edge = cubes.edge / branching;
    if (own == 0) codes[i] = branching == 1 ? cell_code(CELL_BOUNDARY, rank)
                                            : cell_code(CELL_BRANCH, rank * per_cell);
    uint4 cube = cubes.cubes[i];
    u32 x = own % branching, y = own / branching % branching, z = own / (branching * branching);
    u32 at = rank * per_cell + own;
    children[at] = {cube.x + x * edge, cube.y + y * edge, cube.z + z * edge, rank};
    if (known) known[at] = cubes.signed_mm[i];
}

// Parts of leaves: those that are in the volume set their bits, open ones are divided into eight, which are appended.
// A single voxel is always decided.
extern "C" __global__ void offset_parts(Offset offset, Cubes cubes, u32 leaf_bits, u32* bits, uint4* parts,
                                        double* known, u32* count) {
    u32 i = thread_index();
    if (i >= cubes.count) return;
    uint4 cube = cubes.cubes[i];
    double signed_mm = cubes.signed_mm[i];
    u32 decided;
    if (cubes.edge == 1) {
        bool is_in = signed_mm < offset.distance_mm || (signed_mm == offset.distance_mm && offset.distance_mm >= 0.0);
        decided = is_in ? IN : OUT;
    } else {
        decided = decision(offset, signed_mm, reach_of(offset, cubes.edge));
    }
    if (decided == IN) {
        u32 mask = (1u << leaf_bits) - 1, x = cube.x & mask, y = cube.y & mask, z = cube.z & mask;
        for (u32 v = 0; v < cubes.edge; v++) {
            for (u32 u = 0; u < cubes.edge; u++) {
                u32 column = (y + v) << leaf_bits | (x + u);
                u32 first = column << leaf_bits | z;
                u64 word = ((u64)cube.w << 3 * leaf_bits | first) / 32;
                atomicOr(bits + word, ((1u << cubes.edge) - 1) << first % 32);
            }
        }
    } else if (decided == OPEN) {
        u32 at = atomicAdd(count, 8u), edge = cubes.edge / 2;
        for (u32 own = 0; own < 8; own++) {
            parts[at + own] = {cube.x + (own & 1) * edge, cube.y + (own >> 1 & 1) * edge, cube.z + (own >> 2) * edge,
                               cube.w};
            known[at + own] = signed_mm;
        }
    }
}

// The voxels of the leaves: full where all six neighbours are in the volume, otherwise skin. One thread per column.
extern "C" __global__ void offset_skin(Tree tree, const uint4* leaves, u32 count, u32* words) {
    u32 edge = 1u << tree.leaf_bits, columns = edge * edge;
    u32 i = thread_index(), leaf = i / columns, column = i % columns;
    if (leaf >= count) return;
    uint4 min = leaves[leaf];
    int x = (int)(min.x + column % edge), y = (int)(min.y + column / edge), z = (int)min.z;
    u32 all = (1u << edge) - 1;
    u32 own = leaf_column(tree, leaf, column);
    u32 below = column_of(tree, x, y, z - (int)edge) >> (edge - 1) & 1u;
    u32 above = column_of(tree, x, y, z + (int)edge) & 1u;
    u32 full = own & (own << 1 | below) & (own >> 1 | above << (edge - 1)) & all;
    if (full) full &= column_of(tree, x - 1, y, z) & column_of(tree, x + 1, y, z);
    if (full) full &= column_of(tree, x, y - 1, z) & column_of(tree, x, y + 1, z);
    u32 code = spaced(own & ~full) | spaced(full) << 1;
    if (edge == 16) words[i] = code;
    else ((unsigned short*)words)[i] = (unsigned short)code;
}
