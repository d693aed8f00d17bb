// Sorts 32-bit keys with their values, 8 bits per pass: count, scan, scatter. Stable, and independent of the order in
// which blocks run.
#include "lib/vec.cuh"

#define DIGITS 256u
#define WARPS 8u
// Keys per warp, and per block of 256 threads.
#define WARP_KEYS 512u
#define BLOCK_KEYS (WARPS * WARP_KEYS)

__device__ inline u32 digit_of(u32 key, u32 shift) { return key >> shift & (DIGITS - 1); }

// counts[digit * blocks + block]: number of keys of the block with the digit. Launch: ceil(count / BLOCK_KEYS) x 256.
extern "C" __global__ void radix_count(const u32* keys, u32 count, u32 shift, u32* counts) {
    __shared__ u32 found[DIGITS];
    found[threadIdx.x] = 0;
    __syncthreads();
    u32 start = blockIdx.x * BLOCK_KEYS;
    for (u32 i = threadIdx.x; i < BLOCK_KEYS; i += blockDim.x) {
        if (start + i < count) atomicAdd(&found[digit_of(keys[start + i], shift)], 1u);
    }
    __syncthreads();
    counts[threadIdx.x * gridDim.x + blockIdx.x] = found[threadIdx.x];
}

// Replaces `values` by their exclusive prefix sums. Launch: 1 x 1024.
extern "C" __global__ void exclusive_scan(u32* values, u32 count) {
    __shared__ u32 sums[1024];
    u32 per_thread = (count + blockDim.x - 1) / blockDim.x;
    u32 from = min(threadIdx.x * per_thread, count), to = min(from + per_thread, count);
    u32 sum = 0;
    for (u32 i = from; i < to; i++) sum += values[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (u32 step = 1; step < blockDim.x; step *= 2) {
        u32 before = threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
        __syncthreads();
        sums[threadIdx.x] += before;
        __syncthreads();
    }
    u32 running = sums[threadIdx.x] - sum;
    for (u32 i = from; i < to; i++) {
        u32 value = values[i];
        values[i] = running;
        running += value;
    }
}

// Values per block of 256 threads of scan_blocks.
#define SCAN_VALUES 8u
#define SCAN_BLOCK (256u * SCAN_VALUES)

// Exclusive prefix sums within blocks, and the total of each. Launch: ceil(count / SCAN_BLOCK) x 256.
extern "C" __global__ void scan_blocks(const u32* values, u32 count, u32* sums, u32* totals) {
    __shared__ u32 of_threads[256];
    u32 start = blockIdx.x * SCAN_BLOCK + threadIdx.x * SCAN_VALUES, own = 0;
    for (u32 i = start; i < min(start + SCAN_VALUES, count); i++) own += values[i];
    of_threads[threadIdx.x] = own;
    __syncthreads();
    for (u32 step = 1; step < 256; step *= 2) {
        u32 before = threadIdx.x >= step ? of_threads[threadIdx.x - step] : 0;
        __syncthreads();
        of_threads[threadIdx.x] += before;
        __syncthreads();
    }
    u32 running = of_threads[threadIdx.x] - own;
    for (u32 i = start; i < min(start + SCAN_VALUES, count); i++) {
        u32 value = values[i];
        sums[i] = running;
        running += value;
    }
    if (threadIdx.x == 255) totals[blockIdx.x] = of_threads[255];
}

// Adds the sums of the blocks before. Launch as scan_blocks.
extern "C" __global__ void scan_add(const u32* totals, u32 count, u32* sums) {
    u32 start = blockIdx.x * SCAN_BLOCK, end = min(start + SCAN_BLOCK, count);
    for (u32 i = start + threadIdx.x; i < end; i += blockDim.x) sums[i] += totals[blockIdx.x];
}

// Moves keys and values to their sorted positions; `starts` are the scanned counts. Launch as radix_count.
extern "C" __global__ void radix_scatter(const u32* keys, const u32* values, u32 count, u32 shift, const u32* starts,
                                         u32* keys_out, u32* values_out) {
    __shared__ u32 next[WARPS][DIGITS];
    u32 warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    u32 start = blockIdx.x * BLOCK_KEYS + warp * WARP_KEYS;
    for (u32 i = threadIdx.x; i < WARPS * DIGITS; i += blockDim.x) next[i / DIGITS][i % DIGITS] = 0;
    __syncthreads();
    for (u32 row = 0; row < WARP_KEYS; row += 32) {
        u32 i = start + row + lane;
        if (i < count) atomicAdd(&next[warp][digit_of(keys[i], shift)], 1u);
    }
    __syncthreads();
    // Output is in the order of the warps: thread d turns the counts of digit d per warp into first positions.
    u32 position = starts[threadIdx.x * gridDim.x + blockIdx.x];
    for (u32 w = 0; w < WARPS; w++) {
        u32 of_warp = next[w][threadIdx.x];
        next[w][threadIdx.x] = position;
        position += of_warp;
    }
    __syncthreads();
    for (u32 row = 0; row < WARP_KEYS; row += 32) {
        u32 i = start + row + lane;
        bool valid = i < count;
        u32 key = valid ? keys[i] : 0;
        u32 digit = valid ? digit_of(key, shift) : DIGITS;
        u32 same = __match_any_sync(0xFFFFFFFFu, digit);
        u32 rank = __popc(same & ((1u << lane) - 1));
        u32 base = valid ? next[warp][digit] : 0;
        __syncwarp();
        if (valid && rank == 0) next[warp][digit] = base + __popc(same);
        __syncwarp();
        if (valid) {
            keys_out[base + rank] = key;
            values_out[base + rank] = values[i];
        }
    }
}
