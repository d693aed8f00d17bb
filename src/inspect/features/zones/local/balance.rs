//! Newton's method on the contacts of a zone: to where they are equidistant and in equilibrium.

use nalgebra::{DMatrix, DVector};

use super::super::{MIN_MULTIPLIER, ROUNDING};
use super::descent::{Contact, Evaluation, MAX_TRUST, MinimaxTask};
use crate::features::fits::model::Model;
use crate::features::fits::newton;
use geometry::Point;

/// Maximum number of final iterations.
const MAX_FINAL_ITERATIONS: usize = 12;
/// Minimum squared slope; below it a direction is not constrained by the contacts.
const MIN_SQUARED_SLOPE: f64 = 1e-16;

impl MinimaxTask {
    /// Newton iterations on the contacts alone, as long as the steps shrink: the last digits do not show in the maximum
    /// distance.
    pub fn polished(&self, mut current: Evaluation, pool: &[Point], mut contacts: Vec<Contact>) -> Evaluation {
        let mut last = f64::INFINITY;
        for _ in 0..MAX_FINAL_ITERATIONS {
            let scales = current.scales(self.free);
            let Some((next, next_contacts, size)) = self.newton_step(&current, pool, &contacts, &scales, -ROUNDING)
            else {
                break;
            };
            if size >= 0.5 * last {
                break;
            }
            (current, contacts, last) = (next, next_contacts, size);
        }
        current
    }

    /// Newton step that decreases the maximum distance by at least `gain`: the new state, its contacts, and the size of
    /// the step. Contacts with negative multipliers are removed, and points that prevent a decrease are added.
    pub fn newton_step(
        &self,
        current: &Evaluation,
        pool: &[Point],
        contacts: &[Contact],
        scales: &[f64],
        gain: f64,
    ) -> Option<(Evaluation, Vec<Contact>, f64)> {
        let mut contacts = contacts.to_vec();
        for _ in 0..2 * self.free {
            let (step, size) = self.kkt_step(current, pool, &mut contacts, scales)?;
            let lowest = contacts.iter().enumerate().min_by(|a, b| a.1.multiplier.total_cmp(&b.1.multiplier));
            if let Some((index, _)) = lowest.filter(|lowest| lowest.1.multiplier < -MIN_MULTIPLIER) {
                contacts.remove(index);
                continue;
            }
            if size > MAX_TRUST {
                return None;
            }
            let mut next_state = self.at(&current.model.stepped(&step), pool);
            // For curved surfaces a second-order correction keeps the contacts equidistant (Maratos 1978).
            if next_state.half > current.half - gain
                && let Some((step, _)) = self.kkt_step(&next_state, pool, &mut contacts, scales)
            {
                next_state = self.at(&next_state.model.stepped(&step), pool);
            }
            if next_state.half <= current.half - gain {
                return Some((next_state, contacts, size));
            }
            let all =
                next_state.rows.iter().enumerate().flat_map(|(i, row)| self.sides.iter().map(move |s| (i, *s, row.0)));
            let (index, side, _) = all.max_by(|a, b| (a.1 * a.2).total_cmp(&(b.1 * b.2)))?;
            if contacts.iter().any(|contact| contact.index == index && contact.side == side) {
                return None;
            }
            contacts.push(Contact { index, side, multiplier: 0.0 });
        }
        None
    }

    /// The step to where the contacts are equidistant and in equilibrium, and its size; sets their multipliers. `None`
    /// if that is not a minimum.
    fn kkt_step(
        &self,
        current: &Evaluation,
        pool: &[Point],
        contacts: &mut [Contact],
        scales: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let (free, count) = (self.free, contacts.len());
        let slopes = self.slopes(current, contacts, scales);
        let curvature = self.curvature(&current.model, pool, contacts, scales);
        if count == 0 || count > free + 1 || !is_convex_along_contacts(&slopes, &curvature) {
            return None;
        }
        // The unknowns are the step, the half width and the multipliers.
        let size = free + 1 + count;
        let (mut matrix, mut right) = (DMatrix::zeros(size, size), DVector::zeros(size));
        matrix.view_mut((0, 0), (free, free)).copy_from(&curvature);
        matrix.view_mut((0, free + 1), (free, count)).copy_from(&slopes.transpose());
        matrix.view_mut((free + 1, 0), (count, free)).copy_from(&slopes);
        for (i, contact) in contacts.iter().enumerate() {
            matrix[(free, free + 1 + i)] = -1.0;
            matrix[(free + 1 + i, free)] = -1.0;
            right[free + 1 + i] = current.half - contact.side * current.rows[contact.index].0;
        }
        right[free] = -1.0;
        let solution = matrix.full_piv_lu().solve(&right)?;
        if !solution.iter().all(|by| by.is_finite()) {
            return None;
        }
        contacts.iter_mut().enumerate().for_each(|(i, contact)| contact.multiplier = solution[free + 1 + i]);
        let step = (0..free).map(|j| solution[j] * scales[j]).collect();
        Some((step, solution.rows(0, free).amax()))
    }

    /// Derivatives of the contacts' signed distances by the scaled parameters, one row per contact.
    pub fn slopes(&self, current: &Evaluation, contacts: &[Contact], scales: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(contacts.len(), self.free, |i, j| {
            contacts[i].side * current.rows[contacts[i].index].1[j] * scales[j]
        })
    }

    /// Second derivatives of the contacts' signed distances by the scaled parameters, summed with their multipliers.
    pub fn curvature(&self, model: &Model, pool: &[Point], contacts: &[Contact], scales: &[f64]) -> DMatrix<f64> {
        let mut sum = DMatrix::zeros(self.free, self.free);
        for contact in contacts {
            let own = newton::curvature(model, &pool[contact.index]);
            let signed = contact.side * contact.multiplier;
            sum += DMatrix::from_fn(self.free, self.free, |j, k| signed * own[(j, k)] * scales[j] * scales[k]);
        }
        sum
    }
}

/// Whether the curvature is positive in all directions that keep the contacts equidistant.
pub fn is_convex_along_contacts(slopes: &DMatrix<f64>, curvature: &DMatrix<f64>) -> bool {
    let free = slopes.ncols();
    let differences = DMatrix::from_fn(free.max(slopes.nrows()), free, |i, j| {
        if i + 1 < slopes.nrows() { slopes[(i + 1, j)] - slopes[(0, j)] } else { 0.0 }
    });
    let eigen = nalgebra::SymmetricEigen::new(differences.transpose() * &differences);
    let unconstrained: Vec<usize> = (0..free).filter(|&j| eigen.eigenvalues[j] < MIN_SQUARED_SLOPE).collect();
    if unconstrained.is_empty() {
        return true;
    }
    let tangent_basis = DMatrix::from_fn(free, unconstrained.len(), |i, j| eigen.eigenvectors[(i, unconstrained[j])]);
    let projected = tangent_basis.transpose() * curvature * tangent_basis;
    nalgebra::SymmetricEigen::new(projected).eigenvalues.iter().all(|value| *value > MIN_MULTIPLIER)
}
