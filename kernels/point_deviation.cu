// Signed deviation of points from a surface: distance of the closest point, its sign by angle-weighted pseudo-normals
// (Baerentzen and Aanaes 2005), and the match state. Counterpart of compute/cpu/point_deviation.rs.
#include "lib/surface.cuh"

struct Request {
    Queries queries;
    const u32* indices;  // point index of each query, where its answer is written
    Gate gate;
};

// Lists the facets that may be the closest to each query.
extern "C" __global__ void closest_candidates(Surface surface, Queries queries, Candidates candidates) {
    u32 i = thread_index();
    if (i < queries.count) list_candidates<PER_THREAD>(surface, query_point(queries, i), queries.max_distance_mm, i, candidates);
}

// Searches exactly for the queries whose candidates overflowed, which are few.
extern "C" __global__ void settle_ties(Surface surface, Queries queries, Candidates candidates) {
    u32 i = thread_index();
    if (i < queries.count && candidates.counts[i] == OVERFLOWED) {
        search_exactly(surface, query_point(queries, i), queries.max_distance_mm, i, candidates);
    }
}

// Signed distance (mm, positive outside; undefined unless matched), facet index, match state.
struct __align__(16) Answer {
    double deviation;
    u32 facet;
    u32 state;
};

extern "C" __global__ void signed_closest(Surface surface, Request request, Candidates candidates, Answer* answers) {
    u32 i = thread_index();
    const Queries& queries = request.queries;
    if (i >= queries.count) return;
    Match match = match_of(surface, queries, request.gate, i, candidates);
    Answer answer = {0.0, 0, match.state};
    if (match.hit.facet != NONE) {
        double distance = sqrt(match.hit.squared);
        answer.deviation = match.side < 0.0 ? -distance : distance;
        answer.facet = match.hit.facet;
    }
    answers[request.indices[i]] = answer;
}
