// Signed deviation of points from a surface: the closest point, its sign by angle-weighted pseudo-normals (Baerentzen and
// Aanaes 2005), and whether it counts as a match. The twin of compute/cpu/point_deviation.rs.
#include "lib/tree.cuh"
#include "lib/triangle.cuh"

#define NONE 0xFFFFFFFFu
// Relative f32 error of a box distance, generously.
#define FILTER_ERROR (8.0 / 16777216.0)
// Deepest stack: a bit of the key or of the facet's place decides at every level.
#define STACK 64

enum State : u8 { MATCHED = 0, TOO_FAR = 1, WRONG_ANGLE = 2, BEYOND_RIM = 3 };

// The surface, mm: its tree and what the sign needs.
struct Surface {
    const Node* nodes;
    u32 root;                   // a node, or a leaf where there are few facets
    u32 facets;
    const double* corners;      // 9 each, tree order
    const u32* numbers;         // facet numbers, tree order
    const double* vertices;     // 3 each
    const u32* indices;         // 3 each, by facet
    const u32* neighbours;      // 3 each, by facet; NONE on open edges
    const double* vertex_normals;  // 3 each, not of unit length
    const u8* open_vertices;    // 1 on a rim
    Vec3 centre;
    double reach_mm;            // largest coordinate about the centre
};

struct Request {
    const double* points;  // 3 each, mm, along a curve
    const double* normals; // 3 each, or null for no angle gate
    u32 count;
    u32 oriented;          // whether the normals know their sign
    Pose surface_from_points;
    double max_distance_mm;
    double least_cosine;
    double rim_tangent;    // tangent of the largest tilt beyond a rim
};

__device__ inline Vec3 at(const double* values, u64 i) { return {values[3 * i], values[3 * i + 1], values[3 * i + 2]}; }

struct Hit {
    Vec3 point;
    double squared;
    u32 facet;
    u32 feature;
};

__device__ inline float box_distance(const float* low, const float* high, const float* p) {
    float squared = 0.0f;
    for (u32 axis = 0; axis < 3; axis++) {
        float outside = max(max(low[axis] - p[axis], p[axis] - high[axis]), 0.0f);
        squared = __fmaf_rn(outside, outside, squared);
    }
    return squared;
}

__device__ inline void visit_leaf(const Surface& surface, u32 code, Vec3 place, Hit& hit) {
    u32 first = leaf_first(code), count = leaf_count(code);
    for (u32 i = first; i < first + count; i++) {
        const double* c = surface.corners + 9ull * i;
        Closest closest = closest_on_triangle(place, {c[0], c[1], c[2]}, {c[3], c[4], c[5]}, {c[6], c[7], c[8]});
        Vec3 away = place - closest.point;
        double squared = dot(away, away);
        u32 facet = surface.numbers[i];
        // Ties go to the lowest facet.
        if (hit.facet == NONE ? squared <= hit.squared : squared < hit.squared || (squared == hit.squared && facet < hit.facet)) {
            hit = {closest.point, squared, facet, closest.feature};
        }
    }
}

