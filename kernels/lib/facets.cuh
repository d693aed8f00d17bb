// Matching of nominal facets: the facets in the scan frame, and the leaves of a tree that a box overlaps.
#pragma once
#include "tree.cuh"
#include "triangle.cuh"

// Facets of the nominal, mm.
struct Facets {
    const double* vertices;  // 3 each
    const u32* facets;       // 3 vertex indices each
    const u32* order;        // facet indices along a space-filling curve
    u32 count;
    u32 pad;
    Pose scan_from_nominal;
};

// Answer for one facet: signed deviation (mm, positive outside; undefined without matches) and number of matches.
struct __align__(16) FacetAnswer {
    double deviation;
    u32 matches;
    u32 pad;
};

// A facet in the scan frame, mm; the normal has unit length.
struct Facet {
    Vec3 corners[3], centre, normal;
};

__device__ inline Facet facet_in_scan(const Facets& facets, u32 index) {
    Facet f;
    for (u32 k = 0; k < 3; k++) {
        f.corners[k] = transform(facets.scan_from_nominal, at(facets.vertices, facets.facets[3ull * index + k]));
    }
    f.centre = (f.corners[0] + f.corners[1] + f.corners[2]) / 3.0;
    f.normal = unit_normal(f.corners[0], f.corners[1], f.corners[2]);
    return f;
}

__device__ inline bool overlaps(float3 centre, float3 half, float x0, float y0, float z0, float x1, float y1,
                                float z1) {
    return x0 <= centre.x + half.x && x1 >= centre.x - half.x && y0 <= centre.y + half.y && y1 >= centre.y - half.y &&
           z0 <= centre.z + half.z && z1 >= centre.z - half.z;
}

// Half extent of a box that overlaps nothing.
#define EMPTY_HALF_EXTENT -3e38f

// Calls `visit` with the code of each leaf whose box overlaps centre +- half, relative to the tree's centre, in tree
// order; `visit` may shrink `half`. Per warp, each leaf that any lane needs is visited by all lanes; half.x of a lane
// without a query is EMPTY_HALF_EXTENT.
template <Traversal traversal, class Visit>
__device__ inline void visit_leaves(const Node* nodes, u32 root, const float3& centre, const float3& half,
                                    Visit visit) {
    u32 stack[MAX_DEPTH];
    u32 top = 0, code = root;
    while (code != NONE) {
        while (!(code & LEAF_BIT)) {
            Children node = children(nodes, code);
            bool first = overlaps(centre, half, node.a.x, node.a.y, node.a.z, node.a.w, node.b.x, node.b.y);
            bool second = overlaps(centre, half, node.b.z, node.b.w, node.c.x, node.c.y, node.c.z, node.c.w);
            first = is_wanted<traversal>(first);
            second = is_wanted<traversal>(second);
            if (first && second) stack[top++] = node.codes.y;
            code = first ? node.codes.x : second ? node.codes.y : top > 0 ? stack[--top] : NONE;
        }
        if (code == NONE) return;
        visit(code);
        code = top > 0 ? stack[--top] : NONE;
    }
}
