// The tree over points: Morton keys; after sorting (radix_sort.cu), points in tree order; after linking
// (tree_links.cu), boxes from the leaves up.
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

extern "C" __global__ void point_keys(Cloud cloud, u32* keys, u32* indices) {
    u32 i = thread_index();
    if (i >= cloud.count) return;
    keys[i] = morton_key(at(cloud.points, i), cloud.curve);
    indices[i] = i;
}

// Points in tree order, so that the points of a leaf are adjacent: in f64, and in f32 for the pre-filter.
extern "C" __global__ void point_order(Cloud cloud, const u32* indices, double2* positions, float4* pre_filter) {
    u32 i = thread_index();
    if (i >= cloud.count) return;
    Vec3 point = at(cloud.points, indices[i]), about = point - cloud.curve.centre;
    positions[2ull * i] = {point.x, point.y};
    positions[2ull * i + 1] = {point.z, 0.0};
    pre_filter[i] = {(float)about.x, (float)about.y, (float)about.z, __uint_as_float(indices[i])};
}

// One thread per point, from its leaf up. `arrivals` must be zeroed.
extern "C" __global__ void point_boxes(Vec3 centre, const double2* positions, u32 count, Node* nodes,
                                       const u32* node_parents, const u32* leaf_parents, u32* arrivals) {
    u32 i = thread_index();
    if (i >= count) return;
    Vec3 about = position_at(positions, i) - centre;
    Box box = {{__double2float_rd(about.x), __double2float_rd(about.y), __double2float_rd(about.z)},
               {__double2float_ru(about.x), __double2float_ru(about.y), __double2float_ru(about.z)}};
    climb(nodes, node_parents, leaf_parents[i], arrivals, box);
}
