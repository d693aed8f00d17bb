// Exact order statistics of the sizes of many values: doubles that are not negative order as their bits do. Two counts of
// eleven bits each leave few candidates, which one block sorts out. NaN are not among the values.
#include "lib/spread.cuh"

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

enum Rank : u32 { OF_CUT = 0, OF_MEDIAN = 1 };

__device__ inline u64 magnitude(double value) { return (u64)__double_as_longlong(fabs(value)); }
__device__ inline bool is_number(u64 bits) { return bits <= 0x7FF0000000000000ull; }

// How many of `matched` values take part, and which of them is asked for, from 1.
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
extern "C" __global__ void select_first(const double* values, u32 count, Selection* selection) {
    __shared__ u32 bins[BINS];
    clear_bins(bins);
    for (u32 i = thread_number(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(values[i]);
        if (is_number(bits)) atomicAdd(&bins[(u32)(bits >> FIRST_SHIFT)], 1u);
    }
    add_bins(bins, selection->first);
}

// Counts by the next bits those with the exponent that holds the rank. Launch with 256 threads.
extern "C" __global__ void select_second(const double* values, u32 count, double trim, u32 which, Selection* selection) {
    __shared__ u32 bins[BINS];
    Found first = find_bin(selection->first, 0, true, trim, which);
    clear_bins(bins);
    for (u32 i = thread_number(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(values[i]);
        if (is_number(bits) && bits >> FIRST_SHIFT == first.bin) atomicAdd(&bins[(u32)(bits >> SECOND_SHIFT) & (BINS - 1)], 1u);
    }
    add_bins(bins, selection->second);
}

// Lists those that share both; in any order, as only their values count. Launch with 256 threads.
extern "C" __global__ void select_list(const double* values, u32 count, double trim, u32 which, Selection* selection, u64* list) {
    Found first = find_bin(selection->first, 0, true, trim, which);
    Found second = find_bin(selection->second, rank_of(first.total, trim, which) - first.before, false, trim, which);
    u64 leading = (u64)first.bin << 11 | second.bin;
    for (u32 i = thread_number(); i < count; i += gridDim.x * blockDim.x) {
        u64 bits = magnitude(values[i]);
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
