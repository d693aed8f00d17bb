//! Closest point, intersection, normal and angles of a single triangle, in f64.

use super::{Point, Vector};

/// The feature of a triangle on which a closest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// Interior.
    Face,
    /// Edge `i`, from corner `i` to corner `(i + 1) % 3`.
    Edge(u8),
    /// Corner `i`.
    Vertex(u8),
}

/// Point of triangle `corners` closest to `p`, and the feature it lies on.
///
/// Voronoi regions after Ericson, "Real-Time Collision Detection" (2005), 5.1.5.
// Within the searches, corners stay in registers.
#[inline(always)]
pub fn closest_point(p: &Point, corners: &[Point; 3]) -> (Point, Feature) {
    let [a, b, c] = corners;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (*a, Feature::Vertex(0));
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (*b, Feature::Vertex(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (*c, Feature::Vertex(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let along = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * along, Feature::Edge(1));
    }
    // Interior. Projection along the normal avoids the cancellation of the barycentric sum.
    let normal = ab.cross(&ac);
    let squared = normal.norm_squared();
    if squared > 0.0 { (p - normal * (normal.dot(&ap) / squared), Feature::Face) } else { (*a, Feature::Vertex(0)) }
}

/// Unit normal (right-hand rule) times twice the area, mm²; zero for a degenerate triangle.
#[inline]
pub fn area_vector(corners: &[Point; 3]) -> Vector {
    (corners[1] - corners[0]).cross(&(corners[2] - corners[0]))
}

/// Unit normal by the right-hand rule; zero for a degenerate triangle.
#[inline]
pub fn normal(corners: &[Point; 3]) -> Vector {
    let area = area_vector(corners);
    let length = area.norm();
    if length > 0.0 { area / length } else { Vector::zeros() }
}

/// Interior angle at corner `i`, rad.
pub fn corner_angle(corners: &[Point; 3], i: usize) -> f64 {
    let (u, v) = (corners[(i + 1) % 3] - corners[i], corners[(i + 2) % 3] - corners[i]);
    // atan2 stays accurate for needle triangles, where acos of a dot product does not.
    u.cross(&v).norm().atan2(u.dot(&v))
}

/// Intersection of the line `origin + t * direction` with the triangle (both sides), as `t`.
///
/// Moeller and Trumbore 1997. `tolerance` enlarges the triangle (barycentric units), so that a line through a shared
/// edge hits at least one of its two facets.
#[inline]
pub fn intersect_line(origin: &Point, direction: &Vector, corners: &[Point; 3], tolerance: f64) -> Option<f64> {
    let (ab, ac) = (corners[1] - corners[0], corners[2] - corners[0]);
    let direction_cross_ac = direction.cross(&ac);
    let determinant = ab.dot(&direction_cross_ac);
    if determinant == 0.0 || !determinant.is_finite() {
        return None;
    }
    let from_a = origin - corners[0];
    let u = from_a.dot(&direction_cross_ac) / determinant;
    let from_a_cross_ab = from_a.cross(&ab);
    let v = direction.dot(&from_a_cross_ab) / determinant;
    let inside = u >= -tolerance && v >= -tolerance && u + v <= 1.0 + tolerance;
    inside.then(|| ac.dot(&from_a_cross_ab) / determinant)
}

/// Centroid: mean of the three corners.
#[inline]
pub fn centroid(corners: &[Point; 3]) -> Point {
    Point::from((corners[0].coords + corners[1].coords + corners[2].coords) / 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::random::Random;

    #[test]
    fn closest_point_beats_a_dense_sampling_of_the_triangle() {
        let mut random = Random::new(11, 0);
        let mut draw = || Point::new(random.normal(), random.normal(), random.normal());
        for _ in 0..300 {
            let corners = [draw(), draw(), draw()];
            let p = draw();
            let (q, _) = closest_point(&p, &corners);
            let best = (p - q).norm();
            let mut sampled = f64::INFINITY;
            for i in 0..=60 {
                for j in 0..=(60 - i) {
                    let (u, v) = (f64::from(i) / 60.0, f64::from(j) / 60.0);
                    let s = corners[0] + (corners[1] - corners[0]) * u + (corners[2] - corners[0]) * v;
                    sampled = sampled.min((p - s).norm());
                }
            }
            assert!(best <= sampled + 1e-12 && sampled - best < 0.12, "{best} {sampled}");
        }
    }

    #[test]
    fn a_line_through_a_shared_edge_hits_a_facet() {
        let left = [Point::new(0.0, 0.0, 0.0), Point::new(1.0, 0.0, 0.0), Point::new(0.0, 1.0, 0.0)];
        let right = [Point::new(1.0, 0.0, 0.0), Point::new(1.0, 1.0, 0.0), Point::new(0.0, 1.0, 0.0)];
        for i in 0..100 {
            let x = f64::from(i) / 99.0;
            let origin = Point::new(x, 1.0 - x, 3.0);
            let down = -Vector::z();
            let hit = [left, right].iter().any(|t| intersect_line(&origin, &down, t, 1e-12).is_some());
            assert!(hit, "{x}");
        }
    }
}