__device__ inline Hit find_closest(const Surface& surface, Vec3 place, double max_distance_mm) {
    Vec3 about = place - surface.centre;
    float local[3] = {(float)about.x, (float)about.y, (float)about.z};
    double reach = max(fabs(about.x), max(fabs(about.y), fabs(about.z)));
    double error = FILTER_ERROR * (surface.reach_mm + reach);
    Hit hit = {{0.0, 0.0, 0.0}, max_distance_mm * max_distance_mm, NONE, FACE};
    // NaN fails this, too.
    if (!(reach < 1e300)) return hit;
    u32 codes[STACK];
    float distances[STACK];
    u32 top = 0;
    codes[top] = surface.root;
    distances[top++] = 0.0f;
    float limit = __double2float_ru((sqrt(hit.squared) + error) * (sqrt(hit.squared) + error) * (1.0 + 4.0 * FILTER_ERROR));
    while (top > 0) {
        u32 code = codes[--top];
        if (distances[top] > limit) continue;
        // Down to the nearer child, the other one waits.
        while (!(code & LEAF_BIT)) {
            const Node& node = surface.nodes[code];
            float near = box_distance(node.min0, node.max0, local), far = box_distance(node.min1, node.max1, local);
            u32 next = node.child0, other = node.child1;
            if (far < near) {
                float distance = near;
                near = far;
                far = distance;
                next = node.child1;
                other = node.child0;
            }
            if (far <= limit) {
                codes[top] = other;
                distances[top++] = far;
            }
            if (!(near <= limit)) {
                code = NONE;
                break;
            }
            code = next;
        }
        if (code == NONE) continue;
        visit_leaf(surface, code, place, hit);
        double widened = sqrt(hit.squared) + error;
        limit = __double2float_ru(widened * widened * (1.0 + 4.0 * FILTER_ERROR));
    }
    return hit;
}

__device__ inline Vec3 normal_of(const Surface& surface, u32 facet) {
    const u32* corner = surface.indices + 3ull * facet;
    return unit_normal(at(surface.vertices, corner[0]), at(surface.vertices, corner[1]), at(surface.vertices, corner[2]));
}

// Not of unit length: its dot product with the vector from the hit to the query has the sign of the deviation.
__device__ inline Vec3 pseudo_normal(const Surface& surface, u32 facet, u32 feature) {
    const u32* corner = surface.indices + 3ull * facet;
    if (feature >= VERTEX) return at(surface.vertex_normals, corner[feature - VERTEX]);
    if (feature >= EDGE) {
        u32 neighbour = surface.neighbours[3ull * facet + feature - EDGE];
        Vec3 normal = normal_of(surface, facet);
        return neighbour == NONE ? normal : normal + normal_of(surface, neighbour);
    }
    return area_vector(at(surface.vertices, corner[0]), at(surface.vertices, corner[1]), at(surface.vertices, corner[2]));
}

__device__ inline bool is_open(const Surface& surface, u32 facet, u32 feature) {
    if (feature >= VERTEX) return surface.open_vertices[surface.indices[3ull * facet + feature - VERTEX]];
    return feature >= EDGE && surface.neighbours[3ull * facet + feature - EDGE] == NONE;
}

// Cosine between `direction` and the normal at the hit; on an edge that of the facet that is aligned best.
__device__ inline double aligned_cosine(const Surface& surface, const Hit& hit, Vec3 pseudo, Vec3 direction) {
    double own = dot(normal_of(surface, hit.facet), direction);
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

// Per point: signed distance (mm, + outside; meaningless unless matched), facet, state.
extern "C" __global__ void signed_closest(Surface surface, Request request, double* deviations, u32* facets, u8* states) {
    u32 i = thread_number();
    if (i >= request.count) return;
    Vec3 place = transform(request.surface_from_points, at(request.points, i));
    Hit hit = find_closest(surface, place, request.max_distance_mm);
    deviations[i] = 0.0;
    facets[i] = hit.facet == NONE ? 0 : hit.facet;
    states[i] = TOO_FAR;
    if (hit.facet == NONE) return;
    Vec3 away = place - hit.point;
    double distance = sqrt(hit.squared);
    Vec3 pseudo = pseudo_normal(surface, hit.facet, hit.feature);
    double side = dot(pseudo, away);
    deviations[i] = side < 0.0 ? -distance : distance;
    u8 state = MATCHED;
    if (is_open(surface, hit.facet, hit.feature) && distance > 0.0 &&
        norm(cross(pseudo, away)) > request.rim_tangent * fabs(side)) {
        state = BEYOND_RIM;
    } else if (request.normals) {
        double cosine = aligned_cosine(surface, hit, pseudo, rotate(request.surface_from_points, at(request.normals, i)));
        if ((request.oriented ? cosine : fabs(cosine)) < request.least_cosine) state = WRONG_ANGLE;
    }
    states[i] = state;
}
