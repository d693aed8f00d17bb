// One iteration of registration onto a surface or a cloud: correspondences, and the sums of the normal equations in a
// fixed order; between them the robust scale (order_statistic.cu). Counterpart of compute/cpu/registration.rs.
#include "lib/block_sum.cuh"
#include "lib/nearest.cuh"
#include "lib/spread.cuh"
#include "lib/surface.cuh"

enum Metric : u32 { TO_TRIANGLE = 0, TO_PLANE = 1, TO_POINT = 2 };

struct Request {
    Queries queries;
    u32 metric;
    u32 is_robust;
    Gate gate;
    Vec3 pivot;       // centre of rotation of the step, mm
    double trim;      // fraction of the most distant correspondences to reject
    double floor_mm;  // minimum of the robust scale
};

// A correspondence: unit direction of increasing distance, and signed distance, mm; NaN without a match.
struct Pair {
    Vec3 direction;
    double residual;
};

// Correspondences of all queries.
struct Pairs {
    Vec3* directions;
    double* residuals;
};

// Correspondence of two points, both held fixed during the step.
__device__ inline Pair point_to_point(Vec3 away) {
    double length = norm(away);
    return {length > 0.0 ? away / length : away, length};
}

__device__ inline Pair correspondence(const Surface& surface, u32 metric, const Match& match) {
    const Hit& hit = match.hit;
    Vec3 away = match.away;
    double distance = sqrt(hit.squared);
    if (metric == TO_POINT) return point_to_point(away);
    // On edges and vertices the distance increases away from the feature, not along a facet's normal.
    if (metric == TO_TRIANGLE && hit.feature != FACE && distance > 0.0) {
        double residual = match.side < 0.0 ? -distance : distance;
        return {away / residual, residual};
    }
    Vec3 normal = unit(area_vector_of(surface, hit));
    return {normal, dot(normal, away)};
}

// `candidates` are those of closest_candidates and settle_ties for the same queries.
extern "C" __global__ void pair_with_surface(Surface surface, Request request, Candidates candidates, Pairs pairs) {
    u32 i = thread_index();
    const Queries& queries = request.queries;
    if (i >= queries.count) return;
    Match match = match_of(surface, queries, request.gate, i, candidates);
    Pair none = {{0.0, 0.0, 0.0}, __longlong_as_double(0x7FF8000000000000ll)};
    Pair pair = match.state == MATCHED ? correspondence(surface, request.metric, match) : none;
    pairs.directions[i] = pair.direction;
    pairs.residuals[i] = pair.residual;
}

// Cloud to register onto, with unit normals of either sign.
struct Cloud {
    Points points;
    const double* normals;  // 3 each, by point index
};

extern "C" __global__ void pair_with_points(Cloud cloud, Request request, Pairs pairs) {
    u32 i = thread_index();
    const Queries& queries = request.queries;
    if (i >= queries.count) return;
    Vec3 query = query_point(queries, i);
    Nearest nearest = nearest_by_tree(cloud.points, query, queries.max_distance_mm);
    Pair pair = {{0.0, 0.0, 0.0}, __longlong_as_double(0x7FF8000000000000ll)};
    bool matches = nearest.tree_index != NONE;
    Vec3 direction = matches ? at(cloud.normals, nearest.index) : pair.direction;
    if (matches && request.gate.normals) {
        Vec3 normal = at(request.gate.normals, (u64)i * queries.stride);
        double cosine = dot(direction, rotate(queries.surface_from_points, normal));
        matches = !((request.gate.oriented ? cosine : fabs(cosine)) < request.gate.min_cosine);
    }
    if (matches) {
        Vec3 away = query - position_at(cloud.points.positions, nearest.tree_index);
        pair = request.metric == TO_POINT ? point_to_point(away) : Pair{direction, dot(direction, away)};
    }
    pairs.directions[i] = pair.direction;
    pairs.residuals[i] = pair.residual;
}

