// Voxelisation: facets to root cells, down the tree to leaves, then voxel by voxel. Counterpart of
// compute/cpu/voxelisation.rs and geometry/voxels/facet.rs, with the same voxels.
#include "lib/surface.cuh"
#include "lib/voxels.cuh"

// Enlargement of every cube, in voxels; MARGIN of facet.rs.
#define MARGIN 1e-9

// A facet in lattice coordinates, as in facet.rs.
struct LatticeFacet {
    double min[3], max[3];
    double normal[3], of_corner;
    // Per projection along an axis and edge: inward normal in the two following axes, and its product with a corner.
    double edges[3][3][3];
};

__device__ inline double lattice_coordinate(double position, double origin, double voxel_mm) {
    return (position - origin) / voxel_mm;
}

extern "C" __global__ void voxel_facets(const double* vertices, const u32* indices, u32 count, Lattice lattice,
                                        LatticeFacet* facets) {
    u32 i = thread_index();
    if (i >= count) return;
    double corners[3][3];
    for (u32 k = 0; k < 3; k++) {
        Vec3 corner = at(vertices, indices[3ull * i + k]);
        corners[k][0] = lattice_coordinate(corner.x, lattice.origin.x, lattice.voxel_mm);
        corners[k][1] = lattice_coordinate(corner.y, lattice.origin.y, lattice.voxel_mm);
        corners[k][2] = lattice_coordinate(corner.z, lattice.origin.z, lattice.voxel_mm);
    }
    LatticeFacet facet;
    double ab[3], ac[3];
    for (u32 axis = 0; axis < 3; axis++) {
        facet.min[axis] = min(min(corners[0][axis], corners[1][axis]), corners[2][axis]);
        facet.max[axis] = max(max(corners[0][axis], corners[1][axis]), corners[2][axis]);
        ab[axis] = corners[1][axis] - corners[0][axis];
        ac[axis] = corners[2][axis] - corners[0][axis];
    }
    for (u32 axis = 0; axis < 3; axis++) {
        u32 u = (axis + 1) % 3, v = (axis + 2) % 3;
        facet.normal[axis] = ab[u] * ac[v] - ab[v] * ac[u];
    }
    facet.of_corner =
        facet.normal[0] * corners[0][0] + facet.normal[1] * corners[0][1] + facet.normal[2] * corners[0][2];
    for (u32 axis = 0; axis < 3; axis++) {
        u32 u = (axis + 1) % 3, v = (axis + 2) % 3;
        double sign = facet.normal[axis] < 0.0 ? -1.0 : 1.0;
        for (u32 edge = 0; edge < 3; edge++) {
            const double *from = corners[edge], *to = corners[(edge + 1) % 3];
            double nu = -sign * (to[v] - from[v]), nv = sign * (to[u] - from[u]);
            facet.edges[axis][edge][0] = nu;
            facet.edges[axis][edge][1] = nv;
            facet.edges[axis][edge][2] = nu * from[u] + nv * from[v];
        }
    }
    facets[i] = facet;
}

// Voxels of the bounding box along an axis within [low, high]; false if there are none.
__device__ inline bool voxel_range(const LatticeFacet& facet, u32 axis, u32 low, u32 high, u32* first, u32* last) {
    double from = floor(facet.min[axis] - MARGIN), to = floor(facet.max[axis] + MARGIN);
    if (to < (double)low || from > (double)high) return false;
    *first = from > (double)low ? (u32)from : low;
    *last = to < (double)high ? (u32)to : high;
    return true;
}

