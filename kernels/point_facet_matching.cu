// Point-facet matching: mean signed distance of the points in the cylinder over each facet. Counterpart of
// compute/cpu/point_facet_matching.rs; sums run in tree order.
#include "lib/facets.cuh"
#include "lib/points.cuh"

struct Request {
    Facets facets;
    const double* directions;  // 3 each, by point index, or null for no angle gate
    double radius_mm;          // not positive: each facet's circumscribed radius about its centroid
    double max_distance_mm;
    double min_cosine;
};

// Cylinder over one facet: `radius` about its normal line and `height` to both sides of its plane, mm.
struct Cylinder {
    Vec3 centre, normal;
    double squared_radius, height;
    // The same in f32 about the tree's centre, enlarged by the error: points it rejects are certainly outside. `half`
    // is the half extent of the bounding box.
    float3 local, axis, half;
    float squared_height32, squared_radius32;
};

__device__ inline Cylinder cylinder_over(const Points& points, const Request& request, u32 facet) {
    Facet f = facet_in_scan(request.facets, facet);
    Cylinder c;
    c.centre = f.centre;
    c.normal = f.normal;
    double radius = request.radius_mm;
    if (!(radius > 0.0)) {
        double squared = 0.0;
        for (Vec3 corner : f.corners) squared = max(squared, dot(corner - c.centre, corner - c.centre));
        radius = sqrt(squared);
    }
    c.squared_radius = radius * radius;
    c.height = request.max_distance_mm;
    Vec3 about = c.centre - points.centre;
    double extent = radius + c.height;
    double error = FILTER_ERROR * (points.half_extent_mm + max_abs(about) + extent), height = c.height + error;
    c.local = to_float3(about);
    c.axis = to_float3(c.normal);
    c.squared_height32 = __double2float_ru(height * height * (1.0 + FILTER_ERROR));
    // The lateral distance is a difference of squares: its error grows with the size of the cylinder.
    c.squared_radius32 =
        __double2float_ru(((radius + error) * (radius + error) + 4.0 * error * extent) * (1.0 + FILTER_ERROR));
    // Per coordinate, the projections of the axis (height) and of the disc (radius).
    double n[3] = {c.normal.x, c.normal.y, c.normal.z};
    float half[3];
    for (u32 axis = 0; axis < 3; axis++) {
        double across = max(1.0 - n[axis] * n[axis], 0.0);
        half[axis] = __double2float_ru(fabs(n[axis]) * c.height + sqrt(across) * radius + error);
    }
    c.half = {half[0], half[1], half[2]};
    return c;
}

// Sum over the matches of one facet so far, and its pending points, which passed the pre-filter.
struct Sum {
    double sum;  // signed distances, mm
    u32 matches;
    u32 passed;  // bit 8 * leaf + k: point k of a pending leaf passed
    u32 leaves;  // pending leaves
};

// Positions of the points of the pending leaves, shared by all lanes of a warp.
#define MAX_PENDING_LEAVES 4u
struct PendingLeaves {
    double x[8 * MAX_PENDING_LEAVES], y[8 * MAX_PENDING_LEAVES], z[8 * MAX_PENDING_LEAVES];
    u32 firsts[MAX_PENDING_LEAVES];
};

// Decides on the pending points in f64; for several leaves at once, since lanes are idle while another has more points.
__device__ inline void decide_pending(const Points& points, const Request& request, const Cylinder& c,
                                      const PendingLeaves& pending, Sum& sum) {
    __syncwarp();
    while (sum.passed) {
        u32 bit = __ffs((int)sum.passed) - 1;
        sum.passed &= sum.passed - 1;
        Vec3 away = Vec3{pending.x[bit], pending.y[bit], pending.z[bit]} - c.centre;
        double along = dot(away, c.normal);
        if (fabs(along) > c.height || dot(away, away) - along * along > c.squared_radius) continue;
        if (request.directions) {
            u32 index = __float_as_uint(points.pre_filter[pending.firsts[bit / 8] + bit % 8].w);
            if (dot(at(request.directions, index), c.normal) < request.min_cosine) continue;
        }
        sum.sum += along;
        sum.matches++;
    }
    sum.leaves = 0;
    __syncwarp();
}

// Pre-filters the points of a leaf and adds it to the pending ones. All lanes of the warp must call this.
__device__ inline void add_leaf(const Points& points, const Request& request, const Cylinder& c, u32 code,
                                PendingLeaves& pending, Sum& sum) {
    u32 first = leaf_first(code), count = leaf_count(code), passed = 0;
    #pragma unroll
    for (u32 k = 0; k < 8; k++) {
        float4 p = __ldg(points.pre_filter + first + min(k, count - 1));
        float x = p.x - c.local.x, y = p.y - c.local.y, z = p.z - c.local.z;
        float along = __fmaf_rn(z, c.axis.z, __fmaf_rn(y, c.axis.y, x * c.axis.x)), height = along * along;
        float lateral = __fmaf_rn(z, z, __fmaf_rn(y, y, x * x)) - height;
        bool inside = k < count && height <= c.squared_height32 && lateral <= c.squared_radius32;
        passed |= (u32)inside << k;
    }
    if (!__any_sync(ALL_LANES, passed != 0)) return;
    // The warp loads the f64 positions once for all its lanes: loading them per lane would take most of the time.
    u32 lane = threadIdx.x % 32, point = 8 * sum.leaves + lane / 2;
    if (lane < 2 * count) {
        double2 word = __ldg(points.positions + 2ull * first + lane);
        if (lane % 2) {
            pending.z[point] = word.x;
        } else {
            pending.x[point] = word.x;
            pending.y[point] = word.y;
        }
    }
    pending.firsts[sum.leaves] = first;
    sum.passed |= passed << 8 * sum.leaves;
    if (++sum.leaves == MAX_PENDING_LEAVES) decide_pending(points, request, c, pending, sum);
}

#define THREADS 128u

// Per facet: mean deviation and number of matches. Launch with 128 threads.
extern "C" __global__ void point_facet_matching(Points points, Request request, FacetAnswer* answers) {
    __shared__ PendingLeaves of_warps[THREADS / 32];
    PendingLeaves& pending = of_warps[threadIdx.x / 32];
    u32 i = thread_index();
    bool is_active = i < request.facets.count;
    u32 facet = request.facets.order[is_active ? i : 0];
    Cylinder c = cylinder_over(points, request, facet);
    if (!is_active) c.half.x = EMPTY_HALF_EXTENT;
    if (!is_active) c.squared_height32 = -1.0f;
    Sum sum = {0.0, 0, 0, 0};
    visit_leaves<PER_WARP>(points.nodes, points.root, c.local, c.half,
                           [&](u32 code) { add_leaf(points, request, c, code, pending, sum); });
    decide_pending(points, request, c, pending, sum);
    if (is_active) answers[facet] = {sum.matches ? sum.sum / (double)sum.matches : 0.0, sum.matches, 0};
}
