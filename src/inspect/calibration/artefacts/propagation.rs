//! From how sure each fitted part is to how sure the artefact's frame and its invariants are, by moving the parts.

use nalgebra::{DMatrix, DVector, Matrix6};

use crate::features::Fit;
use base::Result;
use geometry::{Point, Pose, Vector};

/// A fitted part: its place, and its direction (planes: the normal; lines: along; spheres: none, zero).
pub type Placed = (Point, Vector);

/// Figures of a frame's motion: shifts along (mm) and turns about (rad) its own axes. Those of invariants follow.
pub const OF_FRAME: usize = 6;

/// How a frame and the artefact's invariants follow the parts.
pub struct Propagation<'a> {
    /// The parts.
    pub parts: &'a [Placed],
    /// Their frame.
    pub frame: &'a Pose,
    /// The frame of any parts like these.
    pub of: &'a dyn Fn(&[Placed]) -> Result<Pose>,
    /// The invariants of any parts like these.
    pub invariants: &'a dyn Fn(&[Placed]) -> Result<Vec<f64>>,
}

/// Where only the frame is asked for.
pub fn no_invariants(_: &[Placed]) -> Result<Vec<f64>> {
    Ok(Vec::new())
}

/// The frame's part of a covariance of all figures.
pub fn of_frame(covariance: &DMatrix<f64>) -> Matrix6<f64> {
    Matrix6::from_fn(|i, j| covariance[(i, j)])
}

impl Propagation<'_> {
    /// By how much all figures change when a part is shifted by `shift` and turned by `turn` about its place.
    fn change(&self, which: usize, shift: &Vector, turn: &Vector) -> Result<DVector<f64>> {
        let mut parts = self.parts.to_vec();
        let (point, direction) = parts[which];
        parts[which] = (point + shift, nalgebra::UnitQuaternion::from_scaled_axis(*turn) * direction);
        let change = self.frame.inverse() * (self.of)(&parts)?;
        let (by, turned) = (change.translation.vector, change.rotation.scaled_axis());
        let mut figures = vec![by.x, by.y, by.z, turned.x, turned.y, turned.z];
        let (before, after) = ((self.invariants)(self.parts)?, (self.invariants)(&parts)?);
        figures.extend(after.iter().zip(&before).map(|(after, before)| after - before));
        Ok(DVector::from_vec(figures))
    }

    /// The answer of all figures to each of `moves` of a part, a shift (mm) and a turn (rad), per mm or rad: figures by
    /// moves.
    pub fn answers<const N: usize>(&self, which: usize, moves: &[(Vector, Vector); N]) -> Result<DMatrix<f64>> {
        let step = 1e-6;
        let mut columns = Vec::with_capacity(N);
        for (shift, turn) in moves {
            columns.push(self.change(which, &(shift * step), &(turn * step))? / step);
        }
        Ok(DMatrix::from_columns(&columns))
    }

    /// What a part's own covariance adds to that of all figures: by moving it along the axes of its covariance.
    pub fn covariance(&self, which: usize, fit: &Fit) -> Result<DMatrix<f64>> {
        let own = nalgebra::SymmetricEigen::new(fit.uncertainty.motion);
        let figures = OF_FRAME + (self.invariants)(self.parts)?.len();
        let mut covariance = DMatrix::<f64>::zeros(figures, figures);
        for (k, variance) in own.eigenvalues.iter().enumerate().filter(|(_, variance)| **variance > 0.0) {
            let m = own.eigenvectors.column(k) * variance.sqrt();
            let change = self.change(which, &Vector::new(m[0], m[1], m[2]), &Vector::new(m[3], m[4], m[5]))?;
            covariance += &change * change.transpose();
        }
        Ok(covariance)
    }

    /// What an error of a part's place along its `direction`, of this standard deviation, adds: one that residuals do
    /// not show, since all points of the part have it alike.
    pub fn offset(&self, which: usize, direction: &Vector, sigma_mm: f64) -> Result<DMatrix<f64>> {
        let answer = self.answers(which, &[(*direction, Vector::zeros())])? * sigma_mm;
        Ok(&answer * answer.transpose())
    }
}

/// Two directions square to a normal and to each other.
pub fn axes_in(normal: &Vector) -> [Vector; 2] {
    let x = normal.cross(&Vector::ith(normal.iamin(), 1.0)).normalize();
    [x, normal.cross(&x)]
}
