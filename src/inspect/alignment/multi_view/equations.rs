//! The joint normal equations of all views.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector6};

use super::{NORMAL_NEIGHBOURS, Pair, Parameters, View};
use compute::registration::Answer;
use geometry::{Point, Pose};

/// Minimum ratio of a motion's eigenvalue to the one that noise of the normals alone would give; weaker motions count
/// as undetermined.
const MIN_SIGNAL_TO_NOISE: f64 = 10.0;
/// Lower bound of the residual scale, mm: noise-free points would outweigh the given poses entirely.
const MIN_SCALE_MM: f64 = 1e-3;

/// The part of `answer` that the surfaces really determine. Noise of the normals feigns information: on a plane,
/// normals that tilt at random by a hundredth seem to determine sliding.
pub(super) fn determined_part(answer: &Answer, target: &View) -> Answer {
    // Slope of a plane fitted to points spread evenly over a disc; residuals contain the noise of two points.
    let slope_variance = 2.0 * answer.scale_mm.powi(2) / (NORMAL_NEIGHBOURS as f64 * target.reach_mm.powi(2));
    let threshold = MIN_SIGNAL_TO_NOISE * answer.weight * slope_variance;
    // About the centre of the target: about a distant point, a rotation would include much translation.
    let lever = target.lever_mm().max(f64::MIN_POSITIVE);
    let scale = Vector6::new(1.0 / lever, 1.0 / lever, 1.0 / lever, 1.0, 1.0, 1.0);
    let scaled = Matrix6::from_fn(|row, column| answer.hessian[(row, column)] * scale[row] * scale[column]);
    let eigen = nalgebra::SymmetricEigen::new(scaled);
    let rhs = answer.gradient.component_mul(&scale);
    let (mut hessian, mut gradient) = (Matrix6::zeros(), Vector6::zeros());
    for (value, direction) in eigen.eigenvalues.iter().zip(eigen.eigenvectors.column_iter()) {
        if *value > threshold {
            hessian += *value * direction * direction.transpose();
            gradient += direction * direction.dot(&rhs);
        }
    }
    let hessian = Matrix6::from_fn(|row, column| hessian[(row, column)] / (scale[row] * scale[column]));
    Answer { hessian, gradient: gradient.component_div(&scale), ..*answer }
}

/// The joint normal equations of all views. Unknowns per view: rotation about the pivot (rad), translation (mm).
pub(super) struct NormalEquations {
    pivot: Point,
    matrix: DMatrix<f64>,
    rhs: DVector<f64>,
}

impl NormalEquations {
    pub fn new(views: usize, pivot: Point) -> Self {
        Self { pivot, matrix: DMatrix::zeros(6 * views, 6 * views), rhs: DVector::zeros(6 * views) }
    }

    /// Adds the residuals of a pair of views: they change with the step of the source minus that of the target.
    /// `answer` has its rotations about `centre`, in the given frame of the target, which has moved by `target_move`
    /// since.
    pub fn add_pair(&mut self, pair: &Pair<'_>, answer: &Answer, target_move: &Pose, centre: &Point) {
        let rotation: Matrix3<f64> = *target_move.rotation.to_rotation_matrix().matrix();
        let mut rotations = Matrix6::zeros();
        rotations.fixed_view_mut::<3, 3>(0, 0).copy_from(&rotation);
        rotations.fixed_view_mut::<3, 3>(3, 3).copy_from(&rotation);
        let carry = self.jacobian_at(&(target_move * centre)).transpose() * rotations;
        // Each pair is compared in both directions, so each direction counts half.
        let weight = 0.5 / answer.scale_mm.max(MIN_SCALE_MM).powi(2);
        let (hessian, gradient) =
            (carry * answer.hessian * carry.transpose() * weight, carry * answer.gradient * weight);
        for (row, sign_of_row) in [(pair.source, 1.0), (pair.target, -1.0)] {
            for (column, sign) in [(pair.source, 1.0), (pair.target, -1.0)] {
                let mut block = self.matrix.fixed_view_mut::<6, 6>(6 * row, 6 * column);
                block += hessian * (sign * sign_of_row);
            }
            let mut rhs = self.rhs.fixed_rows_mut::<6>(6 * row);
            rhs -= gradient * sign_of_row;
        }
    }

    /// Jacobian of the rotation and displacement at `point` with respect to a step about the pivot.
    fn jacobian_at(&self, point: &Point) -> Matrix6<f64> {
        let mut jacobian = Matrix6::identity();
        jacobian.fixed_view_mut::<3, 3>(3, 0).copy_from(&-(point - self.pivot).cross_matrix());
        jacobian
    }

    /// Adds the given pose of view `index` as an observation; `own` is its correction so far, `centre` its centre as
    /// given.
    pub fn add_given_pose(&mut self, index: usize, own: &Pose, centre: &Point, parameters: &Parameters) {
        let jacobian = self.jacobian_at(&(own * centre));
        let (rotation, shift) = (own.rotation.scaled_axis(), own * centre - centre);
        let correction = Vector6::new(rotation.x, rotation.y, rotation.z, shift.x, shift.y, shift.z);
        let (turn, shift) = (parameters.turn_sigma_deg.to_radians().powi(-2), parameters.shift_sigma_mm.powi(-2));
        let weights = Matrix6::from_diagonal(&Vector6::new(turn, turn, turn, shift, shift, shift));
        let mut block = self.matrix.fixed_view_mut::<6, 6>(6 * index, 6 * index);
        block += jacobian.transpose() * weights * jacobian;
        let mut rhs = self.rhs.fixed_rows_mut::<6>(6 * index);
        rhs -= jacobian.transpose() * weights * correction;
    }

    /// The steps of all views; `None` if the matrix is not numerically positive definite.
    pub fn solve(self) -> Option<DVector<f64>> {
        Some(self.matrix.cholesky()?.solve(&self.rhs))
    }
}
