//! Rivals of a pose: the nominal rotated about its own principal axes, and the scanned piece rotated about its own.
//!
//! A fan that is rotated by one blade fits nearly as well as in its true pose, and the votes may find either. So every
//! rotation that could map a part onto itself is tried: about each principal axis in small steps, face up and face
//! down, and with exchanged axes. A partial scan is likewise rotated about its own centroid.

use nalgebra::{Matrix3, Rotation3, Translation3, Unit, UnitQuaternion};

use super::principal::{cube_rotations, frame};
use geometry::point_pairs::OrientedPoint;
use geometry::{Pose, Vector};

/// Steps of a full rotation.
const STEPS: usize = 60;

/// Rotations of nominal and scan about their own principal axes.
pub(super) struct Turns {
    /// Motions in the nominal frame.
    of_nominal: Vec<Pose>,
    /// Motions in the scan frame.
    of_scan: Vec<Pose>,
}

impl Turns {
    pub fn new(model: &[OrientedPoint], scene: &[OrientedPoint]) -> Self {
        Self { of_nominal: about_own_axes(model), of_scan: about_own_axes(scene) }
    }

    /// The rivals of `nominal_from_scan`.
    pub fn of(&self, nominal_from_scan: &Pose) -> Vec<Pose> {
        let turned = self.of_nominal.iter().map(|turn| turn * nominal_from_scan);
        turned.chain(self.of_scan.iter().map(|turn| nominal_from_scan * turn)).collect()
    }
}

/// Rotations about the principal axes of `points` through their centroid, without the identity.
pub fn about_own_axes(points: &[OrientedPoint]) -> Vec<Pose> {
    let Some((centre, axes)) = frame(points) else { return Vec::new() };
    let axis = |i: usize| Unit::new_normalize(axes.column(i).into_owned());
    let mut rotations: Vec<UnitQuaternion<f64>> = Vec::new();
    for i in 0..3 {
        let flip = UnitQuaternion::from_axis_angle(&axis((i + 1) % 3), std::f64::consts::PI);
        for step in 0..STEPS {
            let angle = step as f64 / STEPS as f64 * std::f64::consts::TAU;
            let turn = UnitQuaternion::from_axis_angle(&axis(i), angle);
            rotations.push(turn * flip);
            if step > 0 {
                rotations.push(turn);
            }
        }
    }
    let exchanged = |turn: Matrix3<f64>| {
        UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(axes * turn * axes.transpose()))
    };
    rotations.extend(cube_rotations().into_iter().map(exchanged));
    let about_centre = |rotation: UnitQuaternion<f64>| {
        let translation: Vector = centre - rotation * centre;
        Pose::from_parts(Translation3::from(translation), rotation)
    };
    rotations.into_iter().filter(|turn| turn.angle() > 1e-6).map(about_centre).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;
    use geometry::Point;

    #[test]
    fn a_part_rotated_by_a_symmetry_step_has_the_true_pose_among_its_rivals() {
        let mut random = Random::new(8, 1);
        // Five arms about a tilted axis.
        let tilt = random.rotation();
        let mut points = Vec::new();
        for arm in 0..5 {
            let turn = UnitQuaternion::from_axis_angle(&Vector::z_axis(), f64::from(arm) * std::f64::consts::TAU / 5.0);
            for _ in 0..200 {
                let point = Point::new(random.range(10.0, 50.0), random.range(-3.0, 3.0), random.range(0.0, 4.0));
                points.push(OrientedPoint { point: tilt * (turn * point), normal: tilt * Vector::z() });
            }
        }
        let axis = Unit::new_normalize(tilt * Vector::z());
        let truth = Pose::from_parts(Vector::new(3.0, 4.0, 5.0).into(), random.rotation());
        let fifth = UnitQuaternion::from_axis_angle(&axis, std::f64::consts::TAU / 5.0);
        let rivals = Turns::new(&points, &[]).of(&(Pose::from_parts(Translation3::identity(), fifth) * truth));
        let nearest = rivals.iter().map(|pose| pose.rotation.angle_to(&truth.rotation)).fold(f64::INFINITY, f64::min);
        assert!(nearest.to_degrees() < 3.5, "{}", nearest.to_degrees());
    }
}
