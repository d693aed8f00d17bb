// Closest point and normal of a single triangle, in f64. Counterpart of geometry/triangle.rs.
#pragma once
#include "vec.cuh"

// Feature of a triangle on which a closest point lies: FACE, EDGE + i (from corner i to corner (i + 1) % 3), or
// VERTEX + i.
enum Feature : u32 { FACE = 0, EDGE = 1, VERTEX = 4 };

struct Closest {
    Vec3 point;
    u32 feature;
};

// Voronoi regions after Ericson, "Real-Time Collision Detection" (2005), 5.1.5.
__device__ inline Closest closest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
    Vec3 ab = b - a, ac = c - a, ap = p - a;
    double d1 = dot(ab, ap), d2 = dot(ac, ap);
    if (d1 <= 0.0 && d2 <= 0.0) return {a, VERTEX + 0};
    Vec3 bp = p - b;
    double d3 = dot(ab, bp), d4 = dot(ac, bp);
    if (d3 >= 0.0 && d4 <= d3) return {b, VERTEX + 1};
    double vc = d1 * d4 - d3 * d2;
    if (vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0) return {a + ab * (d1 / (d1 - d3)), EDGE + 0};
    Vec3 cp = p - c;
    double d5 = dot(ab, cp), d6 = dot(ac, cp);
    if (d6 >= 0.0 && d5 <= d6) return {c, VERTEX + 2};
    double vb = d5 * d2 - d1 * d6;
    if (vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0) return {a + ac * (d2 / (d2 - d6)), EDGE + 2};
    double va = d3 * d6 - d5 * d4;
    if (va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0) {
        double along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return {b + (c - b) * along, EDGE + 1};
    }
    // Interior. Projection along the normal avoids the cancellation of the barycentric sum.
    Vec3 normal = cross(ab, ac);
    double squared = dot(normal, normal);
    if (squared > 0.0) return {p - normal * (dot(normal, ap) / squared), FACE};
    return {a, VERTEX + 0};
}

// Unit normal by the right-hand rule, times twice the area.
__device__ inline Vec3 area_vector(Vec3 a, Vec3 b, Vec3 c) { return cross(b - a, c - a); }

// Unit vector; zero for a zero vector.
__device__ inline Vec3 unit(Vec3 v) {
    double length = norm(v);
    return length > 0.0 ? v / length : Vec3{0.0, 0.0, 0.0};
}

// Unit normal by the right-hand rule; zero for a degenerate triangle.
__device__ inline Vec3 unit_normal(Vec3 a, Vec3 b, Vec3 c) { return unit(area_vector(a, b, c)); }
