// The nearest references of each of some descriptors. Counterpart of compute/cpu/nearest_descriptors.rs: sums run in the
// order of the values, so both find the same distances.
#include "lib/vec.cuh"

// As in geometry/local_features/histograms.rs.
constexpr u32 LENGTH = 33u;
// Threads of a block that finds distances, references of each, and queries that it compares them with. As in
// compute/cuda/nearest_descriptors.rs.
constexpr u32 COLUMNS = 128u;
constexpr u32 PER_THREAD = 2u;
constexpr u32 TILE = 32u;
// Threads of a block that finds the nearest.
constexpr u32 FINDERS = 256u;
constexpr u32 WARP = 32u;
constexpr u64 NO_KEY = ~0ull;

struct Request {
    const float* references;  // by value, then by reference
    const float* queries;     // LENGTH each
    float* squared;           // by query, then by reference
    u64* keys;                // by query: bits of the squared distance, then index of the reference; ascending
    u32 reference_count, query_count;
    u32 count;                // nearest of each query, at most the references
    u32 pad;
};

// Squared distances of all pairs. Launch with COLUMNS threads and a block for each TILE of queries and each COLUMNS *
// PER_THREAD references: references of one tile first.
extern "C" __global__ void descriptor_distances(Request request) {
    __shared__ float tile[TILE][LENGTH];
    const u32 span = COLUMNS * PER_THREAD;
    const u32 across = (request.reference_count + span - 1u) / span;
    const u32 first_query = blockIdx.x / across * TILE, first = blockIdx.x % across * span + threadIdx.x;
    const u32 queries = min(TILE, request.query_count - first_query);
    for (u32 i = threadIdx.x; i < queries * LENGTH; i += COLUMNS) {
        tile[i / LENGTH][i % LENGTH] = request.queries[(u64)first_query * LENGTH + i];
    }
    float own[PER_THREAD][LENGTH];
    #pragma unroll
    for (u32 k = 0; k < PER_THREAD; k++) {
        u32 reference = min(first + k * COLUMNS, request.reference_count - 1u);
        #pragma unroll
        for (u32 value = 0; value < LENGTH; value++) {
            own[k][value] = request.references[(u64)value * request.reference_count + reference];
        }
    }
    __syncthreads();
    for (u32 query = 0; query < queries; query++) {
        float sums[PER_THREAD];
        #pragma unroll
        for (u32 k = 0; k < PER_THREAD; k++) sums[k] = 0.0f;
        #pragma unroll
        for (u32 value = 0; value < LENGTH; value++) {
            float wanted = tile[query][value];
            #pragma unroll
            for (u32 k = 0; k < PER_THREAD; k++) {
                float apart = wanted - own[k][value];
                sums[k] += apart * apart;
            }
        }
        float* row = request.squared + (u64)(first_query + query) * request.reference_count;
        #pragma unroll
        for (u32 k = 0; k < PER_THREAD; k++) {
            u32 reference = first + k * COLUMNS;
            if (reference < request.reference_count) row[reference] = sums[k];
        }
    }
}

// The least key of a thread's references beyond one that was taken.
__device__ inline u64 least_beyond(const float* row, u32 count, u64 taken, bool any) {
    u64 least = NO_KEY;
    for (u32 i = threadIdx.x; i < count; i += FINDERS) {
        u64 key = (u64)__float_as_uint(row[i]) << 32 | i;
        if (key < least && (any || key > taken)) least = key;
    }
    return least;
}

// The nearest references of a query: the least of all threads is taken, and the thread that gave it looks for its next.
// Launch with FINDERS threads and a block for each query.
extern "C" __global__ void nearest_descriptors(Request request) {
    __shared__ u64 leasts[FINDERS / WARP];
    const float* row = request.squared + (u64)blockIdx.x * request.reference_count;
    u64* keys = request.keys + (u64)blockIdx.x * request.count;
    u64 own = least_beyond(row, request.reference_count, 0, true);
    for (u32 rank = 0; rank < request.count; rank++) {
        u64 least = own;
        #pragma unroll
        for (u32 half = WARP / 2; half > 0; half /= 2) least = min(least, __shfl_down_sync(0xFFFFFFFFu, least, half));
        if (threadIdx.x % WARP == 0) leasts[threadIdx.x / WARP] = least;
        __syncthreads();
        least = leasts[0];
        #pragma unroll
        for (u32 warp = 1; warp < FINDERS / WARP; warp++) least = min(least, leasts[warp]);
        if (threadIdx.x == 0) keys[rank] = least;
        if (own == least) own = least_beyond(row, request.reference_count, least, false);
        __syncthreads();
    }
}
