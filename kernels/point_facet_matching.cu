// Point-facet matching: the mean signed distance of the points in the cylinder over each facet. The twin of
// compute/cpu/point_facet_matching.rs; sums run in tree order.
#include "lib/points.cuh"
#include "lib/triangle.cuh"

// Relative f32 error of a filtered distance, generously.
#define FILTER_ERROR (32.0 / 16777216.0)

struct Request {
    const double* vertices;    // 3 each, mm
    const u32* facets;         // 3 each
    const u32* order;          // facets along a curve
    u32 count;
    u32 pad;
    const double* directions;  // 3 each by point number, or null for no angle gate
    Pose scan_from_nominal;
    double radius_mm;          // not positive: each facet's own
    double max_distance_mm;
    double least_cosine;
};

// The points over one facet: within `radius` of its normal line and `height` of its plane.
struct Cylinder {
    Vec3 centre, normal;
    double squared_radius, height;
    // The same in f32 about the tree's centre, widened by its error: what it refuses is outside for sure.
    float3 local, axis, half;
    float squared_height32, squared_radius32;
};

__device__ inline Cylinder over(const Points& points, const Request& request, u32 facet) {
    Vec3 corners[3];
    for (u32 k = 0; k < 3; k++) {
        corners[k] = transform(request.scan_from_nominal, at(request.vertices, request.facets[3ull * facet + k]));
    }
    Cylinder c;
    c.centre = (corners[0] + corners[1] + corners[2]) / 3.0;
    c.normal = unit_normal(corners[0], corners[1], corners[2]);
    double radius = request.radius_mm;
    if (!(radius > 0.0)) {
        double squared = 0.0;
        for (u32 k = 0; k < 3; k++) squared = max(squared, dot(corners[k] - c.centre, corners[k] - c.centre));
        radius = sqrt(squared);
    }
    c.squared_radius = radius * radius;
    c.height = request.max_distance_mm;
    Vec3 about = c.centre - points.centre;
    double far = max(fabs(about.x), max(fabs(about.y), fabs(about.z))), reach = radius + c.height;
    double error = FILTER_ERROR * (points.reach_mm + far + reach), height = c.height + error;
    c.local = {(float)about.x, (float)about.y, (float)about.z};
    c.axis = {(float)c.normal.x, (float)c.normal.y, (float)c.normal.z};
    c.squared_height32 = __double2float_ru(height * height * (1.0 + FILTER_ERROR));
    // The lateral distance is a difference of squares: its error grows with the reach of the cylinder.
    c.squared_radius32 = __double2float_ru(((radius + error) * (radius + error) + 4.0 * error * reach) * (1.0 + FILTER_ERROR));
    // Per coordinate, the axis' share of the height and the disc's of the radius.
    double n[3] = {c.normal.x, c.normal.y, c.normal.z};
    float half[3];
    for (u32 axis = 0; axis < 3; axis++) {
        double across = max(1.0 - n[axis] * n[axis], 0.0);
        half[axis] = __double2float_ru(fabs(n[axis]) * c.height + sqrt(across) * radius + error);
    }
    c.half = {half[0], half[1], half[2]};
    return c;
}

__device__ inline bool overlaps(const Cylinder& c, float x0, float y0, float z0, float x1, float y1, float z1) {
    return x0 <= c.local.x + c.half.x && x1 >= c.local.x - c.half.x && y0 <= c.local.y + c.half.y &&
           y1 >= c.local.y - c.half.y && z0 <= c.local.z + c.half.z && z1 >= c.local.z - c.half.z;
}

struct Sum {
    double sum;
    u32 matches;
};

__device__ inline void add_leaf(const Points& points, const Request& request, const Cylinder& c, u32 code, Sum& sum) {
    u32 first = leaf_first(code), count = leaf_count(code), passed = 0;
    // All lanes sieve first, and then decide exactly together: apart, few would be busy at a time.
    #pragma unroll
    for (u32 k = 0; k < 8; k++) {
        float4 p = __ldg(points.sieve + first + min(k, count - 1));
        float x = p.x - c.local.x, y = p.y - c.local.y, z = p.z - c.local.z;
        float along = __fmaf_rn(z, c.axis.z, __fmaf_rn(y, c.axis.y, x * c.axis.x)), height = along * along;
        float lateral = __fmaf_rn(z, z, __fmaf_rn(y, y, x * x)) - height;
        bool inside = k < count && height <= c.squared_height32 && lateral <= c.squared_radius32;
        passed |= (u32)inside << k;
    }
    while (passed) {
        u32 i = first + __ffs((int)passed) - 1;
        passed &= passed - 1;
        Vec3 away = place_at(points.places, i) - c.centre;
        double along = dot(away, c.normal);
        if (fabs(along) > c.height || dot(away, away) - along * along > c.squared_radius) continue;
        if (request.directions) {
            u32 number = __float_as_uint(points.sieve[i].w);
            if (dot(at(request.directions, number), c.normal) < request.least_cosine) continue;
        }
        sum.sum += along;
        sum.matches++;
    }
}

// Per facet: mean deviation, and the points that matched.
extern "C" __global__ void point_facet_matching(Points points, Request request, FacetAnswer* answers) {
    u32 i = thread_number();
    if (i >= request.count) return;
    u32 facet = request.order[i];
    Cylinder c = over(points, request, facet);
    Sum sum = {0.0, 0};
    u32 stack[STACK];
    u32 top = 0, code = points.root;
    while (code != NONE) {
        while (!(code & LEAF_BIT)) {
            Children node = children(points.nodes, code);
            bool first = overlaps(c, node.a.x, node.a.y, node.a.z, node.a.w, node.b.x, node.b.y);
            bool second = overlaps(c, node.b.z, node.b.w, node.c.x, node.c.y, node.c.z, node.c.w);
            if (first && second) stack[top++] = node.codes.y;
            code = first ? node.codes.x : second ? node.codes.y : top > 0 ? stack[--top] : NONE;
        }
        if (code == NONE) break;
        add_leaf(points, request, c, code, sum);
        code = top > 0 ? stack[--top] : NONE;
    }
    answers[facet] = {sum.matches ? sum.sum / (double)sum.matches : 0.0, sum.matches, 0};
}
