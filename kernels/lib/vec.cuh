// Small vectors, poses and the types shared by all kernels. No standard headers: NVRTC provides none.
//
// Kernels are compiled without contraction to fused multiply-adds, and every f64 expression has the order of operations
// of its Rust counterpart: both give bitwise identical results.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;

struct Vec3 {
    double x, y, z;
};

__device__ inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
__device__ inline Vec3 operator*(Vec3 a, double s) { return {a.x * s, a.y * s, a.z * s}; }
__device__ inline Vec3 operator/(Vec3 a, double s) { return {a.x / s, a.y / s, a.z / s}; }
__device__ inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
__device__ inline Vec3 cross(Vec3 a, Vec3 b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
__device__ inline double norm(Vec3 a) { return sqrt(dot(a, a)); }
// Vector i of an array with 3 coordinates each.
__device__ inline Vec3 at(const double* values, u64 i) { return {values[3 * i], values[3 * i + 1], values[3 * i + 2]}; }

// A rigid motion: unit quaternion (i, j, k, w) and translation, mm.
struct Pose {
    double qx, qy, qz, qw;
    Vec3 translation;
};

__device__ inline Vec3 rotate(const Pose& pose, Vec3 v) {
    Vec3 q = {pose.qx, pose.qy, pose.qz};
    Vec3 t = cross(q, v) * 2.0;
    return t * pose.qw + cross(q, t) + v;
}

__device__ inline Vec3 transform(const Pose& pose, Vec3 point) { return rotate(pose, point) + pose.translation; }

// Largest absolute coordinate.
__device__ inline double max_abs(Vec3 v) { return max(fabs(v.x), max(fabs(v.y), fabs(v.z))); }
__device__ inline float3 to_float3(Vec3 v) { return {(float)v.x, (float)v.y, (float)v.z}; }

// Index of this thread in the grid.
__device__ inline u32 thread_index() { return blockIdx.x * blockDim.x + threadIdx.x; }
