// Nearest of the points on the device: by the tree, by one leaf of it, by brute force, and by a walk on the Delaunay
// graph. Pre-filtered in f32, decided in f64; ties go to the lowest point index.
#pragma once
#include "points.cuh"

// The nearest point found so far; NONE if there is none.
struct Nearest {
    double squared;  // distance, mm^2
    u32 tree_index;
    u32 index;
};

__device__ inline double squared_distance(const Points& points, u32 tree_index, Vec3 query) {
    Vec3 away = query - position_at(points.positions, tree_index);
    return dot(away, away);
}

__device__ inline void offer(const Points& points, u32 tree_index, u32 index, Vec3 query, Nearest& nearest) {
    double squared = squared_distance(points, tree_index, query);
    if (squared < nearest.squared || (squared == nearest.squared && index < nearest.index)) {
        nearest = {squared, tree_index, index};
    }
}

// The f32 pre-filter of one query.
struct PreFilter {
    float3 local;  // query about the centre, mm
    float error;   // twice the error of a distance, mm, rounded up
    float limit;   // squared distance up to which points pass, mm^2
};

__device__ inline PreFilter pre_filter_of(const Points& points, Vec3 query) {
    Vec3 about = query - points.centre;
    double error = 2.0 * FILTER_ERROR * (points.half_extent_mm + max_abs(about));
    return {to_float3(about), __double2float_ru(error), 3e38f};
}

// Lowers the limit to a squared distance found, widened by the error.
__device__ inline void tighten(PreFilter& filter, float squared) {
    float widened = sqrtf(squared) + filter.error;
    filter.limit = min(filter.limit, widened * widened * (float)(1.0 + 8.0 * FILTER_ERROR));
}

__device__ inline float squared32(float4 p, float3 local) {
    float x = p.x - local.x, y = p.y - local.y, z = p.z - local.z;
    return __fmaf_rn(z, z, __fmaf_rn(y, y, x * x));
}

// Maximum number of points per leaf.
#define POINT_LEAF 8u

__device__ inline void offer_leaf(const Points& points, u32 code, Vec3 query, PreFilter& filter, Nearest& nearest) {
    u32 first = leaf_first(code), count = leaf_count(code), passed = 0;
    float squared[POINT_LEAF], min_squared = 3e38f;
    #pragma unroll
    for (u32 k = 0; k < POINT_LEAF; k++) {
        squared[k] = squared32(__ldg(points.pre_filter + first + min(k, count - 1)), filter.local);
        min_squared = min(min_squared, squared[k]);
    }
    if (!(min_squared <= filter.limit)) return;
    tighten(filter, min_squared);
    #pragma unroll
    for (u32 k = 0; k < POINT_LEAF; k++) passed |= (u32)(k < count && squared[k] <= filter.limit) << k;
    while (passed) {
        u32 tree_index = first + __ffs((int)passed) - 1;
        passed &= passed - 1;
        offer(points, tree_index, __float_as_uint(__ldg(&points.pre_filter[tree_index].w)), query, nearest);
    }
}

__device__ inline Nearest no_match() { return {__longlong_as_double(0x7FF0000000000000ll), NONE, NONE}; }

// Calls `visit` with the code of each leaf whose box lies within the limit of the pre-filter, which `visit` may lower.
// Descends to the nearer child first and backtracks where the other may be nearer still.
template <class Visit>
__device__ inline void visit_near_leaves(const Points& points, const PreFilter& filter, Visit visit) {
    u32 codes[MAX_DEPTH];
    float distances[MAX_DEPTH];
    u32 top = 0, code = points.root;
    while (code != NONE) {
        while (!(code & LEAF_BIT)) {
            Children node = children(points.nodes, code);
            float first = distance0(node, filter.local), second = distance1(node, filter.local);
            bool swaps = second < first;
            u32 other = swaps ? node.codes.x : node.codes.y;
            code = swaps ? node.codes.y : node.codes.x;
            float farther = max(first, second);
            if (farther <= filter.limit) {
                codes[top] = other;
                distances[top++] = farther;
            }
            if (!(min(first, second) <= filter.limit)) code = NONE;
        }
        if (code != NONE) visit(code);
        code = NONE;
        while (top > 0 && code == NONE) {
            top--;
            if (distances[top] <= filter.limit) code = codes[top];
        }
    }
}

// Nearest point within `max_distance_mm`, inclusive, which may be infinite.
__device__ inline Nearest nearest_by_tree(const Points& points, Vec3 query, double max_distance_mm) {
    Nearest nearest = {max_distance_mm * max_distance_mm, NONE, NONE};
    // Also false for NaN.
    if (!(max_abs(query) < 1e300)) return nearest;
    PreFilter filter = pre_filter_of(points, query);
    tighten(filter, __double2float_ru(nearest.squared));
    visit_near_leaves(points, filter, [&](u32 code) { offer_leaf(points, code, query, filter, nearest); });
    return nearest;
}

