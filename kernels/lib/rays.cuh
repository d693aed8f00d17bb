// Intersections of lines with the facets of a surface.
#pragma once
#include "surface.cuh"

// Enlarges the facets, in barycentric units, so that a line through a shared edge hits at least one of its two facets.
#define EDGE_TOLERANCE 1e-9

// A line in f64, and in f32 about the centre of the surface.
struct Line {
    Vec3 origin, direction;
    float3 local_origin, local_direction;
    float error;  // of a position in f32, mm
};

__device__ inline Line line_of(const Surface& surface, Vec3 origin, Vec3 direction, double max_distance_mm) {
    Vec3 about = origin - surface.centre;
    double error = FILTER_ERROR * (surface.half_extent_mm + max_abs(about) + max_distance_mm);
    return {origin, direction, to_float3(about), to_float3(direction), __double2float_ru(error)};
}

// Intersection with a triangle at origin + t * direction (Moeller and Trumbore 1997); false if there is none.
__device__ inline bool intersect(const Line& line, Vec3 a, Vec3 b, Vec3 c, double& t) {
    Vec3 ab = b - a, ac = c - a;
    Vec3 direction_cross_ac = cross(line.direction, ac);
    double determinant = dot(ab, direction_cross_ac);
    if (determinant == 0.0 || !(fabs(determinant) < 1e300)) return false;
    Vec3 from_a = line.origin - a;
    double u = dot(from_a, direction_cross_ac) / determinant;
    Vec3 from_a_cross_ab = cross(from_a, ab);
    double v = dot(line.direction, from_a_cross_ab) / determinant;
    if (!(u >= -EDGE_TOLERANCE && v >= -EDGE_TOLERANCE && u + v <= 1.0 + EDGE_TOLERANCE)) return false;
    t = dot(ac, from_a_cross_ab) / determinant;
    return true;
}

// The same in f32, without divisions. False only if the line certainly misses.
__device__ inline bool may_intersect(const Line& line, float4 a, float4 b, float4 c) {
    float3 ab = {b.x - a.x, b.y - a.y, b.z - a.z}, ac = {c.x - a.x, c.y - a.y, c.z - a.z};
    float3 from_a = {line.local_origin.x - a.x, line.local_origin.y - a.y, line.local_origin.z - a.z};
    float3 direction_cross_ac = cross32(line.local_direction, ac);
    float determinant = dot32(ab, direction_cross_ac), u = dot32(from_a, direction_cross_ac);
    float v = dot32(line.local_direction, cross32(from_a, ab));
    if (determinant < 0.0f) {
        determinant = -determinant;
        u = -u;
        v = -v;
    }
    // A position error changes each product by no more than the error times the longest side.
    float side = sqrtf(max(dot32(ab, ab), dot32(ac, ac))) + sqrtf(dot32(from_a, from_a)) + line.error;
    float margin = line.error * side;
    return u >= -margin && v >= -margin && u + v <= determinant + margin;
}

// Half extent of the box of the line up to the distance `nearest` on both sides, mm.
__device__ inline float3 half_extent(const Line& line, double nearest) {
    return {__double2float_ru(fabs(line.direction.x) * nearest) + line.error,
            __double2float_ru(fabs(line.direction.y) * nearest) + line.error,
            __double2float_ru(fabs(line.direction.z) * nearest) + line.error};
}
