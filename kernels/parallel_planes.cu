// Sums of w, w d and w d d' over the points of many planes, d relative to the shift of the plane. Every point is read
// once. Counterpart of compute/cpu/parallel_planes.rs.
#include "lib/block_sum.cuh"

constexpr u32 MOMENTS = 10;
// Points that a thread loads before it adds the first of them.
constexpr u32 AHEAD = 4;

// Consecutive points of one plane, summed by one block.
struct Chunk {
    u64 first;
    u32 count;
    u32 plane;
};

struct Plane {
    Vec3 shift;        // origin of the plane's sums, mm relative to the origin of the points
    u32 first_chunk;
    u32 chunks;
};

// Adds a point of weight p.w; a weight of 0 masks any coordinate.
__device__ inline void add(double* sums, float4 p, Vec3 shift) {
    if (p.w == 0.0f) return;
    double x = (double)p.x - shift.x, y = (double)p.y - shift.y, z = (double)p.z - shift.z;
    double w = (double)p.w, wx = w * x, wy = w * y, wz = w * z;
    sums[0] += w;
    sums[1] += wx;
    sums[2] += wy;
    sums[3] += wz;
    sums[4] = fma(wx, x, sums[4]);
    sums[5] = fma(wx, y, sums[5]);
    sums[6] = fma(wx, z, sums[6]);
    sums[7] = fma(wy, y, sums[7]);
    sums[8] = fma(wy, z, sums[8]);
    sums[9] = fma(wz, z, sums[9]);
}

// Each block writes the partial sums of its chunk; the last block of a plane to finish adds those of the plane in a
// fixed order. Launch: one block of 256 threads per chunk. `done` counts the finished chunks of each plane: it must be
// zeroed, and is zero again afterwards.
extern "C" __global__ void plane_moments(const float4* points, const Chunk* chunks, const Plane* planes,
                                         double* partial, u32* done, double* moments) {
    __shared__ bool is_last;
    Chunk chunk = chunks[blockIdx.x];
    Plane plane = planes[chunk.plane];
    double sums[MOMENTS];
    #pragma unroll
    for (u32 term = 0; term < MOMENTS; term++) sums[term] = 0.0;
    for (u32 first = threadIdx.x; first < chunk.count; first += AHEAD * SUM_THREADS) {
        float4 prefetched[AHEAD];
        #pragma unroll
        for (u32 k = 0; k < AHEAD; k++) {
            u32 i = first + k * SUM_THREADS;
            prefetched[k] = __ldg(points + chunk.first + min(i, chunk.count - 1));
            if (i >= chunk.count) prefetched[k].w = 0.0f;
        }
        #pragma unroll
        for (u32 k = 0; k < AHEAD; k++) add(sums, prefetched[k], plane.shift);
    }
    double block_total = block_sum<MOMENTS>(sums);
    if (threadIdx.x < MOMENTS) partial[blockIdx.x * MOMENTS + threadIdx.x] = block_total;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&done[chunk.plane], 1u) + 1 == plane.chunks;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    #pragma unroll
    for (u32 term = 0; term < MOMENTS; term++) sums[term] = 0.0;
    const volatile double* plane_partial = partial + plane.first_chunk * MOMENTS;
    for (u32 i = threadIdx.x; i < plane.chunks; i += SUM_THREADS) {
        #pragma unroll
        for (u32 term = 0; term < MOMENTS; term++) sums[term] += plane_partial[i * MOMENTS + term];
    }
    double total = block_sum<MOMENTS>(sums);
    if (threadIdx.x < MOMENTS) moments[chunk.plane * MOMENTS + threadIdx.x] = total;
    if (threadIdx.x == 0) done[chunk.plane] = 0;
}