// The nearest points, up to `wanted` <= K, in ascending order of distance; ties in ascending order of point index.
template <u32 K>
struct Neighbours {
    double squared[K];  // distances, mm^2
    u32 indices[K];
    u32 count, wanted;
};

template <u32 K>
__device__ inline void offer_neighbour(double squared, u32 index, Neighbours<K>& found) {
    bool is_full = found.count == found.wanted;
    u32 slot = is_full ? found.count - 1 : found.count++;
    if (is_full &&
        !(squared < found.squared[slot] || (squared == found.squared[slot] && index < found.indices[slot]))) {
        return;
    }
    for (; slot > 0; slot--) {
        double before = found.squared[slot - 1];
        if (before < squared || (before == squared && found.indices[slot - 1] < index)) break;
        found.squared[slot] = before;
        found.indices[slot] = found.indices[slot - 1];
    }
    found.squared[slot] = squared;
    found.indices[slot] = index;
}

// `wanted` must be at least 1.
template <u32 K>
__device__ inline void nearest_neighbours(const Points& points, Vec3 query, u32 wanted, Neighbours<K>& found) {
    found.count = 0;
    found.wanted = wanted;
    if (!(max_abs(query) < 1e300)) return;
    PreFilter filter = pre_filter_of(points, query);
    visit_near_leaves(points, filter, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 i = first; i < first + count; i++) {
            float4 point = __ldg(points.pre_filter + i);
            if (!(squared32(point, filter.local) <= filter.limit)) continue;
            offer_neighbour(squared_distance(points, i, query), __float_as_uint(point.w), found);
            if (found.count == wanted) tighten(filter, __double2float_ru(found.squared[wanted - 1]));
        }
    });
}

// Nearest point in the leaf reached by descending to the nearer child without backtracking (Greenspan and Yurick 2003):
// approximate, not always the nearest of all.
__device__ inline Nearest nearest_in_leaf(const Points& points, Vec3 query) {
    Nearest nearest = no_match();
    PreFilter filter = pre_filter_of(points, query);
    u32 code = points.root;
    while (!(code & LEAF_BIT)) {
        Children node = children(points.nodes, code);
        code = distance1(node, filter.local) < distance0(node, filter.local) ? node.codes.y : node.codes.x;
    }
    if (code != NONE) offer_leaf(points, code, query, filter, nearest);
    return nearest;
}

// Points held in shared memory at a time.
#define TILE_POINTS 1024u

// Brute force: tests every point, loaded from global memory once per block. All threads of the block must call it.
__device__ inline Nearest nearest_of_all(const Points& points, Vec3 query) {
    __shared__ float4 tile[TILE_POINTS];
    Nearest nearest = no_match();
    PreFilter filter = pre_filter_of(points, query);
    for (u32 first = 0; first < points.count; first += TILE_POINTS) {
        u32 count = min(TILE_POINTS, points.count - first);
        __syncthreads();
        for (u32 k = threadIdx.x; k < count; k += blockDim.x) tile[k] = __ldg(points.pre_filter + first + k);
        __syncthreads();
        #pragma unroll 8
        for (u32 k = 0; k < count; k++) {
            float squared = squared32(tile[k], filter.local);
            if (squared <= filter.limit) {
                tighten(filter, squared);
                offer(points, first + k, __float_as_uint(tile[k].w), query, nearest);
            }
        }
    }
    return nearest;
}

// Delaunay graph of the points, by tree index.
struct Graph {
    const uint2* rows;    // first and one past the last edge of each point
    const float4* edges;  // x, y, z of the neighbour in f32 about the centre; w: bits of its tree index
    u32 central_point;    // tree index of the start of walks without a better one
    u32 pad;
};

// Walk from `start` (a tree index) to the neighbour nearest to the query until none is nearer than the current vertex.
// Adds the number of vertices visited to `visited`.
__device__ inline Nearest nearest_by_walk(const Points& points, const Graph& graph, Vec3 query, u32 start,
                                          u32& visited) {
    PreFilter filter = pre_filter_of(points, query);
    Nearest nearest = {squared_distance(points, start, query), start,
                       __float_as_uint(__ldg(&points.pre_filter[start].w))};
    u32 current;
    do {
        current = nearest.tree_index;
        visited++;
        filter.limit = 3e38f;
        tighten(filter, __double2float_ru(nearest.squared));
        uint2 row = __ldg(graph.rows + current);
        for (u32 edge = row.x; edge < row.y; edge++) {
            float4 neighbour = __ldg(graph.edges + edge);
            if (!(squared32(neighbour, filter.local) <= filter.limit)) continue;
            u32 tree_index = __float_as_uint(neighbour.w);
            offer(points, tree_index, __float_as_uint(__ldg(&points.pre_filter[tree_index].w)), query, nearest);
        }
    } while (nearest.tree_index != current);
    return nearest;
}
