//! Eigenvalues of symmetric 3x3 matrices by Jacobi's rotations: small eigenvalues keep their digits, and the same
//! steps on a device give the same bits. The twin of kernels/lib/jacobi.cuh.

use super::Vector;

/// Sweeps that no matrix of finite numbers needs.
const SWEEPS: usize = 16;
/// What is smaller than this, relative to the diagonal beside it, cannot change an eigenvalue.
const NOTHING: f64 = 1.0 / (1_u64 << 60) as f64;

/// Eigenvalues, smallest first, and their unit eigenvectors.
///
/// `matrix` holds xx, xy, xz, yy, yz, zz. Golub and Van Loan, "Matrix Computations", 8.5 (cyclic by row).
pub fn eigen(matrix: &[f64; 6]) -> ([f64; 3], [Vector; 3]) {
    let [xx, xy, xz, yy, yz, zz] = *matrix;
    let mut a = [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]];
    // Eigenvectors by columns.
    let mut v = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for _ in 0..SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q, r) in [(0, 1, 2), (0, 2, 1), (1, 2, 0)] {
            rotate(&mut a, &mut v, p, q, r);
        }
    }
    let mut order = [0, 1, 2];
    for (one, other) in [(0, 1), (1, 2), (0, 1)] {
        if a[order[other]][order[other]] < a[order[one]][order[one]] {
            order.swap(one, other);
        }
    }
    (order.map(|i| a[i][i]), order.map(|i| Vector::new(v[0][i], v[1][i], v[2][i])))
}

/// Turns the plane of p and q so that their product vanishes; r is the third.
fn rotate(a: &mut [[f64; 3]; 3], v: &mut [[f64; 3]; 3], p: usize, q: usize, r: usize) {
    let off = a[p][q];
    (a[p][q], a[q][p]) = (0.0, 0.0);
    if off.abs() <= NOTHING * (a[p][p].abs() + a[q][q].abs()) {
        return;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let size = 1.0 / (theta.abs() + (theta * theta + 1.0).sqrt());
    let t = if theta < 0.0 { -size } else { size };
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
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
    fn any_spectrum_in_any_pose_comes_back() {
        let mut random = Random::new(2, 0);
        for spectrum in [[1.0, 2.0, 3.0], [1e-9, 1.0, 1.0], [0.0, 0.0, 5.0], [2.0, 2.0, 2.0], [1e-12, 1e-6, 1e6]] {
            for _ in 0..200 {
                let turn = random.rotation().to_rotation_matrix().into_inner();
                let m = turn * nalgebra::Matrix3::from_diagonal(&Vector::from(spectrum)) * turn.transpose();
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
    fn a_diagonal_matrix_is_left_as_it_is() {
        let (values, vectors) = eigen(&[3.0, 0.0, 0.0, 1.0, 0.0, 2.0]);
        assert_eq!(values, [1.0, 2.0, 3.0]);
        assert_eq!(vectors, [Vector::y(), Vector::z(), Vector::x()]);
        assert!(eigen(&[f64::NAN; 6]).0[0].is_nan());
    }
}
