// A resident nominal: closest points, normals and rims. The twin of geometry/surface.
#pragma once
#include "tree.cuh"
#include "triangle.cuh"

// Length over height from which a facet is a needle, whose f32 normal says little.
#define NEEDLE 50.0f

// A facet in f32 about the surface's centre, for the sieve: corners.
struct __align__(16) Facet32 {
    float4 a, b, c;  // b.w: 1 for needles, which are never sieved out
};

// A facet exactly, mm, in whole words of 16 bytes: nine coordinates, and its number.
struct __align__(16) Facet64 {
    double2 words[5];
};

struct Corners {
    Vec3 a, b, c;
    u32 number;
};

__device__ inline Corners corners_of(const Facet64* facets, u32 i) {
    const double2* w = facets[i].words;
    double2 w0 = __ldg(w), w1 = __ldg(w + 1), w2 = __ldg(w + 2), w3 = __ldg(w + 3), w4 = __ldg(w + 4);
    return {{w0.x, w0.y, w1.x}, {w1.y, w2.x, w2.y}, {w3.x, w3.y, w4.x}, (u32)__double_as_longlong(w4.y)};
}

// The surface, mm: its tree and what the sign needs.
struct Surface {
    const Node* nodes;
    u32 root;                   // a node, or a leaf where there are few facets
    u32 facets;
    const Facet64* corners;     // tree order
    const Facet32* sieve;       // tree order
    const double* vertices;     // 3 each
    const u32* indices;         // 3 each, by facet
    const u32* neighbours;      // 3 each, by facet; NONE on open edges
    const double* vertex_normals;  // 3 each, not of unit length
    const u8* open_vertices;    // 1 on a rim
    Vec3 centre;
    double reach_mm;            // largest coordinate about the centre
};

struct Hit {
    Vec3 point;
    double squared;
    u32 facet;
    u32 feature;
    u32 at_leaf;  // its place in tree order
};

