//! The normal equations of all views together.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector6};

use super::{NEIGHBOURS, Pair, Parameters, View};
use compute::registration::Answer;
use geometry::{Point, Pose};

/// A motion of which the surfaces tell less than this many times what the noise of their normals would is left open.
const TELLS: f64 = 10.0;
/// No surface is known better than this, mm: points without noise would outweigh all that is known of the views.
const LEAST_SCALE_MM: f64 = 1e-3;

/// What the surfaces themselves tell, without what the noise of their normals makes up: on a plane, normals that lean
/// at random by a hundredth seem to tell of slides.
pub(super) fn told_by(answer: &Answer, onto: &View) -> Answer {
    // The slope of a plane through points spread evenly over a disc; the residuals hold the noise of two points.
    let slope_variance = 2.0 * answer.scale_mm.powi(2) / (NEIGHBOURS as f64 * onto.reach_mm.powi(2));
    let least = TELLS * answer.weight * slope_variance;
    // About the middle of that view: seen from afar, a turn would look like much of a slide.
    let lever = onto.lever_mm().max(f64::MIN_POSITIVE);
    let scale = Vector6::new(1.0 / lever, 1.0 / lever, 1.0 / lever, 1.0, 1.0, 1.0);
    let scaled = Matrix6::from_fn(|row, column| answer.hessian[(row, column)] * scale[row] * scale[column]);
    let eigen = nalgebra::SymmetricEigen::new(scaled);
    let right = answer.gradient.component_mul(&scale);
    let (mut hessian, mut gradient) = (Matrix6::zeros(), Vector6::zeros());
    for (value, direction) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > least {
            hessian += *value * direction * direction.transpose();
            gradient += direction * direction.dot(&right);
        }
    }
    let hessian = Matrix6::from_fn(|row, column| hessian[(row, column)] / (scale[row] * scale[column]));
    Answer { hessian, gradient: gradient.component_div(&scale), ..*answer }
}

/// The normal equations of all views together: turn about the pivot (rad) and shift (mm) of each.
pub(super) struct Normal {
    pivot: Point,
    matrix: DMatrix<f64>,
    right: DVector<f64>,
}

impl Normal {
    pub fn new(views: usize, pivot: Point) -> Self {
        Self { pivot, matrix: DMatrix::zeros(6 * views, 6 * views), right: DVector::zeros(6 * views) }
    }

    /// What two views tell of each other: residuals change by the step of one less that of the other. The answer is
    /// about `about`, in the given frame of the view looked on, which has moved by `onto` since.
    pub fn add_pair(&mut self, pair: &Pair<'_>, answer: &Answer, onto: &Pose, about: &Point) {
        let turn: Matrix3<f64> = *onto.rotation.to_rotation_matrix().matrix();
        let mut turns = Matrix6::zeros();
        turns.fixed_view_mut::<3, 3>(0, 0).copy_from(&turn);
        turns.fixed_view_mut::<3, 3>(3, 3).copy_from(&turn);
        let carry = self.at(&(onto * about)).transpose() * turns;
        // Both ways are looked at, so that each tells half.
        let weight = 0.5 / answer.scale_mm.max(LEAST_SCALE_MM).powi(2);
        let (hessian, gradient) =
            (carry * answer.hessian * carry.transpose() * weight, carry * answer.gradient * weight);
        for (row, sign_of_row) in [(pair.of, 1.0), (pair.onto, -1.0)] {
            for (column, sign) in [(pair.of, 1.0), (pair.onto, -1.0)] {
                let mut block = self.matrix.fixed_view_mut::<6, 6>(6 * row, 6 * column);
                block += hessian * (sign * sign_of_row);
            }
            let mut right = self.right.fixed_rows_mut::<6>(6 * row);
            right -= gradient * sign_of_row;
        }
    }

    /// How a turn about the pivot and a shift turn and shift what is at `place`.
    fn at(&self, place: &Point) -> Matrix6<f64> {
        let mut jacobian = Matrix6::identity();
        jacobian.fixed_view_mut::<3, 3>(3, 0).copy_from(&-(place - self.pivot).cross_matrix());
        jacobian
    }

    /// What is known of a view's place from before.
    pub fn add_given(&mut self, number: usize, own: &Pose, middle: &Point, parameters: &Parameters) {
        let jacobian = self.at(&(own * middle));
        let (turned, shifted) = (own.rotation.scaled_axis(), own * middle - middle);
        let off = Vector6::new(turned.x, turned.y, turned.z, shifted.x, shifted.y, shifted.z);
        let (turn, shift) = (parameters.turn_sigma_deg.to_radians().powi(-2), parameters.shift_sigma_mm.powi(-2));
        let weights = Matrix6::from_diagonal(&Vector6::new(turn, turn, turn, shift, shift, shift));
        let mut block = self.matrix.fixed_view_mut::<6, 6>(6 * number, 6 * number);
        block += jacobian.transpose() * weights * jacobian;
        let mut right = self.right.fixed_rows_mut::<6>(6 * number);
        right -= jacobian.transpose() * weights * off;
    }

    pub fn solve(self) -> Option<DVector<f64>> {
        Some(self.matrix.cholesky()?.solve(&self.right))
    }
}
