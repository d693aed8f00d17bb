// Votes of point pairs for poses of a part. Counterpart of compute/cpu/pose_votes.rs and geometry/point_pairs.rs: counts
// are whole numbers and features have one order of operations, so both find the same bins.
#include "lib/vec.cuh"

// As in compute/pose_votes.rs.
constexpr u32 ANGLE_BINS = 30u;
constexpr u32 MAX_PEAKS = 4u;
// As in geometry/point_pairs.rs.
constexpr u32 ANGLE_STEPS = 15u;
constexpr u32 MAX_BUCKET_PAIRS = 2500u;
constexpr float PI_32 = 3.14159274f;
// Threads of a block.
constexpr u32 VOTERS = 256u;

// A point and its normal about the centre of the scene, and two axes that complete the normal to a frame.
struct LocalPoint {
    float point[3], normal[3], axes[2][3];
};

// A pair of points of the part: its first point, and the direction of the second about the normal of the first in 65536ths
// of a turn.
struct Pair {
    unsigned short first, direction;
};

struct Ballot {
    const LocalPoint* points;      // of the scene
    const LocalPoint* references;  // those whose pairs vote
    const u32* starts;             // first entry of each bucket, and one past the last
    const Pair* entries;
    u32* counts;                   // by block: votes of each bin
    u32 point_count, reference_count;
    u32 slots;                     // bins: points of the part times ANGLE_BINS
    u32 distance_steps;
    float steps_per_mm, reach_mm2;
    u32 oriented, pad;
};

// A bin with many votes.
struct Bin {
    u32 votes, slot;
};

__device__ inline float dot3(const float* a, const float* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

__device__ inline u32 angle_bin(float cosine) {
    float x = min(fabsf(cosine), 1.0f);
    float root = sqrtf(1.0f - x);
    float angle = root * (1.5707288f + x * (-0.2121144f + x * (0.074261f + x * -0.0187293f)));
    angle = cosine < 0.0f ? PI_32 - angle : angle;
    return min((u32)(angle * ((float)ANGLE_STEPS / PI_32)), ANGLE_STEPS - 1u);
}

__device__ inline u32 turn(float y, float x) {
    float across = fabsf(y), along = fabsf(x);
    float ratio = min(across, along) / max(max(across, along), 1e-30f);
    float square = ratio * ratio;
    float series =
        0.999866f + square * (-0.3302995f + square * (0.180141f + square * (-0.085133f + square * 0.0208351f)));
    float eighth = ratio * series * (0.5f / PI_32);
    float quarter = across > along ? 0.25f - eighth : eighth;
    float half = x < 0.0f ? 0.5f - quarter : quarter;
    float whole = y < 0.0f ? 1.0f - half : half;
    return (u32)(whole * 65536.0f) & 0xFFFFu;
}

__device__ inline void vote(const Ballot& ballot, const LocalPoint& first, const float* normal, const float* line,
                            float squared, u32 direction, u32* counts) {
    float distance = sqrtf(squared);
    u32 step = (u32)(distance * ballot.steps_per_mm);
    if (distance <= 0.0f || step >= ballot.distance_steps) return;
    float inverse = 1.0f / distance;
    u32 key = step * ANGLE_STEPS + angle_bin(dot3(first.normal, line) * inverse);
    key = key * ANGLE_STEPS + angle_bin(dot3(normal, line) * inverse);
    key = key * ANGLE_STEPS + angle_bin(dot3(first.normal, normal));
    u32 from = __ldg(ballot.starts + key), to = __ldg(ballot.starts + key + 1);
    if (to - from > MAX_BUCKET_PAIRS) return;
    for (u32 i = from; i < to; i++) {
        Pair pair = ballot.entries[i];
        u32 between = ((u32)pair.direction - direction) & 0xFFFFu;
        atomicAdd(&counts[(u32)pair.first * ANGLE_BINS + ((between * ANGLE_BINS) >> 16)], 1u);
    }
}

// Votes of a bin with half those of its neighbours, doubled; 0 if it is empty itself.
__device__ inline u32 smoothed(const u32* counts, u32 slot) {
    u32 own = counts[slot];
    if (own == 0) return 0;
    u32 bin = slot % ANGLE_BINS;
    u32 next = bin == ANGLE_BINS - 1 ? slot - bin : slot + 1;
    u32 before = bin == 0 ? slot + ANGLE_BINS - 1 : slot - 1;
    return 2 * own + counts[next] + counts[before];
}

// The bins with the most votes of each reference point. Launch with VOTERS threads and as many blocks as `counts` has room
// for; blocks take the reference points in turn.
extern "C" __global__ void count_pose_votes(Ballot ballot, Bin* bins) {
    __shared__ LocalPoint first;
    __shared__ u64 found[VOTERS];
    u32* counts = ballot.counts + (u64)blockIdx.x * ballot.slots;
    for (u32 reference = blockIdx.x; reference < ballot.reference_count; reference += gridDim.x) {
        for (u32 slot = threadIdx.x; slot < ballot.slots; slot += VOTERS) counts[slot] = 0;
        if (threadIdx.x == 0) first = ballot.references[reference];
        __syncthreads();
        for (u32 i = threadIdx.x; i < ballot.point_count; i += VOTERS) {
            const LocalPoint& other = ballot.points[i];
            float line[3], normal[3];
            for (u32 axis = 0; axis < 3; axis++) line[axis] = other.point[axis] - first.point[axis];
            float squared = dot3(line, line);
            if (squared >= ballot.reach_mm2) continue;
            u32 direction = turn(-dot3(first.axes[1], line), dot3(first.axes[0], line));
            for (u32 axis = 0; axis < 3; axis++) normal[axis] = other.normal[axis];
            vote(ballot, first, normal, line, squared, direction, counts);
            if (ballot.oriented) continue;
            for (u32 axis = 0; axis < 3; axis++) normal[axis] = -normal[axis];
            vote(ballot, first, normal, line, squared, direction, counts);
        }
        __syncthreads();
        // Of equal ones the first: keys are larger for lower slots.
        u64 best[MAX_PEAKS] = {0, 0, 0, 0};
        for (u32 slot = threadIdx.x; slot < ballot.slots; slot += VOTERS) {
            u32 votes = smoothed(counts, slot);
            if (votes == 0) continue;
            u64 key = (u64)votes << 32 | (0xFFFFFFFFu - slot);
            #pragma unroll
            for (u32 rank = 0; rank < MAX_PEAKS; rank++) {
                if (key <= best[rank]) continue;
                u64 lower = best[rank];
                best[rank] = key;
                key = lower;
            }
        }
        u32 taken = 0;
        for (u32 rank = 0; rank < MAX_PEAKS; rank++) {
            u64 own = taken < MAX_PEAKS ? best[taken] : 0;
            found[threadIdx.x] = own;
            __syncthreads();
            for (u32 half = VOTERS / 2; half > 0; half /= 2) {
                if (threadIdx.x < half) found[threadIdx.x] = max(found[threadIdx.x], found[threadIdx.x + half]);
                __syncthreads();
            }
            u64 top = found[0];
            if (own != 0 && own == top) taken++;
            if (threadIdx.x == 0) {
                bins[(u64)reference * MAX_PEAKS + rank] =
                    top == 0 ? Bin{0, 0} : Bin{(u32)(top >> 32), 0xFFFFFFFFu - (u32)top};
            }
            __syncthreads();
        }
    }
}
