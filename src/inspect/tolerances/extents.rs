//! How large a zone of known direction must be to hold points.

use super::feature::mean;
use crate::features::element::any_square_to;
use crate::features::zone::enclosing;
use geometry::{Point, Vector};

/// Half of the arc first searched for the best turn of a zone, rad.
const HALF_ARC_RAD: f64 = 0.1;
/// The arc is moved on so often while its best end is the least.
const ARCS: usize = 40;
/// The arc shrinks by the golden ratio so often: to less than rounding.
const SHRINKS: usize = 60;

/// A zone's size and the point that decides it.
#[derive(Clone, Copy, Debug)]
pub struct Extent {
    /// Width or diameter, mm.
    pub size_mm: f64,
    /// The point farthest from the middle.
    pub worst: Point,
}

/// The number for which `size` is greatest; the first of several. 0 where there are none.
pub fn greatest(values: impl Iterator<Item = f64>) -> (usize, f64) {
    let start = (0, f64::NEG_INFINITY);
    values.enumerate().fold(start, |best, (number, value)| if value > best.1 { (number, value) } else { best })
}

/// Greatest less least of `values`.
pub fn range(values: impl Iterator<Item = f64>) -> f64 {
    let (least, most) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, m), v| (l.min(v), m.max(v)));
    most - least
}

/// Width of the two planes square to `direction` that hold `points` (at least one) between them.
pub fn along(points: &[Point], direction: &Vector) -> Extent {
    let middle = mean(points);
    let height = |point: &Point| (point - middle).dot(direction);
    let worst = greatest(points.iter().map(|point| height(point).abs())).0;
    Extent { size_mm: range(points.iter().map(height)), worst: points[worst] }
}

/// Diameter of the least cylinder along `direction` that holds `points` (at least one).
pub fn across(points: &[Point], direction: &Vector) -> Extent {
    let x = any_square_to(direction);
    let y = direction.cross(&x);
    let middle = mean(points);
    let seen = |point: &Point| Point::new((point - middle).dot(&x), (point - middle).dot(&y), 0.0);
    let seen: Vec<Point> = points.iter().map(seen).collect();
    let circle = enclosing::smallest(&seen);
    let worst = greatest(seen.iter().map(|place| (place - circle.centre).norm())).0;
    Extent { size_mm: 2.0 * circle.radius, worst: points[worst] }
}

/// The direction, among all that `from` takes while it turns about `axis`, for which `size` is least; near `from`.
///
/// The size of a zone over a turn is the greatest of many sines, each nearly straight over a small arc, so that it has
/// one least value there, found by the golden section.
pub fn best_turn(axis: &Vector, from: &Vector, size: impl Fn(&Vector) -> f64) -> Vector {
    let (upright, flat) = (axis * axis.dot(from), from - axis * axis.dot(from));
    let side = axis.cross(&flat);
    let at = |angle: f64| upright + flat * angle.cos() + side * angle.sin();
    let golden = 0.5 * (5.0_f64.sqrt() - 1.0);
    let mut middle = 0.0;
    for _ in 0..ARCS {
        let (mut low, mut high) = (middle - HALF_ARC_RAD, middle + HALF_ARC_RAD);
        let (mut left, mut right) = (high - golden * (high - low), low + golden * (high - low));
        let (mut of_left, mut of_right) = (size(&at(left)), size(&at(right)));
        for _ in 0..SHRINKS {
            if of_left <= of_right {
                (high, right, of_right) = (right, left, of_left);
                left = high - golden * (high - low);
                of_left = size(&at(left));
            } else {
                (low, left, of_left) = (left, right, of_right);
                right = low + golden * (high - low);
                of_right = size(&at(right));
            }
        }
        let best = 0.5 * (low + high);
        let at_end = (best - middle).abs() > 0.99 * HALF_ARC_RAD;
        middle = best;
        if !at_end {
            break;
        }
    }
    at(middle)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    fn cloud(random: &mut Random, count: usize, size: [f64; 3]) -> Vec<Point> {
        (0..count).map(|_| Point::from(Vector::from_fn(|k, _| random.range(-size[k], size[k])))).collect()
    }

    #[test]
    fn zones_hold_all_points_and_no_less() {
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

    /// Against every turn of a fine grid.
    #[test]
    fn the_best_turn_is_the_least_of_all() {
        let mut random = Random::new(24, 0);
        for round in 0..40 {
            let axis = random.rotation() * Vector::z();
            // A plate whose normal leans against the axis, and a start that is off by up to a tenth.
            let lean = [std::f64::consts::FRAC_PI_2, 0.6][round % 2];
            let x = any_square_to(&axis);
            let normal = axis * lean.cos() + x * lean.sin();
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
            let least = (-3000..3000).map(|i| size(&turned(i))).fold(f64::INFINITY, f64::min);
            assert!(size(&found) <= least + 1e-12 && size(&found) > least - 5e-4, "{} {least}", size(&found));
        }
    }
}