// Whether a facet meets the closed cube of `edge` voxels at (x, y, z).
__device__ inline bool meets(const LatticeFacet& facet, u32 x, u32 y, u32 z, u32 edge_voxels) {
    double edge = (double)edge_voxels;
    double low[3] = {(double)x, (double)y, (double)z};
    for (u32 axis = 0; axis < 3; axis++) {
        if (low[axis] - MARGIN > facet.max[axis] || low[axis] + edge + MARGIN < facet.min[axis]) return false;
    }
    double half = 0.5 * edge + MARGIN;
    double centre[3] = {low[0] + 0.5 * edge, low[1] + 0.5 * edge, low[2] + 0.5 * edge};
    const double* n = facet.normal;
    double height = n[0] * centre[0] + n[1] * centre[1] + n[2] * centre[2] - facet.of_corner;
    if (fabs(height) > half * (fabs(n[0]) + fabs(n[1]) + fabs(n[2]))) return false;
    for (u32 axis = 0; axis < 3; axis++) {
        double u = centre[(axis + 1) % 3], v = centre[(axis + 2) % 3];
        for (u32 edge_index = 0; edge_index < 3; edge_index++) {
            const double* e = facet.edges[axis][edge_index];
            if (!(e[0] * u + e[1] * v - e[2] >= -half * (fabs(e[0]) + fabs(e[1])))) return false;
        }
    }
    return true;
}

// Cells of one level that facets meet, and the pairs of the two.
struct Level {
    const uint4* cells;   // first voxel
    const u32* of_cell;   // per pair its cell
    const u32* of_facet;  // per pair its facet
    u32 pairs;
    u32 cell_count;
    u32 edge;             // voxels per axis
    u32 branching;        // children per axis
};

// Root cells that a facet meets: their number in `counts`, or, with `starts`, the pairs themselves.
extern "C" __global__ void voxel_roots(const LatticeFacet* facets, u32 count, u32 root, u32 edge, u32* counts,
                                       const u32* starts, u32* of_cell, u32* of_facet) {
    u32 i = thread_index();
    if (i >= count) return;
    const LatticeFacet& facet = facets[i];
    u32 first[3], last[3], found = 0;
    for (u32 axis = 0; axis < 3; axis++) {
        if (!voxel_range(facet, axis, 0, edge * root - 1, first + axis, last + axis)) {
            if (counts) counts[i] = 0;
            return;
        }
    }
    for (u32 z = first[2] / edge; z <= last[2] / edge; z++) {
        for (u32 y = first[1] / edge; y <= last[1] / edge; y++) {
            for (u32 x = first[0] / edge; x <= last[0] / edge; x++) {
                if (!meets(facet, x * edge, y * edge, z * edge, edge)) continue;
                if (starts) {
                    of_cell[starts[i] + found] = (z * root + y) * root + x;
                    of_facet[starts[i] + found] = i;
                }
                found++;
            }
        }
    }
    if (counts) counts[i] = found;
}

// Children that the facet of a pair meets: their number in `counts`, or, with `starts`, the pairs themselves.
extern "C" __global__ void voxel_children(const LatticeFacet* facets, Level level, u32* counts, const u32* starts,
                                          u32* of_cell, u32* of_facet) {
    u32 i = thread_index();
    if (i >= level.pairs) return;
    const LatticeFacet& facet = facets[level.of_facet[i]];
    u32 cell = level.of_cell[i], b = level.branching, edge = level.edge / b, found = 0;
    uint4 min = level.cells[cell];
    for (u32 child = 0; child < b * b * b; child++) {
        u32 x = min.x + child % b * edge, y = min.y + child / b % b * edge, z = min.z + child / (b * b) * edge;
        if (!meets(facet, x, y, z, edge)) continue;
        if (starts) {
            of_cell[starts[i] + found] = cell * b * b * b + child;
            of_facet[starts[i] + found] = level.of_facet[i];
        }
        found++;
    }
    if (counts) counts[i] = found;
}

// Marks the cells that have a pair.
extern "C" __global__ void voxel_flags(const u32* of_cell, u32 pairs, u32* flags) {
    u32 i = thread_index();
    if (i < pairs) flags[of_cell[i]] = 1;
}

// Replaces the cell of every pair by its rank among the marked ones.
extern "C" __global__ void voxel_ranks(u32* of_cell, u32 pairs, const u32* ranks) {
    u32 i = thread_index();
    if (i < pairs) of_cell[i] = ranks[of_cell[i]];
}

