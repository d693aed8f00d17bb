// Median smoothing of point values over neighbours on the same face. Counterpart of compute/cpu/smoothing.rs.
#include "lib/nearest.cuh"

// Number of neighbours searched, and maximum numbers of neighbours in the median and of links.
constexpr u32 LOOKED_AT = 48;
constexpr u32 KEPT = 24;
constexpr u32 LINKS = 8;

struct Request {
    Points points;
    const double* values;   // by point index
    const double* normals;  // 3 each, by point index: of the face that the point belongs to
};

struct Smoothed {
    double value;      // median over the neighbours; NaN if there are none
    double reach_mm2;  // squared distance to the farthest neighbour
    u32 links[LINKS];  // nearest neighbours without the point itself; NONE if there are fewer
    u32 count;         // neighbours, the point itself included
    u32 pad;
};

extern "C" __global__ void smooth(Request request, Smoothed* answers) {
    u32 tree_index = thread_index();
    if (tree_index >= request.points.count) return;
    Neighbours<LOOKED_AT> found;
    nearest_neighbours(request.points, position_at(request.points.positions, tree_index), LOOKED_AT, found);
    u32 index = __float_as_uint(request.points.pre_filter[tree_index].w);
    Vec3 normal = at(request.normals, index);
    Smoothed answer;
    answer.reach_mm2 = 0.0;
    answer.count = answer.pad = 0;
    for (u32 link = 0; link < LINKS; link++) answer.links[link] = NONE;
    double values[KEPT];
    // On a thin sheet half of the neighbours lie on the opposite face.
    for (u32 k = 0; k < found.count && answer.count < KEPT; k++) {
        u32 neighbour = found.indices[k];
        if (!(dot(at(request.normals, neighbour), normal) > 0.0)) continue;
        if (answer.count > 0 && answer.count <= LINKS) answer.links[answer.count - 1] = neighbour;
        answer.reach_mm2 = found.squared[k];
        double value = request.values[neighbour];
        u32 rank = answer.count++;
        for (; rank > 0 && value < values[rank - 1]; rank--) values[rank] = values[rank - 1];
        values[rank] = value;
    }
    answer.value = answer.count > 0 ? values[answer.count / 2] : __longlong_as_double(0x7FF8000000000000ll);
    answers[index] = answer;
}
