// The tree over facets: Morton keys of the centroids; after sorting (radix_sort.cu), facets in tree order; after
// linking (tree_links.cu), boxes from the leaves up.
#include "lib/climb.cuh"
#include "lib/morton.cuh"
#include "lib/surface.cuh"

// The mesh, mm; read by all steps.
struct Mesh {
    const double* vertices;  // 3 each
    const u32* facets;       // 3 vertex indices each
    u32 count;               // facets
    u32 pad;
    Curve curve;
};

__device__ inline Vec3 corner(const Mesh& mesh, u32 facet, u32 i) {
    const double* v = mesh.vertices + 3ull * mesh.facets[3ull * facet + i];
    return {v[0], v[1], v[2]};
}

extern "C" __global__ void facet_keys(Mesh mesh, u32* keys, u32* indices) {
    u32 facet = thread_index();
    if (facet >= mesh.count) return;
    Vec3 sum = corner(mesh, facet, 0) + corner(mesh, facet, 1) + corner(mesh, facet, 2);
    keys[facet] = morton_key(sum / 3.0, mesh.curve);
    indices[facet] = facet;
}

// Corners in tree order, so that the facets of a leaf are adjacent: in f64, and in f32 for the pre-filter.
extern "C" __global__ void facet_corners(Mesh mesh, const u32* indices, Facet64* corners, Facet32* pre_filter) {
    u32 i = thread_index();
    if (i >= mesh.count) return;
    Vec3 a = corner(mesh, indices[i], 0), b = corner(mesh, indices[i], 1), c = corner(mesh, indices[i], 2);
    corners[i] = {{{a.x, a.y}, {a.z, b.x}, {b.y, b.z}, {c.x, c.y}, {c.z, __longlong_as_double(indices[i])}}};
    Vec3 exact[3] = {a, b, c};
    float3 local[3];
    for (u32 k = 0; k < 3; k++) {
        Vec3 about = exact[k] - mesh.curve.centre;
        local[k] = to_float3(about);
    }
    float3 edge1 = minus(local[1], local[0]), edge2 = minus(local[2], local[0]), edge3 = minus(edge2, edge1);
    float3 area = cross32(edge1, edge2);
    float longest = max(max(dot32(edge1, edge1), dot32(edge2, edge2)), dot32(edge3, edge3));
    float needle = longest <= MIN_NEEDLE_RATIO * sqrtf(dot32(area, area)) ? 0.0f : 1.0f;
    pre_filter[i] = {{local[0].x, local[0].y, local[0].z, 0.0f},
                {local[1].x, local[1].y, local[1].z, needle},
                {local[2].x, local[2].y, local[2].z, 0.0f}};
}

// One thread per facet, from its leaf up. `arrivals` must be zeroed.
extern "C" __global__ void facet_boxes(Vec3 centre, const Facet64* corners, u32 count, Node* nodes,
                                       const u32* node_parents, const u32* leaf_parents, u32* arrivals) {
    u32 i = thread_index();
    if (i >= count) return;
    Corners f = corners_of(corners, i);
    Vec3 a = f.a - centre, b = f.b - centre, c = f.c - centre;
    Box box = {{__double2float_rd(min(a.x, min(b.x, c.x))), __double2float_rd(min(a.y, min(b.y, c.y))),
                __double2float_rd(min(a.z, min(b.z, c.z)))},
               {__double2float_ru(max(a.x, max(b.x, c.x))), __double2float_ru(max(a.y, max(b.y, c.y))),
                __double2float_ru(max(a.z, max(b.z, c.z)))}};
    climb(nodes, node_parents, leaf_parents[i], arrivals, box);
}
