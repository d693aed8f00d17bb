//! Eigenvalues of symmetric 3x3 matrices by cyclic Jacobi rotations, which keep small eigenvalues accurate. The same
//! operations in the same order as kernels/lib/jacobi.cuh, for bitwise equal results on CPU and GPU.

use super::Vector;

/// Upper limit of sweeps; not reached for finite matrices.
const MAX_SWEEPS: usize = 16;
/// Off-diagonal elements below this, relative to their two diagonal elements, do not change an eigenvalue and are set
/// to zero.
const RELATIVE_TOLERANCE: f64 = 1.0 / (1_u64 << 60) as f64;

/// Eigenvalues in ascending order and their unit eigenvectors.
///
/// `matrix` holds xx, xy, xz, yy, yz, zz. Golub and Van Loan, "Matrix Computations", 8.5 (cyclic by row).
pub fn eigen(matrix: &[f64; 6]) -> ([f64; 3], [Vector; 3]) {
    let [xx, xy, xz, yy, yz, zz] = *matrix;
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    // Eigenvectors in columns.
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..MAX_SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            rotate(&mut a, &mut v, p, q, r);
        }
    }
    let mut order = [0, 1, 2];
    for (i, j) in [(0, 1), (1, 2), (0, 1)] {
        if a[order[j]][order[j]] < a[order[i]][order[i]] {
            order.swap(i, j);
        }
    }
    (order.map(|i| a[i][i]), order.map(|i| Vector::new(v[0][i], v[1][i], v[2][i])))
}

/// Products xx, xy, xz, yy, yz, zz of a vector with itself.
#[inline]
pub fn products(v: &Vector) -> [f64; 6] {
    [v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z]
}

/// Sums of the [`products`] of some vectors.
#[inline]
pub fn scatter(vectors: impl Iterator<Item = Vector>) -> [f64; 6] {
    let mut sums = [0.0; 6];
    for vector in vectors {
        sums.iter_mut().zip(products(&vector)).for_each(|(sum, product)| *sum += product);
    }
    sums
}

/// Rotates in the plane of axes p and q so that `a[p][q]` becomes zero; r is the third axis. Accumulates the rotation
/// in `v`.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize, r: usize) {
    let off_diagonal = a[p][q];
    (a[p][q], a[q][p]) = (0.0, 0.0);
    if off_diagonal.abs() <= RELATIVE_TOLERANCE * (a[p][p].abs() + a[q][q].abs()) {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off_diagonal);
    let magnitude = 1.0 / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta < 0.0 { -magnitude } else { magnitude };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * off_diagonal;
    a[q][q] += t * off_diagonal;
    let (rp, rq) = (a[r][p], a[r][q]);
    a[r][p] = c * rp - s * rq;
    a[r][q] = s * rp + c * rq;
    (a[p][r], a[q][r]) = (a[r][p], a[r][q]);
    for row in v {
        let (vp, vq) = (row[p], row[q]);
        row[p] = c * vp - s * vq;
        row[q] = s * vp + c * vq;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn spectra_are_recovered_in_any_orientation() {
        let mut random = Random::new(2, 0);
        for spectrum in [[1.0, 2.0, 3.0], [1e-9, 1.0, 1.0], [0.0, 0.0, 5.0], [2.0, 2.0, 2.0], [1e-12, 1e-6, 1e6]] {
            for _ in 0..200 {
                let rotation = random.rotation().to_rotation_matrix().into_inner();
                let m = rotation * nalgebra::Matrix3::from_diagonal(&Vector::from(spectrum)) * rotation.transpose();
                let packed = [m[(0, 0)], m[(0, 1)], m[(0, 2)], m[(1, 1)], m[(1, 2)], m[(2, 2)]];
                let (values, vectors) = eigen(&packed);
                for i in 0..3 {
                    assert!((values[i] - spectrum[i]).abs() <= 1e-15 * spectrum[2] * 8.0, "{values:?}");
                    assert!((m * vectors[i] - vectors[i] * values[i]).norm() <= 1e-14 * spectrum[2]);
                    assert!((vectors[i].norm() - 1.0).abs() < 1e-14);
                }
                assert!(vectors[0].dot(&vectors[1]).abs() < 1e-14 && vectors[0].dot(&vectors[2]).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn a_diagonal_matrix_is_only_sorted() {
        let (values, vectors) = eigen(&[3.0, 0.0, 0.0, 1.0, 0.0, 2.0]);
        assert_eq!(values, [1.0, 2.0, 3.0]);
        assert_eq!(vectors, [Vector::y(), Vector::z(), Vector::x()]);
        assert!(eigen(&[f64::NAN; 6]).0[0].is_nan());
    }
}
