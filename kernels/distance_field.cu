// Distance fields: samples of bricks, and which of the bricks have to be divided. Distances of centres of nodes are
// those of distance_offset.cu. Counterpart of compute/cpu/distance_field.rs.
#include "lib/surface.cuh"
#include "lib/voxels.cuh"

// Intervals between the samples of a brick, its samples and words; as in geometry/distance_field.
#define BRICK 8u
#define EDGE_SAMPLES (BRICK + 1u)
#define BRICK_SAMPLES (EDGE_SAMPLES * EDGE_SAMPLES * EDGE_SAMPLES)
#define BRICK_WORDS ((BRICK_SAMPLES + 1u) / 2u)

// Share of the error of a brick that is expected in its children; as in compute/distance_field.rs.
#define SHARE_OF_CHILDREN 0.5
// Widening of limits, against rounding; ROUNDING of level_set.rs.
#define ROUNDING 1e-9

struct Grid {
    Lattice lattice;      // its voxels are the finest intervals
    double reach_mm;
    double tolerance_mm;
    double unit_mm;       // that samples count in
    u32 is_open;          // whether the surface encloses nothing
    u32 pad;
};

// Bricks of one level.
struct Bricks {
    const uint4* nodes;       // first sample, in finest intervals
    const double* centres_mm; // signed distances of the centres of the nodes
    const u32* numbers;       // of the bricks' nodes
    double* samples_mm;       // BRICK_SAMPLES for each brick
    u32 count;
    u32 step;                 // finest intervals between samples
};

// States of nodes whose centres are known: beyond reach, or to be sampled.
extern "C" __global__ void field_states(Grid grid, const double* centres_mm, u32 count, u32 step, u32* states) {
    u32 i = thread_index();
    if (i >= count) return;
    double half = 0.5 * (double)(BRICK * step);
    double reach_mm = grid.reach_mm + sqrt(3.0) * half * grid.lattice.voxel_mm;
    double centre_mm = centres_mm[i];
    states[i] = fabs(centre_mm) > reach_mm ? (centre_mm < 0.0 ? CELL_FULL : CELL_EMPTY) : CELL_BOUNDARY;
}

__device__ inline Vec3 sample_point(const Grid& grid, const Bricks& bricks, u32 i, double* limit_mm) {
    u32 number = bricks.numbers[i / BRICK_SAMPLES], sample = i % BRICK_SAMPLES;
    uint4 node = bricks.nodes[number];
    double step = (double)bricks.step, half = 0.5 * (double)BRICK;
    u32 x = sample % EDGE_SAMPLES, y = sample / EDGE_SAMPLES % EDGE_SAMPLES;
    u32 z = sample / (EDGE_SAMPLES * EDGE_SAMPLES);
    double voxel_mm = grid.lattice.voxel_mm;
    Vec3 away = {((double)x - half) * step * voxel_mm, ((double)y - half) * step * voxel_mm,
                 ((double)z - half) * step * voxel_mm};
    *limit_mm = (fabs(bricks.centres_mm[number]) + norm(away)) * (1.0 + ROUNDING) + ROUNDING;
    return {grid.lattice.origin.x + ((double)node.x + step * (double)x) * voxel_mm,
            grid.lattice.origin.y + ((double)node.y + step * (double)y) * voxel_mm,
            grid.lattice.origin.z + ((double)node.z + step * (double)z) * voxel_mm};
}

extern "C" __global__ void field_candidates(Surface surface, Grid grid, Bricks bricks, Candidates candidates) {
    u32 i = thread_index(), count = bricks.count * BRICK_SAMPLES;
    double limit_mm;
    Vec3 point = sample_point(grid, bricks, min(i, count - 1), &limit_mm);
    list_candidates<PER_WARP>(surface, point, limit_mm, i, candidates, i < count);
}

// Searches again where the candidates did not fit.
extern "C" __global__ void field_settle(Surface surface, Grid grid, Bricks bricks, Candidates candidates) {
    u32 i = thread_index();
    if (i >= bricks.count * BRICK_SAMPLES || candidates.counts[i] != OVERFLOWED) return;
    double limit_mm;
    Vec3 point = sample_point(grid, bricks, i, &limit_mm);
    search_exactly(surface, point, limit_mm, i, candidates);
}

extern "C" __global__ void field_samples(Surface surface, Grid grid, Bricks bricks, Candidates candidates) {
    u32 i = thread_index();
    if (i >= bricks.count * BRICK_SAMPLES) return;
    double limit_mm;
    Vec3 point = sample_point(grid, bricks, i, &limit_mm);
    Hit hit = closest_hit(surface, point, limit_mm, i, candidates);
    double distance_mm = limit_mm;
    if (hit.facet != NONE) {
        distance_mm = sqrt(hit.squared);
        bool is_inside = !grid.is_open && dot(pseudo_normal(surface, hit), point - hit.point) < 0.0;
        if (is_inside) distance_mm = -distance_mm;
    }
    bricks.samples_mm[i] = distance_mm;
}

// Sets the flags of bricks with a sample that differs too much from what every second one would give; one thread a
// sample.
extern "C" __global__ void field_ridges(Grid grid, Bricks bricks, u32* is_divided) {
    u32 i = thread_index();
    if (i >= bricks.count * BRICK_SAMPLES) return;
    u32 sample = i % BRICK_SAMPLES;
    u32 x = sample % EDGE_SAMPLES, y = sample / EDGE_SAMPLES % EDGE_SAMPLES;
    u32 z = sample / (EDGE_SAMPLES * EDGE_SAMPLES);
    double limit_mm = grid.reach_mm + 4.0 * (double)bricks.step * grid.lattice.voxel_mm;
    double own_mm = bricks.samples_mm[i];
    if (!((x | y | z) & 1u) || fabs(own_mm) > limit_mm) return;
    int dx = x & 1u, dy = (y & 1u) * EDGE_SAMPLES, dz = (z & 1u) * EDGE_SAMPLES * EDGE_SAMPLES;
    double sum_mm = 0.0;
    for (int corner = 0; corner < 8; corner++) {
        int at = (int)i + (corner & 1 ? dx : -dx) + (corner & 2 ? dy : -dy) + (corner & 4 ? dz : -dz);
        sum_mm += bricks.samples_mm[at];
    }
    if (SHARE_OF_CHILDREN * fabs(own_mm - 0.125 * sum_mm) > grid.tolerance_mm) is_divided[i / BRICK_SAMPLES] = 1;
}

__device__ inline u32 code_of(double mm, double unit_mm) {
    return (u32)(int)fmin(fmax(round(mm / unit_mm), -32767.0), 32767.0) & 0xFFFFu;
}

// Packs the samples of some bricks, one thread a word; `kept` are their numbers among the bricks.
extern "C" __global__ void field_pack(Grid grid, Bricks bricks, const u32* kept, u32 count, u32* words) {
    u32 i = thread_index();
    if (i >= count * BRICK_WORDS) return;
    u32 first = 2u * (i % BRICK_WORDS);
    const double* samples_mm = bricks.samples_mm + (u64)kept[i / BRICK_WORDS] * BRICK_SAMPLES;
    u32 low = code_of(samples_mm[first], grid.unit_mm);
    u32 high = first + 1u < BRICK_SAMPLES ? code_of(samples_mm[first + 1u], grid.unit_mm) : 0u;
    words[i] = low | high << 16;
}
