// Many poses of a part brought onto a scene, a block each. Counterpart of compute/cpu/pose_refinement.rs and
// geometry/nearest_facets.rs: the same sums in the same order.
#include "lib/triangle.cuh"

// As in compute/pose_refinement.rs; LANES is also the number of threads of a block.
constexpr u32 LANES = 64u;
constexpr u32 MAX_MEMBERS = 2560u;
constexpr double MEMBER_GATE = 1.5;
constexpr double NARROWING = 0.8;
constexpr double DAMPING = 1e-3;
constexpr double MIN_POINTS = 6.0;
// Upper triangle of the normal matrix by rows, gradient, weighted squares, weights, points.
constexpr u32 HESSIAN = 21u;
constexpr u32 TERMS = 30u;

// As in geometry/nearest_facets.rs.
struct LatticeFacet {
    Vec3 corners[3], normal, across[3];
};

// A facet that may be the nearest to a position in a cell.
struct Candidate {
    u32 facet;
    float from_middle_mm;  // its distance from the middle of the cell or somewhat less
};

// The facets that may be the nearest in each cell of a lattice about the part.
struct Lattice {
    const u32* starts;  // of the candidates of each cell, x fastest, and their end
    const Candidate* candidates;
    const LatticeFacet* facets;
    u32 size[3], pad;
    Vec3 origin;
    double cell_mm;
};

struct OrientedPoint {
    Vec3 point, normal;
};

struct Request {
    Lattice lattice;
    const OrientedPoint* scene;
    const Pose* part_from_scene;
    u32 scene_count, pose_count, max_points, max_steps, oriented, is_rough;
    Vec3 centre;
    double radius_mm, gates_mm[2], min_cosine, step_limit_mm;
};

// A fitted pose; no points where there are too few.
struct Refined {
    Pose part_from_scene;
    double rms_mm, used;
};

// Point of the part near a query.
struct Near {
    Vec3 away, normal;
    Vec3 across[2];  // normals across the edges on which it lies, or its own
    double squared_mm2;
    bool exists, is_inside;
};

// None farther than `gate_mm`. Of the facets that may be the nearest, or, if that will do, of the one nearest to the middle of
// the cell.
__device__ inline Near near(const Lattice& lattice, Vec3 query, double gate_mm, bool is_rough) {
    const Vec3 zero = {0.0, 0.0, 0.0};
    Near none = {zero, zero, {zero, zero}, 0.0, false, false};
    Vec3 at = (query - lattice.origin) / lattice.cell_mm;
    bool is_inside = at.x >= 0.0 && at.x < (double)lattice.size[0] && at.y >= 0.0 && at.y < (double)lattice.size[1] &&
                     at.z >= 0.0 && at.z < (double)lattice.size[2];
    if (!is_inside) return none;
    u32 x = (u32)at.x, y = (u32)at.y, z = (u32)at.z;
    u32 cell = x + lattice.size[0] * (y + lattice.size[1] * z);
    u32 from = lattice.starts[cell], to = lattice.starts[cell + 1];
    if (from == to) return none;
    if (is_rough) to = from + 1;
    Vec3 off = at - Vec3{(double)x + 0.5, (double)y + 0.5, (double)z + 0.5};
    double off_mm = sqrt(dot(off, off)) * lattice.cell_mm, squared_mm2 = 1e300;
    u32 best = 0, feature = FACE;
    Vec3 away = zero;
    if (!is_rough && (double)lattice.candidates[from].from_middle_mm - off_mm > gate_mm) return none;
    for (u32 i = from; i < to; i++) {
        Candidate candidate = lattice.candidates[i];
        // No nearer to the query than that, as all that follow.
        double least_mm = (double)candidate.from_middle_mm - off_mm;
        if (least_mm > 0.0 && least_mm * least_mm > squared_mm2) break;
        const LatticeFacet& facet = lattice.facets[candidate.facet];
        Closest closest = closest_on_triangle(query, facet.corners[0], facet.corners[1], facet.corners[2]);
        Vec3 own = query - closest.point;
        double own_mm2 = dot(own, own);
        if (own_mm2 < squared_mm2) {
            squared_mm2 = own_mm2;
            best = candidate.facet;
            feature = closest.feature;
            away = own;
        }
    }
    if (!(squared_mm2 <= gate_mm * gate_mm)) return none;
    const LatticeFacet& facet = lattice.facets[best];
    Vec3 first = facet.normal, second = facet.normal;
    if (feature >= VERTEX) {
        first = facet.across[feature - VERTEX];
        second = facet.across[(feature - VERTEX + 2) % 3];
    } else if (feature != FACE) {
        first = second = facet.across[feature - EDGE];
    }
    return {away, facet.normal, {first, second}, squared_mm2, true, feature == FACE};
}

