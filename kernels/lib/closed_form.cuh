// Closed-form rigid motion between point pairs by unit quaternions (Horn 1987). Its counterpart geometry/closed_form.rs
// decomposes the matrix; here the largest eigenvalue is the largest root of the characteristic polynomial, found by
// Newton's method from above (Theobald 2005), and the eigenvector is a column of an adjugate: a few hundred operations
// for one thread.
#pragma once
#include "vec.cuh"

// Minimum gap between the two largest eigenvalues, relative to the Frobenius norm of the covariance, for the rotation
// to be determined. MIN_EIGENVALUE_GAP of closed_form.rs has the same value, relative to the largest matrix element.
#define MIN_EIGENVALUE_GAP 1e-7

// Determinant of the submatrix of rows r0, r1, r2 and columns c0, c1, c2.
__device__ inline double minor3(const double m[4][4], u32 r0, u32 r1, u32 r2, u32 c0, u32 c1, u32 c2) {
    return m[r0][c0] * (m[r1][c1] * m[r2][c2] - m[r1][c2] * m[r2][c1]) -
           m[r0][c1] * (m[r1][c0] * m[r2][c2] - m[r1][c2] * m[r2][c0]) +
           m[r0][c2] * (m[r1][c0] * m[r2][c1] - m[r1][c1] * m[r2][c0]);
}

// The i-th of the rows or columns other than `skipped`.
__device__ inline u32 other(u32 skipped, u32 i) { return i < skipped ? i : i + 1; }

// Least-squares rigid motion of points with centroid `from` onto their matches with centroid `to`. `covariance` is the
// sum of (point - from)(match - to)' by rows, mm^2. False if the rotation is not determined.
__device__ inline bool rigid_motion(Vec3 to, Vec3 from, const double covariance[9], Pose& pose) {
    double squares = 0.0;
    for (u32 i = 0; i < 9; i++) squares += covariance[i] * covariance[i];
    double magnitude = sqrt(squares);
    if (!(magnitude > 0.0 && magnitude < 1e300)) return false;
    double d[9];
    for (u32 i = 0; i < 9; i++) d[i] = covariance[i] / magnitude;
    double trace = d[0] + d[4] + d[8];
    double q[4][4] = {{trace, d[5] - d[7], d[6] - d[2], d[1] - d[3]},
                      {d[5] - d[7], 2.0 * d[0] - trace, d[1] + d[3], d[2] + d[6]},
                      {d[6] - d[2], d[1] + d[3], 2.0 * d[4] - trace, d[5] + d[7]},
                      {d[1] - d[3], d[2] + d[6], d[5] + d[7], 2.0 * d[8] - trace}};
    // x^4 + c2 x^2 + c1 x + c0: the matrix has trace 0, and d has unit Frobenius norm.
    double c2 = -2.0;
    double c1 = -8.0 * (d[0] * (d[4] * d[8] - d[5] * d[7]) - d[1] * (d[3] * d[8] - d[5] * d[6]) +
                        d[2] * (d[3] * d[7] - d[4] * d[6]));
    double c0 = 0.0;
    for (u32 column = 0; column < 4; column++) {
        double cofactor = minor3(q, 1, 2, 3, other(column, 0), other(column, 1), other(column, 2));
        c0 += (column % 2 ? -1.0 : 1.0) * q[0][column] * cofactor;
    }
    // No root exceeds the square root of 3, from where Newton's method descends monotonically to the largest one.
    double root = 1.7320508075688773, slope = 0.0;
    for (u32 step = 0; step < 100; step++) {
        double value = ((root * root + c2) * root + c1) * root + c0;
        slope = (4.0 * root * root + 2.0 * c2) * root + c1;
        if (!(slope > 0.0)) break;
        double decrease = value / slope;
        root -= decrease;
        if (!(decrease > 4e-16 * root)) break;
    }
    // The slope is the product of the gaps to the other roots; for collinear points these are 0, 2 and 2.
    if (!(slope > 4.0 * MIN_EIGENVALUE_GAP)) return false;
    for (u32 i = 0; i < 4; i++) q[i][i] -= root;
    double best[4] = {1.0, 0.0, 0.0, 0.0}, max_squared = 0.0;
    for (u32 column = 0; column < 4; column++) {
        double v[4], squared = 0.0;
        for (u32 row = 0; row < 4; row++) {
            double cofactor = minor3(q, other(row, 0), other(row, 1), other(row, 2), other(column, 0), other(column, 1),
                                     other(column, 2));
            v[row] = (row + column) % 2 ? -cofactor : cofactor;
            squared += v[row] * v[row];
        }
        if (squared > max_squared) {
            max_squared = squared;
            for (u32 i = 0; i < 4; i++) best[i] = v[i];
        }
    }
    double length = sqrt(max_squared);
    if (!(length > 0.0)) return false;
    pose.qw = best[0] / length;
    pose.qx = best[1] / length;
    pose.qy = best[2] / length;
    pose.qz = best[3] / length;
    pose.translation = to - rotate(pose, from);
    return true;
}
