//! Alignment of matched points with frames, and how well it is known (Bingham Procrustean alignment: Glover and Popovic,
//! "Bingham Procrustean alignment for object detection in clutter", IROS 2013).
//!
//! Each match says something of the rotation as a Bingham distribution of its quaternion q, p(q) ~ exp(qᵀ C q); together they
//! say the sum of their C. Its mode is the eigenvector of the largest eigenvalue.

use nalgebra::{Matrix3, Matrix4, Quaternion, SymmetricEigen, UnitQuaternion, Vector4};

use super::{Point, Pose, Vector, closed_form};

/// How firmly a frame binds the normal: a standard deviation of 8°.
const NORMAL_CONCENTRATION: f64 = 100.0;

/// A point of a part matched with one of a scene.
#[derive(Clone, Copy, Debug)]
pub struct OrientedMatch {
    /// Position, part frame, mm.
    pub part: Point,
    /// Position, scene frame, mm.
    pub scene: Point,
    /// Their frames, if they have any.
    pub frames: Option<Frames>,
}

/// Frames of a match: rotations that map x onto the normal and y onto the direction of greatest curvature.
#[derive(Clone, Copy, Debug)]
pub struct Frames {
    /// In the part.
    pub part: UnitQuaternion<f64>,
    /// In the scene; the direction may be the opposite one.
    pub scene: UnitQuaternion<f64>,
    /// How firmly the rotation about the normal is bound, from 0 where no direction stands out to 100.
    pub concentration: f64,
}

impl Frames {
    /// How firmly frames bind the rotation about the normal if the curvatures have this ratio of magnitudes, at least 1.
    pub fn concentration(ratio: f64) -> f64 {
        (10.0 * (ratio - 1.0)).clamp(0.0, 100.0)
    }

    /// The two rotations from part to scene that they propose.
    pub fn modes(&self) -> [UnitQuaternion<f64>; 2] {
        [self.scene, twin(&self.scene)].map(|scene| scene * self.part.inverse())
    }

    /// What they say of the rotation if one of their modes is true.
    fn information(&self, mode: &UnitQuaternion<f64>) -> Matrix4<f64> {
        // The quaternion of the rotation left over in the frame of the part: w, about x, y and z.
        let scene = mode * self.part;
        let map = left(&scene.inverse()) * right(&self.part);
        let firmness = Vector4::new(0.0, -self.concentration, -NORMAL_CONCENTRATION, -NORMAL_CONCENTRATION);
        map.transpose() * Matrix4::from_diagonal(&firmness) * map
    }
}

/// The other frame of the same point: the direction of greatest curvature has no sign.
pub fn twin(frame: &UnitQuaternion<f64>) -> UnitQuaternion<f64> {
    frame * UnitQuaternion::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI)
}

/// An alignment of matches.
#[derive(Clone, Copy, Debug)]
pub struct Aligned {
    /// Maps the part into the scene.
    pub scene_from_part: Pose,
    /// Unit axes of rotation, scene frame, the best known one first.
    pub axes: [Vector; 3],
    /// Standard deviations of the rotation about them, rad; infinite about an axis of which the matches say nothing.
    pub deviations_rad: [f64; 3],
}

/// Aligns matches whose positions deviate by `sigma_mm` along each axis. `None` without matches.
pub fn align(matches: &[OrientedMatch], sigma_mm: f64) -> Option<Aligned> {
    if matches.is_empty() {
        return None;
    }
    let count = matches.len() as f64;
    let part = matches.iter().map(|own| own.part.coords).sum::<Vector>() / count;
    let scene = matches.iter().map(|own| own.scene.coords).sum::<Vector>() / count;
    let spread = |own: &OrientedMatch| (own.part.coords - part) * (own.scene.coords - scene).transpose();
    let covariance: Matrix3<f64> = matches.iter().map(spread).sum();
    let of_positions = closed_form::of_rotation(&covariance) / sigma_mm.powi(2);
    let agreement = |mode: &UnitQuaternion<f64>| (wxyz(mode).transpose() * of_positions * wxyz(mode)).x;
    let of_frames = matches.iter().filter_map(|own| own.frames).map(|own| {
        // The curvature has no sign: of its two directions the one that the positions speak for.
        let [one, other] = own.modes();
        own.information(if agreement(&one) >= agreement(&other) { &one } else { &other })
    });
    let eigen = SymmetricEigen::new(of_positions + of_frames.sum::<Matrix4<f64>>());
    let mut order = [0, 1, 2, 3];
    order.sort_by(|&a, &b| eigen.eigenvalues[b].total_cmp(&eigen.eigenvalues[a]));
    let quaternion = |index: usize| {
        let own = eigen.eigenvectors.column(index);
        Quaternion::new(own[0], own[1], own[2], own[3])
    };
    let rotation = UnitQuaternion::from_quaternion(quaternion(order[0]));
    let top = eigen.eigenvalues[order[0]];
    // The best known first: the largest gap.
    let others = [order[3], order[2], order[1]];
    Some(Aligned {
        scene_from_part: Pose::from_parts((scene - rotation * part).into(), rotation),
        axes: others.map(|index| (quaternion(index) * rotation.conjugate().quaternion()).imag().normalize()),
        deviations_rad: others.map(|index| (2.0 / (top - eigen.eigenvalues[index]).max(0.0)).sqrt()),
    })
}

