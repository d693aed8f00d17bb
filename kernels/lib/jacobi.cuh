// Eigenvalues of symmetric 3x3 matrices by cyclic Jacobi rotations. The same operations in the same order as its
// counterpart, geometry/jacobi.rs.
#pragma once
#include "vec.cuh"

// Upper limit of sweeps; not reached for finite matrices.
#define JACOBI_MAX_SWEEPS 16
// Off-diagonal elements below this, relative to their two diagonal elements, do not change an eigenvalue and are set to
// zero.
#define JACOBI_RELATIVE_TOLERANCE (1.0 / 1152921504606846976.0)

// Eigenvalues in ascending order and their unit eigenvectors.
struct Eigen {
    double values[3];
    Vec3 vectors[3];
};

// Rotates in the plane of axes p and q so that a[p][q] becomes zero; r is the third axis. Accumulates the rotation in
// v, whose columns become the eigenvectors.
__device__ inline void jacobi_rotate(double a[3][3], double v[3][3], u32 p, u32 q, u32 r) {
    double off_diagonal = a[p][q];
    a[p][q] = a[q][p] = 0.0;
    if (fabs(off_diagonal) <= JACOBI_RELATIVE_TOLERANCE * (fabs(a[p][p]) + fabs(a[q][q]))) return;
    double theta = (a[q][q] - a[p][p]) / (2.0 * off_diagonal);
    double magnitude = 1.0 / (fabs(theta) + sqrt(theta * theta + 1.0));
    double t = theta < 0.0 ? -magnitude : magnitude;
    double c = 1.0 / sqrt(t * t + 1.0);
    double s = t * c;
    a[p][p] -= t * off_diagonal;
    a[q][q] += t * off_diagonal;
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

// Swaps two indices unless their diagonal elements ascend.
__device__ inline void jacobi_order(const double a[3][3], u32& first, u32& second) {
    if (!(a[second][second] < a[first][first])) return;
    u32 swapped = first;
    first = second;
    second = swapped;
}

// `m` holds xx, xy, xz, yy, yz, zz.
__device__ inline Eigen jacobi(const double m[6]) {
    double a[3][3] = {{m[0], m[1], m[2]}, {m[1], m[3], m[4]}, {m[2], m[4], m[5]}};
    double v[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    for (u32 sweep = 0; sweep < JACOBI_MAX_SWEEPS; sweep++) {
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
