// Bounding boxes of a tree, from its leaves up.
#pragma once
#include "tree.cuh"

struct Box {
    float min[3], max[3];
};

// Merges the box of a leaf into its ancestors: the second of two children to arrive at a node continues with the box of
// both. A parent is encoded as twice the node index plus the child (0 or 1); NONE above the root. `arrivals`, one per
// node, must be zeroed.
__device__ inline void climb(Node* nodes, const u32* node_parents, u32 parent, u32* arrivals, Box box) {
    while (parent != NONE) {
        volatile float* own = nodes[parent / 2].box + 6 * (parent % 2);
        volatile float* other = nodes[parent / 2].box + 6 * (1 - parent % 2);
        for (u32 axis = 0; axis < 3; axis++) {
            own[axis] = box.min[axis];
            own[3 + axis] = box.max[axis];
        }
        __threadfence();
        if (atomicAdd(&arrivals[parent / 2], 1u) == 0) return;
        __threadfence();
        for (u32 axis = 0; axis < 3; axis++) {
            float other_min = other[axis], other_max = other[3 + axis];
            box.min[axis] = min(box.min[axis], other_min);
            box.max[axis] = max(box.max[axis], other_max);
        }
        parent = node_parents[parent / 2];
    }
}
