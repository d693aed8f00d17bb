//! The points of a fit in an order that depends on their coordinates alone.

use super::Fit;
use geometry::{Point, draw};

/// Points and weights in their drawn order ([`geometry::draw`]), so that a fit is the same to the last bit in whatever
/// order they were given.
pub struct Drawn {
    /// Points, mm.
    pub points: Vec<Point>,
    /// A weight for each.
    pub weights: Vec<f64>,
    /// The index of each among the points as given.
    order: Vec<u32>,
}

impl Drawn {
    /// `weights`: one per point, or empty if all are one.
    pub fn new(points: &[Point], weights: &[f64]) -> Self {
        let weight = |index: usize| weights.get(index).copied().unwrap_or(1.0);
        let order = draw::order_by(points, |index| weight(index).to_bits());
        Self {
            points: order.iter().map(|&index| points[index as usize]).collect(),
            weights: order.iter().map(|&index| weight(index as usize)).collect(),
            order,
        }
    }

    /// Indices among the points as given, ascending, from those in the drawn order.
    pub fn indices(&self, drawn: &[u32]) -> Vec<u32> {
        let mut indices: Vec<u32> = drawn.iter().map(|&index| self.order[index as usize]).collect();
        indices.sort_unstable();
        indices
    }

    /// Values, one per point, in the order as given.
    pub fn values(&self, drawn: &[f64]) -> Vec<f64> {
        let mut values = vec![0.0; drawn.len()];
        for (&index, &value) in self.order.iter().zip(drawn) {
            values[index as usize] = value;
        }
        values
    }

    /// A fit to the drawn points as one to the points as given.
    pub fn back(&self, fit: Fit) -> Fit {
        let zone = fit.zone.map(|mut zone| {
            zone.contacts = self.indices(&zone.contacts);
            zone
        });
        Fit { residuals_mm: self.values(&fit.residuals_mm), dropped: self.indices(&fit.dropped), zone, ..fit }
    }
}
