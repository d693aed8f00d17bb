// The tree over points: Morton keys; then, sorted and linked (tree_links.cu), points in tree order and boxes.
#include "lib/climb.cuh"
#include "lib/morton.cuh"
#include "lib/points.cuh"

// The points, mm.
struct Cloud {
    const double* points;  // 3 each
    u32 count;
    u32 pad;
    Curve curve;
};

extern "C" __global__ void point_keys(Cloud cloud, u32* keys, u32* numbers) {
    u32 i = thread_number();
    if (i >= cloud.count) return;
    keys[i] = morton_key(at(cloud.points, i), cloud.curve);
    numbers[i] = i;
}

// Points in tree order, so that a leaf's points lie side by side; once exact, once for the sieve.
extern "C" __global__ void point_order(Cloud cloud, const u32* numbers, double2* ordered, float4* sieve) {
    u32 i = thread_number();
    if (i >= cloud.count) return;
    Vec3 point = at(cloud.points, numbers[i]), about = point - cloud.curve.centre;
    ordered[2ull * i] = {point.x, point.y};
    ordered[2ull * i + 1] = {point.z, 0.0};
    sieve[i] = {(float)about.x, (float)about.y, (float)about.z, __uint_as_float(numbers[i])};
}

// Every point climbs. `arrivals` is zero before.
extern "C" __global__ void point_boxes(Vec3 centre, const double2* ordered, u32 count, Node* nodes, const u32* node_parents,
                                       const u32* leaf_parents, u32* arrivals) {
    u32 i = thread_number();
    if (i >= count) return;
    Vec3 about = place_at(ordered, i) - centre;
    Box box = {{__double2float_rd(about.x), __double2float_rd(about.y), __double2float_rd(about.z)},
               {__double2float_ru(about.x), __double2float_ru(about.y), __double2float_ru(about.z)}};
    climb(nodes, node_parents, leaf_parents[i], arrivals, box);
}
