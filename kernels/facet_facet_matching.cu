// Facet-facet matching: where each facet's normal line pierces the nearest scan facet that faces the same way. The twin of
// compute/cpu/facet_facet_matching.rs.
#include "lib/facets.cuh"
#include "lib/surface.cuh"

// Widens facets in barycentric units, so that no line slips between two.
#define EDGE_TOLERANCE 1e-9

struct Request {
    Facets facets;
    double max_distance_mm;
    double least_cosine;
};

// A normal line: exact, and in f32 about the surface's centre.
struct Line {
    Vec3 origin, direction;
    float3 local, along;
    float error;  // of a place in f32, mm
};

// Moeller and Trumbore 1997; false where the line passes by.
__device__ inline bool intersect(const Line& line, Vec3 a, Vec3 b, Vec3 c, double& t) {
    Vec3 ab = b - a, ac = c - a;
    Vec3 across = cross(line.direction, ac);
    double determinant = dot(ab, across);
    if (determinant == 0.0 || !(fabs(determinant) < 1e300)) return false;
    Vec3 from_a = line.origin - a;
    double u = dot(from_a, across) / determinant;
    Vec3 around = cross(from_a, ab);
    double v = dot(line.direction, around) / determinant;
    if (!(u >= -EDGE_TOLERANCE && v >= -EDGE_TOLERANCE && u + v <= 1.0 + EDGE_TOLERANCE)) return false;
    t = dot(ac, around) / determinant;
    return true;
}

// The same in f32, without divisions: false only where the line passes by for sure.
__device__ inline bool may_intersect(const Line& line, float4 a, float4 b, float4 c) {
    float3 ab = {b.x - a.x, b.y - a.y, b.z - a.z}, ac = {c.x - a.x, c.y - a.y, c.z - a.z};
    float3 from_a = {line.local.x - a.x, line.local.y - a.y, line.local.z - a.z};
    float3 across = cross32(line.along, ac);
    float determinant = dot32(ab, across), u = dot32(from_a, across), v = dot32(line.along, cross32(from_a, ab));
    if (determinant < 0.0f) {
        determinant = -determinant;
        u = -u;
        v = -v;
    }
    // A place that is off by the error moves each product by no more than the error times the longest side.
    float side = sqrtf(max(dot32(ab, ab), dot32(ac, ac))) + sqrtf(dot32(from_a, from_a)) + line.error;
    float margin = line.error * side;
    return u >= -margin && v >= -margin && u + v <= determinant + margin;
}

__device__ inline float3 half_of(const Line& line, double nearest) {
    return {__double2float_ru(fabs(line.direction.x) * nearest) + line.error,
            __double2float_ru(fabs(line.direction.y) * nearest) + line.error,
            __double2float_ru(fabs(line.direction.z) * nearest) + line.error};
}

// Per facet: signed distance to the crossing, and 1 where there is one.
extern "C" __global__ void __launch_bounds__(128, 8) facet_facet_matching(Surface scan, Request request, FacetAnswer* answers) {
    u32 i = thread_number();
    if (i >= request.facets.count) return;
    u32 facet = request.facets.order[i];
    Facet nominal = facet_in_scan(request.facets, facet);
    Vec3 about = nominal.centre - scan.centre;
    double error = FILTER_ERROR * (scan.reach_mm + reach_of(about) + request.max_distance_mm);
    Line line = {nominal.centre, nominal.normal, to_float3(about), to_float3(nominal.normal), __double2float_ru(error)};
    double nearest = request.max_distance_mm, deviation = 0.0;
    u32 best = NONE;
    float3 half = half_of(line, nearest);
    visit_leaves<ALONE>(scan.nodes, scan.root, line.local, half, [&](u32 code) {
        u32 first = leaf_first(code), count = leaf_count(code);
        for (u32 k = first; k < first + count; k++) {
            const float4* words = (const float4*)(scan.sieve + k);
            float4 a = __ldg(words), b = __ldg(words + 1), c = __ldg(words + 2);
            if (!may_intersect(line, a, b, c)) continue;
            Corners f = corners_of(scan.corners, k);
            double t;
            if (!intersect(line, f.a, f.b, f.c, t)) continue;
            bool wins = best == NONE ? fabs(t) <= nearest
                                     : fabs(t) < nearest || (fabs(t) == nearest && f.number < best);
            if (wins && dot(unit_normal(f.a, f.b, f.c), line.direction) > request.least_cosine) {
                nearest = fabs(t);
                deviation = t;
                best = f.number;
                half = half_of(line, nearest);
            }
        }
    });
    answers[facet] = {deviation, best == NONE ? 0u : 1u, 0};
}
