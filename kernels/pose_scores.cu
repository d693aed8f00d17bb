// What is seen of a part in each of several poses, a block each. Counterpart of compute/cpu/pose_scores.rs,
// geometry/probes.rs and geometry/range_image.rs: the same decisions, counted in whole numbers.
#include "lib/tree.cuh"

// As in compute/pose_scores.rs.
constexpr double MIN_FACING = 0.3;
constexpr double MIN_AGREEMENT = 0.6;
// As in geometry/probes.rs: cells of the octahedral map of directions along each axis.
constexpr u32 MAP = 16u;

struct OrientedPoint {
    Vec3 point, normal;
};

// The nearest point along the line of sight of a pixel; NONE where there is none.
struct Pixel {
    u32 index;
    float range_mm;
};

struct Image {
    const Pixel* pixels;
    u32 size[2];
    Vec3 viewpoint, axes[3];  // right, down, forward
    double first[2], pixels_per_tangent;
};

struct Request {
    Image image;
    const OrientedPoint* probes;
    const u32* seen_from;        // MAP * MAP bits a probe
    const OrientedPoint* scene;
    const u8* is_background;
    const Pose* scene_from_part;
    const double* tolerances_mm;  // by pose
    u32 probe_count, step;
};

// What became of the probes: facing, explained, missing, hidden, tilted, unknown.
struct Terms {
    u32 of[6];
};
enum Term : u32 { FACING = 0, EXPLAINED = 1, MISSING = 2, HIDDEN = 3, TILTED = 4, UNKNOWN = 5 };

// Cell of a direction, not of unit length.
__device__ inline u32 cell_of(Vec3 direction) {
    double sum = fabs(direction.x) + fabs(direction.y) + fabs(direction.z);
    double u = direction.x / sum, v = direction.y / sum;
    if (direction.z < 0.0) {
        double over = 1.0 - fabs(v), across = 1.0 - fabs(u);
        u = u < 0.0 ? -over : over;
        v = v < 0.0 ? -across : across;
    }
    u32 right = min((u32)((u + 1.0) * (0.5 * MAP)), MAP - 1), down = min((u32)((v + 1.0) * (0.5 * MAP)), MAP - 1);
    return down * MAP + right;
}

// The point seen towards a position: of the pixels around, the one whose range is nearest to `range_mm`.
__device__ inline u32 towards(const Image& image, Vec3 point, double range_mm, double& seen_mm) {
    Vec3 away = point - image.viewpoint;
    double x = dot(image.axes[0], away), y = dot(image.axes[1], away), z = dot(image.axes[2], away);
    u32 best = NONE;
    if (z <= 1e-9) return best;
    double step = 1.0 / image.pixels_per_tangent;
    const double around[5][2] = {{0.0, 0.0}, {1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}};
    for (u32 i = 0; i < 5; i++) {
        double right = floor((x / z + around[i][0] * step - image.first[0]) * image.pixels_per_tangent);
        double down = floor((y / z + around[i][1] * step - image.first[1]) * image.pixels_per_tangent);
        bool is_inside = right >= 0.0 && right < (double)image.size[0] && down >= 0.0 && down < (double)image.size[1];
        if (!is_inside) continue;
        Pixel pixel = image.pixels[(u64)down * image.size[0] + (u64)right];
        if (pixel.index == NONE) continue;
        double own = (double)pixel.range_mm;
        if (best != NONE && !(fabs(own - range_mm) < fabs(seen_mm - range_mm))) continue;
        best = pixel.index;
        seen_mm = own;
    }
    return best;
}

__device__ inline void judge(const Request& request, const Pose& pose, double tolerance_mm, u32 index,
                             u32* counts) {
    const OrientedPoint& probe = request.probes[index];
    Vec3 point = transform(pose, probe.point), normal = rotate(pose, probe.normal);
    Vec3 to_sensor = request.image.viewpoint - point;
    double range_mm = sqrt(dot(to_sensor, to_sensor));
    double facing = dot(normal, to_sensor) / range_mm;
    if (facing < MIN_FACING) return;
    Pose back = {-pose.qx, -pose.qy, -pose.qz, pose.qw, {0.0, 0.0, 0.0}};
    u32 cell = cell_of(rotate(back, to_sensor));
    if (!(request.seen_from[index * (MAP * MAP / 32) + cell / 32] >> (cell % 32) & 1u)) return;
    atomicAdd(&counts[FACING], 1u);
    double seen_mm = 0.0;
    u32 nearest = towards(request.image, point, range_mm, seen_mm);
    if (nearest == NONE) {
        atomicAdd(&counts[UNKNOWN], 1u);
        return;
    }
    const OrientedPoint& own = request.scene[nearest];
    // On slanted surfaces, what is measured beside a probe is at another range, but in its plane.
    double behind_mm = seen_mm - range_mm;
    bool is_in_plane = fabs(dot(own.point - point, normal)) <= tolerance_mm;
    bool is_near = fabs(behind_mm) <= tolerance_mm / facing &&
                   (is_in_plane || fabs(behind_mm) <= tolerance_mm);
    u32 term = behind_mm > 0.0 ? MISSING : HIDDEN;
    // On the floor itself, no surface of a part is seen.
    if (is_near) {
        term = request.is_background[nearest] ? UNKNOWN : dot(own.normal, normal) >= MIN_AGREEMENT ? EXPLAINED : TILTED;
    }
    atomicAdd(&counts[term], 1u);
}

// Launch with a block for each pose.
extern "C" __global__ void score_poses(Request request, Terms* terms) {
    __shared__ u32 counts[6];
    if (threadIdx.x < 6) counts[threadIdx.x] = 0;
    __syncthreads();
    Pose pose = request.scene_from_part[blockIdx.x];
    double tolerance_mm = request.tolerances_mm[blockIdx.x];
    u32 last = request.probe_count;
    for (u32 index = threadIdx.x * request.step; index < last; index += blockDim.x * request.step) {
        judge(request, pose, tolerance_mm, index, counts);
    }
    __syncthreads();
    if (threadIdx.x < 6) terms[blockIdx.x].of[threadIdx.x] = counts[threadIdx.x];
}
