// The nearest of resident points: by the tree, by one leaf of it, by looking at all, and by a walk on the Delaunay graph.
// Distances are sieved in f32 and decided in f64; where two are equal the lower number wins.
#pragma once
#include "points.cuh"

// The best so far: its place in tree order, NONE at first.
struct Nearest {
    double squared;  // mm^2
    u32 at;
    u32 number;
};

__device__ inline double squared_distance(const Points& points, u32 at, Vec3 place) {
    Vec3 away = place - place_at(points.places, at);
    return dot(away, away);
}

__device__ inline void offer(const Points& points, u32 at, u32 number, Vec3 place, Nearest& nearest) {
    double squared = squared_distance(points, at, place);
    if (squared < nearest.squared || (squared == nearest.squared && number < nearest.number)) {
        nearest = {squared, at, number};
    }
}

// A place in f32 about the centre, and the squared distance that the sieve lets through.
struct PointSieve {
    float3 local;
    float error;  // twice that of a distance, mm, rounded up
    float limit;
};

__device__ inline PointSieve point_sieve(const Points& points, Vec3 place) {
    Vec3 about = place - points.centre;
    double error = 2.0 * FILTER_ERROR * (points.reach_mm + reach_of(about));
    return {to_float3(about), __double2float_ru(error), 3e38f};
}

// Nothing farther than this one can be the nearest.
__device__ inline void tighten(PointSieve& sieve, float squared) {
    float widened = sqrtf(squared) + sieve.error;
    sieve.limit = min(sieve.limit, widened * widened * (float)(1.0 + 8.0 * FILTER_ERROR));
}

__device__ inline float squared32(float4 p, float3 local) {
    float x = p.x - local.x, y = p.y - local.y, z = p.z - local.z;
    return __fmaf_rn(z, z, __fmaf_rn(y, y, x * x));
}

#define POINT_LEAF 8u

__device__ inline void offer_leaf(const Points& points, u32 code, Vec3 place, PointSieve& sieve, Nearest& nearest) {
    u32 first = leaf_first(code), count = leaf_count(code), passed = 0;
    float distances[POINT_LEAF], least = 3e38f;
    #pragma unroll
    for (u32 k = 0; k < POINT_LEAF; k++) {
        distances[k] = squared32(__ldg(points.sieve + first + min(k, count - 1)), sieve.local);
        least = min(least, distances[k]);
    }
    if (!(least <= sieve.limit)) return;
    tighten(sieve, least);
    #pragma unroll
    for (u32 k = 0; k < POINT_LEAF; k++) passed |= (u32)(k < count && distances[k] <= sieve.limit) << k;
    while (passed) {
        u32 at = first + __ffs((int)passed) - 1;
        passed &= passed - 1;
        offer(points, at, __float_as_uint(__ldg(&points.sieve[at].w)), place, nearest);
    }
}

__device__ inline Nearest nothing() { return {__longlong_as_double(0x7FF0000000000000ll), NONE, NONE}; }

// Shows `visit` the code of each leaf whose box lies within the sieve's limit, which it may lower: down to the nearer child,
// and back up where the other may be nearer still.
template <class Visit>
__device__ inline void visit_near_leaves(const Points& points, const PointSieve& sieve, Visit visit) {
    u32 codes[STACK];
    float distances[STACK];
    u32 top = 0, code = points.root;
    while (code != NONE) {
        while (!(code & LEAF_BIT)) {
            Children node = children(points.nodes, code);
            float near = distance0(node, sieve.local), far = distance1(node, sieve.local);
            bool swaps = far < near;
            u32 other = swaps ? node.codes.x : node.codes.y;
            code = swaps ? node.codes.y : node.codes.x;
            float beyond = max(near, far);
            if (beyond <= sieve.limit) {
                codes[top] = other;
                distances[top++] = beyond;
            }
            if (!(min(near, far) <= sieve.limit)) code = NONE;
        }
        if (code != NONE) visit(code);
        code = NONE;
        while (top > 0 && code == NONE) {
            top--;
            if (distances[top] <= sieve.limit) code = codes[top];
        }
    }
}

// Within a distance, which may be infinite.
__device__ inline Nearest nearest_by_tree(const Points& points, Vec3 place, double max_distance_mm) {
    Nearest nearest = {max_distance_mm * max_distance_mm, NONE, NONE};
    // NaN fails this, too.
    if (!(reach_of(place) < 1e300)) return nearest;
    PointSieve sieve = point_sieve(points, place);
    tighten(sieve, __double2float_ru(nearest.squared));
    visit_near_leaves(points, sieve, [&](u32 code) { offer_leaf(points, code, place, sieve, nearest); });
    return nearest;
}

