// Facet-facet matching: intersects each facet's normal line with the scan; the nearest facet whose normal is within the
// angle limit counts. Counterpart of compute/cpu/facet_facet_matching.rs.
#include "lib/facets.cuh"
#include "lib/surface.cuh"

// Enlarges the facets, in barycentric units, so that a line through a shared edge hits at least one of its two facets.
#define EDGE_TOLERANCE 1e-9

struct Request {
    Facets facets;
    double max_distance_mm;
    double min_cosine;
};

// A normal line in f64, and in f32 about the centre of the scan.
struct Line {
    Vec3 origin, direction;
    float3 local_origin, local_direction;
    float error;  // of a position in f32, mm
};

// Intersection with a triangle at origin + t * direction (Moeller and Trumbore 1997); false if there is none.
__device__ inline bool intersect(const Line& line, Vec3 a, Vec3 b, Vec3 c, double& t) {
    Vec3 ab = b - a, ac = c - a;
    Vec3 direction_cross_ac = cross(line.direction, ac);
    double determinant = dot(ab, direction_cross_ac);
    if (determinant == 0.0 || !(fabs(determinant) < 1e300)) return false;
    Vec3 from_a = line.origin - a;
    double u = dot(from_a, direction_cross_ac) / determinant;
    Vec3 from_a_cross_ab = cross(from_a, ab);
    double v = dot(line.direction, from_a_cross_ab) / determinant;
    if (!(u >= -EDGE_TOLERANCE && v >= -EDGE_TOLERANCE && u + v <= 1.0 + EDGE_TOLERANCE)) return false;
    t = dot(ac, from_a_cross_ab) / determinant;
    return true;
}

// The same in f32, without divisions. False only if the line certainly misses.
__device__ inline bool may_intersect(const Line& line, float4 a, float4 b, float4 c) {
    float3 ab = {b.x - a.x, b.y - a.y, b.z - a.z}, ac = {c.x - a.x, c.y - a.y, c.z - a.z};
    float3 from_a = {line.local_origin.x - a.x, line.local_origin.y - a.y, line.local_origin.z - a.z};
    float3 direction_cross_ac = cross32(line.local_direction, ac);
    float determinant = dot32(ab, direction_cross_ac), u = dot32(from_a, direction_cross_ac);
    float v = dot32(line.local_direction, cross32(from_a, ab));
    if (determinant < 0.0f) {
        determinant = -determinant;
        u = -u;
        v = -v;
    }
    // A position error changes each product by no more than the error times the longest side.
    float side = sqrtf(max(dot32(ab, ab), dot32(ac, ac))) + sqrtf(dot32(from_a, from_a)) + line.error;
    float margin = line.error * side;
    return u >= -margin && v >= -margin && u + v <= determinant + margin;
}

// Half extent of the box of the line up to the distance `nearest` on both sides, mm.
__device__ inline float3 half_extent(const Line& line, double nearest) {
    return {__double2float_ru(fabs(line.direction.x) * nearest) + line.error,
            __double2float_ru(fabs(line.direction.y) * nearest) + line.error,
            __double2float_ru(fabs(line.direction.z) * nearest) + line.error};
}

// Per facet: signed distance to the intersection, and 1 match if there is one.
extern "C" __global__ void __launch_bounds__(128, 8) facet_facet_matching(Surface scan, Request request,
                                                                           FacetAnswer* answers) {
    u32 i = thread_index();
    if (i >= request.facets.count) return;
    u32 facet = request.facets.order[i];
    Facet nominal = facet_in_scan(request.facets, facet);
    Vec3 about = nominal.centre - scan.centre;
    double error = FILTER_ERROR * (scan.half_extent_mm + max_abs(about) + request.max_distance_mm);
    Line line = {nominal.centre, nominal.normal, to_float3(about), to_float3(nominal.normal), __double2float_ru(error)};
    double nearest = request.max_distance_mm, deviation = 0.0;
    u32 best = NONE;
    float3 half = half_extent(line, nearest);
    visit_leaves<PER_THREAD>(scan.nodes, scan.root, line.local_origin, half, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 k = first; k < first + count; k++) {
            const float4* words = (const float4*)(scan.pre_filter + k);
            float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
            if (!may_intersect(line, a, b, c)) continue;
            Corners f = corners_of(scan.corners, k);
            double t;
            if (!intersect(line, f.a, f.b, f.c, t)) continue;
            bool wins = best == NONE ? fabs(t) <= nearest
                                     : fabs(t) < nearest || (fabs(t) == nearest && f.facet < best);
            if (wins && dot(unit_normal(f.a, f.b, f.c), line.direction) > request.min_cosine) {
                nearest = fabs(t);
                deviation = t;
                best = f.facet;
                half = half_extent(line, nearest);
            }
        }
    });
    answers[facet] = {deviation, best == NONE ? 0u : 1u, 0};
}
