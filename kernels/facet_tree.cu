// Builds the tree over facets (Karras, "Maximizing parallelism in the construction of BVHs, octrees, and k-d trees",
// 2012): Morton keys of centroids, then, after sorting, the links of all nodes at once, then boxes from the leaves up.
#include "lib/tree.cuh"

// What all steps read: the mesh, mm, and the box of its vertices.
struct Mesh {
    const double* vertices;  // 3 each
    const u32* facets;       // 3 each
    u32 count;               // facets
    u32 pad;
    Vec3 low;                // lowest corner of the box
    double cells_per_mm;     // 1023 over the longest side of the box
    Vec3 centre;             // what f32 coordinates are about
};

__device__ inline Vec3 corner(const Mesh& mesh, u32 facet, u32 i) {
    const double* v = mesh.vertices + 3ull * mesh.facets[3ull * facet + i];
    return {v[0], v[1], v[2]};
}

// Puts two zero bits before each of the low ten bits.
__device__ inline u32 spread(u32 v) {
    v = (v | v << 16) & 0x030000FFu;
    v = (v | v << 8) & 0x0300F00Fu;
    v = (v | v << 4) & 0x030C30C3u;
    return (v | v << 2) & 0x09249249u;
}

extern "C" __global__ void facet_keys(Mesh mesh, u32* keys, u32* numbers) {
    u32 facet = thread_number();
    if (facet >= mesh.count) return;
    Vec3 sum = corner(mesh, facet, 0) + corner(mesh, facet, 1) + corner(mesh, facet, 2);
    Vec3 cell = (sum / 3.0 - mesh.low) * mesh.cells_per_mm;
    keys[facet] = spread((u32)cell.x) | spread((u32)cell.y) << 1 | spread((u32)cell.z) << 2;
    numbers[facet] = facet;
}

// Corners in tree order, so that a leaf's facets lie side by side.
extern "C" __global__ void facet_corners(Mesh mesh, const u32* numbers, double* corners) {
    u32 i = thread_number();
    if (i >= mesh.count) return;
    for (u32 k = 0; k < 3; k++) {
        Vec3 c = corner(mesh, numbers[i], k);
        double* out = corners + 9ull * i + 3 * k;
        out[0] = c.x;
        out[1] = c.y;
        out[2] = c.z;
    }
}

// Length of the common prefix of keys i and j, equal keys told apart by their places; -1 beyond the ends.
__device__ inline int prefix(const u32* keys, u32 count, long long i, long long j) {
    if (j < 0 || j >= count) return -1;
    u32 difference = keys[i] ^ keys[j];
    return difference ? __clz(difference) : 32 + __clz((u32)i ^ (u32)j);
}

// Node i of count - 1: its range of facets, its two children, and the parent of each. A parent is stored as twice the
// node's number plus which child it has there.
extern "C" __global__ void tree_links(const u32* keys, u32 count, Node* nodes, u32* node_parents, u32* facet_parents) {
    long long i = thread_number();
    if (i + 1 >= count) return;
    int d = prefix(keys, count, i, i + 1) > prefix(keys, count, i, i - 1) ? 1 : -1;
    int least = prefix(keys, count, i, i - d);
    long long reach = 2;
    while (prefix(keys, count, i, i + reach * d) > least) reach *= 2;
    long long length = 0;
    for (long long step = reach / 2; step > 0; step /= 2) {
        if (prefix(keys, count, i, i + (length + step) * d) > least) length += step;
    }
    long long other = i + length * d;
    int common = prefix(keys, count, i, other);
    long long split = 0;
    for (long long step = (length + 1) / 2;; step = (step + 1) / 2) {
        if (prefix(keys, count, i, i + (split + step) * d) > common) split += step;
        if (step == 1) break;
    }
    u32 middle = (u32)(i + split * d + (d < 0 ? -1 : 0));
    u32 first = (u32)(d > 0 ? i : other), last = (u32)(d > 0 ? other : i);
    Node& node = nodes[i];
    u32 left = middle - first + 1, right = last - middle;
    node.child0 = left <= LEAF_SIZE ? leaf_code(first, left) : middle;
    node.child1 = right <= LEAF_SIZE ? leaf_code(middle + 1, right) : middle + 1;
    if (left == 1) facet_parents[middle] = 2 * (u32)i; else node_parents[middle] = 2 * (u32)i;
    if (right == 1) facet_parents[middle + 1] = 2 * (u32)i + 1; else node_parents[middle + 1] = 2 * (u32)i + 1;
    if (i == 0) node_parents[0] = 0xFFFFFFFFu;
}

__device__ inline float below(double value) { return __double2float_rd(value); }
__device__ inline float above(double value) { return __double2float_ru(value); }

// Every facet climbs; the second of two children to arrive at a node goes on with the box of both. `arrivals` is zero
// before.
extern "C" __global__ void tree_boxes(Vec3 centre, const double* corners, u32 count, Node* nodes, const u32* node_parents,
                                      const u32* facet_parents, u32* arrivals) {
    u32 i = thread_number();
    if (i >= count) return;
    float low[3], high[3];
    const double* c = corners + 9ull * i;
    double about[3] = {centre.x, centre.y, centre.z};
    for (u32 axis = 0; axis < 3; axis++) {
        double a = c[axis] - about[axis], b = c[3 + axis] - about[axis], d = c[6 + axis] - about[axis];
        low[axis] = below(min(a, min(b, d)));
        high[axis] = above(max(a, max(b, d)));
    }
    u32 parent = facet_parents[i];
    while (parent != 0xFFFFFFFFu) {
        volatile Node& node = nodes[parent / 2];
        for (u32 axis = 0; axis < 3; axis++) {
            (parent % 2 ? node.min1 : node.min0)[axis] = low[axis];
            (parent % 2 ? node.max1 : node.max0)[axis] = high[axis];
        }
        __threadfence();
        if (atomicAdd(&arrivals[parent / 2], 1u) == 0) return;
        __threadfence();
        for (u32 axis = 0; axis < 3; axis++) {
            float other_low = (parent % 2 ? node.min0 : node.min1)[axis];
            float other_high = (parent % 2 ? node.max0 : node.max1)[axis];
            low[axis] = min(low[axis], other_low);
            high[axis] = max(high[axis], other_high);
        }
        parent = node_parents[parent / 2];
    }
}
