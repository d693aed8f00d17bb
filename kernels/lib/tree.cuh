// A binary tree over facets or points in Morton order. A node holds the boxes of its two children, so that a visit costs
// one line of memory; a child of few primitives is a leaf, named by its first one in tree order and their number.
#pragma once
#include "vec.cuh"

#define LEAF_BIT 0x80000000u
#define NONE 0xFFFFFFFFu
// Relative f32 error of a filtered distance, generously: some thirty roundings.
#define FILTER_ERROR (32.0 / 16777216.0)
// Deepest stack: a bit of the key or of the primitive's place decides at every level.
#define STACK 64

// Boxes are f32 about the tree's centre, rounded outward: lowest and highest corner of child 0, then of child 1.
struct __align__(64) Node {
    float box[12];
    u32 child0, child1;
    u32 pad0, pad1;
};

// A node, read by whole words of 16 bytes.
struct Children {
    float4 a, b, c;
    uint4 codes;
};

__device__ inline Children children(const Node* nodes, u32 node) {
    const float4* word = (const float4*)(nodes + node);
    return {__ldg(word), __ldg(word + 1), __ldg(word + 2), __ldg((const uint4*)(word + 3))};
}

__device__ inline u32 leaf_code(u32 first, u32 count) { return LEAF_BIT | first << 3 | (count - 1); }
__device__ inline u32 leaf_first(u32 code) { return (code & ~LEAF_BIT) >> 3; }
__device__ inline u32 leaf_count(u32 code) { return (code & 7u) + 1; }

// How far outside [low, high].
__device__ inline float outside(float low, float high, float p) { return max(max(low - p, p - high), 0.0f); }

// Squared distances from p to the boxes of both children.
__device__ inline float distance0(const Children& node, float3 p) {
    float x = outside(node.a.x, node.a.w, p.x), y = outside(node.a.y, node.b.x, p.y), z = outside(node.a.z, node.b.y, p.z);
    return __fmaf_rn(z, z, __fmaf_rn(y, y, x * x));
}
__device__ inline float distance1(const Children& node, float3 p) {
    float x = outside(node.b.z, node.c.y, p.x), y = outside(node.b.w, node.c.z, p.y), z = outside(node.c.x, node.c.w, p.z);
    return __fmaf_rn(z, z, __fmaf_rn(y, y, x * x));
}
