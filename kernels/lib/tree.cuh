// A binary tree over facets in Morton order. A node holds the boxes of its two children, so that a visit costs one line
// of memory; a child of few facets is a leaf, named by its first facet in tree order and their number.
#pragma once
#include "vec.cuh"

#define LEAF_BIT 0x80000000u
// Facets in a leaf, at most.
#define LEAF_SIZE 4u

// Boxes are f32 about the surface's centre, rounded outward.
struct __align__(64) Node {
    float min0[3], max0[3], min1[3], max1[3];
    u32 child0, child1;
    u32 pad0, pad1;
};

__device__ inline u32 leaf_code(u32 first, u32 count) { return LEAF_BIT | first << 3 | (count - 1); }
__device__ inline u32 leaf_first(u32 code) { return (code & ~LEAF_BIT) >> 3; }
__device__ inline u32 leaf_count(u32 code) { return (code & 7u) + 1; }
