//! Propagation of uncertainty from fitted parts to the artefact's frame and invariants, by displacing the parts
//! numerically.

use nalgebra::{DMatrix, DVector, Matrix6};

use crate::features::Fit;
use base::Result;
use geometry::{Point, Pose, Vector};

/// Point and direction of a fitted part (plane: normal; line: direction; sphere: zero).
pub type PointDirection = (Point, Vector);

/// Number of quantities of a frame's motion: translations along (mm) and rotations about (rad) its own axes. The
/// invariants follow them.
pub const FRAME_QUANTITIES: usize = 6;

/// Computes the frame and the invariants as functions of the fitted parts.
pub struct Propagation<'a> {
    /// The fitted parts.
    pub parts: &'a [PointDirection],
    /// The frame determined from `parts`.
    pub frame: &'a Pose,
    /// Determines the frame from parts.
    pub frame_of: &'a dyn Fn(&[PointDirection]) -> Result<Pose>,
    /// Determines the invariants from parts.
    pub invariants: &'a dyn Fn(&[PointDirection]) -> Result<Vec<f64>>,
}

/// For [`Propagation::invariants`] if only the frame is needed.
pub fn no_invariants(_: &[PointDirection]) -> Result<Vec<f64>> {
    Ok(Vec::new())
}

/// The frame's block of the covariance of all quantities.
pub fn frame_block(covariance: &DMatrix<f64>) -> Matrix6<f64> {
    Matrix6::from_fn(|i, j| covariance[(i, j)])
}

impl Propagation<'_> {
    /// Change of all quantities when a part is translated by `shift` and rotated by `turn` about its point.
    fn change(&self, index: usize, shift: &Vector, rotation: &Vector) -> Result<DVector<f64>> {
        let mut parts = self.parts.to_vec();
        let (point, direction) = parts[index];
        parts[index] = (point + shift, nalgebra::UnitQuaternion::from_scaled_axis(*rotation) * direction);
        let change = self.frame.inverse() * (self.frame_of)(&parts)?;
        let (shift, turn) = (change.translation.vector, change.rotation.scaled_axis());
        let mut quantities = vec![shift.x, shift.y, shift.z, turn.x, turn.y, turn.z];
        let (before, after) = ((self.invariants)(self.parts)?, (self.invariants)(&parts)?);
        quantities.extend(after.iter().zip(&before).map(|(after, before)| after - before));
        Ok(DVector::from_vec(quantities))
    }

    /// Derivatives of all quantities by each of `motions` of a part, a translation (mm) and a rotation (rad), per mm or
    /// rad: quantities × motions.
    pub fn sensitivities<const N: usize>(&self, index: usize, motions: &[(Vector, Vector); N]) -> Result<DMatrix<f64>> {
        let step = 1e-6;
        let mut columns = Vec::with_capacity(N);
        for (shift, turn) in motions {
            columns.push(self.change(index, &(shift * step), &(turn * step))? / step);
        }
        Ok(DMatrix::from_columns(&columns))
    }

    /// Contribution of a part's own covariance to that of all quantities: the part is moved along the eigenvectors of
    /// its covariance.
    pub fn covariance(&self, index: usize, fit: &Fit) -> Result<DMatrix<f64>> {
        let own = nalgebra::SymmetricEigen::new(fit.uncertainty.motion);
        let quantities = FRAME_QUANTITIES + (self.invariants)(self.parts)?.len();
        let mut covariance = DMatrix::<f64>::zeros(quantities, quantities);
        for (k, variance) in own.eigenvalues.iter().enumerate().filter(|(_, variance)| **variance > 0.0) {
            let m = own.eigenvectors.column(k) * variance.sqrt();
            let change = self.change(index, &Vector::new(m[0], m[1], m[2]), &Vector::new(m[3], m[4], m[5]))?;
            covariance += &change * change.transpose();
        }
        Ok(covariance)
    }

    /// Contribution of an error of a part's position along `direction`, with the given standard deviation. Residuals do
    /// not show such an error, since it is common to all points of the part.
    pub fn offset(&self, index: usize, direction: &Vector, sigma_mm: f64) -> Result<DMatrix<f64>> {
        let sensitivity = self.sensitivities(index, &[(*direction, Vector::zeros())])? * sigma_mm;
        Ok(&sensitivity * sensitivity.transpose())
    }
}

/// Two unit vectors perpendicular to a normal and to each other.
pub fn in_plane_axes(normal: &Vector) -> [Vector; 2] {
    let x = normal.cross(&Vector::ith(normal.iamin(), 1.0)).normalize();
    [x, normal.cross(&x)]
}
