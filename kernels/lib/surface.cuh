// A surface on the device: closest points, normals and open rims. Counterpart of geometry/surface.
#pragma once
#include "tree.cuh"
#include "triangle.cuh"

// Ratio of longest edge to height above which a facet counts as a needle, whose f32 normal is inaccurate.
#define MIN_NEEDLE_RATIO 50.0f

// Corners of a facet in f32 about the surface's centre, for the pre-filter.
struct __align__(16) Facet32 {
    float4 a, b, c;  // b.w: 1 for needles, which are never filtered out
};

// Corners of a facet in f64, mm, in words of 16 bytes: nine coordinates and the bits of the facet index.
struct __align__(16) Facet64 {
    double2 words[5];
};

struct Corners {
    Vec3 a, b, c;
    u32 facet;
};

__device__ inline Corners corners_of(const Facet64* facets, u32 i) {
    const double2* w = facets[i].words;
    double2 w0 = __ldg(w), w1 = __ldg(w + 1), w2 = __ldg(w + 2), w3 = __ldg(w + 3), w4 = __ldg(w + 4);
    return {{w0.x, w0.y, w1.x}, {w1.y, w2.x, w2.y}, {w3.x, w3.y, w4.x}, (u32)__double_as_longlong(w4.y)};
}

// The surface, mm: its tree, and the data that determine the sign of a distance.
struct Surface {
    const Node* nodes;
    u32 root;                      // code of a node; of a leaf if there are few facets, NONE if there are none
    u32 facets;
    const Facet64* corners;        // in tree order
    const Facet32* pre_filter;     // in tree order
    const double* vertices;        // 3 each
    const u32* indices;            // 3 vertex indices per facet
    const u32* neighbours;         // 3 per facet, across its edges; NONE on open edges
    const double* vertex_normals;  // 3 each, not of unit length
    const u8* boundary_vertices;   // 1 for vertices on an open rim
    Vec3 centre;
    double half_extent_mm;         // half the longest side of the bounding box
};

// Closest point on the surface.
struct Hit {
    Vec3 point;
    double squared;  // distance, mm^2
    u32 facet;
    u32 feature;
    u32 tree_index;  // of the facet
};

