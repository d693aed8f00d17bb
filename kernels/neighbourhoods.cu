// What the nearest neighbours of each point say of the surface there. The twin of compute/cpu/neighbourhoods.rs; sums run
// from the nearest on, as there.
#include "lib/jacobi.cuh"
#include "lib/nearest.cuh"

// The most neighbours of a point, itself included.
constexpr u32 MOST = 64;

struct Request {
    Points points;
    const double* places;  // 3 each, by point number
    u32 neighbours;        // from 1 to MOST
    u32 pad;
};

struct Neighbourhood {
    Vec3 normal;
    double variation, mean, reach;
    u32 count;
    u32 pad;
};

extern "C" __global__ void neighbourhoods(Request request, Neighbourhood* answers) {
    u32 at_leaf = thread_number();
    if (at_leaf >= request.points.count) return;
    Vec3 place = place_at(request.points.places, at_leaf);
    Neighbours<MOST> found;
    nearest_neighbours(request.points, place, request.neighbours, found);
    Neighbourhood answer = {{0.0, 0.0, 0.0}, 0.0, 0.0, 0.0, found.count, 0};
    Vec3 mean = {0.0, 0.0, 0.0};
    double distances = 0.0, count = (double)found.count;
    for (u32 k = 0; k < found.count; k++) {
        mean = mean + (at(request.places, found.numbers[k]) - place);
        distances += sqrt(found.squared[k]);
    }
    mean = mean / count;
    double spread[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (u32 k = 0; k < found.count; k++) {
        Vec3 c = at(request.places, found.numbers[k]) - place - mean;
        spread[0] += c.x * c.x;
        spread[1] += c.x * c.y;
        spread[2] += c.x * c.z;
        spread[3] += c.y * c.y;
        spread[4] += c.y * c.z;
        spread[5] += c.z * c.z;
    }
    Eigen eigen = jacobi(spread);
    double least = max(eigen.values[0], 0.0), all = eigen.values[0] + eigen.values[1] + eigen.values[2];
    Vec3 n = eigen.vectors[0];
    double largest = n.x;
    if (fabs(n.y) > fabs(largest)) largest = n.y;
    if (fabs(n.z) > fabs(largest)) largest = n.z;
    answer.normal = largest < 0.0 ? Vec3{-n.x, -n.y, -n.z} : n;
    answer.variation = all > 0.0 ? least / all : 0.0;
    answer.mean = distances / max(count - 1.0, 1.0);
    answer.reach = sqrt(found.squared[found.count - 1]);
    answers[__float_as_uint(request.points.sieve[at_leaf].w)] = answer;
}
