//! Minimum size of a zone of given direction that contains a set of points.

use super::feature::mean;
use crate::features::element::any_perpendicular;
use crate::features::zones::enclosing;
use geometry::{Point, Vector};

/// Half width of the arc searched for the best rotation of a zone, rad.
const HALF_ARC_RAD: f64 = 0.1;
/// Maximum number of times the arc is moved on while the minimum is at its end.
const MAX_ARCS: usize = 40;
/// Golden section steps per arc: the interval shrinks to below rounding.
const GOLDEN_STEPS: usize = 60;

/// Size of a zone and the point that determines it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Width or diameter, mm.
    pub size_mm: f64,
    /// The point farthest from the centre of the zone.
    pub worst: Point,
}

/// Index and value of the maximum, the first of several; index 0 and -∞ if there are no values.
pub fn max_with_index(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let start = (0, f64::NEG_INFINITY);
    values.enumerate().fold(start, |best, (index, value)| if value > best.1 { (index, value) } else { best })
}

/// Maximum minus minimum of `values`.
pub fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (min, max) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), v| (min.min(v), max.max(v)));
    max - min
}

/// Distance of the two planes perpendicular to `direction` that enclose `points` (at least one).
pub fn along(points: &[Point], direction: &Vector) -> Extent {
    let centre = mean(points);
    let height = |point: &Point| (point - centre).dot(direction);
    let worst = max_with_index(points.iter().map(|point| height(point).abs())).0;
    Extent { size_mm: range(points.iter().map(height)), worst: points[worst] }
}

/// Diameter of the smallest cylinder along `direction` that encloses `points` (at least one).
pub fn across(points: &[Point], direction: &Vector) -> Extent {
    let x = any_perpendicular(direction);
    let y = direction.cross(&x);
    let centre = mean(points);
    let project = |point: &Point| Point::new((point - centre).dot(&x), (point - centre).dot(&y), 0.0);
    let projected: Vec<Point> = points.iter().map(project).collect();
    let circle = enclosing::smallest(&projected);
    let worst = max_with_index(projected.iter().map(|point| (point - circle.centre).norm())).0;
    Extent { size_mm: 2.0 * circle.radius, worst: points[worst] }
}

/// The direction that minimises `size` among the rotations of `from` about `axis`; a local minimum near `from`.
///
/// The size of a zone as a function of the rotation is the maximum of many sines, each nearly straight over a small
/// arc, so that it has a single minimum there, which is found by golden section search.
pub fn best_turn(axis: &Vector, from: &Vector, size: impl Fn(&Vector) -> f64) -> Vector {
    let (along_axis, perpendicular) = (axis * axis.dot(from), from - axis * axis.dot(from));
    let side = axis.cross(&perpendicular);
    let rotated = |angle: f64| along_axis + perpendicular * angle.cos() + side * angle.sin();
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut centre = 0.0;
    for _ in 0..MAX_ARCS {
        let (mut lower, mut upper) = (centre - HALF_ARC_RAD, centre + HALF_ARC_RAD);
        let (mut left, mut right) = (upper - golden * (upper - lower), lower + golden * (upper - lower));
        let (mut size_left, mut size_right) = (size(&rotated(left)), size(&rotated(right)));
        for _ in 0..GOLDEN_STEPS {
            if size_left <= size_right {
                (upper, right, size_right) = (right, left, size_left);
                left = upper - golden * (upper - lower);
                size_left = size(&rotated(left));
            } else {
                (lower, left, size_left) = (left, right, size_right);
                right = lower + golden * (upper - lower);
                size_right = size(&rotated(right));
            }
        }
        let best = 0.5 * (lower + upper);
        let at_end = (best - centre).abs() > 0.99 * HALF_ARC_RAD;
        centre = best;
        if !at_end {
            break;
        }
    }
    rotated(centre)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn cloud(random: &mut Random, count: usize, size: [f64; 3]) -> Vec<Point> {
        (0..count).map(|_| Point::from(Vector::from_fn(|k, _| random.range(-size[k], size[k])))).collect()
    }

    #[test]
    fn zones_just_contain_all_points() {
        let mut random = Random::new(23, 0);
        let far = Vector::new(1e3, 2e3, -5e2);
        let turn = random.rotation();
        let mut points: Vec<Point> = cloud(&mut random, 500, [4.0, 3.0, 9.0]).iter().map(|p| turn * p + far).collect();
        points.push(turn * Point::new(0.0, 5.0, 0.0) + far);
        points.push(turn * Point::new(0.0, -5.0, 3.0) + far);
        let wide = along(&points, &(turn * Vector::y()));
        assert!(
            (wide.size_mm - 10.0).abs() < 1e-9
                && (wide.worst - points[500]).norm().min((wide.worst - points[501]).norm()) == 0.0
        );
        let round = across(&points, &(turn * Vector::z()));
        assert!((round.size_mm - 10.0).abs() < 1e-9, "{}", round.size_mm);
        assert_eq!(across(&points[..1], &Vector::z()).size_mm, 0.0);
    }

    /// Against a fine grid of rotations.
    #[test]
    fn the_best_rotation_is_the_minimum_of_all() {
        let mut random = Random::new(24, 0);
        for round in 0..40 {
            let axis = random.rotation() * Vector::z();
            // A plate whose normal is inclined to the axis, and a start that is off by up to 0.25 rad.
            let inclination = [std::f64::consts::FRAC_PI_2, 0.6][round % 2];
            let x = any_perpendicular(&axis);
            let normal = axis * inclination.cos() + x * inclination.sin();
            let edge = axis.cross(&x);
            let points: Vec<Point> = cloud(&mut random, 80, [20.0, 12.0, 0.05])
                .iter()
                .map(|p| Point::from(edge * p.x + normal.cross(&edge) * p.y + normal * p.z))
                .collect();
            let off = nalgebra::UnitQuaternion::from_scaled_axis(axis * random.range(-0.25, 0.25));
            let size = |direction: &Vector| along(&points, direction).size_mm;
            let found = best_turn(&axis, &(off * normal), size);
            assert!((found.norm() - 1.0).abs() < 1e-12 && (found.dot(&axis) - normal.dot(&axis)).abs() < 1e-12);
            let turned = |i: i32| nalgebra::UnitQuaternion::from_scaled_axis(axis * (f64::from(i) * 1e-5)) * normal;
            let min_size = (-3000..3000).map(|i| size(&turned(i))).fold(f64::INFINITY, f64::min);
            assert!(size(&found) <= min_size + 1e-12 && size(&found) > min_size - 5e-4, "{} {min_size}", size(&found));
        }
    }
}
