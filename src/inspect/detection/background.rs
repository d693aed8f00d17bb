//! Planes on which parts lie or between which they stand: the floor of a bin, a table, a wall.

use std::collections::BTreeMap;

use nalgebra::{Matrix3, SymmetricEigen};
use rayon::prelude::*;

use base::random::Random;
use geometry::point_pairs::OrientedPoint;
use geometry::{Aabb, Point, Vector, transform};

/// Planes that are tried, each through a point with its normal, and points that judge them.
const TRIALS: usize = 400;
const JUDGES: usize = 4_000;
/// Most planes that are removed.
const MAX_PLANES: usize = 4;
/// Least share of the points that are left on a plane.
const MIN_SHARE: f64 = 0.08;
/// A plane is wider than the largest part by this factor.
const MIN_WIDTH: f64 = 1.3;
/// Least cosine between the normals of a plane and of a point on it.
const MIN_COSINE: f64 = 0.9;
/// Cells by which patches are connected, in spacings.
const CELL: f64 = 3.0;

/// Whether each point lies on a plane wider than `part_mm`, the size of the largest part.
pub fn on_planes(points: &[OrientedPoint], spacing_mm: f64, part_mm: f64) -> Vec<bool> {
    let mut is_on = vec![false; points.len()];
    for number in 0..MAX_PLANES {
        let left: Vec<u32> = (0..points.len() as u32).filter(|&index| !is_on[index as usize]).collect();
        let Some(plane) = widest(points, &left, spacing_mm, number as u64) else { break };
        let own: Vec<u32> = left.iter().copied().filter(|&index| plane.holds(&points[index as usize])).collect();
        if (own.len() as f64) < MIN_SHARE * left.len() as f64 {
            break;
        }
        let wide = plane.wide_patches(points, &own, spacing_mm, MIN_WIDTH * part_mm);
        if wide.is_empty() {
            break;
        }
        wide.into_iter().for_each(|index| is_on[index as usize] = true);
    }
    is_on
}

#[derive(Clone, Copy)]
struct Plane {
    point: Point,
    normal: Vector,
    tolerance_mm: f64,
}

impl Plane {
    fn holds(&self, own: &OrientedPoint) -> bool {
        self.distance_mm(own).abs() < self.tolerance_mm && own.normal.dot(&self.normal).abs() > MIN_COSINE
    }

    fn distance_mm(&self, own: &OrientedPoint) -> f64 {
        (own.point - self.point).dot(&self.normal)
    }

    /// Of some points on it, those of connected patches that are wider than `width_mm`: parts that lie side by side share
    /// planes, too, but do not cover them.
    fn wide_patches(&self, points: &[OrientedPoint], own: &[u32], spacing_mm: f64, width_mm: f64) -> Vec<u32> {
        let axes = transform::perpendicular_axes(&self.normal);
        let cell_mm = CELL * spacing_mm;
        let mut cells: BTreeMap<[i64; 2], Vec<u32>> = BTreeMap::new();
        for &index in own {
            let away = points[index as usize].point - self.point;
            cells.entry(axes.map(|axis| (away.dot(&axis) / cell_mm).floor() as i64)).or_default().push(index);
        }
        let mut wide = Vec::new();
        while let Some((start, first)) = cells.pop_first() {
            let (mut patch, mut pending) = (first, vec![start]);
            let (mut low, mut high) = (start, start);
            while let Some([x, y]) = pending.pop() {
                (low, high) = ([low[0].min(x), low[1].min(y)], [high[0].max(x), high[1].max(y)]);
                for next in [[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]] {
                    if let Some(more) = cells.remove(&next) {
                        patch.extend(more);
                        pending.push(next);
                    }
                }
            }
            let widest = (high[0] - low[0] + 1).max(high[1] - low[1] + 1) as f64 * cell_mm;
            if widest > width_mm {
                wide.extend(patch);
            }
        }
        wide
    }
}

/// The plane that most of some points lie on.
fn widest(points: &[OrientedPoint], left: &[u32], spacing_mm: f64, stream: u64) -> Option<Plane> {
    if left.len() < 50 {
        return None;
    }
    let mut random = Random::new(17, stream);
    let coarse_mm = spacing_mm;
    let step = (left.len() / JUDGES).max(1);
    let judges: Vec<OrientedPoint> = left.iter().step_by(step).map(|&index| points[index as usize]).collect();
    let trials: Vec<Plane> = (0..TRIALS)
        .map(|_| points[left[random.index(left.len())] as usize])
        .map(|own| Plane { point: own.point, normal: own.normal, tolerance_mm: coarse_mm })
        .collect();
    let counts: Vec<usize> =
        trials.par_iter().map(|plane| judges.iter().filter(|own| plane.holds(own)).count()).collect();
    let best = (0..TRIALS).max_by_key(|&index| (counts[index], TRIALS - index))?;
    let mut plane = trials[best];
    for round in 0..4 {
        let on: Vec<&OrientedPoint> = judges.iter().filter(|own| plane.holds(own)).collect();
        if on.len() < 10 {
            return None;
        }
        let centre = Point::from(on.iter().map(|own| own.point.coords).sum::<Vector>() / on.len() as f64);
        let scatter = on.iter().fold(Matrix3::zeros(), |sum, own| {
            let away = own.point - centre;
            sum + away * away.transpose()
        });
        let eigen = SymmetricEigen::new(scatter);
        let normal = eigen.eigenvectors.column(eigen.eigenvalues.imin()).into_owned();
        plane = Plane { point: centre, normal, ..plane };
        if round == 2 {
            // Noise decides how near the plane is near enough.
            let mut residuals: Vec<f64> = on.iter().map(|own| plane.distance_mm(own).abs()).collect();
            residuals.sort_by(f64::total_cmp);
            let median = residuals.get(residuals.len() / 2).copied().unwrap_or_default();
            plane.tolerance_mm = (6.0 * median).clamp(0.05 * spacing_mm, coarse_mm);
        }
    }
    let is_finite = Aabb::of_points(&[plane.point]).diagonal().is_finite();
    is_finite.then_some(plane)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floor_is_removed_and_a_plate_on_it_is_not() {
        let mut random = Random::new(1, 0);
        let mut points = Vec::new();
        let mut draw = |low: [f64; 2], high: [f64; 2], height: f64, count: usize| {
            for _ in 0..count {
                let at = |axis: usize, random: &mut Random| random.range(low[axis], high[axis]);
                let (x, y) = (at(0, &mut random), at(1, &mut random));
                let noise = 0.05 * random.normal();
                points.push(OrientedPoint { point: Point::new(x, y, height + noise), normal: Vector::z() });
            }
        };
        draw([-200.0, -200.0], [200.0, 200.0], 0.0, 20_000);
        draw([-40.0, -30.0], [40.0, 30.0], 4.0, 4_000);
        draw([60.0, -30.0], [140.0, 30.0], 4.0, 4_000);
        let is_on = on_planes(&points, 2.0, 100.0);
        let count = |range: std::ops::Range<usize>| is_on[range].iter().filter(|own| **own).count();
        assert!(count(0..20_000) > 19_800 && count(20_000..28_000) == 0);
        // With parts as large as the floor, it could be one of them.
        assert!(on_planes(&points, 2.0, 500.0).iter().all(|own| !own));
    }
}
