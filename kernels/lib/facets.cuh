// Matching of a nominal's facets: the facets in the scan's frame, and what of a tree lies over each.
#pragma once
#include "tree.cuh"
#include "triangle.cuh"

// The nominal, mm.
struct Facets {
    const double* vertices;  // 3 each
    const u32* facets;       // 3 each
    const u32* order;        // facets along a curve
    u32 count;
    u32 pad;
    Pose scan_from_nominal;
};

// What a matching says of a facet: signed deviation (mm, + outside; meaningless without matches), and what matched.
struct __align__(16) FacetAnswer {
    double deviation;
    u32 matches;
    u32 pad;
};

// A facet in the scan's frame.
struct Facet {
    Vec3 corners[3], centre, normal;
};

__device__ inline Facet facet_in_scan(const Facets& facets, u32 number) {
    Facet f;
    for (u32 k = 0; k < 3; k++) {
        f.corners[k] = transform(facets.scan_from_nominal, at(facets.vertices, facets.facets[3ull * number + k]));
    }
    f.centre = (f.corners[0] + f.corners[1] + f.corners[2]) / 3.0;
    f.normal = unit_normal(f.corners[0], f.corners[1], f.corners[2]);
    return f;
}

__device__ inline bool overlaps(float3 centre, float3 half, float x0, float y0, float z0, float x1, float y1, float z1) {
    return x0 <= centre.x + half.x && x1 >= centre.x - half.x && y0 <= centre.y + half.y && y1 >= centre.y - half.y &&
           z0 <= centre.z + half.z && z1 >= centre.z - half.z;
}

#define ALL_LANES 0xFFFFFFFFu
// A half of a box that meets nothing.
#define NOWHERE -3e38f

// Who goes down a tree: each lane by itself, or a warp together, where neighbours along the curve need nearly the same leaves.
enum Company { ALONE, TOGETHER };

// Shows `visit` the code of each leaf whose box meets centre +- half, about the tree's centre, in tree order; it may shrink
// `half`. Together, each leaf that any lane needs is shown to all of them; a lane with nothing to ask is NOWHERE.
template <Company company, class Visit>
__device__ inline void visit_leaves(const Node* nodes, u32 root, const float3& centre, const float3& half, Visit visit) {
    u32 stack[STACK];
    u32 top = 0, code = root;
    while (code != NONE) {
        while (!(code & LEAF_BIT)) {
            Children node = children(nodes, code);
            bool first = overlaps(centre, half, node.a.x, node.a.y, node.a.z, node.a.w, node.b.x, node.b.y);
            bool second = overlaps(centre, half, node.b.z, node.b.w, node.c.x, node.c.y, node.c.z, node.c.w);
            if constexpr (company == TOGETHER) {
                first = __any_sync(ALL_LANES, first);
                second = __any_sync(ALL_LANES, second);
            }
            if (first && second) stack[top++] = node.codes.y;
            code = first ? node.codes.x : second ? node.codes.y : top > 0 ? stack[--top] : NONE;
        }
        if (code == NONE) return;
        visit(code);
        code = top > 0 ? stack[--top] : NONE;
    }
}
