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
    Vec3 place = place_of(queries, i);
    Hit hit = closest_of(surface, place, queries.max_distance_mm, i, candidates);
    Answer answer = {0.0, 0, TOO_FAR};
    if (hit.facet != NONE) {
        Vec3 away = place - hit.point;
        double distance = sqrt(hit.squared);
        Vec3 pseudo = pseudo_normal(surface, hit);
        double side = dot(pseudo, away);
        answer.deviation = side < 0.0 ? -distance : distance;
        answer.facet = hit.facet;
        answer.state = judge(surface, request.gate, queries.surface_from_points, i, hit, away, pseudo, side);
    }
    answers[request.numbers[i]] = answer;
}
