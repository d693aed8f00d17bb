//! Conditions on a pose, one equation each, and the step that meets them.

use nalgebra::{DMatrix, DVector, Matrix6, Vector6};

use crate::alignment::Information;
use geometry::{Point, Pose, Vector, transform};

/// Singular values below this share of the largest count as zero: the motion is left to the pre-alignment.
const MIN_RELATIVE_SINGULAR_VALUE: f64 = 1e-4;

/// A length that the pose shall make zero.
#[derive(Clone, Copy, Debug)]
pub struct Condition {
    /// The length in the current pose, mm.
    pub value_mm: f64,
    /// Where a motion of the part changes it, nominal frame, mm.
    pub point: Point,
    /// Its change per mm that the part moves there.
    pub gradient: Vector,
}

/// The part that the conditions hold: rotations are about `pivot` and count by what they move at `lever_mm`.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Centre of rotation, nominal frame, mm.
    pub pivot: Point,
    /// Half of the part's diagonal, mm.
    pub lever_mm: f64,
}

impl Frame {
    /// The derivatives of the conditions, one row each, by a rotation about the pivot, times the lever, and a
    /// translation.
    fn rows(&self, conditions: &[Condition]) -> DMatrix<f64> {
        let mut rows = DMatrix::zeros(conditions.len(), 6);
        for (i, condition) in conditions.iter().enumerate() {
            let turn = (condition.point - self.pivot).cross(&condition.gradient) / self.lever_mm;
            rows.fixed_view_mut::<1, 3>(i, 0).copy_from(&turn.transpose());
            rows.fixed_view_mut::<1, 3>(i, 3).copy_from(&condition.gradient.transpose());
        }
        rows
    }

    /// The smallest motion that meets the conditions in the least-squares sense: motions that they leave free are not
    /// made. Returns it with the length of the longest displacement on the part, mm.
    pub fn step(&self, conditions: &[Condition]) -> (Pose, f64) {
        let values = DVector::from_fn(conditions.len(), |i, _| -conditions[i].value_mm);
        let svd = self.rows(conditions).svd(true, true);
        let limit = MIN_RELATIVE_SINGULAR_VALUE * svd.singular_values.max();
        let Ok(motion) = svd.solve(&values, limit) else { return (Pose::identity(), 0.0) };
        let turn = Vector::new(motion[0], motion[1], motion[2]);
        let shift = Vector::new(motion[3], motion[4], motion[5]);
        let step = transform::step_about(&self.pivot, turn / self.lever_mm, shift);
        (step, turn.norm() + shift.norm())
    }

    /// Which degrees of freedom the conditions determine.
    pub fn information(&self, conditions: &[Condition]) -> Information {
        let rows = self.rows(conditions);
        let scale = Matrix6::from_diagonal(&Vector6::new(self.lever_mm, self.lever_mm, self.lever_mm, 1.0, 1.0, 1.0));
        let hessian = scale * (rows.transpose() * &rows).fixed_view::<6, 6>(0, 0) * scale;
        Information::with_limit(&hessian, self.pivot, self.lever_mm, MIN_RELATIVE_SINGULAR_VALUE.powi(2))
    }

    /// Longest displacement on the part per error of 1 mm of the conditions; infinite if they leave a motion free.
    pub fn amplification(&self, conditions: &[Condition]) -> f64 {
        // Fewer than six conditions have fewer than six singular values.
        let values = self.rows(conditions).singular_values();
        let is_determined = values.len() == 6 && values.min() > MIN_RELATIVE_SINGULAR_VALUE * values.max();
        if is_determined { 1.0 / values.min() } else { f64::INFINITY }
    }
}