__device__ inline float3 minus(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ inline float dot32(float3 a, float3 b) { return __fmaf_rn(a.z, b.z, __fmaf_rn(a.y, b.y, a.x * b.x)); }
__device__ inline float3 cross32(float3 a, float3 b) {
    return {__fmaf_rn(a.y, b.z, -a.z * b.y), __fmaf_rn(a.z, b.x, -a.x * b.z), __fmaf_rn(a.x, b.y, -a.y * b.x)};
}
__device__ inline float to_segment(float3 from_start, float3 along) {
    float t = __fdividef(dot32(from_start, along), max(dot32(along, along), 1e-37f));
    t = min(max(t, 0.0f), 1.0f);
    float3 away = {__fmaf_rn(-t, along.x, from_start.x), __fmaf_rn(-t, along.y, from_start.y),
               __fmaf_rn(-t, along.z, from_start.z)};
    return dot32(away, away);
}

// A lower bound of the squared distance, but for rounding; as pack.rs has it.
__device__ inline float sieve_distance(float4 a, float4 b, float4 c, float3 p) {
    float3 edge1 = {b.x - a.x, b.y - a.y, b.z - a.z}, edge2 = {c.x - a.x, c.y - a.y, c.z - a.z};
    float3 from_a = {p.x - a.x, p.y - a.y, p.z - a.z}, from_b = {p.x - b.x, p.y - b.y, p.z - b.z};
    float rim = min(min(to_segment(from_a, edge1), to_segment(from_a, edge2)), to_segment(from_b, minus(edge2, edge1)));
    float3 normal = cross32(edge1, edge2);
    float squared = dot32(normal, normal);
    float v = dot32(cross32(edge1, from_a), normal), u = dot32(cross32(from_a, edge2), normal);
    float height = dot32(from_a, normal);
    // Over the inside, the distance to the plane.
    bool inside = u >= 0.0f && v >= 0.0f && squared - u - v >= 0.0f;
    return inside ? min(rim, __fdividef(height * height, max(squared, 1e-37f))) : rim;
}

// The squared distance below which an f32 candidate may still win, rounded up.
__device__ inline float sieve_limit(double squared, double error) {
    double widened = sqrt(squared) + error;
    return __double2float_ru(widened * widened * (1.0 + 4.0 * FILTER_ERROR));
}

// Places whose closest points are asked for: number i * stride of the points for i < count.
struct Queries {
    const double* points;  // 3 each, mm, along a curve
    u32 count;
    u32 stride;
    Pose surface_from_points;
    double max_distance_mm;
};

__device__ inline Vec3 place_of(const Queries& queries, u32 i) {
    return transform(queries.surface_from_points, at(queries.points, (u64)i * queries.stride));
}

// Facets that may be the closest by the sieve, for every query. The search runs in f32 alone, which leaves room for three
// times as many threads as one that decides exactly on the way; the decision follows in a kernel of its own.
#define CANDIDATES 8u
// Facets in a leaf, at most.
#define SURFACE_LEAF 4u
#define TOO_MANY 0xFFFFFFFFu

struct Candidates {
    u32* places;  // places[k * queries + i]: the k-th of query i, in tree order
    u32* counts;  // per query; TOO_MANY where they did not fit, until settled
    u32 queries;
    u32 pad;
};

// Those of one query, while it searches.
struct Shortlist {
    float error;  // twice that of the sieve, rounded up
    float limit;  // squared distance that the sieve lets through
    u32 count;
    bool overflows;
    u32 places[CANDIDATES];
    float distances[CANDIDATES];
};

__device__ inline void drop_farther(Shortlist& list) {
    u32 kept = 0;
    for (u32 i = 0; i < list.count; i++) {
        if (list.distances[i] <= list.limit) {
            list.places[kept] = list.places[i];
            list.distances[kept++] = list.distances[i];
        }
    }
    list.count = kept;
}

__device__ inline void sieve_leaf(const Facet32* sieve, u32 code, float3 local, Shortlist& list) {
    u32 first = leaf_first(code), count = leaf_count(code);
    float distances[SURFACE_LEAF], nearest = 3e38f;
    // All lanes measure first, and then list together.
    #pragma unroll
    for (u32 k = 0; k < SURFACE_LEAF; k++) {
        const float4* words = (const float4*)(sieve + first + min(k, count - 1));
        float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
        float distance = sieve_distance(a, b, c, local);
        // Needles are never sieved out, nor do they sieve.
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
        if (list.count == CANDIDATES) drop_farther(list);
        if (list.count == CANDIDATES) {
            list.overflows = true;
            continue;
        }
        list.places[list.count] = first + k;
        list.distances[list.count++] = distances[k];
    }
}

__device__ inline double error_of(const Surface& surface, Vec3 about) {
    return FILTER_ERROR * (surface.reach_mm + reach_of(about));
}

// The facets of query i that may be the closest within `max_distance_mm` of `place`.
__device__ inline void list_candidates(const Surface& surface, Vec3 place, double max_distance_mm, u32 i,
                                       const Candidates& candidates) {
    Vec3 about = place - surface.centre;
    candidates.counts[i] = 0;
    // NaN fails this, too.
    if (!(reach_of(about) < 1e300)) return;
    double error = error_of(surface, about);
    float3 local = to_float3(about);
    Shortlist list;
    list.error = __double2float_ru(2.0 * error);
    list.limit = sieve_limit(max_distance_mm * max_distance_mm, error);
    list.count = 0;
    list.overflows = false;
    u32 codes[STACK];
    float distances[STACK];
    u32 top = 0;
    u32 code = surface.root;
    while (true) {
        // Down to the nearer child, the other one waits.
        while (!(code & LEAF_BIT)) {
            Children node = children(surface.nodes, code);
            float near = distance0(node, local), far = distance1(node, local);
            u32 next = node.codes.x, other = node.codes.y;
            if (far < near) {
                float distance = near;
                near = far;
                far = distance;
                next = node.codes.y;
                other = node.codes.x;
            }
            if (far <= list.limit) {
                codes[top] = other;
                distances[top++] = far;
            }
            code = near <= list.limit ? next : NONE;
        }
        if (code != NONE) sieve_leaf(surface.sieve, code, local, list);
        code = NONE;
        while (top > 0 && code == NONE) {
            top--;
            if (distances[top] <= list.limit) code = codes[top];
        }
        if (code == NONE) break;
    }
    drop_farther(list);
    candidates.counts[i] = list.overflows ? TOO_MANY : list.count;
    for (u32 k = 0; k < list.count; k++) candidates.places[(u64)k * candidates.queries + i] = list.places[k];
}

__device__ inline void decide(const Surface& surface, Vec3 place, u32 at_leaf, Hit& hit) {
    Corners f = corners_of(surface.corners, at_leaf);
    Closest closest = closest_on_triangle(place, f.a, f.b, f.c);
    Vec3 away = place - closest.point;
    double squared = dot(away, away);
    u32 facet = f.number;
    // Ties go to the lowest facet.
    if (hit.facet == NONE ? squared <= hit.squared : squared < hit.squared || (squared == hit.squared && facet < hit.facet)) {
        hit = {closest.point, squared, facet, closest.feature, at_leaf};
    }
}

__device__ inline Hit no_hit(double max_distance_mm) {
    return {{0.0, 0.0, 0.0}, max_distance_mm * max_distance_mm, NONE, FACE, 0};
}

// The exact search where more candidates tie than a shortlist holds, as facets that lie upon each other make them; the
// winner becomes the only candidate.
__device__ inline void settle(const Surface& surface, Vec3 place, double max_distance_mm, u32 i, const Candidates& candidates) {
    Hit hit = no_hit(max_distance_mm);
    Vec3 about = place - surface.centre;
    double error = error_of(surface, about);
    float3 local = to_float3(about);
    u32 codes[STACK];
    u32 top = 1;
    codes[0] = surface.root;
    while (top > 0) {
        u32 code = codes[--top];
        float limit = sieve_limit(hit.squared, error);
        if (code & LEAF_BIT) {
            for (u32 i = 0; i < leaf_count(code); i++) decide(surface, place, leaf_first(code) + i, hit);
            continue;
        }
        Children node = children(surface.nodes, code);
        float first = distance0(node, local), second = distance1(node, local);
        bool swaps = second < first;
        if (max(first, second) <= limit) codes[top++] = swaps ? node.codes.x : node.codes.y;
        if (min(first, second) <= limit) codes[top++] = swaps ? node.codes.y : node.codes.x;
    }
    candidates.counts[i] = hit.facet == NONE ? 0 : 1;
    candidates.places[i] = hit.at_leaf;
}

// The closest point of query i within `max_distance_mm` of `place`, or facet NONE.
__device__ inline Hit closest_of(const Surface& surface, Vec3 place, double max_distance_mm, u32 i,
                                 const Candidates& candidates) {
    Hit hit = no_hit(max_distance_mm);
    u32 count = candidates.counts[i];
    for (u32 k = 0; k < count; k++) decide(surface, place, candidates.places[(u64)k * candidates.queries + i], hit);
    return hit;
}

// Twice the area times the unit normal of the facet hit.
__device__ inline Vec3 area_of(const Surface& surface, const Hit& hit) {
    Corners f = corners_of(surface.corners, hit.at_leaf);
    return area_vector(f.a, f.b, f.c);
}

__device__ inline Vec3 normal_of(const Surface& surface, u32 facet) {
    const u32* corner = surface.indices + 3ull * facet;
    return unit_normal(at(surface.vertices, corner[0]), at(surface.vertices, corner[1]), at(surface.vertices, corner[2]));
}

// Not of unit length: its dot product with the vector from the hit to the query has the sign of the deviation.
__device__ inline Vec3 pseudo_normal(const Surface& surface, const Hit& hit) {
    if (hit.feature >= VERTEX) {
        return at(surface.vertex_normals, surface.indices[3ull * hit.facet + hit.feature - VERTEX]);
    }
    Vec3 area = area_of(surface, hit);
    if (hit.feature == FACE) return area;
    u32 neighbour = surface.neighbours[3ull * hit.facet + hit.feature - EDGE];
    Vec3 normal = unit(area);
    return neighbour == NONE ? normal : normal + normal_of(surface, neighbour);
}

__device__ inline bool is_open(const Surface& surface, u32 facet, u32 feature) {
    if (feature >= VERTEX) return surface.open_vertices[surface.indices[3ull * facet + feature - VERTEX]];
    return feature >= EDGE && surface.neighbours[3ull * facet + feature - EDGE] == NONE;
}

// Cosine between `direction` and the normal at the hit; on an edge that of the facet that is aligned best.
__device__ inline double aligned_cosine(const Surface& surface, const Hit& hit, Vec3 pseudo, Vec3 direction) {
    double own = dot(unit(area_of(surface, hit)), direction);
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

// Which hits count, and why not.
enum State : u8 { MATCHED = 0, TOO_FAR = 1, WRONG_ANGLE = 2, BEYOND_RIM = 3 };

// The limits of a match apart from its distance.
struct Gate {
    const double* normals;  // 3 each by point, or null for no angle gate
    u32 oriented;           // whether the normals know their sign
    u32 pad;
    double least_cosine;
    double rim_tangent;     // tangent of the largest tilt beyond a rim
};

// `side` is the dot product of pseudo-normal and the way from the hit.
__device__ inline State judge(const Surface& surface, const Gate& gate, const Pose& pose, u64 number, const Hit& hit,
                              Vec3 away, Vec3 pseudo, double side) {
    if (is_open(surface, hit.facet, hit.feature) && hit.squared > 0.0 &&
        norm(cross(pseudo, away)) > gate.rim_tangent * fabs(side)) {
        return BEYOND_RIM;
    }
    if (!gate.normals) return MATCHED;
    double cosine = aligned_cosine(surface, hit, pseudo, rotate(pose, at(gate.normals, number)));
    return (gate.oriented ? cosine : fabs(cosine)) < gate.least_cosine ? WRONG_ANGLE : MATCHED;
}

// The closest point of query i, and how it is judged: what its distance and its sign come from.
struct Match {
    Hit hit;     // facet NONE where nothing is in reach; the rest means nothing then
    Vec3 away;   // from the hit to the query
    double side; // negative inside
    State state;
};

__device__ inline Match match_of(const Surface& surface, const Queries& queries, const Gate& gate, u32 i,
                                 const Candidates& candidates) {
    Vec3 place = place_of(queries, i);
    Match match;
    match.hit = closest_of(surface, place, queries.max_distance_mm, i, candidates);
    match.state = TOO_FAR;
    if (match.hit.facet == NONE) return match;
    match.away = place - match.hit.point;
    Vec3 pseudo = pseudo_normal(surface, match.hit);
    match.side = dot(pseudo, match.away);
    u64 number = (u64)i * queries.stride;
    match.state = judge(surface, gate, queries.surface_from_points, number, match.hit, match.away, pseudo, match.side);
    return match;
}
