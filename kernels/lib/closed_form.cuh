// The rigid motion between matched points in closed form, by unit quaternions (Horn 1987). The twin of
// geometry/closed_form.rs, which decomposes the matrix; here its largest eigenvalue is the largest root of the
// characteristic polynomial, found by Newton's method from above (Theobald 2005), and the eigenvector a column of an
// adjugate: a few hundred operations for one thread.
#pragma once
#include "vec.cuh"

// The least distance of the two largest eigenvalues, relative to the size of the matrix: OPEN of closed_form.rs.
#define OPEN 1e-7

// The determinant of rows r0, r1, r2 and columns c0, c1, c2.
__device__ inline double minor3(const double m[4][4], u32 r0, u32 r1, u32 r2, u32 c0, u32 c1, u32 c2) {
    return m[r0][c0] * (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) -
           m[r0][c1] * (m[r1][c0] * m[r2][c2] - m[r1][c2] * m[r2][c0]) +
           m[r0][c2] * (m[r1][c0] * m[r2][c1] - m[r1][c1] * m[r2][c0]);
}

// Where the other rows of `skipped` are.
__device__ inline u32 other(u32 skipped, u32 i) { return i < skipped ? i : i + 1; }

// `covariance`: sum of (point - from)(match - to)' by rows. False where a rotation stays open.
__device__ inline bool rigid_motion(Vec3 to, Vec3 from, const double covariance[9], Pose& pose) {
    double squares = 0.0;
    for (u32 i = 0; i < 9; i++) squares += covariance[i] * covariance[i];
    double size = sqrt(squares);
    if (!(size > 0.0 && size < 1e300)) return false;
    double d[9];
    for (u32 i = 0; i < 9; i++) d[i] = covariance[i] / size;
    double trace = d[0] + d[4] + d[8];
    double q[4][4] = {{trace, d[5] - d[7], d[6] - d[2], d[1] - d[3]},
                      {d[5] - d[7], 2.0 * d[0] - trace, d[1] + d[3], d[2] + d[6]},
                      {d[6] - d[2], d[1] + d[3], 2.0 * d[4] - trace, d[5] + d[7]},
                      {d[1] - d[3], d[2] + d[6], d[5] + d[7], 2.0 * d[8] - trace}};
    // x^4 + c2 x^2 + c1 x + c0: the matrix has no trace, and covariances here are of unit size.
    double c2 = -2.0;
    double c1 = -8.0 * (d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                        d[2] * (d[3] * d[7] - d[4] * d[6]));
    double c0 = 0.0;
    for (u32 column = 0; column < 4; column++) {
        double cofactor = minor3(q, 1, 2, 3, other(column, 0), other(column, 1), other(column, 2));
        c0 += (column % 2 ? -1.0 : 1.0) * q[0][column] * cofactor;
    }
    // No root lies above the square root of three, and down to the largest one the steps only fall.
    double root = 1.7320508075688773, slope = 0.0;
    for (u32 step = 0; step < 100; step++) {
        double value = ((root * root + c2) * root + c1) * root + c0;
        slope = (4.0 * root * root + 2.0 * c2) * root + c1;
        if (!(slope > 0.0)) break;
        double down = value / slope;
        root -= down;
        if (!(down > 4e-16 * root)) break;
    }
    // The slope is the product of the distances to the other roots: points on one line make one of them nothing.
    if (!(slope > 4.0 * OPEN)) return false;
    for (u32 i = 0; i < 4; i++) q[i][i] -= root;
    double best[4] = {1.0, 0.0, 0.0, 0.0}, longest = 0.0;
    for (u32 column = 0; column < 4; column++) {
        double v[4], length = 0.0;
        for (u32 row = 0; row < 4; row++) {
            double cofactor = minor3(q, other(row, 0), other(row, 1), other(row, 2), other(column, 0), other(column, 1),
                                     other(column, 2));
            v[row] = (row + column) % 2 ? -cofactor : cofactor;
            length += v[row] * v[row];
        }
        if (length > longest) {
            longest = length;
            for (u32 i = 0; i < 4; i++) best[i] = v[i];
        }
    }
    double length = sqrt(longest);
    if (!(length > 0.0)) return false;
    pose.qw = best[0] / length;
    pose.qx = best[1] / length;
    pose.qy = best[2] / length;
    pose.qz = best[3] / length;
    pose.shift = to - rotate(pose, from);
    return true;
}
