// Points on the device and the tree over them.
#pragma once
#include "tree.cuh"

// Points, mm, in tree order.
struct Points {
    const Node* nodes;
    u32 root;                  // code of a node; of a leaf if there are few points, NONE if there are none
    u32 count;
    const double2* positions;  // 2 each: x, y; z, unused. Words of 16 bytes load faster
    const float4* pre_filter;  // x, y, z in f32 about the centre; w: bits of the point index
    Vec3 centre;
    double half_extent_mm;     // half the longest side of the bounding box
};

__device__ inline Vec3 position_at(const double2* positions, u64 i) {
    double2 xy = positions[2 * i], z = positions[2 * i + 1];
    return {xy.x, xy.y, z.x};
}