fn wxyz(own: &UnitQuaternion<f64>) -> Vector4<f64> {
    Vector4::new(own.w, own.i, own.j, own.k)
}

/// The matrix of a product with a quaternion on the left: of `own * q`, quaternions as (w, x, y, z).
fn left(own: &UnitQuaternion<f64>) -> Matrix4<f64> {
    let (w, x, y, z) = (own.w, own.i, own.j, own.k);
    Matrix4::new(w, -x, -y, -z, x, w, -z, y, y, z, w, -x, z, -y, x, w)
}

/// As [`left`], on the right: of `q * own`.
fn right(own: &UnitQuaternion<f64>) -> Matrix4<f64> {
    let (w, x, y, z) = (own.w, own.i, own.j, own.k);
    Matrix4::new(w, -x, -y, -z, x, w, z, -y, y, -z, w, x, z, y, -x, w)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn normals(random: &mut Random, deviation: f64) -> Vector {
        Vector::new(random.normal(), random.normal(), random.normal()) * deviation
    }

    /// Matches of points within 20 mm with noise, their frames turned by a frame noise, and the truth.
    fn matches(random: &mut Random, count: usize, sigma_mm: f64, frame_rad: f64) -> (Vec<OrientedMatch>, Pose) {
        let truth = Pose::from_parts(normals(random, 100.0).into(), random.rotation());
        let all = (0..count).map(|_| {
            let part = Point::from(normals(random, 10.0));
            let own = random.rotation();
            // The sign of the direction of curvature is drawn.
            let flip = if random.uniform() < 0.5 { std::f64::consts::PI } else { 0.0 };
            let off = UnitQuaternion::from_scaled_axis(normals(random, frame_rad));
            let scene = truth.rotation * own * off * UnitQuaternion::from_axis_angle(&Vector::x_axis(), flip);
            OrientedMatch {
                part,
                scene: truth * part + normals(random, sigma_mm),
                frames: Some(Frames { part: own, scene, concentration: 100.0 }),
            }
        });
        (all.collect(), truth)
    }

    fn without_frames(all: &[OrientedMatch]) -> Vec<OrientedMatch> {
        all.iter().map(|own| OrientedMatch { frames: None, ..*own }).collect()
    }

    #[test]
    fn exact_positions_and_a_single_exact_frame_give_the_pose() {
        let mut random = Random::new(1, 0);
        for count in [3, 5, 40] {
            let (all, truth) = matches(&mut random, count, 0.0, 0.0);
            for all in [&all, &without_frames(&all)] {
                let found = align(all, 0.1).unwrap().scene_from_part;
                let off = found.inverse() * truth;
                assert!(off.rotation.angle() < 1e-6 && off.translation.vector.norm() < 1e-4, "{off}");
            }
        }
        // One of two twins.
        for _ in 0..200 {
            let (all, truth) = matches(&mut random, 1, 0.0, 0.0);
            let found = align(&all, 0.1).unwrap();
            let own = all[0].frames.unwrap();
            let twin = own.modes().map(|mode| mode.angle_to(&found.scene_from_part.rotation));
            assert!(twin[0].min(twin[1]) < 1e-5, "{twin:?}");
            assert!((found.scene_from_part * all[0].part - truth * all[0].part).norm() < 1e-6);
        }
        assert!(align(&[], 0.1).is_none());
    }

    #[test]
    fn frames_make_the_rotation_of_few_matches_more_certain_and_say_how_certain() {
        let mut random = Random::new(2, 0);
        for count in 3..=10 {
            let (mut with, mut without, mut flips) = (0.0, 0.0, 0);
            let mut ratios: Vec<f64> = Vec::new();
            for _ in 0..1_000 {
                // Frames as uncertain as they are taken to be.
                let (all, truth) = matches(&mut random, count, 3.0, 0.141);
                let found = align(&all, 3.0).unwrap();
                let off = found.scene_from_part.rotation * truth.rotation.inverse();
                with += off.angle();
                without +=
                    align(&without_frames(&all), 3.0).unwrap().scene_from_part.rotation.angle_to(&truth.rotation);
                flips += usize::from(off.angle() > 1.0);
                let turned = off.scaled_axis();
                ratios.extend(
                    found.axes.iter().zip(found.deviations_rad).map(|(axis, sd)| (turned.dot(axis) / sd).powi(2)),
                );
            }
            assert!(with < without, "{count}: {with} {without}");
            assert!(flips < 50, "{count}: {flips}");
            // Without the few that are turned over.
            ratios.sort_by(f64::total_cmp);
            let kept = ratios.len() * 95 / 100;
            let spread = (ratios[..kept].iter().sum::<f64>() / kept as f64).sqrt();
            assert!((1.0 / 1.5..1.5).contains(&spread), "{count}: {spread}");
        }
    }

    #[test]
    fn what_matches_leave_open_is_said() {
        // Two points: any rotation about the line between them.
        let all = [0.0, 10.0].map(|x| OrientedMatch {
            part: Point::new(x, 0.0, 0.0),
            scene: Point::new(x, 3.0, 0.0),
            frames: None,
        });
        let found = align(&all, 0.1).unwrap();
        assert!(found.axes[2].x.abs() > 0.999 && found.deviations_rad[2] > 1.0, "{found:?}");
        assert!(found.deviations_rad[0] < 0.1 && found.deviations_rad[1] < 0.1);
    }
}
