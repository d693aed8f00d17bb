//! Hypotheses from the principal axes of nominal and scan, for parts on which all point pairs look alike, such as a
//! flat sheet seen from one side: there the votes have no peak.

use nalgebra::{Matrix3, Rotation3, SymmetricEigen, UnitQuaternion};

use geometry::point_pairs::OrientedPoint;
use geometry::{Pose, Vector};

/// The 24 poses that map the scan's principal axes onto the nominal's.
pub(super) fn hypotheses(model: &[OrientedPoint], scene: &[OrientedPoint]) -> Vec<Pose> {
    let (Some((model_centre, model_axes)), Some((scene_centre, scene_axes))) = (frame(model), frame(scene)) else {
        return Vec::new();
    };
    let pose = |permutation: Matrix3<f64>| {
        let matrix = Rotation3::from_matrix_unchecked(model_axes * permutation * scene_axes.transpose());
        let rotation = UnitQuaternion::from_rotation_matrix(&matrix);
        Pose::from_parts((model_centre - rotation * scene_centre).into(), rotation)
    };
    cube_rotations().into_iter().map(pose).collect()
}

/// Centroid and right-handed principal axes (columns, by decreasing spread); `None` if not finite.
pub(super) fn frame(points: &[OrientedPoint]) -> Option<(Vector, Matrix3<f64>)> {
    let count = points.len() as f64;
    let centre = points.iter().map(|p| p.point.coords).sum::<Vector>() / count;
    let spread = points.iter().fold(Matrix3::zeros(), |sum, p| {
        let offset = p.point.coords - centre;
        sum + offset * offset.transpose()
    });
    if !spread.iter().all(|value| value.is_finite()) {
        return None;
    }
    let eigen = SymmetricEigen::new(spread);
    let mut order = [0, 1, 2];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let (first, second) = (eigen.eigenvectors.column(order[0]), eigen.eigenvectors.column(order[1]));
    let (first, second) = (first.into_owned(), second.into_owned());
    Some((centre, Matrix3::from_columns(&[first, second, first.cross(&second)])))
}

/// The 24 rotations that map a cube onto itself.
pub(super) fn cube_rotations() -> Vec<Matrix3<f64>> {
    let mut rotations = Vec::with_capacity(24);
    for first in 0..3 {
        for second in (0..3).filter(|&second| second != first) {
            for signs in 0..4 {
                let sign = |bit: i32| if signs & bit == 0 { 1.0 } else { -1.0 };
                let (x, y) = (Vector::ith(first, sign(1)), Vector::ith(second, sign(2)));
                rotations.push(Matrix3::from_columns(&[x, y, x.cross(&y)]));
            }
        }
    }
    rotations
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Point;

    #[test]
    fn one_hypothesis_is_the_true_pose() {
        let mut random = Random::new(3, 1);
        let model: Vec<OrientedPoint> = (0..500)
            .map(|_| OrientedPoint {
                point: Point::new(5.0 * random.normal(), 2.0 * random.normal(), 0.1 * random.normal()),
                normal: Vector::z(),
            })
            .collect();
        let truth = Pose::from_parts(Vector::new(1.0, -2.0, 3.0).into(), random.rotation());
        let scene: Vec<OrientedPoint> =
            model.iter().map(|p| OrientedPoint { point: truth.inverse() * p.point, ..*p }).collect();
        let found = hypotheses(&model, &scene);
        assert_eq!(found.len(), 24);
        assert!(found.iter().any(|pose| {
            (pose.inverse() * truth).translation.vector.norm() < 1e-9 && pose.rotation.angle_to(&truth.rotation) < 1e-9
        }));
    }
}
