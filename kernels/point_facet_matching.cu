// Point-facet matching: the mean signed distance of the points in the cylinder over each facet. The twin of
// compute/cpu/point_facet_matching.rs; sums run in tree order.
#include "lib/facets.cuh"
#include "lib/points.cuh"

struct Request {
    Facets facets;
    const double* directions;  // 3 each by point number, or null for no angle gate
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
    double reach = radius + c.height;
    double error = FILTER_ERROR * (points.reach_mm + reach_of(about) + reach), height = c.height + error;
    c.local = to_float3(about);
    c.axis = to_float3(c.normal);
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

// What matched so far, and points that passed the sieve and wait.
struct Sum {
    double sum;
    u32 matches;
    u32 passed, leaves;  // a bit for each point of the leaves that wait
};

// The points of up to four leaves, for all lanes of a warp.
#define LEAVES 4u
struct Waiting {
    double x[8 * LEAVES], y[8 * LEAVES], z[8 * LEAVES];
    u32 firsts[LEAVES];
};

// Decides exactly those that wait: of several leaves together, as lanes are idle while another has more of them.
__device__ inline void decide_waiting(const Points& points, const Request& request, const Cylinder& c, const Waiting& waiting,
                                      Sum& sum) {
    __syncwarp();
    while (sum.passed) {
        u32 bit = __ffs((int)sum.passed) - 1;
        sum.passed &= sum.passed - 1;
        Vec3 away = Vec3{waiting.x[bit], waiting.y[bit], waiting.z[bit]} - c.centre;
        double along = dot(away, c.normal);
        if (fabs(along) > c.height || dot(away, away) - along * along > c.squared_radius) continue;
        if (request.directions) {
            u32 number = __float_as_uint(points.sieve[waiting.firsts[bit / 8] + bit % 8].w);
            if (dot(at(request.directions, number), c.normal) < request.least_cosine) continue;
        }
        sum.sum += along;
        sum.matches++;
    }
    sum.leaves = 0;
    __syncwarp();
}

__device__ inline void add_leaf(const Points& points, const Request& request, const Cylinder& c, u32 code, Waiting& waiting,
                                Sum& sum) {
    u32 first = leaf_first(code), count = leaf_count(code), passed = 0;
    #pragma unroll
    for (u32 k = 0; k < 8; k++) {
        float4 p = __ldg(points.sieve + first + min(k, count - 1));
        float x = p.x - c.local.x, y = p.y - c.local.y, z = p.z - c.local.z;
        float along = __fmaf_rn(z, c.axis.z, __fmaf_rn(y, c.axis.y, x * c.axis.x)), height = along * along;
        float lateral = __fmaf_rn(z, z, __fmaf_rn(y, y, x * x)) - height;
        bool inside = k < count && height <= c.squared_height32 && lateral <= c.squared_radius32;
        passed |= (u32)inside << k;
    }
    if (!__any_sync(ALL_LANES, passed != 0)) return;
    // The warp brings the exact places once for all its lanes: gathered by each, they would take most of the time.
    u32 lane = threadIdx.x % 32, point = 8 * sum.leaves + lane / 2;
    if (lane < 2 * count) {
        double2 word = __ldg(points.places + 2ull * first + lane);
        if (lane % 2) {
            waiting.z[point] = word.x;
        } else {
            waiting.x[point] = word.x;
            waiting.y[point] = word.y;
        }
    }
    waiting.firsts[sum.leaves] = first;
    sum.passed |= passed << 8 * sum.leaves;
    if (++sum.leaves == LEAVES) decide_waiting(points, request, c, waiting, sum);
}

#define THREADS 128u

// Per facet: mean deviation, and the points that matched. Launch with 128 threads.
extern "C" __global__ void point_facet_matching(Points points, Request request, FacetAnswer* answers) {
    __shared__ Waiting of_warps[THREADS / 32];
    Waiting& waiting = of_warps[threadIdx.x / 32];
    u32 i = thread_number();
    bool is_one = i < request.facets.count;
    u32 facet = request.facets.order[is_one ? i : 0];
    Cylinder c = over(points, request, facet);
    if (!is_one) c.half.x = NOWHERE;
    if (!is_one) c.squared_height32 = -1.0f;
    Sum sum = {0.0, 0, 0, 0};
    visit_leaves<TOGETHER>(points.nodes, points.root, c.local, c.half,
                           [&](u32 code) { add_leaf(points, request, c, code, waiting, sum); });
    decide_waiting(points, request, c, waiting, sum);
    if (is_one) answers[facet] = {sum.matches ? sum.sum / (double)sum.matches : 0.0, sum.matches, 0};
}
