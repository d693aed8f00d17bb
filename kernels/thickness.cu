// Thickness of walls and width of gaps: balls that shrink until nothing opposite is in them, and rays. Counterpart of
// compute/cpu/thickness.rs.
#include "lib/facets.cuh"
#include "lib/rays.cuh"

// As in compute/thickness.rs.
#define MIN_COSINE 0.5
#define CONVERGED 1e-9
#define MAX_STEPS 64

struct Request {
    const double* points;   // 3 each, mm, along a space-filling curve
    const double* normals;  // 3 each, outward, in the same order
    u32 count;
    u32 is_ray;
    double sign;            // of directions by normals: -1 through material, 1 through air
    double max_mm;
    double contact_mm;      // distance between surfaces that touch
};

// Cosine between the direction in which a facet faces and the one that leads to it.
__device__ inline double cosine_of(const Corners& f, Vec3 direction, double sign) {
    return dot(unit_normal(f.a, f.b, f.c), direction) * -sign;
}

// Closest point among the facets that are opposite.
__device__ inline Hit closest_opposite(const Surface& surface, Vec3 point, double limit_mm, Vec3 direction,
                                       double sign) {
    Hit hit = no_hit(limit_mm);
    Vec3 about = point - surface.centre;
    double error = pre_filter_error(surface, about);
    float3 local = to_float3(about);
    float limit = pre_filter_limit(hit.squared, error);
    u32 codes[MAX_DEPTH];
    u32 top = 1;
    codes[0] = surface.root;
    while (top > 0) {
        u32 code = codes[--top];
        if (code & LEAF_BIT) {
            u32 first = leaf_first(code), count = leaf_count(code);
            for (u32 k = first; k < first + count; k++) {
                const float4* words = (const float4*)(surface.pre_filter + k);
                float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
                // Needles have no distance in f32.
                if (b.w == 0.0f && pre_filter_distance(a, b, c, local) > limit) continue;
                Hit candidate = hit;
                consider(surface, point, k, candidate);
                if (candidate.tree_index == hit.tree_index && candidate.facet == hit.facet) continue;
                if (cosine_of(corners_of(surface.corners, k), direction, sign) < MIN_COSINE) continue;
                hit = candidate;
                limit = pre_filter_limit(hit.squared, error);
            }
            continue;
        }
        Children node = children(surface.nodes, code);
        float first = distance0(node, local), second = distance1(node, local);
        bool swaps = second < first;
        if (max(first, second) <= limit) codes[top++] = swaps ? node.codes.x : node.codes.y;
        if (min(first, second) <= limit) codes[top++] = swaps ? node.codes.y : node.codes.x;
    }
    return hit;
}

// Diameter of the ball at `point` with nothing opposite in it; negative if it is larger than the greatest thickness.
__device__ inline double ball(const Surface& surface, const Request& request, Vec3 point, Vec3 direction) {
    if (closest_opposite(surface, point, request.contact_mm, direction, request.sign).facet != NONE) return 0.0;
    double radius_mm = 0.5 * request.max_mm, thickness_mm = -1.0;
    for (u32 step = 0; step < MAX_STEPS; step++) {
        Vec3 centre = point + direction * radius_mm;
        Hit hit = closest_opposite(surface, centre, radius_mm * (1.0 - CONVERGED), direction, request.sign);
        if (hit.facet == NONE) break;
        Vec3 away = hit.point - point;
        radius_mm = dot(away, away) / (2.0 * dot(away, direction));
        thickness_mm = 2.0 * radius_mm;
    }
    return thickness_mm;
}

// Length of the ray to the first facet that faces away; negative if there is none.
__device__ inline double ray(const Surface& surface, const Request& request, Vec3 point, Vec3 direction) {
    Line line = line_of(surface, point, direction, request.max_mm);
    double nearest = request.max_mm;
    bool is_found = false;
    float3 half = half_extent(line, nearest);
    visit_leaves<PER_THREAD>(surface.nodes, surface.root, line.local_origin, half, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 k = first; k < first + count; k++) {
            const float4* words = (const float4*)(surface.pre_filter + k);
            float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
            if (!may_intersect(line, a, b, c)) continue;
            Corners f = corners_of(surface.corners, k);
            double t;
            if (!intersect(line, f.a, f.b, f.c, t) || t <= -request.contact_mm || t >= nearest) continue;
            if (cosine_of(f, direction, request.sign) <= 0.0) continue;
            nearest = t;
            is_found = true;
            half = half_extent(line, max(nearest, request.contact_mm));
        }
    });
    return is_found ? max(nearest, 0.0) : -1.0;
}

// Per point: thickness, mm, or a negative number where there is no opposite side.
extern "C" __global__ void thickness(Surface surface, Request request, double* thickness_mm) {
    u32 i = thread_index();
    if (i >= request.count) return;
    Vec3 point = at(request.points, i), direction = at(request.normals, i) * request.sign;
    thickness_mm[i] = request.is_ray ? ray(surface, request, point, direction)
                                     : ball(surface, request, point, direction);
}