// The nearest ones, up to `wanted` of at most K, nearest first; of two that are equally near the lower number first.
template <u32 K>
struct Neighbours {
    double squared[K];
    u32 numbers[K];
    u32 count, wanted;
};

template <u32 K>
__device__ inline void offer_neighbour(double squared, u32 number, Neighbours<K>& found) {
    bool is_full = found.count == found.wanted;
    u32 place = is_full ? found.count - 1 : found.count++;
    if (is_full && !(squared < found.squared[place] || (squared == found.squared[place] && number < found.numbers[place]))) {
        return;
    }
    for (; place > 0; place--) {
        double before = found.squared[place - 1];
        if (before < squared || (before == squared && found.numbers[place - 1] < number)) break;
        found.squared[place] = before;
        found.numbers[place] = found.numbers[place - 1];
    }
    found.squared[place] = squared;
    found.numbers[place] = number;
}

// `wanted` is at least 1.
template <u32 K>
__device__ inline void nearest_neighbours(const Points& points, Vec3 place, u32 wanted, Neighbours<K>& found) {
    found.count = 0;
    found.wanted = wanted;
    if (!(reach_of(place) < 1e300)) return;
    PointSieve sieve = point_sieve(points, place);
    visit_near_leaves(points, sieve, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 i = first; i < first + count; i++) {
            float4 point = __ldg(points.sieve + i);
            if (!(squared32(point, sieve.local) <= sieve.limit)) continue;
            offer_neighbour(squared_distance(points, i, place), __float_as_uint(point.w), found);
            if (found.count == wanted) tighten(sieve, __double2float_ru(found.squared[wanted - 1]));
        }
    });
}

// Down to the nearer child, never back up (Greenspan and Yurick 2003): near, not always the nearest.
__device__ inline Nearest nearest_in_leaf(const Points& points, Vec3 place) {
    Nearest nearest = nothing();
    PointSieve sieve = point_sieve(points, place);
    u32 code = points.root;
    while (!(code & LEAF_BIT)) {
        Children node = children(points.nodes, code);
        code = distance1(node, sieve.local) < distance0(node, sieve.local) ? node.codes.y : node.codes.x;
    }
    if (code != NONE) offer_leaf(points, code, place, sieve, nearest);
    return nearest;
}

#define TILE 1024u

// Looks at all points; every one is read from memory once a block. All threads of the block call this together.
__device__ inline Nearest nearest_of_all(const Points& points, Vec3 place) {
    __shared__ float4 tile[TILE];
    Nearest nearest = nothing();
    PointSieve sieve = point_sieve(points, place);
    for (u32 first = 0; first < points.count; first += TILE) {
        u32 count = min(TILE, points.count - first);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += blockDim.x) tile[k] = __ldg(points.sieve + first + k);
        __syncthreads();
        #pragma unroll 8
        for (u32 k = 0; k < count; k++) {
            float squared = squared32(tile[k], sieve.local);
            if (squared <= sieve.limit) {
                tighten(sieve, squared);
                offer(points, first + k, __float_as_uint(tile[k].w), place, nearest);
            }
        }
    }
    return nearest;
}

// The Delaunay graph, by places in tree order.
struct Graph {
    const uint2* rows;    // first and one past the last edge of each point
    const float4* edges;  // the neighbour about the centre; w: its place in tree order, bit by bit
    u32 middle;           // where walks start that know of no better place
    u32 pad;
};

// From `start` each time to the neighbour nearest to the place; `visited` counts the points stood on.
__device__ inline Nearest nearest_by_walk(const Points& points, const Graph& graph, Vec3 place, u32 start, u32& visited) {
    PointSieve sieve = point_sieve(points, place);
    Nearest nearest = {squared_distance(points, start, place), start, __float_as_uint(__ldg(&points.sieve[start].w))};
    u32 here;
    do {
        here = nearest.at;
        visited++;
        sieve.limit = 3e38f;
        tighten(sieve, __double2float_ru(nearest.squared));
        uint2 row = __ldg(graph.rows + here);
        for (u32 edge = row.x; edge < row.y; edge++) {
            float4 neighbour = __ldg(graph.edges + edge);
            if (!(squared32(neighbour, sieve.local) <= sieve.limit)) continue;
            u32 at = __float_as_uint(neighbour.w);
            offer(points, at, __float_as_uint(__ldg(&points.sieve[at].w)), place, nearest);
        }
    } while (nearest.at != here);
    return nearest;
}
