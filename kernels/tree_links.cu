// Links a tree over primitives with sorted Morton keys, all nodes at once (Karras, "Maximizing parallelism in the
// construction of BVHs, octrees, and k-d trees", 2012).
#include "lib/tree.cuh"

// Length of the common prefix of keys i and j, bits; equal keys are extended by their indices. -1 if j is out of range.
__device__ inline int prefix(const u32* keys, u32 count, long long i, long long j) {
    if (j < 0 || j >= count) return -1;
    u32 difference = keys[i] ^ keys[j];
    return difference ? __clz(difference) : 32 + __clz((u32)i ^ (u32)j);
}

// Node i of count - 1: finds its range of primitives and its two children, and sets their parents. Ranges of at most
// `leaf_size` primitives (up to 8) become leaves.
extern "C" __global__ void tree_links(const u32* keys, u32 count, u32 leaf_size, Node* nodes, u32* node_parents,
                                      u32* leaf_parents) {
    long long i = thread_index();
    if (i + 1 >= count) return;
    int d = prefix(keys, count, i, i + 1) > prefix(keys, count, i, i - 1) ? 1 : -1;
    int min_prefix = prefix(keys, count, i, i - d);
    long long max_length = 2;
    while (prefix(keys, count, i, i + max_length * d) > min_prefix) max_length *= 2;
    long long length = 0;
    for (long long step = max_length / 2; step > 0; step /= 2) {
        if (prefix(keys, count, i, i + (length + step) * d) > min_prefix) length += step;
    }
    long long other = i + length * d;
    int common = prefix(keys, count, i, other);
    long long split = 0;
    for (long long step = (length + 1) / 2;; step = (step + 1) / 2) {
        if (prefix(keys, count, i, i + (split + step) * d) > common) split += step;
        if (step == 1) break;
    }
    u32 split_index = (u32)(i + split * d + (d < 0 ? -1 : 0));
    u32 first = (u32)(d > 0 ? i : other), last = (u32)(d > 0 ? other : i);
    Node& node = nodes[i];
    u32 left = split_index - first + 1, right = last - split_index;
    node.child0 = left <= leaf_size ? leaf_code(first, left) : split_index;
    node.child1 = right <= leaf_size ? leaf_code(split_index + 1, right) : split_index + 1;
    if (left == 1) leaf_parents[split_index] = 2 * (u32)i; else node_parents[split_index] = 2 * (u32)i;
    if (right == 1) leaf_parents[split_index + 1] = 2 * (u32)i + 1; else node_parents[split_index + 1] = 2 * (u32)i + 1;
    if (i == 0) node_parents[0] = NONE;
}
