// Exact order statistics of the magnitudes of many values: doubles that are not negative have the order of their bits.
// Two counts of 11 bits each leave few candidates, of which one block selects. NaN are ignored.
#include "lib/spread.cuh"

#define BINS 2048u
#define FIRST_SHIFT 52u
#define SECOND_SHIFT 41u

// Counts shared by the steps of a selection.
struct Selection {
    u32 first[BINS];   // values by exponent
    u32 second[BINS];  // those with the exponent of the rank, by the next bits
    u32 candidate_count;
    u32 pad;
};

// The order statistic to find.
enum Rank : u32 { OF_CUTOFF = 0, OF_MEDIAN = 1 };

__device__ inline u64 magnitude(double value) { return (u64)__double_as_longlong(fabs(value)); }
__device__ inline bool is_number(u64 bits) { return bits <= 0x7FF0000000000000ull; }

// Number of `matched` values left after trimming, and the rank of the order statistic among them, from 1.
__device__ inline u32 kept_count(u32 matched, double trim) {
    return min((u32)ceil((double)matched * (1.0 - trim)), matched);
}
__device__ inline u32 rank_of(u32 matched, double trim, u32 which) {
    u32 kept = kept_count(matched, trim);
    return which == OF_CUTOFF ? kept : (kept + 1) / 2;
}

// The bin that contains a rank, the number of values in the bins before it, and in all bins.
struct RankBin {
    u32 bin, before, total;
};
// Finds the bin that contains `rank` (from 1), or the rank of the order statistic among all if `rank_of_total`. All 256
// threads of the block must call this.
__device__ inline RankBin find_bin(const u32* bins, u32 rank, bool rank_of_total, double trim, u32 which) {
    __shared__ u32 sums[256];
    __shared__ u32 answer[3];
    const u32 bins_per_thread = BINS / 256;
    u32 sum = 0;
    for (u32 i = 0; i < bins_per_thread; i++) sum += bins[threadIdx.x * bins_per_thread + i];
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
        u32 bin = threadIdx.x * bins_per_thread;
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

// Counts the values by exponent. Launch with 256 threads; the selection must be zeroed.
extern "C" __global__ void select_first(const double* values, u32 count, Selection* selection) {
    __shared__ u32 bins[BINS];
    clear_bins(bins);
    for (u32 i = thread_index(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(values[i]);
        if (is_number(bits)) atomicAdd(&bins[(u32)(bits >> FIRST_SHIFT)], 1u);
    }
    add_bins(bins, selection->first);
}

// Counts the values with the exponent of the rank by their next bits. Launch with 256 threads.
extern "C" __global__ void select_second(const double* values, u32 count, double trim, u32 which,
                                         Selection* selection) {
    __shared__ u32 bins[BINS];
    RankBin first = find_bin(selection->first, 0, true, trim, which);
    clear_bins(bins);
    for (u32 i = thread_index(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(values[i]);
        if (is_number(bits) && bits >> FIRST_SHIFT == first.bin) {
            atomicAdd(&bins[(u32)(bits >> SECOND_SHIFT) & (BINS - 1)], 1u);
        }
    }
    add_bins(bins, selection->second);
}

// Lists the candidates: the values in both bins of the rank, in any order, as only their values matter. Launch with 256
// threads.
extern "C" __global__ void select_list(const double* values, u32 count, double trim, u32 which, Selection* selection,
                                       u64* candidates) {
    RankBin first = find_bin(selection->first, 0, true, trim, which);
    RankBin second = find_bin(selection->second, rank_of(first.total, trim, which) - first.before, false, trim, which);
    u64 leading = (u64)first.bin << 11 | second.bin;
    for (u32 i = thread_index(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(values[i]);
        if (is_number(bits) && bits >> SECOND_SHIFT == leading) {
            candidates[atomicAdd(&selection->candidate_count, 1u)] = bits;
        }
    }
}

// Finds the value among the candidates, 11 bits at a time. Launch: 1 x 256.
extern "C" __global__ void select_last(double trim, u32 which, const Selection* selection, const u64* candidates,
                                       RobustStatistics* statistics) {
    __shared__ u32 bins[BINS];
    RankBin first = find_bin(selection->first, 0, true, trim, which);
    u32 rank = rank_of(first.total, trim, which) - first.before;
    RankBin second = find_bin(selection->second, rank, false, trim, which);
    rank -= second.before;
    u64 leading = (u64)first.bin << 11 | second.bin;
    u32 shift = SECOND_SHIFT;
    while (shift > 0) {
        u32 bits = min(shift, 11u);
        clear_bins(bins);
        for (u32 i = threadIdx.x; i < selection->candidate_count; i += blockDim.x) {
            if (candidates[i] >> shift == leading) {
                atomicAdd(&bins[(u32)(candidates[i] >> (shift - bits)) & ((1u << bits) - 1)], 1u);
            }
        }
        __syncthreads();
        RankBin next = find_bin(bins, rank, false, trim, which);
        rank -= next.before;
        leading = leading << bits | next.bin;
        shift -= bits;
        __syncthreads();
    }
    if (threadIdx.x > 0) return;
    double value = first.total ? __longlong_as_double((long long)leading) : 0.0;
    statistics->matched = first.total;
    if (which == OF_CUTOFF) statistics->cutoff = value; else statistics->median = value;
}
