// Summary statistics and histogram of many values; NaN means no data. Sums run by threads and blocks in a fixed order.
// Counterpart of compute/cpu/statistics.rs.
#include "lib/block_sum.cuh"

// Maximum number of bins of a histogram.
#define STATISTIC_BINS 1024u

struct Values {
    const double* values;
    u32 count;
    u32 bins;
    double allowed[2], range[2];
    double mean;  // for statistic_spread
};

struct Counts {
    u32 valid, allowed, below, above;
    u32 bins[STATISTIC_BINS];
};

// Bits of a double, transformed so that their ascending order is that of the values; NaN comes last.
__device__ inline u64 rank_bits(double value) {
    u64 bits = (u64)__double_as_longlong(value);
    if (value != value) return ~0ull;
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

// Low or high words of the keys, in `order`.
extern "C" __global__ void statistic_keys(Values v, u32 high, const u32* order, u32* keys) {
    u32 i = thread_index();
    if (i >= v.count) return;
    u64 bits = rank_bits(v.values[order[i]]);
    keys[i] = (u32)(high ? bits >> 32 : bits);
}

// Sums of the values and of their squares by block, and the counts of all blocks. Launch with 256 threads; the counts
// must be zeroed.
extern "C" __global__ void statistic_counts(Values v, double* sums, Counts* counts) {
    // Counts of the block.
    __shared__ Counts own;
    u32* words = (u32*)&own;
    for (u32 i = threadIdx.x; i < sizeof(Counts) / 4; i += blockDim.x) words[i] = 0;
    __syncthreads();
    double scale = (double)v.bins / (v.range[1] - v.range[0]), thread_sums[2] = {0.0, 0.0};
    for (u32 i = thread_index(); i < v.count; i += gridDim.x * blockDim.x) {
        double value = v.values[i];
        if (value != value) continue;
        thread_sums[0] += value;
        thread_sums[1] += value * value;
        atomicAdd(&own.valid, 1u);
        if (v.allowed[0] <= value && value <= v.allowed[1]) atomicAdd(&own.allowed, 1u);
        if (value < v.range[0]) atomicAdd(&own.below, 1u);
        else if (value > v.range[1]) atomicAdd(&own.above, 1u);
        else atomicAdd(&own.bins[min((u32)((value - v.range[0]) * scale), v.bins - 1)], 1u);
    }
    double block_total = block_sum<2>(thread_sums);
    if (threadIdx.x < 2) sums[2 * blockIdx.x + threadIdx.x] = block_total;
    u32* total = (u32*)counts;
    for (u32 i = threadIdx.x; i < sizeof(Counts) / 4; i += blockDim.x) {
        if (words[i]) atomicAdd(&total[i], words[i]);
    }
}

// Sums of squared deviations from the mean by block. Launch as statistic_counts.
extern "C" __global__ void statistic_spread(Values v, double* sums) {
    double squares[1] = {0.0};
    for (u32 i = thread_index(); i < v.count; i += gridDim.x * blockDim.x) {
        double value = v.values[i];
        if (value == value) squares[0] += (value - v.mean) * (value - v.mean);
    }
    double block_total = block_sum<1>(squares);
    if (threadIdx.x == 0) sums[blockIdx.x] = block_total;
}

// Values at the given ranks, from 0. Launch: 1 x `count`.
extern "C" __global__ void statistic_ranks(Values v, const u32* order, const u32* ranks, u32 count, double* found) {
    u32 i = threadIdx.x;
    if (i < count) found[i] = v.values[order[ranks[i]]];
}