__device__ inline bool is_member(const Request& request, const Pose& pose, u32 i) {
    double gate_mm = MEMBER_GATE * request.gates_mm[0];
    double reach_mm2 = (request.radius_mm + gate_mm) * (request.radius_mm + gate_mm);
    Vec3 point = transform(pose, request.scene[i].point), from_centre = point - request.centre;
    if (!(dot(from_centre, from_centre) <= reach_mm2)) return false;
    return near(request.lattice, point, gate_mm, request.is_rough != 0).exists;
}

__device__ inline double facing(const Request& request, Vec3 normal, Vec3 direction) {
    double cosine = dot(normal, direction);
    return request.oriented ? cosine : fabs(cosine);
}

__device__ inline void add(const Request& request, const OrientedPoint& own, const Pose& pose, double gate_mm,
                           double* sums) {
    Vec3 point = transform(pose, own.point);
    Near found = near(request.lattice, point, gate_mm, request.is_rough != 0);
    if (!found.exists) return;
    double relative = found.squared_mm2 / (gate_mm * gate_mm);
    Vec3 own_normal = rotate(pose, own.normal);
    double cosine = facing(request, found.normal, own_normal);
    for (u32 i = 0; i < 2; i++) cosine = max(cosine, facing(request, found.across[i], own_normal));
    if (relative >= 1.0 || cosine < request.min_cosine) return;
    double distance = sqrt(found.squared_mm2);
    // On rims the distance grows away from them, not along the normal.
    bool by_normal = found.is_inside || distance == 0.0;
    Vec3 direction = by_normal ? found.normal : found.away / distance;
    double residual = by_normal ? dot(found.normal, found.away) : distance;
    double weight = (1.0 - relative) * (1.0 - relative);
    Vec3 moment = cross(point - request.centre, direction);
    double row[6] = {moment.x, moment.y, moment.z, direction.x, direction.y, direction.z};
    u32 term = 0;
    #pragma unroll
    for (u32 i = 0; i < 6; i++) {
        double weighted = weight * row[i];
        #pragma unroll
        for (u32 j = i; j < 6; j++) sums[term++] += weighted * row[j];
        sums[HESSIAN + i] += weighted * residual;
    }
    sums[27] += weight * residual * residual;
    sums[28] += weight;
    sums[29] += 1.0;
}

// The damped step, by Cholesky factors: rotation about the centre, rad, and translation, mm.
__device__ inline void solve(const double* sums, double* step) {
    double factor[6][6];
    u32 term = 0;
    for (u32 i = 0; i < 6; i++) {
        for (u32 j = i; j < 6; j++) factor[j][i] = sums[term++];
    }
    for (u32 i = 0; i < 6; i++) factor[i][i] = factor[i][i] * (1.0 + DAMPING) + 1e-12;
    for (u32 j = 0; j < 6; j++) {
        for (u32 k = 0; k < j; k++) {
            for (u32 i = j; i < 6; i++) factor[i][j] -= factor[i][k] * factor[j][k];
        }
        double root = sqrt(max(factor[j][j], 1e-12));
        for (u32 i = j; i < 6; i++) factor[i][j] /= root;
        factor[j][j] = root;
    }
    for (u32 i = 0; i < 6; i++) {
        double sum = -sums[HESSIAN + i];
        for (u32 k = 0; k < i; k++) sum -= factor[i][k] * step[k];
        step[i] = sum / factor[i][i];
    }
    for (u32 back = 0; back < 6; back++) {
        u32 i = 5 - back;
        double sum = step[i];
        for (u32 k = i + 1; k < 6; k++) sum -= factor[k][i] * step[k];
        step[i] = sum / factor[i][i];
    }
}