// Cut-off of Tukey's biweight in robust standard deviations: 95 % efficiency for normally distributed residuals.
#define TUKEY_CUTOFF 4.685

// Sums of an iteration: upper triangle of sum w J'J by rows (HESSIAN terms), sum w J'r, sum w r^2, sum w,
// sum d(w r)/dr, number of pairs used.
constexpr u32 HESSIAN = 21;
constexpr u32 TERMS = 31;

__device__ inline double scale_of(const Request& request, const RobustStatistics& statistics) {
    return max(1.4826 * statistics.median, request.floor_mm);
}

__device__ inline void add_row(double* sums, Vec3 arm, Vec3 direction, double weight, double residual) {
    Vec3 moment = cross(arm, direction);
    double row[6] = {moment.x, moment.y, moment.z, direction.x, direction.y, direction.z};
    u32 term = 0;
    #pragma unroll
    for (u32 i = 0; i < 6; i++) {
        double weighted = weight * row[i];
        #pragma unroll
        for (u32 j = i; j < 6; j++) sums[term++] += weighted * row[j];
        sums[HESSIAN + i] += weighted * residual;
    }
}

// Sums by block: partial[block * 32 + term]. Launch with 256 threads.
extern "C" __global__ void sum_equations(Request request, Pairs pairs, const RobustStatistics* statistics,
                                         double* partial) {
    double cutoff = request.trim > 0.0 ? statistics->cutoff : __longlong_as_double(0x7FF0000000000000ll);
    double scale = scale_of(request, *statistics);
    double sums[TERMS];
    #pragma unroll
    for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
    for (u32 i = thread_index(); i < request.queries.count; i += gridDim.x * blockDim.x) {
        double residual = pairs.residuals[i];
        // Also false for NaN.
        if (!(fabs(residual) <= cutoff)) continue;
        Vec3 direction = pairs.directions[i];
        double weight = 1.0, curvature = 1.0;
        if (request.is_robust && scale > 0.0) {
            double relative = residual / (TUKEY_CUTOFF * scale);
            double below = 1.0 - relative * relative;
            weight = below > 0.0 ? below * below : 0.0;
            curvature = below > 0.0 ? below * (1.0 - 5.0 * relative * relative) : 0.0;
        }
        sums[29] += curvature;
        if (!(weight > 0.0)) continue;
        Vec3 arm = query_point(request.queries, i) - request.pivot;
        if (request.metric == TO_POINT) {
            Vec3 away = direction * residual;
            add_row(sums, arm, {1.0, 0.0, 0.0}, weight, away.x);
            add_row(sums, arm, {0.0, 1.0, 0.0}, weight, away.y);
            add_row(sums, arm, {0.0, 0.0, 1.0}, weight, away.z);
        } else {
            add_row(sums, arm, direction, weight, residual);
        }
        sums[27] += weight * residual * residual;
        sums[28] += weight;
        sums[30] += 1.0;
    }
    double block_total = block_sum<TERMS>(sums);
    if (threadIdx.x < TERMS) partial[blockIdx.x * 32 + threadIdx.x] = block_total;
}

// Adds the sums of all blocks in a fixed order; answer[31] is the number of pairs matched, answer[32] the robust scale,
// mm. Launch: 1 x 256.
extern "C" __global__ void total_equations(Request request, const double* partial, u32 blocks,
                                           const RobustStatistics* statistics, double* answer) {
    __shared__ double rows[8][32];
    u32 row = threadIdx.x / 32, term = threadIdx.x % 32;
    double sum = 0.0;
    if (term < TERMS) {
        for (u32 block = row; block < blocks; block += 8) sum += partial[block * 32 + term];
    }
    rows[row][term] = sum;
    __syncthreads();
    if (row > 0) return;
    sum = 0.0;
    for (u32 r = 0; r < 8; r++) sum += rows[r][term];
    if (term < TERMS) answer[term] = sum;
    if (term == 31) {
        answer[31] = statistics->matched;
        answer[32] = scale_of(request, *statistics);
    }
}
