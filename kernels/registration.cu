// One step of registration onto a surface: correspondences, the robust scale from exact order statistics, and the sums of
// the normal equations in a fixed order. The twin of compute/cpu/registration.rs.
#include "lib/block_sum.cuh"
#include "lib/surface.cuh"

enum Metric : u32 { TO_TRIANGLE = 0, TO_PLANE = 1, TO_POINT = 2 };

struct Request {
    Queries queries;
    u32 metric;
    u32 is_robust;
    Gate gate;
    Vec3 pivot;
    double trim;
    double floor_mm;
};

// A correspondence: the direction in which its distance grows, and the signed distance; NaN where there is none.
struct Pair {
    Vec3 direction;
    double residual;
};

__device__ inline Pair correspond(const Surface& surface, u32 metric, const Match& match) {
    const Hit& hit = match.hit;
    Vec3 away = match.away;
    double distance = sqrt(hit.squared);
    if (metric == TO_POINT) {
        double length = norm(away);
        return {length > 0.0 ? away / length : away, length};
    }
    // On edges and corners the distance grows away from the feature, not along a facet's normal.
    if (metric == TO_TRIANGLE && hit.feature != FACE && distance > 0.0) {
        double residual = match.side < 0.0 ? -distance : distance;
        return {away / residual, residual};
    }
    Vec3 normal = unit(area_of(surface, hit));
    return {normal, dot(normal, away)};
}

// `candidates` are those that closest_candidates found for the same queries.
extern "C" __global__ void pair_with_surface(Surface surface, Request request, Candidates candidates, Pair* pairs) {
    u32 i = thread_number();
    const Queries& queries = request.queries;
    if (i >= queries.count) return;
    Match match = match_of(surface, queries, request.gate, i, candidates);
    Pair none = {{0.0, 0.0, 0.0}, __longlong_as_double(0x7FF8000000000000ll)};
    pairs[i] = match.state == MATCHED ? correspond(surface, request.metric, match) : none;
}

// Order statistics of |residual|: doubles that are not negative order as their bits do. Two counts of eleven bits each
// leave few candidates, which one block sorts out.
#define BINS 2048u
#define FIRST_SHIFT 52u
#define SECOND_SHIFT 41u

// What the steps of a selection share.
struct Selection {
    u32 first[BINS];
    u32 second[BINS];
    u32 listed;   // candidates
    u32 pad;
};

// What is known of the residuals.
struct Spread {
    double cut;     // largest |residual| that takes part
    double median;  // of those that take part
    u32 matched;    // pairs with a residual
    u32 pad;
};

enum Rank : u32 { OF_CUT = 0, OF_MEDIAN = 1 };

__device__ inline u64 magnitude(const Pair& pair) { return (u64)__double_as_longlong(fabs(pair.residual)); }
__device__ inline bool is_number(u64 bits) { return bits <= 0x7FF0000000000000ull; }

// How many of `matched` pairs take part, and which of them is asked for, from 1.
__device__ inline u32 kept_of(u32 matched, double trim) { return min((u32)ceil((double)matched * (1.0 - trim)), matched); }
__device__ inline u32 rank_of(u32 matched, double trim, u32 which) {
    u32 kept = kept_of(matched, trim);
    return which == OF_CUT ? kept : (kept + 1) / 2;
}

