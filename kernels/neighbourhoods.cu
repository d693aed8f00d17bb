// Local properties of the surface at each point from its nearest neighbours. Counterpart of
// compute/cpu/neighbourhoods.rs; sums run in ascending order of distance in both.
#include "lib/jacobi.cuh"
#include "lib/nearest.cuh"

// Maximum number of neighbours of a point, itself included.
constexpr u32 MOST = 64;

struct Request {
    Points points;
    const double* positions;  // 3 each, by point index
    u32 neighbours;           // 1 to MOST
    u32 pad;
};

struct Neighbourhood {
    Vec3 normal;        // unit direction of least variance, its component of largest magnitude positive
    double variation;   // share of the variance along the normal
    double mean_mm;     // mean distance to the other neighbours
    double reach_mm;    // distance to the farthest neighbour
    u32 count;          // neighbours, the point itself included
    u32 pad;
};

extern "C" __global__ void neighbourhoods(Request request, Neighbourhood* answers) {
    u32 tree_index = thread_index();
    if (tree_index >= request.points.count) return;
    Vec3 query = position_at(request.points.positions, tree_index);
    Neighbours<MOST> found;
    nearest_neighbours(request.points, query, request.neighbours, found);
    Neighbourhood answer = {{0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, found.count, 0};
    Vec3 mean = {0.0, 0.0, 0.0};
    double distances = 0.0, count = (double)found.count;
    for (u32 k = 0; k < found.count; k++) {
        mean = mean + (at(request.positions, found.indices[k]) - query);
        distances += sqrt(found.squared[k]);
    }
    mean = mean / count;
    double scatter[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (u32 k = 0; k < found.count; k++) {
        Vec3 c = at(request.positions, found.indices[k]) - query - mean;
        scatter[0] += c.x * c.x;
        scatter[1] += c.x * c.y;
        scatter[2] += c.x * c.z;
        scatter[3] += c.y * c.y;
        scatter[4] += c.y * c.z;
        scatter[5] += c.z * c.z;
    }
    Eigen eigen = jacobi(scatter);
    double smallest = max(eigen.values[0], 0.0), total = eigen.values[0] + eigen.values[1] + eigen.values[2];
    Vec3 n = eigen.vectors[0];
    double largest = n.x;
    if (fabs(n.y) > fabs(largest)) largest = n.y;
    if (fabs(n.z) > fabs(largest)) largest = n.z;
    answer.normal = largest < 0.0 ? Vec3{-n.x, -n.y, -n.z} : n;
    answer.variation = total > 0.0 ? smallest / total : 0.0;
    answer.mean_mm = distances / max(count - 1.0, 1.0);
    answer.reach_mm = sqrt(found.squared[found.count - 1]);
    answers[__float_as_uint(request.points.pre_filter[tree_index].w)] = answer;
}
