//! Axis-aligned boxes.

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::{Point, Vector};

/// An axis-aligned bounding box; empty if a minimum exceeds its maximum.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Aabb {
    /// Minimum corner, mm.
    pub min: Point,
    /// Maximum corner, mm.
    pub max: Point,
}

impl Aabb {
    /// The empty box, neutral for [`Self::union`].
    pub const EMPTY: Self = Self {
        min: Point::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        max: Point::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Bounding box of `points`, which must not contain NaN.
    pub fn of_points<'a>(points: impl IntoIterator<Item = &'a Point>) -> Self {
        points.into_iter().fold(Self::EMPTY, |aabb, point| aabb.with(point))
    }

    /// As [`Self::of_points`], computed in parallel.
    pub fn of_points_parallel(points: &[Point]) -> Self {
        points.par_chunks(1 << 15).map(Self::of_points).reduce(|| Self::EMPTY, |a, b| a.union(&b))
    }

    /// This box enlarged to contain `point`; a coordinate that is NaN changes nothing.
    #[inline]
    pub fn with(self, point: &Point) -> Self {
        Self { min: smaller(&self.min, point), max: larger(&self.max, point) }
    }

    /// Bounding box of both boxes.
    pub fn union(self, other: &Self) -> Self {
        Self { min: smaller(&self.min, &other.min), max: larger(&self.max, &other.max) }
    }

    /// Whether `point` lies in the box, boundary included.
    pub fn contains(&self, point: &Point) -> bool {
        (0..3).all(|axis| self.min[axis] <= point[axis] && point[axis] <= self.max[axis])
    }

    /// Whether the boxes have a point in common, boundaries included.
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|k| self.min[k] <= other.max[k] && other.min[k] <= self.max[k])
    }

    /// Whether the box contains no point. Also true if a bound is NaN.
    pub fn is_empty(&self) -> bool {
        !(self.min.x <= self.max.x && self.min.y <= self.max.y && self.min.z <= self.max.z)
    }

    /// Centre of the box; the origin if empty.
    pub fn centre(&self) -> Point {
        if self.is_empty() { Point::origin() } else { nalgebra::center(&self.min, &self.max) }
    }

    /// Edge lengths, mm; zero if empty.
    pub fn size(&self) -> Vector {
        if self.is_empty() { Vector::zeros() } else { self.max - self.min }
    }

    /// Length of the space diagonal, mm; zero if empty.
    pub fn diagonal(&self) -> f64 {
        self.size().norm()
    }

    /// The eight corners; bits 0, 1, 2 of the index select the maximum in x, y, z.
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

    /// This box enlarged by `margin_mm` on every side.
    pub fn grown(self, margin_mm: f64) -> Self {
        let margin = Vector::repeat(margin_mm);
        Self { min: self.min - margin, max: self.max + margin }
    }
}

/// The smaller coordinates of both; those of `one` where the other's are NaN.
#[inline]
fn smaller(one: &Point, other: &Point) -> Point {
    let choose = |one: f64, other: f64| if other < one { other } else { one };
    Point::new(choose(one.x, other.x), choose(one.y, other.y), choose(one.z, other.z))
}

/// The larger coordinates of both; those of `one` where the other's are NaN.
#[inline]
fn larger(one: &Point, other: &Point) -> Point {
    let choose = |one: f64, other: f64| if other > one { other } else { one };
    Point::new(choose(one.x, other.x), choose(one.y, other.y), choose(one.z, other.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nan_takes_nothing_from_the_box() {
        let nan = Point::new(f64::NAN, f64::NAN, 7.0);
        let points = [Point::new(1.0, 2.0, 3.0), nan, Point::new(4.0, 5.0, 6.0)];
        let aabb = Aabb::of_points(&points);
        assert_eq!((aabb.min, aabb.max), (Point::new(1.0, 2.0, 3.0), Point::new(4.0, 5.0, 7.0)));
    }
}