// The bin that holds the value of `rank` (from 1), and how many lie in bins before it: by all 256 threads of a block.
struct Found {
    u32 bin, before, total;
};
__device__ inline Found find_bin(const u32* bins, u32 rank, bool rank_of_total, double trim, u32 which) {
    __shared__ u32 sums[256];
    __shared__ u32 answer[3];
    const u32 each = BINS / 256;
    u32 sum = 0;
    for (u32 i = 0; i < each; i++) sum += bins[threadIdx.x * each + i];
    __syncthreads();
    sums[threadIdx.x] = sum;
    if (threadIdx.x == 0) answer[0] = answer[1] = 0;
    __syncthreads();
    for (u32 step = 1; step < 256; step *= 2) {
        u32 before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    u32 total = sums[255];
    if (rank_of_total) rank = rank_of(total, trim, which);
    u32 before = sums[threadIdx.x] - sum;
    if (rank > before && rank <= before + sum) {
        u32 bin = threadIdx.x * each;
        while (rank > before + bins[bin]) before += bins[bin++];
        answer[0] = bin;
        answer[1] = before;
    }
    if (threadIdx.x == 0) answer[2] = total;
    __syncthreads();
    return {answer[0], answer[1], answer[2]};
}

__device__ inline void clear_bins(u32* bins) {
    for (u32 i = threadIdx.x; i < BINS; i += blockDim.x) bins[i] = 0;
    __syncthreads();
}

__device__ inline void add_bins(const u32* bins, u32* total) {
    __syncthreads();
    for (u32 i = threadIdx.x; i < BINS; i += blockDim.x) {
        if (bins[i]) atomicAdd(&total[i], bins[i]);
    }
}

// Counts by the exponent. Launch with 256 threads; the selection is zero before.
extern "C" __global__ void select_first(const Pair* pairs, u32 count, Selection* selection) {
    __shared__ u32 bins[BINS];
    clear_bins(bins);
    for (u32 i = thread_number(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(pairs[i]);
        if (is_number(bits)) atomicAdd(&bins[(u32)(bits >> FIRST_SHIFT)], 1u);
    }
    add_bins(bins, selection->first);
}

// Counts by the next bits those with the exponent that holds the rank. Launch with 256 threads.
extern "C" __global__ void select_second(const Pair* pairs, u32 count, double trim, u32 which, Selection* selection) {
    __shared__ u32 bins[BINS];
    Found first = find_bin(selection->first, 0, true, trim, which);
    clear_bins(bins);
    for (u32 i = thread_number(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(pairs[i]);
        if (is_number(bits) && bits >> FIRST_SHIFT == first.bin) atomicAdd(&bins[(u32)(bits >> SECOND_SHIFT) & (BINS - 1)], 1u);
    }
    add_bins(bins, selection->second);
}

// Lists those that share both; in any order, as only their values count. Launch with 256 threads.
extern "C" __global__ void select_list(const Pair* pairs, u32 count, double trim, u32 which, Selection* selection, u64* list) {
    Found first = find_bin(selection->first, 0, true, trim, which);
    Found second = find_bin(selection->second, rank_of(first.total, trim, which) - first.before, false, trim, which);
    u64 leading = (u64)first.bin << 11 | second.bin;
    for (u32 i = thread_number(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(pairs[i]);
        if (is_number(bits) && bits >> SECOND_SHIFT == leading) list[atomicAdd(&selection->listed, 1u)] = bits;
    }
}

// Finds the value among those listed, eleven bits at a time. Launch: 1 x 256.
extern "C" __global__ void select_last(double trim, u32 which, const Selection* selection, const u64* list, Spread* spread) {
    __shared__ u32 bins[BINS];
    Found first = find_bin(selection->first, 0, true, trim, which);
    u32 rank = rank_of(first.total, trim, which) - first.before;
    Found second = find_bin(selection->second, rank, false, trim, which);
    rank -= second.before;
    u64 leading = (u64)first.bin << 11 | second.bin;
    u32 shift = SECOND_SHIFT;
    while (shift > 0) {
        u32 bits = min(shift, 11u);
        clear_bins(bins);
        for (u32 i = threadIdx.x; i < selection->listed; i += blockDim.x) {
            if (list[i] >> shift == leading) atomicAdd(&bins[(u32)(list[i] >> (shift - bits)) & ((1u << bits) - 1)], 1u);
        }
        __syncthreads();
        Found next = find_bin(bins, rank, false, trim, which);
        rank -= next.before;
        leading = leading << bits | next.bin;
        shift -= bits;
        __syncthreads();
    }
    if (threadIdx.x > 0) return;
    double value = first.total ? __longlong_as_double((long long)leading) : 0.0;
    spread->matched = first.total;
    if (which == OF_CUT) spread->cut = value; else spread->median = value;
}

// Limit of Tukey's biweight in robust standard deviations: 95 % efficient on normal residuals.
#define TUKEY_LIMIT 4.685

// The sums of a step: the upper triangle of sum w J'J by rows, sum w J'r, sum w r^2, sum w, sum of d(w r)/dr, pairs used.
#define HESSIAN 21
#define TERMS 31

__device__ inline double scale_of(const Request& request, const Spread& spread) {
    return max(1.4826 * spread.median, request.floor_mm);
}

__device__ inline void add_row(double* sums, Vec3 arm, Vec3 direction, double weight, double residual) {
    Vec3 turn = cross(arm, direction);
    double row[6] = {turn.x, turn.y, turn.z, direction.x, direction.y, direction.z};
    u32 term = 0;
    #pragma unroll
    for (u32 i = 0; i < 6; i++) {
        double weighted = weight * row[i];
        #pragma unroll
        for (u32 j = i; j < 6; j++) sums[term++] += weighted * row[j];
        sums[HESSIAN + i] += weighted * residual;
    }
}

// Every block adds its share; partial[block * 32 + term]. Launch with 256 threads.
extern "C" __global__ void sum_equations(Request request, const Pair* pairs, const Spread* spread, double* partial) {
    double cut = request.trim > 0.0 ? spread->cut : __longlong_as_double(0x7FF0000000000000ll);
    double scale = scale_of(request, *spread);
    double sums[TERMS];
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
    for (u32 i = thread_number(); i < request.queries.count; i += gridDim.x * blockDim.x) {
        Pair pair = pairs[i];
        // NaN fails this, too.
        if (!(fabs(pair.residual) <= cut)) continue;
        double weight = 1.0, curvature = 1.0;
        if (request.is_robust && scale > 0.0) {
            double relative = pair.residual / (TUKEY_LIMIT * scale);
            double below = 1.0 - relative * relative;
            weight = below > 0.0 ? below * below : 0.0;
            curvature = below > 0.0 ? below * (1.0 - 5.0 * relative * relative) : 0.0;
        }
        sums[29] += curvature;
        if (!(weight > 0.0)) continue;
        Vec3 arm = place_of(request.queries, i) - request.pivot;
        if (request.metric == TO_POINT) {
            Vec3 away = pair.direction * pair.residual;
            add_row(sums, arm, {1.0, 0.0, 0.0}, weight, away.x);
            add_row(sums, arm, {0.0, 1.0, 0.0}, weight, away.y);
            add_row(sums, arm, {0.0, 0.0, 1.0}, weight, away.z);
        } else {
            add_row(sums, arm, pair.direction, weight, pair.residual);
        }
        sums[27] += weight * pair.residual * pair.residual;
        sums[28] += weight;
        sums[30] += 1.0;
    }
    double share = block_sum<TERMS>(sums);
    if (threadIdx.x < TERMS) partial[blockIdx.x * 32 + threadIdx.x] = share;
}

// Adds the blocks' shares in order; then pairs matched and the robust scale. Launch: 1 x 256.
extern "C" __global__ void total_equations(Request request, const double* partial, u32 blocks, const Spread* spread,
                                           double* answer) {
    __shared__ double rows[8][32];
    u32 row = threadIdx.x / 32, term = threadIdx.x % 32;
    double sum = 0.0;
    if (term < TERMS) {
        for (u32 block = row; block < blocks; block += 8) sum += partial[block * 32 + term];
    }
    rows[row][term] = sum;
    __syncthreads();
    if (row > 0) return;
    sum = 0.0;
    for (u32 r = 0; r < 8; r++) sum += rows[r][term];
    if (term < TERMS) answer[term] = sum;
    if (term == 31) {
        answer[31] = spread->matched;
        answer[32] = scale_of(request, *spread);
    }
}
