//! Axis-aligned boxes.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Point, Vector};

/// An axis-aligned box; empty when a minimum exceeds its maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Lowest corner, mm.
    pub min: Point,
    /// Highest corner, mm.
    pub max: Point,
}

impl Aabb {
    /// The box that holds nothing.
    pub const EMPTY: Self = Self {
        min: Point::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// The smallest box around the finite ones of `points`.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        points.into_iter().fold(Self::EMPTY, |aabb, point| aabb.with(point))
    }

    /// As [`Self::of_points`], on all cores.
    pub fn of_many(points: &[Point]) -> Self {
        points.par_chunks(1 << 15).map(Self::of_points).reduce(|| Self::EMPTY, |a, b| a.union(&b))
    }

    /// This box grown to hold `point`.
    #[inline]
    pub fn with(self, point: &Point) -> Self {
        Self { min: self.min.inf(point), max: self.max.sup(point) }
    }

    /// The smallest box around both.
    pub fn union(self, other: &Self) -> Self {
        Self { min: self.min.inf(&other.min), max: self.max.sup(&other.max) }
    }

    /// Whether `point` lies in it, borders included.
    pub fn contains(&self, point: &Point) -> bool {
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Whether both have some place in common.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether it holds no point at all.
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Middle of the box; the origin when empty.
    pub fn centre(&self) -> Point {
        if self.is_empty() { Point::origin() } else { nalgebra::center(&self.min, &self.max) }
    }

    /// Edge lengths, mm; zero when empty.
    pub fn size(&self) -> Vector {
        if self.is_empty() { Vector::zeros() } else { self.max - self.min }
    }

    /// Length of the space diagonal, mm.
    pub fn diagonal(&self) -> f64 {
        self.size().norm()
    }

    /// The eight corners.
    pub fn corners(&self) -> [Point; 8] {
        std::array::from_fn(|i| {
            let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
            Point::new(
                pick(1, self.min.x, self.max.x),
                pick(2, self.min.y, self.max.y),
                pick(4, self.min.z, self.max.z),
            )
        })
    }

    /// This box grown by `margin_mm` on every side.
    pub fn grown(self, margin_mm: f64) -> Self {
        let margin = Vector::repeat(margin_mm);
        Self { min: self.min - margin, max: self.max + margin }
    }
}
