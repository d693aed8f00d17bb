// Point-facet and facet-facet matching as first published for GPUs, in all published optimisation steps, for benchmarks
// against our own. Candidates are sorted by distance from the origin; a binary search finds the first one whose
// distance is close enough to that of the facet, and a loop tests all that are. Everything is in f32. The steps: naive
// (one branch per condition), bundled (all conditions in one), complete (bundled, in a loop over all candidates),
// read-only (bundled, with loads through the read-only cache).
#include "lib/facets.cuh"

// Candidates for the match of a nominal facet: points, or facets as centroid, corners and unit normal.
struct PointCandidate {
    float4 point;  // w: distance from the origin
};
struct FacetCandidate {
    float4 centre;  // centroid; w: distance from the origin
    float4 corners[3];
    float4 normal;
};

struct Published {
    Facets facets;
    const void* candidates;  // sorted by distance from the origin
    u32 count;
    float radius_mm;         // not positive: each facet's circumscribed radius about its centroid
    float max_distance_mm;
    float reach_mm;          // maximum distance of a corner of a candidate from its centroid
    float min_cosine;
    u32 pad;
};

// A facet of the nominal, mm.
struct NominalFacet {
    float3 centre, normal;
    float squared_radius;
    float reach;     // maximum distance of a match from the centre
    float distance;  // from the origin
};

__device__ inline float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float3 minus3(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ inline float3 xyz(float4 v) { return {v.x, v.y, v.z}; }
__device__ inline float3 cross3(float3 a, float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__device__ inline NominalFacet nominal_facet(const Published& p, u32 index) {
    Facet f = facet_in_scan(p.facets, index);
    NominalFacet nominal;
    nominal.centre = to_float3(f.centre);
    nominal.normal = to_float3(f.normal);
    float radius = p.radius_mm;
    if (!(radius > 0.0f)) {
        radius = 0.0f;
        for (Vec3 corner : f.corners) {
            float3 away = to_float3(corner - f.centre);
            radius = max(radius, sqrtf(dot3(away, away)));
        }
    }
    nominal.squared_radius = radius * radius;
    nominal.distance = sqrtf(dot3(nominal.centre, nominal.centre));
    nominal.reach = sqrtf(nominal.squared_radius + p.max_distance_mm * p.max_distance_mm);
    return nominal;
}

enum Step { NAIVE, BUNDLED, COMPLETE, READ_ONLY };

template <Step step>
__device__ inline float4 load(const float4* address) {
    if constexpr (step == READ_ONLY) return __ldg(address); else return *address;
}

struct Match {
    float sum;
    u32 count;
    bool done;
};

template <Step step>
__device__ inline void test_candidate(const Published& p, const NominalFacet& nominal, const PointCandidate& point,
                                      Match& match) {
    float3 away = minus3(xyz(load<step>(&point.point)), nominal.centre);
    float along = dot3(away, nominal.normal);
    if constexpr (step == NAIVE) {
        if (along > p.max_distance_mm) return;
        if (along < -p.max_distance_mm) return;
        float lateral = dot3(away, away) - along * along;
        if (lateral > nominal.squared_radius) return;
        match.sum += along;
        match.count++;
    } else {
        float lateral = dot3(away, away) - along * along;
        bool inside = (fabsf(along) <= p.max_distance_mm) & (lateral <= nominal.squared_radius);
        match.sum += inside ? along : 0.0f;
        match.count += inside;
    }
}

// Intersection of the normal line through the centre with the candidate; the first one found counts, as published.
template <Step step>
__device__ inline void test_candidate(const Published& p, const NominalFacet& nominal, const FacetCandidate& facet,
                                      Match& match) {
    float3 normal = xyz(load<step>(&facet.normal));
    float3 a = xyz(load<step>(&facet.corners[0])), b = xyz(load<step>(&facet.corners[1]));
    float3 c = xyz(load<step>(&facet.corners[2]));
    float facing = dot3(normal, nominal.normal);
    if constexpr (step == NAIVE) {
        if (!(facing > p.min_cosine)) return;
    }
    float along = dot3(minus3(a, nominal.centre), normal) / facing;
    if constexpr (step == NAIVE) {
        if (!(fabsf(along) <= p.max_distance_mm)) return;
    }
    float3 at = {nominal.centre.x + along * nominal.normal.x, nominal.centre.y + along * nominal.normal.y,
                 nominal.centre.z + along * nominal.normal.z};
    float u = dot3(cross3(minus3(b, a), minus3(at, a)), normal), v = dot3(cross3(minus3(c, b), minus3(at, b)), normal);
    float w = dot3(cross3(minus3(a, c), minus3(at, c)), normal);
    bool inside = (facing > p.min_cosine) & (fabsf(along) <= p.max_distance_mm) & (u >= 0.0f) & (v >= 0.0f) &
                  (w >= 0.0f);
    if (!inside) return;
    match = {along, 1, true};
}

__device__ inline float distance_of(const PointCandidate* candidate) { return candidate->point.w; }
__device__ inline float distance_of(const FacetCandidate* candidate) { return candidate->centre.w; }

template <Step step, class Candidate>
__device__ inline void match_published(const Published& p, FacetAnswer* answers) {
    u32 facet = thread_index();
    if (facet >= p.facets.count) return;
    const Candidate* candidates = (const Candidate*)p.candidates;
    NominalFacet nominal = nominal_facet(p, facet);
    float reach = nominal.reach + p.reach_mm;
    Match match = {0.0f, 0, false};
    u32 from = 0;
    if constexpr (step != COMPLETE) {
        u32 beyond = p.count;
        while (from < beyond) {
            u32 mid = from + (beyond - from) / 2;
            if (distance_of(candidates + mid) < nominal.distance - reach) from = mid + 1; else beyond = mid;
        }
    }
    for (u32 i = from; i < p.count && !match.done; i++) {
        if constexpr (step != COMPLETE) {
            if (distance_of(candidates + i) > nominal.distance + reach) break;
        }
        test_candidate<step>(p, nominal, candidates[i], match);
    }
    answers[facet] = {match.count ? (double)(match.sum / (float)match.count) : 0.0, match.count, 0};
}

#define PUBLISHED(name, step, Candidate) \
    extern "C" __global__ void name(Published p, FacetAnswer* answers) { match_published<step, Candidate>(p, answers); }
PUBLISHED(published_points_naive, NAIVE, PointCandidate)
PUBLISHED(published_points_bundled, BUNDLED, PointCandidate)
PUBLISHED(published_points_complete, COMPLETE, PointCandidate)
PUBLISHED(published_points_read_only, READ_ONLY, PointCandidate)
PUBLISHED(published_facets_naive, NAIVE, FacetCandidate)
PUBLISHED(published_facets_bundled, BUNDLED, FacetCandidate)
PUBLISHED(published_facets_complete, COMPLETE, FacetCandidate)
PUBLISHED(published_facets_read_only, READ_ONLY, FacetCandidate)
