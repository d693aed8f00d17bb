//! From how sure each fitted part is to how sure the artefact's frame is, by moving the parts.

use nalgebra::{Matrix6, SMatrix, Vector6};

use crate::base::Result;
use crate::geometry::{Point, Pose, Vector};
use crate::inspect::features::Fit;

/// A fitted part: its place, and its direction (planes: the normal; lines: along; spheres: none, zero).
pub type Placed = (Point, Vector);

/// How a frame follows its parts.
pub struct Propagation<'a> {
    /// The parts.
    pub parts: &'a [Placed],
    /// Their frame.
    pub frame: &'a Pose,
    /// The frame of any parts like these.
    pub of: &'a dyn Fn(&[Placed]) -> Result<Pose>,
}

impl Propagation<'_> {
    /// Shift (mm) and turn (rad) of the frame, along and about its own axes, when a part is shifted by `shift` and
    /// turned by `turn` about its place.
    fn change(&self, which: usize, shift: &Vector, turn: &Vector) -> Result<Vector6<f64>> {
        let mut parts = self.parts.to_vec();
        let (point, direction) = parts[which];
        parts[which] = (point + shift, nalgebra::UnitQuaternion::from_scaled_axis(*turn) * direction);
        let change = self.frame.inverse() * (self.of)(&parts)?;
        let (by, turned) = (change.translation.vector, change.rotation.scaled_axis());
        Ok(Vector6::new(by.x, by.y, by.z, turned.x, turned.y, turned.z))
    }

    /// The frame's answer to each of `moves` of a part, a shift (mm) and a turn (rad), per mm or rad.
    pub fn answers<const N: usize>(&self, which: usize, moves: &[(Vector, Vector); N]) -> Result<SMatrix<f64, 6, N>> {
        let step = 1e-6;
        let mut answers = SMatrix::<f64, 6, N>::zeros();
        for (k, (shift, turn)) in moves.iter().enumerate() {
            answers.set_column(k, &(self.change(which, &(shift * step), &(turn * step))? / step));
        }
        Ok(answers)
    }

    /// What a part's own covariance adds to that of the frame: by moving it along the axes of its covariance.
    pub fn covariance(&self, which: usize, fit: &Fit) -> Result<Matrix6<f64>> {
        let own = nalgebra::SymmetricEigen::new(fit.uncertainty.motion);
        let mut covariance = Matrix6::zeros();
        for (k, variance) in own.eigenvalues.iter().enumerate().filter(|(_, variance)| **variance > 0.0) {
            let m = own.eigenvectors.column(k) * variance.sqrt();
            let change = self.change(which, &Vector::new(m[0], m[1], m[2]), &Vector::new(m[3], m[4], m[5]))?;
            covariance += change * change.transpose();
        }
        Ok(covariance)
    }
}

/// Two directions square to a normal and to each other.
pub fn axes_in(normal: &Vector) -> [Vector; 2] {
    let x = normal.cross(&Vector::ith(normal.iamin(), 1.0)).normalize();
    [x, normal.cross(&x)]
}