__device__ inline float3 minus(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ inline float dot32(float3 a, float3 b) { return __fmaf_rn(a.z, b.z, __fmaf_rn(a.y, b.y, a.x * b.x)); }
__device__ inline float3 cross32(float3 a, float3 b) {
    return {__fmaf_rn(a.y, b.z, -a.z * b.y), __fmaf_rn(a.z, b.x, -a.x * b.z), __fmaf_rn(a.x, b.y, -a.y * b.x)};
}
// Squared distance from a segment.
__device__ inline float to_segment(float3 from_start, float3 along) {
    float t = __fdividef(dot32(from_start, along), max(dot32(along, along), 1e-37f));
    t = min(max(t, 0.0f), 1.0f);
    float3 away = {__fmaf_rn(-t, along.x, from_start.x), __fmaf_rn(-t, along.y, from_start.y),
               __fmaf_rn(-t, along.z, from_start.z)};
    return dot32(away, away);
}

// Lower bound of the squared distance to a triangle, up to rounding; as in geometry/surface/pack.rs.
__device__ inline float pre_filter_distance(float4 a, float4 b, float4 c, float3 p) {
    float3 edge1 = {b.x - a.x, b.y - a.y, b.z - a.z}, edge2 = {c.x - a.x, c.y - a.y, c.z - a.z};
    float3 from_a = {p.x - a.x, p.y - a.y, p.z - a.z}, from_b = {p.x - b.x, p.y - b.y, p.z - b.z};
    float nearest_edge = min(min(to_segment(from_a, edge1), to_segment(from_a, edge2)),
                             to_segment(from_b, minus(edge2, edge1)));
    float3 normal = cross32(edge1, edge2);
    float squared = dot32(normal, normal);
    float v = dot32(cross32(edge1, from_a), normal), u = dot32(cross32(from_a, edge2), normal);
    float height = dot32(from_a, normal);
    // Above the interior the distance to the plane applies.
    bool inside = u >= 0.0f && v >= 0.0f && squared - u - v >= 0.0f;
    return inside ? min(nearest_edge, __fdividef(height * height, max(squared, 1e-37f))) : nearest_edge;
}

// Upper limit of the f32 squared distance of candidates that may be as close as `squared`, rounded up.
__device__ inline float pre_filter_limit(double squared, double error) {
    double widened = sqrt(squared) + error;
    return __double2float_ru(widened * widened * (1.0 + 4.0 * FILTER_ERROR));
}

// Closest-point queries: query i < count is the point with index i * stride, transformed.
struct Queries {
    const double* points;  // 3 each, mm, along a space-filling curve
    u32 count;
    u32 stride;
    Pose surface_from_points;
    double max_distance_mm;
};

__device__ inline Vec3 query_point(const Queries& queries, u32 i) {
    return transform(queries.surface_from_points, at(queries.points, (u64)i * queries.stride));
}

// Maximum number of candidates per query: facets that may be the closest according to the pre-filter. The search runs
// in f32 only, which leaves room for three times as many threads as one that also decides in f64; a separate kernel
// decides.
#define MAX_CANDIDATES 8u
// Maximum number of facets per leaf.
#define SURFACE_LEAF 4u
// Count of a query with more than MAX_CANDIDATES candidates.
#define OVERFLOWED 0xFFFFFFFFu

struct Candidates {
    u32* facets;  // facets[k * queries + i]: tree index of candidate k of query i
    u32* counts;  // per query; OVERFLOWED where they did not fit, until settle_ties
    u32 queries;
    u32 pad;
};

// Candidates of one query during its search.
struct Shortlist {
    float error;  // twice the error of a pre-filter distance, mm, rounded up
    float limit;  // squared distance up to which facets pass, mm^2
    u32 count;
    bool overflows;
    u32 facets[MAX_CANDIDATES];       // tree indices
    float distances[MAX_CANDIDATES];  // squared, mm^2
};

// Removes the candidates beyond the limit.
__device__ inline void drop_farther(Shortlist& list) {
    u32 kept = 0;
    for (u32 i = 0; i < list.count; i++) {
        if (list.distances[i] <= list.limit) {
            list.facets[kept] = list.facets[i];
            list.distances[kept++] = list.distances[i];
        }
    }
    list.count = kept;
}

__device__ inline void pre_filter_leaf(const Facet32* pre_filter, u32 code, float3 local, Shortlist& list) {
    u32 first = leaf_first(code), count = leaf_count(code);
    float distances[SURFACE_LEAF], nearest = 3e38f;
    // First all distances, then the list, so that the lanes of a warp run each of the two together.
    #pragma unroll
    for (u32 k = 0; k < SURFACE_LEAF; k++) {
        const float4* words = (const float4*)(pre_filter + first + min(k, count - 1));
        float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
        float distance = pre_filter_distance(a, b, c, local);
        // Needles are never filtered out and do not lower the limit.
        bool needle = b.w != 0.0f;
        if (!needle) nearest = min(nearest, distance);
        distances[k] = k >= count ? 3e38f : needle ? 0.0f : distance;
    }
    if (nearest <= list.limit) {
        float widened = sqrtf(nearest) + list.error;
        list.limit = min(list.limit, widened * widened * (float)(1.0 + 8.0 * FILTER_ERROR));
    }
    #pragma unroll
    for (u32 k = 0; k < SURFACE_LEAF; k++) {
        if (!(distances[k] <= list.limit) || k >= count) continue;
        if (list.count == MAX_CANDIDATES) drop_farther(list);
        if (list.count == MAX_CANDIDATES) {
            list.overflows = true;
            continue;
        }
        list.facets[list.count] = first + k;
        list.distances[list.count++] = distances[k];
    }
}

// Error of a pre-filter distance from a point relative to the surface's centre, mm.
__device__ inline double pre_filter_error(const Surface& surface, Vec3 about) {
    return FILTER_ERROR * (surface.half_extent_mm + max_abs(about));
}

// Lists the facets that may be the closest to query i at `point`, within `max_distance_mm`. Per warp, all lanes must call
// it; those without a query are not active.
template <Traversal traversal>
__device__ inline void list_candidates(const Surface& surface, Vec3 point, double max_distance_mm, u32 i,
                                       const Candidates& candidates, bool is_active = true) {
    Vec3 about = point - surface.centre;
    if (is_active) candidates.counts[i] = 0;
    // Also false for NaN.
    is_active = is_active && max_abs(about) < 1e300;
    if (!is_wanted<traversal>(is_active)) return;
    double error = pre_filter_error(surface, about);
    float3 local = to_float3(about);
    Shortlist list;
    list.error = __double2float_ru(2.0 * error);
    list.limit = is_active ? pre_filter_limit(max_distance_mm * max_distance_mm, error) : -1.0f;
    list.count = 0;
    list.overflows = false;
    u32 codes[MAX_DEPTH];
    float distances[MAX_DEPTH];
    u32 top = 0;
    u32 code = surface.root;
    while (true) {
        // Descends to the nearer child; the other one goes on the stack.
        while (!(code & LEAF_BIT)) {
            Children node = children(surface.nodes, code);
            float near = distance0(node, local), far = distance1(node, local);
            u32 next = node.codes.x, other = node.codes.y;
            if (!is_wanted<traversal>(near <= far && near <= list.limit)) {
                float distance = near;
                near = far;
                far = distance;
                next = node.codes.y;
                other = node.codes.x;
            }
            if (is_wanted<traversal>(far <= list.limit)) {
                codes[top] = other;
                distances[top++] = far;
            }
            code = is_wanted<traversal>(near <= list.limit) ? next : NONE;
        }
        if (code != NONE) pre_filter_leaf(surface.pre_filter, code, local, list);
        code = NONE;
        while (top > 0 && code == NONE) {
            top--;
            if (is_wanted<traversal>(distances[top] <= list.limit)) code = codes[top];
        }
        if (code == NONE) break;
    }
    if (!is_active) return;
    drop_farther(list);
    candidates.counts[i] = list.overflows ? OVERFLOWED : list.count;
    for (u32 k = 0; k < list.count; k++) candidates.facets[(u64)k * candidates.queries + i] = list.facets[k];
}

// Replaces `hit` by the closest point of the facet at `tree_index` if that is closer. Decided in f64.
__device__ inline void consider(const Surface& surface, Vec3 point, u32 tree_index, Hit& hit) {
    Corners f = corners_of(surface.corners, tree_index);
    Closest closest = closest_on_triangle(point, f.a, f.b, f.c);
    Vec3 away = point - closest.point;
    double squared = dot(away, away);
    u32 facet = f.facet;
    // Ties go to the lowest facet index.
    if (hit.facet == NONE ? squared <= hit.squared
                          : squared < hit.squared || (squared == hit.squared && facet < hit.facet)) {
        hit = {closest.point, squared, facet, closest.feature, tree_index};
    }
}

__device__ inline Hit no_hit(double max_distance_mm) {
    return {{0.0, 0.0, 0.0}, max_distance_mm * max_distance_mm, NONE, FACE, 0};
}

// Search with decisions in f64, for queries with more candidates than a shortlist holds, as with coincident facets. The
// closest facet becomes the only candidate.
__device__ inline void search_exactly(const Surface& surface, Vec3 point, double max_distance_mm, u32 i,
                                      const Candidates& candidates) {
    Hit hit = no_hit(max_distance_mm);
    Vec3 about = point - surface.centre;
    double error = pre_filter_error(surface, about);
    float3 local = to_float3(about);
    u32 codes[MAX_DEPTH];
    u32 top = 1;
    codes[0] = surface.root;
    while (top > 0) {
        u32 code = codes[--top];
        float limit = pre_filter_limit(hit.squared, error);
        if (code & LEAF_BIT) {
            for (u32 k = 0; k < leaf_count(code); k++) consider(surface, point, leaf_first(code) + k, hit);
            continue;
        }
        Children node = children(surface.nodes, code);
        float first = distance0(node, local), second = distance1(node, local);
        bool swaps = second < first;
        if (max(first, second) <= limit) codes[top++] = swaps ? node.codes.x : node.codes.y;
        if (min(first, second) <= limit) codes[top++] = swaps ? node.codes.y : node.codes.x;
    }
    candidates.counts[i] = hit.facet == NONE ? 0 : 1;
    candidates.facets[i] = hit.tree_index;
}

// Closest point of query i at `point` among its candidates; facet NONE if there is none within `max_distance_mm`.
__device__ inline Hit closest_hit(const Surface& surface, Vec3 point, double max_distance_mm, u32 i,
                                  const Candidates& candidates) {
    Hit hit = no_hit(max_distance_mm);
    u32 count = candidates.counts[i];
    for (u32 k = 0; k < count; k++) consider(surface, point, candidates.facets[(u64)k * candidates.queries + i], hit);
    return hit;
}

// Unit normal of the facet hit, times twice its area.
__device__ inline Vec3 area_vector_of(const Surface& surface, const Hit& hit) {
    Corners f = corners_of(surface.corners, hit.tree_index);
    return area_vector(f.a, f.b, f.c);
}

__device__ inline Vec3 normal_of(const Surface& surface, u32 facet) {
    const u32* corner = surface.indices + 3ull * facet;
    return unit_normal(at(surface.vertices, corner[0]), at(surface.vertices, corner[1]),
                       at(surface.vertices, corner[2]));
}

// Pseudo-normal at the hit, not of unit length: its dot product with the vector from the hit to the query has the sign
// of the deviation.
__device__ inline Vec3 pseudo_normal(const Surface& surface, const Hit& hit) {
    if (hit.feature >= VERTEX) {
        return at(surface.vertex_normals, surface.indices[3ull * hit.facet + hit.feature - VERTEX]);
    }
    Vec3 area = area_vector_of(surface, hit);
    if (hit.feature == FACE) return area;
    u32 neighbour = surface.neighbours[3ull * hit.facet + hit.feature - EDGE];
    Vec3 normal = unit(area);
    return neighbour == NONE ? normal : normal + normal_of(surface, neighbour);
}

// Whether the hit lies on an open rim.
__device__ inline bool is_on_boundary(const Surface& surface, u32 facet, u32 feature) {
    if (feature >= VERTEX) return surface.boundary_vertices[surface.indices[3ull * facet + feature - VERTEX]];
    return feature >= EDGE && surface.neighbours[3ull * facet + feature - EDGE] == NONE;
}

// Cosine between `direction` and the normal at the hit: on an edge the larger one of its two facets, on a vertex the
// larger one of the facet hit and of the vertex normal.
__device__ inline double aligned_cosine(const Surface& surface, const Hit& hit, Vec3 pseudo, Vec3 direction) {
    double own = dot(unit(area_vector_of(surface, hit)), direction);
    if (hit.feature >= VERTEX) {
        double length = norm(pseudo);
        return length > 0.0 ? max(own, dot(pseudo / length, direction)) : own;
    }
    if (hit.feature >= EDGE) {
        u32 neighbour = surface.neighbours[3ull * hit.facet + hit.feature - EDGE];
        return neighbour == NONE ? own : max(own, dot(normal_of(surface, neighbour), direction));
    }
    return own;
}

// Whether a query has a match, or why not.
enum MatchState : u8 { MATCHED = 0, TOO_FAR = 1, WRONG_ANGLE = 2, BEYOND_RIM = 3 };

// Limits of a match other than its distance.
struct Gate {
    const double* normals;  // 3 each, in the order of the points; null for no angle gate
    u32 oriented;           // whether the normals are consistently oriented
    u32 pad;
    double min_cosine;      // between the normals of point and surface
    double rim_tangent;     // tangent of the maximum tilt beyond an open rim
};

// Match state of a query with its point at `index`. `away` is the vector from the hit to the query, `side` its dot
// product with the pseudo-normal.
__device__ inline MatchState match_state(const Surface& surface, const Gate& gate, const Pose& pose, u64 index,
                                         const Hit& hit, Vec3 away, Vec3 pseudo, double side) {
    if (is_on_boundary(surface, hit.facet, hit.feature) && hit.squared > 0.0 &&
        norm(cross(pseudo, away)) > gate.rim_tangent * fabs(side)) {
        return BEYOND_RIM;
    }
    if (!gate.normals) return MATCHED;
    double cosine = aligned_cosine(surface, hit, pseudo, rotate(pose, at(gate.normals, index)));
    return (gate.oriented ? cosine : fabs(cosine)) < gate.min_cosine ? WRONG_ANGLE : MATCHED;
}

// Closest point of a query, its match state, and the vectors that determine its distance and sign.
struct Match {
    Hit hit;      // facet NONE if there is none within the maximum distance; `away` and `side` are then undefined
    Vec3 away;    // from the hit to the query
    double side;  // negative inside
    MatchState state;
};

__device__ inline Match match_of(const Surface& surface, const Queries& queries, const Gate& gate, u32 i,
                                 const Candidates& candidates) {
    Vec3 point = query_point(queries, i);
    Match match;
    match.hit = closest_hit(surface, point, queries.max_distance_mm, i, candidates);
    match.state = TOO_FAR;
    if (match.hit.facet == NONE) return match;
    match.away = point - match.hit.point;
    Vec3 pseudo = pseudo_normal(surface, match.hit);
    match.side = dot(pseudo, match.away);
    u64 index = (u64)i * queries.stride;
    match.state =
        match_state(surface, gate, queries.surface_from_points, index, match.hit, match.away, pseudo, match.side);
    return match;
}
