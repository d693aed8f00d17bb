//! Principal curvatures from how the normals about a point turn.

use nalgebra::{Matrix3, Vector2};

use super::super::point_pairs::OrientedPoint;
use super::super::{Vector, transform};

/// Standard errors by which a curvature must differ from none.
const SIGNIFICANT: f64 = 2.5;
/// Least turn of the normals over the reach of the neighbours that counts as curvature, rad.
const MIN_TURN_RAD: f64 = 0.03;
/// A neighbourhood is too narrow if its extents differ by more than this factor.
const MAX_ASPECT: f64 = 1e3;

/// Principal curvatures of a surface at a point.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// Unit direction of the one of greatest magnitude, tangential; its sign is arbitrary.
    pub direction: Vector,
    /// The one of greatest magnitude and the other, 1/mm; positive where the surface is convex.
    pub per_mm: [f64; 2],
    /// Least magnitude that is told from none, 1/mm.
    pub noise_per_mm: f64,
}

impl Curvature {
    /// The curvatures at a point from its neighbours: the linear map of tangential offsets to changes of the normal that fits
    /// best (the shape operator, by least squares). `None` if the neighbours do not span a surface.
    pub fn at<'a>(own: &OrientedPoint, neighbours: impl Iterator<Item = &'a OrientedPoint>) -> Option<Self> {
        let axes = transform::perpendicular_axes(&own.normal);
        let onto = |vector: &Vector| Vector2::new(axes[0].dot(vector), axes[1].dot(vector));
        let turns: Vec<(Vector2<f64>, Vector2<f64>)> =
            neighbours.map(|other| (onto(&(other.point - own.point)), onto(&(other.normal - own.normal)))).collect();
        let sum =
            |term: &dyn Fn(&Vector2<f64>, &Vector2<f64>) -> f64| turns.iter().map(|(x, n)| term(x, n)).sum::<f64>();
        let (xx, xy, yy) = (sum(&|x, _| x.x * x.x), sum(&|x, _| x.x * x.y), sum(&|x, _| x.y * x.y));
        let (mean, spread) = (0.5 * (xx + yy), (0.25 * (xx - yy).powi(2) + xy * xy).sqrt());
        if !(mean - spread > (mean + spread) / MAX_ASPECT.powi(2)) {
            return None;
        }
        // The symmetric map [a b; b c].
        let normal_matrix = Matrix3::new(xx, xy, 0.0, xy, xx + yy, xy, 0.0, xy, yy);
        let right = Vector::new(sum(&|x, n| n.x * x.x), sum(&|x, n| n.x * x.y + n.y * x.x), sum(&|x, n| n.y * x.y));
        let map = normal_matrix.try_inverse()? * right;
        let [a, b, c] = map.into();
        let residual = sum(&|x, n| (n.x - a * x.x - b * x.y).powi(2) + (n.y - b * x.x - c * x.y).powi(2));
        let free = (2.0 * turns.len() as f64 - 3.0).max(1.0);
        let error_per_mm = (residual / free / (mean - spread)).sqrt();
        let reach_mm = turns.iter().map(|(x, _)| x.norm_squared()).fold(0.0, f64::max).sqrt();
        let (middle, half) = (0.5 * (a + c), (0.25 * (a - c).powi(2) + b * b).sqrt());
        let (first, second) =
            if middle >= 0.0 { (middle + half, middle - half) } else { (middle - half, middle + half) };
        // Of the larger magnitude; the longer of the two forms of its direction, which is exact where the other vanishes.
        let (one, other) = (Vector2::new(b, first - a), Vector2::new(first - c, b));
        let direction = if one.norm_squared() > other.norm_squared() { one } else { other };
        let direction = direction.try_normalize(0.0).unwrap_or_else(Vector2::x);
        Some(Self {
            direction: (axes[0] * direction.x + axes[1] * direction.y).normalize(),
            per_mm: [first, second],
            noise_per_mm: (SIGNIFICANT * error_per_mm).max(MIN_TURN_RAD / reach_mm),
        })
    }

    /// Ratio of the greater magnitude to the other, what is not told from none counting as the least that is: 1 where no
    /// direction stands out, as on planes and spheres.
    pub fn ratio(&self) -> f64 {
        let [first, second] = self.per_mm.map(|own| own.abs().max(self.noise_per_mm));
        first / second
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Point;
    use base::random::Random;

    /// Points about one on a surface given by its height and its normal over the tangent plane, which is turned at random.
    fn at(normal_of: impl Fn(f64, f64) -> (f64, Vector), noise_rad: f64, seed: u64) -> (Curvature, Vector) {
        let mut random = Random::new(seed, 0);
        let turn = random.rotation();
        let mut oriented = |x: f64, y: f64| {
            let (z, normal) = normal_of(x, y);
            let off = Vector::new(random.normal(), random.normal(), random.normal()) * noise_rad;
            OrientedPoint { point: turn * Point::new(x, y, z), normal: turn * (normal.normalize() + off).normalize() }
        };
        let own = oriented(0.0, 0.0);
        let mut draw = Random::new(seed, 1);
        let all: Vec<OrientedPoint> = (0..120)
            .filter_map(|_| {
                let (x, y) = (draw.range(-2.0, 2.0), draw.range(-2.0, 2.0));
                (x * x + y * y < 4.0).then(|| oriented(x, y))
            })
            .collect();
        (Curvature::at(&own, all.iter()).unwrap(), turn * Vector::x())
    }

    #[test]
    fn curvatures_of_simple_forms_are_found_and_planes_and_spheres_have_no_direction() {
        for seed in 0..50 {
            // A cylinder of radius 10 along y, a saddle, a sphere and a plane.
            let cylinder = |x: f64, _| ((100.0 - x * x).sqrt() - 10.0, Vector::new(x, 0.0, (100.0 - x * x).sqrt()));
            for (noise_rad, limit_deg) in [(0.0, 0.1), (0.01, 3.0)] {
                let (found, across) = at(cylinder, noise_rad, seed);
                let off_deg = found.direction.dot(&across).abs().min(1.0).acos().to_degrees();
                assert!(off_deg < limit_deg && found.ratio() > 3.0, "{off_deg} {found:?}");
                assert!((found.per_mm[0] - 0.1).abs() < 0.01 && found.per_mm[1].abs() < 0.01, "{found:?}");
            }
            let saddle = |x: f64, y: f64| (-0.05 * x * x + 0.02 * y * y, Vector::new(0.1 * x, -0.04 * y, 1.0));
            let (found, across) = at(saddle, 0.0, seed);
            assert!(found.direction.dot(&across).abs() > 0.999 && (found.ratio() / 2.5 - 1.0).abs() < 0.1, "{found:?}");
            assert!(found.per_mm[0] > 0.0 && found.per_mm[1] < 0.0);
            let sphere = |x: f64, y: f64| {
                let z = (100.0 - x * x - y * y).sqrt();
                (z - 10.0, Vector::new(x, y, z))
            };
            for noise_rad in [0.0, 0.01] {
                assert!(at(|_, _| (0.0, Vector::z()), noise_rad, seed).0.ratio() < 1.4);
                assert!(at(sphere, noise_rad, seed).0.ratio() < 1.1 + 20.0 * noise_rad);
            }
        }
    }

    #[test]
    fn what_lies_on_a_line_has_no_curvature() {
        let own = OrientedPoint { point: Point::origin(), normal: Vector::z() };
        let line: Vec<OrientedPoint> =
            (1..9).map(|x| OrientedPoint { point: Point::new(f64::from(x), 0.0, 0.0), normal: Vector::z() }).collect();
        assert!(Curvature::at(&own, line.iter()).is_none() && Curvature::at(&own, [].iter()).is_none());
    }
}