// A pose after a step about `centre`.
__device__ inline Pose moved(const Pose& pose, Vec3 centre, const double* step) {
    double half[3] = {0.5 * step[0], 0.5 * step[1], 0.5 * step[2]};
    double length = sqrt(1.0 + half[0] * half[0] + half[1] * half[1] + half[2] * half[2]);
    Pose turn = {half[0] / length, half[1] / length, half[2] / length, 1.0 / length, {0.0, 0.0, 0.0}};
    double i = turn.qw * pose.qx + turn.qx * pose.qw + turn.qy * pose.qz - turn.qz * pose.qy;
    double j = turn.qw * pose.qy - turn.qx * pose.qz + turn.qy * pose.qw + turn.qz * pose.qx;
    double k = turn.qw * pose.qz + turn.qx * pose.qy - turn.qy * pose.qx + turn.qz * pose.qw;
    double real = turn.qw * pose.qw - turn.qx * pose.qx - turn.qy * pose.qy - turn.qz * pose.qz;
    length = sqrt(i * i + j * j + k * k + real * real);
    Vec3 translation = rotate(turn, pose.translation - centre) + centre + Vec3{step[3], step[4], step[5]};
    return {i / length, j / length, k / length, real / length, translation};
}

// Launch with a block of LANES threads for each pose.
extern "C" __global__ void refine_poses(Request request, Refined* refined) {
    __shared__ u32 members[MAX_MEMBERS];
    __shared__ u32 counts[LANES];
    __shared__ double of_warps[LANES / 32][TERMS];
    __shared__ double step[6];
    __shared__ Pose pose;
    __shared__ Refined last;
    __shared__ double gate_mm;
    __shared__ bool ends;
    u32 lane = threadIdx.x, warp = lane / 32;
    if (lane == 0) {
        pose = request.part_from_scene[blockIdx.x];
        last = {pose, 0.0, 0.0};
        gate_mm = request.gates_mm[0];
        ends = request.max_steps == 0;
    }
    __syncthreads();
    // Each thread takes a run of the scene, so that the members keep their order.
    u32 run = (request.scene_count + LANES - 1) / LANES;
    u32 from = min(lane * run, request.scene_count), to = min(from + run, request.scene_count);
    u32 own = 0;
    for (u32 i = from; i < to; i++) own += is_member(request, pose, i);
    counts[lane] = own;
    __syncthreads();
    u32 before = 0, all = 0;
    for (u32 other = 0; other < LANES; other++) {
        before += other < lane ? counts[other] : 0;
        all += counts[other];
    }
    u32 stride = max((all + request.max_points - 1) / request.max_points, 1u);
    for (u32 i = from; i < to; i++) {
        if (!is_member(request, pose, i)) continue;
        if (before % stride == 0) members[before / stride] = i;
        before++;
    }
    u32 count = (all + stride - 1) / stride;
    __syncthreads();
    for (u32 number = 0; number < request.max_steps && !ends; number++) {
        double sums[TERMS];
        #pragma unroll
        for (u32 term = 0; term < TERMS; term++) sums[term] = 0.0;
        for (u32 i = lane; i < count; i += LANES) add(request, request.scene[members[i]], pose, gate_mm, sums);
        #pragma unroll
        for (u32 term = 0; term < TERMS; term++) {
            double sum = sums[term];
            for (u32 offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xFFFFFFFFu, sum, offset);
            if (lane % 32 == 0) of_warps[warp][term] = sum;
        }
        __syncthreads();
        if (lane == 0) {
            double totals[TERMS];
            for (u32 term = 0; term < TERMS; term++) {
                totals[term] = 0.0;
                for (u32 w = 0; w < LANES / 32; w++) totals[term] += of_warps[w][term];
            }
            if (totals[29] < MIN_POINTS || totals[28] <= 0.0) {
                last.used = 0.0;
                ends = true;
            } else {
                solve(totals, step);
                double turn = sqrt(step[0] * step[0] + step[1] * step[1] + step[2] * step[2]);
                double shift = sqrt(step[3] * step[3] + step[4] * step[4] + step[5] * step[5]);
                double length_mm = shift + turn * request.radius_mm;
                if (length_mm > gate_mm) {
                    // Points within the gate tell nothing of what lies beyond.
                    for (u32 i = 0; i < 6; i++) step[i] = step[i] * (gate_mm / length_mm);
                }
                pose = moved(pose, request.centre, step);
                last = {pose, sqrt(totals[27] / totals[28]), totals[29]};
                ends = length_mm < request.step_limit_mm && gate_mm <= request.gates_mm[1];
                gate_mm = max(gate_mm * NARROWING, request.gates_mm[1]);
            }
        }
        __syncthreads();
    }
    if (lane == 0) refined[blockIdx.x] = last;
}
