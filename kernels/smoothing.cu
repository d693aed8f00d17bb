// Values of points smoothed over neighbours of the same face. The twin of compute/cpu/smoothing.rs.
#include "lib/nearest.cuh"

// Neighbours looked at, neighbours that smooth, and those that a place is linked to.
constexpr u32 LOOKED_AT = 48;
constexpr u32 KEPT = 24;
constexpr u32 LINKS = 8;

struct Request {
    Points points;
    const double* values;   // by point number
    const double* normals;  // 3 each, of the face that each point belongs to
};

struct Smoothed {
    double value;  // the median over the neighbours
    double reach;  // squared distance of the farthest of them, mm^2
    u32 links[LINKS];
    u32 count;     // neighbours, the point itself included
    u32 pad;
};

extern "C" __global__ void smooth(Request request, Smoothed* answers) {
    u32 at_leaf = thread_number();
    if (at_leaf >= request.points.count) return;
    Neighbours<LOOKED_AT> found;
    nearest_neighbours(request.points, place_at(request.points.places, at_leaf), LOOKED_AT, found);
    u32 number = __float_as_uint(request.points.sieve[at_leaf].w);
    Vec3 normal = at(request.normals, number);
    Smoothed answer;
    answer.reach = 0.0;
    answer.count = answer.pad = 0;
    for (u32 link = 0; link < LINKS; link++) answer.links[link] = NONE;
    double values[KEPT];
    // On a thin sheet half of the neighbours lie on the other face.
    for (u32 k = 0; k < found.count && answer.count < KEPT; k++) {
        u32 neighbour = found.numbers[k];
        if (!(dot(at(request.normals, neighbour), normal) > 0.0)) continue;
        if (answer.count > 0 && answer.count <= LINKS) answer.links[answer.count - 1] = neighbour;
        answer.reach = found.squared[k];
        double value = request.values[neighbour];
        u32 place = answer.count++;
        for (; place > 0 && value < values[place - 1]; place--) values[place] = values[place - 1];
        values[place] = value;
    }
    answer.value = answer.count > 0 ? values[answer.count / 2] : __longlong_as_double(0x7FF8000000000000ll);
    answers[number] = answer;
}
