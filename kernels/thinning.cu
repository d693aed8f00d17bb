// Thinning to an even density: one point per cell, or no two points closer than a minimum distance. Counterpart of
// compute/cpu/thinning.rs.
#include "lib/facets.cuh"
#include "lib/grid.cuh"
#include "lib/points.cuh"

// Sort keys, least significant first: low and high word of the distance from the cell's centre, then the cell.
enum Key : u32 { FROM_CENTRE_LOW, FROM_CENTRE_HIGH, CELL_X, CELL_Y, CELL_Z };

struct CellPosition {
    double cell[3];
    double from_centre;  // squared distance from the cell's centre, in cells
};

__device__ inline CellPosition cell_position(const Grid& grid, u32 index) {
    Vec3 scaled = (at(grid.points, index) - grid.origin) / grid.cell_mm;
    CellPosition position = {{floor(scaled.x), floor(scaled.y), floor(scaled.z)}, 0.0};
    double x = scaled.x - position.cell[0] - 0.5, y = scaled.y - position.cell[1] - 0.5;
    double z = scaled.z - position.cell[2] - 0.5;
    position.from_centre = x * x + y * y + z * z;
    return position;
}

// Sort keys of the points in `order`.
extern "C" __global__ void thin_keys(Grid grid, u32 key, const u32* order, u32* keys) {
    u32 i = thread_index();
    if (i >= grid.count) return;
    CellPosition position = cell_position(grid, order[i]);
    // Doubles that are not negative have the order of their bits.
    u64 bits = (u64)__double_as_longlong(position.from_centre);
    if (key == FROM_CENTRE_LOW) keys[i] = (u32)bits;
    else if (key == FROM_CENTRE_HIGH) keys[i] = (u32)(bits >> 32);
    else keys[i] = (u32)position.cell[key - CELL_X];
}

__device__ inline bool same_cell(const CellPosition& a, const CellPosition& b) {
    return a.cell[0] == b.cell[0] && a.cell[1] == b.cell[1] && a.cell[2] == b.cell[2];
}

// By point index: number of points in its cell for the first point of each cell in `order`, which is kept; 0 for all
// others. `order` must be sorted by all keys.
extern "C" __global__ void thin_cells(Grid grid, const u32* order, u32* point_counts) {
    u32 i = thread_index();
    if (i >= grid.count) return;
    CellPosition own = cell_position(grid, order[i]);
    u32 last = i;  // last point known to be in the cell
    if (i == 0 || !same_cell(own, cell_position(grid, order[i - 1]))) {
        u32 stride = 1, beyond = grid.count;
        while (last + stride < grid.count && same_cell(own, cell_position(grid, order[last + stride]))) {
            last += stride;
            stride *= 2;
        }
        beyond = min(last + stride, grid.count);
        while (beyond - last > 1) {
            u32 mid = last + (beyond - last) / 2;
            if (same_cell(own, cell_position(grid, order[mid]))) last = mid; else beyond = mid;
        }
        point_counts[order[i]] = last - i + 1;
    } else {
        point_counts[order[i]] = 0;
    }
}

// Whether a point is kept.
enum PointState : u32 { UNDECIDED = 0, KEPT = 1, DROPPED = 2 };

// Sort key of a point index for the pseudo-random processing order, lowest first: a bijection, so no two indices share
// a key (SplitMix64's finalizer, as in base/random.rs).
__device__ inline u64 order_key(u32 index) {
    u64 z = index;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

// One round: a point is kept if no point closer than the distance with a lower order key is kept; points that remain
// undecided are counted. States, by tree index, only ever leave UNDECIDED, so an outdated state of another point delays
// a decision but cannot change it.
extern "C" __global__ void thin_round(Points points, double distance_mm, volatile u32* states, u32* undecided) {
    u32 tree_index = thread_index();
    if (tree_index >= points.count || states[tree_index] != UNDECIDED) return;
    Vec3 query = position_at(points.positions, tree_index), about = query - points.centre;
    u64 key = order_key(__float_as_uint(points.pre_filter[tree_index].w));
    float half =
        __double2float_ru(distance_mm + FILTER_ERROR * (points.half_extent_mm + max_abs(about) + distance_mm));
    double squared = distance_mm * distance_mm;
    u32 state = KEPT;
    float3 box = {half, half, half};
    visit_leaves<PER_THREAD>(points.nodes, points.root, to_float3(about), box, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 i = first; i < first + count && state != DROPPED; i++) {
            if (order_key(__float_as_uint(points.pre_filter[i].w)) >= key) continue;
            u32 other = states[i];
            if (other == DROPPED) continue;
            Vec3 away = query - position_at(points.positions, i);
            if (!(dot(away, away) < squared)) continue;
            state = other == KEPT ? DROPPED : UNDECIDED;
        }
        // Ends the traversal.
        if (state == DROPPED) box.x = EMPTY_HALF_EXTENT;
    });
    if (state == UNDECIDED) atomicAdd(undecided, 1u); else states[tree_index] = state;
}
