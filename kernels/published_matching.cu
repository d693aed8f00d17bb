// Point-facet and facet-facet matching as first published for GPUs, step by step, to be timed beside our own: candidates
// sorted by their distance from the origin, a binary search for a facet's own, a walk through those whose distance is near
// enough, all in f32. The steps: naive (a branch for each condition), bundled (one condition), complete (a loop over all
// candidates), read-only (bundled, through the read-only cache).
#include "lib/facets.cuh"

// What a facet is matched with: a point, or a facet by centre, corners and normal.
struct PointCandidate {
    float4 place;  // w: distance from the origin
};
struct FacetCandidate {
    float4 centre;   // w: distance from the origin
    float4 corners[3];
    float4 normal;
};

struct Published {
    Facets facets;
    const void* candidates;  // by distance from the origin
    u32 count;
    float radius_mm;         // not positive: each facet's own
    float max_distance_mm;
    float reach_mm;          // of the largest facet candidate about its centre
    float least_cosine;
    u32 pad;
};

struct Own {
    float3 centre, normal;
    float squared_radius, reach, distance;  // reach: how far a match may be from the centre; distance: from the origin
};

__device__ inline float dot3(float3 a, float3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline float3 minus3(float3 a, float3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ inline float3 xyz(float4 v) { return {v.x, v.y, v.z}; }
__device__ inline float3 cross3(float3 a, float3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__device__ inline Own own_facet(const Published& p, u32 number) {
    Facet f = facet_in_scan(p.facets, number);
    Own own;
    own.centre = to_float3(f.centre);
    own.normal = to_float3(f.normal);
    float radius = p.radius_mm;
    if (!(radius > 0.0f)) {
        radius = 0.0f;
        for (Vec3 corner : f.corners) {
            float3 away = to_float3(corner - f.centre);
            radius = max(radius, sqrtf(dot3(away, away)));
        }
    }
    own.squared_radius = radius * radius;
    own.distance = sqrtf(dot3(own.centre, own.centre));
    own.reach = sqrtf(own.squared_radius + p.max_distance_mm * p.max_distance_mm);
    return own;
}

enum Step { NAIVE, BUNDLED, COMPLETE, READ_ONLY };

template <Step step>
__device__ inline float4 load(const float4* place) {
    if constexpr (step == READ_ONLY) return __ldg(place); else return *place;
}

struct Match {
    float sum;
    u32 count;
    bool done;
};

template <Step step>
__device__ inline void meet(const Published& p, const Own& own, const PointCandidate& point, Match& match) {
    float3 away = minus3(xyz(load<step>(&point.place)), own.centre);
    float along = dot3(away, own.normal);
    if constexpr (step == NAIVE) {
        if (along > p.max_distance_mm) return;
        if (along < -p.max_distance_mm) return;
        float lateral = dot3(away, away) - along * along;
        if (lateral > own.squared_radius) return;
        match.sum += along;
        match.count++;
    } else {
        float lateral = dot3(away, away) - along * along;
        bool inside = (fabsf(along) <= p.max_distance_mm) & (lateral <= own.squared_radius);
        match.sum += inside ? along : 0.0f;
        match.count += inside;
    }
}

// Where the normal line through the centre pierces the candidate; the first one found counts, as published.
template <Step step>
__device__ inline void meet(const Published& p, const Own& own, const FacetCandidate& facet, Match& match) {
    float3 normal = xyz(load<step>(&facet.normal));
    float3 a = xyz(load<step>(&facet.corners[0])), b = xyz(load<step>(&facet.corners[1])), c = xyz(load<step>(&facet.corners[2]));
    float facing = dot3(normal, own.normal);
    if constexpr (step == NAIVE) {
        if (!(facing > p.least_cosine)) return;
    }
    float along = dot3(minus3(a, own.centre), normal) / facing;
    if constexpr (step == NAIVE) {
        if (!(fabsf(along) <= p.max_distance_mm)) return;
    }
    float3 at = {own.centre.x + along * own.normal.x, own.centre.y + along * own.normal.y, own.centre.z + along * own.normal.z};
    float u = dot3(cross3(minus3(b, a), minus3(at, a)), normal), v = dot3(cross3(minus3(c, b), minus3(at, b)), normal);
    float w = dot3(cross3(minus3(a, c), minus3(at, c)), normal);
    bool inside = (facing > p.least_cosine) & (fabsf(along) <= p.max_distance_mm) & (u >= 0.0f) & (v >= 0.0f) & (w >= 0.0f);
    if (!inside) return;
    match = {along, 1, true};
}

__device__ inline float distance_of(const PointCandidate* candidate) { return candidate->place.w; }
__device__ inline float distance_of(const FacetCandidate* candidate) { return candidate->centre.w; }

template <Step step, class Candidate>
__device__ inline void match_published(const Published& p, FacetAnswer* answers) {
    u32 facet = thread_number();
    if (facet >= p.facets.count) return;
    const Candidate* candidates = (const Candidate*)p.candidates;
    Own own = own_facet(p, facet);
    float reach = own.reach + p.reach_mm;
    Match match = {0.0f, 0, false};
    u32 from = 0;
    if constexpr (step != COMPLETE) {
        u32 beyond = p.count;
        while (from < beyond) {
            u32 middle = from + (beyond - from) / 2;
            if (distance_of(candidates + middle) < own.distance - reach) from = middle + 1; else beyond = middle;
        }
    }
    for (u32 i = from; i < p.count && !match.done; i++) {
        if constexpr (step != COMPLETE) {
            if (distance_of(candidates + i) > own.distance + reach) break;
        }
        meet<step>(p, own, candidates[i], match);
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
