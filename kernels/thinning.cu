// Fewer points of even density: one in each cell, or none nearer than a distance to another. The twin of
// compute/cpu/thinning.rs.
#include "lib/facets.cuh"
#include "lib/points.cuh"

// Points, mm, and the cells they are sorted into.
struct Cells {
    const double* points;  // 3 each
    u32 count;
    u32 pad;
    Vec3 low;              // where the cells begin
    double cell_mm;
};

// What the points are sorted by, one after the other: the least comes first.
enum Key : u32 { FROM_MIDDLE_LOW, FROM_MIDDLE_HIGH, CELL_X, CELL_Y, CELL_Z };

struct Place {
    double cell[3];
    double from_middle;  // squared, in cells
};

__device__ inline Place place_of(const Cells& cells, u32 number) {
    Vec3 scaled = (at(cells.points, number) - cells.low) / cells.cell_mm;
    Place place = {{floor(scaled.x), floor(scaled.y), floor(scaled.z)}, 0.0};
    double x = scaled.x - place.cell[0] - 0.5, y = scaled.y - place.cell[1] - 0.5, z = scaled.z - place.cell[2] - 0.5;
    place.from_middle = x * x + y * y + z * z;
    return place;
}

// The keys of the points in `order`.
extern "C" __global__ void thin_keys(Cells cells, u32 key, const u32* order, u32* keys) {
    u32 i = thread_number();
    if (i >= cells.count) return;
    Place place = place_of(cells, order[i]);
    // Doubles that are not negative order as their bits do.
    u64 bits = (u64)__double_as_longlong(place.from_middle);
    if (key == FROM_MIDDLE_LOW) keys[i] = (u32)bits;
    else if (key == FROM_MIDDLE_HIGH) keys[i] = (u32)(bits >> 32);
    else keys[i] = (u32)place.cell[key - CELL_X];
}

__device__ inline bool same_cell(const Place& a, const Place& b) {
    return a.cell[0] == b.cell[0] && a.cell[1] == b.cell[1] && a.cell[2] == b.cell[2];
}

// By point number: how many points the cell holds that this one stands for; 0 for those that go. Points come sorted.
extern "C" __global__ void thin_cells(Cells cells, const u32* order, u32* stands_for) {
    u32 i = thread_number();
    if (i >= cells.count) return;
    Place own = place_of(cells, order[i]);
    u32 last = i;  // of the cell, as far as is known
    if (i == 0 || !same_cell(own, place_of(cells, order[i - 1]))) {
        u32 stride = 1, beyond = cells.count;
        while (last + stride < cells.count && same_cell(own, place_of(cells, order[last + stride]))) {
            last += stride;
            stride *= 2;
        }
        beyond = min(last + stride, cells.count);
        while (beyond - last > 1) {
            u32 middle = last + (beyond - last) / 2;
            if (same_cell(own, place_of(cells, order[middle]))) last = middle; else beyond = middle;
        }
        stands_for[order[i]] = last - i + 1;
    } else {
        stands_for[order[i]] = 0;
    }
}

// What has become of a point.
enum State : u32 { UNDECIDED = 0, KEPT = 1, DROPPED = 2 };

// Which of two goes first: a bijection, so no two are equal (SplitMix64's finalizer, as in base/random.rs).
__device__ inline u64 turn_of(u32 number) {
    u64 z = number;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

// A point is kept when none nearer than the distance whose turn is before its own is; those that still wait are counted.
// States only ever leave UNDECIDED, so seeing another's old state delays an answer and cannot change it.
extern "C" __global__ void thin_round(Points points, double distance_mm, volatile u32* states, u32* waiting) {
    u32 at_leaf = thread_number();
    if (at_leaf >= points.count || states[at_leaf] != UNDECIDED) return;
    Vec3 place = place_at(points.places, at_leaf), about = place - points.centre;
    u64 turn = turn_of(__float_as_uint(points.sieve[at_leaf].w));
    float half = __double2float_ru(distance_mm + FILTER_ERROR * (points.reach_mm + reach_of(about) + distance_mm));
    double squared = distance_mm * distance_mm;
    u32 state = KEPT;
    float3 box = {half, half, half};
    visit_leaves<ALONE>(points.nodes, points.root, to_float3(about), box, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 i = first; i < first + count && state != DROPPED; i++) {
            if (turn_of(__float_as_uint(points.sieve[i].w)) >= turn) continue;
            u32 other = states[i];
            if (other == DROPPED) continue;
            Vec3 away = place - place_at(points.places, i);
            if (!(dot(away, away) < squared)) continue;
            state = other == KEPT ? DROPPED : UNDECIDED;
        }
        // Nothing meets a box below nothing.
        if (state == DROPPED) box.x = NOWHERE;
    });
    if (state == UNDECIDED) atomicAdd(waiting, 1u); else states[at_leaf] = state;
}