// The cells of a level: the root grid (without `outer`), or the children of the cells of the level above. Those that a
// facet meets go on to `met`, the others to `free`, with their number in w. Codes of the met cells are set; `is_leaf`
// says whether they are leaves.
extern "C" __global__ void voxel_cells(const uint4* outer, u32 count, u32 branching, u32 edge, const u32* flags,
                                       const u32* ranks, u32 is_leaf, u32 children, u32* codes, uint4* met,
                                       uint4* free) {
    u32 i = thread_index();
    if (i >= count) return;
    u32 per_cell = branching * branching * branching, own = outer ? i % per_cell : i;
    uint4 base = outer ? outer[i / per_cell] : uint4{0, 0, 0, 0};
    uint4 cell = {base.x + own % branching * edge, base.y + own / branching % branching * edge,
                  base.z + own / (branching * branching) * edge, i};
    if (flags[i]) {
        codes[i] = is_leaf ? cell_code(CELL_BOUNDARY, ranks[i]) : cell_code(CELL_BRANCH, ranks[i] * children);
        met[ranks[i]] = cell;
    } else {
        free[i - ranks[i]] = cell;
    }
}

// Cubes without facets, to be told whether their centres lie inside.
struct Cubes {
    const uint4* cubes;  // first voxel
    double limit_mm;     // of the distance of all centres from the surface
    u32 count;
    u32 edge;            // voxels per axis
};

extern "C" __global__ void voxel_candidates(Surface surface, Lattice lattice, Cubes cubes, Candidates candidates) {
    u32 i = thread_index();
    if (i >= cubes.count) return;
    list_candidates<PER_THREAD>(surface, centre_of(lattice, cubes.cubes[i], cubes.edge), cubes.limit_mm, i, candidates);
}

extern "C" __global__ void voxel_settle(Surface surface, Lattice lattice, Cubes cubes, Candidates candidates) {
    u32 i = thread_index();
    if (i >= cubes.count || candidates.counts[i] != OVERFLOWED) return;
    search_exactly(surface, centre_of(lattice, cubes.cubes[i], cubes.edge), cubes.limit_mm, i, candidates);
}

__device__ inline bool is_inside(const Surface& surface, const Lattice& lattice, const Cubes& cubes, u32 i,
                                 const Candidates& candidates) {
    Vec3 centre = centre_of(lattice, cubes.cubes[i], cubes.edge);
    Hit hit = closest_hit(surface, centre, cubes.limit_mm, i, candidates);
    return hit.facet != NONE && dot(pseudo_normal(surface, hit), centre - hit.point) < 0.0;
}

// Codes of the cells that no facet meets; w is their number in the level. Without candidates nothing is inside.
extern "C" __global__ void voxel_sides(Surface surface, Lattice lattice, Cubes cubes, Candidates candidates,
                                       u32 is_open, u32* codes) {
    u32 i = thread_index();
    if (i >= cubes.count) return;
    bool inside = !is_open && is_inside(surface, lattice, cubes, i, candidates);
    codes[cubes.cubes[i].w] = cell_code(inside ? CELL_FULL : CELL_EMPTY, 0);
}

#define MAX_COLUMNS 256u

// Leaves and their facets: pairs in the order of the leaves.
struct Leaves {
    const uint4* leaves;  // first voxel
    const u32* of_leaf;   // per pair, ascending
    const u32* of_facet;
    u32 pairs;
    u32 count;
    u32 edge;
    u32 pad;
};

// First pair of a leaf or of one after it.
__device__ inline u32 first_pair(const Leaves& leaves, u32 leaf) {
    u32 low = 0, high = leaves.pairs;
    while (low < high) {
        u32 middle = low + (high - low) / 2;
        if (leaves.of_leaf[middle] < leaf) low = middle + 1; else high = middle;
    }
    return low;
}

