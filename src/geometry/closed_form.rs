//! Closed-form rigid motion between point pairs by unit quaternions (Horn 1987; Besl and McKay 1992).

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion};

use super::{Point, Pose, Vector};

/// Minimum gap between the two largest eigenvalues, relative to the largest matrix element, for the rotation to be
/// determined. Points within 0.03 % of a straight line fall below it.
const MIN_EIGENVALUE_GAP: f64 = 1e-7;

/// The form qᵀ Q q of a rotation's quaternion (w, x, y, z) that is the sum of match · R(q) point over all pairs, from the sum of
/// point match'.
pub fn of_rotation(covariance: &Matrix3<f64>) -> Matrix4<f64> {
    let trace = covariance.trace();
    let skew = covariance - covariance.transpose();
    let delta = Vector::new(skew[(1, 2)], skew[(2, 0)], skew[(0, 1)]);
    let mut q = Matrix4::zeros();
    q[(0, 0)] = trace;
    q.fixed_view_mut::<1, 3>(0, 1).copy_from(&delta.transpose());
    q.fixed_view_mut::<3, 1>(1, 0).copy_from(&delta);
    let block = covariance + covariance.transpose() - Matrix3::identity() * trace;
    q.fixed_view_mut::<3, 3>(1, 1).copy_from(&block);
    q
}

/// Least-squares rigid motion (never a reflection) of points onto their matches, from the centroid of the matches
/// `to_centroid`, the centroid of the points `from_centroid`, mm, and `covariance`, the sum over all pairs of (point -
/// centroid) (match - centroid)', mm². `None` if the rotation is undetermined: coincident or collinear points, or
/// non-finite input.
pub fn rigid_motion(to_centroid: &Point, from_centroid: &Point, covariance: &Matrix3<f64>) -> Option<Pose> {
    let q = of_rotation(covariance);
    let max_element = q.abs().max();
    if !(max_element > 0.0 && max_element.is_finite()) {
        return None;
    }
    let eigen = nalgebra::SymmetricEigen::new(q);
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let (largest, second) = (eigen.eigenvalues[order[0]], eigen.eigenvalues[order[1]]);
    // Collinear points leave the rotation about their line undetermined: the two largest eigenvalues coincide.
    if largest - second <= MIN_EIGENVALUE_GAP * max_element {
        return None;
    }
    let v = eigen.eigenvectors.column(order[0]);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(v[0], v[1], v[2], v[3]));
    let translation = to_centroid - rotation * from_centroid;
    Some(Pose::from_parts(translation.into(), rotation))
}
