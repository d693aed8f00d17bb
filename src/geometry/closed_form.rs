//! The rigid motion between matched points in closed form, by unit quaternions (Horn 1987; Besl and McKay 1992).

use nalgebra::{Matrix3, Matrix4, Quaternion, UnitQuaternion};

use super::{Point, Pose, Vector};

/// The least distance of the two largest eigenvalues, relative to the size of the matrix, below which a rotation counts
/// as open. Points reach it that are within 0.03 % of a line.
const OPEN: f64 = 1e-7;

/// The motion that carries points onto their matches with the least squared distances, from the centroids of both and
/// the sum of (point - centroid) (match - centroid)' over all pairs; never a reflection. `None` where the points leave
/// a rotation open: all in one place or on one line, or no numbers.
pub fn rigid_motion(to_centroid: &Point, from_centroid: &Point, covariance: &Matrix3<f64>) -> Option<Pose> {
    let trace = covariance.trace();
    let skew = covariance - covariance.transpose();
    let delta = Vector::new(skew[(1, 2)], skew[(2, 0)], skew[(0, 1)]);
    let mut q = Matrix4::zeros();
    q[(0, 0)] = trace;
    q.fixed_view_mut::<1, 3>(0, 1).copy_from(&delta.transpose());
    q.fixed_view_mut::<3, 1>(1, 0).copy_from(&delta);
    let block = covariance + covariance.transpose() - Matrix3::identity() * trace;
    q.fixed_view_mut::<3, 3>(1, 1).copy_from(&block);
    let spread = q.abs().max();
    if !(spread > 0.0 && spread.is_finite()) {
        return None;
    }
    let eigen = nalgebra::SymmetricEigen::new(q);
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let (largest, second) = (eigen.eigenvalues[order[0]], eigen.eigenvalues[order[1]]);
    // Points on one line leave the turn about it open: then the two largest eigenvalues coincide.
    if largest - second <= OPEN * spread {
        return None;
    }
    let v = eigen.eigenvectors.column(order[0]);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(v[0], v[1], v[2], v[3]));
    let translation = to_centroid - rotation * from_centroid;
    Some(Pose::from_parts(translation.into(), rotation))
}
