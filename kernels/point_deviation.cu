// Signed deviation of points from a surface: the closest point, its sign by angle-weighted pseudo-normals (Baerentzen and
// Aanaes 2005), and whether it counts as a match. The twin of compute/cpu/point_deviation.rs.
#include "lib/surface.cuh"

struct Request {
    Queries queries;
    const u32* numbers;  // where each point's answer goes
    Gate gate;
};

// The facets that may be the closest to each point.
extern "C" __global__ void closest_candidates(Surface surface, Queries queries, Candidates candidates) {
    u32 i = thread_number();
    if (i < queries.count) list_candidates(surface, place_of(queries, i), queries.max_distance_mm, i, candidates);
}

// Settles the queries that have too many of them, which are few.
extern "C" __global__ void settle_ties(Surface surface, Queries queries, Candidates candidates) {
    u32 i = thread_number();
    if (i < queries.count && candidates.counts[i] == TOO_MANY) {
        settle(surface, place_of(queries, i), queries.max_distance_mm, i, candidates);
    }
}

// Signed distance (mm, + outside; meaningless unless matched), facet, state.
struct __align__(16) Answer {
    double deviation;
    u32 facet;
    u32 state;
};

extern "C" __global__ void signed_closest(Surface surface, Request request, Candidates candidates, Answer* answers) {
    u32 i = thread_number();
    const Queries& queries = request.queries;
    if (i >= queries.count) return;
    Match match = match_of(surface, queries, request.gate, i, candidates);
    Answer answer = {0.0, 0, match.state};
    if (match.hit.facet != NONE) {
        double distance = sqrt(match.hit.squared);
        answer.deviation = match.side < 0.0 ? -distance : distance;
        answer.facet = match.hit.facet;
    }
    answers[request.numbers[i]] = answer;
}
