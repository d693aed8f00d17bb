//! How the shape of a part lies in a scene, also mirrored or in another size: a similarity, with a reflection if it is mirrored.

use nalgebra::{Matrix3, Rotation3, UnitQuaternion};

use geometry::{Point, Pose, Vector};

/// A similarity from the frame of a part into that of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// A rotation, perhaps with a reflection.
    turn: Matrix3<f64>,
    /// Size of what lies in the scene, over that of the part.
    scale: f64,
    /// Where the part's origin lies, mm.
    origin: Vector,
}

impl Placement {
    /// The part itself in a pose.
    pub fn rigid(scene_from_part: &Pose) -> Self {
        Self {
            turn: *scene_from_part.rotation.to_rotation_matrix().matrix(),
            scale: 1.0,
            origin: scene_from_part.translation.vector,
        }
    }

    /// The part, scaled about a point of it.
    pub fn scaled(about: &Point, scale: f64) -> Self {
        Self { turn: Matrix3::identity(), scale, origin: about.coords * (1.0 - scale) }
    }

    /// The part, mirrored in the plane through a point of it with a unit normal.
    pub fn mirrored(about: &Point, normal: &Vector) -> Self {
        let turn = Matrix3::identity() - 2.0 * normal * normal.transpose();
        Self { turn, scale: 1.0, origin: about.coords - turn * about.coords }
    }

    /// This after another.
    pub fn after(&self, other: &Self) -> Self {
        let origin = self.in_scene(&other.origin.into()).coords;
        Self { turn: self.turn * other.turn, scale: self.scale * other.scale, origin }
    }

    /// As a pose; only for one that neither mirrors nor scales.
    pub fn as_pose(&self) -> Pose {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(self.turn));
        Pose::from_parts(self.origin.into(), rotation)
    }

    /// Its size, over that of the part.
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// A position of the part in the scene.
    pub fn in_scene(&self, position: &Point) -> Point {
        Point::from(self.turn * position.coords * self.scale + self.origin)
    }

    /// A position of the scene in the frame of the part.
    pub fn in_part(&self, position: &Point) -> Point {
        Point::from(self.turn.tr_mul(&(position.coords - self.origin)) / self.scale)
    }

    /// A direction of the part in the scene, of the same length.
    pub fn direction_to_scene(&self, direction: &Vector) -> Vector {
        self.turn * direction
    }

    /// A direction of the scene in the frame of the part, of the same length.
    pub fn direction_to_part(&self, direction: &Vector) -> Vector {
        self.turn.tr_mul(direction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_mirrored_scaled_and_moved_comes_back() {
        let pose = Pose::new(Vector::new(4.0, 5.0, 6.0), Vector::new(0.3, -0.2, 0.9));
        let (about, normal) = (Point::new(1.0, -2.0, 3.0), Vector::new(1.0, 2.0, -2.0) / 3.0);
        let mirrored = Placement::mirrored(&about, &normal);
        assert!((mirrored.in_scene(&about) - about).norm() < 1e-12);
        let beyond = about + normal * 2.0;
        assert!((mirrored.in_scene(&beyond) - (about - normal * 2.0)).norm() < 1e-12);
        let scaled = Placement::scaled(&about, 1.1);
        assert!((scaled.in_scene(&beyond) - (about + normal * 2.2)).norm() < 1e-12);
        let all = Placement::rigid(&pose).after(&scaled).after(&mirrored);
        let expected = pose * scaled.in_scene(&mirrored.in_scene(&beyond));
        assert!((all.in_scene(&beyond) - expected).norm() < 1e-12 && (all.scale() - 1.1).abs() < 1e-15);
        assert!((all.in_part(&expected) - beyond).norm() < 1e-12);
        let there = all.direction_to_scene(&normal);
        assert!((all.direction_to_part(&there) - normal).norm() < 1e-12 && (there.norm() - 1.0).abs() < 1e-12);
    }
}