// Voxels of a leaf that a facet may meet: those of its bounding box, in columns along the axis that its normal is
// closest to; as in facet.rs.
struct Columns {
    u32 first[3], last[3];
    u32 u, v, w;    // w: along the columns
    double spread;  // half the height of the facet's plane within a column, voxels
};

__device__ inline bool columns_of(const LatticeFacet& facet, uint4 leaf, u32 edge, Columns* columns) {
    u32 low[3] = {leaf.x, leaf.y, leaf.z};
    for (u32 axis = 0; axis < 3; axis++) {
        if (!voxel_range(facet, axis, low[axis], low[axis] + edge - 1, columns->first + axis, columns->last + axis)) {
            return false;
        }
    }
    const double* n = facet.normal;
    u32 w = 0;
    for (u32 axis = 1; axis < 3; axis++) {
        if (fabs(n[axis]) > fabs(n[w])) w = axis;
    }
    columns->u = (w + 1) % 3;
    columns->v = (w + 2) % 3;
    columns->w = w;
    columns->spread = 0.5 * (fabs(n[columns->u]) + fabs(n[columns->v])) / fabs(n[w]) + 1e-6;
    return true;
}

// Calls `found` for every voxel of column (i, j) that a facet meets.
template <class Found>
__device__ inline void each_in_column(const LatticeFacet& facet, const Columns& columns, u32 i, u32 j, Found found) {
    u32 u = columns.u, v = columns.v, w = columns.w;
    const double* n = facet.normal;
    double height = (facet.of_corner - n[u] * ((double)i + 0.5) - n[v] * ((double)j + 0.5)) / n[w];
    u32 from = columns.first[w], to = columns.last[w];
    // A degenerate facet has no plane: all voxels of the column are tested.
    if (fabs(height) < 1e30 && columns.spread < 1e30) {
        if (height + columns.spread < 0.0) return;
        from = max(from, (u32)max(floor(height - columns.spread), 0.0));
        to = min(to, (u32)min(max(floor(height + columns.spread), 0.0), 4e9));
    }
    for (u32 k = from; k <= to; k++) {
        u32 voxel[3];
        voxel[u] = i;
        voxel[v] = j;
        voxel[w] = k;
        if (meets(facet, voxel[0], voxel[1], voxel[2], 1)) found(voxel[0], voxel[1], voxel[2]);
    }
}

// The runs of `within` that contain a bit of `seed`.
__device__ inline u32 spread_in(u32 seed, u32 within) {
    u32 bits = seed;
    while (true) {
        u32 next = (bits | bits << 1 | bits >> 1) & within;
        if (next == bits) return bits;
        bits = next;
    }
}

// Spreads `part` over what is connected with it in `open`, one column per thread. All threads of the block call it.
__device__ inline void flood(u32* part, const u32* open, u32 edge, u32* changed) {
    u32 column = threadIdx.x, x = column % edge, y = column / edge;
    while (true) {
        __syncthreads();
        u32 seed = part[column];
        if (x > 0) seed |= part[column - 1];
        if (x + 1 < edge) seed |= part[column + 1];
        if (y > 0) seed |= part[column - edge];
        if (y + 1 < edge) seed |= part[column + edge];
        u32 next = spread_in(seed & open[column], open[column]);
        if (column == 0) *changed = 0;
        __syncthreads();
        if (next != part[column]) *changed = 1;
        part[column] = next;
        __syncthreads();
        if (!*changed) return;
    }
}

