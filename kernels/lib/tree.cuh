// A binary tree over facets or points in Morton order. A node holds the bounding boxes of its two children, so that a
// visit costs one cache line. A child of few primitives is a leaf, encoded by the tree index of its first primitive and
// by their number. A tree index is a position in tree order.
#pragma once
#include "vec.cuh"

#define LEAF_BIT 0x80000000u
#define NONE 0xFFFFFFFFu
// Bound on the relative f32 error of a filtered distance: about thirty roundings.
#define FILTER_ERROR (32.0 / 16777216.0)
// Upper limit of the tree's depth: each level splits by another bit of the 30-bit key or of the 32-bit tree index.
#define MAX_DEPTH 64

// Boxes in f32 about the tree's centre, rounded outward: min and max corner of child 0, then of child 1.
struct __align__(64) Node {
    float box[12];
    u32 child0, child1;
    u32 pad0, pad1;
};

// A node, loaded in words of 16 bytes.
struct Children {
    float4 a, b, c;
    uint4 codes;
};

__device__ inline Children children(const Node* nodes, u32 node) {
    const float4* word = (const float4*)(nodes + node);
    return {__ldg(word), __ldg(word + 1), __ldg(word + 2), __ldg((const uint4*)(word + 3))};
}

// Leaf code: LEAF_BIT, 28 bits for the first primitive, 3 bits for the count less 1.
__device__ inline u32 leaf_code(u32 first, u32 count) { return LEAF_BIT | first << 3 | (count - 1); }
__device__ inline u32 leaf_first(u32 code) { return (code & ~LEAF_BIT) >> 3; }
__device__ inline u32 leaf_count(u32 code) { return (code & 7u) + 1; }

// Distance of p from the interval [low, high]; 0 inside.
__device__ inline float outside(float low, float high, float p) { return max(max(low - p, p - high), 0.0f); }

// Squared distances from p to the boxes of both children.
__device__ inline float distance0(const Children& node, float3 p) {
    float x = outside(node.a.x, node.a.w, p.x), y = outside(node.a.y, node.b.x, p.y),
          z = outside(node.a.z, node.b.y, p.z);
    return __fmaf_rn(z, z, __fmaf_rn(y, y, x * x));
}
__device__ inline float distance1(const Children& node, float3 p) {
    float x = outside(node.b.z, node.c.y, p.x), y = outside(node.b.w, node.c.z, p.y),
          z = outside(node.c.x, node.c.w, p.z);
    return __fmaf_rn(z, z, __fmaf_rn(y, y, x * x));
}

#define ALL_LANES 0xFFFFFFFFu

// Whether each thread traverses the tree by itself, or a whole warp together, for threads that are neighbours and need
// nearly the same leaves.
enum Traversal { PER_THREAD, PER_WARP };

// Whether a thread, or any thread of the warp, wants something.
template <Traversal traversal>
__device__ inline bool is_wanted(bool own) {
    if constexpr (traversal == PER_WARP) return __any_sync(ALL_LANES, own);
    return own;
}
