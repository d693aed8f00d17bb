//! Minima beside that in which a best fit ended. Where few points determine a direction, such as those on the walls of a plate,
//! which of them count as on a wall depends on the pose itself, so that where a fit ends depends on where it began.

use nalgebra::{Matrix6, Vector6};

use super::{Fit, UNDETERMINED};
use base::{Progress, Result};
use compute::registration::{Answer, Robust, TUKEY_CUTOFF};
use geometry::Pose;

/// Directions are searched whose eigenvalue is below this share of the largest.
const WEAK: f64 = 0.05;
/// Offsets to fit anew from, in standard deviations of the pose in that direction.
const OFFSETS_SIGMAS: [f64; 6] = [-30.0, -10.0, -3.0, 3.0, 10.0, 30.0];
/// Steps from each of them; and how many of the best go on, by how many steps.
const STEPS: usize = 2;
const KEPT: usize = 3;
const MORE_STEPS: usize = 4;
/// Most points that minima are compared by.
const MAX_POINTS: usize = 6_000;
/// All are compared at the same scale, which is this much above that of the points, so that it is the scale of each of them.
const SCALE_MARGIN: f64 = 1.1;
/// Points of full weight by which a minimum must be better.
const MIN_GAIN: f64 = 0.01;

impl Fit<'_> {
    /// Moves the pose to the best minimum that a few steps reach from beside it, along the directions that the points determine
    /// weakly; whether there is a better one than where it was. `hessian`: of the points there.
    pub(super) fn leave_for_better_minimum(&mut self, hessian: &Matrix6<f64>, progress: &Progress) -> Result<bool> {
        let is_wanted = self.parameters.leaves_minima && self.parameters.trim <= 0.0;
        if !is_wanted || self.parameters.robust != Robust::Tukey || self.weak_directions(hessian).is_empty() {
            return Ok(false);
        }
        let stride = self.problem.points.points.len().div_ceil(MAX_POINTS).max(1);
        let (pose, floor_mm) = (self.pose, self.scale_floor_mm);
        let here = self.step(stride, progress)?;
        self.scale_floor_mm = SCALE_MARGIN * here.scale_mm;
        let better = self.better_minimum(&here, stride, progress);
        self.scale_floor_mm = floor_mm;
        self.pose = pose;
        let better = better?;
        self.pose = better.unwrap_or(pose);
        Ok(better.is_some())
    }

    /// The directions that the points determine weakly: of 1 mm at the lever, and the standard deviation along them for points
    /// whose errors have one of 1 mm, mm.
    fn weak_directions(&self, hessian: &Matrix6<f64>) -> Vec<(Vector6<f64>, f64)> {
        let (eigen, scale) = self.principal_directions(hessian);
        let largest = eigen.eigenvalues.amax();
        let directions = eigen.eigenvectors.column_iter().zip(&eigen.eigenvalues);
        let weak = directions.filter(|(_, value)| (UNDETERMINED * largest..WEAK * largest).contains(*value));
        weak.map(|(direction, value)| (direction.component_mul(&scale), 1.0 / value.sqrt())).collect()
    }

    /// The best pose beside the present one, which has the answer `here`, if it is better.
    fn better_minimum(&mut self, here: &Answer, stride: usize, progress: &Progress) -> Result<Option<Pose>> {
        let start = self.pose;
        let least = self.gain(stride, progress)? + MIN_GAIN;
        let mut minima = Vec::new();
        for (direction, sigma) in self.weak_directions(&here.hessian) {
            for offset in OFFSETS_SIGMAS {
                let offset_mm = (offset * sigma * self.scale_floor_mm).clamp(-self.gate_mm, self.gate_mm);
                self.pose = start;
                self.move_by(&(direction * offset_mm));
                minima.push(self.descend(STEPS, stride, progress)?);
            }
        }
        minima.sort_by(|a, b| b.0.total_cmp(&a.0));
        minima.truncate(KEPT);
        for (gain, pose) in &mut minima {
            self.pose = *pose;
            (*gain, *pose) = self.descend(MORE_STEPS, stride, progress)?;
        }
        let best = minima.into_iter().max_by(|a, b| a.0.total_cmp(&b.0));
        Ok(best.filter(|(gain, _)| *gain > least).map(|(_, pose)| pose))
    }

    /// Some steps of the fit; the gain and the pose after them.
    fn descend(&mut self, steps: usize, stride: usize, progress: &Progress) -> Result<(f64, Pose)> {
        for _ in 0..steps {
            let answer = self.step(stride, progress)?;
            self.apply(&answer);
        }
        Ok((self.gain(stride, progress)?, self.pose))
    }

    /// The sum of 1 less Tukey's loss over all points, each by its greatest: how many points lie on the nominal. Negative infinity
    /// where they scatter more than the scale.
    fn gain(&mut self, stride: usize, progress: &Progress) -> Result<f64> {
        let answer = self.step(stride, progress)?;
        let cutoff_mm = TUKEY_CUTOFF * answer.scale_mm;
        // With u the squared distance by that of the cut-off, the weight is (1 - u)², and the sum is that of (1 - u)³.
        let gain = answer.weight - answer.weighted_squares / (cutoff_mm * cutoff_mm);
        Ok(if answer.scale_mm > self.scale_floor_mm { f64::NEG_INFINITY } else { gain })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parameters;
    use super::super::tests::fit_of;
    use super::*;
    use base::random::Random;
    use geometry::mesh::shapes;
    use geometry::{Point, Surface, Vector, sampling};

    /// A plate is scanned from above with noise, so that little but its rim tells where it lies. Fits from about there end at one
    /// pose, whatever they start from, and without a look at the minima beside theirs they do not.
    #[test]
    fn where_a_fit_ends_does_not_depend_on_where_it_began() {
        let surface = Surface::new(shapes::cuboid(Point::new(-45.0, -25.0, -10.0), Point::new(45.0, 25.0, 0.0)));
        let spread = |leaves_minima: bool| {
            let mut worst_mm: f64 = 0.0;
            for seed in 1..5 {
                let mut random = Random::new(seed, 0);
                let is_seen =
                    |own: &&sampling::SurfaceSample| own.normal.z > 0.5 || own.normal.x > 0.5 && own.point.z > -4.0;
                let samples = sampling::by_area(surface.mesh(), 8_000, seed);
                let noisy: Vec<Point> = samples
                    .iter()
                    .filter(is_seen)
                    .map(|own| own.point + Vector::from_fn(|_, _| 0.05 * random.normal()))
                    .collect();
                let parameters = Parameters { max_distance_mm: Some(0.3), leaves_minima, ..Parameters::default() };
                let ends: Vec<Vector> = (0..6)
                    .map(|_| {
                        let shift = Vector::new(0.0, random.range(-0.15, 0.15), 0.0);
                        let start = Pose::new(shift, Vector::new(0.0, 0.0, random.range(-2e-3, 2e-3)));
                        fit_of(&noisy, &surface, &start, &parameters).nominal_from_scan.translation.vector
                    })
                    .collect();
                let apart_mm = ends.iter().flat_map(|a| ends.iter().map(move |b| (a - b).norm()));
                worst_mm = apart_mm.fold(worst_mm, f64::max);
            }
            worst_mm
        };
        let (with_mm, without_mm) = (spread(true), spread(false));
        assert!(with_mm < 0.01 && without_mm > 2.0 * with_mm, "{with_mm} {without_mm}");
    }
}
