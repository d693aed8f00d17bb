//! Normalisation of points for a fit.

use nalgebra::UnitQuaternion;

use super::Shape;
use geometry::{Point, Pose, Vector};

/// Translation to the centroid and scaling to about unit size, so that a remote origin costs no digits and steps of all
/// parameters are comparable.
pub(crate) struct Normalisation {
    pub(crate) centroid: Vector,
    /// A power of two, so that scaling is exact.
    pub(crate) size_mm: f64,
}

impl Normalisation {
    pub(crate) fn of(points: &[Point], weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        let first = points.first().map_or_else(Vector::zeros, |point| point.coords);
        let sum: Vector = points.iter().zip(weights).map(|(point, weight)| (point.coords - first) * *weight).sum();
        let centroid = first + sum / total;
        let used = points.iter().zip(weights).filter(|(_, weight)| **weight > 0.0);
        let radius = used.map(|(point, _)| (point.coords - centroid).norm()).fold(0.0, f64::max);
        let size_mm = if radius > 0.0 { radius.log2().round().exp2() } else { 1.0 };
        Self { centroid, size_mm }
    }

    pub(crate) fn inward(&self, point: &Point) -> Point {
        Point::from((point.coords - self.centroid) / self.size_mm)
    }

    pub(crate) fn shape_inward(&self, shape: &Shape) -> Shape {
        let to_centroid = Pose::from_parts((-self.centroid).into(), UnitQuaternion::identity());
        shape.moved(&to_centroid).scaled(1.0 / self.size_mm)
    }

    pub(crate) fn shape_outward(&self, shape: &Shape) -> Shape {
        let from_centroid = Pose::from_parts(self.centroid.into(), UnitQuaternion::identity());
        shape.scaled(self.size_mm).moved(&from_centroid)
    }
}
