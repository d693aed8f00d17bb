//! Newton's method on the points that hold a zone: to where they are equally far, and pull the surface nowhere.

use nalgebra::{DMatrix, DVector};

use super::super::super::model::Model;
use super::super::super::newton;
use super::super::{HOLDS, ROUNDING};
use super::descent::{Contact, Here, Task, WIDEST};
use geometry::Point;

/// Steps at the end.
const LAST_STEPS: usize = 12;
/// Squares of slopes below this leave a step open.
const OPEN: f64 = 1e-16;

impl Task {
    /// Newton's steps on the contacts alone, while they shrink: the greatest distance cannot show these last digits.
    pub fn polished(&self, mut here: Here, pool: &[Point], mut contacts: Vec<Contact>) -> Here {
        let mut last = f64::INFINITY;
        for _ in 0..LAST_STEPS {
            let scales = here.scales(self.free);
            let Some((next, held, size)) = self.newton_step(&here, pool, &contacts, &scales, -ROUNDING) else { break };
            if size >= 0.5 * last {
                break;
            }
            (here, contacts, last) = (next, held, size);
        }
        here
    }

    /// Newton's steps that gain at least `gain`: where they lead to, what holds it then, and their size. Contacts that
    /// would pull are left out, and points that are in the way join them.
    pub fn newton_step(
        &self,
        here: &Here,
        pool: &[Point],
        contacts: &[Contact],
        scales: &[f64],
        gain: f64,
    ) -> Option<(Here, Vec<Contact>, f64)> {
        let mut contacts = contacts.to_vec();
        for _ in 0..2 * self.free {
            let (step, size) = self.balance(here, pool, &mut contacts, scales)?;
            let least = contacts.iter().enumerate().min_by(|a, b| a.1.share.total_cmp(&b.1.share));
            if let Some((number, _)) = least.filter(|least| least.1.share < -HOLDS) {
                contacts.remove(number);
                continue;
            }
            if size > WIDEST {
                return None;
            }
            let mut there = self.at(&here.model.stepped(&step), pool);
            // Where the surface is curved, it is the second step that brings the contacts level (Maratos 1978).
            if there.half > here.half - gain
                && let Some((step, _)) = self.balance(&there, pool, &mut contacts, scales)
            {
                there = self.at(&there.model.stepped(&step), pool);
            }
            if there.half <= here.half - gain {
                return Some((there, contacts, size));
            }
            let all = there.rows.iter().enumerate().flat_map(|(i, row)| self.sides.iter().map(move |s| (i, *s, row.0)));
            let (number, side, _) = all.max_by(|a, b| (a.1 * a.2).total_cmp(&(b.1 * b.2)))?;
            if contacts.iter().any(|contact| contact.number == number && contact.side == side) {
                return None;
            }
            contacts.push(Contact { number, side, share: 0.0 });
        }
        None
    }

    /// The step to where the contacts are equally far and in balance, and its size; their shares become those. `None`
    /// where that is not a least of theirs.
    fn balance(
        &self,
        here: &Here,
        pool: &[Point],
        contacts: &mut [Contact],
        scales: &[f64],
    ) -> Option<(Vec<f64>, f64)> {
        let (free, count) = (self.free, contacts.len());
        let slopes = self.slopes(here, contacts, scales);
        let curvature = self.curvature(&here.model, pool, contacts, scales);
        if count == 0 || count > free + 1 || !is_convex_across(&slopes, &curvature) {
            return None;
        }
        // Unknown are the step, the half width and the shares.
        let size = free + 1 + count;
        let (mut matrix, mut right) = (DMatrix::zeros(size, size), DVector::zeros(size));
        matrix.view_mut((0, 0), (free, free)).copy_from(&curvature);
        matrix.view_mut((0, free + 1), (free, count)).copy_from(&slopes.transpose());
        matrix.view_mut((free + 1, 0), (count, free)).copy_from(&slopes);
        for (i, contact) in contacts.iter().enumerate() {
            matrix[(free, free + 1 + i)] = -1.0;
            matrix[(free + 1 + i, free)] = -1.0;
            right[free + 1 + i] = here.half - contact.side * here.rows[contact.number].0;
        }
        right[free] = -1.0;
        let solution = matrix.full_piv_lu().solve(&right)?;
        if !solution.iter().all(|by| by.is_finite()) {
            return None;
        }
        contacts.iter_mut().enumerate().for_each(|(i, contact)| contact.share = solution[free + 1 + i]);
        let step = (0..free).map(|j| solution[j] * scales[j]).collect();
        Some((step, solution.rows(0, free).amax()))
    }

    /// Derivatives of the contacts' signed distances by the scaled parameters, a row for each.
    pub fn slopes(&self, here: &Here, contacts: &[Contact], scales: &[f64]) -> DMatrix<f64> {
        DMatrix::from_fn(contacts.len(), self.free, |i, j| {
            contacts[i].side * here.rows[contacts[i].number].1[j] * scales[j]
        })
    }

    /// Second derivatives of the contacts' signed distances by the scaled parameters, by their shares.
    pub fn curvature(&self, model: &Model, pool: &[Point], contacts: &[Contact], scales: &[f64]) -> DMatrix<f64> {
        let mut sum = DMatrix::zeros(self.free, self.free);
        for contact in contacts {
            let own = newton::curvature(model, &pool[contact.number]);
            let signed = contact.side * contact.share;
            sum += DMatrix::from_fn(self.free, self.free, |j, k| signed * own[(j, k)] * scales[j] * scales[k]);
        }
        sum
    }
}

/// Whether the curvature is positive along all steps that keep the contacts equally far.
pub fn is_convex_across(slopes: &DMatrix<f64>, curvature: &DMatrix<f64>) -> bool {
    let free = slopes.ncols();
    let differences = DMatrix::from_fn(free.max(slopes.nrows()), free, |i, j| {
        if i + 1 < slopes.nrows() { slopes[(i + 1, j)] - slopes[(0, j)] } else { 0.0 }
    });
    let eigen = nalgebra::SymmetricEigen::new(differences.transpose() * &differences);
    let open: Vec<usize> = (0..free).filter(|&j| eigen.eigenvalues[j] < OPEN).collect();
    if open.is_empty() {
        return true;
    }
    let across = DMatrix::from_fn(free, open.len(), |i, j| eigen.eigenvectors[(i, open[j])]);
    let bent = across.transpose() * curvature * across;
    nalgebra::SymmetricEigen::new(bent).eigenvalues.iter().all(|value| *value > HOLDS)
}
