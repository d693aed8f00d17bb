// Sums over a block of 256 threads.
#pragma once
#include "vec.cuh"

#define SUM_THREADS 256u

// Adds the TERMS `sums` of all threads in a fixed order. Thread t < TERMS returns the total of term t, others 0. All
// threads of the block must call it.
template <u32 TERMS>
__device__ inline double block_sum(const double* sums) {
    __shared__ double of_warps[SUM_THREADS / 32][TERMS];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) {
        double sum = sums[term];
        for (u32 offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
        if (lane == 0) of_warps[warp][term] = sum;
    }
    __syncthreads();
    double sum = 0.0;
    if (threadIdx.x < TERMS) {
        for (u32 w = 0; w < SUM_THREADS / 32; w++) sum += of_warps[w][threadIdx.x];
    }
    __syncthreads();
    return sum;
}
