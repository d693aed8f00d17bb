// Boxes of a tree from its leaves up.
#pragma once
#include "tree.cuh"

struct Box {
    float low[3], high[3];
};

// Brings the box of a leaf into all nodes above: the second of two children to arrive at a node goes on with the box of
// both. A parent is twice the node's number plus which child this is; NONE above the root.
__device__ inline void climb(Node* nodes, const u32* node_parents, u32 parent, u32* arrivals, Box box) {
    while (parent != NONE) {
        volatile float* own = nodes[parent / 2].box + 6 * (parent % 2);
        volatile float* other = nodes[parent / 2].box + 6 * (1 - parent % 2);
        for (u32 axis = 0; axis < 3; axis++) {
            own[axis] = box.low[axis];
            own[3 + axis] = box.high[axis];
        }
        __threadfence();
        if (atomicAdd(&arrivals[parent / 2], 1u) == 0) return;
        __threadfence();
        for (u32 axis = 0; axis < 3; axis++) {
            float other_low = other[axis], other_high = other[3 + axis];
            box.low[axis] = min(box.low[axis], other_low);
            box.high[axis] = max(box.high[axis], other_high);
        }
        parent = node_parents[parent / 2];
    }
}
