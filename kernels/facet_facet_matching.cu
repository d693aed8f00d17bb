// Facet-facet matching: intersects each facet's normal line with the scan; the nearest facet whose normal is within the
// angle limit counts. Counterpart of compute/cpu/facet_facet_matching.rs.
#include "lib/facets.cuh"
#include "lib/rays.cuh"

struct Request {
    Facets facets;
    double max_distance_mm;
    double min_cosine;
};

// Per facet: signed distance to the intersection, and 1 match if there is one.
extern "C" __global__ void __launch_bounds__(128, 8) facet_facet_matching(Surface scan, Request request,
                                                                           FacetAnswer* answers) {
    u32 i = thread_index();
    if (i >= request.facets.count) return;
    u32 facet = request.facets.order[i];
    Facet nominal = facet_in_scan(request.facets, facet);
    Line line = line_of(scan, nominal.centre, nominal.normal, request.max_distance_mm);
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