// The skin of a leaf, and one voxel of each part that it leaves connected, with the leaf in w. Launch: one block of L^2
// threads for each leaf.
extern "C" __global__ void voxel_skin(const LatticeFacet* facets, Leaves leaves, u32* words, uint4* seeds,
                                      u32 capacity, u32* seed_count) {
    __shared__ u32 surface[MAX_COLUMNS];
    __shared__ u32 open[MAX_COLUMNS];
    __shared__ u32 part[MAX_COLUMNS];
    __shared__ u32 changed, first_column, range[2];
    u32 leaf = blockIdx.x, column = threadIdx.x, edge = leaves.edge, all = (1u << edge) - 1;
    uint4 min = leaves.leaves[leaf];
    surface[column] = 0;
    if (column < 2) range[column] = first_pair(leaves, leaf + column);
    __syncthreads();
    auto mark = [&](u32 x, u32 y, u32 z) {
        atomicOr(&surface[(y - min.y) * edge + (x - min.x)], 1u << (z - min.z));
    };
    Columns columns;
    if (range[1] - range[0] >= blockDim.x / 4) {
        // Many small facets, one for each thread.
        for (u32 i = range[0] + column; i < range[1]; i += blockDim.x) {
            const LatticeFacet& facet = facets[leaves.of_facet[i]];
            if (!columns_of(facet, min, edge, &columns)) continue;
            for (u32 u = columns.first[columns.u]; u <= columns.last[columns.u]; u++) {
                for (u32 v = columns.first[columns.v]; v <= columns.last[columns.v]; v++) {
                    each_in_column(facet, columns, u, v, mark);
                }
            }
        }
    } else {
        // A few large ones, each by all threads, one for each column.
        for (u32 i = range[0]; i < range[1]; i++) {
            const LatticeFacet& facet = facets[leaves.of_facet[i]];
            if (!columns_of(facet, min, edge, &columns)) continue;
            u32 u = columns.first[columns.u] + column % edge, v = columns.first[columns.v] + column / edge;
            if (u <= columns.last[columns.u] && v <= columns.last[columns.v]) {
                each_in_column(facet, columns, u, v, mark);
            }
        }
    }
    __syncthreads();
    open[column] = all & ~surface[column];
    u32 code = spaced(surface[column]);
    if (edge == 16) words[leaf * MAX_COLUMNS + column] = code;
    else ((unsigned short*)words)[leaf * 64u + column] = (unsigned short)code;
    while (true) {
        if (column == 0) first_column = NONE;
        __syncthreads();
        if (open[column]) atomicMin(&first_column, column);
        __syncthreads();
        u32 first = first_column;
        if (first == NONE) return;
        u32 z = __ffs((int)open[first]) - 1;
        part[column] = column == first ? 1u << z : 0;
        flood(part, open, edge, &changed);
        if (column == 0) {
            u32 slot = atomicAdd(seed_count, 1u);
            if (slot < capacity) seeds[slot] = {min.x + first % edge, min.y + first / edge, min.z + z, leaf};
        }
        open[column] &= ~part[column];
        __syncthreads();
    }
}

// Fills the parts whose seeds lie inside. Launch: one block of L^2 threads for each seed.
extern "C" __global__ void voxel_fill(Surface surface, Lattice lattice, Leaves leaves, Cubes seeds,
                                      Candidates candidates, u32* words) {
    __shared__ u32 open[MAX_COLUMNS];
    __shared__ u32 part[MAX_COLUMNS];
    __shared__ u32 changed, inside;
    u32 i = blockIdx.x, column = threadIdx.x, edge = leaves.edge;
    uint4 seed = seeds.cubes[i];
    if (column == 0) inside = is_inside(surface, lattice, seeds, i, candidates);
    __syncthreads();
    if (!inside) return;
    u32 leaf = seed.w, bits = 2 * edge;
    uint4 min = leaves.leaves[leaf];
    u64 first_bit = (u64)(leaf * edge * edge + column) * bits;
    u32 word = words[first_bit / 32] >> first_bit % 32;
    u32 free = 0;
    for (u32 z = 0; z < edge; z++) free |= ((word >> 2 * z & 1u) ^ 1u) << z;
    open[column] = free;
    u32 own = (seed.y - min.y) * edge + (seed.x - min.x);
    part[column] = column == own ? 1u << (seed.z - min.z) : 0;
    flood(part, open, edge, &changed);
    u32 code = spaced(part[column]) << 1;
    if (code) atomicOr(words + first_bit / 32, code << first_bit % 32);
}
