// Eigenvalues of symmetric 3x3 matrices by Jacobi's rotations. The twin of geometry/jacobi.rs, step by step.
#pragma once
#include "vec.cuh"

#define JACOBI_SWEEPS 16
#define JACOBI_NOTHING (1.0 / 1152921504606846976.0)

// Eigenvalues, smallest first, and their unit eigenvectors.
struct Eigen {
    double values[3];
    Vec3 vectors[3];
};

__device__ inline void jacobi_rotate(double a[3][3], double v[3][3], u32 p, u32 q, u32 r) {
    double off = a[p][q];
    a[p][q] = a[q][p] = 0.0;
    if (fabs(off) <= JACOBI_NOTHING * (fabs(a[p][p]) + fabs(a[q][q]))) return;
    double theta = (a[q][q] - a[p][p]) / (2.0 * off);
    double size = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
    double t = theta < 0.0 ? -size : size;
    double c = 1.0 / sqrt(t * t + 1.0);
    double s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    double rp = a[r][p], rq = a[r][q];
    a[r][p] = c * rp - s * rq;
    a[r][q] = s * rp + c * rq;
    a[p][r] = a[r][p];
    a[q][r] = a[r][q];
    for (u32 row = 0; row < 3; row++) {
        double vp = v[row][p], vq = v[row][q];
        v[row][p] = c * vp - s * vq;
        v[row][q] = s * vp + c * vq;
    }
}

__device__ inline void jacobi_order(const double a[3][3], u32& one, u32& other) {
    if (!(a[other][other] < a[one][one])) return;
    u32 swapped = one;
    one = other;
    other = swapped;
}

// `m`: xx, xy, xz, yy, yz, zz.
__device__ inline Eigen jacobi(const double m[6]) {
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (u32 sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
        if (a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0) break;
        jacobi_rotate(a, v, 0, 1, 2);
        jacobi_rotate(a, v, 0, 2, 1);
        jacobi_rotate(a, v, 1, 2, 0);
    }
    u32 order[3] = {0, 1, 2};
    jacobi_order(a, order[0], order[1]);
    jacobi_order(a, order[1], order[2]);
    jacobi_order(a, order[0], order[1]);
    Eigen eigen;
    for (u32 i = 0; i < 3; i++) {
        eigen.values[i] = a[order[i]][order[i]];
        eigen.vectors[i] = {v[0][order[i]], v[1][order[i]], v[2][order[i]]};
    }
    return eigen;
}
