// Resident points and their tree.
#pragma once
#include "tree.cuh"

// Points, mm, in tree order.
struct Points {
    const Node* nodes;
    u32 root;              // a node, or a leaf where there are few points
    u32 count;
    const double2* places;  // x, y; z and nothing: whole words of 16 bytes load faster
    const float4* sieve;   // about the centre; w: the point's number, bit by bit
    Vec3 centre;
    double reach_mm;       // largest coordinate about the centre
};

__device__ inline Vec3 place_at(const double2* places, u64 i) {
    double2 xy = places[2 * i], z = places[2 * i + 1];
    return {xy.x, xy.y, z.x};
}
