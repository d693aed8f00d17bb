// Figures and a histogram of many values; NaN is no data. The twin of compute/cpu/statistics.rs; sums run by threads and
// blocks in a fixed order.
#include "lib/block_sum.cuh"

// Bins that a histogram has at most.
#define STATISTIC_BINS 1024u

struct Values {
    const double* values;
    u32 count;
    u32 bins;
    double allowed[2], range[2];
    double mean;  // in the second pass
};

struct Counts {
    u32 known, allowed, below, above;
    u32 bins[STATISTIC_BINS];
};

// Least first: bits of a double, turned so that they order as the values do; NaN comes last.
__device__ inline u64 rank_bits(double value) {
    u64 bits = (u64)__double_as_longlong(value);
    if (value != value) return ~0ull;
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

extern "C" __global__ void statistic_keys(Values v, u32 high, const u32* order, u32* keys) {
    u32 i = thread_number();
    if (i >= v.count) return;
    u64 bits = rank_bits(v.values[order[i]]);
    keys[i] = (u32)(high ? bits >> 32 : bits);
}

// The sums of each block, of values and of squares, and the counts of all. Launch with 256 threads; the counts are
// zero before.
extern "C" __global__ void statistic_counts(Values v, double* sums, Counts* counts) {
    __shared__ Counts own;
    u32* words = (u32*)&own;
    for (u32 i = threadIdx.x; i < sizeof(Counts) / 4; i += blockDim.x) words[i] = 0;
    __syncthreads();
    double scale = (double)v.bins / (v.range[1] - v.range[0]), own_sums[2] = {0.0, 0.0};
    for (u32 i = thread_number(); i < v.count; i += gridDim.x * blockDim.x) {
        double value = v.values[i];
        if (value != value) continue;
        own_sums[0] += value;
        own_sums[1] += value * value;
        atomicAdd(&own.known, 1u);
        if (v.allowed[0] <= value && value <= v.allowed[1]) atomicAdd(&own.allowed, 1u);
        if (value < v.range[0]) atomicAdd(&own.below, 1u);
        else if (value > v.range[1]) atomicAdd(&own.above, 1u);
        else atomicAdd(&own.bins[min((u32)((value - v.range[0]) * scale), v.bins - 1)], 1u);
    }
    double share = block_sum<2>(own_sums);
    if (threadIdx.x < 2) sums[2 * blockIdx.x + threadIdx.x] = share;
    u32* total = (u32*)counts;
    for (u32 i = threadIdx.x; i < sizeof(Counts) / 4; i += blockDim.x) {
        if (words[i]) atomicAdd(&total[i], words[i]);
    }
}

// The sum of squares about the mean of each block. Launch as statistic_counts.
extern "C" __global__ void statistic_spread(Values v, double* sums) {
    double squares[1] = {0.0};
    for (u32 i = thread_number(); i < v.count; i += gridDim.x * blockDim.x) {
        double value = v.values[i];
        if (value == value) squares[0] += (value - v.mean) * (value - v.mean);
    }
    double share = block_sum<1>(squares);
    if (threadIdx.x == 0) sums[blockIdx.x] = share;
}

// The values of some ranks. Launch: 1 x as many as there are.
extern "C" __global__ void statistic_ranks(Values v, const u32* order, const u32* ranks, u32 count, double* found) {
    u32 i = threadIdx.x;
    if (i < count) found[i] = v.values[order[ranks[i]]];
}
